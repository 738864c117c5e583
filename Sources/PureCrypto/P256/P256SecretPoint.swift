extension P256 {
    /// A point in Jacobian coordinates that depends on secrets: a multiple of G by a nonce or a private key.
    ///
    /// All work on it is in constant time (KEY-7), and the only way to such a point is the comb.
    struct SecretPoint: BitwiseCopyable {
        fileprivate(set) var x, y, z: FieldElement
    }
}

extension P256.SecretPoint {
    /// [scalar]G, in constant time.
    ///
    /// The scalar is read as 52 digits from −16 to 15 in base 32, of which the lowest comes first. Every point of a row
    /// is read and masked, whatever the digit; no secret becomes an index or a branch.
    ///
    /// Bound: the scalar is not zero; so the sum is not the point at infinity.
    init(multiplyingBase scalar: P256.Scalar) {
        // Adding 16 to every digit makes them plain groups of five bits. Bound: n + 16·(32⁵² − 1)/31 < 2²⁶⁰.
        let words = scalar.words
        var t = UInt128.sum(words.w0, 0x0842_1084_2108_4210)
        let g0 = t.low
        t = .sum(words.w1, 0x1084_2108_4210_8421, t.high)
        let g1 = t.low
        t = .sum(words.w2, 0x2108_4210_8421_0842, t.high)
        let g2 = t.low
        t = .sum(words.w3, 0x4210_8421_0842_1084, t.high)
        let groups = DigitGroups(words: FourWords(g0, g1, g2, t.low), top: 8 &+ t.high)

        self = P256.BaseComb.points.withUnsafeBufferPointer { $0.sum(groups) }
    }

    /// The point by its coordinates.
    func affine() -> P256.AffinePoint {
        let inverse = z.inverted()
        let square = inverse.squared()
        return P256.AffinePoint(x: x * square, y: y * (square * inverse))
    }

    /// The x coordinate alone.
    func affineX() -> P256.FieldElement { x * z.inverted().squared() }

    /// The sum with a point that differs from this one and from its opposite, neither of them at infinity.
    @inline(__always)
    fileprivate func adding(_ point: P256.AffinePoint) -> P256.SecretPoint {
        let zz = z.squared()
        let zzz = zz * z
        let h = point.x * zz - x
        let r = point.y * zzz - y
        let hh = h.squared()
        let rr = r.squared()
        let newZ = z * h
        let hhh = hh * h
        let v = x * hh
        let newX = rr - hhh - (v + v)
        return P256.SecretPoint(x: newX, y: .difference(r, v - newX, minus: y, hhh), z: newZ)
    }
}

/// A number in groups of five bits.
private struct DigitGroups {
    var words: FourWords
    var top: UInt64

    /// Takes out the lowest group.
    @inline(__always)
    mutating func next() -> UInt64 {
        let group = words.w0 & 31
        words = FourWords(
            words.w0 &>> 5 | words.w1 &<< 59, words.w1 &>> 5 | words.w2 &<< 59, words.w2 &>> 5 | words.w3 &<< 59,
            words.w3 &>> 5 | top &<< 59)
        top = top &>> 5
        return group
    }
}

extension UnsafeBufferPointer<P256.AffinePoint> {
    /// The sum of the multiples that 52 groups choose from the comb.
    ///
    /// The addition leaves out points at infinity and equal and opposite ones. The first are masked: a digit of zero
    /// adds nothing, and the first other digit replaces the sum, which is at infinity exactly if all digits were zero.
    /// The second do not occur: before row i the sum is s·G with |s| ≤ 16·(32ⁱ − 1)/31 < 0.52·32ⁱ, and d·32ⁱ·G is added
    /// with 1 ≤ |d| ≤ 16, so s ± d·32ⁱ is not zero. Nor is it a multiple of n: for i < 51 it is below 17·32⁵⁰ < n. For
    /// i = 51, d is 1 or 2, s + d·2²⁵⁵ is the scalar itself, and s − d·2²⁵⁵ above −n for d = 1; for d = 2 it is −n only
    /// if s = 2²⁵⁶ − n > 0, and then the scalar would be s + 2²⁵⁶ > n.
    ///
    /// A call, so that its machine code can be checked for jumps.
    ///
    /// Bound: the buffer holds the 52 rows of `BaseComb`.
    @inline(never)
    fileprivate func sum(_ groups: DigitGroups) -> P256.SecretPoint {
        var sum = P256.SecretPoint(x: .zero, y: .zero, z: .zero)
        var isEmpty = UInt64.max
        var groups = groups
        for row in 0..<52 {
            let (point, isNothing) = point(row, groups.next())
            let next = sum.adding(point)
            let first = isEmpty & ~isNothing
            sum.x = next.x.replaced(by: sum.x, where: isNothing).replaced(by: point.x, where: first)
            sum.y = next.y.replaced(by: sum.y, where: isNothing).replaced(by: point.y, where: first)
            sum.z = next.z.replaced(by: sum.z, where: isNothing).replaced(by: .one, where: first)
            isEmpty &= isNothing
        }
        return sum
    }

    /// The multiple by group − 16 in a row of sixteen, and all ones where that is no point.
    ///
    /// Bound: row is below 52.
    @inline(__always)
    private func point(_ row: Int, _ group: UInt64) -> (point: P256.AffinePoint, isNothing: UInt64) {
        let digit = group &- 16
        let sign = 0 &- (digit &>> 63)
        let magnitude = (digit ^ sign) &- sign

        var chosen = P256.AffinePoint(x: .zero, y: .zero)
        for multiple in 1...16 {
            chosen.merge(
                self[row &* 16 &+ multiple &- 1],
                where: magnitude.maskIfEqual(to: UInt64(truncatingIfNeeded: multiple)))
        }
        chosen.y = chosen.y.replaced(by: -chosen.y, where: sign)
        return (chosen, magnitude.maskIfEqual(to: 0))
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

extension P256.AffinePoint {
    @inline(__always)
    fileprivate mutating func merge(_ other: P256.AffinePoint, where mask: UInt64) {
        x.merge(other.x, where: mask)
        y.merge(other.y, where: mask)
    }
}

extension P256.FieldElement {
    @inline(__always)
    fileprivate mutating func merge(_ other: Self, where mask: UInt64) {
        let (mine, theirs) = (words, other.words)
        words = FourWords(
            mine.w0 | (theirs.w0 & mask), mine.w1 | (theirs.w1 & mask), mine.w2 | (theirs.w2 & mask),
            mine.w3 | (theirs.w3 & mask))
    }
}
