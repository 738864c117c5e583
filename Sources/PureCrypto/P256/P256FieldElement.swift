extension P256 {
    /// An element x of the field of p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1 elements, kept as x·2²⁵⁶ modulo p (Montgomery's
    /// form) in four words of 64 bits.
    ///
    /// Bound: the words, read as one little-endian number, are below p. Every operation wants and keeps that, so each
    /// element has one form and is compared word by word.
    ///
    /// Nothing here branches on a value or uses one as an index.
    struct FieldElement: Equatable, Sendable, BitwiseCopyable {
        var words: FourWords

        @inline(__always)
        init(montgomery words: FourWords) { self.words = words }

        @inline(__always)
        init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) { words = FourWords(w0, w1, w2, w3) }

        static var zero: FieldElement { FieldElement(0, 0, 0, 0) }

        /// 2²⁵⁶ − p.
        static var one: FieldElement { FieldElement(1, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xffff_fffe) }

        /// p.
        static var modulus: FourWords {
            FourWords(0xffff_ffff_ffff_ffff, 0xffff_ffff, 0, 0xffff_ffff_0000_0001)
        }
    }
}

// MARK: - Numbers

extension P256.FieldElement {
    /// The element that a number is, or nil where the number is not below p; for public numbers.
    init?(canonical number: FourWords) {
        guard number.subtracting(P256.FieldElement.modulus).negative != 0 else { return nil }
        self.init(reduced: number)
    }

    /// The element that a number below p is.
    init(reduced number: FourWords) {
        // 2⁵¹² modulo p.
        let square = P256.FieldElement(3, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd)
        self = P256.FieldElement(montgomery: number) * square
    }

    /// The number below p that the element is.
    var number: FourWords {
        P256.FieldElement.reduce(EightWords(low: words, high: .zero)).words
    }
}

// MARK: - Reduction

extension P256.FieldElement {
    /// Montgomery's reduction: t/2²⁵⁶ modulo p, for eight words t.
    ///
    /// Bound: for t < p·2²⁵⁶ the upper half is below p, and what the lower half is reduced to is at most p.
    @inline(__always)
    private static func reduce(_ t: EightWords) -> P256.FieldElement {
        // high + low as high − (p − low): a sum from which p is subtracted or not takes more instructions.
        let missing = modulus.subtracting(quotient(t.low)).difference
        return P256.FieldElement(montgomery: t.high) - P256.FieldElement(montgomery: missing)
    }

    /// t/2²⁵⁶ modulo p for four words t, and p at most.
    ///
    /// The lowest word of p is 2⁶⁴ − 1, so the multiple of p that clears the lowest word m of t is m·p, and what it
    /// adds to the words above is m·(p + 1)/2⁶⁴ = m·2³² + m·(2⁶⁴ − 2³² + 1)·2¹²⁸.
    @inline(__always)
    static func quotient(_ t: FourWords) -> FourWords {
        let (a0, a1, a2, a3) = step(t.w0, t.w1, t.w2, t.w3)
        let (b0, b1, b2, b3) = step(a0, a1, a2, a3)
        let (c0, c1, c2, c3) = step(b0, b1, b2, b3)
        let (d0, d1, d2, d3) = step(c0, c1, c2, c3)
        return FourWords(d0, d1, d2, d3)
    }

    /// One word less: (t + m·p)/2⁶⁴ for four words t and m = t0.
    ///
    /// Bound: (2²⁵⁶ − 1 + (2⁶⁴ − 1)·p)/2⁶⁴ < 2²⁵⁶ leaves no carry.
    @inline(__always)
    private static func step(
        _ m: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        let top = UInt128.product(m, 0xffff_ffff_0000_0001)
        var t = UInt128.sum(t1, m &<< 32)
        let s0 = t.low
        t = .sum(t2, m &>> 32, t.high)
        let s1 = t.low
        t = .sum(t3, top.low, t.high)
        return (s0, s1, t.low, top.high &+ t.high)
    }
}

// MARK: - Ring operations

extension P256.FieldElement {
    /// x + (y − p), and p added to it where it is negative.
    @inline(__always)
    static func + (x: Self, y: Self) -> Self {
        let (x, y) = (x.words, y.words)
        // y − p modulo 2²⁵⁶; the sum with x carries exactly where it is not negative.
        var t = UInt128.sum(y.w0, 1)
        let f0 = t.low
        t = .sum(y.w1, 0xffff_ffff_0000_0000, t.high)
        let f1 = t.low
        t = .sum(y.w2, 0xffff_ffff_ffff_ffff, t.high)
        let f2 = t.low
        let f3 = y.w3 &+ 0x0000_0000_ffff_fffe &+ t.high

        t = .sum(x.w0, f0)
        let d0 = t.low
        t = .sum(x.w1, f1, t.high)
        let d1 = t.low
        t = .sum(x.w2, f2, t.high)
        let d2 = t.low
        t = .sum(x.w3, f3, t.high)
        return Self(raising: FourWords(d0, d1, d2, t.low), where: t.high &- 1)
    }

    /// The difference, and p added to it where it is negative.
    ///
    /// Bound: y may be p itself.
    @inline(__always)
    static func - (x: Self, y: Self) -> Self {
        let (difference, negative) = x.words.subtracting(y.words)
        return Self(raising: difference, where: negative)
    }

    /// The words plus p where the mask is all ones, the words where it is zero.
    @inline(__always)
    private init(raising words: FourWords, where mask: UInt64) {
        self.words = words.adding(Self.modulus, where: mask).words
    }

    @inline(__always)
    static prefix func - (x: Self) -> Self { .zero - x }

    @inline(never)
    static func * (x: Self, y: Self) -> Self { reduce(product(x.words, y.words)) }

    /// x·y − z·w, with one reduction for both.
    ///
    /// Bound: both products are below p², so their difference, raised by p·2²⁵⁶ where it is negative, is below p·2²⁵⁶.
    @inline(never)
    static func difference(_ x: Self, _ y: Self, minus z: Self, _ w: Self) -> Self {
        let (low, high, negative) = product(x.words, y.words).subtracting(product(z.words, w.words))
        return reduce(EightWords(low: low, high: Self(raising: high, where: negative).words))
    }

    /// The schoolbook product, a row for each word of `x`.
    @inline(__always)
    static func product(_ x: FourWords, _ y: FourWords) -> EightWords {
        var t = UInt128.product(x.w0, y.w0)
        let r0 = t.low
        t = .product(x.w0, y.w1, t.high)
        var r1 = t.low
        t = .product(x.w0, y.w2, t.high)
        var r2 = t.low
        t = .product(x.w0, y.w3, t.high)
        var (r3, r4) = (t.low, t.high)

        t = .product(x.w1, y.w0, r1)
        r1 = t.low
        t = .product(x.w1, y.w1, r2, t.high)
        r2 = t.low
        t = .product(x.w1, y.w2, r3, t.high)
        r3 = t.low
        t = .product(x.w1, y.w3, r4, t.high)
        r4 = t.low
        var r5 = t.high

        t = .product(x.w2, y.w0, r2)
        r2 = t.low
        t = .product(x.w2, y.w1, r3, t.high)
        r3 = t.low
        t = .product(x.w2, y.w2, r4, t.high)
        r4 = t.low
        t = .product(x.w2, y.w3, r5, t.high)
        r5 = t.low
        var r6 = t.high

        t = .product(x.w3, y.w0, r3)
        r3 = t.low
        t = .product(x.w3, y.w1, r4, t.high)
        r4 = t.low
        t = .product(x.w3, y.w2, r5, t.high)
        r5 = t.low
        t = .product(x.w3, y.w3, r6, t.high)
        r6 = t.low
        return EightWords(low: FourWords(r0, r1, r2, r3), high: FourWords(r4, r5, r6, t.high))
    }

    @inline(never)
    func squared() -> Self { Self.reduce(Self.square(words)) }

    /// x²: six products off the diagonal, doubled by a shift, and four on it.
    @inline(__always)
    static func square(_ x: FourWords) -> EightWords {
        var t = UInt128.product(x.w0, x.w1)
        var r1 = t.low
        t = .product(x.w0, x.w2, t.high)
        var r2 = t.low
        t = .product(x.w0, x.w3, t.high)
        var (r3, r4) = (t.low, t.high)
        t = .product(x.w1, x.w2, r3)
        r3 = t.low
        t = .product(x.w1, x.w3, r4, t.high)
        r4 = t.low
        t = .product(x.w2, x.w3, t.high)
        var (r5, r6) = (t.low, t.high)

        var r7 = r6 &>> 63
        r6 = r6 &<< 1 | r5 &>> 63
        r5 = r5 &<< 1 | r4 &>> 63
        r4 = r4 &<< 1 | r3 &>> 63
        r3 = r3 &<< 1 | r2 &>> 63
        r2 = r2 &<< 1 | r1 &>> 63
        r1 = r1 &<< 1

        let (d0, d1) = (UInt128.product(x.w0, x.w0), UInt128.product(x.w1, x.w1))
        let (d2, d3) = (UInt128.product(x.w2, x.w2), UInt128.product(x.w3, x.w3))
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
        return EightWords(low: FourWords(d0.low, r1, r2, r3), high: FourWords(r4, r5, r6, r7))
    }

    /// x raised to 2ⁿ.
    func squared(times n: Int) -> Self {
        var x = self
        for _ in 0..<n { x = x.squared() }
        return x
    }

    /// `other` where the mask is all ones, `self` where it is zero.
    @inline(__always)
    func replaced(by other: Self, where mask: UInt64) -> Self {
        Self(montgomery: words.replaced(by: other.words, where: mask))
    }
}
