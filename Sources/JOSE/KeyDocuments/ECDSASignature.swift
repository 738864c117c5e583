public import Wire

/// An ECDSA signature, which JOSE writes as R‖S and secure elements and HSMs give as DER (KEY-22).
///
/// Both forms are read strictly, so that a signature has one text in each. Whether it is a signature by anybody is for
/// a key to say.
public struct ECDSASignature: Hashable, Sendable {
    /// The curve that the signature was made on.
    public let curve: ECDSACurve
    /// R‖S, each as long as the curve demands (RFC 7518 §3.4).
    public let rawRepresentation: [UInt8]

    /// Reads R‖S.
    public init(rawRepresentation bytes: some Collection<UInt8>, on curve: ECDSACurve) throws(Rejection) {
        let length = curve.coordinateLength
        guard bytes.count == 2 * length else { throw .wrongLength(curve, found: bytes.count) }
        guard bytes.prefix(length).contains(where: { $0 != 0 }), bytes.suffix(length).contains(where: { $0 != 0 })
        else { throw .zero }
        self.curve = curve
        rawRepresentation = [UInt8](bytes)
    }

    /// Reads an ECDSA-Sig-Value (RFC 3279 §2.2.3): two positive integers in DER, and nothing behind them.
    public init(derRepresentation bytes: some Collection<UInt8>, on curve: ECDSACurve) throws(Rejection) {
        let (r, s) = try wrapping(Rejection.malformed, try Self.numbers(of: [UInt8](bytes)))
        var raw: [UInt8] = []
        for number in [r, s] {
            guard number.count <= curve.coordinateLength else { throw .tooLarge(curve) }
            raw += [UInt8](repeating: 0, count: curve.coordinateLength - number.count) + number
        }
        try self.init(rawRepresentation: raw, on: curve)
    }

    private static func numbers(of bytes: [UInt8]) throws(JWK.Rejection) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        var document = DER.Reader(bytes[...])
        var numbers = DER.Reader(try document.content(.sequence))
        try document.finish()
        let (r, s) = (try numbers.natural(), try numbers.natural())
        try numbers.finish()
        return (r, s)
    }

    /// The ECDSA-Sig-Value of the signature.
    public var derRepresentation: [UInt8] {
        let length = curve.coordinateLength
        let (r, s) = (rawRepresentation.prefix(length), rawRepresentation.suffix(length))
        return DER.value(.sequence, DER.natural(r.drop { $0 == 0 }), DER.natural(s.drop { $0 == 0 }))
    }
}

extension ECDSASignature {
    /// Why bytes are no signature in the form that they should have.
    public enum Rejection: BrokenRule {
        /// R‖S has another length.
        case wrongLength(ECDSACurve, found: Int)
        /// The bytes are not two integers in DER.
        case malformed(JWK.Rejection)
        /// A number is longer than the curve's order.
        case tooLarge(ECDSACurve)
        /// A number is zero.
        case zero

        /// The rule that was broken.
        public var rule: Rule {
            switch self {
            case .wrongLength(let curve, let found):
                Rule("RFC7518-3.4", "a signature on \(curve) has \(2 * curve.coordinateLength) bytes, not \(found)")
            case .malformed(let rejection): Rule("KEY-22", "the signature is not DER: \(rejection.text)")
            case .tooLarge(let curve): Rule("KEY-22", "the signature has a number that is too long for \(curve)")
            case .zero: Rule("KEY-22", "the signature has a number that is zero")
            }
        }
    }
}
