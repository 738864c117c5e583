/// An element of the field of p = 2²⁵⁵ − 19 elements, in four words of 64 bits.
///
/// Bound: the words, read as one little-endian number, are at most 2p = 2²⁵⁶ − 38. Every operation accepts that range
/// and returns into it, so that no caller counts carries; only `canonical` is below p. Four words are returned in
/// registers, which makes a product that is called as cheap as one that is inlined, and the module quick to compile.
///
/// Nothing here branches on a value or uses one as an index.
struct FieldElement: Sendable {
    var s0, s1, s2, s3: UInt64

    @inline(__always)
    init(_ s0: UInt64, _ s1: UInt64, _ s2: UInt64, _ s3: UInt64) {
        (self.s0, self.s1, self.s2, self.s3) = (s0, s1, s2, s3)
    }

    static var zero: FieldElement { FieldElement(0, 0, 0, 0) }
    static var one: FieldElement { FieldElement(1, 0, 0, 0) }
}

// MARK: - Reduction

extension FieldElement {
    /// Folds s + k·2²⁵⁶ at bit 255, where 2²⁵⁵ ≡ 19.
    ///
    /// Bound: for k ≤ 2⁵⁵ the result is below 2²⁵⁵ + 19·(2k + 2), which leaves no carry.
    @inline(__always)
    fileprivate init(folding s0: UInt64, _ s1: UInt64, _ s2: UInt64, _ s3: UInt64, carry k: UInt64) {
        let top = k &<< 1 | s3 &>> 63
        var t = UInt128.sum(s0, top &* 19)
        self.s0 = t.low
        t = .sum(s1, t.high)
        self.s1 = t.low
        t = .sum(s2, t.high)
        self.s2 = t.low
        self.s3 = (s3 & 0x7fff_ffff_ffff_ffff) &+ t.high
    }

    /// Folds eight words at bit 256, where 2²⁵⁶ ≡ 38, and the carry of at most 38 at bit 255.
    @inline(__always)
    fileprivate init(
        folding r0: UInt64, _ r1: UInt64, _ r2: UInt64, _ r3: UInt64, _ r4: UInt64, _ r5: UInt64, _ r6: UInt64,
        _ r7: UInt64
    ) {
        var t = UInt128.product(r4, 38, r0)
        let s0 = t.low
        t = .product(r5, 38, r1, t.high)
        let s1 = t.low
        t = .product(r6, 38, r2, t.high)
        let s2 = t.low
        t = .product(r7, 38, r3, t.high)
        self.init(folding: s0, s1, s2, t.low, carry: t.high)
    }

    /// The same element below p: what is encoded, compared, and asked for its parity.
    var canonical: FieldElement {
        // s < 2²⁵⁵ + 19 < 2p, so s ≥ p exactly if s + 19 reaches bit 255, and then s − p = s + 19 − 2²⁵⁵.
        let s = FieldElement(folding: s0, s1, s2, s3, carry: 0)
        var t = UInt128.sum(s.s0, 19)
        let u0 = t.low
        t = .sum(s.s1, t.high)
        let u1 = t.low
        t = .sum(s.s2, t.high)
        let u2 = t.low
        let u3 = s.s3 &+ t.high
        let reduced = FieldElement(u0, u1, u2, u3 & 0x7fff_ffff_ffff_ffff)
        return s.replaced(by: reduced, where: 0 &- (u3 &>> 63))
    }
}

// MARK: - Ring operations

extension FieldElement {
    @inline(__always)
    static func + (x: FieldElement, y: FieldElement) -> FieldElement {
        var t = UInt128.sum(x.s0, y.s0)
        let s0 = t.low
        t = .sum(x.s1, y.s1, t.high)
        let s1 = t.low
        t = .sum(x.s2, y.s2, t.high)
        let s2 = t.low
        t = .sum(x.s3, y.s3, t.high)
        return FieldElement(folding: s0, s1, s2, t.low, carry: t.high)
    }

    /// x − y as the complement of y − x − 1, since sums of complements carry where differences would borrow.
    ///
    /// With s and its carry k the sum of y and the complement of x: y − x − 1 = s − (1 − k)·2²⁵⁶, and the complement of
    /// s + 38·k is x − y + k·2p.
    /// Bound: with k = 0, x − y ≥ 0. With k = 1, s = y − x − 1 < 2p, so adding 38 does not carry, and 2p + x − y < 2p.
    @inline(__always)
    static func - (x: FieldElement, y: FieldElement) -> FieldElement {
        var t = UInt128.sum(~x.s0, y.s0)
        let s0 = t.low
        t = .sum(~x.s1, y.s1, t.high)
        let s1 = t.low
        t = .sum(~x.s2, y.s2, t.high)
        let s2 = t.low
        t = .sum(~x.s3, y.s3, t.high)
        let s3 = t.low

        t = .sum(s0, (0 &- t.high) & 38)
        let u0 = t.low
        t = .sum(s1, t.high)
        let u1 = t.low
        t = .sum(s2, t.high)
        return FieldElement(~u0, ~u1, ~t.low, ~(s3 &+ t.high))
    }

    @inline(__always)
    static prefix func - (x: FieldElement) -> FieldElement { x.negated(where: .max) }

    /// −x where the mask is all ones, `self` where it is zero: 2p − x = 2²⁵⁶ − 38 − x is the complement of x + 37.
    ///
    /// Bound: x + 37 ≤ 2p + 37 < 2²⁵⁶.
    @inline(__always)
    func negated(where mask: UInt64) -> FieldElement {
        var t = UInt128.sum(s0, 37 & mask)
        let u0 = t.low
        t = .sum(s1, t.high)
        let u1 = t.low
        t = .sum(s2, t.high)
        return FieldElement(u0 ^ mask, u1 ^ mask, t.low ^ mask, (s3 &+ t.high) ^ mask)
    }

    @inline(never)
    static func * (x: FieldElement, y: FieldElement) -> FieldElement { product(x, y) }

    /// The schoolbook product, a row for each word of `x`, folded; inlined, for the one loop that gains by it.
    @inline(__always)
    static func product(_ x: FieldElement, _ y: FieldElement) -> FieldElement {
        var t = UInt128.product(x.s0, y.s0)
        let r0 = t.low
        t = .product(x.s0, y.s1, t.high)
        var r1 = t.low
        t = .product(x.s0, y.s2, t.high)
        var r2 = t.low
        t = .product(x.s0, y.s3, t.high)
        var (r3, r4) = (t.low, t.high)

        t = .product(x.s1, y.s0, r1)
        r1 = t.low
        t = .product(x.s1, y.s1, r2, t.high)
        r2 = t.low
        t = .product(x.s1, y.s2, r3, t.high)
        r3 = t.low
        t = .product(x.s1, y.s3, r4, t.high)
        r4 = t.low
        var r5 = t.high

        t = .product(x.s2, y.s0, r2)
        r2 = t.low
        t = .product(x.s2, y.s1, r3, t.high)
        r3 = t.low
        t = .product(x.s2, y.s2, r4, t.high)
        r4 = t.low
        t = .product(x.s2, y.s3, r5, t.high)
        r5 = t.low
        var r6 = t.high

        t = .product(x.s3, y.s0, r3)
        r3 = t.low
        t = .product(x.s3, y.s1, r4, t.high)
        r4 = t.low
        t = .product(x.s3, y.s2, r5, t.high)
        r5 = t.low
        t = .product(x.s3, y.s3, r6, t.high)
        r6 = t.low
        return FieldElement(folding: r0, r1, r2, r3, r4, r5, r6, t.high)
    }

    /// x²: six products off the diagonal, doubled by a shift, and four on it; a fifth faster than `x * x`.
    @inline(never)
    func squared() -> FieldElement {
        var t = UInt128.product(s0, s1)
        var r1 = t.low
        t = .product(s0, s2, t.high)
        var r2 = t.low
        t = .product(s0, s3, t.high)
        var (r3, r4) = (t.low, t.high)
        t = .product(s1, s2, r3)
        r3 = t.low
        t = .product(s1, s3, r4, t.high)
        r4 = t.low
        t = .product(s2, s3, t.high)
        var (r5, r6) = (t.low, t.high)

        var r7 = r6 &>> 63
        r6 = r6 &<< 1 | r5 &>> 63
        r5 = r5 &<< 1 | r4 &>> 63
        r4 = r4 &<< 1 | r3 &>> 63
        r3 = r3 &<< 1 | r2 &>> 63
        r2 = r2 &<< 1 | r1 &>> 63
        r1 = r1 &<< 1

        let (d0, d1, d2, d3) = (
            UInt128.product(s0, s0), UInt128.product(s1, s1), UInt128.product(s2, s2), UInt128.product(s3, s3)
        )
        t = .sum(r1, d0.high)
        r1 = t.low
        t = .sum(r2, d1.low, t.high)
        r2 = t.low
        t = .sum(r3, d1.high, t.high)
        r3 = t.low
        t = .sum(r4, d2.low, t.high)
        r4 = t.low
        t = .sum(r5, d2.high, t.high)
        r5 = t.low
        t = .sum(r6, d3.low, t.high)
        r6 = t.low
        r7 = r7 &+ d3.high &+ t.high
        return FieldElement(folding: d0.low, r1, r2, r3, r4, r5, r6, r7)
    }

    /// x raised to 2ⁿ.
    func squared(times n: Int) -> FieldElement {
        var x = self
        for _ in 0..<n { x = x.squared() }
        return x
    }
}

// MARK: - Selection and comparison

extension FieldElement {
    /// `other` where the mask is all ones, `self` where it is zero.
    @inline(__always)
    func replaced(by other: FieldElement, where mask: UInt64) -> FieldElement {
        FieldElement(
            s0 ^ (mask & (s0 ^ other.s0)), s1 ^ (mask & (s1 ^ other.s1)), s2 ^ (mask & (s2 ^ other.s2)),
            s3 ^ (mask & (s3 ^ other.s3)))
    }

    var isZero: Bool {
        let x = canonical
        return x.s0 | x.s1 | x.s2 | x.s3 == 0
    }

    /// The parity of the canonical representative: RFC 8032's sign of a coordinate, 0 or 1.
    var parity: UInt64 { canonical.s0 & 1 }

    static func == (x: FieldElement, y: FieldElement) -> Bool { (x - y).isZero }
}
