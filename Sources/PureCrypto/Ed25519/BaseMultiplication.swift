extension EdwardsPoint {
    /// [scalar]B for a secret scalar, in constant time.
    ///
    /// The scalar is read as 64 digits from −8 to 7 in base 16. Those of odd places come first and are multiplied by 16
    /// together, so that one row of the comb serves two digits. Every point of a row is read and masked, whatever the
    /// digit; no secret becomes an index or a branch.
    static func baseMultiple(_ scalar: Scalar) -> EdwardsPoint {
        // Adding 8 to every digit makes them the plain nibbles of a sum. Bound: L + 8·(16⁶⁴ − 1)/15 < 2²⁵⁶.
        let eights: UInt64 = 0x8888_8888_8888_8888
        var t = UInt128.sum(scalar.words.w0, eights)
        let n0 = t.low
        t = .sum(scalar.words.w1, eights, t.high)
        let n1 = t.low
        t = .sum(scalar.words.w2, eights, t.high)
        let nibbles = FourWords(n0, n1, t.low, scalar.words.w3 &+ eights &+ t.high)

        return BaseComb.points.withUnsafeBufferPointer { $0.sum(nibbles) }
    }
}

extension UnsafeBufferPointer<AffinePoint> {
    /// The sum of the multiples that 64 nibbles choose from the comb.
    ///
    /// A call, so that its machine code can be checked for jumps.
    ///
    /// Bound: the buffer holds the 32 rows of `BaseComb`.
    @inline(never)
    fileprivate func sum(_ nibbles: FourWords) -> EdwardsPoint {
        var sum = EdwardsPoint.identity
        for row in 0..<32 { sum = (sum + point(row, nibbles.nibble(2 * row + 1))).extended }
        sum = sum.doubled(times: 4)
        for row in 0..<32 { sum = (sum + point(row, nibbles.nibble(2 * row))).extended }
        return sum
    }

    /// The multiple by nibble − 8 in a row of eight.
    ///
    /// Bound: row is below 32.
    @inline(__always)
    private func point(_ row: Int, _ nibble: UInt64) -> AffinePoint {
        let digit = nibble &- 8
        let sign = 0 &- (digit &>> 63)
        let magnitude = (digit ^ sign) &- sign

        var chosen = AffinePoint.identity.masked(magnitude.maskIfEqual(to: 0))
        for multiple in 1...8 {
            chosen.merge(
                self[row &* 8 &+ multiple &- 1].masked(magnitude.maskIfEqual(to: UInt64(truncatingIfNeeded: multiple))))
        }

        return AffinePoint(
            yPlusX: chosen.yPlusX.replaced(by: chosen.yMinusX, where: sign),
            yMinusX: chosen.yMinusX.replaced(by: chosen.yPlusX, where: sign),
            twoDXY: chosen.twoDXY.replaced(by: -chosen.twoDXY, where: sign))
    }
}

extension FourWords {
    /// Four bits.
    ///
    /// Bound: the place is below 64, and public.
    @inline(__always)
    fileprivate func nibble(_ place: Int) -> UInt64 {
        let word = place < 32 ? (place < 16 ? w0 : w1) : (place < 48 ? w2 : w3)
        return word &>> UInt64(truncatingIfNeeded: place &* 4) & 15
    }
}

extension UInt64 {
    /// All ones if the two are equal, zero otherwise.
    ///
    /// Bound: both are below 2⁶³.
    @inline(__always)
    fileprivate func maskIfEqual(to other: UInt64) -> UInt64 {
        0 &- (((self ^ other) &- 1) &>> 63)
    }
}

extension AffinePoint {
    @inline(__always)
    fileprivate func masked(_ mask: UInt64) -> AffinePoint {
        AffinePoint(yPlusX: yPlusX.masked(mask), yMinusX: yMinusX.masked(mask), twoDXY: twoDXY.masked(mask))
    }

    @inline(__always)
    fileprivate mutating func merge(_ other: AffinePoint) {
        yPlusX.merge(other.yPlusX)
        yMinusX.merge(other.yMinusX)
        twoDXY.merge(other.twoDXY)
    }
}

extension FieldElement {
    @inline(__always)
    fileprivate func masked(_ mask: UInt64) -> FieldElement {
        FieldElement(s0 & mask, s1 & mask, s2 & mask, s3 & mask)
    }

    @inline(__always)
    fileprivate mutating func merge(_ other: FieldElement) {
        self = FieldElement(s0 | other.s0, s1 | other.s1, s2 | other.s2, s3 | other.s3)
    }
}
