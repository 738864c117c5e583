extension P384.Signing {
    /// A key that signs: a number d from 1 to n − 1.
    ///
    /// The number is in no description, dump or error, and its memory is overwritten when the last copy of the key is
    /// gone.
    public struct PrivateKey: Sendable {
        private let secret: ECDSASecret<P384>

        /// The key that checks the signatures of this one.
        public let publicKey: PublicKey

        private init(_ secret: ECDSASecret<P384>) {
            self.secret = secret
            publicKey = PublicKey(point: secret.publicPoint)
        }

        /// Takes a number of 48 bytes, the most significant first, or says which rule it breaks.
        public init(rawRepresentation bytes: Span<UInt8>) throws(Rejection) {
            self.init(try ECDSASecret(rawRepresentation: bytes))
        }

        /// Takes a number of 48 bytes, the most significant first, or says which rule it breaks.
        public init(rawRepresentation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in try PrivateKey(rawRepresentation: bytes) }
        }

        /// Draws a key from a generator, which must be one fit for cryptography, like the system's.
        public init(using generator: inout some RandomNumberGenerator) {
            self.init(ECDSASecret(using: &generator))
        }

        /// The number as 48 bytes, the most significant first.
        public var rawRepresentation: [UInt8] { secret.rawRepresentation }
    }
}

// MARK: - Signing

extension P384.Signing.PrivateKey {
    /// Signs these bytes with a nonce that follows from key and message (RFC 6979): the same bytes always get the same
    /// signature of 96 bytes.
    public func signature(for data: Span<UInt8>) -> [UInt8] {
        SHA384.hash(data: data).withSpan { signature(forDigest: $0) }
    }

    /// Signs these bytes with a nonce that follows from key and message (RFC 6979): the same bytes always get the same
    /// signature of 96 bytes.
    public func signature(for data: some Collection<UInt8>) -> [UInt8] {
        withBytes(of: data) { signature(for: $0) }
    }

    /// Signs these bytes with a nonce into which 48 bytes of the generator are mixed (RFC 6979, section 3.6), so that
    /// faults of the processor cannot be set against an undisturbed signature of the same bytes.
    ///
    /// A bad generator makes the signature no worse than one without it.
    public func signature(for data: Span<UInt8>, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        let digest = SHA384.hash(data: data)
        return digest.withSpan { secret.signature(forDigest: $0, using: &generator) }
    }

    /// Signs these bytes with a nonce into which 48 bytes of the generator are mixed (RFC 6979, section 3.6), so that
    /// faults of the processor cannot be set against an undisturbed signature of the same bytes.
    ///
    /// A bad generator makes the signature no worse than one without it.
    public func signature(
        for data: some Collection<UInt8>, using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        withBytes(of: data) { signature(for: $0, using: &generator) }
    }

    /// Signs a message by its digest, of which the leftmost 384 bits count.
    package func signature(forDigest digest: Span<UInt8>) -> [UInt8] {
        secret.signature(forDigest: digest, randomness: Span())
    }
}

extension P384.Signing.PrivateKey: Equatable {
    /// Compares the numbers in constant time.
    public static func == (one: Self, other: Self) -> Bool { one.secret.equals(other.secret) }
}

extension P384.Signing.PrivateKey: CustomStringConvertible {
    /// Names the type and nothing of the secret.
    public var description: String { "P384.Signing.PrivateKey(redacted)" }
}

#if !hasFeature(Embedded)
extension P384.Signing.PrivateKey: CustomReflectable {
    /// A mirror without children, so that a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
