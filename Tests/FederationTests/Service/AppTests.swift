import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(8) App authorization")
struct AppTests {
    @Test(
        "A code and a credential by the key of the service token give an app token for the endpoints of the scope",
        .proves("APP-7"))
    func authorized() throws {
        var (stage, service, app) = try Stage.authorized()
        #expect(app.members["token_type"] == "PoP")
        #expect(app.members["scope"]?.string == Stage.papi)
        #expect(app.members["expires_in"] == 3_600)
        let claims = try app.claims
        #expect(claims["client_id"]?.string == Stage.reader)
        #expect(claims["sub"]?.string == Stage.user)
        #expect(claims["cnf"]?.object?["jwk"]?.object?["x"] == (try Pair.json(Pair.app)).object?["x"])
        #expect(try stage.opens(Stage.papi, app))
        #expect(try stage.opens(Stage.papi + "/books/7", app))
        #expect(try stage.opens(Stage.lti, app) == false)
        #expect(try stage.opens(Stage.token, app) == false)
        #expect(try stage.opens(Stage.token, service))
    }

    @Test("The app token stands on the service token through which it was issued", .proves("APP-11"))
    func lineage() throws {
        let (stage, service, app) = try Stage.authorized()
        let lineage = try #require(stage.store.lineage(of: try app.record))
        #expect(lineage.entries.map { $0.record.kind } == [.app, .code, .service, .assertion, .versionKey])
        #expect(lineage.nearest(.service)?.id == (try service.record))
        #expect(lineage.record.audience?.text == Stage.home)
    }

    @Test("The code stays on record as the ground of the app token", .proves("APP-11"), .proves("threat-26"))
    func groundIsKept() throws {
        let (stage, _, app) = try Stage.authorized()
        let code = try #require(stage.store.lineage(of: try app.record)?.nearest(.code))
        #expect(code.holder?.text == Stage.instance && code.subject?.text == Stage.user)
        #expect(code.accessExpiry == stage.now + .seconds(60))
        #expect(stage.store.verdict(of: code.id, at: stage.now) == .consumed(at: stage.now))
    }

    @Test("An app without a key gets one with its token, or a plain token, as the policy says", .proves("APP-8"))
    func keyless() throws {
        var (stage, service) = try Stage.redeemed()
        let symmetric = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        #expect(symmetric.members["token_type"] == "PoP")
        #expect(symmetric.members["cnf"]?.object?["jwk"]?.object?["kty"] == "oct")
        #expect(try symmetric.claims["cnf"]?.object == ["kid": .string(symmetric.id)])
        #expect(try stage.opens(Stage.papi, symmetric))

        stage.service.policy.keylessApps = .bearerToken
        let plain = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        #expect(plain.members["token_type"] == "Bearer")
        #expect(plain.members["cnf"] == nil)
        #expect(plain.access.split(separator: ".").count == 2)
        guard case .granted(let access) = try stage.use(Stage.get(Stage.papi, bearer: plain.access), Stage.papi) else {
            Issue.record("a plain token opens its endpoint")
            return
        }
        #expect(access.app?.text == Stage.reader)
        // An app with a key is bound to it whatever the policy is for others.
        let bound = try stage.authorize(with: service)
        #expect(bound.members["token_type"] == "PoP")
    }

    @Test("The app's key comes in the code, in the request, or in both alike", .proves("POP-1"))
    func places() throws {
        var (stage, service) = try Stage.redeemed()
        func requested(_ seed: UInt8, _ code: Draft, _ proof: Draft) throws -> HTTP.Request {
            let confirmation: JSON.Object = ["jwk": try Pair.json(seed)]
            return try Stage.form(
                [
                    "grant_type": "authorization_code", "code": code.text, "scope": Stage.papi,
                    "req_cnf": String(decoding: confirmation.encoded(), as: UTF8.self),
                ], bearer: proof.text)
        }
        let one = try Held(
            stage.send(requested(Pair.app, stage.code(with: service), stage.proof(service))), .pair(Pair.app),
            of: Stage.reader)
        #expect(try stage.opens(Stage.papi, one))
        let both = stage.send(
            try requested(Pair.app, stage.code(with: service, binding: Pair.app), stage.proof(service)))
        #expect(both.status == .ok)
        try Expected("invalid_request", 400, "APP-5").check(
            &stage, try requested(Pair.stranger, stage.code(with: service, binding: Pair.app), stage.proof(service)))
    }

    @Test("A key that cannot check signatures here is refused, and never leaves a token unbound", .proves("threat-36"))
    func unusableKeys() throws {
        var (stage, service) = try Stage.redeemed()
        let foreign: JSON = [
            "kty": "EC", "crv": "secp256k1", "x": .string(Self.coordinate), "y": .string(Self.coordinate),
        ]
        try Expected("invalid_request", 400, "POP-1").check(
            &stage,
            try Stage.authorizing(stage.code(with: service).claiming(["cnf": ["jwk": foreign]]), stage.proof(service)))
        // Nor does a key that is too large to be kept: of what it brings along nothing is kept.
        var large = try Pair.json(Pair.app).object ?? [:]
        large["x5t"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAA"
        large["note"] = .string(String(repeating: "n", count: 9_000))
        let confirmation: JSON.Object = ["jwk": .object(large)]
        let response = stage.send(
            try Stage.form(
                [
                    "grant_type": "authorization_code", "code": stage.code(with: service).text, "scope": Stage.papi,
                    "req_cnf": String(decoding: confirmation.encoded(), as: UTF8.self),
                ], bearer: stage.proof(service).text))
        let held = try Held(response, .pair(Pair.app), of: Stage.reader)
        #expect(held.access.utf8.count < 2_000)
        #expect(try stage.opens(Stage.papi, held))
    }

    private static let coordinate = Base64URL.encode([UInt8](repeating: 7, count: 32))

    @Test("An instance authenticates with a DPoP proof of the service token as well", .proves("APP-5"))
    func byProof() throws {
        var (stage, service) = try Stage.redeemed()
        var request = try Stage.form([
            "grant_type": "authorization_code", "code": stage.code(with: service, binding: Pair.app).text,
            "scope": Stage.papi,
        ])
        try request.fields.append(.authorization, "DPoP " + service.access)
        try request.fields.append(.dpop, stage.dpop(service, with: service.access).text)
        let app = try Held(stage.send(request), .pair(Pair.app), of: Stage.reader)
        #expect(try stage.opens(Stage.papi, app))
    }

    // MARK: Scopes

    @Test("A scope names endpoints, narrower ones below them, or protocols by their names", .proves("APP-4"))
    func scopes() throws {
        var (stage, service) = try Stage.redeemed()
        let named = try stage.authorize(with: service, scope: "org.ieee.papi")
        #expect(named.members["scope"]?.string == Stage.papi)
        let narrow = try stage.authorize(with: service, scope: Stage.papi + "/books")
        #expect(try stage.opens(Stage.papi + "/books/1", narrow))
        #expect(try stage.opens(Stage.papi, narrow) == false)
        let both = try stage.authorize(with: service, scope: "org.ieee.papi " + Stage.lti)
        #expect(both.members["scope"]?.string == Stage.papi + " " + Stage.lti)
        #expect(try stage.opens(Stage.lti, both))
    }

    static let foreignScopes = [
        Stage.home, Stage.home + "/api", Stage.home + "/api/papix", Stage.home + "/oauth", Stage.token,
        "org.ietf.oauth2",
        "org.unknown", "https://beta.example.ch/api/papi", "http://alpha.example.ch/api/papi", Stage.papi + "/../lti",
        Stage.papi + "/%2e%2e/lti", Stage.papi + "/%2e%2e%2flti", Stage.papi + " org.unknown", Stage.papi + "?all",
        "papi",
    ]

    @Test("A scope that is not offered is refused as a whole", .proves("threat-30"), arguments: foreignScopes)
    func foreignScope(_ scope: String) throws {
        var (stage, service) = try Stage.redeemed()
        let request = try Stage.authorizing(
            stage.code(with: service, binding: Pair.app), stage.proof(service), scope: scope)
        try Expected("invalid_scope", 400, "APP-4").check(&stage, request)
    }

    @Test("Without a scope, or with one that no header field could carry, nothing is given", .proves("APP-4"))
    func scopeBounds() throws {
        var (stage, service) = try Stage.redeemed()
        let code = try stage.code(with: service, binding: Pair.app).text
        try Expected("invalid_scope", 400, "APP-4").check(
            &stage,
            try Stage.form(["grant_type": "authorization_code", "code": code], bearer: stage.proof(service).text))
        let long = (0..<200).map { Stage.papi + "/" + String(repeating: "a", count: 100) + "\($0)" }.joined(
            separator: " ")
        try Expected("invalid_scope", 400, "threat-14").check(
            &stage,
            try Stage.form(
                ["grant_type": "authorization_code", "code": code, "scope": long], bearer: stage.proof(service).text))
    }

    @Test("A scope has 4,096 bytes at most", .proves("threat-14"))
    func longestScope() throws {
        var (stage, service) = try Stage.redeemed()
        let longest = Stage.papi + "/" + String(repeating: "a", count: 4_095 - Stage.papi.utf8.count)
        #expect(longest.utf8.count == 4_096)
        _ = try stage.authorize(with: service, scope: longest)
        try Expected("invalid_scope", 400, "threat-14").check(
            &stage, try Stage.authorizing(stage.code(with: service), stage.proof(service), scope: longest + "a"))
    }

    @Test("Each service token has codes of its own, whatever their names", .proves("threat-26"))
    func namesOfCodes() throws {
        var (stage, service) = try Stage.redeemed()
        let other = try stage.redeem("assertion-2")
        for holder in [service, other] {
            let code = try stage.code(with: holder).claiming(["jti": "code-1"])
            #expect(stage.send(try Stage.authorizing(code, stage.proof(holder))).status == .ok)
        }
    }

    @Test("The proof of an authorization is good for one code", .proves("threat-36"))
    func proofOnce() throws {
        var (stage, service) = try Stage.redeemed()
        let proof = stage.proof(service)
        #expect(stage.send(try Stage.authorizing(stage.code(with: service), proof)).status == .ok)
        #expect(stage.send(try Stage.authorizing(stage.code(with: service), proof)).status == .unauthorized)
    }

    @Test("Several apps, and several scopes of one app, live side by side", .proves("APP-9"))
    func sideBySide() throws {
        var (stage, service) = try Stage.redeemed()
        let one = try stage.authorize(with: service)
        let two = try stage.authorize(with: service, scope: Stage.lti)
        let other = try stage.authorize(with: service, for: "ch.example.writer")
        let (first, second) = (try stage.opens(Stage.papi, one), try stage.opens(Stage.lti, two))
        #expect(first && second)
        #expect(try stage.opens(Stage.lti, one) == false)
        #expect(try stage.opens(Stage.papi, two) == false)
        #expect(stage.send(try stage.revoking(one.access, by: one)).status == .ok)
        #expect(try stage.opens(Stage.papi, one) == false)
        #expect(try stage.opens(Stage.lti, two))
        #expect(try stage.opens(Stage.papi, other))
    }

    @Test("With token extension, and only then, the app's token also opens the token endpoint", .proves("APP-10"))
    func tokenExtension() throws {
        var (stage, service) = try Stage.redeemed()
        #expect(try stage.opens(Stage.token, stage.authorize(with: service)) == false)
        stage.service.policy.extendsTokens = true
        let extended = try stage.authorize(with: service)
        #expect(extended.members["scope"]?.string == Stage.papi + " " + Stage.token)
        #expect(try stage.opens(Stage.token, extended))
        #expect(try stage.opens(Stage.revoke, extended) == false)
        // There it extends its token, and what comes of it opens the endpoint again unless it asks for less.
        let renewed = try Held(stage.send(try stage.refreshing(extended)), extended.key, of: extended.holder)
        #expect(try stage.opens(Stage.token, renewed) && stage.opens(Stage.papi, renewed))
        let less = try Stage.form(
            ["grant_type": "refresh_token", "refresh_token": renewed.refresh, "scope": Stage.papi],
            bearer: stage.proof(renewed).text)
        let narrowed = try Held(stage.send(less), extended.key, of: extended.holder)
        #expect(try !stage.opens(Stage.token, narrowed) && stage.opens(Stage.papi, narrowed))
        // It still authorizes nobody (threat 35).
        try Expected("invalid_client", 401, "threat-18").check(
            &stage, try Stage.authorizing(stage.code(with: extended, for: "ch.example.evil"), stage.proof(extended)))
    }

    // MARK: One thing wrong

    static let flawedCodes: [Flaw] = [
        Flaw("by another instance", "APP-3") { draft, _ in draft.claiming(["iss": "instance-2"]) },
        Flaw("for the token endpoint", "APP-3") { draft, _ in draft.claiming(["aud": .string(Stage.token)]) },
        Flaw("for the service itself", "APP-3") { draft, _ in draft.claiming(["aud": .string(Stage.home)]) },
        Flaw("for another service", "APP-3") { draft, _ in
            draft.claiming(["aud": "https://beta.example.ch/oauth/authorize"])
        },
        Flaw("for two endpoints", "threat-24") { draft, _ in
            draft.claiming(["aud": [.string(Stage.authorize), "https://beta.example.ch/oauth/authorize"]])
        },
        Flaw("for no app", "RFC7519-4") { draft, _ in draft.claiming(["sub": .null]) },
        Flaw("without a name", "RFC7519-4") { draft, _ in draft.claiming(["jti": .null]) },
        Flaw("without a beginning", "RFC7519-4") { draft, _ in draft.claiming(["iat": .null]) },
        Flaw("expired", "RFC7519-4.1.4") { draft, stage in
            draft.claiming(["iat": stage.time(-60), "exp": stage.time(0)])
        },
        Flaw("that holds too long", "RFC7523-3") { draft, stage in draft.claiming(["exp": stage.time(601)]) },
        Flaw("from the future", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(61)]) },
        Flaw("signed by another key than the credential", "APP-5") { draft, _ in draft.signed(by: Pair.otherInstance) },
        Flaw("that names another key than the credential", "APP-5") { draft, _ in draft.heading(["kid": "client-1"]) },
        Flaw("that names no key", "RFC7515-4.1.4") { draft, _ in draft.heading(["kid": .null]) },
        Flaw("unsigned", "threat-1") { draft, _ in draft.heading(["alg": "none"]) },
        Flaw("of the kind of a request token", "RFC8725-3.11") { draft, _ in draft.heading(["typ": "request+jwt"]) },
        Flaw("that is a service assertion", "threat-18") { draft, _ in draft.claiming(["azp": "instance-1"]) },
    ]

    @Test("A code with one fault is refused, and nothing comes of it", .proves("APP-3"), arguments: flawedCodes)
    func flawedCode(_ flaw: Flaw) throws {
        var (stage, service) = try Stage.redeemed()
        let code = try flaw.change(stage.code(with: service, binding: Pair.app), stage)
        try Expected("invalid_grant", 400, flaw.clause).check(&stage, try Stage.authorizing(code, stage.proof(service)))
    }

    private static func denied(_ clause: String) -> Expected { Expected("invalid_client", 401, clause) }

    static let flawedCredentials: [Flaw] = [
        Flaw("signed by another key than the code", "RFC7515-5.2") { draft, _ in draft.signed(by: Pair.otherInstance) },
        Flaw("of an unknown token", "threat-39") { draft, _ in draft.heading(["kid": "nobody"]) },
        Flaw("for another endpoint", "RFC7519-4.1.3") { draft, _ in draft.claiming(["aud": .string(Stage.authorize)]) },
        Flaw("stale", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(-61)]) },
        Flaw("by another party", "RFC7519-4.1.1") { draft, _ in draft.claiming(["iss": "instance-2"]) },
    ]

    @Test(
        "A credential with one fault is refused, and the code is not spent", .proves("APP-5"),
        arguments: flawedCredentials)
    func flawedCredential(_ flaw: Flaw) throws {
        var (stage, service) = try Stage.redeemed()
        let code = try stage.code(with: service, binding: Pair.app)
        try Self.denied(flaw.clause).check(
            &stage, try Stage.authorizing(code, flaw.change(stage.proof(service), stage)))
        #expect(stage.send(try Stage.authorizing(code, stage.proof(service))).status == .ok)
    }

    @Test("Whoever has no valid service token authorizes nobody", .proves("APP-2"))
    func withoutServiceToken() throws {
        var (stage, service) = try Stage.redeemed()
        let code = try stage.code(with: service, binding: Pair.app)
        let parameters: KeyValuePairs = [
            "grant_type": "authorization_code", "code": try code.text, "scope": Stage.papi,
        ]
        try Self.denied("RFC6750-2.1").check(&stage, try Stage.form(parameters))
        // The plain text of a bound token proves nothing.
        try Self.denied("threat-36").check(&stage, try Stage.form(parameters, bearer: service.access))
        // Nor does the name of the service token's key with the proof for the assertion.
        try Self.denied("threat-39").check(&stage, try Stage.form(parameters, bearer: stage.instanceProof().text))
        var late = stage
        late.now = late.now + .seconds(3_600)
        try Self.denied("TOK-1").check(
            &late, try Stage.authorizing(late.code(with: service, binding: Pair.app), late.proof(service)))
        #expect(stage.send(try stage.revoking(service.access, by: service)).status == .ok)
        try Self.denied("TOK-1").check(&stage, try Stage.authorizing(stage.code(with: service), stage.proof(service)))
    }

    @Test("An app token is no service token, whatever its scope", .proves("threat-35"))
    func appTokenAsServiceToken() throws {
        var (stage, _, app) = try Stage.authorized()
        try Self.denied("threat-18").check(
            &stage, try Stage.authorizing(stage.code(with: app, for: "ch.example.other"), stage.proof(app)))
    }

    @Test("A code that this service gave is none: codes are signed by instances", .proves("APP-3"))
    func opaqueCode() throws {
        var (stage, service) = try Stage.redeemed()
        try Expected("invalid_grant", 400, "APP-3").check(
            &stage,
            try Stage.form(
                ["grant_type": "authorization_code", "code": "abc.def", "scope": Stage.papi],
                bearer: stage.proof(service).text))
    }

    @Test("Parameters about client and service must say what was proved", .proves("APP-5"))
    func contradictions() throws {
        var (stage, service) = try Stage.redeemed()
        let code = try stage.code(with: service, binding: Pair.app).text
        func request(_ name: String, _ value: String) throws -> HTTP.Request {
            try Stage.form(
                ["grant_type": "authorization_code", "code": code, "scope": Stage.papi, name: value],
                bearer: stage.proof(service).text)
        }
        try Self.denied("RFC7521-4.2").check(&stage, try request("client_id", Stage.reader))
        try Expected("invalid_target", 400, "RFC8707-2").check(
            &stage, try request("resource", "https://beta.example.ch/"))
        #expect(stage.send(try request("client_id", Stage.instance)).status == .ok)
    }

    @Test("A code that comes a second time is refused, and ends what it gave", .proves("threat-26"))
    func secondUse() throws {
        var (stage, service) = try Stage.redeemed()
        let code = try stage.code(with: service, binding: Pair.app)
        let app = try Held(stage.send(Stage.authorizing(code, stage.proof(service))), .pair(Pair.app), of: Stage.reader)
        #expect(try stage.opens(Stage.papi, app))
        stage.service.policy.repetitionWindow = .seconds(20)
        stage.now = stage.now + .seconds(21)
        try Expected("invalid_grant", 400, "threat-26").check(
            &stage, try Stage.authorizing(code, stage.proof(service)), changes: true)
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(stage.store.verdict(of: try app.record, at: stage.now).reason == .replayed)
        #expect(try stage.opens(Stage.token, service))
    }

    @Test(
        "A code is good for the service token that its key is bound to, and for no other of the same instance",
        .proves("threat-26"))
    func otherServiceToken() throws {
        var (stage, service) = try Stage.redeemed()
        let other = try stage.redeem("assertion-2")
        try Expected("invalid_grant", 400, "APP-5").check(
            &stage, try Stage.authorizing(stage.code(with: service, binding: Pair.app), stage.proof(other)))
    }

    @Test("An app minted while its service token dies is not minted", .proves("threat-31"))
    func raceWithRevocation() throws {
        var (stage, service) = try Stage.redeemed()
        let request = try Stage.authorizing(stage.code(with: service, binding: Pair.app), stage.proof(service))
        let (revoked, refused) = stage.race(try stage.revoking(service.access, by: service), request)
        #expect(revoked.status == .ok)
        Self.denied("TOK-1").check(refused, stage.refusals.last)
    }
}
