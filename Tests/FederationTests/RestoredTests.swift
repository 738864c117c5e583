import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

/// What parties do whose store was restored from a copy without proof that nothing is missing (threat 67).
@Suite("Restored stores")
struct RestoredTests {
    // MARK: The edu-ID service

    /// Ada is signed in and was introduced to a service; then the store is lost, and what is there is a copy.
    private func scene() throws -> (scene: Scene, assertion: String) {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        scene.wait(30)
        scene.store = try scene.store.restored(at: scene.now)
        return (scene, assertion)
    }

    @Test("Users sign in again, and nothing from before opens anything", .proves("threat-67"))
    func signIn() throws {
        var (scene, assertion) = try scene()
        scene.wait(61)
        let old = scene.phone.personal
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "threat-67")
        let renewal = try scene.refresh(old?.refresh, by: old)
        renewal.expectRefusal("invalid_grant", 400, "threat-67")
        #expect(renewal["error_description"]?.contains("sign in again") == true)
        let introduction = try scene.introduce()
        #expect(introduction.status != 200 && introduction.refusal?.clause == "threat-67")
        #expect(try scene.introspect(assertion, by: 0).json?["active"] == false)
        // Nobody is told that something ended, because nothing did.
        #expect(scene.reconcile().changes.isEmpty && scene.messages.isEmpty)
        scene.phone = try scene.signIn(scene.phone)
        try scene.asUser(.get, "userinfo").expectSuccess()
        let anew = try #require(try scene.introduce()["code"])
        #expect(try scene.introspect(anew, by: 0).json?["active"] == true)
        // The new introduction took the place of the one before; the old token is none any more.
        #expect(try scene.introspect(assertion, by: 0).json?["active"] == false)
        try scene.refresh(old?.refresh, by: old).expectRefusal("invalid_grant", 400, "RFC6749-6")
    }

    @Test("Who is there according to the copy keeps nobody out who signs in", .proves("threat-67"), .proves("USR-1"))
    func anotherUser() throws {
        var (scene, _) = try scene()
        scene.wait(61)
        let ada = scene.phone.personal
        scene.phone = try scene.signIn(scene.phone, as: scene.bob)
        #expect(try scene.verdict(ada).reason == .superseded)
        #expect(try scene.asUser(.get, "userinfo")["name"] == "Bob")
    }

    @Test("An instance proves its key and registers anew", .proves("threat-67"))
    func registration() throws {
        var (scene, _) = try scene()
        scene.wait(61)
        let proof = try scene.proof(scene.phone.client, for: "token")
        let pairs = [("grant_type", "client_credentials"), ("instance_assertion", proof)]
        let reply = scene.send(try scene.form("token", pairs, .assertion(try scene.statement(of: scene.phone))))
        reply.expectSuccess()
        scene.phone.client = try scene.phone.held(reply)
        scene.phone = try scene.signIn(scene.phone)
        try scene.asUser(.get, "userinfo").expectSuccess()
        // Another device is new.
        #expect(try scene.otherPhone().client != nil)
    }

    @Test("Proofs from before, and from the minute after, are put off", .proves("threat-67"), .proves("threat-36"))
    func proofs() throws {
        var (scene, _) = try scene()
        for seconds in [0, 60] as [Int64] {
            scene.wait(seconds)
            let reply = try scene.challenge(scene.phone)
            #expect(reply.status == 503 && reply.response.fields.value(of: .retryAfter) == .once("60"))
        }
        scene.wait(1)
        try scene.challenge(scene.phone).expectSuccess()
    }

    @Test("Ending works at once", .proves("threat-67"), arguments: ["revoke", "disconnect", "sign out", "block"])
    func ending(way: String) throws {
        var (scene, _) = try scene()
        let personal = scene.phone.personal
        switch way {
        case "revoke": try scene.revoke(personal?.token, by: personal).expectSuccess()
        case "disconnect": try scene.asUser(.delete, "instances/" + scene.phone.id).expectSuccess(204)
        case "sign out": scene.administrate(.signOut(scene.parties.person.subject)).expectSuccess(204)
        default:
            let version = try #require(scene.service.versions.all.first?.keyID)
            scene.administrate(.block(version)).expectSuccess(204)
        }
        // The service of the assertion is told.
        #expect(scene.messages.count == 1)
        if way != "block" { #expect(try !scene.verdict(personal).grantLives) }
    }

    // MARK: A service

    @Test("A grant from before opens nothing and is not renewed", .proves("threat-67"))
    func grants() throws {
        var (stage, service, app) = try Stage.authorized()
        stage.now = stage.now + .seconds(30)
        stage.store = try stage.store.restored(at: stage.now)
        stage.now = stage.now + .seconds(61)
        #expect(try !stage.opens(Stage.papi, app))
        #expect(stage.refusals.last?.clause == "threat-67")
        let refusal = Expected("invalid_grant", 400, "threat-67")
        for held in [service, app] { try refusal.check(&stage, try stage.refreshing(held)) }
        #expect(stage.refusals.last?.text.contains("authorize the service again") == true)
        // No app is let in by it either.
        let code = try stage.code(with: service, binding: Pair.app)
        let response = stage.send(try Stage.authorizing(code, stage.proof(service)))
        #expect(response.status == .unauthorized && stage.refusals.last?.clause == "threat-67")
        // A new introduction makes new records, which are good by themselves.
        let anew = try stage.redeem("assertion-2")
        #expect(try stage.opens(Stage.papi, stage.authorize(with: anew)))
        #expect(try !stage.opens(Stage.papi, app))
    }

    @Test("The upkeep asks whether what was given still stands", .proves("threat-67"), .proves("AST-8"))
    func asking() throws {
        var stage = try Stage(introspecting: true)
        let names = (1...20).map { "assertion-\($0)" }
        func word(_ name: String, of subject: String = Stage.user) -> HTTP.Response {
            let facts: JSON.Object = ["active": true, "jti": .string(name), "sub": .string(subject)]
            return HTTP.Response(.ok, body: facts.encoded())
        }
        var held: [Held] = []
        for name in names {
            stage.answer = word(name)
            held.append(try stage.redeem(name))
        }
        stage.now = stage.now + .seconds(3_000)
        stage.store = try stage.store.restored(at: stage.now)
        func state(_ number: Int) throws -> Verdict {
            stage.store.verdict(of: try held[number].record, at: stage.now)
        }
        var (upkeep, asked): (Upkeep, [String]) = (Upkeep(), [])
        func tick(_ answer: (String) -> HTTP.Response?) throws {
            var (store, entropy) = (stage.store, stage.entropy)
            _ = upkeep.tick(for: stage.service, in: &store, at: stage.now, using: &entropy) { request in
                let name = (try? HTTP.Form(parsing: request.body))?.pairs.first { $0.name == "token" }?.value
                asked.append(name ?? "")
                return name.flatMap(answer)
            }
            (stage.store, stage.entropy) = (store, entropy)
        }
        // While nobody answers, nothing is confirmed, and nothing ends.
        try tick { _ in nil }
        #expect(asked.count == 1 && stage.store.unprovenBefore != nil)
        #expect(try (0..<20).allSatisfy { try state($0).isUnconfirmed })
        asked = []
        try tick { name in
            switch name {
            case "assertion-3": HTTP.Response(.ok, body: (["active": false] as JSON.Object).encoded())
            case "assertion-4": word("assertion-5")
            case "assertion-6": word(name, of: "somebody-else")
            default: word(name)
            }
        }
        #expect(Set(asked) == Set(names) && asked.count == 20)
        for number in 0..<20 {
            switch number {
            case 2: #expect(try state(number).reason == .issuer)
            case 3, 5: #expect(try state(number).isUnconfirmed)
            default: #expect(try state(number).grantLives && !state(number).isUnconfirmed)
            }
        }
        stage.now = stage.now + .seconds(61)
        #expect(stage.send(try stage.refreshing(held[0])).status == .ok)
        #expect(stage.send(try stage.refreshing(held[3])).status != .ok)
        // A store that is whole asks nobody.
        var (whole, fresh) = (try Stage(introspecting: true), Upkeep())
        whole.answer = word("assertion-1")
        _ = try whole.redeem()
        _ = fresh.tick(for: whole.service, in: &whole.store, at: whole.now, using: &whole.entropy) { _ in
            Issue.record("asked")
            return nil
        }
    }

    @Test("What an app has lost since the copy was made does not come back", .proves("threat-67"), .proves("TOK-8"))
    func apps() throws {
        var stage = try Stage(introspecting: true)
        let facts: JSON.Object = ["active": true, "jti": "assertion-1", "sub": .string(Stage.user)]
        stage.answer = HTTP.Response(.ok, body: facts.encoded())
        let service = try stage.redeem()
        let (lost, kept) = (try stage.authorize(with: service), try stage.authorize(with: service))
        let copy = stage.store
        #expect(stage.send(try stage.revoking(lost.access, by: service)).status == .ok)
        stage.now = stage.now + .seconds(30)
        stage.store = try copy.restored(at: stage.now)
        stage.now = stage.now + .seconds(61)
        var (upkeep, store, entropy) = (Upkeep(), stage.store, stage.entropy)
        _ = upkeep.tick(for: stage.service, in: &store, at: stage.now, using: &entropy) { _ in stage.answer }
        (stage.store, stage.entropy) = (store, entropy)
        for app in [lost, kept] { #expect(try !stage.opens(Stage.papi, app)) }
        // The instance goes on, and the app asks again.
        let anew = try stage.authorize(with: service)
        #expect(try stage.opens(Stage.papi, anew))
    }

    @Test("A service asks about its own assertions by their names", .proves("threat-67"), .proves("threat-33"))
    func byName() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let name = try #require(try claims(of: assertion)["jti"]?.string)
        scene.wait(86_400)
        let reply = try scene.introspect(name, by: 0)
        #expect(reply.json?["active"] == true && reply["jti"] == name)
        #expect(try reply["sub"] == claims(of: assertion)["sub"]?.string && reply["user_token"] == nil)
        #expect(try scene.introspect(name, by: 1).json == ["active": false])
        for other in [try #require(scene.phone.personal?.keyID), "nobody"] {
            #expect(try scene.introspect(other, by: 0).json == ["active": false])
        }
        var restored = scene
        restored.store = try scene.store.restored(at: scene.now)
        restored.wait(61)
        #expect(try restored.introspect(name, by: 0).json == ["active": false])
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(try scene.introspect(name, by: 0).json == ["active": false])
    }

    @Test("What is taken back or given up ends at once", .proves("threat-67"), arguments: [false, true])
    func ends(isTakenBack: Bool) throws {
        var (stage, service, app) = try Stage.authorized()
        stage.store = try stage.store.restored(at: stage.now)
        let request = isTakenBack ? try stage.takingBack("assertion-1") : try stage.revoking(app.access, by: service)
        #expect(stage.send(request).status == .ok)
        #expect(stage.store.verdict(of: try app.record, at: stage.now).grantLives == false)
    }

    @Test("An assertion from before is not redeemed again, however fresh its proof", .proves("threat-67"))
    func redemption() throws {
        var stage = try Stage.fresh()
        let copy = stage.store
        let assertion = try stage.assertion()
        _ = try stage.redeem()
        #expect(stage.send(try stage.takingBack("assertion-1")).status == .ok)
        stage.now = stage.now + .seconds(30)
        stage.store = try copy.restored(at: stage.now)
        stage.now = stage.now + .seconds(61)
        let response = stage.send(try Stage.redeeming(assertion, stage.instanceProof()))
        #expect(response.status == .serviceUnavailable && stage.store.count == 0)
        #expect(
            stage.send(try Stage.redeeming(try stage.assertion("assertion-2"), stage.instanceProof())).status == .ok)
    }
}

extension MemoryStore {
    /// What a host has that restored a copy of the store, and does not know what was written afterwards.
    func restored(at now: Timestamp) throws -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(snapshot().encoded())
        var journal: [UInt8] = []
        return try restoration.finish(unprovenAt: now, journal: &journal).tree
    }
}
