extension Curve25519.Signing {
    /// A key that signs, made from its 32-byte seed.
    ///
    /// The public key that goes into every signature is computed from the seed and cannot be supplied: signing the same
    /// message under two public keys would reveal the secret scalar. The seed is in no description, dump or error, and
    /// its memory is overwritten when the last copy of the key is gone.
    public struct PrivateKey: Sendable {
        private let storage: SecretStorage<Secret>

        /// The key that checks the signatures of this one.
        public let publicKey: PublicKey

        init(seed: FourWords) {
            let digest = seed.withSpan { seed in
                var hash = SHA512()
                hash.update(data: seed)
                return hash.finalizedWords()
            }
            // RFC 8032, 5.1.5: the three lowest bits off, bit 255 off, bit 254 on.
            let clamped = FourWords(
                digest.h0.byteSwapped & ~7, digest.h1.byteSwapped, digest.h2.byteSwapped,
                digest.h3.byteSwapped & ~0 >> 2 | 1 << 62)
            let scalar = Scalar(reducing: clamped, .zero)
            let prefix = FourWords(
                digest.h4.byteSwapped, digest.h5.byteSwapped, digest.h6.byteSwapped, digest.h7.byteSwapped)
            storage = SecretStorage(1) { _ in Secret(seed: seed, scalar: scalar, prefix: prefix) }

            // The clamped number is a multiple of 8 below 2²⁵⁵ < 8L, and not zero, so it is no multiple of L: the point
            // is not the identity.
            let point = EdwardsPoint.baseMultiple(scalar).normalized()
            publicKey = PublicKey(encoding: point.encoding, point: point)
        }

        /// Takes a seed of 32 bytes.
        public init(rawRepresentation seed: Span<UInt8>) throws(Rejection) {
            guard seed.count == FourWords.byteCount else { throw .wrongLength(found: seed.count) }
            self.init(seed: FourWords(seed))
        }

        /// Takes a seed of 32 bytes.
        public init(rawRepresentation seed: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: seed) { seed throws(Rejection) in try PrivateKey(rawRepresentation: seed) }
        }

        /// Draws a seed from a generator, which must be one fit for cryptography, like the system's.
        public init(using generator: inout some RandomNumberGenerator) {
            self.init(seed: FourWords(generator.next(), generator.next(), generator.next(), generator.next()))
        }

        /// The seed.
        public var rawRepresentation: [UInt8] { secret.seed.bytes }

        private var secret: Secret { storage.withSpan { $0[0] } }

        /// Signs these bytes: the same bytes always get the same signature.
        public func signature(for data: Span<UInt8>) -> Signature {
            let secret = secret
            var nonceHash = SHA512()
            secret.prefix.withSpan { nonceHash.update(data: $0) }
            nonceHash.update(data: data)
            let nonce = Scalar(reducing: nonceHash.finalizedWords())
            let r = EdwardsPoint.baseMultiple(nonce).normalized().encoding

            var hash = SHA512()
            r.withSpan { hash.update(data: $0) }
            publicKey.encoding.withSpan { hash.update(data: $0) }
            hash.update(data: data)
            let k = Scalar(reducing: hash.finalizedWords())
            return Signature(r: r, s: Scalar(product: k.words, secret.scalar.words, plus: nonce.words).words)
        }

        /// Signs these bytes: the same bytes always get the same signature.
        public func signature(for data: some Collection<UInt8>) -> Signature {
            withBytes(of: data) { signature(for: $0) }
        }
    }
}

/// What a seed expands to (RFC 8032, 5.1.5).
private struct Secret: Sendable {
    let seed: FourWords
    /// The clamped lower half of the seed's hash, reduced modulo L, which changes no multiple of B.
    let scalar: Scalar
    /// The upper half of the seed's hash, from which every nonce is derived.
    let prefix: FourWords
}

extension Curve25519.Signing.PrivateKey: Equatable {
    /// Compares the seeds in constant time.
    public static func == (one: Self, other: Self) -> Bool { one.secret.seed == other.secret.seed }
}

extension Curve25519.Signing.PrivateKey: CustomStringConvertible {
    /// Names the type and nothing of the secret.
    public var description: String { "Curve25519.Signing.PrivateKey(redacted)" }
}

#if !hasFeature(Embedded)
extension Curve25519.Signing.PrivateKey: CustomReflectable {
    /// A mirror without children, so that a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
