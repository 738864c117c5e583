/// An odd number below 2²⁵⁶ modulo which others are inverted.
protocol InversionModulus {
    static var signed62: Signed62 { get }
    /// One over the number, modulo 2⁶².
    static var inverse62: Int64 { get }
}

/// Inversion by division steps, as `FieldElement.inverted()` explains it, for any modulus below 2²⁵⁶.
enum ModularInversion<Modulus: InversionModulus> {
    /// 1/x in constant time, and 0 for 0.
    ///
    /// Bound: x is below the modulus.
    @inline(__always)
    static func inverse(of x: FourWords) -> FourWords {
        var state = InversionState<Modulus>(of: x)
        var counter: Int64 = -1
        for _ in 0..<10 { state.apply(.secret60(counter: &counter, state.f.v0, state.g.v0)) }
        return state.result
    }

    /// 1/x, and 0 for 0, in a time that depends on x: for public values only.
    ///
    /// Bound: x is below the modulus.
    @inline(__always)
    static func publicInverse(of x: FourWords) -> FourWords {
        var state = InversionState<Modulus>(of: x)
        var counter: Int64 = -1
        while !state.g.isZero { state.apply(.public62(counter: &counter, state.f.v0, state.g.v0)) }
        return state.result
    }
}

private struct InversionState<Modulus: InversionModulus> {
    var f = Modulus.signed62
    var g: Signed62
    var d = Signed62(0, 0, 0, 0, 0)
    var e = Signed62(1, 0, 0, 0, 0)

    @inline(__always)
    init(of x: FourWords) {
        g = Signed62(x)
    }

    @inline(__always)
    mutating func apply(_ steps: StepMatrix) {
        (f, g) = (.quotient(steps.u, f, steps.v, g), .quotient(steps.q, f, steps.r, g))
        (d, e) = (reducedQuotient(steps.u, d, steps.v, e), reducedQuotient(steps.q, d, steps.r, e))
    }

    /// (u·x + v·y + m·M) / 2⁶² for the modulus M, with the m that leaves no remainder.
    ///
    /// Bound: for x and y in (−2M, M) the result is in (−2M, M). Adding M to what is negative bounds x and y by (−M,
    /// M), hence their combination by ±2⁶²·M; then m is chosen in (−2⁶², 0], which takes away less than M.
    @inline(__always)
    private func reducedQuotient(_ u: Int64, _ x: Signed62, _ v: Int64, _ y: Signed62) -> Signed62 {
        let modulus = Modulus.signed62
        var m = (u & (x.v4 &>> 63)) &+ (v & (y.v4 &>> 63))
        var c = Signed62.product(u, x.v0) &+ Signed62.product(v, y.v0)
        m &-= (Modulus.inverse62 &* Int64(truncatingIfNeeded: c) &+ m) & Signed62.mask
        c &+= Signed62.product(m, modulus.v0)
        c = (c &>> 62) &+ Signed62.product(u, x.v1) &+ Signed62.product(v, y.v1) &+ Signed62.product(m, modulus.v1)
        let r0 = c.low62
        c = (c &>> 62) &+ Signed62.product(u, x.v2) &+ Signed62.product(v, y.v2) &+ Signed62.product(m, modulus.v2)
        let r1 = c.low62
        c = (c &>> 62) &+ Signed62.product(u, x.v3) &+ Signed62.product(v, y.v3) &+ Signed62.product(m, modulus.v3)
        let r2 = c.low62
        c = (c &>> 62) &+ Signed62.product(u, x.v4) &+ Signed62.product(v, y.v4) &+ Signed62.product(m, modulus.v4)
        return Signed62(r0, r1, r2, c.low62, Int64(truncatingIfNeeded: c &>> 62))
    }

    /// d where f ended as 1, −d where it ended as −1, from (−2M, M) into [0, M).
    ///
    /// Bound: adding M to what is negative gives (−M, M), which negation keeps; adding it once more gives [0, M).
    @inline(__always)
    var result: FourWords { raised(raised(d).negated(where: f.v4 &>> 63)).words }

    /// The number plus the modulus where it is negative.
    @inline(__always)
    private func raised(_ x: Signed62) -> Signed62 {
        let (modulus, mask) = (Modulus.signed62, x.v4 &>> 63)
        return Signed62(
            x.v0 &+ (modulus.v0 & mask), x.v1 &+ (modulus.v1 & mask), x.v2 &+ (modulus.v2 & mask),
            x.v3 &+ (modulus.v3 & mask), x.v4 &+ (modulus.v4 & mask)
        ).carried
    }
}
