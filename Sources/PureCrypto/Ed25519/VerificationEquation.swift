/// The equation [S]B = R + [k]A of RFC 8032, 5.1.7, with k = SHA-512(R ‖ A ‖ message), as one signature states it.
///
/// The rule is the strict one among those in use: S < L, R and A in their canonical encodings and not of small order,
/// and the equation without the cofactor. A point with a component of small order beside its large one is accepted if
/// the equation holds exactly. Everything here is public, so branches and indices may depend on it.
struct VerificationEquation {
    private let s: Scalar
    private let r: FourWords
    private let k: Scalar

    init(s: Scalar, r: FourWords, k: Scalar) {
        (self.s, self.r, self.k) = (s, r, k)
    }

    /// Reads a signature, or nil where its length is not 64 bytes or its S is not below L.
    init?(signature: Span<UInt8>, message: Span<UInt8>, key: FourWords) {
        guard signature.count == 64, let s = Scalar(canonical: FourWords(signature, at: 32)) else { return nil }
        var hash = SHA512()
        hash.update(data: signature.extracting(first: 32))
        key.withSpan { hash.update(data: $0) }
        hash.update(data: message)
        self.init(s: s, r: FourWords(signature), k: Scalar(reducing: hash.finalizedWords()))
    }
}

// MARK: - With a plain key

extension VerificationEquation {
    /// Multiplied by the odd v of `HalvedScalar` the equation is [v·S]B − [v]R − [±u]A = 0, with u and v of 128 bits,
    /// and v·S modulo L in two halves: 128 doublings instead of 253.
    func holds(for key: EdwardsPoint) -> Bool {
        guard let r = try? EdwardsPoint(decoding: r), !r.hasSmallOrder else { return false }
        let halved = HalvedScalar(k)
        let multiplier = FourWords(halved.multiplier.low, halved.multiplier.high, 0, 0)
        let scaled = Scalar(product: multiplier, s.words)

        let keyMultiples = CachedMultiples(of: halved.isNegative ? key : -key)
        let rMultiples = CachedMultiples(of: -r)
        let base = OddMultiples.base

        // Bound: all three numbers are below L < 2²⁵³, so every digit has a place below 256. These are 1024 bytes, the
        // most that is taken from the stack without asking.
        return withUnsafeTemporaryAllocation(of: DigitRow<UInt32>.self, capacity: 256) { rows in
            rows.initialize(repeating: DigitRow())
            halved.remainder.forEachSignedDigit(width: 5) { digit, place in rows[place].set(digit, lane: 0) }
            multiplier.forEachSignedDigit(width: 5) { digit, place in rows[place].set(digit, lane: 1) }
            // Row 4 of the table is that of 2¹²⁸.
            scaled.words.forEachSignedDigit(width: 8) { digit, place in
                rows[place & 127].set(digit, lane: place < 128 ? 2 : 3)
            }

            return base.points.withUnsafeBufferPointer { base in
                var sum = ProjectivePoint.identity
                var place = 255
                while place > 0, rows[place].isEmpty { place -= 1 }
                while true {
                    var completed = sum.doubled()
                    var row = rows[place]
                    while let (digit, lane) = row.next() {
                        let point = completed.extended
                        switch lane {
                        case 0: completed = point.adding(digit, of: keyMultiples)
                        case 1: completed = point.adding(digit, of: rMultiples)
                        default: completed = point.adding(digit, of: base, from: (lane - 2) * 256)
                        }
                    }
                    if place == 0 { return completed.extended.isIdentity }
                    sum = completed.projective
                    place -= 1
                }
            }
        }
    }
}

// MARK: - With a prepared key

extension VerificationEquation {
    /// Eight digits of S and eight of k for each of 32 doublings; then [S]B − [k]A is compared with R as encodings are,
    /// y and the sign of x.
    func holds(for key: OddMultiples) -> Bool {
        let y = FieldElement(r.w0, r.w1, r.w2, r.w3 & 0x7fff_ffff_ffff_ffff)
        guard y.isCanonical else { return false }

        let base = OddMultiples.base
        let point = withUnsafeTemporaryAllocation(of: DigitRow<UInt64>.self, capacity: 64) { rows in
            rows.initialize(repeating: DigitRow())
            // Bound: S and k are below 2²⁵³, so every digit has a place below 256.
            s.words.forEachSignedDigit(width: 8) { digit, place in rows[place & 31].set(digit, lane: place >> 5) }
            k.words.forEachSignedDigit(width: 5) { digit, place in rows[32 + place & 31].set(-digit, lane: place >> 5) }

            return base.points.withUnsafeBufferPointer { base in
                key.points.withUnsafeBufferPointer { key in
                    var sum = ProjectivePoint.identity
                    var place = 31
                    while true {
                        var completed = sum.doubled()
                        var row = rows[32 + place]
                        while let (digit, lane) = row.next() {
                            completed = completed.extended.adding(digit, of: key, from: lane * 8)
                        }
                        row = rows[place]
                        while let (digit, lane) = row.next() {
                            completed = completed.extended.adding(digit, of: base, from: lane * 64)
                        }
                        if place == 0 { return completed.extended }
                        sum = completed.projective
                        place -= 1
                    }
                }
            }
        }
        return point.y == y * point.z && (point.x * point.z.publiclyInverted()).parity == r.w3 >> 63
            && !point.hasSmallOrder
    }
}

// MARK: - Multiples

/// P, 3P, … 15P, inline, for digits of a width of five bits.
private struct CachedMultiples {
    var points: (CachedPoint, CachedPoint, CachedPoint, CachedPoint, CachedPoint, CachedPoint, CachedPoint, CachedPoint)

    init(of point: EdwardsPoint) {
        let double = point.doubled().cached
        let three = (point + double).extended
        let five = (three + double).extended
        let seven = (five + double).extended
        let nine = (seven + double).extended
        let eleven = (nine + double).extended
        let thirteen = (eleven + double).extended
        let fifteen = (thirteen + double).extended
        points = (
            point.cached, three.cached, five.cached, seven.cached, nine.cached, eleven.cached, thirteen.cached,
            fifteen.cached
        )
    }
}

extension EdwardsPoint {
    /// Bound: digit is odd and |digit| ≤ 15.
    @inline(__always)
    fileprivate func adding(_ digit: Int, of multiples: borrowing CachedMultiples) -> CompletedPoint {
        withUnsafeBytes(of: multiples.points) { bytes in
            let points = bytes.assumingMemoryBound(to: CachedPoint.self)
            return digit > 0 ? self + points[digit >> 1] : self - points[-digit >> 1]
        }
    }

    /// Bound: digit is odd and |digit| less than twice the length of a row, whose start is within the table.
    @inline(__always)
    fileprivate func adding(_ digit: Int, of points: UnsafeBufferPointer<AffinePoint>, from start: Int)
        -> CompletedPoint
    {
        digit > 0 ? self + points[start &+ digit >> 1] : self - points[start &+ -digit >> 1]
    }
}
