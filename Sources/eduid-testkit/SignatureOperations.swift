import PureCrypto
import Wire

extension Operation {
    /// Ed25519.
    static let signatures = [
        Operation("ed25519-sign") { input throws(Fault) in
            let seed = try input.bytes("seed")
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return false }
            return [
                "pub": .string(Hex.encode(key.publicKey.rawRepresentation)),
                "sig": .string(Hex.encode(key.signature(for: try input.bytes("msg")))),
            ]
        },
        Operation("ed25519-verify") { input throws(Fault) in
            let message = try input.bytes("msg")
            let signature = try input.bytes("sig")
            let encoded = try input.bytes("pub")
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: encoded) else { return false }
            return .bool(key.isValidSignature(signature, for: message))
        },
    ]
}
