import PureCrypto

private let message: [UInt8] = Array("a message that everybody may know".utf8)

/// HMAC and comparison with secret keys, codes and contents.
let authenticationModes: [Mode] = [
    Mode(name: "hmac") {
        // Shorter than a block, as long as one, and longer: such a key is hashed first.
        for length in [16, 64, 200] {
            authenticate(SHA256.self, length)
            authenticate(SHA512.self, length)
        }
    },
    Mode(name: "hmac-message") {
        let key = SymmetricKey(data: message)
        for length in 0...130 {
            withUndefinedBytes(length) { secret in
                HMAC<SHA256>.authenticationCode(for: secret, using: key).withSpan { Sink.keep($0) }
            }
        }
    },
    Mode(name: "hmac-verify") {
        withUndefinedBytes(32) { key in
            withUndefinedBytes(32) { code in
                let key = SymmetricKey(data: key)
                Sink.keep(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message.span, using: key))
                Sink.keep(HMAC<SHA256>.PreparedKey(key).isValidAuthenticationCode(code, authenticating: message.span))
            }
        }
    },
    Mode(name: "equality") {
        for length in 0...70 {
            withUndefinedBytes(length) { one in
                withUndefinedBytes(length) { other in
                    Sink.keep(constantTimeEquals(one, other))
                    let pieces = one.indices.map { one[$0] }.lazy.map { $0 ^ 0x55 }
                    Sink.keep(constantTimeEquals(other, pieces))
                    Sink.keep(constantTimeEquals(pieces, pieces))
                    Sink.keep(SymmetricKey(data: one) == SymmetricKey(data: other))
                }
            }
        }
        withUndefinedBytes(40) { secret in Sink.keep(SHA384.hash(data: secret) == SHA384.hash(data: message)) }
    },
    Mode(name: "leaky-hmac") {
        withUndefinedBytes(32) { key in
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            // Reported only if the undefinedness of the key has come through the hash to the code.
            leakyChoice(code[31])
        }
    },
    Mode(name: "leaky-equality") {
        withUndefinedBytes(32) { one in
            withUndefinedBytes(32) { other in Sink.keep(leakyEquals(one, other)) }
        }
    },
    Mode(name: "leaky-lookup") {
        withUndefinedBytes(1) { secret in Sink.mark(message[Int(secret[0] & 15)]) }
    },
]

private func authenticate<H: HashFunction>(_: H.Type, _ length: Int) {
    withUndefinedBytes(length) { secret in
        let key = SymmetricKey(data: secret)
        HMAC<H>.authenticationCode(for: message, using: key).withSpan { Sink.keep($0) }
        HMAC<H>.PreparedKey(key).authenticationCode(for: message).withSpan { Sink.keep($0) }
    }
}

// `.ci/secret-jumps` has to object to the following two as well.

/// What computation must not do: it acts on one value of a secret bit, and not on the other.
@inline(never)
func leakyChoice(_ secret: UInt8) {
    if secret & 1 == 1 { Sink.mark(1) }
}

/// What comparison must not do: it stops at the first difference.
@inline(never)
func leakyEquals(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
}
