import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 9068: access tokens that are JWTs")
struct JWTAccessTokenTests {
    typealias Rejection = TokenRejection

    static let draft = Draft(
        "at+jwt", seed: 1,
        [
            "iss": #""\#(Scene.eduID)""#, "sub": #""user-1""#, "aud": #""\#(Scene.service)""#,
            "client_id": #""\#(Scene.instance)""#,
            "iat": "1700000000", "exp": "1700003600", "jti": #""t-1""#,
            "scope": #""profile https://moodle.example.ch/authorize""#,
            "cnf": #"{"jwk":\#(key),"kid":"k7"}"#,
        ])
    static let key = (try? Pair.json(7)) ?? ""

    static func check(
        _ draft: Draft, keys: [VerificationKey]? = nil, policy: Statement.Policy = .accessToken,
        at now: Timestamp = Scene.now
    ) throws -> Rejection? {
        let (token, keys) = (try draft.unverified, try keys ?? [Pair.verifying(1)])
        let (issuer, addressee) = (try Scene.issuer(Scene.eduID), Statement.Addressee(try Scene.issuer(Scene.service)))
        return rejection { () throws(Rejection) in
            try Statement.JWTAccessToken(checking: token, by: keys, of: issuer, to: addressee, policy: policy, at: now)
        }
    }

    @Test(
        "A token in order tells who may do what, through which client and with which key", .proves("RFC9068-2.2"),
        .proves("POP-1"))
    func good() throws {
        let token = try Statement.JWTAccessToken(
            checking: Self.draft.claiming(["acr": #""2""#]).unverified, by: [Pair.verifying(1)],
            of: Scene.issuer(Scene.eduID),
            to: Statement.Addressee(Scene.issuer(Scene.service)), at: Scene.now)
        #expect(token.issuer.text == Scene.eduID)
        #expect(token.subject.text == "user-1")
        #expect(token.client.text == Scene.instance)
        #expect(token.id.text == "t-1")
        #expect(token.issuedAt == Scene.now)
        #expect(token.expiration == Scene.time(1_700_003_600))
        #expect(try token.scope == Scope(parsing: "profile https://moodle.example.ch/authorize"))
        #expect(try token["acr"]?.string() == "2")
        #expect(token["sub"] == nil)
        let key = try #require(try token.boundKey())
        #expect(try key.id == Scene.name("k7"))
        #expect(try key.thumbprint == Pair.jwk(7).thumbprint())
        #expect(key.holder == .client(try Scene.client()))
    }

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("the long form of the type", draft.heading(["typ": #""application/at+jwt""#]), nil),
        Fault("no type", draft.heading(["typ": ""]), .token(.wrongKind(expected: "at+jwt", found: nil))),
        Fault(
            "just JWT", draft.heading(["typ": #""JWT""#]),
            .token(.wrongKind(expected: "at+jwt", found: "JWT"))),
        Fault(
            "another kind", draft.heading(["typ": #""request+jwt""#]),
            .token(.wrongKind(expected: "at+jwt", found: "request+jwt"))),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault(
            "an unknown key", draft.heading(["kid": #""k9""#]),
            .token(.unknownKey(RequestTokenTests.name("k9")))),
        Fault("another key", draft.signed(by: 2), .token(.invalidSignature)),
        Fault(
            "another issuer", draft.claiming(["iss": #""https://other.example/""#]),
            .issuer(expected: Scene.eduID, found: "https://other.example/")),
        Fault(
            "another server", draft.claiming(["aud": #""https://other.example/""#]),
            .audience(expected: Scene.service, found: "https://other.example/")),
        Fault(
            "two servers", draft.claiming(["aud": #"["\#(Scene.service)","https://b.example/"]"#]),
            .severalAudiences(2)),
        Fault("no audience in the list", draft.claiming(["aud": "[]"]), .token(.emptyAudience)),
        Fault("no subject", draft.claiming(["sub": ""]), .token(.missing("sub"))),
        Fault("no client", draft.claiming(["client_id": ""]), .token(.missing("client_id"))),
        Fault(
            "a client that is a number", draft.claiming(["client_id": "5"]),
            .token(.wrongType("client_id", expected: .string, found: .number))),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault("no end", draft.claiming(["exp": ""]), .token(.missing("exp"))),
        Fault(
            "ended now", draft.claiming(["iat": "1699999000", "exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault("a day", draft.claiming(["exp": "1700086400"]), nil),
        Fault(
            "longer than a day", draft.claiming(["exp": "1700086401"]),
            .lifetime(.seconds(86_401), limit: .seconds(86_400))),
        Fault("no scope", draft.claiming(["scope": ""]), nil),
        Fault("an empty scope", draft.claiming(["scope": #""""#]), .scope(.scope(.empty(.scope)))),
        Fault(
            "a scope that is a list", draft.claiming(["scope": #"["a"]"#]),
            .token(.wrongType("scope", expected: .string, found: .array))),
    ]

    @Test(
        "Whatever is wrong is refused for that", .proves("RFC9068-4"), .proves("threat-18"), .proves("threat-27"),
        arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        #expect(try Self.check(fault.draft) == fault.rejection.map { TokenRejection(.accessToken, $0) })
    }

    @Test("A key of another issuer vouches for nothing", .proves("threat-25"))
    func foreignKey() throws {
        let other = try Scene.issuer("https://other.example/")
        let keys = [try Pair.verifying(1).owned(by: other)]
        #expect(
            try Self.check(Self.draft, keys: keys)
                == .token(.keyOfAnotherIssuer(owner: other, found: Scene.eduID)))
        #expect(try Self.check(Self.draft, keys: [Pair.verifying(1).owned(by: Scene.issuer(Scene.eduID))]) == nil)
    }

    @Test("What is wrong about a key is not told", .proves("threat-39"))
    func alike() throws {
        let refusals = try [Self.draft.heading(["kid": #""k9""#]), Self.draft.signed(by: 2)].map {
            try Self.check($0)?.refusal
        }
        #expect(refusals[0] == refusals[1])
        #expect(refusals[0]?.code == .invalidToken)
        let foreign = try Self.check(
            Self.draft, keys: [Pair.verifying(1).owned(by: Scene.issuer("https://other.example/"))])
        #expect(foreign?.refusal == refusals[0])
    }

    // MARK: Bindings

    @Test("A token without a confirmation is good for whoever bears it", .proves("POP-1"))
    func plain() throws {
        let token = try Statement.JWTAccessToken(
            checking: Self.draft.claiming(["cnf": ""]).unverified, by: [Pair.verifying(1)],
            of: Scene.issuer(Scene.eduID),
            to: Statement.Addressee(Scene.issuer(Scene.service)), at: Scene.now)
        #expect(try token.boundKey() == nil)
    }

    @Test("A token that only names its key takes that key from the records, and no other", .proves("RFC7800-3.4"))
    func symmetric() throws {
        func token(_ cnf: String) throws -> Statement.JWTAccessToken {
            try Statement.JWTAccessToken(
                checking: Self.draft.claiming(["cnf": cnf]).unverified, by: [Pair.verifying(1)],
                of: Scene.issuer(Scene.eduID),
                to: Statement.Addressee(Scene.issuer(Scene.service)), at: Scene.now)
        }
        let named = try token(#"{"kid":"s1"}"#)
        let secret = SymmetricKey(data: (0..<32).map { UInt8($0) })
        let known = try VerificationKey(secret, for: .hs256, id: Scene.name("s1"))
        #expect(try named.boundKey(known: known)?.id == Scene.name("s1"))
        #expect(
            rejection { () throws(TokenRejection) in try named.boundKey() } == .keyNotHeld(try Scene.name("s1")))
        let other = try VerificationKey(secret, for: .hs256, id: Scene.name("s2"))
        #expect(
            rejection { () throws(TokenRejection) in try named.boundKey(known: other) }
                == .keyNamedOtherwise(expected: try Scene.name("s1"), found: try Scene.name("s2")))
        let nameless = try VerificationKey(secret, for: .hs256)
        #expect(
            rejection { () throws(TokenRejection) in try named.boundKey(known: nameless) }
                == .keyNamedOtherwise(expected: try Scene.name("s1"), found: nil))
        let elsewhere = try token(#"{"jku":"https://keys.example/","kid":"s1"}"#)
        #expect(rejection { () throws(TokenRejection) in try elsewhere.boundKey(known: known) } == .keyElsewhere)
        let foreign = try token(
            #"{"jwk":{"kty":"EC","crv":"secp256k1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},"kid":"s1"}"#
        )
        #expect(
            rejection { () throws(TokenRejection) in try foreign.boundKey() }
                == .key(.unsupportedType(.ellipticCurve)))
        // With the embedder's own way to check its signatures, the key is as good as any.
        #expect(try foreign.boundKey(known: known)?.thumbprint != nil)
    }

    @Test(
        "A confirmation that cannot be read binds the token to a key that nobody can prove", .proves("threat-36"),
        arguments: [
            (#"{"jwk":{"kty":"oct","k":"AAAA"}}"#, JWT.Rejection.confirmationKey(.secretMember("k"))),
            ("{}", .unknownConfirmation),
            (#"{"jkt":"short"}"#, .malformedThumbprint),
            ("null", .malformedConfirmation(.mismatch(at: "$.cnf", expected: .object, found: .null))),
        ])
    func unreadable(cnf: String, expected: JWT.Rejection) throws {
        let token = try Statement.JWTAccessToken(
            checking: Self.draft.claiming(["cnf": cnf]).unverified, by: [Pair.verifying(1)],
            of: Scene.issuer(Scene.eduID),
            to: Statement.Addressee(Scene.issuer(Scene.service)), at: Scene.now)
        #expect(token.isBound)
        let refused = rejection { () throws(TokenRejection) in try token.boundKey() }
        #expect(refused == .confirmation(expected))
        #expect(refused?.refusal.code == .invalidToken)
    }

    @Test("What is issued is believed, with every binding and random values", .proves("RFC9068-2.2"), .proves("POP-1"))
    func roundTrip() throws {
        let seed: UInt64 = 0x5eed_0002
        var entropy = SeededGenerator(seed: seed)
        let issuer = try Scene.issuer(Scene.eduID)
        let issuance = try Statement.JWTAccessToken.Issuance(with: Pair.signing(1), of: issuer)
        for round in 0..<30 {
            let id = try JWT.ID(parsing: "t-\(entropy.next())")
            let subject = try Subject(parsing: "user-\(entropy.next())")
            let client = try ClientID(parsing: "client-\(entropy.next())")
            let audience = try Scene.issuer("https://s\(entropy.next() % 100).example/")
            let scope =
                round % 4 == 0 ? Scope() : try Scope(parsing: "a\(entropy.next()) https://s.example/\(entropy.next())")
            let now = Scene.time(Int64(entropy.next() % 200_000_000_000))
            let bindings: [Statement.BoundKey.Confirmation?] = [
                nil, .key(try Pair.jwk(7), id: try Scene.name("k\(round)")), .symmetric(try Scene.name("s\(round)")),
                .thumbprint(try Pair.jwk(7).thumbprint()),
            ]
            let binding = bindings[Int(entropy.next() % 4)]
            let text = try issuance.token(
                id, about: subject, for: client, to: audience, scope: scope, boundTo: binding, adding: ["x": 1],
                lifetime: .seconds(3_600), at: now)
            let token = try Statement.JWTAccessToken(
                checking: Statement.Unverified(parsing: text, as: .accessToken), by: [Pair.verifying(1)], of: issuer,
                to: Statement.Addressee(audience),
                at: Timestamp(seconds: now.seconds + Int64(entropy.next() % 3_600)))
            #expect(
                token.id == id && token.subject == subject && token.client == client && token.scope == scope,
                "seed \(seed), \(round)")
            #expect(token.expiration == now + .seconds(3_600))
            switch binding {
            case nil: #expect(try token.confirmation() == nil && !token.isBound)
            case .key(_, let id):
                #expect(try token.confirmation()?.keyID == id)
                #expect(try token.confirmation()?.key?.id == id)
                #expect(try token.confirmation()?.key?.thumbprint() == Pair.jwk(7).thumbprint())
            case .symmetric(let id): #expect(try token.confirmation() == JWT.Confirmation(keyID: id))
            case .thumbprint(let thumbprint):
                #expect(try token.confirmation()?.representation == .thumbprint(thumbprint))
            }
        }
    }

    @Test("Claims that make the token are not the caller's to set", .proves("threat-50"))
    func reserved() throws {
        let issuance = try Statement.JWTAccessToken.Issuance(with: Pair.signing(1), of: Scene.issuer(Scene.eduID))
        let (id, subject) = (try JWT.ID(parsing: "t"), try Subject(parsing: "u"))
        let (client, audience) = (try Scene.client(), try Scene.issuer(Scene.service))
        for name: JSON.Name in ["iss", "sub", "aud", "client_id", "iat", "exp", "nbf", "jti", "scope", "cnf"] {
            let claims = JSON.Object([(name, JSON.bool(true))])
            let refused = rejection { () throws(IssuanceRejection) in
                try issuance.token(
                    id, about: subject, for: client, to: audience, scope: Scope(), boundTo: nil, adding: claims,
                    lifetime: .seconds(60),
                    at: Scene.now)
            }
            #expect(refused == .reservedClaim(name))
        }
    }

    @Test("What looks like a JWT is told from what does not", .proves("NIF-7"))
    func looks() throws {
        #expect(try AccessToken(parsing: Self.draft.text).resemblesJWT)
        for text in [
            "opaque", "a.b.c", "eyJ9.e30.AA", "e30.e30.AA", "eyJhbGciOiJIUzI1NiJ9..AA", "eyJhbGciOiJIUzI1NiJ9.e30",
            "e..A", "..", "a.b.c.d",
        ] {
            #expect(try !AccessToken(parsing: text).resemblesJWT, "\(text)")
        }
    }
}
