extension P256 {
    /// What one signature states of a public key Q: that r is the x coordinate of [u]G + [v]Q modulo n, with u = e/s and
    /// v = r/s (FIPS 186-5, 6.4.2).
    ///
    /// Everything here is public, so branches and indices may depend on it.
    struct VerificationEquation {
        private let r: FourWords
        private let u, v: SignedScalar

        /// Reads a signature, or nil where its length is not 64 bytes or r or s is not from 1 to n − 1.
        init?(signature: Span<UInt8>, digest: Span<UInt8>) {
            guard signature.count == 64, let r = Scalar(publicNonZero: FourWords(bigEndian: signature)),
                let s = Scalar(publicNonZero: FourWords(bigEndian: signature, at: 32))
            else { return nil }
            let inverse = s.publiclyInverted()
            self.r = r.words
            u = SignedScalar(Scalar(reducing: FourWords(leftmost: digest)) * inverse)
            v = SignedScalar(r * inverse)
        }
    }
}

/// A number of absolute value below 2²⁵⁵ in the place of one modulo n, so that its signed digits have places below 256.
private struct SignedScalar {
    let magnitude: FourWords
    let isNegative: Bool

    init(_ scalar: P256.Scalar) {
        // (n − 1)/2.
        let half = FourWords(
            0x79dc_e561_7e31_92a8, 0xde73_7d56_d38b_cf42, 0x7fff_ffff_ffff_ffff, 0x7fff_ffff_8000_0000)
        isNegative = half.subtracting(scalar.words).negative != 0
        magnitude = isNegative ? P256.Scalar.order.subtracting(scalar.words).difference : scalar.words
    }
}

extension P256.VerificationEquation {
    /// Whether r is the x coordinate of the point modulo n: r itself or, where that is still below p, r + n.
    ///
    /// With x = X/Z² it is compared without a division.
    private func holds(for point: P256.PublicPoint) -> Bool {
        if point.z.isZero { return false }
        let zz = point.z.squared()
        // Bound: r is below n, and n below p.
        if P256.FieldElement(reduced: r) * zz == point.x { return true }
        // p − n.
        let difference = FourWords(0x0c46_353d_039c_daae, 0x4319_0553_58e8_617b, 0, 0)
        guard r.subtracting(difference).negative != 0 else { return false }
        // r + n = p − (p − n − r).
        let missing = P256.FieldElement(reduced: difference.subtracting(r).difference)
        return -missing * zz == point.x
    }
}

// MARK: - With a plain key

extension P256.VerificationEquation {
    /// One signed digit of u and one of v at a time, from the highest place down.
    func holds(for key: P256.AffinePoint) -> Bool {
        let keyMultiples = CachedMultiples(of: key)
        let base = P256.OddMultiples.base

        // Bound: both numbers are below 2²⁵⁵, so every digit has a place below 256.
        let point = withUnsafeTemporaryAllocation(of: DigitRow<UInt16>.self, capacity: 256) { rows in
            rows.initialize(repeating: DigitRow())
            v.magnitude.forEachSignedDigit(width: 5) { digit, place in rows[place].set(digit, lane: 0) }
            u.magnitude.forEachSignedDigit(width: 8) { digit, place in rows[place].set(digit, lane: 1) }

            return base.points.withUnsafeBufferPointer { base in
                var sum = P256.PublicPoint.infinity
                var place = 255
                while place > 0, rows[place].isEmpty { place -= 1 }
                while true {
                    var row = rows[place]
                    while let (digit, lane) = row.next() {
                        sum =
                            lane == 0
                            ? sum.adding(digit, of: keyMultiples, negated: v.isNegative)
                            : sum.adding(digit, of: base, from: 0, negated: u.isNegative)
                    }
                    if place == 0 { return sum }
                    sum = sum.doubled()
                    place -= 1
                }
            }
        }
        return holds(for: point)
    }
}

// MARK: - With a prepared key

extension P256.VerificationEquation {
    /// Eight digits of u and eight of v for each of 31 doublings.
    func holds(for key: P256.OddMultiples) -> Bool {
        let base = P256.OddMultiples.base
        let point = withUnsafeTemporaryAllocation(of: DigitRow<UInt64>.self, capacity: 64) { rows in
            rows.initialize(repeating: DigitRow())
            // Bound: both numbers are below 2²⁵⁵, so every digit has a place below 256.
            u.magnitude.forEachSignedDigit(width: 8) { digit, place in rows[place & 31].set(digit, lane: place >> 5) }
            v.magnitude.forEachSignedDigit(width: P256.OddMultiples.keyWidth) { digit, place in
                rows[32 + place & 31].set(digit, lane: place >> 5)
            }

            return base.points.withUnsafeBufferPointer { base in
                key.points.withUnsafeBufferPointer { key in
                    var sum = P256.PublicPoint.infinity
                    var place = 31
                    while true {
                        var row = rows[32 + place]
                        while let (digit, lane) = row.next() {
                            let start = lane &* P256.OddMultiples.keyRowLength
                            sum = sum.adding(digit, of: key, from: start, negated: v.isNegative)
                        }
                        row = rows[place]
                        while let (digit, lane) = row.next() {
                            sum = sum.adding(digit, of: base, from: lane &* 64, negated: u.isNegative)
                        }
                        if place == 0 { return sum }
                        sum = sum.doubled()
                        place -= 1
                    }
                }
            }
        }
        return holds(for: point)
    }
}

// MARK: - Multiples

/// Q, 3Q, … 15Q, inline, for digits of a width of five bits.
private struct CachedMultiples {
    var points:
        (
            P256.CachedPoint, P256.CachedPoint, P256.CachedPoint, P256.CachedPoint, P256.CachedPoint, P256.CachedPoint,
            P256.CachedPoint, P256.CachedPoint
        )

    init(of point: P256.AffinePoint) {
        let one = P256.PublicPoint(point)
        let double = one.doubled().cached
        let three = double.adding(point)
        let five = three.adding(double)
        let seven = five.adding(double)
        let nine = seven.adding(double)
        let eleven = nine.adding(double)
        let thirteen = eleven.adding(double)
        let fifteen = thirteen.adding(double)
        points = (
            one.cached, three.cached, five.cached, seven.cached, nine.cached, eleven.cached, thirteen.cached,
            fifteen.cached
        )
    }
}

extension P256.CachedPoint {
    fileprivate func adding(_ point: P256.AffinePoint) -> P256.PublicPoint {
        P256.PublicPoint(x: x, y: y, z: z).adding(point, negated: false)
    }
}

extension P256.PublicPoint {
    @inline(never)
    fileprivate func adding(_ point: P256.CachedPoint) -> P256.PublicPoint { adding(point, negated: false) }

    /// Bound: digit is odd and |digit| ≤ 15.
    @inline(__always)
    fileprivate func adding(
        _ digit: Int, of multiples: borrowing CachedMultiples, negated: Bool
    ) -> P256.PublicPoint {
        withUnsafeBytes(of: multiples.points) { bytes in
            let points = bytes.assumingMemoryBound(to: P256.CachedPoint.self)
            return adding(points[Int(digit.magnitude) >> 1], negated: (digit < 0) != negated)
        }
    }

    /// Bound: digit is odd and |digit| less than twice the length of a row, whose start is within the table.
    @inline(__always)
    fileprivate func adding(
        _ digit: Int, of points: UnsafeBufferPointer<P256.AffinePoint>, from start: Int, negated: Bool
    ) -> P256.PublicPoint {
        adding(points[start &+ Int(digit.magnitude) >> 1], negated: (digit < 0) != negated)
    }
}
