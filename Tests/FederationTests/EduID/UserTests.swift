import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Users")
struct UserTests {
    @Test(
        "A user sees the instances that are signed in on the account, and no others", .proves("USR-2"), .proves("FED-3")
    )
    func instances() throws {
        var scene = try Scene.signedIn()
        let phone = scene.phone
        var tablet = try scene.otherPhone()
        // A registered instance is nobody's until somebody signs in.
        #expect(try scene.asUser(.get, "instances").json?.array?.count == 1)
        scene.wait(100)
        tablet = try scene.signIn(tablet)
        var foreign = try scene.register(Handset(number: 3))
        foreign = try scene.signIn(foreign, as: scene.bob)
        // Twice the same user on the same instance is one instance.
        tablet = try scene.signIn(tablet)
        let list = try #require(try scene.asUser(.get, "instances").json?.array)
        #expect(list.count == 2)
        let own = try #require(list.first { $0["id"]?.string == phone.id })
        #expect(
            own["this"] == true && own["name"] == "Ada's phone" && own["device_type"] == "phone"
                && own["os_version"] == "18.1")
        #expect(own["device_id"] == "device-1")
        #expect(own["platform"] == "ios" && own["version"] == "1" && own["registered"] == 1_800_000_000)
        let other = try #require(list.first { $0["id"]?.string == tablet.id })
        #expect(other["this"] == nil && other["last_used"] == 1_800_000_100)
        scene.send(try scene.request(.get, "instances")).expectChallenge()
        #expect(foreign.personal != nil)
        // Who has to renew a token is signed in all the same.
        scene.wait(3_600)
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectSuccess()
        #expect(try scene.asUser(.get, "instances").json?.array?.count == 2)
    }

    @Test("An instance was used when its user signed in, and at each renewal", .proves("FED-3"))
    func lastUse() throws {
        var scene = try Scene.signedIn()
        func lastUse() throws -> JSON? { try scene.asUser(.get, "instances").json?.array?.first?["last_used"] }
        scene.wait(100)
        #expect(try lastUse() == 1_800_000_000)
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectSuccess()
        #expect(try lastUse() == 1_800_000_100)
    }

    @Test("What a user asks for may be proved by DPoP, whatever the method", .proves("POP-1"))
    func proofs() throws {
        var scene = try Scene.signedIn()
        let tablet = try scene.signIn(try scene.otherPhone())
        for (method, path) in [(HTTP.Request.Method.get, "instances"), (.delete, "instances/" + tablet.id)] {
            let credential = try scene.dpop(scene.phone.personal, method, path)
            #expect([200, 204].contains(scene.send(try scene.request(method, path, credential)).status))
        }
    }

    @Test(
        "A user ends one instance from another; the others stay", .proves("USR-3"), .proves("REG-8"), .proves("TOK-5"))
    func disconnects() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let stolen = scene.phone
        scene.phone = try scene.signIn(try scene.otherPhone())
        try scene.asUser(.delete, "instances/" + stolen.id).expectSuccess(204)
        #expect(try !scene.verdict(stolen.client).grantLives && !scene.verdict(stolen.personal).grantLives)
        #expect(try scene.verdict(scene.phone.personal).isLive)
        #expect(scene.messages.count == 1)
        let proof = try scene.proof(stolen.personal, of: stolen, for: "userinfo")
        scene.send(try scene.request(.get, "userinfo", .bearer(proof))).expectRefusal("invalid_token", 401, "TOK-1")
        #expect(try scene.asUser(.get, "instances").json?.array?.count == 1)
        #expect(try scene.asUser(.delete, "instances/" + stolen.id).status == 404)
        // The own one as well.
        try scene.asUser(.delete, "instances/" + scene.phone.id).expectSuccess(204)
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
    }

    @Test("The proof with which a user ends an instance is good once, also where there is none", .proves("threat-36"))
    func proofOnce() throws {
        var scene = try Scene.signedIn()
        let tablet = try scene.signIn(try scene.otherPhone())
        for (id, status) in [(tablet.id, 204), (Handset(number: 9).id, 404)] {
            let proof = try scene.proof(scene.phone.personal, for: "instances/" + id)
            let request = try scene.request(.delete, "instances/" + id, .bearer(proof))
            #expect(scene.send(request).status == status)
            let again = scene.send(request)
            #expect(again.error == "invalid_token" && again.status == 401)
        }
    }

    @Test("Other people's instances, and unknown ones, are not found", .proves("USR-3"), .proves("threat-33"))
    func foreign() throws {
        var scene = try Scene.signedIn()
        var bobs = try scene.otherPhone()
        bobs = try scene.signIn(bobs, as: scene.bob)
        let foreign = try scene.asUser(.delete, "instances/" + bobs.id)
        let unknown = try scene.asUser(.delete, "instances/" + Handset(number: 9).id)
        #expect(foreign.status == 404 && foreign.response == unknown.response)
        #expect(try scene.verdict(bobs.client).isLive)
        // A user's name is no instance's.
        #expect(try scene.asUser(.delete, "instances/user-0002").status == 404)
        let client = try scene.proof(scene.phone.client, for: "instances/" + scene.phone.id)
        scene.send(try scene.request(.delete, "instances/" + scene.phone.id, .bearer(client)))
            .expectRefusal("invalid_token", 401, "threat-18")
        scene.send(try scene.request(.delete, "instances/" + scene.phone.id)).expectChallenge()
    }
}
