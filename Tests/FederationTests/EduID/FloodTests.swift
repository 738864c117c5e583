import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

extension MemoryStore {
    /// A store with room for little that must not pass again.
    static var narrow: MemoryStore { MemoryStore(limits: Limits(replayKeys: 64)) }

    /// Lets others' proofs fill what room there is.
    mutating func fill(until end: Timestamp, at now: Timestamp) {
        for number in 0... {
            let key = ReplayKey("proof", "holder-\(number)", "n")
            guard commit(Batch(at: now, [.remember(key, until: end)])) == .applied else { return }
        }
    }
}

@Suite("A memory that is full")
struct FloodTests {
    /// Ada is signed in on a device, and a flood of proofs leaves no room.
    private func flooded() throws -> Scene {
        var scene = try Scene.fresh()
        scene.store = .narrow
        scene.phone = try scene.signIn(try scene.register(scene.phone))
        scene.store.fill(until: scene.now + .seconds(61), at: scene.now)
        return scene
    }

    private func expectPause(_ response: HTTP.Response, location: SourceLocation = #_sourceLocation) throws {
        #expect(response.status == .serviceUnavailable, sourceLocation: location)
        #expect(response.fields.value(of: .retryAfter) == .once("64"), sourceLocation: location)
        let error = try JSON(parsing: response.body)["error"]?.string
        #expect(error == "temporarily_unavailable", sourceLocation: location)
    }

    @Test("A full memory is told at once, and when to come back", .proves("threat-62"))
    func pause() throws {
        var scene = try flooded()
        let reply = try scene.asUser(.get, "userinfo")
        try expectPause(reply.response)
        #expect(reply.rounds == 1)
        // Each of the two drivers asks the store once.
        let request = try scene.request(
            .get, "userinfo", .bearer(scene.proof(scene.phone.personal, for: "userinfo")))
        var store = CountingStore(tree: scene.store)
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var notes: [String] = []
        let response = scene.service.answer(
            request, in: &store, at: scene.now, using: &entropy, hear: { notes.append($0.refusal?.clause ?? "-") })
        try expectPause(response)
        #expect(store.commits == 1)
        #expect(notes == ["threat-62"])
        // In time there is room again.
        scene.wait(64 + 121)
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test("A store whose answers take time is asked once, too", .proves("threat-62"))
    func pauseAfterAWhile() async throws {
        var scene = try flooded()
        let request = try scene.request(
            .get, "userinfo", .bearer(scene.proof(scene.phone.personal, for: "userinfo")))
        let store = SharedStore(CountingStore(tree: scene.store))
        var entropy = SimulatedFederation.Entropy(seed: 1)
        try expectPause(await scene.service.answer(request, in: store, at: scene.now, using: &entropy))
        #expect(store.contents.commits == 1)
    }

    @Test("Ending something never waits for room: at the edu-ID service", .proves("threat-62"), arguments: 0..<3)
    func endings(_ way: Int) throws {
        var scene = try flooded()
        scene.service.policy.administrators = [scene.parties.person.subject]
        let other = scene.phone.personal
        switch way {
        case 0: try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        case 1: try scene.asUser(.delete, "instances/" + scene.phone.id).expectSuccess(204)
        default: try scene.asUser(.delete, "admin/users/user-0001").expectSuccess(204)
        }
        #expect(try !scene.verdict(other).grantLives)
    }

    @Test("A refresh token that comes twice ends its family even then", .proves("threat-62"), .proves("threat-28"))
    func reuse() throws {
        var scene = try Scene.fresh()
        scene.store = .narrow
        scene.phone = try scene.signIn(try scene.register(scene.phone))
        let spent = scene.phone.personal?.refresh
        try scene.refresh(spent, by: scene.phone.personal).expectSuccess()
        scene.wait(61)
        scene.store.fill(until: scene.now + .seconds(61), at: scene.now)
        try scene.refresh(spent, by: scene.phone.personal).expectRefusal(
            "invalid_grant", 400, "threat-28", changing: true)
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
    }

    @Test("Ending something never waits for room: at a service", .proves("threat-62"), arguments: [false, true])
    func endingsAtServices(takesBack: Bool) throws {
        var stage = try Stage.fresh()
        stage.store = .narrow
        let held = try stage.redeem()
        stage.store.fill(until: stage.now + .seconds(61), at: stage.now)
        try expectPause(stage.send(stage.refreshing(held)))
        guard
            case .refused(let refusal) = try stage.use(
                Stage.get(Stage.token, bearer: stage.proof(held, Stage.token).text), Stage.token)
        else { throw Missing(member: "a refusal") }
        try expectPause(refusal)
        let request = takesBack ? try stage.takingBack("assertion-1") : try stage.revoking(held.access, by: held)
        #expect(stage.send(request).status == .ok)
        #expect(stage.store.verdict(of: try held.record, at: stage.now).grantLives == false)
    }

    @Test("A statement without an end is not remembered for ever", .proves("threat-62"))
    func bounded() throws {
        var scene = try Scene.fresh()
        let statement = try scene.statement(of: scene.phone) {
            $0["jti"] = "statement-1"
            $0["exp"] = 253_402_300_799
        }
        let reply = scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
        reply.expectSuccess()
        let ends = reply.changes.compactMap { if case .remember(_, let until, _) = $0 { until } else { nil } }
        #expect(!ends.isEmpty && ends.allSatisfy { $0 <= scene.now + .seconds(86_400) })
    }
}

/// A store that counts how often it was asked to commit.
private struct CountingStore: TokenStore, Sendable {
    var tree: MemoryStore
    var commits = 0

    func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }
    mutating func commit(_ batch: Batch) -> Batch.Outcome {
        commits += 1
        return tree.commit(batch)
    }
    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        tree.purge(at: now, keeping: retention)
    }
}
