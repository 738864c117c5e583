/// The curve of RFC 7748 and RFC 8032, as a name space like that of CryptoKit and swift-crypto.
public enum Curve25519 {}

extension Curve25519 {
    /// Ed25519 signatures of RFC 8032.
    ///
    /// A signature is accepted by the strict rule: its S is below the group's order, its R and the public key are
    /// canonical encodings of points that are not of small order, and [S]B = R + [k]A holds exactly, without the
    /// cofactor. So no signature has a second form.
    public enum Signing {}
}

extension Curve25519.Signing {
    /// The rule that bytes offered as a key break.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// A key has 32 bytes.
        case wrongLength(found: Int)
        /// The y coordinate is not below 2²⁵⁵ − 19: a second encoding of another point.
        case nonCanonicalY
        /// No point of the curve has this y coordinate.
        case notOnCurve
        /// The x coordinate is zero and has its sign bit set: a second encoding of another point.
        case negativeZero
        /// Eight times the point is the identity: signatures under such a key say nothing.
        case smallOrder

        private var rule: (clause: String, text: String) {
            switch self {
            case .wrongLength(let found): ("RFC8032-5.1.5", "an Ed25519 key has 32 bytes, not \(found)")
            case .nonCanonicalY: ("RFC8032-5.1.3", "the y coordinate of the public key is not reduced")
            case .notOnCurve: ("RFC8032-5.1.3", "the public key is not a point of the curve")
            case .negativeZero:
                ("RFC8032-5.1.3", "the x coordinate of the public key is zero with its sign bit set")
            case .smallOrder: ("threat-7", "the public key is a point of small order")
            }
        }

        /// The clause that sets the rule.
        public var clause: String { rule.clause }

        /// The rule in words, without its clause.
        public var text: String { rule.text }

        /// The rule in words, with its clause.
        public var description: String { "\(text) (\(clause))" }
    }
}
