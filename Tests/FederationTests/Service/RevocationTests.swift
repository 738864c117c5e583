import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(10) Revocation")
struct RevocationTests {
    /// Sends a revocation that must be confirmed, whatever comes of it.
    private func confirm(_ stage: inout Stage, _ request: HTTP.Request, location: SourceLocation = #_sourceLocation) {
        let response = stage.send(request)
        #expect(response.status == .ok, sourceLocation: location)
        #expect(response.body.isEmpty, sourceLocation: location)
    }

    /// Which of the records have not ended.
    private func living(_ stage: Stage, _ held: Held...) throws -> [Bool] {
        try held.map { stage.store.verdict(of: try $0.record, at: stage.now).grantLives }
    }

    @Test("An app ends its own token, by the access or the refresh token, and nothing beside", .proves("TOK-4"))
    func byApp() throws {
        let (stage, service, app) = try Stage.authorized()
        for token in [app.access, app.refresh] {
            var stage = stage
            let sibling = try stage.authorize(with: service, scope: Stage.lti)
            confirm(&stage, try stage.revoking(token, by: app))
            #expect(try living(stage, app, sibling, service) == [false, true, true])
            #expect(stage.store.verdict(of: try app.record, at: stage.now).reason == .surrendered)
        }
    }

    @Test("An instance ends its service token, and with it all its app tokens", .proves("TOK-6"))
    func byInstance() throws {
        var (stage, service, app) = try Stage.authorized()
        let sibling = try stage.authorize(with: service, scope: Stage.lti)
        let other = try stage.redeem("assertion-2")
        let elsewhere = try stage.authorize(with: other)
        confirm(&stage, try stage.revoking(service.access, by: service))
        #expect(try living(stage, service, app, sibling, other, elsewhere) == [false, false, false, true, true])
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(try stage.opens(Stage.papi, elsewhere))
    }

    @Test("An instance ends the token of one app that it authorized", .proves("TOK-5"))
    func appByInstance() throws {
        var (stage, service, app) = try Stage.authorized()
        let sibling = try stage.authorize(with: service, scope: Stage.lti)
        confirm(&stage, try stage.revoking(app.refresh, by: service))
        #expect(try living(stage, app, sibling, service) == [false, true, true])
    }

    @Test(
        "An instance ends an app's last token, and with it what the app was given before, and nothing else",
        .proves("TOK-5"))
    func formerAppTokens() throws {
        var (stage, service, first) = try Stage.authorized()
        let stranger = try stage.redeem("assertion-2")
        let others = [
            try stage.authorize(with: service, for: "ch.example.writer"), try stage.authorize(with: stranger),
        ]
        let second = try stage.authorize(with: service)
        let third = try stage.authorize(with: service, scope: Stage.lti)
        // The app itself ends one, and somebody else nothing.
        var byApp = stage
        confirm(&byApp, try byApp.revoking(third.access, by: third))
        #expect(try living(byApp, first, second, third) == [true, true, false])
        confirm(&stage, try stage.revoking(third.access, by: stranger))
        #expect(try living(stage, first, second, third) == [true, true, true])
        var late = stage
        confirm(&late, try late.revoking(second.access, by: service))
        #expect(try living(late, first, second, third) == [false, false, true])
        confirm(&stage, try stage.revoking(third.access, by: service))
        #expect(try living(stage, first, second, third) == [false, false, false])
        #expect(try living(stage, service, others[0], others[1]) == [true, true, true])
    }

    @Test("However much an app was given, all of it ends, in parts", .proves("TOK-5"))
    func manyFormerAppTokens() throws {
        var (stage, service, first) = try Stage.authorized()
        let record = try #require(stage.store.lineage(of: first.record)).record
        // Between what the app was given stands what others were, so that no window is wide enough.
        for number in 0..<900 {
            let copy = Record(
                id: try TokenID(parsing: "copy-\(number)"), kind: .app, parent: record.parent, issued: stage.now,
                holder: number < 300 ? record.holder : "ch.example.writer", subject: record.subject,
                boundKey: record.boundKey)
            guard case .applied = stage.store.commit(Batch(at: stage.now, [.insert(copy)])) else {
                return #expect(Bool(false), "copy \(number)")
            }
        }
        let last = try stage.authorize(with: service)
        func left() -> Int { stage.store.living(.app, at: stage.now) - 600 }
        #expect(left() == 302)
        let answer = try stage.send(stage.revoking(last.access, by: service))
        #expect(answer.status == .serviceUnavailable && left() == 302 - 257)
        confirm(&stage, try stage.revoking(last.access, by: service))
        #expect(left() == 0)
    }

    @Test(
        "An instance ends a plain token that its app has renewed since, of which it knows the first",
        .proves("TOK-5"), .proves("threat-32"))
    func renewedPlainToken() throws {
        var (stage, service) = try Stage.redeemed()
        stage.service.policy.keylessApps = .bearerToken
        let first = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        let renewal = try Stage.form([
            "grant_type": "refresh_token", "refresh_token": first.refresh, "client_id": Stage.reader,
        ])
        let second = try Held(stage.send(renewal), nil, of: Stage.reader)
        func lives() throws -> Bool {
            let use = try stage.use(Stage.get(Stage.papi, bearer: second.access), Stage.papi)
            return if case .granted = use { true } else { false }
        }
        #expect(try lives() && first.access != second.access)
        // Neither others end it by its name, nor its app by what it does not have any more.
        let stranger = try stage.redeem("assertion-2")
        confirm(&stage, try stage.revoking(first.access, by: stranger))
        confirm(&stage, try Stage.form(["token": first.access, "client_id": Stage.reader], to: Stage.revoke))
        let other = try Held(
            stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        confirm(&stage, try Stage.form(["token": first.access], to: Stage.revoke, bearer: other.access))
        confirm(&stage, try Stage.form(["token": first.access], to: Stage.revoke, bearer: second.access))
        #expect(try lives())
        // What is bound to a key has no secret, and no plain token means it.
        let bound = try stage.authorize(with: service)
        confirm(&stage, try stage.revoking(bound.record.text + ".secret", by: service))
        #expect(try living(stage, bound) == [true])
        confirm(&stage, try stage.revoking(first.access, by: service))
        #expect(try !lives())
    }

    @Test("A plain token is ended by itself with its app's name, or as a bearer token", .proves("NIF-10"))
    func plainToken() throws {
        var (stage, service) = try Stage.redeemed()
        stage.service.policy.keylessApps = .bearerToken
        func plain() throws -> Held {
            try Held(
                stage.send(Stage.authorizing(stage.code(with: service), stage.proof(service))), nil, of: Stage.reader)
        }
        func lives(_ held: Held) throws -> Bool {
            if case .granted = try stage.use(Stage.get(Stage.papi, bearer: held.access), Stage.papi) {
                true
            } else {
                false
            }
        }
        for isByName in [true, false] {
            let (held, other) = (try plain(), try plain())
            confirm(
                &stage,
                isByName
                    ? try Stage.form(["token": held.refresh, "client_id": Stage.reader], to: Stage.revoke)
                    : try Stage.form(["token": held.access], to: Stage.revoke, bearer: held.access))
            #expect(try lives(held) == false)
            let name = try TokenID(parsing: String(held.access.prefix { $0 != "." }))
            #expect(stage.store.verdict(of: name, at: stage.now).reason == .surrendered)
            #expect(try lives(other))
        }
        // The wrong name ends nothing, and is not told from an unknown token.
        let held = try plain()
        confirm(&stage, try Stage.form(["token": held.access, "client_id": "ch.example.evil"], to: Stage.revoke))
        confirm(&stage, try Stage.form(["token": "nobody.AAAA", "client_id": Stage.reader], to: Stage.revoke))
        #expect(try lives(held))
        try Expected("invalid_client", 401, "RFC7009-2.1").check(
            &stage, try Stage.form(["token": held.access], to: Stage.revoke))
    }

    @Test("The service itself ends a grant, by the name that each access tells", .proves("TOK-4"))
    func byService() throws {
        var (stage, service, app) = try Stage.authorized()
        guard
            case .granted(let access) = try stage.use(
                Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text), Stage.papi)
        else {
            Issue.record("the app has access")
            return
        }
        #expect(stage.store.commit(Batch(at: stage.now, [.revoke(access.grant, .administrator)])) == .applied)
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(try living(stage, service, app) == [true, false])
    }

    // MARK: By assertion

    @Test(
        "The edu-ID service ends by assertion what was granted on it", .proves("TOK-7"),
        arguments: ["assertion", "access_token", nil])
    func byAssertion(hint: String?) throws {
        var (stage, service, app) = try Stage.authorized()
        let other = try stage.redeem("assertion-2")
        confirm(&stage, try stage.takingBack("assertion-1", hint: hint))
        #expect(try living(stage, service, app, other) == [false, false, true])
        let before = stage.store.verdict(of: try app.record, at: stage.now)
        let ground = stage.service.ground(ofAssertion: "assertion-1")
        #expect(before == .revoked(by: ground, at: stage.now, reason: .issuer))
        // At least once: the message may come again, with a new proof.
        confirm(&stage, try stage.takingBack("assertion-1", hint: hint))
        #expect(stage.store.verdict(of: try app.record, at: stage.now) == before)
    }

    @Test(
        "An assertion that is taken back before it came is never redeemed", .proves("TOK-7"),
        arguments: ["assertion", nil])
    func beforeRedemption(hint: String?) throws {
        var stage = try Stage.fresh()
        confirm(&stage, try stage.takingBack("assertion-1", hint: hint))
        let request = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        try Expected("invalid_grant", 400, "AST-3").check(&stage, request)
        #expect(stage.send(try Stage.redeeming(stage.assertion("assertion-2"), stage.instanceProof())).status == .ok)
    }

    @Test("It is remembered for as long as it could be redeemed", .proves("TOK-7"), .proves("TOK-8"))
    func rememberedUntilExpiry() throws {
        var stage = try Stage.fresh()
        let id = stage.service.ground(ofAssertion: "assertion-1")
        let assertion = try stage.assertion()
        confirm(&stage, try stage.takingBack("assertion-1"))
        #expect(stage.store.verdict(of: id, at: stage.now).reason == .issuer)
        #expect(stage.store.lineage(of: id)?.record.audience?.text == Stage.home)
        stage.now = stage.now + .seconds(299)
        _ = stage.store.purge(at: stage.now, keeping: Retention(explained: .zero, settled: .zero))
        try Expected("invalid_grant", 400, "AST-3").check(
            &stage, try Stage.redeeming(assertion, stage.instanceProof()), changes: false)
    }

    @Test(
        "Of a redemption and its revocation at the same moment the revocation wins, in either order",
        .proves("threat-31"))
    func raceWithRedemption() throws {
        var stage = try Stage.fresh()
        let (revoked, refused) = stage.race(
            try stage.takingBack("a-1"), try Stage.redeeming(stage.assertion("a-1"), stage.instanceProof()))
        #expect(revoked.status == .ok)
        Expected("invalid_grant", 400, "AST-3").check(refused, stage.refusals.last)
        let (given, confirmed) = stage.race(
            try Stage.redeeming(stage.assertion("a-2"), stage.instanceProof()), try stage.takingBack("a-2"))
        let held = try Held(given, .pair(Pair.instance), of: Stage.instance)
        #expect(confirmed.status == .ok)
        #expect(try living(stage, held) == [false])
    }

    static let flaws: [Flaw] = [
        Flaw("by another key", "RFC7515-5.2") { draft, _ in draft.signed(by: Pair.stranger) },
        Flaw("by another service in its place", "RFC8725-3.8") { draft, _ in
            draft.claiming(["iss": "https://beta.example.ch"])
        },
        Flaw("about another client", "RFC7523-3") { draft, _ in draft.claiming(["sub": "https://beta.example.ch"]) },
        Flaw("for another service", "RFC7519-4.1.3") { draft, _ in draft.claiming(["aud": "https://beta.example.ch"]) },
        Flaw("expired", "RFC7519-4.1.4") { draft, stage in
            draft.claiming(["iat": stage.time(-60), "exp": stage.time(0)])
        },
        Flaw("without a name", "RFC7519-4") { draft, _ in draft.claiming(["jti": .null]) },
        Flaw("that is a service assertion", "RFC8725-3.11") { draft, _ in
            draft.heading(["typ": "authorization-grant+jwt"])
        },
    ]

    @Test("Nobody else takes assertions back", .proves("threat-33"), arguments: flaws)
    func flawedAssertion(_ flaw: Flaw) throws {
        var (stage, _, _) = try Stage.authorized()
        let proof = try flaw.change(stage.clientAssertion(), stage)
        try Expected("invalid_client", 401, flaw.clause).check(
            &stage,
            try Stage.form(
                [
                    "token": "assertion-1", "token_type_hint": "assertion",
                    "client_assertion_type": ClientCredential.assertionType,
                    "client_assertion": proof.text,
                ], to: Stage.revoke))
    }

    @Test("The edu-ID service's proof is good for one request", .proves("threat-36"))
    func replayedAssertion() throws {
        var stage = try Stage.fresh()
        let request = try stage.takingBack("assertion-1")
        confirm(&stage, request)
        let before = stage.state
        #expect(stage.send(request).status == .unauthorized)
        #expect(stage.state == before)
    }

    @Test("The edu-ID service ends assertions, and nothing else by its name", .proves("threat-33"))
    func otherRecordsByAssertion() throws {
        var (stage, service, app) = try Stage.authorized()
        for name in [service.id, app.id, app.access, app.refresh] {
            confirm(&stage, try stage.takingBack(name))
            #expect(try living(stage, service, app) == [true, true])
        }
    }

    // MARK: Of other people's tokens

    @Test("Unknown and foreign tokens are confirmed alike, and nothing ends", .proves("threat-33"))
    func foreignTokens() throws {
        var (stage, service, app) = try Stage.authorized()
        let other = try stage.redeem("assertion-2")
        let elsewhere = try stage.authorize(with: other, for: "ch.example.other")
        for token in [
            elsewhere.access, elsewhere.refresh, other.access, other.refresh, "unknown", "a.b.c", "assertion-2",
            other.id,
        ] {
            confirm(&stage, try stage.revoking(token, by: app))
            confirm(&stage, try stage.revoking(token, by: service))
        }
        // An app does not end what it stands on either.
        confirm(&stage, try stage.revoking(service.access, by: app))
        confirm(&stage, try stage.revoking("assertion-1", by: app))
        #expect(try living(stage, service, app, other, elsewhere) == [true, true, true, true])
    }

    @Test("Who asks has to prove it, whatever the token", .proves("threat-33"))
    func unproved() throws {
        var (stage, _, app) = try Stage.authorized()
        let denied = { (clause: String) in Expected("invalid_client", 401, clause) }
        try denied("RFC7009-2.1").check(&stage, try Stage.form(["token": app.access], to: Stage.revoke))
        try denied("RFC7009-2.1").check(
            &stage, try Stage.form(["token": app.access, "client_id": Stage.reader], to: Stage.revoke))
        try denied("threat-36").check(
            &stage, try Stage.form(["token": app.access], to: Stage.revoke, bearer: app.access))
        let proof = stage.proof(app, Stage.revoke)
        try denied("RFC7515-5.2").check(
            &stage,
            try Stage.form(["token": app.access], to: Stage.revoke, bearer: proof.signed(by: Pair.stranger).text))
        try denied("RFC7519-4.1.3").check(
            &stage, try Stage.form(["token": app.access], to: Stage.revoke, bearer: stage.proof(app).text))
        try Expected("invalid_request", 400, "RFC6749-3.1").check(
            &stage, try Stage.form([:], to: Stage.revoke, bearer: proof.text))
    }

    // MARK: Life

    @Test("An expired access token still leads to the grant that is to end", .proves("TOK-6"))
    func expiredToken() throws {
        var (stage, service, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(86_400)
        confirm(&stage, try stage.revoking(service.access, by: service))
        #expect(try living(stage, service, app) == [false, false])
    }

    @Test("An expired access token with its DPoP proof ends its grant", .proves("TOK-4"), .proves("POP-1"))
    func expiredProof() throws {
        var (stage, _, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(86_400)
        var request = try Stage.form(["token": app.refresh], to: Stage.revoke)
        try request.fields.append(.authorization, "DPoP " + app.access)
        try request.fields.append(.dpop, stage.dpop(app, Stage.revoke, with: app.access).text)
        confirm(&stage, request)
        #expect(try living(stage, app) == [false])
    }

    @Test("What has ended is confirmed again to whoever asks again", .proves("TOK-4"))
    func again() throws {
        var (stage, service, app) = try Stage.authorized()
        confirm(&stage, try stage.revoking(service.access, by: service))
        let verdict = stage.store.verdict(of: try app.record, at: stage.now)
        stage.now = stage.now + .seconds(10)
        confirm(&stage, try stage.revoking(service.access, by: service))
        confirm(&stage, try stage.revoking(app.access, by: app))
        #expect(stage.store.verdict(of: try app.record, at: stage.now) == verdict)
    }

    @Test("What was revoked stays so after a restart, and when everything has expired", .proves("TOK-8"))
    func restart() throws {
        var (stage, service, app) = try Stage.authorized()
        confirm(&stage, try stage.revoking(service.access, by: service))
        var restoration = MemoryStore.Restoration()
        try restoration.read(stage.state)
        stage.store = try restoration.finish(expecting: stage.store.head).tree
        #expect(try living(stage, service, app) == [false, false])
        stage.now = stage.now + .seconds(400 * 86_400)
        _ = stage.store.purge(at: stage.now, keeping: Retention())
        #expect(try living(stage, service, app) == [false, false])
        #expect(stage.send(try stage.refreshing(app)).status != .ok)
    }

    @Test("A service that cannot store a revocation does not confirm it", .proves("threat-32"))
    func notStored() throws {
        var (stage, service, _) = try Stage.authorized()
        let request = try stage.revoking(service.access, by: service)
        var exchange = stage.service.exchange(for: request, at: stage.now, using: &stage.entropy)
        // Nothing is supplied: there is no answer yet but that the service cannot know.
        guard case .respond(let response) = exchange.decision.conclusion(after: .applied) else {
            Issue.record("an exchange that lacks something refuses")
            return
        }
        #expect(response.status == .serviceUnavailable)
        #expect(exchange.decision.batch.changes.isEmpty)
        while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(stage.store.load(keys))) }
        let conflict = Batch.Outcome.conflict(.unknown(try service.record), change: 0)
        guard case .startOver = exchange.decision.conclusion(after: conflict) else {
            Issue.record("a conflict confirms nothing")
            return
        }
    }
}
