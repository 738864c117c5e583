import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("My devices, my services")
struct AccountTests {
    private func word(_ service: String) -> String { Base64URL.encode(Array(service.utf8)) }

    @Test("A user sees the services that were used, and where something lives", .proves("USE-1"), .proves("TOK-5"))
    func services() throws {
        var scene = try Scene.signedIn()
        #expect(try scene.asUser(.get, "services").json == [])
        try scene.introduce().expectSuccess()
        scene.wait(50)
        let tablet = try scene.signIn(try scene.otherPhone())
        let phone = scene.phone
        scene.phone = tablet
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        scene.phone = phone
        let list = try #require(try scene.asUser(.get, "services").json?.array)
        #expect(list.map { $0["service"]?.string } == [Scene.alpha, Scene.beta])
        #expect(list.map { $0["name"]?.string } == ["University of Alpha", "University of Beta"])
        #expect(list.map { $0["id"]?.string } == [word(Scene.alpha), word(Scene.beta)])
        #expect(list.map { $0["last_used"] } == [1_800_000_050, 1_800_000_050])
        #expect(Set(list[0]["instances"]?.array?.compactMap { $0.string } ?? []) == [phone.id, tablet.id])
        #expect(list[1]["instances"]?.array?.compactMap { $0.string } == [tablet.id])
        // Nobody sees another one's.
        scene.phone = try scene.signIn(try scene.register(Handset(number: 3)), as: scene.bob)
        #expect(try scene.asUser(.get, "services").json == [])
        scene.send(try scene.request(.get, "services")).expectChallenge()
    }

    @Test(
        "What opens instances opens services, and a token that was narrowed to something else does not",
        .proves("AUT-5"))
    func scopes() throws {
        var scene = try Scene.signedIn()
        var reply = try scene.refresh(
            scene.phone.personal?.refresh, by: scene.phone.personal, scope: Parties.eduID + "/instances")
        try scene.asUser(.get, "services").expectSuccess()
        reply = try scene.refresh(
            reply["refresh_token"], by: scene.phone.personal, scope: Parties.eduID + "/userinfo")
        reply.expectSuccess()
        for (method, path) in [(HTTP.Request.Method.get, "services"), (.delete, "services/" + word(Scene.alpha))] {
            try scene.asUser(method, path).expectRefusal("insufficient_scope", 403, "AUT-5")
        }
    }

    @Test("A service is left by all instances, is told of each, and is not among the used ones", .proves("TOK-7"))
    func leaves() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let phone = scene.phone
        scene.phone = try scene.signIn(try scene.otherPhone())
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        for home in [Scene.alpha, Scene.beta] { try scene.report(home).expectSuccess() }
        #expect(try scene.asUser(.get, "usage").json?.array?.count == 2)
        let reply = try scene.asUser(.delete, "services/" + word(Scene.alpha))
        reply.expectSuccess(204)
        #expect(scene.messages.map { $0.destination.text } == [Scene.alpha, Scene.alpha])
        #expect(try scene.asUser(.get, "usage").json == [.string(Scene.beta)])
        let left = try #require(try scene.asUser(.get, "services").json?.array)
        #expect(left.map { $0["service"]?.string } == [Scene.beta])
        // Both stay signed in.
        #expect(try scene.verdict(phone.personal).isLive && scene.verdict(scene.phone.personal).isLive)
        for path in [word(Scene.alpha), word("https://nobody.example/"), "no-word", word("no url")] {
            #expect(try scene.asUser(.delete, "services/" + path).status == 404, "\(path)")
        }
        #expect(
            !String(decoding: scene.store.snapshot().encoded(), as: UTF8.self).contains(#""service":"\#(Scene.alpha)""#)
        )
    }

    @Test("Everything ends in one change, and the instance that asked with it", .proves("USR-3"), .proves("TOK-5"))
    func everything() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let thief = try scene.signIn(try scene.otherPhone())
        let bobs = try scene.signIn(try scene.register(Handset(number: 3)), as: scene.bob)
        // A thief who knows the password is half in.
        let fourth = try scene.register(Handset(number: 4))
        let code = try scene.code(of: fourth)
        let reply = try scene.asUser(.delete, "instances")
        reply.expectSuccess(204)
        #expect(try !scene.verdict(scene.phone.client).grantLives && !scene.verdict(thief.client).grantLives)
        #expect(try !scene.verdict(thief.personal).grantLives && scene.verdict(bobs.personal).isLive)
        #expect(scene.messages.count == 1)
        #expect(try scene.redeem(code, by: fourth).error == "invalid_grant")
        try scene.asUser(.delete, "instances").expectRefusal("invalid_token", 401, "TOK-1")
    }

    @Test("What is too much for one time ends in steps, the asking instance last", .proves("threat-59"))
    func inSteps() throws {
        var scene = try Scene.signedIn()
        let (now, user) = (scene.now, scene.parties.person.subject)
        let version = try #require(
            scene.store.lineage(of: TokenID(parsing: scene.phone.client?.keyID ?? ""))?.record.parent)
        let changes = (0..<300).flatMap { number -> [Change] in
            let client = TokenID(stringLiteral: "many-\(number)")
            return [
                .insert(
                    Record(
                        id: client, kind: .client, parent: version, issued: now,
                        holder: Record.Holder(stringLiteral: "00000000-0000-4000-9000-\(100_000_000_000 + number)"))),
                .insert(
                    Record(
                        id: TokenID(stringLiteral: "personal-\(number)"), kind: .personal, parent: client, issued: now,
                        subject: user)),
            ]
        }
        #expect(scene.store.commit(Batch(at: now, changes)) == .applied)
        // The one that asks came last, and would be the first of the list.
        let oldest = scene.phone
        scene.phone = try scene.signIn(try scene.otherPhone())
        let first = try scene.asUser(.delete, "instances")
        #expect(first.status == 202 && first.changes.count <= 257)
        #expect(try scene.verdict(scene.phone.client).isLive)
        try scene.asUser(.delete, "instances").expectSuccess(204)
        #expect(try !scene.verdict(scene.phone.client).grantLives && !scene.verdict(oldest.client).grantLives)
        #expect(scene.store.verdict(of: "many-0", at: now).reason == .user)
        #expect(scene.store.verdict(of: "many-299", at: now).reason == .user)
    }

    @Test(
        "Ending works with a token that has expired or that nobody has confirmed; nothing else does",
        .proves("threat-67"), arguments: ["expired", "unconfirmed"])
    func oldTokens(_ age: String) throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let tablet = try scene.signIn(try scene.otherPhone())
        scene.wait(3_700)
        if age == "unconfirmed" { scene.store = try scene.store.restored(at: scene.now) }
        scene.wait(120)
        #expect(try scene.asUser(.get, "services").status == 401)
        #expect(try scene.asUser(.get, "instances").status == 401)
        try scene.asUser(.delete, "services/" + word(Scene.alpha)).expectSuccess(204)
        try scene.asUser(.delete, "instances/" + tablet.id).expectSuccess(204)
        try scene.asUser(.delete, "instances").expectSuccess(204)
    }

    @Test("On pages of the host a user does the same", .proves("USR-2"), .proves("USR-3"), .proves("TOK-5"))
    func onPages() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let tablet = try scene.signIn(try scene.otherPhone())
        let ada = scene.parties.person.subject
        func ask(_ command: EduIDService.AccountCommand, of user: Record.Subject) -> HTTP.Response {
            let (service, now) = (scene.service, scene.now)
            var entropy = scene.parties.federation.entropy
            return scene.store.carryOut { service.exchange(for: command, of: user, at: now, using: &entropy) }
        }
        let list = try #require(try JSON(parsing: ask(.instances, of: ada).body).array)
        #expect(list.count == 2 && list.allSatisfy { $0["this"] == nil })
        #expect(ask(.disconnect(try ClientID(parsing: tablet.id)), of: "user-0002").status == .notFound)
        #expect(ask(.disconnect(try ClientID(parsing: tablet.id)), of: ada).status == .noContent)
        #expect(try !scene.verdict(tablet.client).grantLives && scene.verdict(scene.phone.client).isLive)
        #expect(try JSON(parsing: ask(.services, of: ada).body).array?.count == 1)
        #expect(ask(.leave(try ServiceURL(parsing: Scene.alpha)), of: ada).status == .noContent)
        #expect(scene.messages.count == 1)
        #expect(ask(.disconnectAll, of: ada).status == .noContent)
        #expect(ask(.disconnectAll, of: ada).status == .notFound)
    }
}
