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

@Suite("(4) A service that knows instances by names and keys of its own")
struct PairwiseTests {
    @Test(
        "The service is told of a key that the instance brought for it, and of a name that follows from the service",
        .proves("threat-77"), .proves("AST-2"))
    func introduces() throws {
        var scene = try Self.scene()
        for (place, service) in [Scene.alpha, Scene.beta].enumerated() {
            let key = try Self.key(UInt8(50 + place))
            let reply = try scene.introduce(to: service, bringing: key)
            reply.expectSuccess()
            let claims = try claims(of: reply["code"])
            let message = "client:\(service.utf8.count):" + service + scene.phone.id
            let name = [UInt8](HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: Self.secret))
            #expect(claims["azp"]?.string == Base64URL.encode(name))
            #expect(reply["client_id"] == claims["azp"]?.string)
            #expect(claims["cnf"]?.object?.map(\.name) == ["jwk"])
            let jwk = try #require(claims["cnf"]?["jwk"])
            #expect(jwk["kid"] == nil)
            #expect(try JWK(parsing: jwk.encoded()).thumbprint() == JWK(key.publicKey).thumbprint())
            #expect(claims["sub"]?.string != claims["azp"]?.string)
        }
    }

    @Test("The same name each time, whatever key comes with it", .proves("threat-77"))
    func steady() throws {
        var scene = try Self.scene()
        let names = try [51, 52, 53].map { try scene.introduce(bringing: Self.key($0))["client_id"] }
        #expect(Set(names).count == 1 && names[0]?.utf8.count == 43)
        var other = scene
        other.phone = try other.signIn(try other.otherPhone())
        #expect(try other.introduce(bringing: Self.key(54))["client_id"] != names[0])
    }

    @Test("What a key says about itself beside its numbers goes nowhere", .proves("threat-77"))
    func bareKey() throws {
        var scene = try Self.scene()
        let key = try Self.key(51)
        var members = try JSON(parsing: JWK(key.publicKey).encoded()).object ?? [:]
        (members["kid"], members["alg"], members["use"]) = (.string(scene.phone.id), "EdDSA", "sig")
        members["device"] = .string(scene.phone.id)
        let reply = try scene.introduce(bringing: key, as: .object(members))
        reply.expectSuccess()
        #expect(try claims(of: reply["code"])["cnf"]?["jwk"]?.object?.map(\.name) == ["kty", "crv", "x"])
    }

    @Test("A query, JSON and a DPoP credential bring key and proof as well", .proves("threat-77"), arguments: 0..<3)
    func variations(_ way: Int) throws {
        var scene = try Self.scene()
        let (key, personal) = (try Self.key(51), scene.phone.personal)
        let method: HTTP.Request.Method = way == 1 ? .post : .get
        let pairs = try scene.pairs(for: Scene.alpha, bringing: key, method)
        let credential =
            way == 2
            ? try scene.dpop(personal, .get, "authorize")
            : .bearer(try scene.proof(personal, for: "authorize"))
        let query = String(decoding: HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) }).encoded(), as: UTF8.self)
        let request =
            way == 1
            ? try scene.object("authorize", pairs, credential)
            : try scene.request(.get, "authorize?" + query, credential)
        let reply = scene.send(request)
        reply.expectSuccess()
        #expect(try claims(of: reply["code"])["azp"]?.string == reply["client_id"])
    }

    @Test("Without key and proof there is no assertion, and the answer says what to do", .proves("threat-77"))
    func incomplete() throws {
        var scene = try Self.scene()
        let all = try scene.pairs(for: Scene.alpha, bringing: Self.key(51))
        for missing in [["req_cnf"], ["req_proof"], ["req_cnf", "req_proof"]] {
            let reply = try scene.authorize(all.filter { !missing.contains($0.0) })
            reply.expectRefusal("invalid_request", 400, "threat-77")
            #expect(reply["error_description"]?.contains("'req_proof'") == true)
        }
    }

    @Test("The proof is by the key, for this endpoint, and made now", .proves("threat-77"), .proves("RFC9449-4.3"))
    func proofs() throws {
        var scene = try Self.scene()
        let key = try Self.key(51)
        func attempt(_ clause: String, _ edit: (inout JSON.Object) -> Void) throws {
            let proof = try scene.keyProof(of: key, editing: edit)
            let reply = try scene.introduce(bringing: key, proof: proof)
            reply.expectRefusal("invalid_request", 400, clause)
            #expect(reply["error_description"]?.contains("req_proof") == true)
        }
        try attempt("RFC9449-4.3") { $0["htm"] = "GET" }
        try attempt("RFC9449-4.3") { $0["htu"] = .string(Parties.eduID + "/token") }
        try attempt("RFC9449-4.3") { $0["htu"] = "https://alpha.example.ch/oauth/token" }
        for name: JSON.Name in ["htm", "htu", "iat", "jti"] { try attempt("RFC7519-4") { $0[name] = nil } }
        try attempt("RFC7519-4.1.6") { $0["iat"] = 1_799_999_939 }
        try attempt("RFC7519-4.1.6") { $0["iat"] = 1_800_000_061 }
        let early = try scene.keyProof(of: key) { $0["iat"] = 1_799_999_940 }
        try scene.introduce(bringing: key, proof: early).expectSuccess()
        // By another key, as which it brings along the right one, or another one.
        let other = try Self.key(52)
        let forged = try scene.keyProof(of: other, bringing: JWK(key.publicKey))
        try scene.introduce(bringing: key, proof: forged).expectRefusal("invalid_request", 400, "RFC7515-5.2")
        let strange = try scene.keyProof(of: other)
        try scene.introduce(bringing: key, proof: strange).expectRefusal("invalid_request", 400, "threat-77")
        try scene.introduce(bringing: key, proof: "nothing").expectRefusal("invalid_request", 400, "RFC7515-7.1")
    }

    @Test("A proof is good once, for whichever request", .proves("threat-77"), .proves("threat-36"))
    func once() throws {
        var scene = try Self.scene()
        let key = try Self.key(51)
        let proof = try scene.keyProof(of: key)
        try scene.introduce(bringing: key, proof: proof).expectSuccess()
        for service in [Scene.alpha, Scene.beta] {
            let again = try scene.introduce(to: service, bringing: key, proof: proof)
            #expect(again.error == "invalid_client" && again.status == 401)
            #expect(again["error_description"]?.contains("presented before") == true)
        }
    }

    @Test("Who demands a nonce tells it, and takes the proof with it", .proves("threat-77"), .proves("RFC9449-8"))
    func nonces() throws {
        var scene = try Self.scene()
        scene.service.policy.proof.nonce = "n-1"
        let key = try Self.key(51)
        let first = try scene.introduce(bringing: key)
        first.expectRefusal("use_dpop_nonce", 400, "RFC9449-8")
        #expect(first.response.fields.value(of: try HTTP.Field.Name(parsing: "DPoP-Nonce")) == .once("n-1"))
        let proof = try scene.keyProof(of: key) { $0["nonce"] = "n-1" }
        try scene.introduce(bringing: key, proof: proof).expectSuccess()
    }

    @Test("The instance's own key, a secret and an unreadable key are no keys for one service", .proves("threat-77"))
    func keys() throws {
        var scene = try Self.scene()
        let own = try #require(scene.phone.pair)
        try scene.introduce(bringing: own).expectRefusal("invalid_request", 400, "threat-77")
        let key = try Self.key(51)
        let secret: JSON = ["kty": "oct", "k": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
        var whole = try JSON(parsing: JWK(key.publicKey).encoded()).object ?? [:]
        whole["d"] = .string(Base64URL.encode(key.rawRepresentation))
        for jwk in [secret, .object(whole), ["kty": "OKP"]] {
            let reply = try scene.introduce(bringing: key, as: jwk)
            #expect(reply.error == "invalid_request" && reply.status == 400 && reply.changes.isEmpty, "\(jwk)")
        }
    }

    @Test("A service that takes the federation's names is told of no other, whatever comes", .proves("threat-77"))
    func common() throws {
        var scene = try Scene.signedIn()
        for service in [Scene.alpha, Scene.beta] {
            let reply = try scene.introduce(to: service, bringing: Self.key(51))
            reply.expectSuccess()
            let claims = try claims(of: reply["code"])
            #expect(reply.json?["client_id"] == nil && claims["azp"]?.string == scene.phone.id)
            #expect(claims["cnf"]?["kid"]?.string == scene.phone.client?.keyID)
        }
    }

    @Test("An instance with a symmetric key is introduced by another key, or not at all", .proves("threat-77"))
    func symmetric() throws {
        var scene = try Scene.fresh()
        scene.phone.brings = false
        scene.phone = try scene.signIn(try scene.register(scene.phone))
        let key = try Self.key(51)
        try scene.introduce(bringing: key).expectRefusal("unauthorized_client", 400, "POP-1")
        scene.takePairwiseNames()
        try scene.introduce(bringing: key).expectSuccess()
        try scene.introduce().expectRefusal("invalid_request", 400, "threat-77")
    }

    @Test("Names of instances are like those of users unless the federation wants otherwise", .proves("threat-77"))
    func policy() throws {
        let home = try ServiceURL(parsing: Scene.alpha)
        #expect(try ServiceIndex.Member(home).clients == .pairwise)
        #expect(try ServiceIndex.Member(home, subjects: .common).clients == .common)
        #expect(try ServiceIndex.Member(home, subjects: .common, clients: .pairwise).clients == .pairwise)
        #expect(try ServiceIndex.Member(home, clients: .common).subjects == .pairwise)
    }

    @Test("Whatever the service asks, and whatever is taken back, it never reads the global name", .proves("threat-77"))
    func silence() throws {
        var scene = try Self.scene()
        let reply = try scene.introduce(bringing: Self.key(51))
        let assertion = try #require(reply["code"])
        let told = try scene.introspect(assertion, by: 0)
        let name = try #require(claims(of: assertion)["jti"]?.string)
        let named = try scene.introspect(name, by: 0)
        for answer in [told, named] {
            #expect(answer.json?["active"] == true && answer["client_id"] == reply["client_id"])
        }
        let token = try #require(told["user_token"])
        let profile = scene.send(try scene.request(.get, "userinfo", .bearer(token)))
        profile.expectSuccess()
        try scene.signOut()
        let later = try [assertion, name].map { try scene.introspect($0, by: 0) }
        try #require(scene.reconcile().status == 200)
        let (service, message) = (scene.service, try #require(scene.messages.first))
        let delivery = try #require(
            service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy))
        let texts =
            try [told, named, profile].map { String(decoding: $0.response.body, as: UTF8.self) }
            + later.map { String(decoding: $0.response.body, as: UTF8.self) }
            + [String(decoding: delivery.request.body, as: UTF8.self), claims(of: assertion), claims(of: token)].map {
                "\($0)"
            }
        let secrets = [scene.phone.id, try #require(scene.phone.client?.keyID), "user-0001", "device-1", "Ada's phone"]
        for secret in secrets { #expect(!texts.contains { $0.contains(secret) }, "\(secret)") }
    }
}

extension PairwiseTests {
    private static let secret = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

    private static func key(_ number: UInt8) throws -> Curve25519.Signing.PrivateKey {
        try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
    }

    /// Ada is signed in, and both universities take pairwise names.
    private static func scene() throws -> Scene {
        var scene = try Scene.signedIn()
        scene.takePairwiseNames()
        scene.service.pseudonyms = Pseudonyms(secret: secret)
        return scene
    }
}

extension Scene {
    fileprivate mutating func takePairwiseNames() {
        let members = service.index.services.map { member in
            var member = member
            (member.subjects, member.clients) = (.pairwise, .pairwise)
            return member
        }
        service.index = ServiceIndex(members)
    }

    /// A proof of a key for the endpoint of (4), as it should be unless it is edited.
    fileprivate mutating func keyProof(
        of pair: Curve25519.Signing.PrivateKey, bringing key: JWK? = nil, _ method: HTTP.Request.Method = .post,
        editing edit: (inout JSON.Object) -> Void = { _ in }
    ) throws -> String {
        var claims: JSON.Object = [
            "jti": .string(Base64URL.encode(parties.federation.entropy.bytes(8))), "htm": .string(method.text),
            "htu": .string(try url("authorize").text), "iat": .number(JSON.Number(now.seconds)),
        ]
        edit(&claims)
        let jwk = try JSON(parsing: (key ?? JWK(pair.publicKey)).encoded())
        let header: JSON.Object = ["typ": "dpop+jwt", "alg": "EdDSA", "jwk": jwk]
        let input = [header, claims].map { Base64URL.encode($0.encoded()) }.joined(separator: ".")
        return input + "." + Base64URL.encode([UInt8](pair.signature(for: Array(input.utf8))))
    }

    /// The parameters of (4) with a key and its proof.
    fileprivate mutating func pairs(
        for service: String, bringing pair: Curve25519.Signing.PrivateKey, _ method: HTTP.Request.Method = .post,
        as jwk: JSON? = nil, proof: String? = nil
    ) throws -> [(String, String)] {
        let jwk = try jwk ?? JSON(parsing: JWK(pair.publicKey).encoded())
        let proof = try proof ?? keyProof(of: pair, method)
        return [
            ("response_type", "code"), ("resource", service), ("req_proof", proof),
            ("req_cnf", JSON.object(["jwk": jwk]).encodedString()),
        ]
    }

    fileprivate mutating func authorize(_ pairs: [(String, String)]) throws -> Reply {
        let token = try proof(phone.personal, of: phone, for: "authorize")
        return send(try form("authorize", pairs, .bearer(token)))
    }

    fileprivate mutating func introduce(
        to service: String = Self.alpha, bringing pair: Curve25519.Signing.PrivateKey, as jwk: JSON? = nil,
        proof: String? = nil
    ) throws -> Reply {
        try authorize(try pairs(for: service, bringing: pair, as: jwk, proof: proof))
    }
}
