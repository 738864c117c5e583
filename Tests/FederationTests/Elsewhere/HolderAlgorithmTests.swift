import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("The algorithms of holders' keys")
struct HolderAlgorithmTests {
    /// A key that a holder may have, and how it signs.
    struct Candidate: Sendable {
        let algorithm: Algorithm
        let key: JSON
        let signing: @Sendable (KeyID?) throws -> SigningKey
    }

    /// Arithmetic of a host's own: whoever knows the public key can sign, so it is good for nothing else.
    struct Toy: Signer, Verifier {
        let x: [UInt8]
        func code(_ message: Span<UInt8>) -> [UInt8] {
            [UInt8](SHA256.hash(data: x + message.indices.map { message[$0] }))
        }
        func signature(for message: Span<UInt8>) -> [UInt8] { code(message) }
        func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
            code(message) == signature.indices.map { signature[$0] }
        }
    }

    private static func toy(_ algorithm: Algorithm) throws -> Candidate {
        let x = [UInt8](repeating: 5, count: 32)
        let text = Base64URL.encode(x)
        let key: JSON = ["kty": "EC", "crv": "secp256k1", "x": .string(text), "y": .string(text)]
        return Candidate(algorithm: algorithm, key: key) { SigningKey(Toy(x: x), for: algorithm, id: $0) }
    }

    private static func es256k() throws -> Algorithm { try #require(Algorithm("ES256K")) }

    private static func accept(_ algorithm: Algorithm, _ policy: inout Possession.Policy) {
        policy.holders.accept(algorithm) { key in
            guard let members = try? JSON(parsing: key.encoded()), members["crv"] == "secp256k1",
                let x = members["x"]?.string.flatMap({ try? Base64URL.decode($0) })
            else { return Toy?.none }
            return Toy(x: x)
        }
    }

    private static func candidates() throws -> [Candidate] {
        let edwards = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 41, count: 32))
        let point = try P384.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 42, count: 48))
        let pairs = try PairKind.allCases.map { try SomePair($0, 41) }
        return [
            Candidate(algorithm: .edDSA, key: try pairs[0].json) { SigningKey(edwards, id: $0) },
            Candidate(algorithm: .ed25519, key: try pairs[0].json) {
                SigningKey(edwards, id: $0, writing: .ed25519)
            },
            Candidate(algorithm: .es256, key: try pairs[1].json) { try pairs[1].key($0?.text) },
            Candidate(algorithm: .es384, key: try JSON(parsing: JWK(point.publicKey).encoded())) {
                SigningKey(point, id: $0)
            },
            try toy(es256k()),
        ]
    }

    enum Setting: String, CaseIterable, Sendable {
        case usual, curveOnly, edwardsOnly, wider, foreign
    }

    private static func policy(_ setting: Setting) throws -> Possession.Policy {
        var policy = Possession.Policy()
        switch setting {
        case .usual: break
        case .curveOnly: policy.holders.algorithms = [.es256]
        case .edwardsOnly: policy.holders.algorithms = [.edDSA, .ed25519]
        case .wider: policy.holders.algorithms.append(.es384)
        case .foreign: accept(try es256k(), &policy)
        }
        return policy
    }

    @Test(
        "What metadata and challenges tell is what is bound and what is taken, and nothing else",
        .proves("KEY-9"), .proves("KEY-23"), arguments: Setting.allCases)
    func law(_ setting: Setting) throws {
        var world = try ElsewhereWorld(.ed25519)
        world.federation.eduID.policy.proof = try Self.policy(setting)
        for place in 0...1 { world.federation.services[place].service.policy.proof = try Self.policy(setting) }
        let metadata = [
            ElsewhereWorld.eduID + "/.well-known/oauth-authorization-server",
            Parties.homes[0] + "/.well-known/oauth-authorization-server",
            Parties.homes[0] + "/.well-known/oauth-protected-resource",
        ]
        let published = try metadata.map { url in
            try JSON(parsing: world.get(url).body)["dpop_signing_alg_values_supported"]?.array?.compactMap { $0.string }
        }
        let names = try #require(published[0])
        #expect(published.allSatisfy { $0 == names })
        if setting == .usual { #expect(names == ["EdDSA", "Ed25519", "ES256"]) }
        let challenge = try world.get(ElsewhereWorld.eduID + "/userinfo").fields.values(of: .wwwAuthenticate)
        #expect(challenge.contains { $0.contains("algs=\"\(names.joined(separator: " "))\"") })
        for candidate in try Self.candidates() {
            let isTold = names.contains(candidate.algorithm.name.text)
            #expect(try takes(candidate, world) == isTold, "\(candidate.algorithm)")
        }
    }

    /// Whether a key is bound, and opens something by a request token and by a DPoP proof, all of which go together.
    private func takes(_ candidate: Candidate, _ world: ElsewhereWorld) throws -> Bool {
        var world = world
        let response = try world.send(world.registering(candidate.key), "registration")
        guard response.status == .ok else {
            let told = try JSON(parsing: response.body)["error"]?.string
            #expect(response.status == .badRequest && told == "invalid_request")
            return false
        }
        let members = try JSON(parsing: response.body)
        let access = try #require(members["access_token"]?.string)
        let id = try KeyID(parsing: try #require(members["cnf"]?["kid"]?.string))
        let now = JSON.Number(world.federation.now.seconds)
        let url = ElsewhereWorld.eduID + "/token"
        let claims: JSON.Object = [
            "iss": .string(ElsewhereWorld.instance), "aud": .string(url), "iat": .number(now),
            "jti": .string(world.number()), "name": "Ada's other phone",
        ]
        let token = try JWT.signed(JWT.Claims(claims), with: candidate.signing(id), as: .request)
        let grant = [("grant_type", "client_credentials")]
        let plain = try world.send(world.form(url, grant, bearer: token), "description")
        let issuance = try DPoPProof.Issuance(
            with: candidate.signing(nil), publicKey: JWK(parsing: candidate.key.encoded()))
        let proof = try issuance.proof(
            for: .post, to: WebURL(parsing: url), with: AccessToken(parsing: access), at: world.federation.now,
            using: &world.federation.entropy)
        var request = try world.form(url, grant, dpop: proof.secret)
        try request.fields.append(.authorization, "DPoP " + access)
        let proven = try world.send(request, "description")
        #expect(plain.status == proven.status, "\(candidate.algorithm)")
        // Whoever has the key and writes another name of its algorithm has no key of ours.
        return plain.status == .ok
    }

    @Test("Clients' keys serve for the algorithms that metadata tell", .proves("KEY-9"), .proves("REQ-5"))
    func clients() throws {
        var world = try ElsewhereWorld(.p256)
        let told = try JSON(parsing: world.get(ElsewhereWorld.eduID + "/.well-known/oauth-authorization-server").body)[
            "token_endpoint_auth_signing_alg_values_supported"]?.array?.compactMap { $0.string }
        #expect(
            told == [
                "EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512",
            ])
        let pair = try SomePair(.p256, 51, named: "ios-9")
        let version = try AppVersion(
            .iOS, AppVersion.Number(parsing: "9"), appName: Issuer(parsing: Parties.appName),
            keyID: KeyID(parsing: "ios-9"), key: pair.publicKey)
        world.federation.eduID.versions = try AppVersion.Registry(world.federation.eduID.versions.all + [version])
        world.versionKey = try pair.key("ios-9")
        _ = try world.signIn(world.register(SomePair(.p256, 21)))
    }

    private static let modulus: String = {
        // An odd number of 2,048 bits, of which nobody knows the factors, and nobody needs them.
        var bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        (bytes[0], bytes[255]) = (0xC5, 0x8B)
        return Base64URL.encode(bytes)
    }()

    /// An RSA key for one algorithm, or for none in particular.
    static func rsaKey(naming algorithm: Algorithm?, id: String) throws -> JWK {
        let key: JSON = ["kty": "RSA", "n": .string(modulus), "e": "AQAB"]
        var read = try JWK(parsing: key.encoded())
        read.attributes = JWK.Attributes(id: try KeyID(parsing: id), algorithm: algorithm)
        return read
    }

    @Test(
        "An RSA key is bound where it names its algorithm and the party lists that",
        .proves("KEY-8"), .proves("KEY-23"),
        arguments: [(nil, false), ("RS256", true), ("PS256", false)] as [(String?, Bool)])
    func rsa(_ algorithm: String?, _ isListed: Bool) throws {
        var key: JSON.Object = ["kty": "RSA", "n": .string(Self.modulus), "e": "AQAB"]
        if let algorithm { key["alg"] = .string(algorithm) }
        for algorithms in [Algorithm.ofHolders, Algorithm.ofHolders + [.rs256]] {
            var world = try ElsewhereWorld(.ed25519)
            world.federation.eduID.policy.proof.holders.algorithms = algorithms
            let isTaken = isListed && algorithms.contains(.rs256)
            let response = try world.send(world.registering(.object(key)), "registration")
            #expect((response.status == .ok) == isTaken)
            guard isTaken else { continue }
            let members = try JSON(parsing: response.body)
            let id = try TokenID(parsing: try #require(members["cnf"]?["kid"]?.string))
            let record = try #require(world.federation.eduIDStore.lineage(of: id)?.record)
            let kept = try JWK(parsing: try #require(record.boundKey?.text).utf8)
            #expect(kept.attributes.algorithm == .rs256)
        }
    }

    @Test("Records keep points of P-256 in their compressed form, whatever the holder says beside", .proves("KEY-23"))
    func records() throws {
        var world = try ElsewhereWorld(.ed25519)
        let pair = try SomePair(.p256, 21)
        var key = try #require(try pair.json.object)
        key["alg"] = "ES256"
        key["note"] = "mine"
        let held = try Holding(world.send(world.registering(.object(key)), "registration"), pair, of: "")
        let record = try #require(world.federation.eduIDStore.lineage(of: TokenID(parsing: held.keyID))?.record)
        let text = try #require(record.boundKey?.text)
        #expect(text.hasPrefix("p256:") && text.utf8.count == 5 + 44)
        let bytes = try Base64URL.decode(String(text.dropFirst(5)))
        let x = try Base64URL.decode(try #require(key["x"]?.string))
        let y = try Base64URL.decode(try #require(key["y"]?.string))
        #expect(bytes == [2 + (try #require(y.last) & 1)] + x)
    }

    @Test("A key of another use, and a point beside the curve, are bound to nothing", .proves("KEY-23"))
    func unusable() throws {
        var world = try ElsewhereWorld(.ed25519)
        let good = try #require(try SomePair(.p256, 21).json.object)
        for (name, value) in [("use", "enc"), ("alg", "ES384"), ("x", good["y"]?.string ?? ""), ("alg", "EdDSA")] {
            var key = good
            key[JSON.Name(name)] = .string(value)
            let response = try world.send(world.registering(.object(key)), "registration")
            #expect(response.status.code / 100 == 4, "\(name) \(value)")
        }
        // A symmetric key is none that a holder brings.
        let secret: JSON = ["kty": "oct", "k": .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))]
        #expect(try world.send(world.registering(secret), "registration").status.code / 100 == 4)
    }
}
