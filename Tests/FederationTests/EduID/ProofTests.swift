import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) User authentication: proofs of possession")
struct EduIDProofTests {
    private func attempt(
        _ scene: inout Scene, _ path: String = "userinfo", for target: String? = nil, kind: JWT.Kind = .request,
        signedBy key: SigningKey? = nil,
        _ edit: (inout JSON.Object) throws -> Void = { _ in }
    ) throws -> Reply {
        let token = try scene.proof(scene.phone.personal, for: target ?? path, kind: kind, signedBy: key, edit)
        return scene.send(try scene.request(.get, path, .bearer(token)))
    }

    @Test("A request token is by the bound key, for this URL, now, and once", .proves("threat-36"), .proves("POP-1"))
    func requestTokens() throws {
        var scene = try Scene.signedIn()
        let now = scene.now.seconds
        try attempt(&scene).expectSuccess()
        try attempt(&scene, for: "usage").expectRefusal("invalid_token", 401, "RFC7519-4.1.3")
        try attempt(&scene) { $0["aud"] = "https://eduid.example.ch.evil.example/userinfo" }
            .expectRefusal("invalid_token", 401, "RFC7519-4.1.3")
        try attempt(&scene) { $0["aud"] = [.string(Parties.eduID + "/userinfo"), "https://other.example.ch"] }
            .expectRefusal("invalid_token", 401, "threat-24")
        for age in [-61, 61] as [Int64] {
            let reply = try attempt(&scene) { $0["iat"] = .number(JSON.Number(now + age)) }
            #expect(reply.error == "invalid_token" && reply.status == 401)
        }
        for age in [-59, 60] as [Int64] {
            try attempt(&scene) { $0["iat"] = .number(JSON.Number(now + age)) }.expectSuccess()
        }
        for claim: JSON.Name in ["iss", "aud", "iat", "jti"] {
            let reply = try attempt(&scene) { $0[claim] = nil }
            #expect(reply.error == "invalid_token" && reply.status == 401, "\(claim)")
        }
        try attempt(&scene) { $0["iss"] = "user-0001" }.expectRefusal("invalid_token", 401, "RFC7519-4.1.1")
        let otherKind = try attempt(&scene, kind: .authorizationGrant)
        #expect(otherKind.error == "invalid_token" && otherKind.status == 401)
    }

    @Test(
        "An unknown name of a key, a known one, and a wrong signature are answered alike", .proves("threat-39"),
        .proves("threat-36"))
    func alike() throws {
        var scene = try Scene.signedIn()
        let stranger = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 66, count: 32))
        func attempt(_ name: String) throws -> Reply {
            try self.attempt(&scene, signedBy: SigningKey(stranger, id: try KeyID(parsing: name)))
        }
        let forged = try attempt(try #require(scene.phone.personal?.keyID))
        forged.expectRefusal("invalid_token", 401, "RFC7515-5.2")
        // The name of a version's key, of a code, of an assertion, of nothing.
        let code = try #require(try scene.code(of: scene.phone).split(separator: ".").first)
        let assertion = try #require(try claims(of: try scene.introduce()["code"])["jti"]?.string)
        for name in ["ios-1.0", String(code), assertion, "nothing"] {
            let reply = try attempt(name)
            reply.expectRefusal("invalid_token", 401, "threat-39")
            #expect(reply.response == forged.response, "\(name)")
        }
        try self.attempt(&scene, signedBy: SigningKey(stranger)).expectRefusal("invalid_token", 401, "threat-39")
    }

    @Test("A proof is good once", .proves("threat-36"))
    func replay() throws {
        var scene = try Scene.signedIn()
        let token = try scene.proof(scene.phone.personal, for: "userinfo")
        let request = try scene.request(.get, "userinfo", .bearer(token))
        scene.send(request).expectSuccess()
        let again = scene.send(request)
        #expect(again.error == "invalid_token" && again.status == 401)
        #expect(again["error_description"]?.contains("presented before") == true)
        // Two at once: one winner.
        let second = try scene.request(
            .get, "userinfo", .bearer(try scene.proof(scene.phone.personal, for: "userinfo")))
        let reply = scene.send(second) { #expect($0.send(second).status == 200) }
        #expect(reply.error == "invalid_token" && reply.rounds == 1)
    }

    @Test("A DPoP proof is by the bound key, for this method, URL and token, and once", .proves("threat-36"))
    func proofs() throws {
        var scene = try Scene.signedIn()
        let held = scene.phone.personal
        func attempt(_ credential: Credential) throws -> Reply {
            scene.send(try scene.request(.get, "userinfo", credential))
        }
        let good = try scene.dpop(held, .get, "userinfo")
        try attempt(good).expectSuccess()
        let again = try attempt(good)
        #expect(again.error == "invalid_token" && again.status == 401)
        try attempt(try scene.dpop(held, .post, "userinfo")).expectRefusal("invalid_dpop_proof", 401, "RFC9449-4.3")
        try attempt(try scene.dpop(held, .get, "usage")).expectRefusal("invalid_dpop_proof", 401, "RFC9449-4.3")
        try attempt(try scene.dpop(held, .get, "userinfo", with: "another")).expectRefusal(
            "invalid_dpop_proof", 401, "RFC9449-4.3")
        let stranger = Handset(number: 7).pair
        try attempt(try scene.dpop(held, .get, "userinfo", by: stranger)).expectRefusal(
            "invalid_token", 401, "RFC9449-7.1")
        guard case .proven(let token, let proof) = try scene.dpop(held, .get, "userinfo") else { return }
        try attempt(.bearer(token)).expectRefusal("invalid_token", 401, "threat-36")
        var halved = try scene.request(.get, "userinfo")
        try halved.fields.append(.authorization, "DPoP " + token)
        scene.send(halved).expectRefusal("invalid_request", 400, "RFC9449-7.1")
        var mixed = try scene.request(.get, "userinfo", .bearer(token))
        try mixed.fields.append(.dpop, proof)
        scene.send(mixed).expectRefusal("invalid_request", 400, "RFC9449-7.1")
        scene.service.policy.proof.acceptsDPoP = false
        try attempt(.proven(token, proof)).expectRefusal("invalid_token", 401, "RFC9449-5")
    }

    @Test("Who demands a nonce tells it, and a new one to whoever comes with the last", .proves("RFC9449-8"))
    func nonces() throws {
        var scene = try Scene.signedIn()
        let held = scene.phone.personal
        let name = try HTTP.Field.Name(parsing: "DPoP-Nonce")
        scene.service.policy.proof.nonce = "n-1"
        func attempt(_ nonce: String?) throws -> Reply {
            scene.send(try scene.request(.get, "userinfo", try scene.dpop(held, .get, "userinfo", nonce: nonce)))
        }
        let first = try attempt(nil)
        first.expectRefusal("use_dpop_nonce", 401, "RFC9449-8")
        #expect(first.response.fields.value(of: name) == .once("n-1"))
        try attempt("n-1").expectSuccess()
        scene.service.policy.proof.nonce = "n-2"
        let late = try attempt("n-1")
        #expect(late.error == "use_dpop_nonce" && late.response.fields.value(of: name) == .once("n-2"))
        try attempt("n-2").expectSuccess()
        // Nobody else is told one.
        scene.send(try scene.request(.get, "userinfo")).expectChallenge()
    }

    @Test(
        "A token of another issuer, kind or time opens nothing", .proves("threat-25"), .proves("threat-27"),
        .proves("threat-34"))
    func foreignTokens() throws {
        var scene = try Scene.signedIn()
        let own = try claims(of: scene.phone.personal?.token).object ?? JSON.Object()
        let stranger = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 66, count: 32))
        let names = ["edu-id-1", "nobody"]
        for name in names {
            let forged = try JWT.signed(
                JWT.Claims(own), with: SigningKey(stranger, id: try KeyID(parsing: name)), as: .accessToken)
            scene.send(try scene.request(.get, "userinfo", .bearer(forged))).expectRefusal(
                "invalid_token", 401, "threat-39")
        }
        // What a token says counts for nothing once the record says otherwise.
        let plain = try #require(scene.phone.personal?.token)
        scene.store = MemoryStore()
        scene.send(try scene.request(.get, "userinfo", .bearer(plain))).expectRefusal("invalid_token", 401, "threat-39")
        scene.send(try scene.request(.get, "userinfo", .bearer("opaque.secret"))).expectRefusal(
            "invalid_token", 401, "threat-39")
        scene.send(try scene.request(.get, "userinfo", .bearer("opaque"))).expectRefusal(
            "invalid_token", 401, "threat-39")
    }

    @Test("The secret of a code is no token", .proves("threat-18"))
    func codeAsToken() throws {
        var scene = try Scene.registered()
        let code = try scene.code(of: scene.phone)
        scene.send(try scene.request(.get, "userinfo", .bearer(code))).expectRefusal("invalid_token", 401, "threat-18")
        let id = try #require(code.split(separator: ".").first)
        // Nor does a name tell whether there is a record behind it.
        let named = scene.send(try scene.request(.get, "userinfo", .bearer("\(id).invented")))
        named.expectRefusal("invalid_token", 401, "threat-39")
        let bound = try #require(scene.phone.client?.keyID)
        #expect(
            scene.send(try scene.request(.get, "userinfo", .bearer("\(bound).invented"))).response == named.response)
        #expect(scene.send(try scene.request(.get, "userinfo", .bearer("nothing.invented"))).response == named.response)
    }
}
