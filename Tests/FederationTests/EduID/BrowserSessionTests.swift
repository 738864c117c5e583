import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("A person in a browser")
struct BrowserSessionTests {
    private typealias Opening = BrowserSession.Opening

    private func signIn(
        _ scene: inout Scene, as name: String = "ada", _ password: String? = nil, from address: String? = nil,
        mark: String? = nil, inPlaceOf former: String? = nil
    ) throws -> Result<Opening, Refusal> {
        let own = scene.parties.federation.users.first { $0.name.text == name }?.password
        let attempt = BrowserSession.Attempt(
            try UserName(parsing: name),
            try password.map { try Secret.Password(parsing: $0) } ?? (try #require(own)), with: "Firefox, Linux",
            from: address, mark: mark, inPlaceOf: former)
        return scene.carryOut { $0.exchange(signingIn: attempt, at: $1, using: &$2) }
    }

    private func session(_ scene: inout Scene, _ secret: String) throws -> BrowserSession? {
        try scene.carryOut { $0.exchange(openingSession: secret, at: $1, using: &$2) }.get()
    }

    private func overview(_ scene: inout Scene, of user: SimulatedFederation.User? = nil) throws -> AccountOverview {
        let user = user ?? scene.parties.person
        return try scene.carryOut { $0.exchange(overviewOf: user.subject, at: $1, using: &$2) }.get()
    }

    private func command(
        _ scene: inout Scene, _ command: EduIDService.AccountCommand, of user: SimulatedFederation.User? = nil
    ) -> Int {
        let user = user ?? scene.parties.person
        return Int(
            scene.carryOut { $0.exchange(for: command, of: user.subject, at: $1, using: &$2) }.status.code)
    }

    @Test("What opens a session opens pages and nothing else", .proves("OPS-15"))
    func pagesAlone() throws {
        var scene = try Scene.signedIn()
        let opening = try signIn(&scene).get()
        #expect(try session(&scene, opening.secret) == opening.session)
        #expect(opening.session.userName.text == "ada" && opening.session.user == scene.parties.person.subject)
        for path in ["instances", "userinfo", "usage", "services", "admin/users"] {
            #expect(scene.send(try scene.request(.get, path, .bearer(opening.secret))).status == 401, "\(path)")
        }
        let revoke = scene.send(try scene.form("revoke", [("token", opening.secret)], .bearer(opening.secret)))
        #expect(revoke.status == 401)
        // It is no code either, not even for whoever is an instance.
        try scene.redeem(opening.secret, by: scene.phone).expectRefusal("invalid_grant", 400, "threat-26")
        #expect(try scene.revoke(opening.secret, by: scene.phone.personal).status == 200)
        #expect(try session(&scene, opening.secret) != nil)
        // One letter, one name, nothing: none of it is a secret.
        let parts = opening.secret.split(separator: ".").map(String.init)
        for wrong in [parts[0], parts[0] + ".", parts[0] + "." + String(parts[1].dropLast()) + "_", "", ".", "a.b.c"] {
            #expect(try session(&scene, wrong) == nil, "\(wrong)")
        }
    }

    @Test("A session stands among the person's devices, and ends like them", .proves("OPS-15"), .proves("USR-3"))
    func amongDevices() throws {
        var scene = try Scene.signedIn()
        let opening = try signIn(&scene).get()
        let list = try #require(try scene.asUser(.get, "instances").json?.array)
        #expect(list.count == 2)
        let browser = try #require(list.first { $0["id"]?.string == opening.session.client.text })
        #expect(browser["name"]?.string == "Firefox, Linux" && browser["platform"]?.string == "browser")
        #expect(try scene.asUser(.delete, "instances/" + opening.session.client.text).status == 204)
        #expect(try session(&scene, opening.secret) == nil)
        // With everything else, by an administrator, with a lock, and by itself.
        let ends: [(inout Scene) throws -> Void] = [
            { (scene: inout Scene) throws in try scene.asUser(.delete, "instances").expectSuccess(204) },
            { #expect($0.administrate(.signOut($0.parties.person.subject)).status == 204) },
            { #expect($0.administrate(.lock($0.parties.person.subject)).status == 204) },
            { #expect($0.administrate(.forget($0.parties.person.subject)).status == 204) },
            { $0.wait(7_200) },
        ]
        for (number, end) in ends.enumerated() {
            var other = try Scene.signedIn()
            let anew = try signIn(&other).get()
            #expect(try session(&other, anew.secret) != nil)
            try end(&other)
            #expect(try session(&other, anew.secret) == nil, "end \(number)")
        }
    }

    @Test("A session lasts as long as the policy says, and who signs out ends it", .proves("OPS-15"))
    func end() throws {
        var scene = try Scene.signedIn()
        let opening = try signIn(&scene).get()
        scene.wait(7_199)
        #expect(try session(&scene, opening.secret) != nil)
        scene.wait(1)
        #expect(try session(&scene, opening.secret) == nil)
        let other = try signIn(&scene).get()
        #expect(try scene.carryOut { $0.exchange(endingSession: other.secret, at: $1, using: &$2) }.get())
        #expect(try session(&scene, other.secret) == nil)
        #expect(try !scene.carryOut { $0.exchange(endingSession: other.secret, at: $1, using: &$2) }.get())
    }

    @Test("A new session takes the place of the same person's former one, and of nobody else's", .proves("OPS-15"))
    func former() throws {
        var scene = try Scene.signedIn()
        let first = try signIn(&scene).get()
        scene.wait(400)
        #expect(!first.session.isFresh(at: scene.now))
        let second = try signIn(&scene, inPlaceOf: first.secret).get()
        #expect(try session(&scene, first.secret) == nil && second.session.isFresh(at: scene.now))
        let refused = try signIn(&scene, as: "bob", inPlaceOf: second.secret)
        guard case .failure(let refusal) = refused else { return #expect(Bool(false), "Bob took Ada's place") }
        #expect(refusal.rule.clause == "OPS-15" && refusal.obstacle == .otherPerson)
        #expect(try session(&scene, second.secret) != nil)
        // The password counts, whatever session it comes with.
        guard case .failure = try signIn(&scene, "wrong", inPlaceOf: second.secret) else {
            return #expect(Bool(false), "a wrong password was taken")
        }
    }

    private func signIn(_ scene: inout Scene, _ password: String, inPlaceOf former: String) throws -> Result<
        Opening, Refusal
    > { try signIn(&scene, as: "ada", password, inPlaceOf: former) }

    @Test(
        "Strangers cannot lock out whom the browser knows, nor guess for ever", .proves("threat-74"), .proves("OPS-15"))
    func attempts() throws {
        var scene = try Scene.signedIn()
        let mark = try signIn(&scene).get().mark
        let bobs = try signIn(&scene, as: "bob").get().mark
        for _ in 0..<20 { #expect(throws: Refusal.self) { try signIn(&scene, as: "ada", "wrong").get() } }
        // The right password looks wrong, also with another user's mark, or one that was made up.
        for stranger in [nil, bobs, mark + "A", "x" + mark, "a.b", String(mark.dropLast(3)), ""] {
            let result = try signIn(&scene, mark: stranger)
            guard case .failure(let refusal) = result else { return #expect(Bool(false), "\(stranger ?? "none")") }
            #expect(refusal.error.code == .invalidGrant && refusal.obstacle == .wrongCredentials)
        }
        let again = try signIn(&scene, mark: mark).get()
        #expect(again.mark != mark)
        // A mark is good for ten failures.
        for _ in 0..<10 {
            #expect(throws: Refusal.self) { try signIn(&scene, as: "ada", "wrong", mark: again.mark).get() }
        }
        #expect(throws: Refusal.self) { try signIn(&scene, mark: again.mark).get() }
        scene.wait(901)
        #expect(throws: Never.self) { try signIn(&scene, mark: again.mark).get() }
        // The app has a count of its own: nobody in a browser keeps a new phone out.
        for _ in 0..<20 { #expect(throws: Refusal.self) { try signIn(&scene, as: "ada", "wrong").get() } }
        #expect(throws: Never.self) { try scene.signIn(try scene.otherPhone()) }
    }

    @Test("However many marks somebody has, thirty guesses are all", .proves("threat-74"))
    func marks() throws {
        var scene = try Scene.signedIn()
        let marks = try (0..<4).map { _ in try signIn(&scene).get().mark }
        for mark in marks.dropLast() {
            for _ in 0..<10 {
                #expect(throws: Refusal.self) { try signIn(&scene, as: "ada", "wrong", mark: mark).get() }
            }
        }
        guard case .failure(let refusal) = try signIn(&scene, mark: marks[3]) else {
            return #expect(Bool(false), "let in")
        }
        #expect(refusal.error.code == .invalidGrant)
        // A mark is good for half a year, and then its browser is a strange one.
        scene.wait(183 * 86_400)
        for _ in 0..<20 { #expect(throws: Refusal.self) { try signIn(&scene, as: "ada", "wrong").get() } }
        #expect(throws: Refusal.self) { try signIn(&scene, mark: marks[3]).get() }
    }

    @Test("Nobody is signed in with more browsers than sixteen, nor signs in without end", .proves("OPS-15"))
    func many() throws {
        var scene = try Scene.signedIn()
        var secrets: [String] = []
        for _ in 0..<20 {
            scene.wait(1)
            secrets.append(try signIn(&scene).get().secret)
        }
        let living = try secrets.filter { try session(&scene, $0) != nil }
        #expect(living == Array(secrets.suffix(16)))
        // The phone is none of them.
        #expect(try scene.verdict(scene.phone.personal).grantLives)
        for _ in 20..<60 { _ = try signIn(&scene).get() }
        guard case .failure(let refusal) = try signIn(&scene) else { return #expect(Bool(false), "let in") }
        #expect(refusal.rule.clause == "threat-74" && refusal.obstacle == .tooManyAttempts)
        scene.wait(901)
        #expect(throws: Never.self) { try signIn(&scene).get() }
        // Who lists people sees that they are there, and people see what their devices did.
        let list = scene.administrate(.users())
        #expect(list.json?.array?.count == 1 && list.json?[0]?["instances"] == 17)
        #expect(try overview(&scene).events.contains { !$0.isBrowsers })
    }

    @Test("Where nobody could look at a password, nothing is counted", .proves("threat-74"))
    func unchecked() throws {
        var scene = try Scene.signedIn()
        let attempt = BrowserSession.Attempt(
            try UserName(parsing: "ada"), scene.parties.person.password, with: "Firefox", from: "192.0.2.1")
        var exchange = scene.service.exchange(
            signingIn: attempt, at: scene.now, using: &scene.parties.federation.entropy)
        while let lookup = exchange.lookup {
            if case .user = lookup {
                exchange.supply(.user(.unchecked))
            } else {
                exchange.supply(scene.result(of: lookup))
            }
        }
        #expect(exchange.decision.batch.changes.isEmpty)
        let refusal = exchange.decision.refusal
        #expect(refusal?.error.code == .temporarilyUnavailable && refusal?.rule.clause == "threat-62")
        #expect(refusal?.obstacle == .unavailable)
    }

    @Test("From one address forty attempts fail, whomever they are for", .proves("threat-74"))
    func addresses() throws {
        var scene = try Scene.signedIn()
        for number in 0..<40 {
            #expect(throws: Refusal.self) { try signIn(&scene, as: "user-\(number)", "wrong", from: "192.0.2.1").get() }
        }
        guard case .failure(let refusal) = try signIn(&scene, from: "192.0.2.1") else {
            return #expect(Bool(false), "let in")
        }
        #expect(refusal.obstacle == .tooManyAttempts && refusal.rule.clause == "threat-74")
        let mark = try signIn(&scene, from: "192.0.2.2").get().mark
        // Whom the browser knows is not kept out by others at the same address.
        #expect(throws: Never.self) { try signIn(&scene, from: "192.0.2.1", mark: mark).get() }
        #expect(throws: Never.self) { try signIn(&scene).get() }
    }

    @Test("Whoever is locked out learns it with the right password alone", .proves("threat-78"))
    func locked() throws {
        var scene = try Scene.signedIn()
        #expect(scene.administrate(.lock(scene.parties.person.subject)).status == 204)
        guard case .failure(let wrong) = try signIn(&scene, as: "ada", "wrong"),
            case .failure(let right) = try signIn(&scene)
        else { return #expect(Bool(false), "let in") }
        #expect(wrong.error.code == .invalidGrant && right.error.code == .accessDenied)
        #expect(command(&scene, .erase) == 400)
    }

    // MARK: What is shown, and ended

    @Test("The whole tree is shown with what services learn and what happened", .proves("OPS-16"), .proves("USR-2"))
    func overviews() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        scene.wait(60)
        try scene.introduce(to: Scene.beta).expectSuccess()
        try scene.report(Scene.alpha).expectSuccess()
        _ = try signIn(&scene).get()
        let seen = try overview(&scene)
        #expect(seen.devices.map { $0.isBrowser } == [true, false])
        #expect(seen.devices[1].name == "Ada's phone" && seen.devices[1].id.text == scene.phone.id)
        #expect(seen.devices[1].introductions.map { $0.service } == [Scene.beta, Scene.alpha])
        #expect(seen.devices[1].introductions.map { $0.serviceName } == ["University of Beta", "University of Alpha"])
        #expect(seen.services.map { $0.url } == [Scene.alpha, Scene.beta] && seen.services.allSatisfy { $0.isOpen })
        #expect(seen.services[0].released == ["given_name": "Ada", "email": "ada@example.ch"])
        #expect(seen.services.map { $0.hasOwnName } == [true, false])
        #expect(seen.profile["name"]?.string == "Ada Muster")
        // What happened in one second comes in any order.
        #expect(Set(seen.events.prefix(2).map { $0.kind }) == [.introduced, .signedIn] && seen.events.count == 4)
        let bob = scene.bob
        let others = try overview(&scene, of: bob)
        #expect(others.devices.isEmpty && others.services.isEmpty && others.events.isEmpty)
        // As a document it says the same.
        let document = try JSON(parsing: seen.encoded(about: scene.parties.person.subject, at: scene.now))
        #expect(document["devices"]?.array?.count == 2 && document["events"]?.array?.count == 4)
        #expect(document["services"]?[0]?["released"]?["given_name"] == "Ada")
    }

    @Test(
        "One introduction ends, is told to its service, and is nobody else's to end", .proves("OPS-16"),
        .proves("TOK-7"))
    func takingBack() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        let id = try #require(try overview(&scene).devices[0].introductions.last?.id)
        let bob = scene.bob
        #expect(command(&scene, .takeBack(id), of: bob) == 404)
        #expect(command(&scene, .takeBack("nothing")) == 404)
        // Neither is a record of another kind.
        let personal = try #require(
            scene.store.load([.records(.subject(scene.parties.person.subject, .personal), after: nil, limit: 9)])
                .page(of: .subject(scene.parties.person.subject, .personal), limit: 9)?.lineages.first?.record.id)
        #expect(command(&scene, .takeBack(personal)) == 404)
        #expect(scene.messages.isEmpty)
        #expect(command(&scene, .takeBack(id)) == 204)
        #expect(scene.messages.map { $0.destination.text } == [Scene.alpha])
        #expect(try overview(&scene).devices[0].introductions.map { $0.service } == [Scene.beta])
        #expect(try overview(&scene).events.contains { $0.kind == .ended && $0.reason == .user })
        #expect(command(&scene, .takeBack(id)) == 404)
    }

    @Test("Nothing is left of who had everything erased", .proves("OPS-16"), .proves("threat-75"))
    func erasure() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        try scene.report(Scene.alpha).expectSuccess()
        let opening = try signIn(&scene).get()
        // A phone that was given up by signing out is registered, and named, as long as it is not erased.
        var former = try scene.register(Handset(number: 5))
        former = try scene.signIn(former)
        let own = scene.phone
        scene.phone = former
        try scene.signOut()
        scene.phone = own
        #expect(command(&scene, .erase) == 202)
        #expect(command(&scene, .erase) == 204)
        #expect(try !scene.verdict(former.client).grantLives)
        #expect(try session(&scene, opening.secret) == nil)
        let left = String(decoding: scene.store.snapshot().encoded(), as: UTF8.self)
        for word in ["user-0001", "\"ada\"", "Firefox", "Ada's phone"] { #expect(!left.contains(word), "\(word)") }
        let seen = try overview(&scene)
        #expect(seen.devices.isEmpty && seen.services.isEmpty && seen.events.isEmpty)
        // Whoever was forgotten can begin anew.
        #expect(throws: Never.self) { try signIn(&scene).get() }
    }

    @Test(
        "Who has let a session run out in a browser can have everything erased", .proves("OPS-16"), .proves("threat-75")
    )
    func erasureAfterExpiry() throws {
        var scene = try Scene.signedIn()
        _ = try signIn(&scene).get()
        scene.parties.federation.wait(.seconds(7_300))
        let opening = try signIn(&scene).get()
        #expect(command(&scene, .erase) == 202)
        #expect(command(&scene, .erase) == 204)
        #expect(try session(&scene, opening.secret) == nil)
        #expect(try overview(&scene).devices.isEmpty)
        #expect(throws: Never.self) { _ = try signIn(&scene).get() }
    }

    @Test("Devices that are erased are looked up at once, whatever their number", .proves("OPS-16"))
    func erasedDevices() throws {
        func lookups(for count: UInt8) throws -> Int {
            var scene = try Scene.signedIn()
            for number in 0..<count { _ = try scene.signIn(scene.register(Handset(number: 5 + number))) }
            var exchange = scene.service.exchange(
                for: .erase, of: scene.parties.person.subject, at: scene.now, using: &scene.parties.federation.entropy)
            var lookups = 0
            while let lookup = exchange.lookup {
                lookups += 1
                exchange.supply(scene.result(of: lookup))
            }
            // What the person called each of them goes, and the registration ends.
            #expect(exchange.decision.batch.changes.count >= 2 * (1 + Int(count)))
            return lookups
        }
        #expect(try lookups(for: 1) == lookups(for: 20))
    }
}

extension Scene {
    /// Carries an exchange through, with the store and the users of the scene.
    mutating func carryOut<Outcome>(
        _ begin: (EduIDService, Timestamp, inout SimulatedFederation.Entropy) -> Exchange<Outcome>
    ) -> Outcome {
        let scene = self
        var (store, entropy) = (self.store, parties.federation.entropy)
        defer { (self.store, parties.federation.entropy) = (store, entropy) }
        return store.carryOut(
            { begin(scene.service, scene.now, &entropy) },
            lookUp: { lookup in
                if case .facts(let keys) = lookup { return .facts(scene.store.load(keys)) }
                return scene.result(of: lookup)
            })
    }
}
