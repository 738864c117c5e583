import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Administrators")
struct AdministratorTests {
    private func administrators() throws -> Scene {
        var scene = try Scene.signedIn()
        scene.service.policy.administrators = [scene.parties.person.subject]
        return scene
    }

    static let commands: [(HTTP.Request.Method, String)] = [
        (.get, "admin/versions"), (.post, "admin/versions/ios-2.0/block"), (.post, "admin/versions/ios-2.0/unblock"),
        (.get, "admin/instances"), (.delete, "admin/instances/00000000-0000-4000-8000-000000000002"),
        (.delete, "admin/users/user-0002"),
    ]

    @Test("The endpoints are for administrators", .proves("TOK-5"), arguments: 0..<commands.count)
    func authorization(_ index: Int) throws {
        let (method, path) = Self.commands[index]
        var scene = try Scene.signedIn()
        let before = scene.store.count
        try scene.asUser(method, path).expectRefusal("insufficient_scope", 403, "TOK-5")
        scene.send(try scene.request(method, path)).expectChallenge()
        let client = try scene.proof(scene.phone.client, for: path)
        scene.send(try scene.request(method, path, .bearer(client))).expectRefusal("invalid_token", 401, "threat-18")
        #expect(scene.store.count == before)
        scene.service.policy.administrators = [scene.parties.person.subject]
        _ = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        #expect(try [200, 204].contains(scene.asUser(method, path).status))
        // The same by another method is nothing.
        #expect(try scene.asUser(.put, path).status == 405)
    }

    @Test("An administrator may prove possession by DPoP as well", .proves("POP-1"), arguments: 0..<commands.count)
    func proofs(_ index: Int) throws {
        let (method, path) = Self.commands[index]
        var scene = try administrators()
        _ = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        let request = try scene.request(method, path, scene.dpop(scene.phone.personal, method, path))
        #expect([200, 204].contains(scene.send(request).status))
    }

    @Test("A token that was narrowed to something else administrates nothing", .proves("threat-30"))
    func narrowed() throws {
        var scene = try administrators()
        let reply = try scene.refresh(
            scene.phone.personal?.refresh, by: scene.phone.personal, scope: Parties.eduID + "/userinfo")
        try scene.asUser(.get, "admin/versions").expectRefusal("insufficient_scope", 403, "TOK-5")
        // One that was renewed for all again is as good as before.
        try scene.refresh(reply["refresh_token"], by: scene.phone.personal).expectSuccess()
        try scene.asUser(.get, "admin/versions").expectSuccess()
    }

    @Test("Versions are listed, blocked and let in", .proves("FED-2"), .proves("FED-4"), .proves("TOK-5"))
    func versions() throws {
        var scene = try administrators()
        func blocked() throws -> [String] {
            let list = try #require(try scene.asUser(.get, "admin/versions").json?.array)
            #expect(list.compactMap { $0["kid"]?.string } == ["ios-1.0", "ios-2.0", "android-1.0"])
            #expect(list.compactMap { $0["platform"]?.string } == ["ios", "ios", "android"])
            #expect(list.compactMap { $0["version"]?.string } == ["1", "2", "1"])
            return list.filter { $0["blocked"] == true }.compactMap { $0["kid"]?.string }
        }
        #expect(try blocked() == [])
        try scene.asUser(.post, "admin/versions/ios-2.0/block").expectSuccess(204)
        #expect(try blocked() == ["ios-2.0"])
        try scene.asUser(.post, "admin/versions/ios-2.0/unblock").expectSuccess(204)
        #expect(try blocked() == [])
        scene.service.policy.excludedPlatforms = [.android]
        #expect(try blocked() == ["android-1.0"])
        #expect(try scene.asUser(.post, "admin/versions/ios-9.9/block").status == 404)
        // An administrator whose own version is out is out.
        try scene.asUser(.post, "admin/versions/ios-1.0/block").expectSuccess(204)
        try scene.asUser(.get, "admin/versions").expectRefusal("invalid_token", 401, "FED-4")
    }

    @Test(
        "Instances are listed with versions and states, and rejected", .proves("FED-3"), .proves("REG-7"),
        .proves("TOK-5"))
    func instances() throws {
        var scene = try administrators()
        let other = try scene.otherPhone()
        let list = try #require(try scene.asUser(.get, "admin/instances").json?.array)
        #expect(Set(list.compactMap { $0["id"]?.string }) == [scene.phone.id, other.id])
        #expect(list.allSatisfy { $0["version"] == "1" && $0["platform"] == "ios" && $0["state"] == "live" })
        // It is a list of everybody's, and none of them is the reader's.
        #expect(list.allSatisfy { $0["this"] == nil })
        try scene.asUser(.delete, "admin/instances/" + other.id).expectSuccess(204)
        let after = try #require(try scene.asUser(.get, "admin/instances").json?.array)
        #expect(after.first { $0["id"]?.string == other.id }?["state"]?.string?.contains("barred") == true)
        #expect(try scene.asUser(.delete, "admin/instances/unknown").status == 404)
    }

    @Test("Parts of paths are decoded; what is no text, or nobody's name, is not there", .proves("threat-65"))
    func encodedParts() throws {
        var scene = try administrators()
        let other = try scene.otherPhone()
        try scene.asUser(.post, "admin/versions/ios%2D2%2e0/block").expectSuccess(204)
        try scene.asUser(.post, "admin/versions/ios-2.0/unblock").expectSuccess(204)
        try scene.asUser(.delete, "admin/instances/" + other.id.replacing("-", with: "%2D")).expectSuccess(204)
        #expect(try scene.verdict(other.client).reason == .barred)
        for part in ["%FF", "user%C3", "%ED%A0%80", "%C0%AF", "user-0001%00", "user%252D0001", "%2F", "user-0001%2F"] {
            for (method, path) in [
                (HTTP.Request.Method.delete, "admin/users/" + part), (.delete, "admin/instances/" + part),
                (.post, "admin/versions/\(part)/block"), (.delete, "instances/" + part),
            ] {
                let reply = try scene.asUser(method, path)
                // No scope covers what browsers and servers read differently.
                let isAmbiguous = path.utf8.starts(with: "instances".utf8) && reply.status == 403
                #expect(reply.status == 404 || isAmbiguous, "\(path)")
                #expect(!reply.changes.contains { if case .revoke = $0 { true } else { false } })
            }
        }
        #expect(try scene.verdict(scene.phone.personal).isLive)
        try scene.asUser(.delete, "admin/users/user%2D0001").expectSuccess(204)
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
    }

    @Test("Users name their instances by decoded parts, too", .proves("threat-65"))
    func encodedInstance() throws {
        var scene = try Scene.signedIn()
        let path = "instances/" + scene.phone.id.replacing("-", with: "%2d")
        try scene.asUser(.delete, path).expectSuccess(204)
        #expect(try !scene.verdict(scene.phone.client).grantLives)
    }

    @Test("A user is signed out of every instance, whose registrations stay", .proves("USR-4"), .proves("TOK-5"))
    func signsOut() throws {
        var scene = try administrators()
        var bobs = try scene.otherPhone()
        bobs = try scene.signIn(bobs, as: scene.bob)
        try scene.asUser(.delete, "admin/users/user-0002").expectSuccess(204)
        #expect(try !scene.verdict(bobs.personal).grantLives && scene.verdict(bobs.client).isLive)
        #expect(try scene.verdict(scene.phone.personal).isLive)
        #expect(try scene.asUser(.delete, "admin/users/nobody").status == 404)
        // He is out already: nothing ends the second time.
        #expect(try scene.asUser(.delete, "admin/users/user-0002").status == 404)
    }
}
