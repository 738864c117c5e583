extension Curve25519.Signing {
    /// A key that signatures are checked with: a point of the curve, canonically encoded and not of small order.
    public struct PublicKey: Hashable, Sendable {
        let encoding: FourWords
        let point: EdwardsPoint

        /// Bound: the encoding is that of the point, and the point is not of small order.
        init(encoding: FourWords, point: EdwardsPoint) {
            (self.encoding, self.point) = (encoding, point)
        }

        /// Reads the 32 bytes of RFC 8032, or says which rule they break.
        public init(rawRepresentation bytes: Span<UInt8>) throws(Rejection) {
            guard bytes.count == FourWords.byteCount else { throw .wrongLength(found: bytes.count) }
            let encoding = FourWords(bytes)
            let point = try EdwardsPoint(decoding: encoding)
            if point.hasSmallOrder { throw .smallOrder }
            self.init(encoding: encoding, point: point)
        }

        /// Reads the 32 bytes of RFC 8032, or says which rule they break.
        public init(rawRepresentation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in try PublicKey(rawRepresentation: bytes) }
        }

        /// The 32 bytes of RFC 8032.
        public var rawRepresentation: [UInt8] { encoding.bytes }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool {
            guard let equation = VerificationEquation(signature: signature, message: data, key: encoding) else {
                return false
            }
            return equation.holds(for: point)
        }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: some Collection<UInt8>, for data: some Collection<UInt8>) -> Bool {
            withBytes(of: signature) { signature in
                withBytes(of: data) { data in isValidSignature(signature, for: data) }
            }
        }

        /// The same key with a table of its multiples: 6 KiB, made in the time of one verification, after which each
        /// takes less than half of it.
        public func prepared() -> PreparedPublicKey { PreparedPublicKey(self) }

        /// Compares the encodings, of which each point has exactly one.
        public static func == (one: PublicKey, other: PublicKey) -> Bool { one.encoding == other.encoding }

        /// Feeds the encoding to a hasher for dictionaries and sets.
        public func hash(into hasher: inout Hasher) { hasher.combine(encoding) }
    }

    /// A public key with a table of its multiples, for keys that check many signatures; its verdicts are those of the
    /// plain key.
    public struct PreparedPublicKey: Hashable, Sendable {
        /// The key that was prepared.
        public let publicKey: PublicKey
        private let multiples: OddMultiples

        init(_ publicKey: PublicKey) {
            self.publicKey = publicKey
            multiples = OddMultiples(of: publicKey.point, rowLength: 8)
        }

        /// The 32 bytes of RFC 8032.
        public var rawRepresentation: [UInt8] { publicKey.rawRepresentation }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool {
            guard let equation = VerificationEquation(signature: signature, message: data, key: publicKey.encoding)
            else { return false }
            return equation.holds(for: multiples)
        }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: some Collection<UInt8>, for data: some Collection<UInt8>) -> Bool {
            withBytes(of: signature) { signature in
                withBytes(of: data) { data in isValidSignature(signature, for: data) }
            }
        }

        /// Compares the keys; the tables follow from them.
        public static func == (one: PreparedPublicKey, other: PreparedPublicKey) -> Bool {
            one.publicKey == other.publicKey
        }

        /// Feeds the key to a hasher for dictionaries and sets.
        public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
    }
}
