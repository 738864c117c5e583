public import PureCrypto

/// What protects a serialized state against readers and writers other than the app: encryption that notices changes, by
/// a key of the host's.
///
/// ``init(_:for:using:)`` needs nothing but the key. A host whose system has a vault for whole texts joins its way in
/// and its way out instead. Sealing cannot fail; a host whose key may be out of reach seals the serialized text itself,
/// outside of this module.
public struct Seal: Sendable {
    package let seal: @Sendable (_ bytes: [UInt8]) -> [UInt8]
    package let open: @Sendable (_ bytes: [UInt8]) -> [UInt8]?

    /// Joins the way in and the way out.
    ///
    /// - Parameter seal: encrypts and authenticates, for instance with AES-GCM and a key from the system's key store.
    /// - Parameter open: gives back what was sealed, or `nil` if a single bit of it was changed.
    public init(
        seal: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8],
        open: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8]?
    ) {
        self.seal = seal
        self.open = open
    }

    /// Seals by ChaCha20-Poly1305 with a key of the host's, from its key chain, key store, TPM, or a file of the
    /// person's alone.
    ///
    /// What is sealed is a byte for this form, a salt of 32 random bytes, and the cipher's text and tag. Key and nonce
    /// of each sealing follow from the host's key by HKDF with SHA-256, so that no nonce comes twice however often it
    /// is sealed, and texts of one purpose do not open for another.
    ///
    /// - Parameter key: 32 bytes that nobody can guess.
    /// - Parameter purpose: what the texts are, where one key seals texts of several kinds or of several people.
    /// - Parameter entropy: 64 bits that nobody can guess, such as `SystemRandomNumberGenerator` gives.
    public init(_ key: SymmetricKey, for purpose: String = "", using entropy: @escaping @Sendable () -> UInt64) {
        let box = Box(key: key, purpose: purpose)
        self.init(
            seal: { message in
                var salt: [UInt8] = []
                for _ in 0..<Box.saltByteCount / 8 {
                    let word = entropy()
                    for shift in stride(from: 56, through: 0, by: -8) {
                        salt.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                    }
                }
                return box.sealed(message, salt: salt)
            },
            open: { box.opened($0) })
    }
}

/// The form of what the package seals by itself.
private struct Box: Sendable {
    private static let form: UInt8 = 1
    static let saltByteCount = 32

    let key: SymmetricKey
    let purpose: String

    func sealed(_ message: [UInt8], salt: [UInt8]) -> [UInt8] {
        let (key, nonce) = key(for: salt)
        // Key and nonce have the lengths that the cipher wants, and no memory holds a message that is too long for it.
        guard let sealed = try? ChaChaPoly.seal(message, using: key, nonce: nonce, authenticating: [Self.form]) else {
            return []
        }
        return [Self.form] + salt + sealed
    }

    func opened(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.first == Self.form, bytes.count > Self.saltByteCount else { return nil }
        let (key, nonce) = key(for: Array(bytes[1...Self.saltByteCount]))
        return try? ChaChaPoly.open(
            bytes[(1 + Self.saltByteCount)...], using: key, nonce: nonce, authenticating: [Self.form])
    }

    private func key(for salt: [UInt8]) -> (SymmetricKey, nonce: [UInt8]) {
        let length = ChaChaPoly.keyByteCount + ChaChaPoly.nonceByteCount
        // Far below what one secret gives.
        let both = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: salt, info: Array("eduid seal:\(purpose)".utf8), outputByteCount: length)
        guard let both else { return (key, []) }
        return both.withSpan { span in
            (
                SymmetricKey(data: span.extracting(..<ChaChaPoly.keyByteCount)),
                (ChaChaPoly.keyByteCount..<span.count).map { span[$0] }
            )
        }
    }
}
