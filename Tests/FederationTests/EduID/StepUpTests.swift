import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

/// A class of sign-ins with a password and a one-time code.
private let mfa = "https://refeds.org/profile/mfa"

@Suite("(2) What a sign-in amounts to, and more than it was")
struct StepUpTests {
    /// A person who shows one-time codes where more is demanded than a password.
    private func scene(_ stage: () throws -> Scene = Scene.registered) throws -> Scene {
        var scene = try stage()
        let classes: [(String, [String])] = [(mfa, ["pwd", "otp"]), ("password", ["pwd"])]
        scene.service.policy.contextClasses = try classes.map { name, methods in
            EduIDService.ContextClass(try Authentication.ContextClass(parsing: name), takes: methods)
        }
        scene.parties.federation.users[0].oneTimeCode = try Secret.OneTimeCode(parsing: "246810")
        scene.parties.federation.users[0].showsCodeOnDemand = true
        return scene
    }

    private func signedIn() throws -> Scene {
        var scene = try scene()
        scene.phone = try scene.signIn(scene.phone)
        return scene
    }

    private func ask(_ pairs: [(String, String)], _ scene: inout Scene) throws -> Reply {
        let token = try scene.proof(scene.phone.client, of: scene.phone, for: "authorize-challenge")
        return scene.send(try scene.form("authorize-challenge", pairs, .bearer(token)))
    }

    private func signIn(demanding pairs: [(String, String)], _ scene: inout Scene) throws -> Reply {
        try ask(scene.credentials(of: scene.phone) + pairs, &scene)
    }

    private func stepUp(_ pairs: [(String, String)], _ scene: inout Scene) throws -> Reply {
        let nameless = scene.credentials(of: scene.phone).filter { !["username", "password"].contains($0.0) }
        return try ask(nameless + pairs, &scene)
    }

    /// Shows the code and redeems what comes of it: a further access token of the same grant.
    private func strengthen(_ pairs: [(String, String)], _ scene: inout Scene) throws {
        let asked = try stepUp(pairs, &scene)
        let code = try #require(try step(asked["auth_session"], "246810", &scene)["authorization_code"])
        try take(try scene.redeem(code, by: scene.phone), &scene)
    }

    private func take(_ reply: Reply, _ scene: inout Scene) throws {
        #expect(reply["refresh_token"] == nil)
        let refresh = scene.phone.personal?.refresh
        scene.phone.personal = try scene.phone.held(reply)
        scene.phone.personal?.refresh = refresh
    }

    private func step(_ session: String?, _ code: String, _ scene: inout Scene) throws -> Reply {
        try ask(
            [
                ("response_type", "code"), ("client_id", scene.phone.id), ("auth_session", try #require(session)),
                ("step", "otp"), ("otp", code),
            ], &scene)
    }

    /// What the personal token says.
    private func told(_ scene: Scene) throws -> JSON { try claims(of: scene.phone.personal?.token) }

    @Test("A personal token tells how and when its person signed in", .proves("FPA-19"))
    func claimsOfPassword() throws {
        let scene = try signedIn()
        let token = try told(scene)
        #expect(token["acr"] == "password" && token["amr"] == ["pwd"])
        #expect(token["auth_time"] == .number(JSON.Number(scene.now.seconds)))
    }

    @Test("Without classes it tells what was shown, and no class", .proves("FPA-19"))
    func withoutClasses() throws {
        var scene = try scene()
        scene.service.policy.contextClasses = []
        scene.phone = try scene.signIn(scene.phone)
        #expect(try told(scene)["acr"] == nil && told(scene)["amr"] == ["pwd"])
    }

    @Test("A class that takes two methods is reached by both", .proves("FPA-18"), .proves("FPA-19"))
    func demandedAtSignIn() throws {
        var scene = try scene()
        let asked = try signIn(demanding: [("acr_values", "other \(mfa)")], &scene)
        #expect(asked.status == 403 && asked["auth_session"] != nil && asked["authorization_code"] == nil)
        let given = try step(asked["auth_session"], "246810", &scene)
        let code = try #require(given["authorization_code"])
        scene.phone.personal = try scene.phone.held(try scene.redeem(code, by: scene.phone))
        let token = try told(scene)
        #expect(token["acr"] == .string(mfa) && token["amr"] == ["pwd", "otp", "mfa"])
    }

    @Test("No code is given for less than was demanded", .proves("FPA-18"))
    func unreachable() throws {
        var scene = try scene()
        scene.parties.federation.users[0].oneTimeCode = nil
        let refused = try signIn(demanding: [("acr_values", mfa)], &scene)
        refused.expectRefusal("unmet_authentication_requirements", 400, "FPA-18", changing: true)
        #expect(refused["acr_values"] == mfa)
        // What a stronger sign-in is, a weaker class asks no more of.
        #expect(try signIn(demanding: [("acr_values", "password")], &scene).status == 200)
        // Steps that lead elsewhere lead to no code either.
        scene = try self.scene()
        let asked = try signIn(demanding: [("acr_values", "elsewhere")], &scene)
        let given = try step(asked["auth_session"], "246810", &scene)
        given.expectRefusal("unmet_authentication_requirements", 400, "FPA-18", changing: true)
        #expect(try step(asked["auth_session"], "246810", &scene).error == "invalid_session")
    }

    @Test(
        "A demand has to be one that can be read", .proves("FPA-18"),
        arguments: [
            [("max_age", "-1")], [("max_age", "1e9999")], [("max_age", "soon")], [("max_age", "1"), ("max_age", "1")],
            [("acr_values", "a\"b")], [("acr_values", (0...16).map { "c\($0)" }.joined(separator: " "))],
        ])
    func unreadable(_ pairs: [(String, String)]) throws {
        var scene = try scene()
        #expect(try signIn(demanding: pairs, &scene).error == "invalid_request")
    }

    @Test("Only what is missing is asked of who is signed in, and nothing ends", .proves("FPA-20"))
    func stepsUp() throws {
        var scene = try signedIn()
        let (former, assertion) = (scene.phone.personal, try scene.introduce()["code"])
        scene.wait(1_000)
        let asked = try stepUp([("acr_values", mfa)], &scene)
        #expect(asked.status == 403 && asked.json?["steps"] == [["step": "otp"]])
        let given = try step(asked["auth_session"], "246810", &scene)
        given.expectSuccess()
        try take(try scene.redeem(try #require(given["authorization_code"]), by: scene.phone), &scene)
        let token = try told(scene)
        #expect(token["acr"] == .string(mfa) && token["amr"] == ["pwd", "otp", "mfa"])
        #expect(token["auth_time"] == .number(JSON.Number(scene.now.seconds)))
        #expect(scene.store.living(.personal, at: scene.now) == 1)
        // What stands on the grant stays, and so do the tokens that are there.
        #expect(try scene.verdict(former).isLive && assertion != nil)
        #expect(scene.store.living(.assertion, at: scene.now) == 1)
        try scene.refresh(former?.refresh, by: former).expectSuccess()
    }

    @Test("A renewal does not make a sign-in any newer", .proves("FPA-19"))
    func renewal() throws {
        var scene = try signedIn()
        let before = try told(scene)
        scene.wait(600)
        let renewed = try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal)
        let token = try claims(of: renewed["access_token"])
        for name in ["acr", "amr", "auth_time"] as [JSON.Name] { #expect(token[name] == before[name]) }
    }

    @Test("A weaker sign-in later does not keep the stronger one's class", .proves("FPA-19"))
    func weakerLater() throws {
        var scene = try signedIn()
        try strengthen([("acr_values", mfa)], &scene)
        scene.phone = try scene.signIn(scene.phone)
        #expect(try told(scene)["acr"] == "password" && told(scene)["amr"] == ["pwd"])
    }

    @Test("What is enough already is answered at once, and what is too old is asked again", .proves("FPA-20"))
    func age() throws {
        var scene = try signedIn()
        scene.wait(300)
        #expect(try stepUp([("max_age", "300")], &scene)["authorization_code"] != nil)
        scene.wait(1)
        let asked = try stepUp([("max_age", "300")], &scene)
        #expect(asked.error == "insufficient_authorization")
        let code = try #require(try step(asked["auth_session"], "246810", &scene)["authorization_code"])
        try take(try scene.redeem(code, by: scene.phone), &scene)
        #expect(try told(scene)["auth_time"] == .number(JSON.Number(scene.now.seconds)))
    }

    @Test("The version's signature, which every copy of the app makes, is not enough", .proves("threat-63"))
    func byVersion() throws {
        var scene = try signedIn()
        func statement() throws -> Credential { .bearer(try scene.statement(of: scene.phone)) }
        let nameless = scene.credentials(of: scene.phone).filter { !["username", "password"].contains($0.0) }
        // Not even for what is enough already, which asks for nothing.
        for demand in [("acr_values", mfa), ("max_age", "1000")] {
            scene.send(try scene.form("authorize-challenge", nameless + [demand], statement()))
                .expectRefusal("invalid_client", 401, "threat-63", changing: true)
        }
        let asked = try stepUp([("acr_values", mfa)], &scene)
        let pairs = [
            ("response_type", "code"), ("auth_session", try #require(asked["auth_session"])), ("step", "otp"),
            ("otp", "246810"),
        ]
        scene.send(try scene.form("authorize-challenge", pairs, statement()))
            .expectRefusal("invalid_client", 401, "threat-63", changing: true)
        let code = try #require(try step(asked["auth_session"], "246810", &scene)["authorization_code"])
        let redemption = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)]
        scene.send(try scene.form("token", redemption, statement()))
            .expectRefusal("invalid_client", 401, "threat-63", changing: true)
        try scene.redeem(code, by: scene.phone).expectSuccess()
    }

    @Test("A code of a step-up that comes twice gives the same, and comes late for nothing", .proves("threat-72"))
    func codeTwice() throws {
        var scene = try signedIn()
        let asked = try stepUp([("acr_values", mfa)], &scene)
        let code = try #require(try step(asked["auth_session"], "246810", &scene)["authorization_code"])
        for _ in 0..<2 { try scene.redeem(code, by: scene.phone).expectSuccess() }
        try scene.redeem(code, by: scene.phone, verifier: nil).expectRefusal(
            "invalid_grant", 400, "RFC7636-4.6", changing: true)
        scene.wait(61)
        try scene.redeem(code, by: scene.phone).expectRefusal("invalid_grant", 400, "threat-26", changing: true)
        #expect(scene.store.living(.personal, at: scene.now) == 1)
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectSuccess()
    }

    @Test("Neither what goes on with it nor its code is of use to another instance", .proves("FPA-5"), .proves("FPA-6"))
    func otherInstance() throws {
        var scene = try signedIn()
        let other = try scene.otherPhone()
        let asked = try stepUp([("acr_values", mfa)], &scene)
        let token = try scene.proof(other.client, of: other, for: "authorize-challenge")
        let pairs = [
            ("response_type", "code"), ("auth_session", try #require(asked["auth_session"])), ("step", "otp"),
            ("otp", "246810"),
        ]
        #expect(scene.send(try scene.form("authorize-challenge", pairs, .bearer(token))).error == "invalid_session")
        let code = try #require(try step(asked["auth_session"], "246810", &scene)["authorization_code"])
        #expect(try scene.redeem(code, by: other).error == "invalid_grant")
    }

    @Test("A one-time code of the sign-in is none of the step-up", .proves("FPA-17"))
    func codeOfSignIn() throws {
        var scene = try scene()
        let asked = try signIn(demanding: [("acr_values", mfa)], &scene)
        let code = try #require(try step(asked["auth_session"], "246810", &scene)["authorization_code"])
        scene.phone.personal = try scene.phone.held(try scene.redeem(code, by: scene.phone))
        let more = try stepUp([("max_age", "0"), ("acr_values", "elsewhere")], &scene)
        #expect(try step(more["auth_session"], "246810", &scene).refusal?.clause == "FPA-10")
    }

    @Test("A demand beside a session is the one with which it began", .proves("FPA-18"))
    func demandBesideSession() throws {
        var scene = try signedIn()
        let session = try #require(try stepUp([("acr_values", mfa)], &scene)["auth_session"])
        func answer(_ more: [(String, String)]) throws -> Reply {
            try ask(
                [
                    ("response_type", "code"), ("client_id", scene.phone.id), ("auth_session", session),
                    ("step", "otp"), ("otp", "246810"),
                ] + more, &scene)
        }
        try answer([("acr_values", "password")]).expectRefusal("invalid_request", 400, "FPA-18", changing: true)
        #expect(try answer([("max_age", "-1")]).error == "invalid_request")
        try answer([("acr_values", mfa)]).expectSuccess()
    }

    @Test("Where no attempt is left the host is not asked for steps", .proves("FPA-13"))
    func attempts() throws {
        var scene = try signedIn()
        for _ in 0..<10 {
            let token = try scene.proof(scene.phone.client, of: scene.phone, for: "authorize-challenge")
            var pairs = scene.credentials(of: scene.phone)
            (pairs[2].1, pairs[3].1) = ("nobody", "wrong")
            #expect(scene.send(try scene.form("authorize-challenge", pairs, .bearer(token))).error == "invalid_grant")
        }
        try stepUp([("acr_values", mfa)], &scene).expectRefusal(
            "temporarily_unavailable", 429, "threat-74", changing: true)
    }

    @Test("Classes are what they are worth now, and records from before have a password", .proves("FPA-19"))
    func policyOfToday() throws {
        var scene = try signedIn()
        try strengthen([("acr_values", mfa)], &scene)
        #expect(try stepUp([("acr_values", mfa)], &scene)["authorization_code"] != nil)
        scene.service.policy.contextClasses = [
            EduIDService.ContextClass(try Authentication.ContextClass(parsing: mfa), takes: ["pwd", "hwk"])
        ]
        #expect(try stepUp([("acr_values", mfa)], &scene)["authorization_code"] == nil)
        // What an earlier version of the service kept says nothing of it.
        var old = try signedIn()
        let id = try #require(old.phone.personal.map { try TokenID(parsing: $0.keyID) })
        let record = try #require(old.store.load([.record(id)]).lineage(of: id)?.record)
        var attributes = record.attributes
        for name in ["acr", "amr", "auth_time"] as [JSON.Name] { attributes[name] = nil }
        #expect(old.store.commit(Batch(at: old.now, [.describe(id, attributes)])) == .applied)
        #expect(try stepUp([("max_age", "1000000000")], &old)["authorization_code"] == nil)
        try strengthen([("acr_values", mfa)], &old)
        #expect(try told(old)["acr"] == .string(mfa))
    }

    @Test("Whoever is to sign in again, because a session elsewhere ended, has to do that", .proves("OIC-17"))
    func askedAgain() throws {
        var scene = try signedIn()
        let id = try #require(scene.phone.personal.map { try TokenID(parsing: $0.keyID) })
        let record = try #require(scene.store.load([.record(id)]).lineage(of: id)?.record)
        var attributes = record.attributes
        attributes["ask_again"] = .number(JSON.Number(scene.now.seconds))
        #expect(scene.store.commit(Batch(at: scene.now, [.describe(id, attributes)])) == .applied)
        for demand in [("max_age", "1000"), ("acr_values", mfa)] {
            try stepUp([demand], &scene).expectRefusal("insufficient_authorization", 403, "OIC-17", changing: true)
        }
    }

    @Test("Who is not signed in has to say who it is", .proves("FPA-20"))
    func nobody() throws {
        var scene = try scene()
        try stepUp([("acr_values", mfa)], &scene).expectRefusal("invalid_request", 400, "FPA-20", changing: true)
        // A request without a name that demands nothing lacks the name.
        scene.phone = try scene.signIn(scene.phone)
        #expect(try stepUp([], &scene).error == "invalid_request")
    }

    @Test("Whom no step leads there is told so", .proves("FPA-18"), .proves("FPA-20"))
    func noStep() throws {
        var scene = try signedIn()
        scene.parties.federation.users[0].oneTimeCode = nil
        try stepUp([("acr_values", mfa)], &scene).expectRefusal(
            "unmet_authentication_requirements", 400, "FPA-18", changing: true)
    }

    @Test(
        "A step-up ends with the sign-in that it stands on, in each of its stages", .proves("FPA-20"),
        arguments: [0, 1])
    func endsWithIt(_ stage: Int) throws {
        var scene = try signedIn()
        let asked = try stepUp([("acr_values", mfa)], &scene)
        let code = stage == 0 ? nil : try step(asked["auth_session"], "246810", &scene)["authorization_code"]
        try scene.signOut()
        if let code {
            #expect(try scene.redeem(code, by: scene.phone).error == "invalid_grant")
        } else {
            #expect(try step(asked["auth_session"], "246810", &scene).error == "invalid_session")
        }
        #expect(scene.store.living(.personal, at: scene.now) == 0)
    }

    @Test("Wrong codes count as in a sign-in, and the third ends it", .proves("FPA-15"), .proves("FPA-20"))
    func wrongCodes() throws {
        var scene = try signedIn()
        var session = try stepUp([("acr_values", mfa)], &scene)["auth_session"]
        for _ in 1...3 { session = try step(session, "111111", &scene)["auth_session"] }
        #expect(session == nil && scene.store.living(.personal, at: scene.now) == 1)
    }

    @Test("A user who is shut out is asked for nothing", .proves("threat-78"))
    func lockedOut() throws {
        var scene = try signedIn()
        _ = scene.administrate(.lock(try #require(scene.parties.federation.users.first?.subject)))
        #expect(try stepUp([("acr_values", mfa)], &scene).error != "insufficient_authorization")
    }

    // MARK: Administrators

    @Test("An administrator has to show what is demanded of administrators", .proves("FPA-21"))
    func administrator() throws {
        var scene = try signedIn()
        scene.service.policy.administrators = [scene.parties.federation.users[0].subject]
        try scene.asUser(.get, "admin/versions").expectSuccess()
        scene.service.policy.administratorsDemand = try AuthenticationDemand([Authentication.ContextClass(parsing: mfa)]
        )
        let refused = try scene.asUser(.get, "admin/versions")
        refused.expectRefusal("insufficient_user_authentication", 401, "FPA-21", changing: true)
        #expect(refused["acr_values"] == mfa)
        // What is everybody's goes on.
        try scene.asUser(.get, "instances").expectSuccess()
        try strengthen([("acr_values", mfa)], &scene)
        try scene.asUser(.get, "admin/versions").expectSuccess()
    }

    @Test("In a browser it is asked of administrators alone, and makes them some", .proves("FPA-21"), .proves("OPS-18"))
    func administratorInBrowser() throws {
        var scene = try scene()
        let ada = scene.parties.federation.users[0]
        scene.service.policy.administratorsDemand = try AuthenticationDemand([Authentication.ContextClass(parsing: mfa)]
        )
        func open(_ code: String? = nil) throws -> Result<BrowserSession.Opening, Refusal> {
            let attempt = BrowserSession.Attempt(
                ada.name, ada.password, code: try code.map { try Secret.OneTimeCode(parsing: $0) }, with: "Firefox")
            return scene.carryOut { $0.exchange(signingIn: attempt, at: $1, using: &$2) }
        }
        #expect(try !open().get().session.isAdministrators)
        scene.service.policy.administrators = [ada.subject]
        // Without a code it is a person with an account.
        #expect(try !open().get().session.isAdministrators)
        guard case .failure(let wrong) = try open("111111") else { throw SimulationError() }
        #expect(wrong.obstacle == .wrongCode)
        let opening = try open("246810").get()
        #expect(opening.session.isAdministrators)
        #expect(
            try scene.carryOut { $0.exchange(openingSession: opening.secret, at: $1, using: &$2) }.get()
                == opening.session)
        // Whom nothing leads there is a person with an account.
        scene.parties.federation.users[0].oneTimeCode = nil
        #expect(try !open().get().session.isAdministrators)
    }

    // MARK: Introductions

    @Test("An app tells in whose words a service wants it", .proves("FPA-22"))
    func wordsOfTheService() throws {
        var scene = try signedIn()
        try strengthen([("acr_values", mfa)], &scene)
        #expect(try claims(of: try scene.introduce()["code"])["acr"] == .string(mfa))
        let told = try scene.introduce(to: Scene.alpha, [("acr_values", "other password"), ("max_age", "60")])
        #expect(try claims(of: told["code"])["acr"] == "password")
        try scene.introduce(to: Scene.alpha, [("acr_values", "other")])
            .expectRefusal("insufficient_authorization", 403, "FPA-22", changing: true)
    }

    private func demand(_ demand: AuthenticationDemand, _ scene: inout Scene) {
        scene.service.index = ServiceIndex(
            scene.service.index.services.map { service in
                var service = service
                service.demand = demand
                return service
            })
    }

    @Test("An assertion tells its service how the person signed in, whatever the profile says", .proves("FPA-19"))
    func assertion() throws {
        var scene = try scene()
        scene.parties.federation.users[0] = {
            var profile = scene.parties.federation.users[0].profile
            profile["acr"] = .string(mfa)
            let user = scene.parties.federation.users[0]
            return SimulatedFederation.User(
                user.name, password: user.password, subject: user.subject, profile: profile)
        }()
        scene.phone = try scene.signIn(scene.phone)
        let signIn = scene.now
        scene.wait(60)
        let assertion = try claims(of: try scene.introduce()["code"])
        #expect(assertion["acr"] == "password" && assertion["amr"] == ["pwd"])
        #expect(assertion["auth_time"] == .number(JSON.Number(signIn.seconds)))
    }

    @Test(
        "A service that demands more is not introduced to for less, and told the class it asks for", .proves("FPA-22"))
    func introduction() throws {
        var scene = try signedIn()
        demand(try AuthenticationDemand([Authentication.ContextClass(parsing: mfa)], maximumAge: 3_600), &scene)
        let refused = try scene.introduce()
        refused.expectRefusal("insufficient_authorization", 403, "FPA-22", changing: true)
        #expect(refused.status == 403 && refused["acr_values"] == mfa && refused.json?["max_age"] == 3_600)
        #expect(scene.store.living(.assertion, at: scene.now) == 0)
        try strengthen([("acr_values", mfa)], &scene)
        #expect(try claims(of: try scene.introduce()["code"])["acr"] == .string(mfa))
        // One who has shown more is told by the class that is preferred.
        demand(
            try AuthenticationDemand([
                Authentication.ContextClass(parsing: "password"), Authentication.ContextClass(parsing: mfa),
            ]),
            &scene)
        #expect(try claims(of: try scene.introduce()["code"])["acr"] == "password")
        demand(try AuthenticationDemand([], maximumAge: 60), &scene)
        scene.wait(61)
        try scene.introduce().expectRefusal("insufficient_authorization", 403, "FPA-22", changing: true)
    }
}
