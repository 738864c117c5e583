import PureCrypto

/// A symmetric key with the work done beforehand that does not depend on the message, for each hash that the key is long enough for.
struct MessageAuthentication: Sendable {
    enum Hash: Sendable {
        case sha256, sha384, sha512
    }

    /// The code of a message.
    enum Code {
        case sha256(SHA256Digest)
        case sha384(SHA384Digest)
        case sha512(SHA512Digest)

        @inline(__always)
        func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
            switch self {
            case .sha256(let digest): digest.withSpan(body)
            case .sha384(let digest): digest.withSpan(body)
            case .sha512(let digest): digest.withSpan(body)
            }
        }
    }

    private let sha256: HMAC<SHA256>
    private let sha384: HMAC<SHA384>?
    private let sha512: HMAC<SHA512>?

    /// Takes a secret of at least 32 bytes; the algorithms that need more have been refused by the caller.
    init(secret: [UInt8]) {
        let key = SymmetricKey(data: secret)
        sha256 = HMAC(key: key)
        sha384 = secret.count >= SHA384.byteCount ? HMAC(key: key) : nil
        sha512 = secret.count >= SHA512.byteCount ? HMAC(key: key) : nil
    }

    /// The code of a message; nothing where the key is too short for the hash.
    func code(of message: Span<UInt8>, _ hash: Hash) -> Code? {
        switch hash {
        case .sha256: .sha256(Self.code(of: message, sha256))
        case .sha384: sha384.map { .sha384(Self.code(of: message, $0)) }
        case .sha512: sha512.map { .sha512(Self.code(of: message, $0)) }
        }
    }

    @inline(__always)
    private static func code<H: HashFunction>(of message: Span<UInt8>, _ prepared: HMAC<H>) -> H.Digest {
        var code = prepared
        code.update(data: message)
        return code.finalize()
    }
}
