import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("Keys of which the same may be known")
struct KnownKeyTests {
    private static func key(_ seed: UInt8) throws -> JWK {
        JWK(try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32)).publicKey)
    }

    @Test("A key is what its text says, whatever key is known")
    func reading() throws {
        let (one, other) = (try Self.key(1), try Self.key(2))
        var named = one
        named.attributes.id = "named"
        let point = JWK(
            try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 3, count: 32)).publicKey)
        for key in [one, other, named, point] {
            let document = try JSON.Document(parsing: key.encoded())
            for known in [one, other, named, point] {
                #expect(try JWK(document.root, knowing: known) == key)
            }
        }
    }

    @Test("What is no point of the curve is refused, whatever key is known")
    func refusal() throws {
        // RFC 8032, 5.1.3: y = 2 is not on the curve.
        let bytes = [2] + [UInt8](repeating: 0, count: 31)
        let text: JSON.Object = ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(bytes))]
        let document = try JSON.Document(parsing: text.encoded())
        #expect(throws: JWK.Rejection.self) { try JWK(document.root, knowing: Self.key(1)) }
    }

    @Test("A key that computes as another one of its material keeps its name, owner and algorithms")
    func computing() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
        let signer = SigningKey(pair, id: "one")
        let text = try JWT.signed(JWT.Claims(["sub": "x"]), with: signer)
        let token = try JWS.Unverified(parsing: text)
        let prepared = VerificationKey(pair.publicKey).prepared()
        let key = VerificationKey(pair.publicKey, id: "one", issuer: "https://example.ch").computing(as: prepared)
        #expect(key.id == "one" && key.issuer == "https://example.ch" && key.algorithms == [.edDSA, .ed25519])
        #expect(try token.verified(by: key).signature.key.id == "one")
        var narrow = JWK(pair.publicKey)
        narrow.attributes.algorithm = .ed25519
        let other = try VerificationKey(narrow).computing(as: prepared)
        #expect(throws: JWS.Rejection.self) { try token.verified(by: other) }
    }
}
