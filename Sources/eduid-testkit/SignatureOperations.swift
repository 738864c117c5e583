import PureCrypto
import Wire

extension Operation {
    /// Ed25519.
    static let signatures = [
        Operation("ed25519-sign") { input in
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: input.bytes("seed"))
            return [
                "pub": .string(Hex.encode(key.publicKey.rawRepresentation)),
                "sig": .string(Hex.encode(key.signature(for: try input.bytes("msg")))),
            ]
        },
        Operation("ed25519-verify") { input in
            let (message, signature) = (try input.bytes("msg"), try input.bytes("sig"))
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: input.bytes("pub"))
            return .bool(key.isValidSignature(signature, for: message))
        },
    ]
}
