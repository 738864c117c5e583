import Foundation
import PureCrypto
import Wire

/// SHA-2 at three message sizes, and HMAC of a message the size of a token.
func hashBenchmarks() -> [Benchmark] {
    let key = SymmetricKey(data: Samples.bytes(32))
    let prepared = HMAC<SHA256>.PreparedKey(key)
    let message = Samples.bytes(300)
    return [("64", 64), ("1k", 1024), ("16k", 16384)].flatMap { label, size in
        let message = Samples.bytes(size)
        return [
            Benchmark("sha256-\(label)") { SHA256.hash(data: message) },
            Benchmark("sha512-\(label)") { SHA512.hash(data: message) },
        ]
    } + [
        Benchmark("hmac-sha256-300") { prepared.authenticationCode(for: message) },
        Benchmark("hmac-sha256-300-fresh-key") { HMAC<SHA256>.authenticationCode(for: message, using: key) },
        Benchmark("hmac-sha256-prepare") { HMAC<SHA256>.PreparedKey(key) },
    ]
}

/// Ed25519 on a message of 300 bytes, the size of a token.
func signatureBenchmarks() throws -> [Benchmark] {
    let (seed, message) = (Samples.bytes(32), Samples.bytes(300))
    let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    let (signature, publicKey) = (key.signature(for: message), key.publicKey)
    let (prepared, encoded) = (publicKey.prepared(), publicKey.rawRepresentation)
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

/// ECDSA with P-256 on a message of 300 bytes, the size of a token.
func p256Benchmarks() throws -> [Benchmark] {
    let (scalar, message) = (Samples.bytes(32), Samples.bytes(300))
    let key = try P256.Signing.PrivateKey(rawRepresentation: scalar)
    let (signature, publicKey) = (key.signature(for: message), key.publicKey)
    let (prepared, encoded) = (publicKey.prepared(), publicKey.x963Representation)
    return [
        Benchmark("p256-key") { try? P256.Signing.PrivateKey(rawRepresentation: scalar) },
        Benchmark("p256-sign") { key.signature(for: message) },
        Benchmark("p256-verify") { publicKey.isValidSignature(signature, for: message) },
        Benchmark("p256-verify-raw") {
            (try? P256.Signing.PublicKey(x963Representation: encoded))?.isValidSignature(signature, for: message)
        },
        Benchmark("p256-verify-prepared") { prepared.isValidSignature(signature, for: message) },
        Benchmark("p256-prepare") { publicKey.prepared() },
    ]
}

/// Base64URL, against Foundation's Base64 of the same bytes.
func encodingBenchmarks() -> [Benchmark] {
    let bytes = Samples.bytes(1026)
    let data = Data(bytes)
    let text = Base64URL.encode(bytes)
    let base64 = data.base64EncodedString()
    return [
        Benchmark("base64url-decode-1k") { try? Base64URL.decode(text) }
            .against("Data(base64Encoded:)") { Data(base64Encoded: base64) },
        Benchmark("base64url-encode-1k") { Base64URL.encode(bytes) }
            .against("base64EncodedString") { data.base64EncodedString() },
    ]
}
