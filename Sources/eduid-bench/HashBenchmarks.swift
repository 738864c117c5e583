import PureCrypto

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
