extension P256 {
    /// What one signature states of a public key Q: that r is the x coordinate of [u]G + [v]Q modulo n, with u = e/s
    /// and v = r/s (FIPS 186-5, 6.4.2).
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
        if (P256.PublicElement(P256.FieldElement(reduced: r)) * zz - point.x).isZero { return true }
        // p − n.
        let difference = FourWords(0x0c46_353d_039c_daae, 0x4319_0553_58e8_617b, 0, 0)
        guard r.subtracting(difference).negative != 0 else { return false }
        // r + n = p − (p − n − r).
        let missing = P256.FieldElement(reduced: difference.subtracting(r).difference)
        return (P256.PublicElement(missing) * zz + point.x).isZero
    }
}

// MARK: - With a plain key

extension P256.VerificationEquation {
    /// One signed digit of u and one of v at a time, from the highest place down.
    func holds(for key: P256.AffinePoint) -> Bool {
        let keyMultiples = SmallMultiples(of: key)
        let base = P256.OddMultiples.wideBase

        // Bound: both numbers are below 2²⁵⁵, so every digit has a place below 256.
        let point = withUnsafeTemporaryAllocation(of: DigitPair.self, capacity: 256) { pairs in
            pairs.initialize(repeating: DigitPair())
            v.magnitude.forEachSignedDigit(width: 5) { pairs[$1].key = Int16(truncatingIfNeeded: $0) }
            u.magnitude.forEachSignedDigit(width: 10) { pairs[$1].base = Int16(truncatingIfNeeded: $0) }

            return base.points.withUnsafeBufferPointer { base in
                var sum = P256.PublicPoint.infinity
                var place = 255
                while place > 0, pairs[place].isEmpty { place -= 1 }
                while true {
                    let (key, generator) = (Int(pairs[place].key), Int(pairs[place].base))
                    if key != 0 { sum = sum.adding(key, of: keyMultiples, negated: v.isNegative) }
                    if generator != 0 { sum = sum.adding(generator, of: base, from: 0, negated: u.isNegative) }
                    if place == 0 { return sum }
                    sum = sum.doubled()
                    place -= 1
                }
            }
        }
        return holds(for: point)
    }
}

/// The digits of v and u at one place; zero is none.
private struct DigitPair: BitwiseCopyable {
    var (key, base): (Int16, Int16) = (0, 0)

    var isEmpty: Bool { key | base == 0 }
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
private struct SmallMultiples {
    var points:
        (
            P256.AffinePoint, P256.AffinePoint, P256.AffinePoint, P256.AffinePoint, P256.AffinePoint, P256.AffinePoint,
            P256.AffinePoint, P256.AffinePoint
        )

    init(of point: P256.AffinePoint) {
        var ladder = OddLadder(from: point)
        let (three, five, seven, nine) = (ladder.next(), ladder.next(), ladder.next(), ladder.next())
        let (eleven, thirteen, fifteen) = (ladder.next(), ladder.next(), ladder.next())

        // Each Z is the one before times a factor that is known, so one inversion serves all of them.
        var inverse = ladder.z.inverted()
        let (p15, p13) = (fifteen.affine(&inverse), thirteen.affine(&inverse))
        let (p11, p9) = (eleven.affine(&inverse), nine.affine(&inverse))
        let (p7, p5, p3) = (seven.affine(&inverse), five.affine(&inverse), three.affine(&inverse))
        points = (point, p3, p5, p7, p9, p11, p13, p15)
    }
}

/// Odd multiples of a point, each by adding 2Q with the same Z to the one before (Meloni, "New Point Addition Formulae
/// for ECC Applications", 2007), in half the time of other additions.
///
/// A sum of (X₁, Y₁, Z) and (X₂, Y₂, Z) has the Z of both times X₁ − X₂, and to bring the first of them to that Z as
/// well takes nothing more.
private struct OddLadder {
    /// 2Q and the multiple that came last, both over Z.
    private var doubleX, doubleY, x, y: P256.PublicElement
    var z: P256.PublicElement

    init(from point: P256.AffinePoint) {
        let double = P256.PublicPoint(point).doubled()
        // Z = 2y, and Q over it.
        let zz = double.z.squared()
        (doubleX, doubleY, z) = (double.x, double.y, double.z)
        (x, y) = (P256.PublicElement(point.x) * zz, P256.PublicElement(point.y) * (zz * double.z))
    }

    /// Bound: 2Q and the multiple before are neither equal nor opposite, since n is a large prime.
    mutating func next() -> Step {
        let factor = doubleX - x
        let square = factor.squared()
        z = z * factor
        let newDoubleX = doubleX * square
        let otherX = x * square
        let difference = doubleY - y
        let scaledY = doubleY * (newDoubleX - otherX)
        x = difference.squared() - newDoubleX - otherX
        y = difference * (newDoubleX - x) - scaledY
        (doubleX, doubleY) = (newDoubleX, scaledY)
        return Step(x: x, y: y, factor: factor)
    }

    /// A multiple without its Z, which is that of the step before times a factor.
    struct Step {
        let x, y, factor: P256.PublicElement

        /// The point, by 1/Z, which becomes that of the step before.
        func affine(_ inverse: inout P256.PublicElement) -> P256.AffinePoint {
            let square = inverse.squared()
            let cube = square * inverse
            inverse = inverse * factor
            return P256.AffinePoint(x: (x * square).canonical, y: (y * cube).canonical)
        }
    }
}

extension P256.PublicPoint {
    /// Bound: digit is odd and |digit| ≤ 15.
    @inline(__always)
    fileprivate func adding(
        _ digit: Int, of multiples: borrowing SmallMultiples, negated: Bool
    ) -> P256.PublicPoint {
        withUnsafeBytes(of: multiples.points) { bytes in
            let points = bytes.assumingMemoryBound(to: P256.AffinePoint.self)
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
