/// The rule that bytes offered as a key of a curve of NIST break; one list for all of the curves.
public enum ECDSARejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// Points, coordinates and scalars of a curve have one length each.
    case wrongLength(found: Int)
    /// The first byte of a point is 4 where both coordinates follow, 2 or 3 where only x does.
    case unknownPointForm(UInt8)
    /// A coordinate is not below the field's prime: a second encoding of another point.
    case coordinateNotReduced
    /// The coordinates do not satisfy the curve's equation, or no point has this x coordinate.
    case notOnCurve
    /// The point at infinity is no public key.
    case infinity
    /// A private key is a number from 1 to n − 1, with n the order of the base point.
    case scalarOutOfRange

    private var rule: (clause: String, text: String) {
        switch self {
        case .wrongLength(let found): ("RFC5480-2.2", "no key of this curve and form has \(found) bytes")
        case .unknownPointForm(let byte): ("RFC5480-2.2", "a point of this form does not begin with \(byte)")
        case .coordinateNotReduced: ("RFC8446-4.2.8.2", "a coordinate of the public key is not reduced")
        case .notOnCurve: ("RFC8446-4.2.8.2", "the public key is not a point of the curve")
        case .infinity: ("RFC8446-4.2.8.2", "the public key is the point at infinity")
        case .scalarOutOfRange: ("RFC6979-2.2", "the private key is not between zero and the order of the base point")
        }
    }

    /// The clause that sets the rule.
    public var clause: String { rule.clause }

    /// The rule in words, without its clause.
    public var text: String { rule.text }

    /// The rule in words, with its clause.
    public var description: String { "\(text) (\(clause))" }
}
