import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) User authentication")
struct SignInTests {
    @Test(
        "Credentials give a code, and the code a personal token that is a JWT bound to the instance's key",
        .proves("AUT-2"),
        .proves("AUT-3"),
        .proves("AUT-4"), .proves("USR-1"))
    func signsIn() throws {
        var scene = try Scene.registered()
        let challenge = try scene.challenge(scene.phone)
        challenge.expectSuccess()
        #expect(challenge.logins == 1)
        let code = try #require(challenge["authorization_code"])
        let reply = try scene.redeem(code, by: scene.phone)
        reply.expectSuccess()
        #expect(reply["token_type"] == "PoP" && reply.json?["expires_in"] == 3600 && reply["refresh_token"] != nil)
        // AUT-5: this and nothing else.
        let opened = ["userinfo", "authorize", "usage", "discovery", "instances", "revoke"].map {
            Parties.eduID + "/" + $0
        }
        #expect(Set(try #require(reply["scope"]).split(separator: " ").map { String($0) }) == Set(opened))
        let token = try claims(of: reply["access_token"])
        #expect(token["sub"] == "user-0001" && token["client_id"]?.string == scene.phone.id)
        #expect(try header(of: reply["access_token"])["typ"] == "at+jwt")
        let given = try JWK(parsing: try #require(token["cnf"]?["jwk"]).encoded())
        #expect(try given.thumbprint() == scene.phone.publicKey?.thumbprint())
        // Neither credentials nor code are anywhere in what is stored.
        let stored = String(describing: reply.changes + challenge.changes)
        #expect(!stored.contains(scene.parties.person.password.secret) && !stored.contains(code))
    }

    @Test("The parameters may be JSON, and the proof may be DPoP", .proves("AUT-2"))
    func variations() throws {
        var scene = try Scene.registered()
        let proof = try scene.proof(scene.phone.client, for: "authorize-challenge")
        let json = scene.send(
            try scene.object("authorize-challenge", scene.credentials(of: scene.phone), .bearer(proof)))
        json.expectSuccess()
        let pairs = [
            ("grant_type", "authorization_code"), ("code", try #require(json["authorization_code"])),
            ("code_verifier", Scene.verifier),
        ]
        let byDPoP = try scene.dpop(scene.phone.client, .post, "token")
        let reply = scene.send(try scene.form("token", pairs, byDPoP))
        reply.expectSuccess()
        scene.phone.personal = try scene.phone.held(reply)
        scene.send(try scene.request(.get, "userinfo", try scene.dpop(scene.phone.personal, .get, "userinfo")))
            .expectSuccess()
    }

    @Test(
        "S1's request token is taken in the header as in the parameters", .proves("REQ-13"), arguments: [true, false])
    func requestTokenOfS1(_ inHeader: Bool) throws {
        var scene = try Scene.registered()
        func credential() throws -> Credential {
            let statement = try scene.statement(of: scene.phone)
            return inHeader ? .bearer(statement) : .assertion(statement)
        }
        let challenge = scene.send(
            try scene.form("authorize-challenge", scene.credentials(of: scene.phone), try credential()))
        challenge.expectSuccess()
        let pairs = [
            ("grant_type", "authorization_code"), ("code", try #require(challenge["authorization_code"])),
            ("code_verifier", Scene.verifier),
        ]
        let reply = scene.send(try scene.form("token", pairs, try credential()))
        reply.expectSuccess()
        // It does not prove the instance: what is given is bound to the instance's key.
        scene.phone.personal = try scene.phone.held(reply)
        try scene.asUser(.get, "userinfo").expectSuccess()
        let plain = try #require(scene.phone.personal?.token)
        scene.send(try scene.request(.get, "userinfo", .bearer(plain))).expectRefusal("invalid_token", 401, "threat-36")
    }

    @Test("S1's request token names the service, and none of its endpoints", .proves("REQ-11"), .proves("threat-64"))
    func audiences() throws {
        var scene = try Scene.registered()
        func challenge(for audience: String) throws -> Reply {
            let statement = try scene.statement(of: scene.phone) { $0["aud"] = .string(audience) }
            return scene.send(
                try scene.form("authorize-challenge", scene.credentials(of: scene.phone), .bearer(statement)))
        }
        for path in ["/authorize-challenge", "/token", "/"] {
            try challenge(for: Parties.eduID + path).expectRefusal("invalid_client", 401, "REQ-11")
        }
    }

    @Test("S1's request token that has a name is good once", .proves("REQ-8"), .proves("threat-36"))
    func namedRequestToken() throws {
        var scene = try Scene.registered()
        let statement = try scene.statement(of: scene.phone) { $0["jti"] = "once" }
        let request = try scene.form("authorize-challenge", scene.credentials(of: scene.phone), .bearer(statement))
        scene.send(request).expectSuccess()
        let again = scene.send(request)
        #expect(again.error == "invalid_client" && again.status == 401)
    }

    @Test(
        "'client_id' is the client that is proved", .proves("threat-35"), arguments: ["authorization_code", "password"])
    func otherClient(_ grant: String) throws {
        var scene = try Scene.registered()
        scene.service.policy.takesPasswords = true
        let pairs = [
            ("grant_type", grant), ("code", try scene.code(of: scene.phone)), ("code_verifier", Scene.verifier),
            ("username", "ada"), ("password", scene.parties.person.password.secret),
            ("client_id", Handset(number: 2).id),
        ]
        scene.send(try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.client, for: "token"))))
            .expectRefusal("invalid_client", 401, "RFC6749-3.2.1")
    }

    @Test("Who is not admitted learns nothing about credentials", .proves("AUT-1"), .proves("FED-5"))
    func admittedFirst() throws {
        let scene = try Scene.registered()
        func attempt(
            _ error: String, _ status: Int, _ clause: String, _ prepare: (inout Scene) throws -> Credential,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            var scene = scene
            let credential = try prepare(&scene)
            let reply = scene.send(
                try scene.form("authorize-challenge", scene.credentials(of: scene.phone), credential))
            reply.expectRefusal(error, status, clause, sourceLocation: sourceLocation)
            #expect(reply.logins == 0, sourceLocation: sourceLocation)
        }
        func own(_ scene: inout Scene) throws -> Credential {
            .bearer(try scene.proof(scene.phone.client, for: "authorize-challenge"))
        }
        try attempt("invalid_client", 401, "RFC6750-2.1") { _ in .none }
        try attempt("invalid_client", 401, "AUT-1") { scene in
            scene.store = MemoryStore()
            return .bearer(try scene.statement(of: scene.phone))
        }
        try attempt("invalid_client", 401, "threat-39") { scene in
            scene.store = MemoryStore()
            return try own(&scene)
        }
        try attempt("invalid_client", 401, "TOK-1") { scene in
            try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
            return try own(&scene)
        }
        try attempt("invalid_client", 401, "AUT-1") { scene in
            try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
            return .assertion(try scene.statement(of: scene.phone))
        }
        try attempt("invalid_client", 401, "AUT-1") { scene in
            _ = scene.administrate(.reject(try ClientID(parsing: scene.phone.id)))
            return .bearer(try scene.statement(of: scene.phone))
        }
        try attempt("invalid_client", 401, "TOK-1") { scene in
            try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
            _ = try scene.register(scene.phone)
            return try own(&scene)
        }
        // The instance runs 1.0, the statement is by 2.0.
        try attempt("invalid_client", 401, "AUT-1") { scene in .bearer(try scene.statement(of: scene.phone, version: 1))
        }
        // The instance registered another key than the statement brings.
        try attempt("invalid_client", 401, "AUT-1") { scene in
            let other = try JSON(parsing: try #require(Handset(number: 2).publicKey).encoded())
            return .bearer(try scene.statement(of: scene.phone) { $0["cnf"] = ["jwk": other] })
        }
        try attempt("unauthorized_client", 400, "FED-4") { scene in
            _ = scene.administrate(.block(try KeyID(parsing: "ios-1.0")))
            return try own(&scene)
        }
        try attempt("unauthorized_client", 400, "REG-4") { scene in
            _ = scene.administrate(.block(try KeyID(parsing: "ios-1.0")))
            return .bearer(try scene.statement(of: scene.phone))
        }
        try attempt("unauthorized_client", 400, "FED-4") { scene in
            scene.service.policy.excludedPlatforms = [.iOS]
            return try own(&scene)
        }
        // A user's token is no instance's.
        try attempt("invalid_client", 401, "threat-18") { scene in
            let phone = try scene.signIn(scene.phone)
            return .bearer(try scene.proof(phone.personal, for: "authorize-challenge"))
        }
        try attempt("invalid_client", 401, "RFC6749-3.2.1") { scene in
            let other = try scene.otherPhone()
            return .bearer(try scene.proof(other.client, of: other, for: "authorize-challenge"))
        }
    }

    @Test("A personal token registers and redeems nothing", .proves("AUT-5"), .proves("threat-18"))
    func personalToken() throws {
        var scene = try Scene.signedIn()
        let code = try scene.code(of: scene.phone)
        for pairs in [
            [("grant_type", "client_credentials")],
            [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)],
        ] {
            let proof = try scene.proof(scene.phone.personal, for: "token")
            scene.send(try scene.form("token", pairs, .bearer(proof))).expectRefusal("invalid_client", 401, "threat-18")
        }
        try scene.redeem(code, by: scene.phone).expectSuccess()
    }

    @Test("An unknown user and a wrong password are answered alike, byte for byte", .proves("threat-39"))
    func alike() throws {
        var scene = try Scene.registered()
        func attempt(_ name: String, _ password: String) throws -> Reply {
            let proof = try scene.proof(scene.phone.client, for: "authorize-challenge")
            var pairs = scene.credentials(of: scene.phone)
            pairs[2].1 = name
            pairs[3].1 = password
            return scene.send(try scene.form("authorize-challenge", pairs, .bearer(proof)))
        }
        let unknown = try attempt("eve", "correct horse battery staple")
        let wrong = try attempt("ada", "wrong")
        unknown.expectRefusal("invalid_grant", 400, "threat-39", changing: true)
        wrong.expectRefusal("invalid_grant", 400, "threat-39", changing: true)
        #expect(unknown.response == wrong.response)
        #expect(!String(decoding: wrong.response.body, as: UTF8.self).contains("ada"))
    }

    @Test("It is the host that knows whose credentials they are", .proves("AUT-2"))
    func host() throws {
        var scene = try Scene.registered()
        var host = StubbornHost()
        host.store.tree = scene.store
        for (user, status) in [(scene.parties.person, HTTP.Response.Status.ok), (scene.bob, .badRequest)] {
            host.user = user
            let proof = Credential.bearer(try scene.proof(scene.phone.client, for: "authorize-challenge"))
            let request = try scene.form("authorize-challenge", scene.credentials(of: scene.phone), proof)
            let (service, now) = (scene.service, scene.now)
            #expect(
                host.carryOut { service.exchange(for: request, at: now, using: &scene.parties.federation.entropy) }
                    .status
                    == status)
        }
    }

    @Test("A request for a code is complete", .proves("threat-26"), .proves("threat-37"))
    func incomplete() throws {
        var scene = try Scene.registered()
        func attempt(_ edit: (inout [(String, String)]) -> Void) throws -> Reply {
            var pairs = scene.credentials(of: scene.phone)
            edit(&pairs)
            let proof = try scene.proof(scene.phone.client, for: "authorize-challenge")
            let reply = scene.send(try scene.form("authorize-challenge", pairs, .bearer(proof)))
            #expect(reply.logins == 0)
            return reply
        }
        try attempt { $0.remove(at: 4) }.expectRefusal("invalid_request", 400, "RFC6749-3.1")
        try attempt { $0.remove(at: 5) }.expectRefusal("invalid_request", 400, "RFC7636-4.3")
        try attempt { $0[5].1 = "plain" }.expectRefusal("invalid_request", 400, "RFC7636-4.3")
        try attempt { $0[4].1 = "short" }.expectRefusal("invalid_request", 400, "RFC7636-4.2")
        try attempt { $0[0].1 = "token" }.expectRefusal("unsupported_response_type", 400, "RFC6749-3.1.1")
        try attempt { $0.append(("username", "bob")) }.expectRefusal("invalid_request", 400, "threat-37")
        try attempt { $0.remove(at: 3) }.expectRefusal("invalid_request", 400, "RFC6749-3.1")
    }

    @Test("A code is for the instance and the verifier that asked for it, and for a minute", .proves("threat-26"))
    func codes() throws {
        var scene = try Scene.registered()
        let code = try scene.code(of: scene.phone)
        let other = try scene.otherPhone()
        try scene.redeem(code, by: other).expectRefusal("invalid_grant", 400, "threat-26")
        try scene.redeem(code, by: scene.phone, verifier: nil).expectRefusal("invalid_grant", 400, "RFC7636-4.6")
        let wrong = String(Scene.verifier.reversed())
        try scene.redeem(code, by: scene.phone, verifier: wrong).expectRefusal("invalid_grant", 400, "RFC7636-4.6")
        try scene.redeem(code, by: scene.phone, verifier: "short").expectRefusal("invalid_request", 400, "RFC7636-4.1")
        let id = try #require(code.split(separator: ".").first)
        try scene.redeem("\(id)." + Base64URL.encode([UInt8](repeating: 0, count: 32)), by: scene.phone)
            .expectRefusal("invalid_grant", 400, "threat-26")
        try scene.redeem("invented", by: scene.phone).expectRefusal("invalid_grant", 400, "threat-26")
        // The form of an app's code, which is none of this service's.
        for verifier in [Scene.verifier, nil] {
            try scene.redeem("aaaa.bbbb.cccc", by: scene.phone, verifier: verifier).expectRefusal(
                "invalid_grant", 400, "threat-26")
        }
        // Of no code anything is told to who proves no instance.
        for unproved in [code, "aaaa.bbbb.cccc"] {
            let pairs = [("grant_type", "authorization_code"), ("code", unproved)]
            scene.send(try scene.form("token", pairs)).expectRefusal("invalid_client", 401, "RFC6750-2.1")
        }
        var late = scene
        late.wait(60)
        try late.redeem(code, by: scene.phone).expectRefusal("invalid_grant", 400, "threat-26")
        var again = scene
        try again.revoke(again.phone.client?.token, by: again.phone.client).expectSuccess()
        again.phone = try again.register(again.phone)
        try again.redeem(code, by: again.phone).expectRefusal("invalid_grant", 400, "threat-26")
        // None of that has spent it.
        scene.wait(59)
        try scene.redeem(code, by: scene.phone).expectSuccess()
    }

    @Test("Nothing in a code follows from the rest of it", .proves("threat-26"))
    func chance() throws {
        var scene = try Scene.registered()
        let bytes = try scene.code(of: scene.phone).split(separator: ".").flatMap { try Base64URL.decode(String($0)) }
        let words = stride(from: 0, to: bytes.count, by: 8).map { Array(bytes[$0..<$0 + 8]) }
        // 128 bits of a name, and 256 of a secret.
        #expect(words.count == 6 && Set(words).count == 6)
    }

    @Test("A code that comes twice ends what it gave", .proves("threat-26"))
    func reusedCode() throws {
        var scene = try Scene.registered()
        let code = try scene.code(of: scene.phone)
        scene.phone.personal = try scene.phone.held(try scene.redeem(code, by: scene.phone))
        try scene.introduce().expectSuccess()
        scene.wait(61)
        let second = try scene.redeem(code, by: scene.phone)
        second.expectRefusal("invalid_grant", 400, "threat-26", changing: true)
        #expect(try scene.verdict(scene.phone.personal).reason == .replayed)
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.client).expectRefusal(
            "invalid_grant", 400, "TOK-3")
        #expect(scene.messages.count == 1)
        #expect(try scene.verdict(scene.phone.client).isLive)
    }

    @Test("A code of a user who was signed in already ends what went on, and no later grant", .proves("threat-26"))
    func reusedLaterCode() throws {
        var scene = try Scene.registered()
        try scene.redeem(try scene.code(of: scene.phone), by: scene.phone).expectSuccess()
        let code = try scene.code(of: scene.phone)
        scene.phone.personal = try scene.phone.held(try scene.redeem(code, by: scene.phone))
        try scene.introduce().expectSuccess()
        scene.wait(61)
        try scene.redeem(code, by: scene.phone).expectRefusal("invalid_grant", 400, "threat-26", changing: true)
        #expect(try scene.verdict(scene.phone.personal).reason == .replayed)
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
        #expect(scene.messages.count == 1)

        scene.phone.personal = try scene.phone.held(try scene.redeem(try scene.code(of: scene.phone), by: scene.phone))
        try scene.redeem(code, by: scene.phone).expectRefusal("invalid_grant", 400, "threat-26", changing: true)
        #expect(try scene.verdict(scene.phone.personal).isLive)
    }

    @Test("The same message that comes twice is a replay, and ends nothing", .proves("threat-36"))
    func doubledMessage() throws {
        var scene = try Scene.registered()
        let code = try scene.code(of: scene.phone)
        let proof = try scene.proof(scene.phone.client, for: "token")
        let pairs = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)]
        let request = try scene.form("token", pairs, .bearer(proof))
        let reply = scene.send(request)
        reply.expectSuccess()
        let again = scene.send(request)
        #expect(again.error == "invalid_client" && again.status == 401)
        scene.phone.personal = try scene.phone.held(reply)
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test(
        "A lost answer is given again for sixty seconds, with a fresh proof and the same wishes", .proves("threat-72"))
    func lostAnswer() throws {
        var scene = try Scene.registered()
        let other = try scene.otherPhone()
        // Where the user is signed in already, the code stands for a new token of the same grant.
        for _ in 0..<2 {
            let code = try scene.code(of: scene.phone)
            let first = try scene.redeem(code, by: scene.phone)
            scene.wait(60)
            try scene.redeem(code, by: other).expectRefusal("invalid_grant", 400, "threat-26")
            try scene.redeem(code, by: scene.phone, verifier: String(repeating: "x", count: 43))
                .expectRefusal("invalid_grant", 400, "RFC7636-4.6")
            let pairs = [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier),
                ("scope", Parties.eduID + "/userinfo"),
            ]
            let proof = try scene.proof(scene.phone.client, for: "token")
            scene.send(try scene.form("token", pairs, .bearer(proof))).expectRefusal("invalid_grant", 400, "threat-72")
            let again = try scene.redeem(code, by: scene.phone)
            again.expectSuccess()
            #expect(again["refresh_token"] == first["refresh_token"] && again.json?["expires_in"] == 3540)
            scene.phone.personal = try scene.phone.held(again)
            try scene.asUser(.get, "userinfo").expectSuccess()
        }
    }

    @Test("Two redemptions of a code at once are one grant", .proves("threat-26"), .proves("threat-72"))
    func race() throws {
        var scene = try Scene.registered()
        let code = try scene.code(of: scene.phone)
        let pairs = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)]
        let first = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.client, for: "token")))
        let second = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.client, for: "token")))
        let reply = scene.send(first) { #expect($0.send(second).status == 200) }
        reply.expectSuccess()
        #expect(reply.rounds == 2)
        scene.phone.personal = try scene.phone.held(reply)
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test(
        "Passwords at the token endpoint are taken where the policy says so, after the instance", .proves("AUT-1"),
        .proves("AUT-2"))
    func passwordGrant() throws {
        var scene = try Scene.registered()
        scene.service.policy.takesPasswords = true
        let pairs = [
            ("grant_type", "password"), ("username", "ada"), ("password", scene.parties.person.password.secret),
        ]
        let request = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.client, for: "token")))
        let reply = scene.send(request)
        reply.expectSuccess()
        scene.phone.personal = try scene.phone.held(reply)
        try scene.asUser(.get, "userinfo").expectSuccess()
        // The host is asked once.
        #expect(reply.logins == 1)
        let again = scene.send(request)
        #expect(again.error == "invalid_client" && again.status == 401)
        let unproved = scene.send(try scene.form("token", pairs))
        unproved.expectRefusal("invalid_client", 401, "RFC6750-2.1")
        #expect(unproved.logins == 0)
        let wrong = [pairs[0], pairs[1], ("password", "wrong")]
        scene.send(try scene.form("token", wrong, .bearer(try scene.proof(scene.phone.client, for: "token"))))
            .expectRefusal("invalid_grant", 400, "threat-39", changing: true)
        _ = scene.administrate(.block(try KeyID(parsing: "ios-1.0")))
        let blocked = scene.send(
            try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.client, for: "token"))))
        blocked.expectRefusal("unauthorized_client", 400, "FED-4")
        #expect(blocked.logins == 0)
    }

    @Test("An instance stands for one user: another one is refused until the first has signed out", .proves("USR-1"))
    func oneUser() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let ada = scene.phone.personal
        // Also while the token could only be renewed any more.
        scene.wait(3_600)
        try scene.challenge(scene.phone, for: scene.bob).expectRefusal("invalid_grant", 400, "USR-1")
        #expect(try scene.verdict(ada).grantLives)
        try scene.signOut()
        #expect(scene.messages.count == 1)
        scene.phone = try scene.signIn(scene.phone, as: scene.bob)
        #expect(try scene.asUser(.get, "userinfo")["name"] == "Bob")
        // On another device Ada stays who she is.
        var other = try scene.otherPhone()
        other = try scene.signIn(other)
        #expect(try scene.verdict(other.personal).isLive && scene.verdict(scene.phone.personal).isLive)
    }

    @Test(
        "The same user again gets a new token, the old one dies, and what stands on the grant stays", .proves("USR-1"))
    func sameUserAgain() throws {
        var scene = try Scene.signedIn()
        let userinfo = Parties.eduID + "/userinfo"
        let narrowed = try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal, scope: userinfo)
        scene.phone.personal = try scene.phone.held(narrowed)
        let before = try #require(scene.phone.personal)
        scene.phone = try scene.signIn(scene.phone)
        #expect(try scene.verdict(before).isLive && scene.messages.isEmpty)
        #expect(scene.phone.personal?.keyID == before.keyID)
        // All of the grant again.
        try scene.asUser(.get, "usage").expectSuccess()
        let plain = try scene.dpop(before, .get, "userinfo", with: before.token)
        scene.send(try scene.request(.get, "userinfo", plain)).expectRefusal("invalid_token", 401, "threat-39")
        try scene.refresh(before.refresh, by: scene.phone.client).expectRefusal("invalid_grant", 400, "RFC6749-6")
        try scene.asUser(.get, "userinfo").expectSuccess()
        // What is renewed is of the new family, and keeps the one current token.
        scene.phone.personal = try scene.phone.held(
            try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal))
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test("Of two users who sign in on one instance at the same moment, one does", .proves("threat-73"))
    func twoUsersAtOnce() throws {
        var scene = try Scene.registered()
        let codes = [try scene.code(of: scene.phone), try scene.code(of: scene.phone, for: scene.bob)]
        let requests = try codes.map { code in
            let proof = try scene.proof(scene.phone.client, for: "token")
            let pairs = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)]
            return try scene.form("token", pairs, .bearer(proof))
        }
        let reply = scene.send(requests[0]) { #expect($0.send(requests[1]).status == 200) }
        reply.expectRefusal("invalid_grant", 400, "USR-1")
        #expect(reply.rounds == 2)
    }
}
