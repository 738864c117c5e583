extension P521.Signing {
    /// A key that signatures are checked with: a point of the curve other than the one at infinity.
    public struct PublicKey: Hashable, Sendable {
        private let point: WeierstrassPoint<P521>

        /// Bound: the point is on the curve.
        init(point: WeierstrassPoint<P521>) { self.point = point }

        /// Reads a point of 133 bytes, 04 ‖ X ‖ Y, or says which rule it breaks.
        public init(x963Representation bytes: Span<UInt8>) throws(Rejection) {
            point = try WeierstrassPoint(x963Representation: bytes)
        }

        /// Reads a point of 133 bytes, 04 ‖ X ‖ Y, or says which rule it breaks.
        public init(x963Representation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in try PublicKey(x963Representation: bytes) }
        }

        /// Reads a point of 67 bytes, 02 ‖ X where y is even and 03 ‖ X where it is odd, or says which rule it breaks.
        public init(compressedRepresentation bytes: Span<UInt8>) throws(Rejection) {
            point = try WeierstrassPoint(compressedRepresentation: bytes)
        }

        /// Reads a point of 67 bytes, 02 ‖ X where y is even and 03 ‖ X where it is odd, or says which rule it breaks.
        public init(compressedRepresentation bytes: some Collection<UInt8>) throws(Rejection) {
            self = try withBytes(of: bytes) { bytes throws(Rejection) in
                try PublicKey(compressedRepresentation: bytes)
            }
        }

        /// Reads coordinates of 66 bytes each, as a JSON Web Key has them, or says which rule they break.
        public init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(Rejection) {
            point = try withBytes(of: x) { x throws(Rejection) in
                try withBytes(of: y) { y throws(Rejection) in try WeierstrassPoint(x: x, y: y) }
            }
        }

        /// The point as 133 bytes, 04 ‖ X ‖ Y.
        public var x963Representation: [UInt8] { point.x963Representation }

        /// The point as 67 bytes, 02 ‖ X where y is even and 03 ‖ X where it is odd.
        public var compressedRepresentation: [UInt8] { point.compressedRepresentation }

        /// Whether the signature is one over these bytes by this key; anything but 132 bytes is none.
        public func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool {
            SHA512.hash(data: data).withSpan { isValidSignature(signature, forDigest: $0) }
        }

        /// Whether the signature is one over these bytes by this key; anything but 132 bytes is none.
        public func isValidSignature(_ signature: some Collection<UInt8>, for data: some Collection<UInt8>) -> Bool {
            withBytes(of: signature) { signature in
                withBytes(of: data) { data in isValidSignature(signature, for: data) }
            }
        }

        /// Whether the signature is one over a message with this digest, of which the leftmost 521 bits count.
        package func isValidSignature(_ signature: Span<UInt8>, forDigest digest: Span<UInt8>) -> Bool {
            ECDSAEquation<P521>(signature: signature, digest: digest)?.holds(for: point) ?? false
        }

        /// Compares the points.
        public static func == (one: PublicKey, other: PublicKey) -> Bool { one.point == other.point }

        /// Feeds the point to a hasher for dictionaries and sets.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(point.x.words)
            hasher.combine(point.y.words)
        }
    }
}
