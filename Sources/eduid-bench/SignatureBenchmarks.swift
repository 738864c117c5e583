import PureCrypto

/// Ed25519 on a message of 300 bytes, the size of a token.
func signatureBenchmarks() -> [Benchmark] {
    let seed = Samples.bytes(32)
    let message = Samples.bytes(300)
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
        preconditionFailure("a seed has 32 bytes")
    }
    let signature = key.signature(for: message)
    let publicKey = key.publicKey
    let prepared = publicKey.prepared()
    let encoded = publicKey.rawRepresentation
    return [
        Benchmark("ed25519-key") { try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) },
        Benchmark("ed25519-sign") { key.signature(for: message) },
        Benchmark("ed25519-verify") { publicKey.isValidSignature(signature, for: message) },
        Benchmark("ed25519-verify-raw") {
            (try? Curve25519.Signing.PublicKey(rawRepresentation: encoded))?.isValidSignature(signature, for: message)
        },
        Benchmark("ed25519-verify-prepared") { prepared.isValidSignature(signature, for: message) },
        Benchmark("ed25519-prepare") { publicKey.prepared() },
    ]
}
