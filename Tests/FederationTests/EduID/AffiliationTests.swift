@testable import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(4) Membership as a ground")
struct AffiliationTests {
    private static let staff = "staff@alpha.example.ch"
    private static let student = "student@beta.example.ch"
    private static let claim: JSON.Name = "eduPersonScopedAffiliation"

    /// Ada belongs to two universities, and each has a service for its own people.
    private func scene() throws -> Scene {
        var scene = try Scene.registered()
        try list([.string(Self.staff), .string(Self.student)], &scene)
        try demand([["*@alpha.example.ch"], ["*@beta.example.ch"]], &scene)
        scene.phone = try scene.signIn(scene.phone)
        return scene
    }

    /// What the host's directory lists for Ada from now on.
    private func list(_ affiliations: JSON, _ scene: inout Scene) throws {
        let user = scene.parties.federation.users[0]
        var profile = user.profile
        profile[Self.claim] = affiliations == .null ? nil : affiliations
        scene.parties.federation.users[0] = SimulatedFederation.User(
            user.name, password: user.password, subject: user.subject, profile: profile)
    }

    private func demand(_ demands: [[String]], _ scene: inout Scene) throws {
        scene.service.index = ServiceIndex(
            try zip(scene.service.index.services, demands).map { service, demands in
                var service = service
                service.affiliations = try demands.map { try AffiliationDemand(parsing: $0) }
                service.releasedClaims = ["given_name", Self.claim]
                return service
            })
    }

    /// The records of the affiliations that live.
    private func living(_ scene: Scene) -> [Lineage] {
        (scene.store.page(of: .all(.affiliation), limit: 100)?.lineages ?? [])
            .filter { $0.verdict(at: scene.now).grantLives }
    }

    private func expel(_ affiliation: String, _ scene: inout Scene) throws -> Reply {
        scene.administrate(.expel(try Affiliation(parsing: affiliation), scene.parties.person.subject))
    }

    // MARK: What is demanded

    @Test(
        "One affiliation, or all of one institution, byte for byte", .proves("AFF-1"),
        arguments: [
            ("staff@a.edu", "staff@a.edu", true), ("staff@a.edu", "staff@A.edu", false),
            ("staff@a.edu", "staff@a.edu.evil.example", false), ("*@a.edu", "staff@a.edu", true),
            ("*@a.edu", "student@a.edu", true), ("*@a.edu", "staff@b.edu", false), ("*@a.edu", "staff@A.edu", false),
            ("*@a.edu", "staff@b.edu@a.edu", false), ("*@a.edu", "@a.edu", false), ("*@a.edu", "a.edu", false),
            ("*@a.edu", "*@a.edu", true), ("staff@a.edu", "*@a.edu", false),
        ])
    func demands(_ demand: String, _ affiliation: String, _ isMet: Bool) throws {
        let demand = try AffiliationDemand(parsing: demand)
        #expect(demand.isMet(by: try Affiliation(parsing: affiliation)) == isMet)
    }

    @Test("A demand names an institution", arguments: ["", "*@"])
    func unreadable(_ text: String) {
        #expect(throws: SyntaxError.self) { try AffiliationDemand(parsing: text) }
    }

    // MARK: What stands on it

    @Test("Each introduction stands on the affiliation that its service needs", .proves("AFF-1"))
    func grounds() throws {
        var scene = try scene()
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        let grounds = living(scene)
        #expect(grounds.count == 2 && Set(grounds.compactMap { $0.record.subject }).count == 2)
        let assertions = try #require(scene.store.page(of: .all(.assertion), limit: 9)?.lineages)
        #expect(assertions.map { $0.record.parent } == grounds.map { $0.record.id })
        #expect(grounds.allSatisfy { $0.grounded(on: .personal) != nil })
        // A record tells nobody what it is of.
        let text = String(decoding: scene.store.snapshot().encoded(), as: UTF8.self)
        #expect(!text.contains(Self.staff) && !text.contains(Self.student))
        // The next introduction stands on the same.
        scene.wait(60)
        try scene.introduce().expectSuccess()
        #expect(living(scene).map { $0.record.id } == grounds.map { $0.record.id })
    }

    @Test("A service for everybody needs none, and its introduction stands on the sign-in", .proves("AFF-1"))
    func everybody() throws {
        var scene = try scene()
        try demand([[], []], &scene)
        try scene.introduce().expectSuccess()
        #expect(living(scene).isEmpty)
        let assertion = try #require(scene.store.page(of: .all(.assertion), limit: 9)?.lineages.first)
        #expect(try assertion.record.parent == TokenID(parsing: #require(scene.phone.personal).keyID))
    }

    @Test(
        "Nobody is introduced as what he or she is not known to be", .proves("AFF-1"),
        arguments: [
            .null, [], "student@beta.example.ch", ["staff@alpha.example.ch.evil"], [["staff@alpha.example.ch"]],
            [["scope": "staff@alpha.example.ch"]], 5, "",
        ] as [JSON])
    func stranger(_ listed: JSON) throws {
        var scene = try scene()
        try list(listed, &scene)
        try scene.introduce().expectRefusal("access_denied", 400, "AFF-1", changing: true)
        #expect(living(scene).isEmpty && scene.store.living(.assertion, at: scene.now) == 0)
    }

    @Test("The first that the service prefers counts, and then the person's first", .proves("AFF-1"))
    func preference() throws {
        var scene = try scene()
        try list(["student@alpha.example.ch", .string(Self.staff), .string(Self.student)], &scene)
        try demand([[Self.staff, "*@alpha.example.ch"], ["*@alpha.example.ch", Self.student]], &scene)
        #expect(try claims(of: try scene.introduce()["code"])[Self.claim] == [.string(Self.staff)])
        let other = try claims(of: try scene.introduce(to: Scene.beta)["code"])
        #expect(other[Self.claim] == ["student@alpha.example.ch"])
    }

    @Test("A service learns of the one affiliation, and of no other", .proves("AFF-4"))
    func narrowed() throws {
        var scene = try scene()
        #expect(try claims(of: try scene.introduce()["code"])[Self.claim] == [.string(Self.staff)])
        try demand([[], []], &scene)
        let all: JSON = [.string(Self.staff), .string(Self.student)]
        #expect(try claims(of: try scene.introduce()["code"])[Self.claim] == all)
    }

    @Test("Nor does it learn of one by asking for attributes", .proves("AFF-4"), .proves("AST-8"))
    func userinfo() throws {
        var scene = try scene()
        let assertion = try #require(try scene.introduce()["code"])
        let told = try scene.introspect(assertion, by: 0)
        let token = try #require(told["access_token"] ?? told["user_token"])
        let attributes = scene.send(try scene.request(.get, "userinfo", .bearer(token)))
        attributes.expectSuccess()
        #expect(attributes.json?[Self.claim] == [.string(Self.staff)])
    }

    // MARK: How it ends

    @Test("With one affiliation ends what stands on it, and on nothing else", .proves("AFF-2"), .proves("TOK-7"))
    func expelled() throws {
        var scene = try scene()
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        try list([.string(Self.student)], &scene)
        let reply = try expel(Self.staff, &scene)
        #expect(reply.status == 204)
        scene.wait(1)
        #expect(scene.store.living(.assertion, at: scene.now) == 1 && living(scene).count == 1)
        #expect(scene.messages.map { $0.destination.text } == [Scene.alpha])
        #expect(try scene.verdict(scene.phone.personal).isLive, "who is signed in stays so")
        try scene.introduce().expectRefusal("access_denied", 400, "AFF-1", changing: true)
        try scene.introduce(to: Scene.beta).expectSuccess()
        // There is nothing of that any more, and of others there never was.
        #expect(try expel(Self.staff, &scene).status == 404)
        #expect(try expel("staff@beta.example.ch", &scene).status == 404)
        #expect(scene.administrate(.expel(try Affiliation(parsing: Self.student), "user-0002")).status == 404)
    }

    @Test("What is over already is in no way of that", .proves("AFF-2"))
    func afterDisconnection() throws {
        var scene = try scene()
        try scene.introduce().expectSuccess()
        let personal = try TokenID(parsing: #require(scene.phone.personal).keyID)
        let lineage = try #require(scene.store.lineage(of: personal))
        let instance = try #require(lineage.nearest(.client)?.id)
        // What a provider said is kept with a sign-in whose instance has ended.
        var kept = lineage.record.attributes
        kept["profile"] = [Self.claim: [.string(Self.staff)]]
        let before = Batch(
            at: scene.now,
            [.describe(lineage.record.id, kept, from: lineage.record.attributes), .revoke(instance, .user)])
        #expect(scene.store.commit(before) == .applied)
        #expect(try expel(Self.staff, &scene).status == 204)
    }

    @Test("Administrators end one by its path, whatever is in its name", .proves("AFF-2"), .proves("threat-65"))
    func endpoint() throws {
        var scene = try scene()
        scene.service.policy.administrators = [scene.parties.person.subject]
        try scene.introduce().expectSuccess()
        func path(_ word: String) -> String { "admin/users/user-0001/affiliations/" + word }
        let word = Base64URL.encode(Array(Self.staff.utf8))
        for other in ["*", Self.staff, Base64URL.encode([0xff]), Base64URL.encode([0])] {
            #expect(try scene.asUser(.delete, path(other)).status == 404, "\(other)")
        }
        #expect(living(scene).count == 1)
        #expect(try scene.asUser(.delete, path(word)).status == 204)
        #expect(living(scene).isEmpty)
        scene.service.policy.administrators = []
        try scene.asUser(.delete, path(word)).expectRefusal("insufficient_scope", 403, "TOK-5")
    }

    @Test("What the host lists no more ends with the next introduction and with the next sign-in", .proves("AFF-3"))
    func lapsed() throws {
        for isSignIn in [false, true] {
            var scene = try scene()
            try scene.introduce().expectSuccess()
            try scene.introduce(to: Scene.beta).expectSuccess()
            try list([.string(Self.student)], &scene)
            scene.wait(1)
            if isSignIn {
                scene.phone = try scene.signIn(scene.phone)
            } else {
                try scene.introduce(to: Scene.beta).expectSuccess()
            }
            #expect(living(scene).count == 1)
            scene.wait(1)
            #expect(scene.reconcile().status == 200)
            #expect(scene.messages.contains { $0.destination.text == Scene.alpha })
        }
    }

    @Test("Whoever is expelled meanwhile is not introduced", .proves("AFF-2"), .proves("threat-78"))
    func race() throws {
        var scene = try scene()
        try scene.introduce().expectSuccess()
        let token = try scene.proof(scene.phone.personal, for: "authorize")
        let again = try scene.form(
            "authorize", [("response_type", "code"), ("resource", Scene.alpha)], .bearer(token))
        let subject = scene.parties.person.subject
        let reply = scene.send(again) { scene in
            try? list([], &scene)
            _ = try? scene.administrate(.expel(Affiliation(parsing: Self.staff), subject))
        }
        reply.expectRefusal("access_denied", 400, "AFF-1", changing: true)
        #expect(reply.rounds == 2 && scene.store.living(.assertion, at: scene.now) == 0)
    }

    @Test(
        "Nor does a code that is redeemed at the same moment bring back what its provider said", .proves("AFF-2"),
        arguments: [false, true])
    func expelledWhileRedeeming(isFirst: Bool) throws {
        var scene = try scene()
        try list(.null, &scene)
        try scene.signOut()
        let code = try scene.code(of: scene.phone)
        let id = try TokenID(parsing: String(code.prefix { $0 != "." }))
        var attributes = try #require(scene.store.lineage(of: id)).record.attributes
        attributes["profile"] = .object([Self.claim: [.string(Self.staff)]])
        #expect(scene.store.commit(Batch(at: scene.now, [.describe(id, attributes)])) == .applied)
        let proof = try scene.proof(scene.phone.client, for: "token")
        let redemption = try scene.form(
            "token", [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)],
            .bearer(proof))
        let command = Administration.expel(try Affiliation(parsing: Self.staff), scene.parties.person.subject)
        var (redeemed, expelled): (Reply?, Reply?)
        if isFirst {
            expelled = scene.administrate(command) { redeemed = $0.send(redemption) }
        } else {
            redeemed = scene.send(redemption) { expelled = $0.administrate(command) }
        }
        let (given, ended) = (try #require(redeemed), try #require(expelled))
        given.expectSuccess()
        ended.expectSuccess(204)
        #expect(given.rounds + ended.rounds == 3, "whoever comes later looks again")
        scene.phone.personal = try scene.phone.held(given)
        try scene.introduce().expectRefusal("access_denied", 400, "AFF-1", changing: true)
    }

    @Test("Nor is somebody left whom a provider's word introduces at the same moment", .proves("AFF-2"))
    func introducedWhileExpelled() throws {
        var scene = try scene()
        try list(.null, &scene)
        let personal = try #require(scene.store.page(of: .all(.personal), limit: 1)?.lineages.first).record
        var attributes = personal.attributes
        attributes["profile"] = .object([Self.claim: [.string(Self.staff)]])
        #expect(scene.store.commit(Batch(at: scene.now, [.describe(personal.id, attributes)])) == .applied)
        let command = Administration.expel(try Affiliation(parsing: Self.staff), scene.parties.person.subject)
        let expelled = scene.administrate(command) { try? $0.introduce().expectSuccess() }
        expelled.expectSuccess(204)
        #expect(expelled.rounds == 2 && living(scene).isEmpty)
        #expect(scene.store.living(.assertion, at: scene.now) == 0)
    }

    @Test("It ends with the sign-in", .proves("AFF-2"), .proves("TOK-1"))
    func signedOut() throws {
        var scene = try scene()
        try scene.introduce().expectSuccess()
        try scene.signOut()
        #expect(living(scene).isEmpty && scene.store.living(.assertion, at: scene.now) == 0)
    }
}
