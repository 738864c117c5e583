/// Inversion by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular inversion", 2019),
/// half the time of an exponentiation with p − 2.
///
/// A step halves g, after adding f to it if it is odd, and after exchanging the two if a counter says so; f stays odd
/// and gcd(f, g) the same. Beginning with f = p and g = x, g becomes 0 and f becomes ±1. The steps depend only on the
/// lowest bits, so up to 62 of them are done in words and gathered in a matrix, which then is applied to f and g and,
/// modulo p, to d and e, where d·x ≡ f and e·x ≡ g always hold.
///
/// In the constant-time form the counter is −(δ + ½) of a δ that begins at one half, as Pieter Wuille proposed. His
/// convex-hull computation shows that no input needs more than 590 steps for a modulus below 2²⁵⁶.
extension FieldElement {
    /// 1/x in constant time, and 0 for 0.
    func inverted() -> FieldElement {
        var inversion = Inversion(of: self)
        var counter: Int64 = -1
        for _ in 0..<10 { inversion.apply(.secret60(counter: &counter, inversion.f.v0, inversion.g.v0)) }
        return inversion.result
    }

    /// 1/x, and 0 for 0, in a time that depends on x: for public values only.
    func publiclyInverted() -> FieldElement {
        var inversion = Inversion(of: self)
        var counter: Int64 = -1
        while !inversion.g.isZero { inversion.apply(.public62(counter: &counter, inversion.f.v0, inversion.g.v0)) }
        return inversion.result
    }
}

private struct Inversion {
    var f = Signed62.p
    var g: Signed62
    var d = Signed62(0, 0, 0, 0, 0)
    var e = Signed62(1, 0, 0, 0, 0)

    init(of x: FieldElement) {
        let x = x.canonical
        g = Signed62(FourWords(x.s0, x.s1, x.s2, x.s3))
    }

    @inline(__always)
    mutating func apply(_ steps: StepMatrix) {
        (f, g) = (.quotient(steps.u, f, steps.v, g), .quotient(steps.q, f, steps.r, g))
        (d, e) = (.quotientModP(steps.u, d, steps.v, e), .quotientModP(steps.q, d, steps.r, e))
    }

    /// d where f ended as 1, −d where it ended as −1.
    var result: FieldElement { d.fieldElement(negatedWhere: f.v4 &>> 63) }
}

extension Signed62 {
    fileprivate static var p: Signed62 { Signed62(mask &- 18, mask, mask, mask, 127) }
    /// 1/p modulo 2⁶².
    private static var inverseOfP: Int64 { 0x3943_5e50_d794_35e5 }

    /// (u·x + v·y + m·p) / 2⁶² with the m that leaves no remainder.
    ///
    /// Bound: for x and y in (−2p, p) the result is in (−2p, p). Adding p to what is negative bounds x and y by (−p,
    /// p), hence their combination by ±2⁶²·p; then m is chosen in (−2⁶², 0], which takes away less than p.
    @inline(__always)
    fileprivate static func quotientModP(_ u: Int64, _ x: Signed62, _ v: Int64, _ y: Signed62) -> Signed62 {
        var m = (u & (x.v4 &>> 63)) &+ (v & (y.v4 &>> 63))
        var c = product(u, x.v0) &+ product(v, y.v0)
        m &-= (inverseOfP &* Int64(truncatingIfNeeded: c) &+ m) & mask
        c &-= product(m, 19)
        c = (c &>> 62) &+ product(u, x.v1) &+ product(v, y.v1)
        let r0 = c.low62
        c = (c &>> 62) &+ product(u, x.v2) &+ product(v, y.v2)
        let r1 = c.low62
        c = (c &>> 62) &+ product(u, x.v3) &+ product(v, y.v3)
        let r2 = c.low62
        c = (c &>> 62) &+ product(u, x.v4) &+ product(v, y.v4) &+ (Int128(m) &<< 7)
        return Signed62(r0, r1, r2, c.low62, Int64(truncatingIfNeeded: c &>> 62))
    }

    /// Itself, or its negative where the mask is all ones, modulo p.
    ///
    /// Bound: from (−2p, p) by way of (−p, p) into (0, 2p).
    fileprivate func fieldElement(negatedWhere sign: Int64) -> FieldElement {
        adding(p: v4 &>> 63).negated(where: sign).adding(p: -1).element
    }

    @inline(__always)
    private func adding(p mask: Int64) -> Signed62 {
        Signed62(v0 &- (19 & mask), v1, v2, v3, v4 &+ (128 & mask)).carried
    }

    private var element: FieldElement {
        let words = words
        return FieldElement(words.w0, words.w1, words.w2, words.w3)
    }
}
