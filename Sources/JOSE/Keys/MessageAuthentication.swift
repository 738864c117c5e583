import PureCrypto

/// A symmetric key with the work done beforehand that does not depend on the message, for each hash that the key is
/// long enough for.
struct MessageAuthentication: Sendable {
    enum Hash: Sendable {
        case sha256, sha384, sha512

        var byteCount: Int {
            switch self {
            case .sha256: SHA256.byteCount
            case .sha384: SHA384.byteCount
            case .sha512: SHA512.byteCount
            }
        }
    }

    /// The code of a message.
    enum Code {
        case sha256(HMAC<SHA256>.MAC)
        case sha384(HMAC<SHA384>.MAC)
        case sha512(HMAC<SHA512>.MAC)

        @inline(__always)
        func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
            switch self {
            case .sha256(let code): code.withSpan(body)
            case .sha384(let code): code.withSpan(body)
            case .sha512(let code): code.withSpan(body)
            }
        }
    }

    private let sha256: HMAC<SHA256>.PreparedKey
    private let sha384: HMAC<SHA384>.PreparedKey?
    private let sha512: HMAC<SHA512>.PreparedKey?

    /// Takes a secret of at least 32 bytes; algorithms that need more than it has are refused by the caller.
    init(_ secret: SymmetricKey) {
        sha256 = HMAC.PreparedKey(secret)
        sha384 = secret.byteCount >= SHA384.byteCount ? HMAC.PreparedKey(secret) : nil
        sha512 = secret.byteCount >= SHA512.byteCount ? HMAC.PreparedKey(secret) : nil
    }

    /// The code of a message; `nil` if the key is too short for the hash.
    func code(of message: Span<UInt8>, _ hash: Hash) -> Code? {
        switch hash {
        case .sha256: .sha256(sha256.authenticationCode(for: message))
        case .sha384: sha384.map { .sha384($0.authenticationCode(for: message)) }
        case .sha512: sha512.map { .sha512($0.authenticationCode(for: message)) }
        }
    }
}

extension SymmetricKey {
    var byteCount: Int { bitCount / 8 }
}
