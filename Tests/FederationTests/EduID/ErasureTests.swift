import Federation
import FederationTesting
import OAuth2Grants
import RSD2
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
        #expect(String(decoding: scene.store.snapshot().encoded(), as: UTF8.self).contains("device-1"))
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
        // Nor what she called her phone.
        #expect(!text.contains("device-1"))
        // Nobody is there any more who could be forgotten; the instance is, and Ada can begin anew.
        scene.administrate(.forget(Self.ada)).expectSuccess(404)
        scene.phone = try scene.signIn(scene.phone)
        #expect(try scene.asUser(.get, "usage").json == [])
    }

    @Test("Where too much has to end before, nothing is forgotten until it has", .proves("threat-75"))
    func inSteps() throws {
        var scene = try Scene.signedIn()
        let now = scene.now
        let version = try #require(
            scene.store.lineage(of: TokenID(parsing: scene.phone.client?.keyID ?? ""))?.record.parent)
        let changes = (0..<256).flatMap { number -> [Change] in
            let client = TokenID(stringLiteral: "many-\(number)")
            let holder = Record.Holder(stringLiteral: "00000000-0000-4000-9000-\(100_000_000_000 + number)")
            return [
                .insert(Record(id: client, kind: .client, parent: version, issued: now, holder: holder)),
                .insert(
                    Record(
                        id: TokenID(stringLiteral: "personal-\(number)"), kind: .personal, parent: client, issued: now,
                        subject: Self.ada)),
            ]
        }
        #expect(scene.store.commit(Batch(at: now, changes)) == .applied)
        let first = scene.administrate(.forget(Self.ada))
        #expect(first.status == 202 && !first.changes.contains(.forget(Self.ada)))
        #expect(String(decoding: scene.store.snapshot().encoded(), as: UTF8.self).contains("user-0001"))
        scene.administrate(.forget(Self.ada)).expectSuccess(204)
        #expect(!String(decoding: scene.store.snapshot().encoded(), as: UTF8.self).contains("user-0001"))
    }

    @Test("Services are told first, of some at a time", .proves("threat-75"), .proves("TOK-7"))
    func introductions() throws {
        var scene = try Scene.signedIn()
        let ground = try TokenID(parsing: try #require(scene.phone.personal?.keyID))
        let given = (0..<300).map { number in
            Change.insert(
                Record(
                    id: TokenID(stringLiteral: "given-\(number)"), kind: .assertion, parent: ground, issued: scene.now,
                    subject: Self.ada, audience: "https://alpha.example.ch/",
                    attributes: ["revocation": .string("https://alpha.example.ch/\(number)")]))
        }
        #expect(scene.store.commit(Batch(at: scene.now, given)) == .applied)
        let first = scene.administrate(.forget(Self.ada))
        #expect(first.status == 202 && !first.changes.contains(.forget(Self.ada)))
        scene.administrate(.forget(Self.ada)).expectSuccess(204)
        #expect(Set(scene.messages.compactMap { $0.body["revocation"]?.string }).count == 300)
    }

    @Test(
        "What the app reports meanwhile is not kept", .proves("threat-75"), .proves("TOK-7"), arguments: [false, true])
    func reportedMeanwhile(isLeft: Bool) throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let command =
            isLeft
            ? Administration.leave(try ServiceURL(parsing: Scene.alpha), of: Self.ada) : Administration.forget(Self.ada)
        let proof = try scene.proof(scene.phone.personal, for: "usage")
        let report = try scene.request(
            .post, "usage", .bearer(proof), type: "application/json",
            body: (["service": .string(Scene.alpha), "outcome": "accepted"] as JSON).encoded())
        let reply = scene.send(report) { $0.administrate(command).expectSuccess(204) }
        #expect(reply.rounds == 2)
        #expect(scene.store.load([.services(Self.ada)]).visits(of: Self.ada).isEmpty)
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

    @Test("Where a service has too much to end at once, it ends a part, and says so", .proves("threat-75"))
    func inStepsAtAService() throws {
        var stage = try Stage()
        let user: Record.Subject = "somebody"
        let given = (0..<300).flatMap { number -> [Change] in
            let id = TokenID(stringLiteral: "given-\(number)")
            return [.insert(Record(id: id, kind: .assertion, parent: nil, issued: stage.now, subject: user))]
        }
        #expect(stage.store.commit(Batch(at: stage.now, given)) == .applied)
        let (party, now) = (stage.service, stage.now)
        var entropy = stage.entropy
        let first = stage.store.carryOut { party.forgetting(user, at: now, using: &entropy) }
        guard case .failure(let refusal) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(refusal.clause == "threat-75" && stage.store.living(.assertion, at: now) == 44)
        #expect(stage.store.carryOut { party.forgetting(user, at: now, using: &entropy) } == .success(true))
        #expect(!String(decoding: stage.state, as: UTF8.self).contains("somebody"))
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

@Suite("Registrations that nobody uses")
struct IdleRegistrationTests {
    private func scene() throws -> Scene {
        var scene = try Scene.signedIn()
        scene.service.policy.idleRegistrations = .seconds(1_000)
        return scene
    }

    @Test("An instance on which nobody is signed in ends after the time that the policy says", .proves("threat-75"))
    func idle() throws {
        var scene = try scene()
        let other = try scene.otherPhone()
        scene.wait(999)
        #expect(scene.reconcile().changes.isEmpty)
        scene.wait(1)
        #expect(scene.reconcile().changes.count == 1)
        #expect(try scene.verdict(other.client).reason == .administrator)
        // Somebody is signed in on the phone, however long ago that was.
        #expect(try scene.verdict(scene.phone.client).isLive)
        #expect(scene.reconcile().changes.isEmpty)
        // It registers anew, with the key that it has.
        _ = try scene.register(other)
    }

    @Test("The time begins with the last sign-in", .proves("threat-75"))
    func afterSignOut() throws {
        var scene = try scene()
        scene.wait(2_000)
        scene.phone = try scene.signIn(scene.phone)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        scene.wait(999)
        #expect(scene.reconcile().changes.isEmpty)
        scene.wait(1)
        #expect(scene.reconcile().changes.count == 1)
        #expect(try !scene.verdict(scene.phone.client).grantLives)
    }

    @Test("Without such a policy nothing ends", .proves("threat-75"))
    func unbounded() throws {
        var scene = try Scene.registered()
        scene.wait(100 * 365 * 86_400)
        #expect(scene.reconcile().changes.isEmpty)
        #expect(try scene.verdict(scene.phone.client).grantLives)
    }

    @Test("Assertions come first, then instances, page by page", .proves("threat-75"))
    func pages() throws {
        var scene = try scene()
        let own = try #require(scene.phone.client)
        let version = try #require(scene.store.lineage(of: TokenID(parsing: own.keyID)))
        let instances = try (1_000..<1_300).map { number in
            Record(
                id: try TokenID(parsing: "instance-\(number)"), kind: .client, parent: version.record.parent,
                issued: scene.now, holder: try Record.Holder(parsing: "00000000-0000-4000-8000-00000000\(number)"))
        }
        #expect(scene.store.commit(Batch(at: scene.now, instances.map { .insert($0) })) == .applied)
        scene.wait(1_000)
        scene.parties.federation.reconcile()
        let living = scene.store.page(of: .all(.client), limit: 1_000)?.lineages.filter {
            $0.verdict(at: scene.now).grantLives
        }
        #expect(living?.map { $0.record.id.text } == [own.keyID])
    }
}
