extension P256.Signing {
    /// A key that signs: a number d from 1 to n − 1.
    ///
    /// The number is in no description, dump or error, and its memory is overwritten when the last copy of the key is
    /// gone.
    public struct PrivateKey: Sendable {
        private let storage: SecretStorage<P256.Scalar>

        /// The key that checks the signatures of this one.
        public let publicKey: PublicKey

        /// Bound: the scalar is not zero.
        private init(scalar: P256.Scalar) {
            storage = SecretStorage(1) { _ in scalar }
            publicKey = PublicKey(point: P256.SecretPoint(multiplyingBase: scalar).affine())
        }

        /// Takes a number of 32 bytes, the most significant first, or says which rule it breaks.
        public init(rawRepresentation bytes: Span<UInt8>) throws(Rejection) {
            guard bytes.count == FourWords.byteCount else { throw .wrongLength(found: bytes.count) }
            let words = FourWords(bigEndian: bytes)
            guard publicVerdict(P256.Scalar.isInRange(words)) else { throw .scalarOutOfRange }
            self.init(scalar: P256.Scalar(reduced: words))
        }

        /// Takes a number of 32 bytes, the most significant first, or says which rule it breaks.
        public init(rawRepresentation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in try PrivateKey(rawRepresentation: bytes) }
        }

        /// Draws a key from a generator, which must be one fit for cryptography, like the system's.
        ///
        /// A number of 512 bits is taken modulo n, which leaves no bias and needs no second draw (FIPS 186-5, A.2.1).
        public init(using generator: inout some RandomNumberGenerator) {
            let low = FourWords(generator.next(), generator.next(), generator.next(), generator.next())
            let high = FourWords(generator.next(), generator.next(), generator.next(), generator.next())
            self.init(scalar: P256.Scalar(nonZeroReducing: low, high))
        }

        /// The number as 32 bytes, the most significant first.
        public var rawRepresentation: [UInt8] { scalar.words.byteReversed.bytes }

        fileprivate var scalar: P256.Scalar { storage.withSpan { $0[0] } }
    }
}

// MARK: - Signing

extension P256.Signing.PrivateKey {
    /// Signs these bytes with a nonce that follows from key and message (RFC 6979): the same bytes always get the same
    /// signature.
    public func signature(for data: Span<UInt8>) -> P256.Signing.Signature {
        signature(forDigest: SHA256.hash(data: data), of: SHA256.self, randomness: Span())
    }

    /// Signs these bytes with a nonce that follows from key and message (RFC 6979): the same bytes always get the same
    /// signature.
    public func signature(for data: some Collection<UInt8>) -> P256.Signing.Signature {
        withBytes(of: data) { signature(for: $0) }
    }

    /// Signs these bytes with a nonce into which 32 bytes of the generator are mixed (RFC 6979, section 3.6), so that
    /// faults of the processor cannot be set against an undisturbed signature of the same bytes.
    ///
    /// A bad generator makes the signature no worse than one without it.
    public func signature(
        for data: Span<UInt8>, using generator: inout some RandomNumberGenerator
    ) -> P256.Signing.Signature {
        let digest = SHA256.hash(data: data)
        let words = FourWords(generator.next(), generator.next(), generator.next(), generator.next())
        return words.withSpan { signature(forDigest: digest, of: SHA256.self, randomness: $0) }
    }

    /// Signs these bytes with a nonce into which 32 bytes of the generator are mixed (RFC 6979, section 3.6), so that
    /// faults of the processor cannot be set against an undisturbed signature of the same bytes.
    ///
    /// A bad generator makes the signature no worse than one without it.
    public func signature(
        for data: some Collection<UInt8>, using generator: inout some RandomNumberGenerator
    ) -> P256.Signing.Signature {
        withBytes(of: data) { signature(for: $0, using: &generator) }
    }

    /// Signs a message by its digest, of which the leftmost 256 bits count; the nonce is made with the same hash.
    package func signature<H: HashFunction>(forDigest digest: H.Digest, of: H.Type) -> P256.Signing.Signature {
        signature(forDigest: digest, of: H.self, randomness: Span())
    }

    @inline(__always)
    private func signature<H: HashFunction>(
        forDigest digest: H.Digest, of: H.Type, randomness: Span<UInt8>
    ) -> P256.Signing.Signature {
        let scalar = scalar
        let e = digest.withSpan { P256.Scalar(reducing: FourWords(leftmost: $0)) }
        var nonces = scalar.words.byteReversed.withSpan { scalar in
            e.words.byteReversed.withSpan { e in
                NonceCandidates<H>(scalar: scalar, digest: e, randomness: randomness)
            }
        }
        while true {
            let words = nonces.next(byteCount: FourWords.byteCount) { FourWords(bigEndian: $0) }
            guard publicVerdict(P256.Scalar.isInRange(words)) else { continue }
            let nonce = P256.Scalar(reduced: words)
            // Bound: p < 2n, so that x modulo n takes one subtraction.
            let r = P256.Scalar(reducing: P256.SecretPoint(multiplyingBase: nonce).affineX().number)
            let s = nonce.inverted() * (e + r * scalar)
            // Bound: neither has ever been seen to be zero; the standard wants another nonce then.
            if publicVerdict(~(r.words.isZeroMask | s.words.isZeroMask)) {
                return P256.Signing.Signature(r: r, s: s)
            }
        }
    }
}

extension P256.Signing.PrivateKey: Equatable {
    /// Compares the numbers in constant time.
    public static func == (one: Self, other: Self) -> Bool { one.scalar == other.scalar }
}

extension P256.Signing.PrivateKey: CustomStringConvertible {
    /// Names the type and nothing of the secret.
    public var description: String { "P256.Signing.PrivateKey(redacted)" }
}

#if !hasFeature(Embedded)
extension P256.Signing.PrivateKey: CustomReflectable {
    /// A mirror without children, so that a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
