/// A point in projective coordinates, x = X/Z and y = Y/Z, that depends on secrets: a multiple of G by a nonce or a
/// private key.
///
/// The formulas are complete: they hold for every pair of points, equal, opposite and infinite ones included, because
/// the group's order is odd (Renes, Costello, Batina, "Complete addition formulas for prime order elliptic curves",
/// 2016, algorithms 4 and 6). Nothing here branches on a value or uses one as an index.
struct SecretPoint<Curve: PrimeCurve>: BitwiseCopyable {
    typealias Element = Residue<Curve.Field>

    private var x, y, z: Element

    static var infinity: Self { Self(x: .zero, y: .one, z: .zero) }

    /// A call, so that its machine code can be checked for jumps.
    @inline(never)
    static func + (one: Self, other: Self) -> Self {
        let (xx, yy, zz) = (one.x * other.x, one.y * other.y, one.z * other.z)
        // X₁Y₂ + X₂Y₁ and the like.
        let xy = (one.x + one.y) * (other.x + other.y) - (xx + yy)
        let yz = (one.y + one.z) * (other.y + other.z) - (yy + zz)
        let xz = (one.x + one.z) * (other.x + other.z) - (xx + zz)

        let u = tripled(xz - Curve.b * zz)
        let threeZZ = tripled(zz)
        let v = tripled(Curve.b * xz - threeZZ - xx)
        let w = tripled(xx) - threeZZ
        let (plus, minus) = (yy + u, yy - u)
        return Self(x: xy * plus - yz * v, y: plus * minus + w * v, z: yz * minus + xy * w)
    }

    /// A call, so that its machine code can be checked for jumps.
    @inline(never)
    func doubled() -> Self {
        let (xx, yy, zz) = (x.squared(), y.squared(), z.squared())
        let (xy, xz, yz) = (x * y, x * z, y * z)
        let (twoXY, twoXZ, twoYZ) = (xy + xy, xz + xz, yz + yz)

        let u = Self.tripled(twoXZ - Curve.b * zz)
        let threeZZ = Self.tripled(zz)
        let v = Self.tripled(Curve.b * twoXZ - threeZZ - xx)
        let w = Self.tripled(xx) - threeZZ
        let (plus, minus) = (yy + u, yy - u)
        let product = twoYZ * yy
        let twice = product + product
        return Self(x: twoXY * plus - twoYZ * v, y: plus * minus + w * v, z: twice + twice)
    }

    @inline(__always)
    private static func tripled(_ x: Element) -> Element { x + x + x }

    /// The point by its coordinates.
    ///
    /// Bound: it is not that at infinity.
    func affine() -> WeierstrassPoint<Curve> {
        let inverse = z.inverted()
        return WeierstrassPoint(x: x * inverse, y: y * inverse)
    }
}

// MARK: - Multiples of the base point

/// How scalars are cut for multiples of G: into signed digits in base 16, eight of them for each row of a table.
///
/// The digits of one row have the places 8·row to 8·row + 7. Those with the same remainder are added together, and the
/// sum is multiplied by 16 seven times.
enum WeierstrassComb<Curve: PrimeCurve> {
    /// One digit more than the scalar has nibbles, for the carry.
    static var digitCount: Int { Curve.Order.bitCount / 4 + 1 }
    static var rowCount: Int { (digitCount + 7) / 8 }
}

extension SecretPoint {
    /// [scalar]G for a secret scalar, in constant time.
    ///
    /// Every point of a row is read and masked, whatever the digit; no secret becomes an index or a branch.
    init(multiplyingBase scalar: Residue<Curve.Order>) {
        let (number, rowCount) = (scalar.number, WeierstrassComb<Curve>.rowCount)
        self = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8 * rowCount) { digits in
            defer { erase(UnsafeMutableRawBufferPointer(digits)) }
            Self.write(number, to: digits)
            return Curve.baseComb.withUnsafeBufferPointer { Self.sum($0, digits: UnsafeBufferPointer(digits)) }
        }
    }

    /// Digits from −8 to 7, as words of two's complement.
    ///
    /// Bound: there are no fewer digits than nibbles and one.
    @inline(never)
    private static func write(_ number: Curve.Order.Words, to digits: UnsafeMutableBufferPointer<UInt64>) {
        var carry: UInt64 = 0
        for place in 0..<digits.count {
            let word = place / 16 < Curve.Order.Words.count ? number[place / 16] : 0
            let digit = (word &>> UInt64(truncatingIfNeeded: place % 16 * 4) & 15) &+ carry
            carry = (digit &+ 8) &>> 4
            digits.initializeElement(at: place, to: digit &- carry &<< 4)
        }
    }

    /// The sum of the multiples that the digits choose from the comb.
    ///
    /// A call, so that its machine code can be checked for jumps.
    ///
    /// Bound: the buffers hold the rows of the comb, and eight digits for each.
    @inline(never)
    private static func sum(
        _ comb: UnsafeBufferPointer<WeierstrassPoint<Curve>>, digits: UnsafeBufferPointer<UInt64>
    ) -> Self {
        var sum = Self.infinity
        for place in (0..<8).reversed() {
            if place < 7 { for _ in 0..<4 { sum = sum.doubled() } }
            for row in 0..<WeierstrassComb<Curve>.rowCount {
                sum = sum + point(in: comb, row, digits[8 &* row &+ place])
            }
        }
        return sum
    }

    /// The multiple by a digit in a row of eight.
    ///
    /// Bound: the row is one of the comb's.
    @inline(never)
    private static func point(
        in comb: UnsafeBufferPointer<WeierstrassPoint<Curve>>, _ row: Int, _ digit: UInt64
    ) -> Self {
        let sign = 0 &- (digit &>> 63)
        let magnitude = (digit ^ sign) &- sign
        var chosen = Self.infinity
        for multiple in 1...8 {
            let point = comb[8 &* row &+ multiple &- 1]
            // All ones where the two are equal: both are below 2⁶³.
            let mask = 0 &- (((magnitude ^ UInt64(truncatingIfNeeded: multiple)) &- 1) &>> 63)
            chosen.x = chosen.x.replaced(by: point.x, where: mask)
            chosen.y = chosen.y.replaced(by: point.y, where: mask)
            chosen.z = chosen.z.replaced(by: .one, where: mask)
        }
        chosen.y = chosen.y.replaced(by: -chosen.y, where: sign)
        return chosen
    }
}
