import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("People who are forgotten")
struct ErasureTests {
    private static let ada: Record.Subject = "user-0001"

    @Test(
        "At the edu-ID service names and uses go, services are told, and nothing revives", .proves("threat-75"),
        arguments: [false, true])
    func atTheEduIDService(byRequest: Bool) throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        // A code that nobody has redeemed yet.
        _ = try scene.code(of: scene.phone)
        let personal = scene.phone.personal
        var reply: Reply
        if byRequest {
            scene.service.policy.administrators = [Self.ada]
            reply = try scene.asUser(.delete, "admin/users/user-0001/data")
        } else {
            reply = scene.administrate(.forget(Self.ada))
        }
        reply.expectSuccess(204)
        #expect(scene.messages.count == 1)
        #expect(try !scene.verdict(personal).grantLives)
        let text = String(decoding: scene.store.snapshot().encoded(), as: UTF8.self)
        #expect(!text.contains("user-0001") && text.contains("forgotten:"))
        // Nobody is there any more who could be forgotten; the instance is, and Ada can begin anew.
        scene.administrate(.forget(Self.ada)).expectSuccess(404)
        scene.phone = try scene.signIn(scene.phone)
        #expect(try scene.asUser(.get, "usage").json == [])
    }

    @Test("At a service claims and names go, and nothing revives", .proves("threat-75"))
    func atAService() throws {
        var (stage, service, app) = try Stage.authorized()
        #expect(String(decoding: stage.state, as: UTF8.self).contains("given_name"))
        let now = stage.now
        let (party, user) = (stage.service, try Record.Subject(parsing: Stage.user))
        var entropy = stage.entropy
        #expect(stage.store.carryOut { party.forgetting(user, at: now, using: &entropy) } == .success(true))
        let text = String(decoding: stage.state, as: UTF8.self)
        #expect(!text.contains("given_name") && !text.contains(Stage.user) && text.contains("forgotten:"))
        #expect(try !stage.opens(Stage.token, service) && !stage.opens(Stage.papi, app))
        #expect(stage.store.carryOut { party.forgetting(user, at: now, using: &entropy) } == .success(false))
        // The same assertion is still no second time good.
        try Expected("invalid_grant", 400, "AST-3").check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
    }

    @Test("Texts that were replaced go with the next purge", .proves("threat-75"))
    func litter() throws {
        var store = MemoryStore()
        let client = Record(id: "client", kind: .client, parent: "version", issued: .epoch, holder: "c")
        let version = Record(id: "version", kind: .versionKey, parent: nil, issued: .epoch, holder: "v")
        #expect(store.commit(Batch(at: .epoch, [.insert(version), .insert(client)])) == .applied)
        let empty = store.textByteCount
        for number in 0..<100 {
            let attributes: JSON.Object = ["n": .string(String(repeating: "x", count: 100) + "\(number)")]
            #expect(store.commit(Batch(at: .epoch, [.describe("client", attributes)])) == .applied)
        }
        #expect(store.textByteCount > empty + 10_000)
        _ = store.purge(at: .epoch, keeping: Retention())
        #expect(store.textByteCount < empty + 200)
    }
}
