/// A curve y² = x³ − 3x + b of prime order over a prime field, with what ECDSA over it needs.
protocol PrimeCurve {
    associatedtype Field: PrimeModulus
    associatedtype Order: PrimeModulus where Order.Words == Field.Words
    /// The hash of the messages, and of the nonces.
    associatedtype Hash: HashFunction

    static var b: Residue<Field> { get }
    static var base: WeierstrassPoint<Self> { get }
    /// G, 3G, … 63G, for signed digits of seven bits; made on first use.
    static var baseMultiples: [WeierstrassPoint<Self>] { get }
    /// The rows of `WeierstrassComb`, made on first use.
    static var baseComb: [WeierstrassPoint<Self>] { get }
    /// The square root's exponent, a quarter of p + 1, for p ≡ 3 modulo 4.
    static var rootExponent: Field.Words { get }
}

extension PrimeCurve {
    /// The length of a coordinate and of a scalar.
    static var byteCount: Int { (Field.bitCount + 7) / 8 }
}

/// A point of the curve other than the one at infinity.
struct WeierstrassPoint<Curve: PrimeCurve>: BitwiseCopyable, Equatable, Sendable {
    var x, y: Residue<Curve.Field>

    /// The square of the y coordinate that belongs to x, if any does.
    static func ySquared(_ x: Residue<Curve.Field>) -> Residue<Curve.Field> {
        x.squared() * x - (x + x + x) + Curve.b
    }
}

// MARK: - Reading and writing

extension WeierstrassPoint {
    /// Reads 04 ‖ X ‖ Y.
    init(x963Representation bytes: Span<UInt8>) throws(ECDSARejection) {
        let count = Curve.byteCount
        try Self.checkForm(of: bytes, count: 1 + 2 * count, forms: 4...4)
        try self.init(x: bytes.extracting(1..<1 + count), y: bytes.extracting(last: count))
    }

    /// Reads 02 ‖ X where y is even and 03 ‖ X where it is odd.
    init(compressedRepresentation bytes: Span<UInt8>) throws(ECDSARejection) {
        try Self.checkForm(of: bytes, count: 1 + Curve.byteCount, forms: 2...3)
        let x = try Self.coordinate(bytes.extracting(droppingFirst: 1))
        let square = Self.ySquared(x)
        let root = square.power(Curve.rootExponent)
        guard root.squared() == square else { throw .notOnCurve }
        // y is not zero, since the group's order is odd; so there is one root of each parity.
        let isOther = root.number[0] & 1 != UInt64(bytes[0] & 1)
        self.init(x: x, y: isOther ? -root : root)
    }

    /// Reads coordinates of exact length.
    init(x: Span<UInt8>, y: Span<UInt8>) throws(ECDSARejection) {
        if x.count != Curve.byteCount { throw .wrongLength(found: x.count) }
        if y.count != Curve.byteCount { throw .wrongLength(found: y.count) }
        self.init(x: try Self.coordinate(x), y: try Self.coordinate(y))
        guard self.y.squared() == Self.ySquared(self.x) else { throw .notOnCurve }
    }

    private static func checkForm(
        of bytes: Span<UInt8>, count: Int, forms: ClosedRange<UInt8>
    ) throws(ECDSARejection) {
        // The point at infinity is encoded as a single zero.
        if bytes.count == 1, bytes[0] == 0 { throw .infinity }
        guard bytes.count == count else { throw .wrongLength(found: bytes.count) }
        guard forms.contains(bytes[0]) else { throw .unknownPointForm(bytes[0]) }
    }

    private static func coordinate(_ bytes: Span<UInt8>) throws(ECDSARejection) -> Residue<Curve.Field> {
        let number = Curve.Field.Words(bigEndian: bytes)
        guard Residue<Curve.Field>.isReducedMask(number) != 0 else { throw .coordinateNotReduced }
        return Residue(number)
    }

    var x963Representation: [UInt8] {
        [4] + x.number.bigEndianBytes(Curve.byteCount) + y.number.bigEndianBytes(Curve.byteCount)
    }

    var compressedRepresentation: [UInt8] {
        [2 | UInt8(truncatingIfNeeded: y.number[0] & 1)] + x.number.bigEndianBytes(Curve.byteCount)
    }
}
