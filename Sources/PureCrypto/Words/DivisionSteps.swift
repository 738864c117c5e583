/// 2⁶² times the effect of a run of steps: (f, g) becomes (u·f + v·g, q·f + r·g) / 2⁶².
///
/// Bound: |u| + |v| ≤ 2⁶², |q| + |r| ≤ 2⁶².
struct StepMatrix {
    var u, v, q, r: Int64

    /// 60 steps, each the same work: every choice is a mask.
    ///
    /// The matrix is multiplied by 2² to make up for the two steps that are left out.
    @inline(__always)
    static func secret60(counter: inout Int64, _ f0: Int64, _ g0: Int64) -> StepMatrix {
        var (f, g) = (f0, g0)
        let first = secret30(counter: &counter, &f, &g)
        let second = secret30(counter: &counter, &f, &g)
        return StepMatrix(
            u: (second.u &* first.u &+ second.v &* first.q) &<< 2,
            v: (second.u &* first.v &+ second.v &* first.r) &<< 2,
            q: (second.q &* first.u &+ second.r &* first.q) &<< 2,
            r: (second.q &* first.v &+ second.r &* first.r) &<< 2)
    }

    /// 30 steps, as many as let both entries of a row share a word, which saves a quarter of the work.
    ///
    /// The word is first·2³² + second. A row is only added to, negated and doubled, and a sum does not mind what its
    /// parts are later taken for.
    /// Bound: |u| + |v| ≤ 2³⁰, and so with q and r; hence the second entry is the lower half, read with its sign.
    @inline(__always)
    private static func secret30(counter: inout Int64, _ f: inout Int64, _ g: inout Int64) -> StepMatrix {
        var (uv, qr): (Int64, Int64) = (1 &<< 32, 1)
        for _ in 0..<30 {
            let sign = counter &>> 63
            let odd = 0 &- (g & 1)
            let exchange = sign & odd
            let (gBefore, qrBefore) = (g, qr)
            g &+= ((f ^ sign) &- sign) & odd
            qr &+= ((uv ^ sign) &- sign) & odd
            // Where f is exchanged, f + (g − f) is what g was, and known sooner than the sum.
            f ^= (f ^ gBefore) & exchange
            uv ^= (uv ^ qrBefore) & exchange
            counter = (counter ^ exchange) &- 1
            g = g &>> 1
            uv = uv &<< 1
        }
        let (v, r) = (Int64(Int32(truncatingIfNeeded: uv)), Int64(Int32(truncatingIfNeeded: qr)))
        return StepMatrix(u: (uv &- v) &>> 32, v: v, q: (qr &- r) &>> 32, r: r)
    }

    /// 62 steps, runs of halvings at once, and up to six bits of g cancelled by one multiple of f.
    @inline(__always)
    static func public62(counter: inout Int64, _ f0: Int64, _ g0: Int64) -> StepMatrix {
        var (u, v, q, r): (Int64, Int64, Int64, Int64) = (1, 0, 0, 1)
        var (f, g) = (f0, g0)
        var left: Int64 = 62
        while true {
            let halvings = Int64(truncatingIfNeeded: (g | (-1 &<< left)).trailingZeroBitCount)
            g = g &>> halvings
            u = u &<< halvings
            v = v &<< halvings
            counter &-= halvings
            left &-= halvings
            if left == 0 { return StepMatrix(u: u, v: v, q: q, r: r) }

            // For odd f, f·(f² − 2) is −1/f modulo 2⁶, since (f² − 1)² is 0 modulo 2⁶; and f + 8·[f is 3 or 5 mod 8] is
            // 1/f modulo 2⁴.
            let multiple: Int64
            if counter < 0 {
                counter = 0 &- counter
                (f, g) = (g, 0 &- f)
                (u, q) = (q, 0 &- u)
                (v, r) = (r, 0 &- v)
                let mask = Int64(bitPattern: UInt64.max &>> UInt64(bitPattern: 64 &- min(counter &+ 1, left))) & 63
                multiple = (f &* g &* (f &* f &- 2)) & mask
            } else {
                let mask = Int64(bitPattern: UInt64.max &>> UInt64(bitPattern: 64 &- min(counter &+ 1, left))) & 15
                multiple = (0 &- (f &+ (((f &+ 1) & 4) &<< 1)) &* g) & mask
            }
            g &+= f &* multiple
            q &+= u &* multiple
            r &+= v &* multiple
        }
    }
}

/// v0 + v1·2⁶² + v2·2¹²⁴ + v3·2¹⁸⁶ + v4·2²⁴⁸.
///
/// Bound: v0…v3 are in 0 ..< 2⁶²; v4 carries the sign and is small.
struct Signed62: BitwiseCopyable, Sendable {
    var v0, v1, v2, v3, v4: Int64

    @inline(__always)
    init(_ v0: Int64, _ v1: Int64, _ v2: Int64, _ v3: Int64, _ v4: Int64) {
        (self.v0, self.v1, self.v2, self.v3, self.v4) = (v0, v1, v2, v3, v4)
    }

    static var mask: Int64 { 0x3fff_ffff_ffff_ffff }

    var isZero: Bool { v0 | v1 | v2 | v3 | v4 == 0 }

    @inline(__always)
    init(_ words: FourWords) {
        v0 = Int64(bitPattern: words.w0) & Signed62.mask
        v1 = Int64(bitPattern: words.w0 &>> 62 | words.w1 &<< 2) & Signed62.mask
        v2 = Int64(bitPattern: words.w1 &>> 60 | words.w2 &<< 4) & Signed62.mask
        v3 = Int64(bitPattern: words.w2 &>> 58 | words.w3 &<< 6) & Signed62.mask
        v4 = Int64(bitPattern: words.w3 &>> 56)
    }

    /// The number itself, where it is from 0 to 2²⁵⁶ − 1.
    var words: FourWords {
        let (w0, w1, w2) = (UInt64(bitPattern: v0), UInt64(bitPattern: v1), UInt64(bitPattern: v2))
        let (w3, w4) = (UInt64(bitPattern: v3), UInt64(bitPattern: v4))
        return FourWords(w0 | w1 &<< 62, w1 &>> 2 | w2 &<< 60, w2 &>> 4 | w3 &<< 58, w3 &>> 6 | w4 &<< 56)
    }

    /// (u·x + v·y) / 2⁶², which leaves no remainder for f and g.
    ///
    /// Bound: |u| + |v| ≤ 2⁶², so a sum of two products stays within 2¹²⁴ and the result no larger than the larger of x
    /// and y.
    @inline(__always)
    static func quotient(_ u: Int64, _ x: Signed62, _ v: Int64, _ y: Signed62) -> Signed62 {
        var c = product(u, x.v0) &+ product(v, y.v0)
        c = (c &>> 62) &+ product(u, x.v1) &+ product(v, y.v1)
        let r0 = c.low62
        c = (c &>> 62) &+ product(u, x.v2) &+ product(v, y.v2)
        let r1 = c.low62
        c = (c &>> 62) &+ product(u, x.v3) &+ product(v, y.v3)
        let r2 = c.low62
        c = (c &>> 62) &+ product(u, x.v4) &+ product(v, y.v4)
        return Signed62(r0, r1, r2, c.low62, Int64(truncatingIfNeeded: c &>> 62))
    }

    @inline(__always)
    func negated(where mask: Int64) -> Signed62 {
        Signed62(
            (v0 ^ mask) &- mask, (v1 ^ mask) &- mask, (v2 ^ mask) &- mask, (v3 ^ mask) &- mask, (v4 ^ mask) &- mask
        ).carried
    }

    var carried: Signed62 {
        let c1 = v1 &+ (v0 &>> 62)
        let c2 = v2 &+ (c1 &>> 62)
        let c3 = v3 &+ (c2 &>> 62)
        return Signed62(
            v0 & Signed62.mask, c1 & Signed62.mask, c2 & Signed62.mask, c3 & Signed62.mask, v4 &+ (c3 &>> 62))
    }

    @inline(__always)
    static func product(_ x: Int64, _ y: Int64) -> Int128 { Int128(x) &* Int128(y) }
}

extension Int128 {
    @inline(__always)
    var low62: Int64 { Int64(truncatingIfNeeded: self) & 0x3fff_ffff_ffff_ffff }
}
