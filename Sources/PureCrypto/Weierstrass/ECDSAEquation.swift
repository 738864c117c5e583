/// What one signature states of a public key Q: that r is the x coordinate of [u]G + [v]Q modulo n, with u = e/s and v
/// = r/s (FIPS 186-5, 6.4.2).
///
/// Everything here is public, so branches and indices may depend on it.
struct ECDSAEquation<Curve: PrimeCurve> {
    private let r: Curve.Order.Words
    private let u, v: Curve.Order.Words

    /// Reads R ‖ S, or nil where its length is not that of two scalars or r or s is not from 1 to n − 1.
    init?(signature: Span<UInt8>, digest: Span<UInt8>) {
        let count = Curve.byteCount
        guard signature.count == 2 * count else { return nil }
        let r = Curve.Order.Words(bigEndian: signature.extracting(first: count))
        let s = Curve.Order.Words(bigEndian: signature.extracting(last: count))
        guard ECDSA<Curve>.isInRangeMask(r) & ECDSA<Curve>.isInRangeMask(s) != 0 else { return nil }
        let inverse = Residue<Curve.Order>(s).inverted()
        self.r = r
        u = (ECDSA<Curve>.residue(ofDigest: digest) * inverse).number
        v = (Residue<Curve.Order>(r) * inverse).number
    }

    /// One signed digit of u and one of v at a time, from the highest place down.
    func holds(for key: WeierstrassPoint<Curve>) -> Bool {
        var keyMultiples = [PublicPoint(key)]
        let double = keyMultiples[0].doubled()
        for index in 1..<8 { keyMultiples.append(keyMultiples[index - 1].adding(double)) }
        let baseMultiples = Curve.baseMultiples

        let digitCount = Curve.Order.bitCount + 1
        let point = withUnsafeTemporaryAllocation(of: Int8.self, capacity: digitCount) { uDigits in
            withUnsafeTemporaryAllocation(of: Int8.self, capacity: digitCount) { vDigits in
                u.writeSignedDigits(width: 7, to: uDigits)
                v.writeSignedDigits(width: 5, to: vDigits)
                var sum = PublicPoint<Curve>.infinity
                for place in (0..<digitCount).reversed() {
                    sum = sum.doubled()
                    let (u, v) = (Int(uDigits[place]), Int(vDigits[place]))
                    // Bound: the digits are odd, |u| < 64 and |v| < 16.
                    if u != 0 { sum = sum.adding(baseMultiples[Int(u.magnitude) >> 1], negated: u < 0) }
                    if v != 0 { sum = sum.adding(keyMultiples[Int(v.magnitude) >> 1], negated: v < 0) }
                }
                return sum
            }
        }
        return holds(for: point)
    }

    /// Whether r is the x coordinate of the point modulo n: r itself or, where that is still below p, r + n.
    ///
    /// With x = X/Z² it is compared without a division.
    private func holds(for point: PublicPoint<Curve>) -> Bool {
        if point.isInfinity { return false }
        let zz = point.z.squared()
        if Residue<Curve.Field>(r) * zz == point.x { return true }
        let (sum, carry) = r.adding(Curve.Order.modulus)
        guard carry == 0, Residue<Curve.Field>.isReducedMask(sum) != 0 else { return false }
        return Residue<Curve.Field>(sum) * zz == point.x
    }
}

/// What signing and verification over a curve have in common.
enum ECDSA<Curve: PrimeCurve> {
    /// All ones for a number from 1 to n − 1, zero for others.
    static func isInRangeMask(_ number: Curve.Order.Words) -> UInt64 {
        Residue<Curve.Order>.isReducedMask(number) & ~number.isZeroMask
    }

    /// The leftmost bits of a digest, as many as n has, modulo n.
    static func residue(ofDigest digest: Span<UInt8>) -> Residue<Curve.Order> {
        Residue(Curve.Order.Words(leftmost: Curve.Order.bitCount, of: digest))
    }
}
