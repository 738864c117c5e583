import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

/// A provider as the tests of the relying party know it.
enum Login {
    static let issuer = "https://login.example.ch/"
    static let client = "https://eduid.example.ch/"
    static let access = "opaque-access-token-of-the-provider"
    static let nonce = String(repeating: "n", count: 43)
    static let mfa = "https://refeds.org/profile/mfa"

    static func provider() throws -> Issuer { try Issuer(parsing: issuer) }
    static func imprint(_ nonce: String = nonce) throws -> OpenID.Imprint {
        try OpenID.Nonce(parsing: nonce).imprint
    }

    static func expectation(
        maximumAge: Duration? = nil, contextClasses: [String] = [], algorithms: [Algorithm] = OpenID.algorithms
    ) throws -> Statement.IDToken.Expectation {
        var expectation = Statement.IDToken.Expectation(
            for: try ClientID(parsing: client), nonce: try imprint(), signedBy: algorithms)
        expectation.maximumAge = maximumAge
        expectation.contextClasses = try contextClasses.map { try Authentication.ContextClass(parsing: $0) }
        return expectation
    }

    static func identity(
        _ text: String, keys: [VerificationKey]? = nil, expecting expectation: Statement.IDToken.Expectation? = nil,
        at now: Timestamp = Scene.now
    ) throws -> Result<Statement.IDToken, TokenRejection> {
        let (keys, expectation) = try (keys ?? [Pair.verifying(1)], expectation ?? self.expectation())
        let (issuer, access) = try (provider(), AccessToken(parsing: access))
        let assertion = try Assertion(parsing: text)
        return Result { () throws(TokenRejection) in
            try Statement.IDToken(
                checking: Statement.Unverified(parsing: assertion, as: .idToken), by: keys, of: issuer,
                expecting: expectation, with: access, at: now)
        }
    }

    static func logout(
        _ text: String, keys: [VerificationKey]? = nil, algorithms: [Algorithm] = OpenID.algorithms,
        at now: Timestamp = Scene.now
    ) throws -> Result<Statement.LogoutToken, TokenRejection> {
        let keys = try keys ?? [Pair.verifying(1)]
        let (issuer, client) = try (provider(), ClientID(parsing: client))
        let assertion = try Assertion(parsing: text)
        return Result { () throws(TokenRejection) in
            try Statement.LogoutToken(
                checking: Statement.Unverified(parsing: assertion, as: .logoutToken), by: keys, of: issuer, to: client,
                signedBy: algorithms, at: now)
        }
    }
}

extension Result {
    var rejection: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

@Suite("OpenID Connect Core §3.1.3.7: ID tokens")
struct IDTokenTests {
    static let draft = Draft(
        "JWT", seed: 1,
        [
            "iss": #""\#(Login.issuer)""#, "sub": #""A-1""#, "aud": #""\#(Login.client)""#, "iat": "1700000000",
            "exp": "1700014400", "nonce": #""\#(Login.nonce)""#, "auth_time": "1699999940",
            "acr": #""\#(Login.mfa)""#, "amr": #"["pwd","otp"]"#, "sid": #""s-1""#, "given_name": #""Käthe""#,
        ])

    @Test("A token in order tells who signed in, when and how", .proves("OIC-8"))
    func good() throws {
        let token = try Login.identity(Self.draft.text).get()
        #expect(token.issuer.text == Login.issuer && token.subject.text == "A-1")
        #expect(token.issuedAt == Scene.now && token.authenticated == Scene.time(1_699_999_940))
        #expect(token.contextClass?.text == Login.mfa && token.methods == ["pwd", "otp"])
        #expect(token.session?.text == "s-1")
        #expect(token.claims == ["given_name": "Käthe"])
        let bare = Self.draft.claiming(["auth_time": "", "acr": "", "amr": "", "sid": ""])
        let other = try Login.identity(bare.text).get()
        #expect(other.authenticated == nil && other.contextClass == nil && other.methods == [] && other.session == nil)
    }

    static let other = "https://b.example/"

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault(
            "an access token", draft.heading(["typ": #""at+jwt""#]),
            .token(.wrongKind(expected: .jwt, found: "at+jwt"))),
        Fault(
            "a logout token", draft.heading(["typ": #""logout+jwt""#]),
            .token(.wrongKind(expected: .jwt, found: "logout+jwt"))),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault("an unknown key", draft.heading(["kid": #""k6""#]), .token(.unknownKey(RequestTokenTests.name("k6")))),
        Fault("another key", draft.signed(by: 6), .token(.invalidSignature)),
        Fault("no issuer", draft.claiming(["iss": ""]), .token(.missing("iss"))),
        Fault(
            "another issuer", draft.claiming(["iss": #""\#(other)""#]),
            .issuer(expected: Login.issuer, found: other)),
        Fault(
            "the issuer without its slash", draft.claiming(["iss": #""https://login.example.ch""#]),
            .issuer(expected: Login.issuer, found: "https://login.example.ch")),
        Fault("no audience", draft.claiming(["aud": ""]), .token(.missing("aud"))),
        Fault(
            "another client", draft.claiming(["aud": #""\#(other)""#]),
            .audience(expected: Login.client, found: other)),
        Fault("a list of one", draft.claiming(["aud": #"["\#(Login.client)"]"#]), nil),
        Fault(
            "a stranger beside us", draft.claiming(["aud": #"["\#(Login.client)","\#(other)"]"#]),
            .severalAudiences(2)),
        Fault("nobody", draft.claiming(["aud": "[]"]), .token(.emptyAudience)),
        Fault("authorized for us", draft.claiming(["azp": #""\#(Login.client)""#]), nil),
        Fault(
            "authorized for another", draft.claiming(["azp": #""\#(other)""#]),
            .authorizedParty(expected: Login.client, found: other)),
        Fault("no end", draft.claiming(["exp": ""]), .token(.missing("exp"))),
        Fault(
            "ended", draft.claiming(["iat": "1699999900", "exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault("ten minutes old", draft.claiming(["iat": "1699999400"]), nil),
        Fault(
            "older than ten minutes", draft.claiming(["iat": "1699999399"]),
            .token(.tooOld(issued: Scene.time(1_699_999_399), now: Scene.now))),
        Fault("a minute ahead", draft.claiming(["iat": "1700000060"]), nil),
        Fault(
            "more than a minute ahead", draft.claiming(["iat": "1700000061"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("no nonce", draft.claiming(["nonce": ""]), .token(.missing("nonce"))),
        Fault("another nonce", draft.claiming(["nonce": #""\#(Login.nonce.dropLast())m""#]), .nonceOfAnotherRequest),
        Fault(
            "a nonce that is no text", draft.claiming(["nonce": "1"]),
            .token(.wrongType("nonce", expected: .string, found: .number))),
        Fault("no subject", draft.claiming(["sub": ""]), .token(.missing("sub"))),
        Fault("255 characters", draft.claiming(["sub": #""\#(String(repeating: "a", count: 255))""#]), nil),
        Fault("256 characters", draft.claiming(["sub": #""\#(String(repeating: "a", count: 256))""#]), .subjectForm),
        Fault("a subject beyond ASCII", draft.claiming(["sub": #""Käthe""#]), .subjectForm),
        Fault("an empty subject", draft.claiming(["sub": #""""#]), .token(.malformedName("sub", .empty(.identifier)))),
        Fault(
            "authenticated in the future", draft.claiming(["auth_time": "1700000061"]),
            .authenticatedAhead(Scene.time(1_700_000_061))),
        Fault(
            "an odd time", draft.claiming(["auth_time": #""now""#]),
            .token(.wrongType("auth_time", expected: .number, found: .string))),
        Fault(
            "a time beyond all", draft.claiming(["auth_time": "1e9999"]),
            .token(.malformedTime("auth_time", .outOfRange))),
        Fault(
            "methods that are no list", draft.claiming(["amr": #""pwd""#]),
            .token(.wrongType("amr", expected: .array, found: .string))),
        Fault(
            "a method that is no text", draft.claiming(["amr": "[1]"]),
            .token(.wrongType("amr", expected: .string, found: .number))),
        Fault(
            "the hash of another token", draft.claiming(["at_hash": #""77QmUPtjPfzWtF2AnpK9RQ""#]),
            .hashOfAnotherToken),
    ]

    @Test("Whatever is wrong is refused for that", .proves("OIC-8"), .proves("threat-24"), arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        let found = try Login.identity(fault.draft.text).rejection
        #expect(found == fault.rejection.map { TokenRejection(.idToken, $0) })
        if let found { #expect(found.refusal.code == .serverError) }
    }

    @Test("What was asked about the person's authentication is met", .proves("OIC-8"))
    func authentication() throws {
        let hour = try Login.expectation(maximumAge: .seconds(3_600), contextClasses: [Login.mfa, "urn:x"])
        func reason(_ claims: [String: String]) throws -> TokenRejection.Reason? {
            try Login.identity(Self.draft.claiming(claims).text, expecting: hour).rejection?.reason
        }
        #expect(try reason([:]) == nil)
        #expect(try reason(["auth_time": ""]) == .token(.missing("auth_time")))
        #expect(try reason(["auth_time": "1699996340"]) == nil)
        #expect(
            try reason(["auth_time": "1699996339"])
                == .authenticatedBefore(Scene.time(1_699_996_339), limit: .seconds(3_600)))
        #expect(try reason(["acr": #""urn:x""#]) == nil)
        #expect(try reason(["acr": ""]) == .contextClass(accepted: [Login.mfa, "urn:x"], found: nil))
        #expect(
            try reason(["acr": #""\#(Login.mfa)/""#])
                == .contextClass(accepted: [Login.mfa, "urn:x"], found: Login.mfa + "/"))
        let longest = try Login.expectation(maximumAge: .seconds(Int64.max))
        #expect(try Login.identity(Self.draft.text, expecting: longest).rejection == nil)
    }

    @Test(
        "Only algorithms that are configured for the provider are looked at", .proves("OIC-18"), .proves("threat-4"))
    func algorithms() throws {
        func reason(_ algorithms: [Algorithm]) throws -> TokenRejection.Reason? {
            let expectation = try Login.expectation(algorithms: algorithms)
            return try Login.identity(Self.draft.text, expecting: expectation).rejection?.reason
        }
        #expect(try reason([.es256, .edDSA]) == nil)
        #expect(try reason([.rs256]) == .token(.algorithmNotAccepted(found: .edDSA, accepted: [.rs256])))
        #expect(try reason([]) == .token(.algorithmNotAccepted(found: .edDSA, accepted: [])))
    }

    @Test(
        "No secret vouches for a provider, even where somebody configured that", .proves("OIC-18"),
        .proves("threat-3"))
    func secrets() throws {
        let secret = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        let token = Self.draft.heading(["alg": #""HS256""#])
        let parts = try token.text.split(separator: ".")
        let input = parts[0] + "." + parts[1]
        let code = [UInt8](HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: secret))
        let key = try VerificationKey(secret, for: .hs256, id: KeyID(parsing: "k1"))
        let expectation = try Login.expectation(algorithms: [.hs256])
        let text = input + "." + Base64URL.encode(code)
        #expect(
            try Login.identity(text, keys: [key], expecting: expectation).rejection?.reason
                == .token(.algorithmNotAccepted(found: .hs256, accepted: [])))
    }

    static let places: [(name: String, value: String, rejection: JWT.Rejection)] = [
        ("alg", #""none""#, .unsecured), ("alg", #""nOnE""#, .unsecured),
        ("jku", #""https://b.example/keys""#, .embeddedKey("jku")),
        ("x5u", #""https://b.example/keys""#, .embeddedKey("x5u")),
        ("jwk", #"{"kty":"OKP"}"#, .embeddedKey("jwk")), ("x5c", #"["AAAA"]"#, .embeddedKey("x5c")),
    ]

    @Test(
        "Neither no signature nor a key that the token brings", .proves("OIC-8"), .proves("threat-1"),
        .proves("threat-9"), arguments: places.indices)
    func brought(_ index: Int) throws {
        let place = Self.places[index]
        let token = Self.draft.heading([place.name: place.value])
        #expect(try Login.identity(token.text).rejection?.reason == .token(place.rejection))
    }

    @Test("An encrypted token is none", .proves("OIC-8"))
    func encrypted() throws {
        #expect(try Login.identity("a.b.c.d.e").rejection?.reason == .token(.wrongPartCount(5)))
    }

    @Test("A key of another issuer vouches for nothing", .proves("threat-25"))
    func foreignKey() throws {
        let other = try Scene.issuer(Self.other)
        #expect(
            try Login.identity(Self.draft.text, keys: [Pair.verifying(1).owned(by: other)]).rejection?.reason
                == .token(.keyOfAnotherIssuer(owner: other, found: Login.issuer)))
    }

    @Test("What is wrong about keys is answered alike", .proves("threat-39"))
    func alike() throws {
        let refusals = try [Self.draft.heading(["kid": #""k6""#]), Self.draft.signed(by: 6)].map {
            try Login.identity($0.text).rejection?.refusal
        }
        #expect(refusals[0] != nil && refusals[0] == refusals[1])
    }
}
