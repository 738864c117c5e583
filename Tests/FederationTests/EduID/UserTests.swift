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
    @Test("A user sees the instances that are signed in on the account, and no others", .proves("USR-2"), .proves("FED-3"))
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
        #expect(own["this"] == true && own["name"] == "Ada's phone" && own["device_type"] == "phone" && own["os_version"] == "18.1")
        #expect(own["platform"] == "ios" && own["version"] == "1" && own["registered"] == 1_800_000_000)
        let other = try #require(list.first { $0["id"]?.string == tablet.id })
        #expect(other["this"] == nil && other["last_used"] == 1_800_000_100)
        scene.send(try scene.request(.get, "instances")).expectRefusal("invalid_token", 401, "RFC6750-2.1")
        #expect(foreign.personal != nil)
    }

    @Test("A user ends one instance from another; the others stay", .proves("USR-3"), .proves("REG-8"), .proves("TOK-5"))
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
        scene.send(try scene.request(.delete, "instances/" + scene.phone.id)).expectRefusal("invalid_token", 401, "RFC6750-2.1")
    }
}
