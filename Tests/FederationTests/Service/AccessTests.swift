import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(9) Access")
struct AccessTests {
    /// Whom a request is taken for, or how it is refused.
    private func outcome(_ stage: inout Stage, _ request: HTTP.Request, _ url: String = Stage.papi) throws -> (
        Access?, HTTP.Response?
    ) {
        switch try stage.use(request, url) {
        case .granted(let access): (access, nil)
        case .refused(let response): (nil, response)
        }
    }

    private func check(
        _ stage: inout Stage, _ request: HTTP.Request, at url: String = Stage.papi, _ expected: Expected,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let before = stage.state
        let (access, response) = try outcome(&stage, request, url)
        #expect(access == nil, sourceLocation: location)
        expected.check(try #require(response, sourceLocation: location), stage.refusals.last, location: location)
        #expect(stage.state == before, sourceLocation: location)
    }

    @Test("Remembered keys are bounded, and are used for their own records and holders only", .proves("threat-36"))
    func rememberedKeys() throws {
        // Two services whose records have the same names, one bound to the app's key and one to a key that was made.
        var outcomes: [Bool] = []
        let authority = try Stage.fresh().service.authority.remembering(holders: 2)
        for isSymmetric in [false, true, false, true] {
            var (stage, service) = try Stage.redeemed()
            stage.service.authority = authority
            let code = try stage.code(with: service, binding: isSymmetric ? nil : Pair.app)
            let answer = stage.send(try Stage.authorizing(code, stage.proof(service)))
            let app = try Held(answer, isSymmetric ? nil : .pair(Pair.app), of: Stage.reader)
            for _ in 0..<3 {
                let request = try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text)
                if case .granted = try stage.use(request, Stage.papi) { outcomes.append(true) }
            }
            for holder in [service, app] { _ = try stage.opens(Stage.papi, holder) }
        }
        #expect(outcomes == Array(repeating: true, count: 12))
        #expect(authority.rememberedHolders <= 4)
    }

    @Test(
        "A request token says who asks, through which instance and app, for which scope, and what the app adds",
        .proves("APP-8"))
    func granted() throws {
        var (stage, _, app) = try Stage.authorized()
        let url = Stage.papi + "/books?page=2"
        let proof = stage.proof(app, Stage.papi + "/books").claiming(["page": 2])
        let (access, _) = try outcome(&stage, Stage.get(url, bearer: proof.text), url)
        let found = try #require(access)
        #expect(found.subject.text == Stage.user)
        #expect(found.instance?.text == Stage.instance)
        #expect(found.app?.text == Stage.reader)
        #expect(found.scope.text == Stage.papi)
        #expect(found.profile == ["given_name": "Ada"])
        #expect(found.claims == ["page": 2])
        #expect(found.grant == (try app.record))
    }

    @Test("DPoP opens as request tokens do", .proves("POP-1"))
    func dpop() throws {
        var (stage, _, app) = try Stage.authorized()
        func request(_ method: HTTP.Request.Method, _ proof: Draft) throws -> HTTP.Request {
            var request = HTTP.Request(method, .absolute(try WebURL(parsing: Stage.papi)))
            try request.fields.append(.authorization, "DPoP " + app.access)
            try request.fields.append(.dpop, proof.text)
            return request
        }
        let good = try stage.dpop(app, Stage.papi, "DELETE", with: app.access)
        let first = try outcome(&stage, request(.delete, good))
        #expect(first.0?.app?.text == Stage.reader)
        let faults: [(Draft, String)] = [
            (good.claiming(["htm": "GET"]), "RFC9449-4.3"), (good.claiming(["htu": .string(Stage.lti)]), "RFC9449-4.3"),
            (good.claiming(["ath": .null]), "RFC9449-4.3"), (good.claiming(["ath": "AAAA"]), "RFC9449-4.3"),
            (good.claiming(["iat": stage.time(-61)]), "RFC7519-4.1.6"),
        ]
        for (proof, clause) in faults {
            try check(&stage, try request(.delete, proof), Expected("invalid_dpop_proof", 401, clause))
        }
        let stranger = good.signed(by: Pair.stranger).heading(["jwk": try Pair.json(Pair.stranger)])
        try check(&stage, try request(.delete, stranger), Expected("invalid_token", 401, "RFC9449-7.1"))
        let again = try outcome(&stage, request(.delete, good))
        #expect(again.1?.status == .unauthorized)
    }

    // MARK: One thing wrong

    static let flaws: [Flaw] = [
        Flaw("by another key", "RFC7515-5.2") { draft, _ in draft.signed(by: Pair.stranger) },
        Flaw("of an unknown token", "threat-39") { draft, _ in draft.heading(["kid": "nobody"]) },
        Flaw("that names no token", "threat-39") { draft, _ in draft.heading(["kid": .null]) },
        Flaw("for another URL", "RFC7519-4.1.3") { draft, _ in draft.claiming(["aud": .string(Stage.papi + "/books")])
        },
        Flaw("for another service", "RFC7519-4.1.3") { draft, _ in
            draft.claiming(["aud": "https://beta.example.ch/api/papi"])
        },
        Flaw("for two URLs", "threat-24") { draft, _ in
            draft.claiming(["aud": [.string(Stage.papi), .string(Stage.lti)]])
        },
        Flaw("by the instance in the app's place", "RFC7519-4.1.1") { draft, _ in
            draft.claiming(["iss": .string(Stage.instance)])
        },
        Flaw("stale", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(-61)]) },
        Flaw("from the future", "RFC7519-4.1.6") { draft, stage in draft.claiming(["iat": stage.time(61)]) },
        Flaw("without a time", "RFC7519-4") { draft, _ in draft.claiming(["iat": .null]) },
        Flaw("without a name", "RFC7519-4") { draft, _ in draft.claiming(["jti": .null]) },
        Flaw("that has expired by its own word", "RFC7519-4.1.4") { draft, stage in
            draft.claiming(["exp": stage.time(-1)])
        },
    ]

    @Test("A request token with one fault opens nothing", .proves("threat-36"), arguments: flaws)
    func flawed(_ flaw: Flaw) throws {
        var (stage, _, app) = try Stage.authorized()
        let proof = try flaw.change(stage.proof(app, Stage.papi), stage)
        try check(&stage, try Stage.get(Stage.papi, bearer: proof.text), Expected("invalid_token", 401, flaw.clause))
    }

    @Test("A bound token without a proof opens nothing", .proves("threat-36"))
    func stripped() throws {
        var (stage, _, app) = try Stage.authorized()
        try check(&stage, try Stage.get(Stage.papi, bearer: app.access), Expected("invalid_token", 401, "threat-36"))
    }

    @Test("A proof with a plain token is refused: anybody could have made it", .proves("threat-36"))
    func proofOfPlainToken() throws {
        var (stage, service) = try Stage.redeemed()
        stage.service.policy.keylessApps = .bearerToken
        let plain = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        var request = try Stage.get(Stage.papi)
        try request.fields.append(.authorization, "DPoP " + plain.access)
        let (_, _, app) = try Stage.authorized()
        try request.fields.append(.dpop, stage.dpop(app, Stage.papi, "GET", with: plain.access).text)
        try check(&stage, request, Expected("invalid_token", 401, "RFC9449-7.1"))
    }

    @Test("A plain token with another secret, or of a bound grant, opens nothing", .proves("threat-39"))
    func guessedTokens() throws {
        var (stage, service, app) = try Stage.authorized()
        stage.service.policy.keylessApps = .bearerToken
        let plain = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        let name = plain.access.prefix { $0 != "." }
        for text in ["\(name).AAAA", "\(name).", "\(name)", "\(app.id).AAAA", ".", "x"] {
            let (access, response) = try outcome(&stage, Stage.get(Stage.papi, bearer: text))
            #expect(access == nil, "\(text)")
            #expect(response?.status == .unauthorized, "\(text)")
        }
    }

    @Test("A request token opens once", .proves("threat-36"))
    func replay() throws {
        var (stage, _, app) = try Stage.authorized()
        let request = try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text)
        #expect(try outcome(&stage, request).0 != nil)
        let before = stage.state
        let (access, response) = try outcome(&stage, request)
        #expect(access == nil)
        #expect(response?.status == .unauthorized)
        #expect(try JSON(parsing: try #require(response).body)["error"] == "invalid_token")
        #expect(stage.state == before)
        // After the window it is stale, so that it need not be remembered for ever.
        stage.now = stage.now + .seconds(61)
        try check(&stage, request, Expected("invalid_token", 401, "RFC7519-4.1.6"))
    }

    // MARK: Scope

    static let outside = [
        Stage.lti, Stage.home, Stage.home + "/api", Stage.home + "/api/papix", Stage.home + "/api/pap", Stage.token,
        Stage.papi + "/../lti", Stage.papi + "/%2e%2e/lti", Stage.papi + "/%2E%2E%2Flti", Stage.papi + "/..;a/lti",
        Stage.papi + "/%252e%252e/lti", Stage.home + "/API/papi", "https://alpha.example.ch:8443/api/papi",
        "https://beta.example.ch/api/papi",
    ]

    @Test(
        "A URL that does not lie under an endpoint in scope is refused with 403", .proves("threat-51"),
        arguments: outside)
    func outsideOfScope(_ url: String) throws {
        var (stage, _, app) = try Stage.authorized()
        let request = try Stage.get(url, bearer: stage.proof(app, url).text)
        try check(&stage, request, at: url, Expected("insufficient_scope", 403, "APP-9"))
        #expect(try stage.opens(Stage.papi, app))
    }

    @Test("Use outside of the scope ends the grant where the policy says so", .proves("NIF-11"))
    func misuse() throws {
        var (stage, service, app) = try Stage.authorized()
        let sibling = try stage.authorize(with: service, scope: Stage.lti)
        stage.service.policy.revokesMisuse = true
        #expect(try stage.opens(Stage.lti, app) == false)
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(try stage.opens(Stage.lti, sibling))
        #expect(
            stage.store.verdict(of: try app.record, at: stage.now)
                == .revoked(by: try app.record, at: stage.now, reason: .misused))
    }

    // MARK: Challenges

    @Test("A request without a token is told how to come back, and with which scope", .proves("RFC6750-3.1"))
    func challengeWithoutToken() throws {
        var (stage, _, _) = try Stage.authorized()
        let response = try #require(try outcome(&stage, Stage.get(Stage.papi)).1)
        #expect(response.status == .unauthorized)
        #expect(response.body.isEmpty)
        let challenges = response.fields.values(of: .wwwAuthenticate)
        #expect(challenges.count == 2)
        #expect(challenges.first == #"Bearer realm="edu-ID", scope="https://alpha.example.ch/api/papi""#)
        #expect(challenges.allSatisfy { !$0.contains("error") })
        let nowhere = try #require(try outcome(&stage, Stage.get(Stage.home + "/private"), Stage.home + "/private").1)
        #expect(nowhere.fields.values(of: .wwwAuthenticate).first == #"Bearer realm="edu-ID""#)
    }

    @Test("A refusal names the error and the scope that opens the URL", .proves("RFC6750-3"))
    func challenges() throws {
        var (stage, _, app) = try Stage.authorized()
        let refused = try #require(try outcome(&stage, Stage.get(Stage.papi, bearer: app.access)).1)
        let challenge = try #require(refused.fields.values(of: .wwwAuthenticate).first)
        #expect(challenge.hasPrefix(#"Bearer realm="edu-ID", error="invalid_token", error_description=""#))
        #expect(challenge.hasSuffix(#"scope="https://alpha.example.ch/api/papi""#))
        let proof = try stage.proof(app, Stage.lti).text
        let forbidden = try #require(try outcome(&stage, Stage.get(Stage.lti, bearer: proof), Stage.lti).1)
        let told = try #require(forbidden.fields.values(of: .wwwAuthenticate).first)
        #expect(told.contains(#"error="insufficient_scope""#))
        #expect(told.hasSuffix(#"scope="https://alpha.example.ch/api/lti""#))
    }

    @Test("A malformed or doubled credential is a bad request", .proves("threat-37"))
    func malformedCredentials() throws {
        var (stage, _, app) = try Stage.authorized()
        var twice = try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text)
        try twice.fields.append(.authorization, "Bearer other")
        try check(&stage, twice, Expected("invalid_request", 400, "threat-37"))
        var basic = try Stage.get(Stage.papi)
        try basic.fields.append(.authorization, "Basic YTpi")
        try check(&stage, basic, Expected("invalid_token", 401, "RFC6750-2.1"))
        // Two proofs and no token are told of as what they are, and not how to begin.
        var doubled = try Stage.get(Stage.papi)
        for _ in 1...2 { try doubled.fields.append(.dpop, stage.dpop(app, Stage.papi, "GET", with: app.access).text) }
        try check(&stage, doubled, Expected("invalid_request", 400, "threat-37"))
    }

    // MARK: Life

    @Test("An expired access token opens nothing, and the grant lives on", .proves("TOK-2"))
    func expired() throws {
        var (stage, _, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(3_599)
        #expect(try stage.opens(Stage.papi, app))
        stage.now = stage.now + .seconds(1)
        let request = try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text)
        try check(&stage, request, Expected("invalid_token", 401, "TOK-1"))
        #expect(stage.store.verdict(of: try app.record, at: stage.now).grantLives)
    }

    @Test("An app token outlives the access token of its service, and not its grant", .proves("TOK-1"))
    func standsOnTheGrant() throws {
        var (stage, service) = try Stage.redeemed()
        stage.now = stage.now + .seconds(3_000)
        let app = try stage.authorize(with: service)
        stage.now = stage.now + .seconds(1_200)
        #expect(try stage.opens(Stage.papi, app))
        #expect(stage.send(try stage.revoking(service.access, by: service)).status == .ok)
        #expect(try stage.opens(Stage.papi, app) == false)
    }

    @Test("Where there is nothing to store, the store is not asked", .proves("threat-32"))
    func refusedWithoutStore() throws {
        let stage = try Stage.fresh()
        let (service, now) = (stage.service, stage.now)
        let (request, url) = (try Stage.get(Stage.papi), try WebURL(parsing: Stage.papi))
        var host = StubbornHost()
        host.store.refuses = true
        guard case .refused(let response) = host.carryOut({ service.access(for: request, to: url, at: now) }) else {
            Issue.record("a request without a token is refused")
            return
        }
        #expect(response.status == .unauthorized)
    }

    @Test("Where others were faster the request is looked at again", .proves("threat-32"))
    func contention() throws {
        var (stage, _, app) = try Stage.authorized()
        let (service, now) = (stage.service, stage.now)
        let (request, url) = (
            try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text), try WebURL(parsing: Stage.papi)
        )
        var host = StubbornHost()
        host.store.tree = stage.store
        host.store.isContended = true
        guard case .granted = host.carryOut({ service.access(for: request, to: url, at: now) }) else {
            Issue.record("nothing speaks against the request")
            return
        }
    }

    @Test("What is decided is heard with the grant, or with the reason that is answered", .proves("OPS-10"))
    func heard() throws {
        var (stage, _, app) = try Stage.authorized()
        let (service, now, url) = (stage.service, stage.now, try WebURL(parsing: Stage.papi))
        let request = try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text)
        var records: [AuditRecord] = []
        for request in [request, request, try Stage.get(Stage.papi, bearer: "unknown")] {
            _ = service.access(for: request, to: url, in: &stage.store, at: now) { records.append($0) }
        }
        try #require(records.count == 3)
        #expect(records.allSatisfy { $0.endpoint == "access" })
        #expect(try records[0].grant == app.record && records[0].refusal == nil && records[0].acts == [.reading])
        // The store refused the proof, not because others were faster, and nothing was changed.
        #expect(records[1].refusal?.rule.clause == "threat-36" && records[1].changes.isEmpty)
        #expect(records[1].grant == nil && records[1].acts.isEmpty)
        #expect(records[2].refusal != nil && records[2].refusal?.rule.clause != "threat-36")
    }

    @Test("A use is noted with the grant where the policy says so", .proves("APP-7"))
    func notedUse() throws {
        var (stage, _, app) = try Stage.authorized()
        #expect(try stage.opens(Stage.papi, app))
        #expect(stage.store.lineage(of: try app.record)?.entry.fate.lastUse == nil)
        stage.service.policy.notesUse = true
        stage.now = stage.now + .seconds(5)
        #expect(try stage.opens(Stage.papi, app))
        #expect(stage.store.lineage(of: try app.record)?.entry.fate.lastUse == stage.now)
    }
}
