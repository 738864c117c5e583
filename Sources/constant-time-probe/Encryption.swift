import PureCrypto

private let header: [UInt8] = Array("a header that everybody may know".utf8)
private let nonce = [UInt8](repeating: 3, count: ChaChaPoly.nonceByteCount)

/// Sealing, opening and derived keys with secret keys and contents; whether a text opens is no secret.
let encryptionModes: [Mode] = [
    Mode(name: "seal") {
        for length in [0, 1, 15, 16, 17, 63, 64, 65, 200] {
            withUndefinedBytes(ChaChaPoly.keyByteCount) { key in
                withUndefinedBytes(length) { message in
                    let sealed = try? ChaChaPoly.seal(
                        message.indices.map { message[$0] }, using: SymmetricKey(data: key), nonce: nonce,
                        authenticating: header)
                    if let sealed { Sink.keep(sealed.span) }
                }
            }
        }
    },
    Mode(name: "hkdf") {
        for length in [16, 64, 200] {
            withUndefinedBytes(length) { secret in
                let key = HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: secret), salt: nonce, info: header, outputByteCount: 80)
                key?.withSpan { Sink.keep($0) }
            }
        }
    },
    Mode(name: "pbkdf2") {
        for length in [8, 64, 200] {
            withUndefinedBytes(length) { password in
                let key = PBKDF2<SHA512>.deriveKey(
                    password: SymmetricKey(data: password), salt: nonce, rounds: 3, outputByteCount: 80)
                key?.withSpan { Sink.keep($0) }
            }
        }
    },
    Mode(name: "leaky-seal") {
        withUndefinedBytes(ChaChaPoly.keyByteCount) { key in
            let sealed = try? ChaChaPoly.seal(header, using: SymmetricKey(data: key), nonce: nonce)
            // Reported only if the undefinedness of the key has come through the cipher to the text and to the tag.
            if let sealed { leakyChoice(sealed[0] & sealed[sealed.count - 1]) }
        }
    },
]
