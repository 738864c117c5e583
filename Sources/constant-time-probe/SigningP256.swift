import PureCrypto

/// P-256 with secret scalars; messages, public keys and signatures are public, but as results of the scalar they stay
/// undefined too.
///
/// That a scalar or nonce is in range is all that may be told of it; `.ci/public-verdicts` names the one function that
/// tells.
let p256Modes: [Mode] = [
    Mode(name: "p256-signing-key") {
        withSecretKey { key in
            let publicKey = key.publicKey
            Sink.keep(publicKey.x963Representation.span)
            Sink.keep(publicKey.compressedRepresentation.span)
        }
    },
    Mode(name: "p256-drawn-key") {
        var generator = UndefinedWords()
        let key = P256.Signing.PrivateKey(using: &generator)
        Sink.keep(key.publicKey.x963Representation.span)
    },
    Mode(name: "p256-sign") {
        withSecretKey { key in
            var generator = UndefinedWords()
            for length in [0, 1, 55, 56, 64, 200] {
                let message = [UInt8](repeating: 0x61, count: length)
                key.signature(for: message).withSpan { Sink.keep($0) }
                key.signature(for: message, using: &generator).withSpan { Sink.keep($0) }
            }
        }
    },
    Mode(name: "p256-signing-key-equality") {
        withSecretKey { one in withSecretKey { other in Sink.keep(one == other) } }
    },
    Mode(name: "leaky-p256-signing-key") {
        // Reported only if the undefinedness of the scalar has come through comb and inversion to the public key.
        withSecretKey { leakyChoice($0.publicKey.x963Representation[1]) }
    },
    Mode(name: "leaky-p256-sign-commitment") {
        withSecretKey { leakyChoice($0.signature(for: [])[0]) }
    },
    Mode(name: "leaky-p256-sign-response") {
        withSecretKey { leakyChoice($0.signature(for: [])[32]) }
    },
]

/// The bytes stay undefined under the exclusive or, which only makes sure that they are a number in range: fresh memory
/// is often zero.
private func withSecretKey(_ body: (P256.Signing.PrivateKey) -> Void) {
    withUndefinedBytes(32) { bytes in
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes.indices.map { bytes[$0] ^ 0x55 }) else {
            fatalError("a number that begins with 0x55 is in range")
        }
        body(key)
    }
}

/// Words that nobody has written.
private struct UndefinedWords: RandomNumberGenerator {
    mutating func next() -> UInt64 {
        withUndefinedBytes(8) { bytes in bytes.indices.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
    }
}
