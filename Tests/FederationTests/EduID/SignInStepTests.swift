import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) Signing in in several steps")
struct SignInStepTests {
    private static let code = Result { try Secret.OneTimeCode(parsing: "246810") }

    /// A registered phone, and a person who has one-time codes beside the password.
    private func scene() throws -> Scene {
        var scene = try Scene.registered()
        scene.parties.federation.users[0].oneTimeCode = try Self.code.get()
        return scene
    }

    private func step(
        _ session: String, _ code: String, by phone: Handset, _ scene: inout Scene,
        interfering: ((inout Scene) -> Void)? = nil
    ) throws -> Reply {
        let token = try scene.proof(phone.client, of: phone, for: "authorize-challenge")
        return scene.send(try request(session, code, by: phone, token, scene), interfering: interfering)
    }

    private func request(
        _ session: String, _ code: String, by phone: Handset, _ token: String, _ scene: Scene
    ) throws -> HTTP.Request {
        try scene.form(
            "authorize-challenge",
            [
                ("response_type", "code"), ("client_id", phone.id), ("auth_session", session), ("step", "otp"),
                ("otp", code),
            ], .bearer(token))
    }

    private func session(_ scene: inout Scene) throws -> String {
        try #require(try scene.challenge(scene.phone)["auth_session"])
    }

    @Test("Name and password are half of it, and the code of both is redeemed", .proves("FPA-2"), .proves("FPA-3"))
    func signsIn() throws {
        var scene = try scene()
        let asked = try scene.challenge(scene.phone)
        #expect(asked.status == 403 && asked.error == "insufficient_authorization")
        #expect(asked["authorization_code"] == nil && asked.json?["steps"] == [["step": "otp"]])
        #expect(asked.response.fields.value(of: .wwwAuthenticate) == .absent)
        let given = try step(try #require(asked["auth_session"]), "246810", by: scene.phone, &scene)
        given.expectSuccess()
        let reply = try scene.redeem(try #require(given["authorization_code"]), by: scene.phone)
        reply.expectSuccess()
        // Neither the session nor the code of the device is anywhere in what is stored.
        let stored = String(describing: asked.changes + given.changes)
        let session = try #require(asked["auth_session"])
        #expect(!stored.contains("246810") && !stored.contains(session))
    }

    @Test("Of two answers at once one counts", .proves("FPA-14"), .proves("threat-31"))
    func atOnce() throws {
        var scene = try scene()
        let session = try session(&scene)
        var first: Reply?
        let second = try step(session, "111111", by: scene.phone, &scene) { scene in
            first = try? step(session, "222222", by: scene.phone, &scene)
        }
        #expect(first?.error == "invalid_grant" && first?["auth_session"] != nil)
        #expect(second.error == "invalid_session" && second.rounds == 2)
        // One failed, and one is counted.
        let failures = try scene.store.load([.record(TokenID(parsing: #require(name(of: session))))])
        let record = failures.lineage(of: try TokenID(parsing: #require(name(of: session))))?.record
        #expect(record?.attributes["failures"] == 1)
    }

    private func name(of session: String) -> String? { session.split(separator: ".").last.map { String($0) } }

    @Test("A right answer that comes twice at once gives one code, and both are told it", .proves("threat-72"))
    func rightAtOnce() throws {
        var scene = try scene()
        let session = try session(&scene)
        var first: Reply?
        let second = try step(session, "246810", by: scene.phone, &scene) { scene in
            first = try? step(session, "246810", by: scene.phone, &scene)
        }
        #expect(first?.status == 200 && second.status == 200 && second.rounds == 2)
        #expect(first?["authorization_code"] == second["authorization_code"])
    }

    @Test("The same code in two sign-ins at once passes in one of them", .proves("FPA-17"))
    func codeAtOnce() throws {
        var scene = try scene()
        let other = try scene.otherPhone()
        let session = try session(&scene)
        let others = try #require(try scene.challenge(other)["auth_session"])
        var first: Reply?
        let second = try step(session, "246810", by: scene.phone, &scene) { scene in
            first = try? step(others, "246810", by: other, &scene)
        }
        #expect(first?.status == 200)
        #expect(second.error == "invalid_grant" && second["authorization_code"] == nil)
    }

    @Test("A name and an unknown name are asked for the same", .proves("FPA-11"), .proves("FPA-12"))
    func namesFirst() throws {
        var scene = try scene()
        scene.service.policy.asksNameFirst = true
        func ask(_ name: String) throws -> Reply {
            let token = try scene.proof(scene.phone.client, for: "authorize-challenge")
            var pairs = scene.credentials(of: scene.phone).filter { $0.0 != "password" }
            pairs[2].1 = name
            return scene.send(try scene.form("authorize-challenge", pairs, .bearer(token)))
        }
        let (known, unknown) = (try ask(scene.parties.person.name.text), try ask("nobody-of-this-name"))
        for reply in [known, unknown] { #expect(reply.status == 403) }
        let told = [known, unknown].map { reply in
            (reply.json?.object ?? [:]).filter { $0.name != "auth_session" }.map { $0.value }
        }
        #expect(told[0] == told[1])
        let failed = try step(try #require(unknown["auth_session"]), "246810", by: scene.phone, &scene)
        #expect(failed.error == "invalid_grant")
    }

    @Test("A name alone is nobody's guess, and is asked for where the policy says so", .proves("FPA-11"))
    func withoutPassword() throws {
        var scene = try scene()
        let token = try scene.proof(scene.phone.client, for: "authorize-challenge")
        let pairs = scene.credentials(of: scene.phone).filter { $0.0 != "password" }
        let reply = scene.send(try scene.form("authorize-challenge", pairs, .bearer(token)))
        #expect(reply.error == "invalid_request" && reply.logins == 0 && reply.changes.isEmpty)
    }

    @Test("A host that names no user for the second step lets nobody in as somebody else", .proves("FPA-10"))
    func otherUser() throws {
        var scene = try scene()
        let session = try session(&scene)
        // The same name is another person's by now.
        let bob = scene.parties.federation.users[1]
        let ada = scene.parties.federation.users[0]
        scene.parties.federation.users[0] = SimulatedFederation.User(
            ada.name, password: ada.password, subject: bob.subject, profile: [:])
        scene.parties.federation.users[0].oneTimeCode = try Self.code.get()
        let reply = try step(session, "246810", by: scene.phone, &scene)
        #expect(reply.error == "invalid_grant" && reply["authorization_code"] == nil)
    }

    @Test("With the instance's key a sign-in ends", .proves("FPA-5"))
    func otherKey() throws {
        var scene = try scene()
        let session = try session(&scene)
        let id = try TokenID(parsing: #require(name(of: session)))
        let record = scene.store.load([.record(id)]).lineage(of: id)?.record
        #expect(record?.kind == .session && record?.boundKey != nil)
        #expect(record?.end == scene.now + .seconds(600))
        scene.wait(599)
        #expect(try step(session, "1", by: scene.phone, &scene).error == "invalid_grant")
        scene.wait(1)
        #expect(try step(session, "1", by: scene.phone, &scene).error == "invalid_session")
    }

    @Test("What goes on with a sign-in opens nothing else", .proves("FPA-6"))
    func opensNothing() throws {
        var scene = try scene()
        let session = try session(&scene)
        #expect(try scene.redeem(session, by: scene.phone).error == "invalid_grant")
        #expect(try scene.refresh(session, by: scene.phone.client).error == "invalid_grant")
        let bearer = try scene.request(.get, "userinfo", .bearer(session))
        #expect(scene.send(bearer).status == 401)
        try step(session, "246810", by: scene.phone, &scene).expectSuccess()
    }

    @Test("Who has codes signs in soon after a restoration", .proves("threat-67"), .proves("FPA-17"))
    func restored() throws {
        // In the federation a code passes once in 60 seconds: one that was right before the store was restored, or in
        // the minute after, may have passed.
        for (seconds, isCertain) in [(61, false), (120, false), (121, true)] as [(Int64, Bool)] {
            var scene = try scene()
            scene.store = try scene.store.restored(at: scene.now)
            scene.wait(seconds)
            let reply = try step(session(&scene), "246810", by: scene.phone, &scene)
            guard isCertain else {
                #expect(
                    reply.status == 503 && reply.response.fields.value(of: .retryAfter) == .once("60"), "\(seconds)")
                continue
            }
            reply.expectSuccess()
            let again = try step(session(&scene), "246810", by: scene.phone, &scene)
            #expect(again.error == "invalid_grant")
        }
    }

    @Test("The challenge never changes", .proves("FPA-8"))
    func challenge() throws {
        var scene = try scene()
        let session = try session(&scene)
        let token = try scene.proof(scene.phone.client, for: "authorize-challenge")
        let other = "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA"
        let pairs = [
            ("response_type", "code"), ("auth_session", session), ("step", "otp"), ("otp", "246810"),
            ("code_challenge", other), ("code_challenge_method", "S256"),
        ]
        let reply = scene.send(try scene.form("authorize-challenge", pairs, .bearer(token)))
        #expect(reply.error == "invalid_request" && reply.changes.isEmpty)
        try step(session, "246810", by: scene.phone, &scene).expectSuccess()
    }

    @Test("Who is shut out learns nothing about a step", .proves("FPA-13"), .proves("FED-4"))
    func shutOut() throws {
        var scene = try scene()
        let session = try session(&scene)
        scene.service.policy.excludedPlatforms = [.iOS]
        let (right, wrong) = (
            try step(session, "246810", by: scene.phone, &scene), try step(session, "1", by: scene.phone, &scene)
        )
        for reply in [right, wrong] { #expect(reply.error == "unauthorized_client" && reply.changes.isEmpty) }
    }
}
