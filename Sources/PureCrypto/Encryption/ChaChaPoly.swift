/// Authenticated encryption by ChaCha20 and Poly1305, RFC 8439 §2.8.
///
/// Whoever seals chooses a nonce that this key never sees twice; with twelve random bytes a key is good for some 2³²
/// messages. What does not open says nothing: not one byte of it is given out, and the time taken depends on lengths
/// only.
public enum ChaChaPoly {
    /// The number of bytes in a key.
    public static let keyByteCount = 32
    /// The number of bytes in a nonce.
    public static let nonceByteCount = 12
    /// The number of bytes in a tag.
    public static let tagByteCount = 16
    /// The most bytes in a message: the blocks of one are numbered with 32 bits, and the first is the tag's.
    static let messageLimit = (1 << 32 - 1) * ChaCha20.blockByteCount

    /// Why nothing was sealed or opened.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// A key has 32 bytes.
        case wrongKeyLength(found: Int)
        /// A nonce has 12 bytes.
        case wrongNonceLength(found: Int)
        /// The message has more bytes than one nonce is good for.
        case tooLong
        /// It was not sealed with this key, nonce and authenticated text, or has been changed since.
        case notAuthentic

        /// What is wrong.
        public var description: String {
            switch self {
            case .wrongKeyLength(let found): "a ChaCha20-Poly1305 key has 32 bytes, not \(found)"
            case .wrongNonceLength(let found): "a ChaCha20-Poly1305 nonce has 12 bytes, not \(found)"
            case .tooLong: "a message has at most 2³² − 1 blocks of 64 bytes"
            case .notAuthentic: "the text was not sealed with this key, or has been changed"
            }
        }
    }
}

extension ChaChaPoly {
    /// The message in a form that only the key opens, with its tag behind it.
    ///
    /// - Parameter nonce: twelve bytes that were never used with this key before.
    /// - Parameter text: what is not hidden, and has to be the same when it is opened.
    public static func seal(
        _ message: some Collection<UInt8>, using key: SymmetricKey, nonce: some Collection<UInt8>,
        authenticating text: some Collection<UInt8> = []
    ) throws(Rejection) -> [UInt8] {
        let cipher = try cipher(key, nonce)
        guard message.count <= messageLimit else { throw .tooLong }
        var sealed = [UInt8](message)
        sealed.reserveCapacity(sealed.count + tagByteCount)
        join(cipher, &sealed)
        sealed += tag(cipher, of: sealed.span, authenticating: [UInt8](text).span)
        return sealed
    }

    /// The message that was sealed.
    public static func open(
        _ sealed: some Collection<UInt8>, using key: SymmetricKey, nonce: some Collection<UInt8>,
        authenticating text: some Collection<UInt8> = []
    ) throws(Rejection) -> [UInt8] {
        let cipher = try cipher(key, nonce)
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        guard sealed.count - tagByteCount <= messageLimit else { throw .tooLong }
        var message = [UInt8](sealed.dropLast(tagByteCount))
        let tag = tag(cipher, of: message.span, authenticating: [UInt8](text).span)
        guard constantTimeEquals(tag, [UInt8](sealed.suffix(tagByteCount))) else { throw .notAuthentic }
        join(cipher, &message)
        return message
    }

    private static func cipher(_ key: SymmetricKey, _ nonce: some Collection<UInt8>) throws(Rejection) -> ChaCha20 {
        guard key.bitCount == 8 * keyByteCount else { throw .wrongKeyLength(found: key.bitCount / 8) }
        guard nonce.count == nonceByteCount else { throw .wrongNonceLength(found: nonce.count) }
        return key.withSpan { ChaCha20(key: $0, nonce: [UInt8](nonce).span) }
    }

    /// Joins a message with the key stream; its first block is the tag's.
    private static func join(_ cipher: ChaCha20, _ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            cipher.join(start, count: bytes.count, from: 1)
        }
    }

    private static func tag(
        _ cipher: ChaCha20, of sealed: Span<UInt8>, authenticating text: Span<UInt8>
    ) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ChaCha20.blockByteCount) { block in
            guard let start = block.baseAddress else { return [] }
            cipher.keyStream(of: 0, to: start)
            var authenticator = Poly1305(key: UnsafeBufferPointer(rebasing: block[..<32]).span)
            authenticator.absorbPadded(text)
            authenticator.absorbPadded(sealed)
            authenticator.absorb(UInt64(text.count), UInt64(sealed.count))
            erase(UnsafeMutableRawBufferPointer(block))
            let (low, high) = authenticator.tag()
            return (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
                + (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * $0)) }
        }
    }
}
