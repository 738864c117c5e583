import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("What administrators find, end and lock")
struct ManagementTests {
    private func administrators() throws -> Scene {
        var scene = try Scene.signedIn()
        scene.service.policy.administrators = [scene.parties.person.subject]
        return scene
    }

    private func word(_ service: String) -> String { Base64URL.encode(Array(service.utf8)) }

    // MARK: Lists

    @Test("Lists come a portion at a time, each says where it goes on, and nothing comes twice", .proves("threat-14"))
    func portions() throws {
        var scene = try administrators()
        for number in 2...6 { _ = try scene.signIn(try scene.register(Handset(number: UInt8(number))), as: scene.bob) }
        for (path, member, count) in [("admin/instances", "id", 6), ("admin/versions", "kid", 3)] {
            var (found, query): ([String], String?) = ([], "limit=2")
            for _ in 0..<9 {
                guard let next = query else { break }
                let reply = try scene.asking(path, next)
                reply.expectSuccess()
                let list = try #require(reply.json?.array)
                #expect(list.count <= 2)
                found += list.compactMap { $0[JSON.Name(member)]?.string }
                query = reply.next
            }
            #expect(found.count == count && Set(found).count == count && query == nil, "\(path)")
        }
        let users = try #require(try scene.asking("admin/users", "").json?.array)
        #expect(users.map { $0["user"]?.string } == ["user-0001", "user-0002"])
        #expect(users.map { $0["instances"] } == [1, 5])
        // One who comes in several portions comes once.
        var (found, query): ([String], String?) = ([], "limit=1")
        while let next = query {
            let reply = try scene.asking("admin/users", next)
            found += reply.json?.array?.compactMap { $0["user"]?.string } ?? []
            query = reply.next
        }
        #expect(found == ["user-0001", "user-0002"])
    }

    @Test(
        "What says nothing about a list is refused", .proves("threat-14"),
        arguments: [
            "limit=0", "limit=1001", "limit=x", "after=", "after=nobody", "limit=2&limit=2", "name=%FF", "locked=no",
        ])
    func malformed(_ query: String) throws {
        var scene = try administrators()
        let reply = try scene.asking("admin/users", query)
        #expect(reply.error == "invalid_request" && reply.status == 400)
    }

    @Test("Instances are found by user, by version and by name", .proves("FED-3"), .proves("TOK-5"))
    func findsInstances() throws {
        var scene = try administrators()
        let bobs = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        var newer = Handset(number: 3)
        newer.version = 1
        let statement = try scene.statement(of: newer) { $0["name"] = "Ben's Tablet" }
        scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
            .expectSuccess()
        func found(_ query: String) throws -> [String] {
            try scene.asking("admin/instances", query).json?.array?.compactMap { $0["id"]?.string } ?? []
        }
        #expect(try found("user=user-0002") == [bobs.id])
        #expect(try found("version=ios-2.0") == [newer.id])
        #expect(try found("name=TABLET") == [newer.id])
        #expect(try found("name=ada&user=user-0001&version=ios-1.0") == [scene.phone.id])
        #expect(try found("user=user-0002&version=ios-2.0") == [] && found("user=nobody") == [])
    }

    @Test("Users are found by the name here, and by what the host's directory makes of it", .proves("TOK-5"))
    func findsUsers() throws {
        var scene = try administrators()
        func found(_ query: String) throws -> [String] {
            try scene.asking("admin/users", query).json?.array?.compactMap { $0["user"]?.string } ?? []
        }
        #expect(try found("name=user-0001") == ["user-0001"])
        // The directory knows him, though he never signed in.
        #expect(try found("name=bo") == ["user-0002"])
        #expect(try found("name=user-0009") == [])
    }

    @Test("Services are listed with what lives there", .proves("TOK-5"))
    func services() throws {
        var scene = try administrators()
        try scene.introduce().expectSuccess()
        let list = try #require(try scene.asking("admin/services", "").json?.array)
        #expect(list.map { $0["service"]?.string } == [Scene.alpha, Scene.beta])
        #expect(list.map { $0["assertions"] } == [1, 0] && list.map { $0["users"] } == [1, 0])
        try scene.asUser(.delete, "admin/users/user-0001/services/" + word(Scene.alpha)).expectSuccess(204)
        #expect(try scene.asking("admin/services", "").json?.array?.first?["assertions"] == 0)
        #expect(scene.messages.count == 1)
        #expect(try scene.asUser(.delete, "admin/users/user-0001/services/" + word(Scene.alpha)).status == 404)
    }

    // MARK: Ends

    @Test("One instance is taken from one user, who stays signed in elsewhere", .proves("USR-4"))
    func removes() throws {
        var scene = try administrators()
        let (phone, tablet) = (scene.phone, try scene.signIn(try scene.otherPhone()))
        try scene.asUser(.delete, "admin/users/user-0001/instances/" + tablet.id).expectSuccess(204)
        #expect(try !scene.verdict(tablet.personal).grantLives && scene.verdict(tablet.client).isLive)
        #expect(try scene.verdict(phone.personal).isLive)
        for (user, id) in [("user-0001", tablet.id), ("user-0002", phone.id), ("user-0001", "nobody")] {
            #expect(try scene.asUser(.delete, "admin/users/\(user)/instances/\(id)").status == 404)
        }
        // Whoever has the password comes in again; the registration was not the matter.
        _ = try scene.signIn(tablet)
    }

    @Test("Why something ended stands in the lists", .proves("TOK-5"))
    func remarks() throws {
        var scene = try administrators()
        let bobs = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        let why = "left on a train, 17 May"
        func end(_ method: HTTP.Request.Method, _ path: String) throws -> Reply {
            let text = HTTP.Form([.init("reason", why)]).text
            let token = try scene.proof(scene.phone.personal, for: path)
            let isPost = method == .post
            return scene.send(
                try scene.request(
                    method, isPost ? path : path + "?" + text, .bearer(token),
                    type: isPost ? "application/x-www-form-urlencoded" : nil, body: isPost ? Array(text.utf8) : []))
        }
        try end(.delete, "admin/users/user-0002").expectSuccess(204)
        #expect(try scene.asking("admin/users", "").json?.array?[1]["reason"]?.string == why)
        try end(.delete, "admin/instances/" + bobs.id).expectSuccess(204)
        let rejected = try scene.asking("admin/instances", "name=phone").json?.array?.first {
            $0["id"]?.string == bobs.id
        }
        #expect(rejected?["reason"]?.string == why && rejected?["state"]?.string?.contains("barred") == true)
        try end(.post, "admin/versions/ios-2.0/block").expectSuccess(204)
        #expect(try scene.asking("admin/versions", "").json?.array?[1]["reason"]?.string == why)
        try end(.post, "admin/users/user-0002/lock").expectSuccess(204)
        let locked = try #require(try scene.asking("admin/users", "locked=true").json?.array)
        #expect(locked.count == 1 && locked[0]["user"] == "user-0002" && locked[0]["reason"]?.string == why)
        // A remark is 200 characters that can be seen.
        #expect((try? Remark(parsing: String(repeating: "ä", count: 200))) != nil)
        for text in ["", String(repeating: "ä", count: 201), "a\u{202e}b", "a\nb"] {
            #expect((try? Remark(parsing: text)) == nil)
        }
    }

    // MARK: Locks

    @Test(
        "A locked user is out, and only who knows the password is told why; unlocked he is in again",
        .proves("threat-78"), .proves("USR-4"))
    func locks() throws {
        var scene = try administrators()
        var bobs = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        let code = try scene.code(of: bobs, for: scene.bob)
        try scene.asUser(.post, "admin/users/user-0002/lock").expectSuccess(204)
        #expect(try !scene.verdict(bobs.personal).grantLives && scene.verdict(bobs.client).isLive)
        #expect(try scene.redeem(code, by: bobs).error == "invalid_grant")
        let right = try scene.challenge(bobs, for: scene.bob)
        right.expectRefusal("access_denied", 400, "threat-78", changing: true)
        // The password was looked at all the same, and nothing was given.
        #expect(right.logins == 1 && !right.changes.contains { if case .insert = $0 { true } else { false } })
        var wrong = scene.bob
        wrong = SimulatedFederation.User(
            wrong.name, password: try Secret.Password(parsing: "not his own"), subject: wrong.subject, profile: [:])
        let guess = try scene.challenge(bobs, for: wrong)
        guess.expectRefusal("invalid_grant", 400, "threat-39", changing: true)
        #expect(guess.logins == 1)
        scene.service.policy.takesPasswords = true
        let pairs = [("grant_type", "password"), ("username", "bob"), ("password", "hunter2hunter2")]
        scene.send(try scene.form("token", pairs, .bearer(try scene.proof(bobs.client, of: bobs, for: "token"))))
            .expectRefusal("access_denied", 400, "threat-78", changing: true)
        // A restart forgets nothing.
        scene.store = try restored(scene.store)
        #expect(try scene.challenge(bobs, for: scene.bob).error == "access_denied")
        try scene.asUser(.post, "admin/users/user-0002/lock").expectSuccess(204)
        try scene.asUser(.post, "admin/users/user-0002/unlock").expectSuccess(204)
        #expect(try scene.asUser(.post, "admin/users/user-0002/unlock").status == 404)
        bobs = try scene.signIn(bobs, as: scene.bob)
        #expect(try scene.verdict(bobs.personal).isLive)
        // Nobody else was touched.
        #expect(try scene.verdict(scene.phone.personal).isLive)
    }

    private func restored(_ store: MemoryStore) throws -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(store.snapshot().encoded())
        return try restoration.finish(expecting: store.head).tree
    }

    @Test("Whoever is locked while the password is being checked is not let in", .proves("threat-78"))
    func lockedMeanwhile() throws {
        var scene = try Scene.registered()
        scene.service.policy.takesPasswords = true
        let pairs = [
            ("grant_type", "password"), ("username", "ada"),
            ("password", scene.parties.person.password.secret),
        ]
        let request = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.client, for: "token")))
        let reply = scene.send(request) { scene in
            scene.administrate(.lock(scene.parties.person.subject)).expectSuccess(204)
        }
        #expect(reply.error == "access_denied" && reply.status == 400)
        #expect(scene.store.page(of: .all(.personal), limit: 9)?.lineages.count == 0)
    }

    @Test("Who is forgotten is not locked any more, and nothing says who it was", .proves("threat-75"))
    func forgotten() throws {
        var scene = try administrators()
        _ = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        try scene.asUser(.post, "admin/users/user-0002/lock").expectSuccess(204)
        try scene.asUser(.delete, "admin/users/user-0002/data").expectSuccess(204)
        #expect(!String(decoding: scene.store.snapshot().encoded(), as: UTF8.self).contains("user-0002"))
        #expect(try scene.asking("admin/users", "locked=true").json == [])
    }
}

extension Scene {
    /// Asks for a list by the phone's personal token.
    fileprivate mutating func asking(_ path: String, _ query: String) throws -> Reply {
        let token = try proof(phone.personal, for: path)
        return send(try request(.get, query.isEmpty ? path : path + "?" + query, .bearer(token)))
    }
}

extension Reply {
    /// The query with which a list goes on.
    fileprivate var next: String? {
        guard let name = try? HTTP.Field.Name(parsing: "Link"), let link = response.fields.value(of: name).value else {
            return nil
        }
        guard link.hasPrefix("<?"), link.hasSuffix(#">; rel="next""#) else { return nil }
        return String(link.dropFirst(2).dropLast(#">; rel="next""#.count))
    }
}
