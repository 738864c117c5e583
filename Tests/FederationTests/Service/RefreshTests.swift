import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Refresh")
struct RefreshTests {
    private static func refused(_ clause: String) -> Expected { Expected("invalid_grant", 400, clause) }

    @Test("Instances and apps renew what expires, with a new refresh token each time", .proves("TOK-2"))
    func renewed() throws {
        var (stage, service, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(5_000)
        #expect(try stage.opens(Stage.papi, app) == false)
        let next = try Held(stage.send(stage.refreshing(app)), .pair(Pair.app), of: Stage.reader)
        #expect(next.refresh != app.refresh)
        #expect(next.id == app.id)
        #expect(next.members["expires_in"] == 3_600)
        #expect(next.members["scope"]?.string == Stage.papi)
        #expect(next.members["token_type"] == "PoP")
        #expect(try stage.opens(Stage.papi, next))
        let instance = try Held(stage.send(stage.refreshing(service)), .pair(Pair.instance), of: Stage.instance)
        #expect(try stage.opens(Stage.token, instance))
        let third = try Held(stage.send(stage.refreshing(next)), .pair(Pair.app), of: Stage.reader)
        #expect(try stage.opens(Stage.papi, third))
    }

    @Test("An app with a symmetric key, and one with a plain token, renew theirs", .proves("GRT-1"))
    func keylessApps() throws {
        var (stage, service) = try Stage.redeemed()
        let symmetric = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        let renewed = try Held(stage.send(stage.refreshing(symmetric)), nil, of: Stage.reader)
        #expect(renewed.members["cnf"] == symmetric.members["cnf"])
        #expect(try stage.opens(Stage.papi, renewed))

        stage.service.policy.keylessApps = .bearerToken
        let plain = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        try Self.refused("RFC6749-6").check(&stage, try Self.plain(plain.refresh, client: "ch.example.other"))
        let next = try Held(stage.send(Self.plain(plain.refresh)), nil, of: Stage.reader)
        #expect(next.members["token_type"] == "Bearer")
        func opens(_ held: Held) throws -> Bool {
            if case .granted = try stage.use(Stage.get(Stage.papi, bearer: held.access), Stage.papi) {
                true
            } else {
                false
            }
        }
        #expect(try opens(next))
        // The text that was known before is good for nothing once there is a new one.
        #expect(try opens(plain) == false)
    }

    private static func plain(_ token: String, client: String = Stage.reader) throws -> HTTP.Request {
        try Stage.form(["grant_type": "refresh_token", "refresh_token": token, "client_id": client])
    }

    @Test("A DPoP proof alone renews when the access token has long expired", .proves("POP-1"))
    func byProofAlone() throws {
        var (stage, _, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(90_000)
        func request(_ proof: Draft) throws -> HTTP.Request {
            var request = try Stage.form(["grant_type": "refresh_token", "refresh_token": app.refresh])
            try request.fields.append(.dpop, proof.text)
            return request
        }
        let good = try stage.dpop(app)
        try Expected("invalid_client", 401, "RFC9449-7.1").check(
            &stage, try request(good.signed(by: Pair.stranger).heading(["jwk": try Pair.json(Pair.stranger)])))
        try Expected("invalid_dpop_proof", 400, "RFC9449-4.3").check(
            &stage, try request(good.claiming(["htu": .string(Stage.revoke)])))
        #expect(try stage.opens(Stage.papi, Held(stage.send(request(good)), .pair(Pair.app), of: Stage.reader)))
        stage.service.policy.proof.acceptsDPoP = false
        try Expected("invalid_client", 401, "RFC9449-5").check(&stage, try request(stage.dpop(app)))
    }

    // MARK: Reuse

    @Test(
        "An expired access token renews with its DPoP proof, which is good once", .proves("POP-1"), .proves("threat-36")
    )
    func byExpiredToken() throws {
        var (stage, _, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(90_000)
        let proof = try stage.dpop(app, with: app.access).text
        func request(_ refresh: String) throws -> HTTP.Request {
            var request = try Stage.form(["grant_type": "refresh_token", "refresh_token": refresh])
            try request.fields.append(.authorization, "DPoP " + app.access)
            try request.fields.append(.dpop, proof)
            return request
        }
        let next = try Held(stage.send(request(app.refresh)), .pair(Pair.app), of: Stage.reader)
        #expect(stage.send(try request(next.refresh)).status == .unauthorized)
    }

    @Test("'client_id' is the client that is proved", .proves("threat-35"))
    func otherClient() throws {
        var (stage, _, app) = try Stage.authorized()
        let request = try Stage.form(
            ["grant_type": "refresh_token", "refresh_token": app.refresh, "client_id": Stage.instance],
            bearer: stage.proof(app).text)
        try Expected("invalid_client", 401, "RFC7521-4.2").check(&stage, request)
    }

    @Test("A proof without an access token is good for one renewal", .proves("threat-36"))
    func proofAloneOnce() throws {
        var (stage, service, app) = try Stage.authorized()
        for held in [app, service] {
            let proof = try stage.dpop(held).text
            func request(_ refresh: String) throws -> HTTP.Request {
                var request = try Stage.form(["grant_type": "refresh_token", "refresh_token": refresh])
                try request.fields.append(.dpop, proof)
                return request
            }
            let next = try Held(stage.send(request(held.refresh)), held.key, of: held.holder)
            #expect(stage.send(try request(next.refresh)).status == .unauthorized)
        }
    }

    @Test("Whether there is a grant is told to nobody who proves nothing", .proves("threat-39"))
    func unknownGrants() throws {
        var (stage, _, app) = try Stage.authorized()
        let unknown = "x"
        try Expected("invalid_client", 401, "RFC6749-6").check(
            &stage, try Stage.form(["grant_type": "refresh_token", "refresh_token": unknown]))
        var proved = try Stage.form(["grant_type": "refresh_token", "refresh_token": unknown])
        try proved.fields.append(.dpop, stage.dpop(app).text)
        try Self.refused("RFC6749-6").check(&stage, proved)
    }

    @Test("A refresh token that was replaced ends the family", .proves("threat-28"))
    func reuse() throws {
        var (stage, service, app) = try Stage.authorized()
        let next = try Held(stage.send(stage.refreshing(app)), .pair(Pair.app), of: Stage.reader)
        // Who has renewed twice has had the first answer, however soon that was.
        _ = try Held(stage.send(stage.refreshing(next)), .pair(Pair.app), of: Stage.reader)
        try Self.refused("threat-28").check(&stage, try stage.refreshing(app), changes: true)
        #expect(try stage.opens(Stage.papi, next) == false)
        try Self.refused("TOK-3").check(&stage, try stage.refreshing(next))
        #expect(try stage.opens(Stage.token, service))
    }

    @Test(
        "Within a minute the same holder gets the answer again that was lost, and later ends the family",
        .proves("threat-28"))
    func lostAnswer() throws {
        for isSymmetric in [false, true] {
            var (stage, service) = try Stage.redeemed()
            let code = try stage.code(with: service, binding: isSymmetric ? nil : Pair.app)
            let key: Draft.Key? = isSymmetric ? nil : .pair(Pair.app)
            let app = try Held(stage.send(Stage.authorizing(code, stage.proof(service))), key, of: Stage.reader)
            let lost = try Held(stage.send(stage.refreshing(app)), key, of: Stage.reader)
            stage.now = stage.now + .seconds(20)
            let answer = stage.send(try stage.refreshing(app))
            let again = try Held(answer, key, of: Stage.reader)
            #expect(again.refresh == lost.refresh, "symmetric: \(isSymmetric)")
            // The access token ends when the first answer said.
            #expect(try TokenResponse(parsing: answer).lifetime == 3_580)
            #expect(try stage.opens(Stage.papi, again))
            stage.now = stage.now + .seconds(40)
            #expect(stage.send(try stage.refreshing(app)).status == .ok)
            stage.now = stage.now + .seconds(1)
            try Self.refused("threat-28").check(&stage, try stage.refreshing(app), changes: true)
        }
    }

    @Test(
        "Two refreshes at once end in one family with one next token", .proves("threat-28"), .proves("threat-72"))
    func race() throws {
        var (stage, _, app) = try Stage.authorized()
        let (one, other) = (try stage.refreshing(app), try stage.refreshing(app))
        let (first, second) = stage.race(one, other)
        let won = try Held(first, .pair(Pair.app), of: Stage.reader)
        #expect(try Held(second, .pair(Pair.app), of: Stage.reader).refresh == won.refresh)
        #expect(stage.store.lineage(of: try app.record)?.record.refresh?.generation == 1)
    }

    @Test("Two refreshes of a plain token at once end the family: nobody can tell the thief", .proves("threat-28"))
    func raceOfPlainTokens() throws {
        var (stage, service) = try Stage.redeemed()
        stage.service.policy.keylessApps = .bearerToken
        let plain = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        let (first, second) = stage.race(try Self.plain(plain.refresh), try Self.plain(plain.refresh))
        let won = try Held(first, nil, of: Stage.reader)
        Self.refused("threat-28").check(second, stage.refusals.last)
        guard case .refused(let response) = try stage.use(Stage.get(Stage.papi, bearer: won.access), Stage.papi) else {
            Issue.record("the family has ended")
            return
        }
        #expect(response.status == .unauthorized)
    }

    @Test("A doubled message is refused for its proof, and changes nothing", .proves("threat-36"))
    func doubled() throws {
        var (stage, _, app) = try Stage.authorized()
        let request = try stage.refreshing(app)
        let next = try Held(stage.send(request), .pair(Pair.app), of: Stage.reader)
        let before = stage.state
        #expect(stage.send(request).status == .unauthorized)
        #expect(stage.state == before)
        #expect(try stage.opens(Stage.papi, next))
    }

    // MARK: One thing wrong

    @Test("The proof comes before the token is spent", .proves("threat-29"))
    func proofFirst() throws {
        var (stage, service, app) = try Stage.authorized()
        let parameters: KeyValuePairs = ["grant_type": "refresh_token", "refresh_token": app.refresh]
        let denied = { (clause: String) in Expected("invalid_client", 401, clause) }
        try denied("RFC6749-6").check(&stage, try Stage.form(parameters))
        try denied("threat-36").check(&stage, try Stage.form(parameters, bearer: app.access))
        try denied("RFC7515-5.2").check(
            &stage, try Stage.form(parameters, bearer: stage.proof(app).signed(by: Pair.stranger).text))
        try denied("RFC7519-4.1.3").check(
            &stage, try Stage.form(parameters, bearer: stage.proof(app, Stage.revoke).text))
        try denied("RFC7519-4.1.6").check(
            &stage, try Stage.form(parameters, bearer: stage.proof(app).claiming(["iat": stage.time(-61)]).text))
        // Neither another app nor the instance is the holder.
        try Self.refused("RFC6749-6").check(&stage, try Stage.form(parameters, bearer: stage.proof(service).text))
        let other = try stage.authorize(with: service, for: "ch.example.other")
        try Self.refused("RFC6749-6").check(&stage, try Stage.form(parameters, bearer: stage.proof(other).text))
        try denied("RFC6749-6").check(
            &stage,
            try Stage.form(["grant_type": "refresh_token", "refresh_token": app.refresh, "client_id": Stage.reader]))
        #expect(stage.send(try stage.refreshing(app)).status == .ok)
    }

    @Test("An invented or mutilated refresh token ends nothing", .proves("threat-28"))
    func inventions() throws {
        var (stage, _, app) = try Stage.authorized()
        let dot = try #require(app.refresh.firstIndex(of: "."))
        let name = app.refresh[dot...]
        var texts = [
            "x", ".", "AAAA.x", Base64URL.encode([UInt8](repeating: 0, count: 52)) + name, String(app.refresh[..<dot]),
        ]
        texts.append(String(app.refresh.dropLast()))
        for text in texts { try Self.refused("RFC6749-6").check(&stage, try stage.refreshing(app, text)) }
        #expect(stage.send(try stage.refreshing(app)).status == .ok)
    }

    @Test("The scope may shrink and never grows", .proves("threat-30"))
    func scopes() throws {
        var (stage, service) = try Stage.redeemed()
        let app = try stage.authorize(with: service, scope: Stage.papi + " " + Stage.lti)
        func refreshing(_ held: Held, _ scope: String) throws -> HTTP.Request {
            try Stage.form(
                ["grant_type": "refresh_token", "refresh_token": held.refresh, "scope": scope],
                bearer: stage.proof(held).text)
        }
        for wider in [Stage.home, Stage.papi + " " + Stage.token, "org.ietf.oauth2", Stage.home + "/api"] {
            try Expected("invalid_scope", 400, "threat-30").check(&stage, try refreshing(app, wider))
        }
        let narrow = try Held(stage.send(refreshing(app, Stage.papi)), .pair(Pair.app), of: Stage.reader)
        #expect(narrow.members["scope"]?.string == Stage.papi)
        #expect(try stage.opens(Stage.papi, narrow))
        #expect(try stage.opens(Stage.lti, narrow) == false)
        // All of the grant comes back when it is asked for without a scope, and still not more.
        let whole = try Held(stage.send(stage.refreshing(narrow)), .pair(Pair.app), of: Stage.reader)
        #expect(try stage.opens(Stage.lti, whole))
        try Expected("invalid_scope", 400, "threat-30").check(
            &stage, try refreshing(whole, Stage.papi + " " + Stage.home))
    }

    @Test("Nothing is recovered once any ancestor is revoked", .proves("TOK-3"))
    func afterRevocation() throws {
        let (stage, service, app) = try Stage.authorized()
        var one = stage
        #expect(one.send(try one.revoking(app.access, by: app)).status == .ok)
        try Self.refused("TOK-3").check(&one, try one.refreshing(app))
        var two = stage
        #expect(two.send(try two.revoking(service.access, by: service)).status == .ok)
        try Self.refused("TOK-3").check(&two, try two.refreshing(app))
        try Self.refused("TOK-3").check(&two, try two.refreshing(service))
        var three = stage
        #expect(three.send(try three.takingBack("assertion-1")).status == .ok)
        try Self.refused("TOK-3").check(&three, try three.refreshing(app))
        try Self.refused("TOK-3").check(&three, try three.refreshing(service))
    }

    @Test("A refresh while an ancestor dies is refused", .proves("threat-31"))
    func raceWithRevocation() throws {
        var (stage, service, app) = try Stage.authorized()
        let (revoked, refused) = stage.race(try stage.revoking(service.access, by: service), try stage.refreshing(app))
        #expect(revoked.status == .ok)
        Self.refused("TOK-3").check(refused, stage.refusals.last)
    }

    @Test("No token is good beyond the end of its own grant", .proves("TOK-8"))
    func shortGrants() throws {
        var stage = try Stage.fresh()
        stage.service.policy.grantLifetime = .seconds(60)
        let service = try stage.redeem()
        #expect(service.members["expires_in"] == 60)
        stage.service.policy.grantLifetime = .seconds(30)
        #expect(try stage.authorize(with: service).members["expires_in"] == 30)
    }

    @Test("An app's grant ends in its own time where the service's goes on", .proves("TOK-8"))
    func endOfApp() throws {
        var (stage, service) = try Stage.redeemed()
        stage.service.policy.grantLifetime = .seconds(5_000)
        let app = try stage.authorize(with: service)
        stage.now = stage.now + .seconds(4_999)
        let renewed = try Held(stage.send(stage.refreshing(app)), .pair(Pair.app), of: Stage.reader)
        #expect(renewed.members["expires_in"] == 1)
        stage.now = stage.now + .seconds(1)
        try Self.refused("TOK-3").check(&stage, try stage.refreshing(renewed))
    }

    @Test("A grant that ends at a time gives no token beyond it, and nothing after it", .proves("TOK-8"))
    func lifetimes() throws {
        var stage = try Stage.fresh()
        stage.service.policy.accessLifetime = .seconds(600)
        stage.service.policy.grantLifetime = .seconds(1_000)
        let service = try stage.redeem()
        #expect(service.members["expires_in"] == 600)
        stage.now = stage.now + .seconds(500)
        let app = try stage.authorize(with: service)
        // The app's grant could go on for 1,000 s, and the one that it stands on for 500.
        #expect(app.members["expires_in"] == 500)
        stage.now = stage.now + .seconds(400)
        let renewed = try Held(stage.send(stage.refreshing(app)), .pair(Pair.app), of: Stage.reader)
        #expect(renewed.members["expires_in"] == 100)
        #expect(try renewed.claims["exp"] == stage.time(100))
        stage.now = stage.now + .seconds(100)
        #expect(try stage.opens(Stage.papi, renewed) == false)
        try Self.refused("TOK-3").check(&stage, try stage.refreshing(renewed))
        stage.service.policy.grantLifetime = nil
        try Self.refused("TOK-3").check(&stage, try stage.refreshing(service))
    }
}
