import PureCrypto

// P-384 and P-521 with secret scalars, as in SigningP256.swift: messages, public keys and signatures are public, but as
// results of the scalar they stay undefined too.

/// P-384.
let p384Modes: [Mode] = [
    Mode(name: "p384-signing-key") {
        withP384Key { key in
            Sink.keep(key.publicKey.x963Representation.span)
            Sink.keep(key.publicKey.compressedRepresentation.span)
            Sink.keep(key.rawRepresentation.span)
        }
    },
    Mode(name: "p384-drawn-key") {
        var generator = UndefinedWords()
        Sink.keep(P384.Signing.PrivateKey(using: &generator).publicKey.x963Representation.span)
    },
    Mode(name: "p384-sign") {
        withP384Key { key in
            var generator = UndefinedWords()
            for length in [0, 111, 112, 200] {
                let message = [UInt8](repeating: 0x61, count: length)
                Sink.keep(key.signature(for: message).span)
                Sink.keep(key.signature(for: message, using: &generator).span)
            }
        }
    },
    Mode(name: "p384-signing-key-equality") {
        withP384Key { one in withP384Key { other in Sink.keep(one == other) } }
    },
    Mode(name: "leaky-p384-signing-key") {
        withP384Key { leakyChoice($0.publicKey.x963Representation[48]) }
    },
    Mode(name: "leaky-p384-sign-commitment") {
        withP384Key { leakyChoice($0.signature(for: [])[47]) }
    },
    Mode(name: "leaky-p384-sign-response") {
        withP384Key { leakyChoice($0.signature(for: [])[95]) }
    },
]

/// P-521.
let p521Modes: [Mode] = [
    Mode(name: "p521-signing-key") {
        withP521Key { key in
            Sink.keep(key.publicKey.x963Representation.span)
            Sink.keep(key.publicKey.compressedRepresentation.span)
            Sink.keep(key.rawRepresentation.span)
        }
    },
    Mode(name: "p521-drawn-key") {
        var generator = UndefinedWords()
        Sink.keep(P521.Signing.PrivateKey(using: &generator).publicKey.x963Representation.span)
    },
    Mode(name: "p521-sign") {
        withP521Key { key in
            var generator = UndefinedWords()
            for length in [0, 111, 112, 200] {
                let message = [UInt8](repeating: 0x61, count: length)
                Sink.keep(key.signature(for: message).span)
                Sink.keep(key.signature(for: message, using: &generator).span)
            }
        }
    },
    Mode(name: "p521-signing-key-equality") {
        withP521Key { one in withP521Key { other in Sink.keep(one == other) } }
    },
    Mode(name: "leaky-p521-signing-key") {
        withP521Key { leakyChoice($0.publicKey.x963Representation[66]) }
    },
    Mode(name: "leaky-p521-sign-commitment") {
        withP521Key { leakyChoice($0.signature(for: [])[65]) }
    },
    Mode(name: "leaky-p521-sign-response") {
        withP521Key { leakyChoice($0.signature(for: [])[131]) }
    },
]

private func withP384Key(_ body: (P384.Signing.PrivateKey) -> Void) {
    withUndefinedBytes(48) { bytes in
        // Fresh memory is often zero.
        let number = bytes.indices.map { bytes[$0] ^ 0x55 }
        guard let key = try? P384.Signing.PrivateKey(rawRepresentation: number) else {
            fatalError("a number that begins with 0x55 is in range")
        }
        body(key)
    }
}

private func withP521Key(_ body: (P521.Signing.PrivateKey) -> Void) {
    withUndefinedBytes(66) { bytes in
        // Fresh memory is often zero.
        let number = bytes.indices.map { $0 == 0 ? bytes[0] & 1 : bytes[$0] ^ 0x55 }
        guard let key = try? P521.Signing.PrivateKey(rawRepresentation: number) else {
            fatalError("a number of 521 bits with 0x55 after the highest is in range")
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
