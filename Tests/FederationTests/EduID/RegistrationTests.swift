import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(1) Registration")
struct RegistrationTests {
    @Test(
        "A copy of the app gets a token of its own, bound to its key", .proves("REG-1"), .proves("REG-3"),
        .proves("POP-1"),
        .proves("FED-5"))
    func registers() throws {
        var scene = try Scene.fresh()
        let reply = scene.send(
            try scene.form(
                "token", [("grant_type", "client_credentials")], .assertion(try scene.statement(of: scene.phone))))
        reply.expectSuccess()
        #expect(reply["token_type"] == "PoP")
        #expect(reply.json?["expires_in"] == nil && reply.json?["refresh_token"] == nil)
        #expect(reply.response.fields.value(of: .cacheControl) == .once("no-store"))
        let token = try claims(of: reply["access_token"])
        #expect(try header(of: reply["access_token"])["typ"] == "at+jwt")
        #expect(token["sub"]?.string == scene.phone.id && token["client_id"]?.string == scene.phone.id)
        // It ends with the registration; a year is the longest that a JWT is given for.
        #expect(token["iat"] == 1_800_000_000 && token["exp"] == 1_831_536_000)
        let given = try JWK(parsing: try #require(token["cnf"]?["jwk"]).encoded())
        #expect(try given.thumbprint() == scene.phone.publicKey?.thumbprint())
        // A second device's is another one.
        let other = try scene.otherPhone()
        #expect(other.client?.keyID != reply.json?["cnf"]?["kid"]?.string)
    }

    @Test(
        "The parameters may be JSON, and the statement may stand in the header", .proves("REG-1"), .proves("REQ-13"),
        arguments: [0, 1, 2])
    func variations(_ way: Int) throws {
        var scene = try Scene.fresh()
        let statement = try scene.statement(of: scene.phone)
        let grant = [("grant_type", "client_credentials")]
        let request =
            switch way {
            case 0: try scene.object("token", grant, .assertion(statement))
            case 1: try scene.form("token", grant, .bearer(statement))
            default: try scene.object("token", grant, .bearer(statement))
            }
        scene.send(request).expectSuccess()
    }

    @Test("A copy without a key pair is told a secret, and has to prove it", .proves("POP-1"), .proves("threat-36"))
    func symmetricKey() throws {
        var scene = try Scene.fresh()
        scene.phone.brings = false
        scene.phone = try scene.register(scene.phone)
        #expect(scene.phone.client?.key.algorithm == .hs256)
        // The token names the key, and does not tell it.
        let cnf = try claims(of: scene.phone.client?.token)["cnf"]
        #expect(cnf?["kid"]?.string == scene.phone.client?.keyID && cnf?["jwk"] == nil)
        scene.phone = try scene.signIn(scene.phone)
        try scene.asUser(.get, "userinfo").expectSuccess()
        let plain = try #require(scene.phone.personal?.token)
        scene.send(try scene.request(.get, "userinfo", .bearer(plain))).expectRefusal("invalid_token", 401, "threat-36")
    }

    @Test("Registration takes the statement of a version's key", .proves("REG-1"))
    func noStatement() throws {
        var scene = try Scene.fresh()
        let grant = [("grant_type", "client_credentials")]
        scene.send(try scene.form("token", grant)).expectRefusal("invalid_client", 401, "REG-1")
        scene.send(try scene.form("token", grant + [("client_id", scene.phone.id), ("client_secret", "secret")]))
            .expectRefusal("invalid_client", 401, "REG-1")
        #expect(scene.store.count == 0)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let clause: String
        let edit: @Sendable (inout JSON.Object) -> Void

        init(_ description: String, _ clause: String, _ edit: @escaping @Sendable (inout JSON.Object) -> Void) {
            testDescription = description
            self.clause = clause
            self.edit = edit
        }
    }

    static let oneThingWrong: [Fault] = [
        Fault("no iss", "REQ-6") { $0["iss"] = nil }, Fault("no sub", "REQ-6") { $0["sub"] = nil },
        Fault("no aud", "REQ-6") { $0["aud"] = nil }, Fault("no name", "REQ-6") { $0["name"] = nil },
        Fault("empty name", "REQ-6") { $0["name"] = "" }, Fault("name is a number", "REQ-6") { $0["name"] = 1 },
        Fault("empty iss", "REQ-6") { $0["iss"] = "" },
        Fault("another app", "REQ-9") { $0["iss"] = "ch.example.other" },
        Fault("iss in capitals", "REQ-9") { $0["iss"] = "CH.EDUID.MOBILE" },
        Fault("sub is no UUID", "REQ-10") { $0["sub"] = "phone-1" },
        Fault("another service", "REQ-11") { $0["aud"] = "https://other.example.ch" },
        Fault("two services", "REQ-11") { $0["aud"] = [.string(Parties.eduID), "https://other.example.ch"] },
        Fault("a prefix of the service", "REQ-11") { $0["aud"] = "https://eduid.example" },
        Fault("no device_id", "REG-2") { $0["device_id"] = nil },
        Fault("no device_type", "REG-2") { $0["device_type"] = nil },
        Fault("no os_version", "REG-2") { $0["os_version"] = nil },
        Fault("empty os_version", "REG-2") { $0["os_version"] = "" },
        Fault("no iat", "threat-63") { $0["iat"] = nil }, Fault("no jti", "threat-63") { $0["jti"] = nil },
        Fault("601 seconds old", "threat-63") { $0["iat"] = 1_799_999_399 },
        Fault("expired", "REQ-8") { $0["exp"] = 1_799_999_999 },
        Fault("not valid yet", "REQ-8") { $0["nbf"] = 1_800_000_061 },
    ]

    @Test(
        "One thing that is wrong about the statement is named", .proves("REQ-6"), .proves("REQ-8"), .proves("REQ-9"),
        .proves("REQ-10"),
        .proves("REQ-11"), .proves("REQ-12"), .proves("REG-2"), .proves("threat-63"), arguments: oneThingWrong)
    func oneFault(_ fault: Fault) throws {
        var scene = try Scene.fresh()
        let statement = try scene.statement(of: scene.phone) { fault.edit(&$0) }
        let reply = scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
        reply.expectRefusal("invalid_client", 401, fault.clause)
        // Numbers of our own rules are for logs; the peer is told words.
        #expect(reply["error_description"]?.contains("REQ-") == false)
        #expect(scene.store.count == 0)
    }

    @Test(
        "The signature is by the registered key of the named version", .proves("REQ-1"), .proves("REQ-2"),
        .proves("REQ-3"),
        .proves("REQ-4"),
        .proves("REQ-14"), .proves("threat-39"), .proves("threat-18"))
    func signatures() throws {
        var scene = try Scene.fresh()
        let good = try scene.statement(of: scene.phone)
        let parts = good.split(separator: ".").map { String($0) }
        func register(_ statement: String) throws -> Reply {
            scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
        }
        func headed(_ header: String) -> String {
            Base64URL.encode(Array(header.utf8)) + "." + parts[1] + "." + parts[2]
        }
        try register(parts[0] + ".." + parts[2]).expectRefusal("invalid_client", 401, "REQ-1")
        scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(parts[0] + ".." + parts[2])))
            .expectRefusal("invalid_client", 401, "REQ-1")
        for none in ["none", "None", "NONE", "nOnE"] {
            try register(headed("{\"alg\":\"\(none)\",\"kid\":\"ios-1.0\"}")).expectRefusal(
                "invalid_client", 401, "REQ-2")
        }
        let stranger = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 77, count: 32))
        try register(try scene.statement(of: scene.phone, signedBy: SigningKey(stranger))).expectRefusal(
            "invalid_client", 401, "REQ-3")
        let unknown = try register(
            try scene.statement(of: scene.phone, signedBy: SigningKey(stranger, id: try KeyID(parsing: "ios-9.9"))))
        unknown.expectRefusal("invalid_client", 401, "REQ-3")
        let forged = try register(
            try scene.statement(of: scene.phone, signedBy: SigningKey(stranger, id: try KeyID(parsing: "ios-1.0"))))
        forged.expectRefusal("invalid_client", 401, "REQ-14")
        // Which names of keys are registered is not told.
        #expect(unknown.response == forged.response)
        // The secret of an HMAC must not be the public key that everybody has.
        let hmac = try SigningKey(
            SymmetricKey(data: try #require(scene.parties.versionKeys[0].publicKey).encoded()), for: .hs256,
            id: try KeyID(parsing: "ios-1.0"))
        try register(try scene.statement(of: scene.phone, signedBy: hmac)).expectRefusal("invalid_client", 401, "REQ-4")
        try register(headed("{\"alg\":\"EdDSA\",\"kid\":\"ios-1.0\",\"jwk\":{}}")).expectRefusal(
            "invalid_client", 401, "REQ-14")
        let otherKind = try register(try scene.statement(of: scene.phone, kind: .request))
        #expect(otherKind.error == "invalid_client" && otherKind.status == 401)
        #expect(scene.store.count == 0)
    }

    @Test("A statement that has a name is good once", .proves("REQ-8"))
    func replay() throws {
        var scene = try Scene.fresh()
        let request = try scene.form(
            "token", [("grant_type", "client_credentials")],
            .assertion(try scene.statement(of: scene.phone) { $0["jti"] = "once" }))
        scene.send(request).expectSuccess()
        let again = scene.send(request)
        #expect(again.error == "invalid_client" && again.status == 401)
        #expect(
            scene.store.load([.records(.all(.client), after: nil, limit: 9)]).page(of: .all(.client), limit: 9)?
                .lineages.count == 1)
    }

    @Test(
        "A key by which nobody here can check proofs is refused, and binds no token", .proves("POP-1"),
        .proves("threat-36"))
    func unusableKeys() throws {
        let coordinate = Base64URL.encode([UInt8](repeating: 1, count: 32))
        let foreign: JSON = ["kty": "EC", "crv": "secp256k1", "x": .string(coordinate), "y": .string(coordinate)]
        var scene = try Scene.fresh()
        let own = try JSON(parsing: try #require(scene.phone.publicKey).encoded())
        var encrypting = own.object ?? JSON.Object()
        encrypting["use"] = "enc"
        for key in [foreign, .object(encrypting)] {
            let statement = try scene.statement(of: scene.phone) { $0["cnf"] = ["jwk": key] }
            scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
                .expectRefusal("invalid_request", 400, "POP-1")
        }
        // What else a key says about itself is not kept: it could make the record too large, or unreadable.
        var talkative = own.object ?? JSON.Object()
        talkative["note"] = .string("\u{85}" + String(repeating: "x", count: 6_000))
        let statement = try scene.statement(of: scene.phone) { $0["cnf"] = ["jwk": .object(talkative)] }
        let reply = scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
        reply.expectSuccess()
        #expect(reply["token_type"] == "PoP")
        #expect(try claims(of: reply["access_token"])["cnf"]?["jwk"]?["note"] == nil)
    }

    @Test(
        "The key may come beside the statement, with a proof; two different ones are one too many", .proves("POP-1"),
        .proves("threat-63"))
    func keyBesideStatement() throws {
        var scene = try Scene.fresh()
        func confirmation(of phone: Handset) throws -> (String, String) {
            ("req_cnf", "{\"jwk\":" + String(decoding: try #require(phone.publicKey).encoded(), as: UTF8.self) + "}")
        }
        let grant = ("grant_type", "client_credentials")
        let both = try scene.statement(of: scene.phone)
        scene.send(try scene.form("token", [grant, try confirmation(of: Handset(number: 2))], .assertion(both)))
            .expectRefusal("invalid_request", 400, "POP-1")
        scene.send(try scene.form("token", [grant, try confirmation(of: scene.phone)], .assertion(both)))
            .expectSuccess()
        var bare = Handset(number: 3)
        bare.brings = false
        let statement = try scene.statement(of: bare)
        let form = try scene.form("token", [grant, try confirmation(of: bare)], .assertion(statement))
        // Nobody vouches for a key beside the statement, unless the request is signed by it.
        scene.send(form).expectRefusal("invalid_client", 401, "threat-63")
        for pair in [scene.phone.pair, bare.pair] {
            var signed = form
            let proof = try DPoPProof.Issuance(with: try #require(pair)).proof(
                for: .post, to: scene.url("token"), with: nil, at: scene.now, using: &scene.parties.federation.entropy)
            try signed.fields.append(.dpop, proof.secret)
            let reply = scene.send(signed)
            guard pair?.rawRepresentation == bare.pair?.rawRepresentation else {
                reply.expectRefusal("invalid_client", 401, "threat-63")
                continue
            }
            reply.expectSuccess()
            bare.client = try bare.held(reply)
        }
        #expect(bare.client?.key.algorithm == .edDSA)
        #expect(try scene.challenge(bare).status == 200)
    }

    @Test(
        "Client credentials buy a registration and nothing else", .proves("REG-9"), .proves("AUT-5"),
        .proves("threat-18"))
    func nothingElse() throws {
        var scene = try Scene.registered()
        for (method, path) in [
            (HTTP.Request.Method.get, "userinfo"), (.get, "usage"), (.post, "discovery"), (.get, "instances"),
        ] {
            let token = try scene.proof(scene.phone.client, for: path)
            scene.send(try scene.request(method, path, .bearer(token), body: Array("[\"a\"]".utf8)))
                .expectRefusal("invalid_token", 401, "threat-18")
        }
        let token = try scene.proof(scene.phone.client, for: "authorize")
        scene.send(try scene.form("authorize", [("response_type", "code"), ("resource", Scene.alpha)], .bearer(token)))
            .expectRefusal("invalid_client", 401, "threat-18")
    }

    @Test(
        "Grants that are not served are refused", .proves("REG-9"),
        arguments: [
            "urn:ietf:params:oauth:grant-type:jwt-bearer", "password", "implicit",
        ])
    func otherGrants(_ grant: String) throws {
        var scene = try Scene.registered()
        let token = try scene.proof(scene.phone.client, for: "token")
        let pairs = [("grant_type", grant), ("assertion", "a.b.c"), ("username", "ada"), ("password", "p")]
        let reply = scene.send(try scene.form("token", pairs, .bearer(token)))
        reply.expectRefusal("unsupported_grant_type", 400, "RFC6749-5.2")
        #expect(reply.logins == 0)
    }

    private func registering(
        _ scene: Scene, _ phone: Handset, _ more: [(String, String)] = [],
        _ edit: (inout JSON.Object) -> Void = { _ in }
    ) throws -> HTTP.Request {
        let statement = try scene.statement(of: phone) { edit(&$0) }
        return try scene.form("token", [("grant_type", "client_credentials")] + more, .assertion(statement))
    }

    @Test(
        "A version's key and a UUID do not make an instance: nothing of it ends", .proves("threat-63"),
        .proves("threat-38"))
    func impostor() throws {
        var scene = try Scene.signedIn()
        // Another copy of the same version that knows the UUID, with a key of its own, none, or the instance's.
        let (id, thief) = (scene.phone.id, Handset(number: 3))
        for phone in [thief, scene.phone] {
            scene.send(try registering(scene, phone) { $0["sub"] = .string(id) }).expectRefusal(
                "invalid_client", 401, "threat-63")
            scene.send(
                try registering(scene, phone) {
                    $0["sub"] = .string(id)
                    $0["cnf"] = nil
                }
            ).expectRefusal("invalid_client", 401, "threat-63")
        }
        // Its own proof, or an instance's other than this one, is not that of the present key.
        let other = try scene.otherPhone()
        let foreign = try scene.proof(other.client, of: other, for: "token")
        scene.send(try registering(scene, thief, [("instance_assertion", foreign)]) { $0["sub"] = .string(id) })
            .expectRefusal("invalid_client", 401, "REG-5")
        var request = try registering(scene, thief) { $0["sub"] = .string(id) }
        let proof = try DPoPProof.Issuance(with: try #require(thief.pair)).proof(
            for: .post, to: scene.url("token"), with: nil, at: scene.now, using: &scene.parties.federation.entropy)
        try request.fields.append(.dpop, proof.secret)
        let reply = scene.send(request)
        #expect(reply.error == "invalid_client" && reply.changes.isEmpty)
        #expect(try scene.verdict(scene.phone.client).isLive && scene.verdict(scene.phone.personal).isLive)
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test(
        "An instance that proves its key registers again: its earlier token ends, its user stays signed in",
        .proves("REQ-10"), .proves("threat-63"), arguments: [false, true])
    func registersAgain(byDPoP: Bool) throws {
        var scene = try Scene.signedIn()
        let earlier = try #require(scene.phone.client)
        scene.wait(1)
        var request: HTTP.Request
        if byDPoP {
            request = try registering(scene, scene.phone)
            let proof = try DPoPProof.Issuance(with: try #require(scene.phone.pair)).proof(
                for: .post, to: scene.url("token"), with: nil, at: scene.now,
                using: &scene.parties.federation.entropy)
            try request.fields.append(.dpop, proof.secret)
        } else {
            let proof = try scene.proof(earlier, for: "token")
            request = try registering(scene, scene.phone, [("instance_assertion", proof)])
        }
        let reply = scene.send(request)
        reply.expectSuccess()
        let later = try scene.phone.held(reply)
        #expect(later.keyID == earlier.keyID && later.token != earlier.token)
        try scene.asUser(.get, "userinfo").expectSuccess()
        // The new token opens the endpoint, and the earlier one does not.
        let grant = [("grant_type", "client_credentials")]
        scene.send(try scene.form("token", grant, try scene.dpop(later, .post, "token"))).expectSuccess()
        let dead = scene.send(try scene.form("token", grant, try scene.dpop(earlier, .post, "token")))
        #expect(dead.error == "invalid_client" && dead.status == 401)
        // The same request once more is a replay.
        #expect(scene.send(request).error == "invalid_client")
    }

    @Test("An instance that has ended registers freely, one that was rejected does not", .proves("threat-63"))
    func registersAfterItsEnd() throws {
        var scene = try Scene.signedIn()
        try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
        let other = Handset(number: 3)
        let id = scene.phone.id
        let reply = scene.send(try registering(scene, other) { $0["sub"] = .string(id) })
        reply.expectSuccess()
        // It inherits nothing.
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
        _ = scene.administrate(.reject(try ClientID(parsing: id)))
        scene.send(try registering(scene, scene.phone)).expectRefusal("unauthorized_client", 400, "REG-7")
    }

    @Test("A statement is good once and for ten minutes, the last second included", .proves("threat-63"))
    func freshness() throws {
        var scene = try Scene.fresh()
        let once = try registering(scene, scene.phone)
        scene.send(once).expectSuccess()
        // Ended or not, the same statement comes back no more.
        _ = scene.administrate(.signOut(scene.parties.person.subject))
        scene.phone = try scene.register(Handset(number: 4))
        let late = try registering(scene, Handset(number: 5))
        let later = try registering(scene, Handset(number: 6))
        scene.wait(600)
        scene.send(late).expectSuccess()
        let again = scene.send(late)
        #expect(again.error == "invalid_client" && again.status == 401)
        scene.wait(1)
        scene.send(later).expectRefusal("invalid_client", 401, "threat-63")
        // As the source words it they may say nothing of it, where the policy takes that.
        let bare = try registering(scene, Handset(number: 7)) {
            $0["iat"] = nil
            $0["jti"] = nil
        }
        scene.service.policy.appRequest.strictSource = true
        scene.send(bare).expectSuccess()
        scene.send(later).expectSuccess()
    }

    @Test("Two first registrations at once: the second looks again", .proves("REG-1"))
    func race() throws {
        var scene = try Scene.fresh()
        let request = try scene.form(
            "token", [("grant_type", "client_credentials")], .assertion(try scene.statement(of: scene.phone)))
        let reply = scene.send(request) { _ = try? $0.otherPhone() }
        reply.expectSuccess()
        #expect(reply.rounds == 2)
    }

    @Test("The device described by a valid token is the one on record", .proves("REG-6"), .proves("REQ-12"))
    func deviceChange() throws {
        var scene = try Scene.signedIn()
        scene.wait(100)
        let proof = try scene.proof(scene.phone.client, for: "token") { claims in
            claims["name"] = "Ada's new phone"
            claims["os_version"] = "19.0"
        }
        let reply = scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(proof)))
        reply.expectSuccess()
        #expect(reply.json?["cnf"]?["kid"]?.string == scene.phone.client?.keyID)
        let own = try #require(try scene.asUser(.get, "instances").json?.array?.first)
        #expect(own["name"] == "Ada's new phone" && own["os_version"] == "19.0")
        #expect(own["device_type"] == "phone" && own["device_id"] == "device-1")
        #expect(own["last_used"] == 1_800_000_100)
        #expect(try scene.verdict(scene.phone.personal).isLive)
    }

    @Test("All that describes a device can be corrected", .proves("REG-6"), .proves("REG-2"))
    func deviceReplaced() throws {
        var scene = try Scene.signedIn()
        let device: JSON.Object = [
            "device_id": "device-2", "name": "Ada's tablet", "device_type": "tablet", "os_version": "19.0",
        ]
        let proof = try scene.proof(scene.phone.client, for: "token") { claims in
            for member in device { claims[member.name] = member.value }
        }
        scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(proof))).expectSuccess()
        let own = try #require(try scene.asUser(.get, "instances").json?.array?.first)
        for member in device { #expect(own[member.name] == member.value) }
    }

    @Test("The token of an instance is given again to who proves it by DPoP", .proves("REG-6"))
    func tokenGivenAgain() throws {
        var scene = try Scene.registered()
        let reply = scene.send(
            try scene.form(
                "token", [("grant_type", "client_credentials")], try scene.dpop(scene.phone.client, .post, "token")))
        reply.expectSuccess()
        #expect(reply.json?["cnf"]?["kid"]?.string == scene.phone.client?.keyID)
    }

    @Test("A change of the device needs the instance's valid token, and texts", .proves("REG-6"), .proves("REG-2"))
    func deviceChangeRefused() throws {
        var scene = try Scene.registered()
        let grant = [("grant_type", "client_credentials")]
        for name: JSON in ["", 7, .string(String(repeating: "x", count: 300))] {
            let proof = try scene.proof(scene.phone.client, for: "token") { $0["name"] = name }
            scene.send(try scene.form("token", grant, .bearer(proof))).expectRefusal("invalid_request", 400, "REG-2")
        }
        let other = try scene.otherPhone()
        let foreign = try scene.proof(scene.phone.client, for: "token") { $0["iss"] = .string(other.id) }
        scene.send(try scene.form("token", grant, .bearer(foreign))).expectRefusal(
            "invalid_client", 401, "RFC7519-4.1.1")
        let proof = try scene.proof(scene.phone.client, for: "token") { $0["name"] = "Mallory's" }
        scene.send(try scene.form("token", grant + [("client_id", other.id)], .bearer(proof)))
            .expectRefusal("invalid_client", 401, "RFC6749-3.2.1")
        _ = scene.administrate(.reject(try ClientID(parsing: scene.phone.id)))
        let late = try scene.proof(scene.phone.client, for: "token") { $0["name"] = "late" }
        scene.send(try scene.form("token", grant, .bearer(late))).expectRefusal("invalid_client", 401, "TOK-1")
    }

    @Test("Parameters come once, and one credential", .proves("threat-37"))
    func doubled() throws {
        var scene = try Scene.registered()
        let statement = try scene.statement(of: scene.phone)
        let grant = ("grant_type", "client_credentials")
        scene.send(try scene.form("token", [grant, grant], .assertion(statement))).expectRefusal(
            "invalid_request", 400, "threat-37")
        let pairs = [grant, ("client_assertion_type", ClientCredential.assertionType), ("client_assertion", statement)]
        let proof = try scene.proof(scene.phone.client, for: "token")
        scene.send(try scene.form("token", pairs, .bearer(proof))).expectRefusal("invalid_request", 400, "threat-37")
        var twice = try scene.form("token", [grant], .bearer(proof))
        try twice.fields.append(.authorization, "Bearer " + statement)
        scene.send(twice).expectRefusal("invalid_request", 400, "threat-37")
        scene.send(try scene.form("token", [grant, ("client_id", Handset(number: 2).id)], .assertion(statement)))
            .expectRefusal("invalid_client", 401, "RFC7521-4.2")
        scene.send(try scene.form("token", [grant, ("client_assertion", statement)])).expectRefusal(
            "invalid_client", 401, "RFC7521-4.2")
        scene.send(try scene.form("token", [], .assertion(statement))).expectRefusal(
            "invalid_request", 400, "RFC6749-3.1")
        let large = try scene.form(
            "token", [grant, ("padding", String(repeating: "x", count: 65_536))], .assertion(statement))
        scene.send(large).expectRefusal("invalid_request", 413, "threat-14")
        scene.send(
            try scene.request(.post, "token", type: "text/plain", body: Array("grant_type=client_credentials".utf8))
        )
        .expectRefusal("invalid_request", 400, "RFC6749-B")
    }
}
