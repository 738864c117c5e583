import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(4) Service assertion")
struct ServiceAssertionTests {
    @Test(
        "A signed-in instance gets an assertion for one service, with that service's token endpoint", .proves("AST-1"),
        .proves("AST-2"),
        .proves("threat-35"))
    func introduces() throws {
        var scene = try Scene.signedIn()
        let reply = try scene.introduce(to: Scene.alpha, [("state", "xyz"), ("client_id", scene.phone.id)])
        reply.expectSuccess()
        #expect(reply["redirect_uri"] == "https://alpha.example.ch/oauth/token")
        #expect(reply["state"] == "xyz" && reply["iss"] == Parties.eduID)
        #expect(try header(of: reply["code"])["typ"] == "authorization-grant+jwt")
        let claims = try claims(of: reply["code"])
        #expect(claims["iss"]?.string == Parties.eduID)
        #expect(claims["aud"] == "https://alpha.example.ch/")
        #expect(claims["azp"]?.string == scene.phone.id)
        #expect(claims["iat"] == 1_800_000_000 && claims["exp"] == 1_800_000_300)
        #expect(claims["given_name"] == "Ada" && claims["email"] == "ada@example.ch")
        // Not released.
        #expect(claims["name"] == nil)
        let key = try JWK(parsing: try #require(claims["cnf"]?["jwk"]).encoded())
        #expect(try key.thumbprint() == scene.phone.publicKey?.thumbprint())
        let id = try TokenID(parsing: try #require(claims["jti"]?.string))
        #expect(scene.store.lineage(of: id)?.record.parent?.text == scene.phone.personal?.keyID)
    }

    @Test(
        "Introductions in a loop leave one assertion, unless its service has seen it", .proves("threat-61"),
        .proves("AST-1"))
    func loop() throws {
        var scene = try Scene.signedIn()
        func living() -> [Record] {
            let page = scene.store.load([.records(.all(.assertion), after: nil, limit: 99)])
                .page(of: .all(.assertion), limit: 99)
            return (page?.lineages ?? []).filter { $0.verdict(at: scene.now).grantLives }.map(\.record)
        }
        try scene.introduce(to: Scene.beta).expectSuccess()
        var last: String?
        for _ in 1...20 { last = try scene.introduce()["code"] }
        #expect(Set(living().map { $0.audience?.text }) == [Scene.alpha, Scene.beta] && living().count == 2)
        // Each service hears of what was taken back.
        #expect(scene.messages.count == 19)
        #expect(try scene.introspect(try #require(last), by: 0).json?["active"] == true)
        // What its service has seen stays.
        try scene.introduce().expectSuccess()
        #expect(living().count == 3)
        #expect(try scene.introspect(try #require(last), by: 0).json?["active"] == true)
    }

    @Test("The request may be a query, JSON, and in the words of deployed apps", .proves("AST-1"), arguments: 0..<4)
    func variations(_ way: Int) throws {
        var scene = try Scene.signedIn()
        let proof = Credential.bearer(try scene.proof(scene.phone.personal, for: "authorize"))
        let request =
            switch way {
            case 0:
                try scene.request(
                    .get, "authorize?response_type=code&resource=https%3A%2F%2Falpha.example.ch%2F&state=s", proof)
            case 1:
                try scene.object(
                    "authorize", [("response_type", "code"), ("resource", "https://ALPHA.example.ch")], proof)
            case 2: try scene.form("authorize", [("request_type", "code"), ("redirect_uri", Scene.alpha)], proof)
            default:
                try scene.request(
                    .get, "authorize?response_type=code&resource=https%3A%2F%2Falpha.example.ch",
                    try scene.dpop(scene.phone.personal, .get, "authorize"))
            }
        let reply = scene.send(request)
        reply.expectSuccess()
        #expect(try claims(of: reply["code"])["aud"] == "https://alpha.example.ch/")
    }

    @Test("A user has another name at each service, where the policy says so, and always the same", .proves("AST-2"))
    func pseudonyms() throws {
        var scene = try Scene.signedIn()
        let one = try claims(of: try scene.introduce()["code"])["sub"]?.string
        #expect(try claims(of: try scene.introduce()["code"])["sub"]?.string == one)
        #expect(one != "user-0001" && one?.utf8.count == 43)
        #expect(try claims(of: try scene.introduce(to: Scene.beta)["code"])["sub"] == "user-0001")
        try scene.signOut()
        scene.phone = try scene.signIn(scene.phone, as: scene.bob)
        #expect(try claims(of: try scene.introduce()["code"])["sub"]?.string != one)
    }

    @Test("What makes the assertion is no profile's to say", .proves("threat-50"), .proves("FED-6"))
    func reserved() throws {
        var scene = try Scene.signedIn()
        let names: [JSON.Name] = ["iss", "sub", "aud", "azp", "exp", "nbf", "iat", "jti", "cnf"]
        var profile = JSON.Object(names.map { ($0, "forged") })
        profile["email"] = "ada@example.ch"
        let ada = scene.parties.person
        scene.parties.federation.users[0] = SimulatedFederation.User(
            ada.name, password: ada.password, subject: ada.subject, profile: profile)
        var member = scene.service.index.services[0]
        member.releasedClaims = names + ["email"]
        scene.service.index = ServiceIndex([member])
        let claims = try claims(of: try scene.introduce()["code"])
        for name in names { #expect(claims[name] != "forged") }
        #expect(claims["email"] == "ada@example.ch" && claims["azp"]?.string == scene.phone.id)
    }

    @Test("Only services of the federation are targets", .proves("AST-1"), .proves("threat-24"))
    func targets() throws {
        var scene = try Scene.signedIn()
        for service in [
            "https://gamma.example.ch/", "https://alpha.example.ch/oauth", "https://alpha.example.ch:8443/",
            "http://alpha.example.ch/",
        ] {
            try scene.introduce(to: service).expectRefusal("invalid_target", 400, "RFC8707-2")
        }
        for service in ["javascript:alert(1)", "alpha", "https://ada@alpha.example.ch/"] {
            let reply = try scene.introduce(to: service)
            #expect(reply.error == "invalid_target" && reply.status == 400 && reply.changes.isEmpty)
        }
        // A service of which nobody knows yet where assertions are redeemed, and one that does not tell.
        var member = scene.service.index.services[0]
        var silent = try #require(scene.service.directory[member.home]).description
        silent["org.ietf.oauth2"] = nil
        scene.service.directory = ServiceDirectory()
        try scene.introduce().expectRefusal("temporarily_unavailable", 503, "RSD-1")
        try scene.service.directory.update(member.home, silent)
        try scene.introduce().expectRefusal("invalid_target", 400, "RFC8707-2")
        member.tokenEndpoint = try WebURL(parsing: "https://alpha.example.ch/elsewhere")
        scene.service.index = ServiceIndex([member])
        #expect(try scene.introduce()["redirect_uri"] == "https://alpha.example.ch/elsewhere")
    }

    @Test(
        "A service is introduced by its home page, and meant by the name under which it signs", .proves("AST-1"),
        .proves("USE-2"))
    func ownName() throws {
        var scene = try Scene.signedIn()
        let alpha = scene.service.index.services[0]
        let name = try Issuer(parsing: "https://login.alpha.example.ch")
        scene.service.index = ServiceIndex([try ServiceIndex.Member(alpha.home, issuer: name, clients: .common)])
        #expect(try claims(of: try scene.introduce()["code"])["aud"]?.string == name.text)
        let used: JSON = ["https://alpha.example.ch/"]
        #expect(try scene.report("https://alpha.example.ch/").json == used)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.map { $0.destination.text } == [name.text])
    }

    @Test("An assertion is as long-lived as the policy says", .proves("AST-1"))
    func lifetime() throws {
        var scene = try Scene.signedIn()
        scene.service.policy.assertionLifetime = .seconds(60)
        #expect(try claims(of: try scene.introduce()["code"])["exp"] == 1_800_000_060)
    }

    @Test("For a service that may learn nothing the host is asked for no profile", .proves("AST-2"))
    func nothingReleased() throws {
        var scene = try Scene.signedIn()
        var member = scene.service.index.services[0]
        member.releasedClaims = []
        scene.service.index = ServiceIndex([member])
        let proof = try scene.proof(scene.phone.personal, for: "authorize")
        let request = try scene.form(
            "authorize", [("response_type", "code"), ("resource", Scene.alpha)], .bearer(proof))
        var exchange = scene.service.exchange(for: request, at: scene.now, using: &scene.parties.federation.entropy)
        while let lookup = exchange.lookup {
            if case .profile = lookup { Issue.record("the host is asked for a profile") }
            exchange.supply(scene.result(of: lookup))
        }
        #expect(exchange.decision.refusal == nil)
    }

    @Test("A request names its target once, and who asks", .proves("threat-37"), .proves("AST-1"))
    func malformed() throws {
        var scene = try Scene.signedIn()
        try scene.introduce(to: Scene.alpha, [("resource", Scene.beta)]).expectRefusal(
            "invalid_request", 400, "threat-37")
        try scene.introduce(to: Scene.alpha, [("redirect_uri", Scene.beta)]).expectRefusal(
            "invalid_request", 400, "threat-37")
        let pairs = [("response_type", "code"), ("resource", Scene.alpha)]
        scene.send(try scene.form("authorize", pairs)).expectRefusal("invalid_client", 401, "RFC6750-2.1")
        scene.send(
            try scene.form("authorize", [pairs[0]], .bearer(try scene.proof(scene.phone.personal, for: "authorize")))
        )
        .expectRefusal("invalid_request", 400, "RFC6749-3.1")
        scene.send(
            try scene.form(
                "authorize", [("response_type", "token"), pairs[1]],
                .bearer(try scene.proof(scene.phone.personal, for: "authorize")))
        )
        .expectRefusal("unsupported_response_type", 400, "RFC6749-3.1.1")
        scene.send(try scene.form("authorize", pairs, .bearer(try #require(scene.phone.personal?.token))))
            .expectRefusal("invalid_client", 401, "threat-36")
        scene.send(try scene.form("authorize", pairs, .bearer(try scene.statement(of: scene.phone))))
            .expectRefusal("invalid_client", 401, "threat-39")
    }

    @Test("An instance without a key pair can be introduced to nobody", .proves("POP-1"))
    func noKeyPair() throws {
        var scene = try Scene.fresh()
        scene.phone.brings = false
        scene.phone = try scene.register(scene.phone)
        scene.phone = try scene.signIn(scene.phone)
        try scene.introduce().expectRefusal("unauthorized_client", 400, "POP-1")
    }

    @Test("An assertion is not given while its ground is ended", .proves("threat-31"))
    func race() throws {
        var scene = try Scene.signedIn()
        let phone = scene.phone
        let proof = try scene.proof(phone.personal, for: "authorize")
        let request = try scene.form(
            "authorize", [("response_type", "code"), ("resource", Scene.alpha)], .bearer(proof))
        let reply = scene.send(request) { _ = try? $0.revoke(phone.personal?.token, by: phone.personal) }
        reply.expectRefusal("invalid_client", 401, "TOK-1")
        #expect(reply.rounds == 2)
        #expect(scene.messages.isEmpty)
    }
}

@Suite("(6) Verification")
struct EduIDVerificationTests {
    @Test("A service is told about its own assertion, and gets the user's attributes with it", .proves("AST-8"))
    func verifies() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let told = try claims(of: assertion)
        let reply = try scene.introspect(assertion, by: 0)
        reply.expectSuccess()
        #expect(reply.json?["active"] == true)
        for name: JSON.Name in ["iss", "sub", "aud", "exp", "iat", "jti"] {
            #expect(reply.json?[name] == told[name], "\(name)")
        }
        #expect(reply["client_id"] == scene.phone.id)
        // (6*)
        let token = try #require(reply["user_token"])
        let attributes = scene.send(try scene.request(.get, "userinfo", .bearer(token)))
        attributes.expectSuccess()
        #expect(attributes.json?["sub"] == told["sub"])
        #expect(attributes["given_name"] == "Ada" && attributes.json?["name"] == nil)
        let userToken = try claims(of: token)
        #expect(userToken["sub"] == told["sub"] && userToken["client_id"]?.string == Scene.alpha)
        #expect(userToken["scope"]?.string == Parties.eduID + "/userinfo")
        // The assertion can be asked about again.
        #expect(try scene.introspect(assertion, by: 0).json?["active"] == true)
    }

    @Test(
        "A user token opens the attributes and nothing else, and ends with its assertion", .proves("AUT-5"),
        .proves("threat-18"))
    func userToken() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        scene.wait(200)
        let token = try #require(try scene.introspect(assertion, by: 0)["user_token"])
        #expect(try claims(of: token)["exp"] == 1_800_000_300)
        scene.send(try scene.request(.get, "usage", .bearer(token))).expectRefusal("invalid_token", 401, "threat-18")
        scene.send(try scene.request(.get, "instances", .bearer(token))).expectRefusal(
            "invalid_token", 401, "threat-18")
        scene.send(try scene.form("authorize", [("response_type", "code"), ("resource", Scene.alpha)], .bearer(token)))
            .expectRefusal("invalid_client", 401, "threat-18")
        scene.send(try scene.form("revoke", [("token", token)], .bearer(token))).expectRefusal(
            "invalid_client", 401, "threat-18")
        var ended = scene
        try ended.revoke(ended.phone.personal?.token, by: ended.phone.personal).expectSuccess()
        ended.send(try scene.request(.get, "userinfo", .bearer(token))).expectRefusal("invalid_token", 401, "TOK-1")
        scene.wait(99)
        scene.send(try scene.request(.get, "userinfo", .bearer(token))).expectSuccess()
        scene.wait(1)
        scene.send(try scene.request(.get, "userinfo", .bearer(token))).expectRefusal("invalid_token", 401, "threat-39")
    }

    @Test(
        "Of what is not its own, over, or no assertion, a service learns that it is not active", .proves("threat-33"),
        .proves("threat-34"))
    func inactive() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        func expectInactive(_ token: String, by place: Int = 0, _ why: String) throws {
            let reply = try scene.introspect(token, by: place)
            reply.expectSuccess()
            #expect(reply.json == ["active": false], "\(why)")
        }
        try expectInactive(assertion, by: 1, "another service's")
        try expectInactive("invented", "no token")
        try expectInactive(try #require(scene.phone.personal?.token), "a personal token")
        try expectInactive(try #require(scene.phone.client?.token), "a client's token")
        // Claims that nobody signed count for nothing.
        var forged = try claims(of: assertion).object ?? JSON.Object()
        forged["exp"] = 1_900_000_000
        let stranger = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 66, count: 32))
        let key = SigningKey(stranger, id: try KeyID(parsing: "edu-id-1"))
        try expectInactive(try JWT.signed(JWT.Claims(forged), with: key, as: .authorizationGrant), "forged")
        scene.wait(300)
        try expectInactive(assertion, "expired")
        let second = try #require(try scene.introduce()["code"])
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        try expectInactive(second, "revoked")
    }

    @Test(
        "A service asks with an assertion of its own, for this server, once", .proves("threat-25"),
        .proves("threat-33"),
        .proves("threat-24"))
    func authentication() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let pairs = [("token", assertion)]
        scene.send(try scene.form("introspect", pairs)).expectRefusal("invalid_client", 401, "RFC7523-2.2")
        let bearer = try scene.proof(scene.phone.personal, for: "introspect")
        scene.send(try scene.form("introspect", pairs, .bearer(bearer))).expectRefusal(
            "invalid_client", 401, "RFC7523-2.2")
        func attempt(_ edit: (inout JSON.Object) -> Void) throws -> Reply {
            scene.send(try scene.form("introspect", pairs, try scene.credential(of: 0, edit)))
        }
        try attempt { $0["aud"] = "https://alpha.example.ch/" }.expectRefusal("invalid_client", 401, "RFC7519-4.1.3")
        try attempt { $0["aud"] = .string(Parties.eduID + "/introspect") }.expectRefusal(
            "invalid_client", 401, "RFC7519-4.1.3")
        try attempt { $0["aud"] = [.string(Parties.eduID)] }.expectSuccess()
        try attempt { $0["exp"] = nil }.expectRefusal("invalid_client", 401, "RFC7519-4")
        try attempt { $0["exp"] = 1_800_000_000 }.expectRefusal("invalid_client", 401, "RFC7519-4.1.4")
        try attempt { $0["sub"] = "https://beta.example.ch/" }.expectRefusal("invalid_client", 401, "RFC7523-3")
        // Alpha's key speaks for alpha alone; a stranger is answered like a wrong signature.
        let mixedUp = try attempt {
            $0["iss"] = "https://beta.example.ch/"
            $0["sub"] = "https://beta.example.ch/"
        }
        let stranger = try attempt {
            $0["iss"] = "https://gamma.example.ch/"
            $0["sub"] = "https://gamma.example.ch/"
        }
        #expect(mixedUp.error == "invalid_client" && mixedUp.status == 401 && mixedUp.changes.isEmpty)
        #expect(mixedUp.response == stranger.response)
        let credential = try scene.credential(of: 0)
        scene.send(try scene.form("introspect", pairs, credential)).expectSuccess()
        // Also where the second question is about nothing.
        for token in [assertion, "invented"] {
            let again = scene.send(try scene.form("introspect", [("token", token)], credential))
            #expect(again.error == "invalid_client" && again.status == 401)
        }
        scene.send(try scene.form("introspect", [], try scene.credential(of: 0))).expectRefusal(
            "invalid_request", 400, "RFC6749-3.1")
        // Neither an endpoint nor another spelling of the service (threat 64).
        for audience in ["/introspect", "/"] {
            try attempt { $0["aud"] = .string(Parties.eduID + audience) }.expectRefusal(
                "invalid_client", 401, "RFC7519-4.1.3")
        }
    }
}
