extension P256.Signing {
    /// A key that signatures are checked with: a point of the curve other than the one at infinity.
    public struct PublicKey: Hashable, Sendable {
        let point: P256.AffinePoint

        /// Bound: the point is on the curve.
        init(point: P256.AffinePoint) { self.point = point }

        /// Reads a point of 65 bytes, 04 ‖ X ‖ Y, or says which rule it breaks.
        public init(x963Representation bytes: Span<UInt8>) throws(Rejection) {
            try Self.checkForm(of: bytes, count: 65, forms: 4...4)
            try self.init(x: FourWords(bigEndian: bytes, at: 1), y: FourWords(bigEndian: bytes, at: 33))
        }

        /// Reads a point of 65 bytes, 04 ‖ X ‖ Y, or says which rule it breaks.
        public init(x963Representation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in try PublicKey(x963Representation: bytes) }
        }

        /// Reads a point of 33 bytes, 02 ‖ X where y is even and 03 ‖ X where it is odd, or says which rule it breaks.
        public init(compressedRepresentation bytes: Span<UInt8>) throws(Rejection) {
            try Self.checkForm(of: bytes, count: 33, forms: 2...3)
            guard let x = P256.FieldElement(canonical: FourWords(bigEndian: bytes, at: 1)) else {
                throw .coordinateNotReduced
            }
            guard let root = P256.AffinePoint.ySquared(x).squareRoot() else { throw .notOnCurve }
            // y is not zero, since the group's order is odd; so there is one root of each parity.
            let isOther = root.number.w0 & 1 != UInt64(bytes[0] & 1)
            self.init(point: P256.AffinePoint(x: x, y: isOther ? -root : root))
        }

        /// Reads a point of 33 bytes, 02 ‖ X where y is even and 03 ‖ X where it is odd, or says which rule it breaks.
        public init(compressedRepresentation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in
                try PublicKey(compressedRepresentation: bytes)
            }
        }

        /// Reads coordinates of 32 bytes each, as a JSON Web Key has them, or says which rule they break.
        public init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(Rejection) {
            for count in [x.count, y.count] where count != 32 { throw .wrongLength(found: count) }
            try self.init(
                x: withBytes(of: x) { FourWords(bigEndian: $0) }, y: withBytes(of: y) { FourWords(bigEndian: $0) })
        }

        private init(x: FourWords, y: FourWords) throws(Rejection) {
            guard let x = P256.FieldElement(canonical: x), let y = P256.FieldElement(canonical: y) else {
                throw .coordinateNotReduced
            }
            let point = P256.AffinePoint(x: x, y: y)
            guard point.isOnCurve else { throw .notOnCurve }
            self.init(point: point)
        }

        private static func checkForm(
            of bytes: Span<UInt8>, count: Int, forms: ClosedRange<UInt8>
        ) throws(Rejection) {
            // The point at infinity is encoded as a single zero.
            if bytes.count == 1, bytes[0] == 0 { throw .infinity }
            guard bytes.count == count else { throw .wrongLength(found: bytes.count) }
            guard forms.contains(bytes[0]) else { throw .unknownPointForm(bytes[0]) }
        }

        /// The point as 65 bytes, 04 ‖ X ‖ Y.
        public var x963Representation: [UInt8] {
            [4] + point.x.number.byteReversed.bytes + point.y.number.byteReversed.bytes
        }

        /// The point as 33 bytes, 02 ‖ X where y is even and 03 ‖ X where it is odd.
        public var compressedRepresentation: [UInt8] {
            [2 | UInt8(point.y.number.w0 & 1)] + point.x.number.byteReversed.bytes
        }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool {
            SHA256.hash(data: data).withSpan { isValidSignature(signature, forDigest: $0) }
        }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: some Collection<UInt8>, for data: some Collection<UInt8>) -> Bool {
            withBytes(of: signature) { signature in
                withBytes(of: data) { data in isValidSignature(signature, for: data) }
            }
        }

        /// Whether the signature is one over a message with this digest, of which the leftmost 256 bits count.
        package func isValidSignature(_ signature: Span<UInt8>, forDigest digest: Span<UInt8>) -> Bool {
            P256.VerificationEquation(signature: signature, digest: digest)?.holds(for: point) ?? false
        }

        /// The same key with a table of its multiples: 8 KiB, made in the time of about two verifications, after which
        /// each takes a third of it.
        public func prepared() -> PreparedPublicKey { PreparedPublicKey(self) }

        /// Compares the points.
        public static func == (one: PublicKey, other: PublicKey) -> Bool { one.point == other.point }

        /// Feeds the point to a hasher for dictionaries and sets.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(point.x.words)
            hasher.combine(point.y.words)
        }
    }

    /// A public key with a table of its multiples, for keys that check many signatures; its verdicts are those of the
    /// plain key.
    public struct PreparedPublicKey: Hashable, Sendable {
        /// The key that was prepared.
        public let publicKey: PublicKey
        private let multiples: P256.OddMultiples

        init(_ publicKey: PublicKey) {
            self.publicKey = publicKey
            multiples = P256.OddMultiples(of: publicKey.point, rowLength: P256.OddMultiples.keyRowLength)
        }

        /// The point as 65 bytes, 04 ‖ X ‖ Y.
        public var x963Representation: [UInt8] { publicKey.x963Representation }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool {
            SHA256.hash(data: data).withSpan { isValidSignature(signature, forDigest: $0) }
        }

        /// Whether the signature is one over these bytes by this key; anything but 64 bytes is none.
        public func isValidSignature(_ signature: some Collection<UInt8>, for data: some Collection<UInt8>) -> Bool {
            withBytes(of: signature) { signature in
                withBytes(of: data) { data in isValidSignature(signature, for: data) }
            }
        }

        /// Whether the signature is one over a message with this digest, of which the leftmost 256 bits count.
        package func isValidSignature(_ signature: Span<UInt8>, forDigest digest: Span<UInt8>) -> Bool {
            P256.VerificationEquation(signature: signature, digest: digest)?.holds(for: multiples) ?? false
        }

        /// Compares the keys; the tables follow from them.
        public static func == (one: PreparedPublicKey, other: PreparedPublicKey) -> Bool {
            one.publicKey == other.publicKey
        }

        /// Feeds the key to a hasher for dictionaries and sets.
        public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
    }
}
