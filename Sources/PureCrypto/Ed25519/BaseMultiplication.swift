extension EdwardsPoint {
    /// [scalar]B for a secret scalar, in constant time.
    ///
    /// The scalar is read as 51 digits from −16 to 15 in base 32. Those of odd places come first and are multiplied by
    /// 32 together, so that one row of the comb serves two digits. Every point of a row is read and masked, whatever
    /// the digit; no secret becomes an index or a branch.
    static func baseMultiple(_ scalar: Scalar) -> EdwardsPoint {
        // Adding 16 to every digit makes them plain groups of five bits. Bound: L + 16·(32⁵¹ − 1)/31 < 2²⁵⁵.
        var t = UInt128.sum(scalar.words.w0, 0x0842_1084_2108_4210)
        let g0 = t.low
        t = .sum(scalar.words.w1, 0x1084_2108_4210_8421, t.high)
        let g1 = t.low
        t = .sum(scalar.words.w2, 0x2108_4210_8421_0842, t.high)
        let groups = FourWords(g0, g1, t.low, scalar.words.w3 &+ 0x4210_8421_0842_1084 &+ t.high)

        return BaseComb.points.withUnsafeBufferPointer { $0.sum(groups) }
    }
}

extension UnsafeBufferPointer<AffinePoint> {
    /// The sum of the multiples that 51 groups choose from the comb.
    ///
    /// A call, so that its machine code can be checked for jumps.
    ///
    /// Bound: the buffer holds the 26 rows of `BaseComb`.
    @inline(never)
    fileprivate func sum(_ groups: FourWords) -> EdwardsPoint {
        var sum = EdwardsPoint.identity
        var place = 1
        while true {
            let point = point(place / 2, groups.fiveBits(place))
            sum = place == 1 ? EdwardsPoint(point) : sum.adding(point)
            if place == 50 { return sum }
            if place == 49 {
                sum = sum.doubled(times: 5)
                place = 0
            } else {
                place += 2
            }
        }
    }

    /// The multiple by group − 16 in a row of sixteen.
    ///
    /// Bound: row is below 26.
    @inline(__always)
    private func point(_ row: Int, _ group: UInt64) -> AffinePoint {
        let digit = group &- 16
        let sign = 0 &- (digit &>> 63)
        let magnitude = (digit ^ sign) &- sign

        var chosen = MaskedSum()
        chosen.add(.identity, where: magnitude.maskIfEqual(to: 0))
        // Four in a turn: turns of one are not unrolled, and each would begin with copies of all the vectors.
        for quarter in 0..<4 {
            for place in 4 &* quarter..<4 &* quarter &+ 4 {
                chosen.add(
                    self[row &* 16 &+ place],
                    where: magnitude.maskIfEqual(to: UInt64(truncatingIfNeeded: place &+ 1)))
            }
        }
        let point = chosen.point
        return AffinePoint(
            yPlusX: point.yPlusX.replaced(by: point.yMinusX, where: sign),
            yMinusX: point.yMinusX.replaced(by: point.yPlusX, where: sign),
            twoDXY: point.twoDXY.negated(where: sign))
    }
}

extension EdwardsPoint {
    /// A point alone, x = 2x·2/4 and y = 2y·2/4.
    @inline(__always)
    fileprivate init(_ point: AffinePoint) {
        let (e, h) = (point.yPlusX - point.yMinusX, point.yPlusX + point.yMinusX)
        self.init(x: e + e, y: h + h, z: FieldElement(4, 0, 0, 0), t: e * h)
    }

    /// The same as `+`, with products that are inlined.
    @inline(__always)
    fileprivate func adding(_ q: AffinePoint) -> EdwardsPoint {
        let (a, b) = (FieldElement.product(y - x, q.yMinusX), FieldElement.product(y + x, q.yPlusX))
        let (c, d) = (FieldElement.product(t, q.twoDXY), z + z)
        let (e, h, g, f) = (b - a, b + a, d + c, d - c)
        return EdwardsPoint(x: .product(e, f), y: .product(h, g), z: .product(g, f), t: .product(e, h))
    }
}

extension FourWords {
    /// Five bits of a number below 2²⁵⁵.
    ///
    /// Bound: the place is below 51, and public.
    @inline(__always)
    fileprivate func fiveBits(_ place: Int) -> UInt64 {
        let bit = UInt64(truncatingIfNeeded: place &* 5)
        let (low, high) =
            bit < 128 ? (bit < 64 ? (w0, w1) : (w1, w2)) : (bit < 192 ? (w2, w3) : (w3, 0))
        return (low &>> (bit & 63) | (high &<< 1) &<< (63 &- (bit & 63))) & 31
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

/// Points of which all but one have been masked away, as vectors: half the instructions of the same in words.
private struct MaskedSum {
    var yPlusX, yMinusX, twoDXY: SIMD4<UInt64>

    @inline(__always)
    init() {
        (yPlusX, yMinusX, twoDXY) = (.zero, .zero, .zero)
    }

    @inline(__always)
    mutating func add(_ point: AffinePoint, where mask: UInt64) {
        let mask = SIMD4(repeating: mask)
        yPlusX |= point.yPlusX.lanes & mask
        yMinusX |= point.yMinusX.lanes & mask
        twoDXY |= point.twoDXY.lanes & mask
    }

    var point: AffinePoint {
        AffinePoint(yPlusX: FieldElement(yPlusX), yMinusX: FieldElement(yMinusX), twoDXY: FieldElement(twoDXY))
    }
}

extension FieldElement {
    fileprivate var lanes: SIMD4<UInt64> { SIMD4(s0, s1, s2, s3) }

    @inline(__always)
    fileprivate init(_ lanes: SIMD4<UInt64>) {
        self.init(lanes[0], lanes[1], lanes[2], lanes[3])
    }
}
