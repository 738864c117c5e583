import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) User authentication: attempts")
struct SignInAttemptTests {
    private let wrong = "wrong"

    private func request(
        _ scene: inout Scene, from phone: Handset? = nil, as name: String = "ada", _ password: String? = nil
    ) throws -> HTTP.Request {
        let phone = phone ?? scene.phone
        let proof = try scene.proof(phone.client, of: phone, for: "authorize-challenge")
        var pairs = scene.credentials(of: phone)
        pairs[2].1 = name
        if let password { pairs[3].1 = password }
        return try scene.form("authorize-challenge", pairs, .bearer(proof))
    }

    private func attempt(
        _ scene: inout Scene, from phone: Handset? = nil, as name: String = "ada", _ password: String? = nil
    ) throws -> Reply {
        scene.send(try request(&scene, from: phone, as: name, password))
    }

    /// Another instance, which nobody has used.
    private func phone(_ number: UInt8, _ scene: inout Scene) throws -> Handset {
        try scene.register(Handset(number: number))
    }

    @Test("A wrong password spends the request token too", .proves("threat-74"))
    func spent() throws {
        var scene = try Scene.registered()
        let request = try request(&scene, wrong)
        scene.send(request).expectRefusal("invalid_grant", 400, "threat-39", changing: true)
        let again = scene.send(request)
        #expect(again.status == 401 && again.error == "invalid_client")
    }

    @Test("The host learns from where an attempt comes, and how many failed lately", .proves("threat-74"))
    func whatTheHostIsTold() throws {
        var scene = try Scene.registered()
        for failures in 0..<3 {
            _ = try attempt(&scene, wrong)
            let told = try #require(scene.attempt)
            #expect(told.failures == failures && told.client.text == scene.phone.id && told.user.text == "ada")
            #expect(told.version?.description == "1")
        }
        scene.wait(901)
        _ = try attempt(&scene, wrong)
        #expect(scene.attempt?.failures == 0)
    }

    @Test(
        "After ten failures an instance has to wait, whoever it asks for", .proves("threat-74"), .proves("FPA-16"))
    func instance() throws {
        var scene = try Scene.registered()
        for number in 0..<10 {
            try attempt(&scene, as: "user-\(number)", wrong).expectRefusal(
                "invalid_grant", 400, "threat-39", changing: true)
        }
        let refused = try attempt(&scene)
        refused.expectRefusal("temporarily_unavailable", 429, "threat-74", changing: true)
        #expect(refused.response.fields.values(of: .retryAfter) == ["900"] && refused.logins == 0)
        // Another instance is none of this, and after a quarter of an hour the count is over.
        var other = scene
        let phone = try phone(5, &other)
        try attempt(&other, from: phone).expectSuccess()
        scene.wait(899)
        try attempt(&scene).expectRefusal("temporarily_unavailable", 429, "threat-74", changing: true)
        scene.wait(1)
        try attempt(&scene).expectSuccess()
    }

    @Test("After twenty failures on strange instances the right password looks wrong there", .proves("threat-74"))
    func strangers() throws {
        for name in ["ada", "nobody"] {
            var scene = try Scene.registered()
            let familiar = try scene.signIn(scene.phone)
            let thieves = [try phone(5, &scene), try phone(6, &scene), try phone(7, &scene)]
            var answers: Set<[UInt8]> = []
            for number in 0..<20 {
                let reply = try attempt(&scene, from: thieves[number / 10], as: name, wrong)
                reply.expectRefusal("invalid_grant", 400, "threat-39", changing: true)
                answers.insert(reply.response.body)
            }
            let locked = try attempt(&scene, from: thieves[2], as: name)
            locked.expectRefusal("invalid_grant", 400, "threat-74", changing: true)
            answers.insert(locked.response.body)
            // The same words, and the same work: the host checks something that is nobody's password.
            #expect(answers.count == 1 && locked.logins == 1)
            #expect(scene.attempt?.password != scene.parties.person.password)
            // The owner is not locked out.
            if name == "ada" { _ = try scene.signIn(familiar) }
        }
    }

    @Test(
        "On an instance where the user has been signed in, ten failures count; a success clears them",
        .proves("threat-74"))
    func familiar() throws {
        var scene = try Scene.registered()
        scene.phone = try scene.signIn(scene.phone)
        let user = try #require(scene.parties.federation.users.first)
        for _ in 0..<5 { _ = try attempt(&scene, wrong) }
        scene.phone = try scene.signIn(scene.phone, as: user)
        _ = try attempt(&scene, wrong)
        #expect(scene.attempt?.failures == 0)
        // The instance's own count goes on.
        for _ in 0..<4 { _ = try attempt(&scene, wrong) }
        try attempt(&scene).expectRefusal("temporarily_unavailable", 429, "threat-74", changing: true)
    }

    @Test("Of the many who share an instance the last eight are no strangers there", .proves("threat-74"))
    func familiars() throws {
        var scene = try Scene.registered()
        let users = try (0..<9).map { number in
            SimulatedFederation.User(
                try UserName(parsing: "user-\(number)"), password: try Secret.Password(parsing: "a password"),
                subject: try Record.Subject(parsing: "subject-\(number)"), profile: [:])
        }
        scene.parties.federation.users += users
        for user in users {
            scene.phone = try scene.signIn(scene.phone, as: user)
            try scene.signOut()
        }
        // Each has failed once elsewhere, which concerns strangers only.
        let other = try phone(5, &scene)
        for number in [0, 1] {
            _ = try attempt(&scene, from: other, as: "user-\(number)", wrong)
            _ = try attempt(&scene, as: "user-\(number)", wrong)
            #expect(scene.attempt?.failures == (number == 0 ? 1 : 0))
        }
        let client = try #require(scene.store.lineage(of: TokenID(parsing: scene.phone.client?.keyID ?? "")))
        #expect(client.record.attributes["users"]?.object?.count == 8)
    }

    @Test("Of guesses at once each takes a place of its own", .proves("threat-74"))
    func atOnce() throws {
        var scene = try Scene.registered()
        let guesses = try (0..<3).map { _ in try request(&scene, wrong) }
        let reply = scene.send(guesses[0]) { scene in
            for guess in guesses.dropFirst() { _ = scene.send(guess) }
        }
        reply.expectRefusal("invalid_grant", 400, "threat-39", changing: true)
        #expect(reply.rounds == 2)
        _ = try attempt(&scene, wrong)
        #expect(scene.attempt?.failures == 3)
    }

    @Test("What the host has locked out looks like a wrong password from outside", .proves("threat-74"))
    func lockedOut() throws {
        var scene = try Scene.registered()
        let wrongWords = try attempt(&scene, wrong)
        let request = try request(&scene)
        var exchange = scene.service.exchange(for: request, at: scene.now, using: &scene.parties.federation.entropy)
        while let lookup = exchange.lookup {
            if case .user = lookup {
                exchange.supply(.user(.lockedOut))
            } else {
                exchange.supply(scene.result(of: lookup))
            }
        }
        #expect(exchange.decision.refusal?.clause == "threat-74")
        guard case .respond(let response) = exchange.decision.conclusion(after: .applied) else { return }
        #expect(response == wrongWords.response)
    }
}
