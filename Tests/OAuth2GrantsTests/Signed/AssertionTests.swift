// Longer than 500 lines: one table of faults, each with the rule that it breaks and nothing else.
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7523 §3: client assertions")
struct ClientAssertionTests {
    static let client = "https://moodle.example.ch/"
    static let endpoint = "https://eduid.example.ch/introspect"
    static let draft = Draft(
        "client-authentication+jwt", seed: 5,
        [
            "iss": #""\#(client)""#, "sub": #""\#(client)""#, "aud": #""\#(Scene.eduID)""#, "iat": "1700000000",
            "exp": "1700000060",
            "jti": #""a-1""#,
        ])

    static func check(
        _ draft: Draft, keys: [VerificationKey]? = nil, endpoint: String? = nil,
        policy: Statement.Policy = .clientAssertion
    ) throws -> TokenRejection? {
        let (token, keys, client) = (try draft.unverified, try keys ?? [Pair.verifying(5)], try Scene.client(client))
        let addressee = Statement.Addressee(
            try Scene.issuer(Scene.eduID), orEndpoint: try endpoint.map { try Scene.url($0) })
        return rejection { () throws(TokenRejection) in
            try Statement.ClientAssertion(
                checking: token, by: keys, of: client, to: addressee, policy: policy, at: Scene.now)
        }
    }

    @Test("An assertion in order tells who authenticates", .proves("RFC7523-3"))
    func good() throws {
        let token = try Self.draft.unverified
        #expect(token.claimedIssuer?.text == Self.client)
        let assertion = try Statement.ClientAssertion(
            checking: token, by: [Pair.verifying(5)], of: Scene.client(Self.client),
            to: Statement.Addressee(Scene.issuer(Scene.eduID)), at: Scene.now
        )
        #expect(assertion.client.text == Self.client)
        #expect(assertion.expiration == Scene.time(1_700_000_060))
        #expect(
            assertion.singleUse
                == Statement.SingleUse(
                    .clientAssertion, of: try JWT.ID(parsing: "a-1"), owner: Self.client,
                    until: Scene.time(1_700_000_060)))
    }

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault("just JWT", draft.heading(["typ": #""JWT""#]), nil),
        Fault("no key's name", draft.heading(["kid": ""]), nil),
        Fault("no time of issue", draft.claiming(["iat": ""]), nil),
        Fault(
            "another kind", draft.heading(["typ": #""authorization-grant+jwt""#]),
            .token(.wrongKind(expected: "client-authentication+jwt", found: "authorization-grant+jwt"))),
        Fault(
            "an unknown key", draft.heading(["kid": #""k6""#]),
            .token(.unknownKey(RequestTokenTests.name("k6")))),
        Fault("another key", draft.signed(by: 6), .token(.invalidSignature)),
        Fault("no issuer", draft.claiming(["iss": ""]), .token(.missing("iss"))),
        Fault(
            "another issuer", draft.claiming(["iss": #""https://b.example/""#]),
            .issuer(expected: client, found: "https://b.example/")),
        Fault("no subject", draft.claiming(["sub": ""]), .token(.missing("sub"))),
        Fault(
            "another subject", draft.claiming(["sub": #""https://b.example/""#]),
            .subject(expected: client, found: "https://b.example/")),
        Fault("no audience", draft.claiming(["aud": ""]), .token(.missing("aud"))),
        Fault(
            "another audience", draft.claiming(["aud": #""https://b.example/""#]),
            .audience(expected: Scene.eduID, found: "https://b.example/")),
        Fault(
            "two audiences", draft.claiming(["aud": #"["\#(Scene.eduID)","https://b.example/"]"#]), .severalAudiences(2)
        ),
        Fault(
            "the endpoint, where only the service will do", draft.claiming(["aud": #""\#(endpoint)""#]),
            .audience(expected: Scene.eduID, found: endpoint)),
        Fault("no end", draft.claiming(["exp": ""]), .token(.missing("exp"))),
        Fault(
            "ended", draft.claiming(["iat": "1699999000", "exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault("an hour", draft.claiming(["exp": "1700003600"]), nil),
        Fault(
            "more than an hour, nearly over", draft.claiming(["iat": "1699996459"]),
            .lifetime(.seconds(3_601), limit: .seconds(3_600))),
        Fault(
            "more than an hour", draft.claiming(["exp": "1700003601"]),
            .lifetime(.seconds(3_601), limit: .seconds(3_600))),
        Fault(
            "more than an hour from now", draft.claiming(["iat": "", "exp": "1700003601"]),
            .lifetime(.seconds(3_601), limit: .seconds(3_600))),
        Fault(
            "made in the future", draft.claiming(["iat": "1700000061", "exp": "1700000090"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault(
            "not yet", draft.claiming(["nbf": "1700000061"]),
            .token(.notYetValid(from: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault(
            "an empty name", draft.claiming(["jti": #""""#]),
            .token(.malformedName("jti", .empty(.identifier)))),
    ]

    @Test(
        "Whatever is wrong is refused for that", .proves("RFC7523-3"), .proves("BIS-1"), .proves("BIS-5"),
        .proves("threat-24"), arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        #expect(try Self.check(fault.draft) == fault.rejection.map { TokenRejection(.clientAssertion, $0) })
    }

    @Test(
        "Neither the endpoint nor another spelling stands for the server", .proves("RFC7523-3"), .proves("BIS-1"),
        .proves("BIS-2"), .proves("threat-64"))
    func endpoint() throws {
        for found in [Self.endpoint, String(Scene.eduID.dropLast()), Scene.eduID.uppercased()] {
            #expect(
                try Self.check(Self.draft.claiming(["aud": #""\#(found)""#]), endpoint: Self.endpoint)
                    == .audience(expected: Scene.eduID, found: found))
        }
    }

    @Test("Another client's key vouches for nothing", .proves("threat-25"))
    func foreignKey() throws {
        let other = try Scene.issuer("https://b.example/")
        #expect(
            try Self.check(Self.draft, keys: [Pair.verifying(5).owned(by: other)])
                == .token(.keyOfAnotherIssuer(owner: other, found: Self.client)))
    }

    @Test(
        "A policy refuses tokens without a type, and algorithms that it does not list", .proves("BIS-3"),
        .proves("threat-4"), .proves("threat-18"))
    func policies() throws {
        var policy = Statement.Policy.clientAssertion
        #expect(try Self.check(Self.draft.heading(["typ": ""]), policy: policy) == nil)
        policy.acceptsUntyped = false
        #expect(
            try Self.check(Self.draft.heading(["typ": ""]), policy: policy)
                == .token(.wrongKind(expected: "client-authentication+jwt", found: nil)))
        policy.algorithms = [.hs256]
        #expect(
            try Self.check(Self.draft, policy: policy)
                == .token(.algorithmNotAccepted(found: .edDSA, accepted: [.hs256])))
    }

    @Test("What is wrong about keys is answered alike", .proves("threat-39"))
    func alike() throws {
        let refusals = try [Self.draft.heading(["kid": #""k6""#]), Self.draft.signed(by: 6)].map { draft in
            try Self.check(draft)?.refusal
        }
        #expect(refusals[0] == refusals[1] && refusals[0]?.code == .invalidClient)
    }

    @Test("What is built is believed", .proves("RFC7523-3"))
    func roundTrip() throws {
        var entropy = SeededGenerator(seed: 5)
        let client = try Scene.client(Self.client)
        let assertions = try Statement.ClientAssertion.Issuance(with: Pair.signing(5), of: client)
        let server = try Scene.issuer(Scene.eduID)
        for second in 0..<20 {
            let made = try assertions.assertion(to: server, at: Scene.time(Int64(second) * 80_000_000), using: &entropy)
            let now = Scene.time(Int64(second) * 80_000_000 + 59)
            let read = try Statement.ClientAssertion(
                checking: Statement.Unverified(parsing: made, as: .clientAssertion), by: [Pair.verifying(5)],
                of: client,
                to: Statement.Addressee(server),
                at: now)
            #expect(read.client == client)
        }
    }
}

@Suite("S0, User Authorization: the service assertion")
struct AssertionGrantTests {
    typealias Rejection = TokenRejection

    static let endpoint = "https://moodle.example.ch/eduid/token"
    static let draft = Draft(
        "authorization-grant+jwt", seed: 1,
        [
            "iss": #""\#(Scene.eduID)""#, "sub": #""user-1""#, "aud": #""\#(Scene.service)""#,
            "azp": #""\#(Scene.instance)""#,
            "jti": #""s-1""#, "iat": "1700000000", "exp": "1700000300",
            "cnf": #"{"jwk":\#(JWTAccessTokenTests.key),"kid":"k7"}"#,
            "given_name": #""Käthe""#,
        ])
    static let request = RequestTokenTests.draft.claiming(["aud": #""\#(endpoint)""#])

    static func grant(_ draft: Draft = draft) throws -> Statement.AssertionGrant {
        try Statement.AssertionGrant(
            checking: draft.unverified, by: [Pair.verifying(1)], of: Scene.issuer(Scene.eduID),
            to: Statement.Addressee(Scene.issuer(Scene.service)),
            at: Scene.now)
    }

    static func check(_ draft: Draft, keys: [VerificationKey]? = nil, policy: Statement.Policy = .assertionGrant) throws
        -> Rejection?
    {
        let (token, keys) = (try draft.unverified, try keys ?? [Pair.verifying(1)])
        let (issuer, addressee) = (try Scene.issuer(Scene.eduID), Statement.Addressee(try Scene.issuer(Scene.service)))
        return rejection { () throws(Rejection) in
            try Statement.AssertionGrant(
                checking: token, by: keys, of: issuer, to: addressee, policy: policy, at: Scene.now)
        }
    }

    @Test(
        "An assertion in order tells about whom, through which instance and with which key", .proves("AST-2"),
        .proves("AST-4"))
    func good() throws {
        let grant = try Self.grant()
        #expect(
            grant.issuer.text == Scene.eduID && grant.subject.text == "user-1" && grant.instance.text == Scene.instance)
        #expect(grant.id.text == "s-1" && grant.issuedAt == Scene.now && grant.expiration == Scene.time(1_700_000_300))
        #expect(try grant.key.id == Scene.name("k7"))
        #expect(grant.key.holder == .client(try Scene.client()))
    }

    @Test("What is released about the user is carried, whatever it is", .proves("FED-6"), .proves("AST-2"))
    func claims() throws {
        let grant = try Self.grant(
            Self.draft.claiming(["address": #"{"locality":"Zürich"}"#, "email_verified": "true"]))
        #expect(grant.claims == ["address": ["locality": "Zürich"], "email_verified": true, "given_name": "Käthe"])
    }

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault(
            "another kind", draft.heading(["typ": #""at+jwt""#]),
            .token(.wrongKind(expected: "authorization-grant+jwt", found: "at+jwt"))),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault(
            "an unknown key", draft.heading(["kid": #""k2""#]),
            .token(.unknownKey(RequestTokenTests.name("k2")))),
        Fault("another key", draft.signed(by: 2), .token(.invalidSignature)),
        Fault("no issuer", draft.claiming(["iss": ""]), .token(.missing("iss"))),
        Fault(
            "another issuer", draft.claiming(["iss": #""https://b.example/""#]),
            .issuer(expected: Scene.eduID, found: "https://b.example/")),
        Fault("no subject", draft.claiming(["sub": ""]), .token(.missing("sub"))),
        Fault("no audience", draft.claiming(["aud": ""]), .token(.missing("aud"))),
        Fault(
            "another service", draft.claiming(["aud": #""https://b.example/""#]),
            .audience(expected: Scene.service, found: "https://b.example/")),
        Fault(
            "two services", draft.claiming(["aud": #"["https://b.example/","\#(Scene.service)"]"#]),
            .severalAudiences(2)),
        Fault(
            "the same service twice", draft.claiming(["aud": #"["\#(Scene.service)","\#(Scene.service)"]"#]),
            .severalAudiences(2)),
        Fault("no instance", draft.claiming(["azp": ""]), .token(.missing("azp"))),
        Fault(
            "an instance that is none", draft.claiming(["azp": "[]"]),
            .token(.wrongType("azp", expected: .string, found: .array))
        ),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault("no end", draft.claiming(["exp": ""]), .token(.missing("exp"))),
        Fault(
            "ended", draft.claiming(["iat": "1699999900", "exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault("ten minutes", draft.claiming(["exp": "1700000600"]), nil),
        Fault(
            "more than ten minutes", draft.claiming(["exp": "1700000601"]),
            .lifetime(.seconds(601), limit: .seconds(600))),
        Fault(
            "made in the future", draft.claiming(["iat": "1700000061"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("no key to prove", draft.claiming(["cnf": ""]), .token(.missing("cnf"))),
        Fault("only the name of a key", draft.claiming(["cnf": #"{"kid":"k7"}"#]), .confirmationWithoutKey),
        Fault(
            "a secret key", draft.claiming(["cnf": #"{"jwk":\#(DPoPTests.secretKey)}"#]),
            .confirmation(.confirmationKey(.secretMember("d")))),
        Fault(
            "a key of a foreign type", draft.claiming(["cnf": #"{"jwk":\#(DPoPTests.foreignKey)}"#]),
            .key(.unsupportedType(.ellipticCurve))),
    ]

    @Test(
        "Whatever is wrong is refused for that", .proves("AST-4"), .proves("threat-24"), .proves("threat-18"),
        arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        let rejection = try Self.check(fault.draft)
        #expect(rejection == fault.rejection.map { TokenRejection(.assertionGrant, $0) })
        if let rejection { #expect(rejection.refusal.code == .invalidGrant) }
    }

    @Test("Another issuer's key vouches for nothing", .proves("threat-25"), .proves("AST-4"))
    func foreignKey() throws {
        let other = try Scene.issuer("https://b.example/")
        #expect(
            try Self.check(Self.draft, keys: [Pair.verifying(1).owned(by: other)])
                == .token(.keyOfAnotherIssuer(owner: other, found: Scene.eduID)))
    }

    // MARK: Redeeming

    @Test(
        "Whoever holds the key redeems it, and both names are handed out", .proves("AST-3"), .proves("threat-23"),
        .proves("threat-29"))
    func redeemed() throws {
        let endpoint = try Scene.url(Self.endpoint)
        let redemption = try Self.grant().redeemed(with: Self.request.unverified, requesting: endpoint, at: Scene.now)
        let assertion = Statement.SingleUse(
            .assertionGrant, of: try JWT.ID(parsing: "s-1"), owner: Scene.eduID, until: Scene.time(1_700_000_300))
        #expect(redemption.singleUses == [assertion, redemption.possession.singleUse])
        #expect(redemption.possession.holder == .client(try Scene.client()))
        let proof = DPoPTests.draft.claiming(["htu": #""\#(Self.endpoint)""#, "ath": ""])
        let other = try Self.grant().redeemed(
            with: DPoPProof.Unverified(parsing: proof.assertion), requesting: endpoint, at: Scene.now)
        #expect(other.singleUses.first == assertion)
        #expect(other.possession.singleUse.kind == .proof)
    }

    private static func redemption(_ draft: Draft) throws -> Rejection? {
        let (grant, token, endpoint) = (try grant(), try draft.unverified, try Scene.url(endpoint))
        return rejection { () throws(Rejection) in try grant.redeemed(with: token, requesting: endpoint, at: Scene.now)
        }
    }

    @Test(
        "Whoever does not prove to hold the key redeems nothing", .proves("AST-4"), .proves("threat-29"),
        .proves("threat-36"))
    func unproven() throws {
        #expect(
            try Self.redemption(Self.request.signed(by: 8))
                == .token(.invalidSignature))
        #expect(
            try Self.redemption(Self.request.heading(["kid": #""k8""#]))
                == .otherKey(Scene.name("k8")))
        #expect(
            try Self.redemption(Self.request.claiming(["iss": #""another""#]))
                == .issuer(expected: Scene.instance, found: "another"))
        #expect(
            try Self.redemption(RequestTokenTests.draft)
                == .audience(expected: Self.endpoint, found: RequestTokenTests.url))
        #expect(try Self.redemption(Self.request.signed(by: 8))?.clientRefusal.code == .invalidClient)
        let (grant, endpoint) = (try Self.grant(), try Scene.url(Self.endpoint))
        let proof = try DPoPProof.Unverified(
            parsing: DPoPTests.draft.claiming(["htu": #""\#(Self.endpoint)""#]).heading(["jwk": Pair.json(8)]).signed(
                by: 8
            ).assertion)
        #expect(
            rejection { () throws(Rejection) in try grant.redeemed(with: proof, requesting: endpoint, at: Scene.now) }
                == .proofByAnotherKey)
        let get = try DPoPProof.Unverified(
            parsing: DPoPTests.draft.claiming(["htu": #""\#(Self.endpoint)""#, "htm": #""GET""#]).assertion)
        #expect(
            rejection { () throws(Rejection) in try grant.redeemed(with: get, requesting: endpoint, at: Scene.now) }
                == .method(expected: .post, found: "GET"))
    }

    // MARK: Making

    @Test("What is built is believed, for random values, and holds for 300 seconds", .proves("AST-2"))
    func roundTrip() throws {
        let seed: UInt64 = 0x5eed_0005
        var entropy = SeededGenerator(seed: seed)
        let issuer = try Scene.issuer(Scene.eduID)
        let issuance = try Statement.AssertionGrant.Issuance(with: Pair.signing(1), of: issuer)
        for round in 0..<20 {
            let id = try JWT.ID(parsing: "s\(entropy.next())")
            let subject = try Subject(parsing: "u\(entropy.next())")
            let instance = try Scene.client("i\(entropy.next())")
            let service = try Scene.issuer("https://s\(entropy.next()).example/")
            let claims: JSON.Object = ["name": .string("é\(entropy.next())"), "address": ["x", .null]]
            let key = UInt8(round + 1)
            let now = Scene.time(Int64(entropy.next() % 200_000_000_000))
            let made = try issuance.assertion(
                id, about: subject, to: service, for: instance, holding: Pair.jwk(key), named: Scene.name("n\(round)"),
                releasing: claims,
                at: now)
            let grant = try Statement.AssertionGrant(
                checking: Statement.Unverified(parsing: made, as: .assertionGrant), by: [Pair.verifying(1)], of: issuer,
                to: Statement.Addressee(service),
                at: now)
            #expect(
                grant.id == id && grant.subject == subject && grant.instance == instance && grant.claims == claims,
                "seed \(seed), \(round)"
            )
            #expect(grant.expiration == now + .seconds(300))
            #expect(try grant.key.thumbprint == Pair.jwk(key).thumbprint())
            #expect(try grant.key.id == Scene.name("n\(round)"))
        }
    }

    @Test(
        "A key for one service has no name, whatever its maker called it, and is proved by DPoP", .proves("threat-77"))
    func namelessKey() throws {
        let issuance = try Statement.AssertionGrant.Issuance(with: Pair.signing(1), of: Scene.issuer(Scene.eduID))
        var key = try Pair.jwk(7)
        key.attributes.id = try Scene.name("k7")
        let made = try issuance.assertion(
            try JWT.ID(parsing: "s"), about: try Subject(parsing: "u"), to: Scene.issuer(Scene.service),
            for: Scene.client(), holding: key, named: nil, at: Scene.now)
        let payload = try Base64URL.decode(String(made.secret.split(separator: ".")[1]))
        #expect(try JSON(parsing: payload)["cnf"]?.object?.map(\.name) == ["jwk"])
        #expect(!String(decoding: payload, as: UTF8.self).contains("kid"))
        let grant = try Statement.AssertionGrant(
            checking: Statement.Unverified(parsing: made, as: .assertionGrant), by: [Pair.verifying(1)],
            of: Scene.issuer(Scene.eduID), to: Statement.Addressee(Scene.issuer(Scene.service)), at: Scene.now)
        #expect(try grant.key.id == nil && grant.key.thumbprint == key.thumbprint())
    }

    @Test("Nothing that is released replaces what makes the assertion", .proves("threat-50"))
    func reserved() throws {
        let issuance = try Statement.AssertionGrant.Issuance(with: Pair.signing(1), of: Scene.issuer(Scene.eduID))
        let (id, subject) = (try JWT.ID(parsing: "s"), try Subject(parsing: "u"))
        let (service, client, key, name) = (
            try Scene.issuer(Scene.service), try Scene.client(), try Pair.jwk(7), try Scene.name("k7")
        )
        for claim: JSON.Name in ["iss", "sub", "aud", "azp", "jti", "iat", "exp", "nbf", "cnf"] {
            let claims = JSON.Object([(claim, JSON.string("mine"))])
            let refused = rejection { () throws(IssuanceRejection) in
                try issuance.assertion(
                    id, about: subject, to: service, for: client, holding: key, named: name, releasing: claims,
                    at: Scene.now)
            }
            #expect(refused == .reservedClaim(claim))
        }
    }
}

@Suite("S0, API Authorization: the app code")
struct AppCodeTests {
    typealias Rejection = TokenRejection

    static let endpoint = "https://moodle.example.ch/eduid/authorize"
    static let draft = Draft(
        "authorization-grant+jwt", seed: 7,
        [
            "iss": #""\#(Scene.instance)""#, "sub": #""ch.example.reader""#, "aud": #""\#(endpoint)""#,
            "iat": "1700000000",
            "exp": "1700000060", "jti": #""c-1""#,
        ])

    static func check(_ draft: Draft, key: Statement.BoundKey? = nil, policy: Statement.Policy = .appCode) throws
        -> Rejection?
    {
        let (token, key, endpoint) = (
            try draft.unverified, try key ?? Pair.bound(7, to: Scene.instance), try Scene.url(endpoint)
        )
        return rejection { () throws(Rejection) in
            try Statement.AppCode(checking: token, by: key, to: endpoint, policy: policy, at: Scene.now)
        }
    }

    @Test("A code in order tells who authorizes which app", .proves("APP-3"), .proves("APP-5"))
    func good() throws {
        let code = try Statement.AppCode(
            checking: Self.draft.claiming(["cnf": #"{"jwk":\#(Pair.json(9))}"#]).unverified,
            by: Pair.bound(7, to: Scene.instance),
            to: Scene.url(Self.endpoint), at: Scene.now)
        #expect(code.instance == (try Scene.client()))
        #expect(code.app.text == "ch.example.reader")
        #expect(try code.appKey == Pair.jwk(9))
        #expect(code.issuedAt == Scene.now && code.expiration == Scene.time(1_700_000_060))
        #expect(
            code.singleUse
                == Statement.SingleUse(
                    .appCode, of: try JWT.ID(parsing: "c-1"), owner: try Pair.jwk(7).thumbprint().text,
                    until: Scene.time(1_700_000_060)))
    }

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault(
            "another kind", draft.heading(["typ": #""request+jwt""#]),
            .token(.wrongKind(expected: "authorization-grant+jwt", found: "request+jwt"))),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault("another key's name", draft.heading(["kid": #""k8""#]), .otherKey(RequestTokenTests.name("k8"))),
        Fault("another key", draft.signed(by: 8), .token(.invalidSignature)),
        Fault("no issuer", draft.claiming(["iss": ""]), .token(.missing("iss"))),
        Fault(
            "another instance", draft.claiming(["iss": #""another""#]),
            .issuer(expected: Scene.instance, found: "another")),
        Fault("no app", draft.claiming(["sub": ""]), .token(.missing("sub"))),
        Fault("no audience", draft.claiming(["aud": ""]), .token(.missing("aud"))),
        Fault(
            "the service itself", draft.claiming(["aud": #""\#(Scene.service)""#]),
            .audience(expected: endpoint, found: Scene.service)),
        Fault(
            "the token endpoint", draft.claiming(["aud": #""https://moodle.example.ch/eduid/token""#]),
            .audience(expected: endpoint, found: "https://moodle.example.ch/eduid/token")),
        Fault(
            "a path below", draft.claiming(["aud": #""\#(endpoint)/x""#]),
            .audience(expected: endpoint, found: endpoint + "/x")),
        Fault(
            "the endpoint, spelled differently",
            draft.claiming(["aud": #""https://MOODLE.example.ch/eduid/authorize/""#]), nil),
        Fault(
            "two endpoints", draft.claiming(["aud": #"["\#(endpoint)","https://b.example/"]"#]),
            .severalAudiences(2)),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault("no end", draft.claiming(["exp": ""]), .token(.missing("exp"))),
        Fault(
            "ended", draft.claiming(["iat": "1699999990", "exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault(
            "more than ten minutes", draft.claiming(["exp": "1700000601"]),
            .lifetime(.seconds(601), limit: .seconds(600))),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault(
            "a key of the app that is a secret", draft.claiming(["cnf": #"{"jwk":\#(DPoPTests.secretKey)}"#]),
            .confirmation(.confirmationKey(.secretMember("d")))),
        Fault(
            "a key of the app that is elsewhere", draft.claiming(["cnf": #"{"kid":"k9"}"#]),
            .confirmationWithoutKey),
        Fault("who redeems it, as assertions say", draft.claiming(["azp": #""x""#]), .otherKind("azp")),
    ]

    @Test(
        "Whatever is wrong is refused for that", .proves("APP-3"), .proves("APP-5"), .proves("threat-24"),
        arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        let rejection = try Self.check(fault.draft)
        #expect(rejection == fault.rejection.map { TokenRejection(.appCode, $0) })
        if let rejection { #expect(rejection.refusal.code == .invalidGrant) }
    }

    @Test("The token of an app authorizes nobody", .proves("APP-2"), .proves("threat-35"))
    func app() throws {
        let key = try Statement.BoundKey(Pair.jwk(7), id: Scene.name("k7"), of: .app(BundleID(parsing: Scene.instance)))
        #expect(try Self.check(Self.draft, key: key) == .holderIsNoInstance)
    }

    @Test("A key of which only the digest is known checks no code", .proves("APP-5"))
    func digest() throws {
        let document = try JSON.Document(parsing: #"{"jkt":"\#(Pair.jwk(7).thumbprint().text)","kid":"k7"}"#)
        let key = try Statement.BoundKey(JWT.Confirmation(document.root), of: .client(Scene.client()))
        #expect(try Self.check(Self.draft, key: key) == .keyUnknown)
    }

    @Test(
        "Another key is answered alike, whether its name tells or its signature", .proves("threat-39"), .proves("APP-5")
    )
    func alike() throws {
        let refusals = try [Self.draft.heading(["kid": #""k8""#]), Self.draft.signed(by: 8)].map {
            try Self.check($0)?.refusal
        }
        #expect(refusals[0] != nil && refusals[0] == refusals[1])
    }

    @Test("What is built is believed, for random values", .proves("APP-3"))
    func roundTrip() throws {
        let seed: UInt64 = 0x5eed_0006
        var entropy = SeededGenerator(seed: seed)
        for round in 0..<20 {
            let instance = try Scene.client("i\(entropy.next())")
            let app = try BundleID(parsing: "ch.example.app\(entropy.next())")
            let endpoint = try Scene.url("https://s\(entropy.next() % 9).example/\(entropy.next())/authorize")
            let appKey = round % 2 == 0 ? nil : try Pair.jwk(9)
            let now = Scene.time(Int64(entropy.next() % 200_000_000_000))
            let made = try Statement.AppCode.signed(
                with: Pair.signing(7), of: instance, authorizing: app, to: endpoint, binding: appKey, at: now,
                using: &entropy)
            let key = try Statement.BoundKey(Pair.jwk(7), id: Scene.name("k7"), of: .client(instance))
            let code = try Statement.AppCode(
                checking: Statement.Unverified(parsing: made, as: .appCode), by: key, to: endpoint,
                at: now + .seconds(59))
            #expect(code.instance == instance && code.app == app && code.appKey == appKey, "seed \(seed), \(round)")
        }
    }
}
