import Federation
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(5) Service authorization")
struct RedemptionTests {
    @Test(
        "An assertion with a proof of its key gives a bound token for the authorization component alone",
        .proves("AST-5"))
    func redeemed() throws {
        let (stage, held) = try Stage.redeemed()
        #expect(held.members["token_type"] == "PoP")
        #expect(held.members["expires_in"] == 3_600)
        #expect(held.members["scope"] == "https://alpha.example.ch/oauth")
        let claims = try held.claims
        #expect(claims["iss"]?.string == Stage.home)
        #expect(claims["aud"]?.string == Stage.home)
        #expect(claims["sub"]?.string == Stage.user)
        #expect(claims["client_id"]?.string == Stage.instance)
        #expect(claims["cnf"]?.object?["jwk"]?.object?["x"] == (try Pair.json(Pair.instance)).object?["x"])
        #expect(claims["cnf"]?.object?["kid"]?.string == held.id)
        #expect(stage.store.verdict(of: try held.record, at: stage.now) == .live)
    }

    @Test("The service token reaches the authorization component and no protocol", .proves("AST-7"))
    func scopeOfServiceToken() throws {
        var (stage, held) = try Stage.redeemed()
        #expect(try stage.opens(Stage.token, held))
        #expect(try stage.opens(Stage.papi, held) == false)
        #expect(stage.refusals.last?.clause == "APP-9")
    }

    @Test("The assertion stays on record as the ground of the service token", .proves("AST-9"))
    func groundIsKept() throws {
        let (stage, held) = try Stage.redeemed()
        let lineage = try #require(stage.store.lineage(of: try held.record))
        // The assertion stands on the key that signed it (threat 76).
        #expect(lineage.entries.map { $0.record.kind } == [.service, .assertion, .versionKey])
        #expect(lineage.entries[1].record.id == stage.service.ground(ofAssertion: "assertion-1"))
        #expect(lineage.entries[1].fate.consumed == stage.now)
        let assertion = try #require(lineage.nearest(.assertion))
        #expect(assertion.attributes["claims"]?.object == ["given_name": "Ada"])
        #expect(assertion.holder?.text == Stage.instance && assertion.subject?.text == Stage.user)
        #expect(assertion.accessExpiry == stage.now + .seconds(300))
        // Both are for this service.
        #expect(lineage.entries.dropLast().allSatisfy { $0.record.audience?.text == Stage.home })
    }

    @Test("A DPoP proof by the key of the assertion is as good as a request token", .proves("POP-1"))
    func byProof() throws {
        var stage = try Stage.fresh()
        var request = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": stage.assertion().text])
        let holder = try Stage.redeemed().1
        try request.fields.append(.dpop, stage.dpop(holder).text)
        let held = try Held(stage.send(request), .pair(Pair.instance), of: Stage.instance)
        #expect(try stage.opens(Stage.token, held))
    }

    @Test("The spelling of the grant's name in the source is understood", .proves("GRT-1"))
    func spellings() throws {
        var stage = try Stage.fresh()
        let request = try Stage.form(
            ["grant_type": "urn:ietf:param:oauth:grant-type:jwt-bearer", "assertion": stage.assertion().text],
            bearer: stage.instanceProof().text)
        #expect(stage.send(request).status == .ok)
        var json = try Stage.get(Stage.token, bearer: stage.instanceProof().text, method: .post)
        try json.fields.append(.contentType, "application/json")
        json.body = JSON.Object([
            ("grant_type", .string(Stage.jwtBearer)), ("assertion", .string(try stage.assertion("a-2").text)),
        ])
        .encoded()
        #expect(stage.send(json).status == .ok)
    }

    // MARK: One thing wrong

    static let flawedAssertions: [Flaw] = [
        Flaw("for another service", "RFC7519-4.1.3") { draft, _ in draft.claiming(["aud": "https://beta.example.ch"]) },
        Flaw("for two services", "threat-24") { draft, _ in
            draft.claiming(["aud": ["https://alpha.example.ch", "https://beta.example.ch"]])
        },
        Flaw("for a name that begins like this one", "RFC7519-4.1.3") { draft, _ in
            draft.claiming(["aud": "https://alpha.example.ch.evil.org"])
        },
        Flaw("for nobody", "RFC7519-4") { draft, _ in draft.claiming(["aud": .null]) },
        Flaw("for another endpoint of this service", "RFC7519-4.1.3") { draft, _ in
            draft.claiming(["aud": .string(Stage.revoke)])
        },
        Flaw("expired", "RFC7519-4.1.4") { draft, stage in
            draft.claiming(["iat": stage.time(-300), "exp": stage.time(0)])
        },
        Flaw("without an end", "RFC7519-4") { draft, _ in draft.claiming(["exp": .null]) },
        Flaw("with an end that is no number", "RFC7519-2") { draft, _ in draft.claiming(["exp": "tomorrow"]) },
        Flaw("from the future", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(61)]) },
        Flaw("not yet good", "RFC7519-4.1.5") { draft, stage in draft.claiming(["nbf": stage.time(61)]) },
        Flaw("that holds for an hour", "RFC7523-3") { draft, stage in draft.claiming(["exp": stage.time(3_600)]) },
        Flaw("by another issuer", "RFC8725-3.8") { draft, _ in draft.claiming(["iss": "https://other.example.ch"]) },
        Flaw("by another key under the right name", "RFC7515-5.2") { draft, _ in draft.signed(by: Pair.stranger) },
        Flaw("by the service's own key", "RFC7515-6") { draft, _ in
            draft.signed(by: Pair.service).heading(["kid": "service-1"])
        },
        Flaw("by a key of an unknown name", "RFC7515-6") { draft, _ in draft.heading(["kid": "edu-id-9"]) },
        Flaw("by no key's name", "RFC7515-4.1.4") { draft, _ in draft.heading(["kid": .null]) },
        Flaw("unsigned", "threat-1") { draft, _ in draft.heading(["alg": "none"]) },
        Flaw("of another kind", "RFC8725-3.11") { draft, _ in draft.heading(["typ": "at+jwt"]) },
        Flaw("without a name", "RFC7519-4") { draft, _ in draft.claiming(["jti": .null]) },
        Flaw("about nobody", "RFC7519-4") { draft, _ in draft.claiming(["sub": .null]) },
        Flaw("through no instance", "RFC7519-4") { draft, _ in draft.claiming(["azp": .null]) },
        Flaw("that names no key", "RFC7519-4") { draft, _ in draft.claiming(["cnf": .null]) },
        Flaw("that names a key and does not bring it", "RFC7800-3.2") { draft, _ in
            draft.claiming(["cnf": ["kid": "client-1"]])
        },
    ]

    @Test(
        "An assertion with one fault is refused, and nothing comes of it", .proves("AST-4"), arguments: flawedAssertions
    )
    func flawedAssertion(_ flaw: Flaw) throws {
        var stage = try Stage.fresh()
        let request = try Stage.redeeming(flaw.change(stage.assertion(), stage), stage.instanceProof())
        try Expected("invalid_grant", 400, flaw.clause).check(&stage, request)
    }

    static let flawedProofs: [Flaw] = [
        Flaw("by another key under the right name", "RFC7515-5.2") { draft, _ in draft.signed(by: Pair.stranger) },
        Flaw("by a key of another name", "threat-36") { draft, _ in draft.heading(["kid": "client-2"]) },
        Flaw("for another endpoint", "RFC7519-4.1.3") { draft, _ in draft.claiming(["aud": .string(Stage.revoke)]) },
        Flaw("for another service", "RFC7519-4.1.3") { draft, _ in
            draft.claiming(["aud": "https://beta.example.ch/oauth/token"])
        },
        Flaw("by another instance", "RFC7519-4.1.1") { draft, _ in draft.claiming(["iss": "instance-2"]) },
        Flaw("stale", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(-61)]) },
        Flaw("from the future", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(61)]) },
        Flaw("without a name", "RFC7519-4") { draft, _ in draft.claiming(["jti": .null]) },
        Flaw("of the kind of a grant", "RFC8725-3.11") { draft, _ in
            draft.heading(["typ": "authorization-grant+jwt"])
        },
    ]

    @Test(
        "A proof with one fault is refused, and the assertion is not spent", .proves("threat-36"),
        arguments: flawedProofs)
    func flawedProof(_ flaw: Flaw) throws {
        var stage = try Stage.fresh()
        let assertion = try stage.assertion()
        let request = try Stage.redeeming(assertion, flaw.change(stage.instanceProof(), stage))
        try Expected("invalid_client", 401, flaw.clause).check(&stage, request)
        #expect(stage.send(try Stage.redeeming(assertion, stage.instanceProof())).status == .ok)
    }

    @Test("An assertion without a proof of its key is refused", .proves("POP-1"))
    func withoutProof() throws {
        var stage = try Stage.fresh()
        let request = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": stage.assertion().text])
        try Expected("invalid_client", 401, "threat-36").check(&stage, request)
    }

    @Test("A DPoP proof by another key, for another method or URL, is refused", .proves("threat-36"))
    func flawedDPoP() throws {
        var stage = try Stage.fresh()
        let holder = try Stage.redeemed().1
        let good = try stage.dpop(holder)
        let faults: [(Draft, Expected)] = [
            (
                good.signed(by: Pair.stranger).heading(["jwk": try Pair.json(Pair.stranger)]),
                Expected("invalid_client", 401, "RFC9449-7.1")
            ),
            (good.claiming(["htm": "GET"]), Expected("invalid_dpop_proof", 400, "RFC9449-4.3")),
            (good.claiming(["htu": .string(Stage.revoke)]), Expected("invalid_dpop_proof", 400, "RFC9449-4.3")),
            (good.claiming(["iat": stage.time(-61)]), Expected("invalid_dpop_proof", 400, "RFC7519-4.1.6")),
            (good.signed(by: Pair.stranger), Expected("invalid_dpop_proof", 400, "RFC7515-5.2")),
        ]
        for (draft, expected) in faults {
            var request = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": stage.assertion().text])
            try request.fields.append(.dpop, draft.text)
            try expected.check(&stage, request)
        }
        var twice = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        try twice.fields.append(.dpop, good.text)
        try Expected("invalid_request", 400, "threat-37").check(&stage, twice)
    }

    @Test("A second use is refused, and ends what the first one gave", .proves("AST-3"))
    func secondUse() throws {
        var (stage, held) = try Stage.redeemed()
        let app = try stage.authorize(with: held)
        stage.now = stage.now + .seconds(61)
        let again = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        try Expected("invalid_grant", 400, "AST-3").check(&stage, again, changes: true)
        #expect(try stage.opens(Stage.token, held) == false)
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(stage.store.verdict(of: try held.record, at: stage.now).reason == .replayed)
    }

    @Test("An assertion that bears the name of another record ends nothing", .proves("AST-3"), .proves("threat-33"))
    func nameOfAnother() throws {
        var (stage, held) = try Stage.redeemed()
        let other = try stage.redeem(held.id)
        #expect(try other.record != held.record)
        #expect(try stage.opens(Stage.token, held))
    }

    @Test("A thief without the key does not end what the first use gave", .proves("threat-23"))
    func secondUseWithoutKey() throws {
        var (stage, held) = try Stage.redeemed()
        let again = try Stage.redeeming(stage.assertion(), stage.instanceProof().signed(by: Pair.stranger))
        try Expected("invalid_client", 401, "RFC7515-5.2").check(&stage, again)
        #expect(try stage.opens(Stage.token, held))
    }

    @Test("A proof that opened something else does not redeem an assertion", .proves("threat-36"))
    func replayedProof() throws {
        var stage = try Stage.fresh()
        let proof = stage.instanceProof()
        #expect(stage.send(try Stage.redeeming(stage.assertion("a-1"), proof)).status == .ok)
        let before = stage.state
        let response = stage.send(try Stage.redeeming(stage.assertion("a-2"), proof))
        #expect(response.status == .unauthorized)
        #expect(String(decoding: response.body, as: UTF8.self).contains("presented before"))
        #expect(stage.state == before)
    }

    @Test("Grants that are not for here are refused for what they are", .proves("REG-9"))
    func foreignGrants() throws {
        var stage = try Stage.fresh()
        let proof = try stage.instanceProof().text
        try Expected("unsupported_grant_type", 400, "REG-9").check(
            &stage, try Stage.form(["grant_type": "client_credentials"], bearer: proof))
        try Expected("unsupported_grant_type", 400, "GRT-1").check(
            &stage, try Stage.form(["grant_type": "password", "username": "ada", "password": "secret"], bearer: proof))
        try Expected("unsupported_grant_type", 400, "RFC6749-5.2").check(
            &stage, try Stage.form(["grant_type": "magic"], bearer: proof))
        try Expected("invalid_request", 400, "RFC6749-3.1").check(
            &stage, try Stage.form(["assertion": "x"], bearer: proof))
    }

    @Test("Doubled parameters and two ways to say who asks are refused", .proves("threat-37"))
    func doubled() throws {
        var stage = try Stage.fresh()
        let (assertion, proof) = (try stage.assertion().text, try stage.instanceProof().text)
        try Expected("invalid_request", 400, "threat-37").check(
            &stage,
            try Stage.form(
                ["grant_type": Stage.jwtBearer, "assertion": assertion, "assertion": assertion], bearer: proof))
        try Expected("invalid_request", 400, "threat-37").check(
            &stage,
            try Stage.form(
                [
                    "grant_type": Stage.jwtBearer, "assertion": assertion,
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    "client_assertion": proof,
                ], bearer: proof))
        var twice = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": assertion], bearer: proof)
        try twice.fields.append(.authorization, "Bearer " + proof)
        try Expected("invalid_request", 400, "threat-37").check(&stage, twice)
    }

    @Test("Parameters about client and service must say what was proved", .proves("AST-6"))
    func contradictions() throws {
        var stage = try Stage.fresh()
        let assertion = try stage.assertion().text
        func request(_ name: String, _ value: String, _ proof: Draft) throws -> HTTP.Request {
            try Stage.form(["grant_type": Stage.jwtBearer, "assertion": assertion, name: value], bearer: proof.text)
        }
        try Expected("invalid_client", 401, "RFC7521-4.2").check(
            &stage, try request("client_id", "instance-2", stage.instanceProof()))
        try Expected("invalid_target", 400, "RFC8707-2").check(
            &stage, try request("resource", "https://beta.example.ch/", stage.instanceProof()))
        #expect(stage.send(try request("client_id", Stage.instance, stage.instanceProof())).status == .ok)
    }

    @Test("'resource' is the service under its issuer identifier, or its home page", .proves("AST-6"))
    func resources() throws {
        var stage = try Stage.fresh()
        let issuer = "https://login.alpha.example.ch"
        stage.service = try FederationService(
            Stage.authority(of: issuer), document: Stage.document(), trusting: stage.service.eduID)
        for resource in [issuer, Stage.home] {
            let assertion = try stage.assertion("for " + resource).claiming(["aud": .string(issuer)])
            let request = try Stage.form(
                ["grant_type": Stage.jwtBearer, "assertion": assertion.text, "resource": resource],
                bearer: stage.instanceProof().text)
            #expect(stage.send(request).status == .ok, "\(resource)")
        }
    }

    @Test("Methods beside POST are refused", .proves("AST-6"), arguments: [Stage.token, Stage.revoke])
    func methods(_ url: String) throws {
        var stage = try Stage.fresh()
        let response = stage.send(try Stage.get(url))
        #expect(response.status == .methodNotAllowed)
    }
}
