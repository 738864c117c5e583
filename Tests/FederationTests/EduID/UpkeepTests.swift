import Federation
import FederationTesting
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("What timers do")
struct UpkeepTests {
    /// What a tick asked of whom, where only some answer.
    private func tick(
        _ upkeep: inout Upkeep, _ scene: inout Scene, answering: (String) -> Bool
    ) -> (asked: [String], confirmed: Int) {
        var (store, asked) = (scene.store, [String]())
        let (service, now) = (scene.service, scene.now)
        let report = upkeep.tick(
            for: service, in: &store, at: now, using: &scene.parties.federation.entropy
        ) { request in
            guard case .absolute(let url) = request.target else { return nil }
            asked.append(url.origin.text + "/")
            return answering(url.origin.text + "/") ? HTTP.Response(.ok) : nil
        }
        scene.store = store
        return (asked, report.confirmed)
    }

    @Test("Who does not answer is asked once in a round, and keeps nobody waiting", .proves("TOK-7"))
    func silence() throws {
        var scene = try Scene.signedIn()
        let ground = try TokenID(parsing: try #require(scene.phone.personal?.keyID))
        let audience = try Record.Audience(parsing: Scene.alpha)
        let given = (0..<5).map { number in
            Change.insert(
                Record(
                    id: TokenID(stringLiteral: "given-\(number)"), kind: .assertion, parent: ground,
                    issued: scene.now, audience: audience, accessExpiry: scene.now + .seconds(300)))
        }
        #expect(scene.store.commit(Batch(at: scene.now, given)) == .applied)
        try scene.introduce(to: Scene.beta).expectSuccess()
        try scene.signOut()
        #expect(scene.messages.count == 6)
        var upkeep = Upkeep()
        let first = tick(&upkeep, &scene) { $0 == Scene.beta }
        #expect(first.asked.sorted() == [Scene.alpha, Scene.beta] && first.confirmed == 1)
        // Nothing is lost by that: who answers again is told of everything.
        for _ in 0..<10 {
            scene.wait(3_600)
            _ = tick(&upkeep, &scene) { _ in true }
        }
        #expect(scene.messages.isEmpty)
    }

    @Test("When many are silent, the others wait for the next tick: proofs are good for a minute", .proves("TOK-7"))
    func silences() throws {
        var scene = try Scene.signedIn()
        let ground = try TokenID(parsing: try #require(scene.phone.personal?.keyID))
        let places = (0..<6).map { "https://gone-\($0).example.ch/" }
        let given = try places.enumerated().map { number, place in
            Change.insert(
                Record(
                    id: TokenID(stringLiteral: "given-\(number)"), kind: .assertion, parent: ground,
                    issued: scene.now,
                    audience: try Record.Audience(parsing: place), accessExpiry: scene.now + .seconds(300),
                    attributes: ["revocation": .string(place + "revoke")]))
        }
        #expect(scene.store.commit(Batch(at: scene.now, given)) == .applied)
        try scene.signOut()
        var upkeep = Upkeep()
        let first = tick(&upkeep, &scene) { _ in false }
        #expect(Set(first.asked).count == 4 && first.asked.count == 4)
        // Those who were not asked come first.
        let second = tick(&upkeep, &scene) { _ in true }
        #expect(Set(second.asked) == Set(places).subtracting(first.asked) && second.confirmed == 2)
    }

    @Test("What was put off by a clock that was ahead is due when the clock is put right", .proves("threat-66"))
    func clock() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let right = scene.now
        var upkeep = Upkeep()
        _ = tick(&upkeep, &scene) { _ in true }
        scene.wait(90_000)
        scene.administrate(.signOut(scene.parties.person.subject)).expectSuccess(204)
        #expect(tick(&upkeep, &scene) { _ in false }.asked == [Scene.alpha])
        scene.wait(-90_000 + 10)
        #expect(scene.now == right + .seconds(10))
        #expect(tick(&upkeep, &scene) { _ in true }.confirmed == 1)
        #expect(scene.messages.isEmpty)
    }
}
