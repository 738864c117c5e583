import PureCrypto

/// Ed25519 with secret seeds; messages, public keys and signatures are public, but as results of the seed they stay
/// undefined too.
let signingModes: [Mode] = [
    Mode(name: "signing-key") {
        withSecretKey { key in
            let publicKey = key.publicKey.rawRepresentation
            Sink.keep(publicKey.span)
        }
    },
    Mode(name: "sign") {
        withSecretKey { key in
            // With a prefix of 32 bytes, and with R and A before it, the message ends in the first block, at its end,
            // and beyond.
            for length in [0, 1, 47, 64, 79, 80, 200] {
                key.signature(for: [UInt8](repeating: 0x61, count: length)).withSpan { Sink.keep($0) }
            }
        }
    },
    Mode(name: "signing-key-equality") {
        withSecretKey { one in withSecretKey { other in Sink.keep(one == other) } }
    },
    Mode(name: "leaky-signing-key") {
        // Reported only if the undefinedness of the seed has come through hash, comb and inversion to the public key.
        withSecretKey { leakyChoice($0.publicKey.rawRepresentation[0]) }
    },
    Mode(name: "leaky-sign-commitment") {
        withSecretKey { leakyChoice($0.signature(for: [])[0]) }
    },
    Mode(name: "leaky-sign-response") {
        withSecretKey { leakyChoice($0.signature(for: [])[32]) }
    },
]

private func withSecretKey(_ body: (Curve25519.Signing.PrivateKey) -> Void) {
    withUndefinedBytes(32) { seed in
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            fatalError("a seed has 32 bytes")
        }
        body(key)
    }
}
