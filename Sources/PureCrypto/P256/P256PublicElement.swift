extension P256 {
    /// An element of the field of which nothing is secret, in Montgomery's form as `FieldElement` has it.
    ///
    /// Bound: none, so an element below 2²⁵⁶ − p has two forms. What is kept below 2²⁵⁶ instead of p is brought there
    /// by the carry alone, which saves a tenth of a product; where one correction is not enough, which happens to one
    /// in 2³² numbers unless they are chosen for it, a branch makes the second.
    struct PublicElement: Sendable, BitwiseCopyable {
        var words: FourWords

        @inline(__always)
        init(montgomery words: FourWords) { self.words = words }

        @inline(__always)
        init(_ element: FieldElement) { words = element.words }

        static var zero: PublicElement { PublicElement(.zero) }
        static var one: PublicElement { PublicElement(.one) }
    }
}

extension P256.PublicElement {
    /// The element in its one form below p.
    var canonical: P256.FieldElement {
        let rest = words.subtracting(P256.FieldElement.modulus)
        return P256.FieldElement(montgomery: rest.difference.replaced(by: words, where: rest.negative))
    }

    /// Whether this is 0 or p.
    @inline(__always)
    var isZero: Bool {
        // Both have a lowest word of zeros or ones, which is all that has to be seen of most.
        if words.w0 &+ 1 > 1 { return false }
        return words == .zero || words == P256.FieldElement.modulus
    }

    /// 1/x, and 0 for 0.
    func inverted() -> Self { Self(canonical.publiclyInverted()) }
}

// MARK: - Ring operations

extension P256.PublicElement {
    @inline(__always)
    static func + (x: Self, y: Self) -> Self {
        let (words, excess) = x.words.adding(y.words, where: .max)
        let (sum, carry) = lowered(words, where: 0 &- excess)
        // Bound: less than 2·(2²⁵⁶ − p) is left where it still was too large, so that this is the last correction.
        return Self(montgomery: carry == 0 ? sum : lowered(sum, where: .max).words)
    }

    @inline(__always)
    static func - (x: Self, y: Self) -> Self {
        let (difference, negative) = x.words.subtracting(y.words)
        return Self(raising: difference, where: negative)
    }

    @inline(__always)
    static prefix func - (x: Self) -> Self { .zero - x }

    @inline(never)
    static func * (x: Self, y: Self) -> Self { reduce(P256.FieldElement.product(x.words, y.words)) }

    @inline(never)
    func squared() -> Self { Self.reduce(P256.FieldElement.square(words)) }

    /// x·y − z·w, with one reduction for both.
    @inline(never)
    static func difference(_ x: Self, _ y: Self, minus z: Self, _ w: Self) -> Self {
        let product = P256.FieldElement.product(x.words, y.words)
        let (low, high, negative) = product.subtracting(P256.FieldElement.product(z.words, w.words))
        return reduce(EightWords(low: low, high: Self(raising: high, where: negative).words))
    }

    /// Montgomery's reduction t/2²⁵⁶ of eight words; each step takes in one more of the upper half.
    ///
    /// Bound: the upper half is below 2²⁵⁶ and what the lower becomes at most p, so where their sum carries, less than
    /// p is left, and 2²⁵⁶ − p can be added without another carry.
    @inline(__always)
    private static func reduce(_ t: EightWords) -> Self {
        let (low, high) = (t.low, t.high)
        let a = step(low, high.w0, carry: 0)
        let b = step(a.words, high.w1, carry: a.carry)
        let c = step(b.words, high.w2, carry: b.carry)
        let d = step(c.words, high.w3, carry: c.carry)
        return Self(montgomery: lowered(d.words, where: 0 &- d.carry).words)
    }

    /// One word less, as `FieldElement` explains it, of five words and a carry that is due above them.
    @inline(__always)
    private static func step(
        _ t: FourWords, _ t4: UInt64, carry: UInt64
    ) -> (words: FourWords, carry: UInt64) {
        let top = UInt128.product(t.w0, 0xffff_ffff_0000_0001)
        var s = UInt128.sum(t.w1, t.w0 &<< 32)
        let s0 = s.low
        s = .sum(t.w2, t.w0 &>> 32, s.high)
        let s1 = s.low
        s = .sum(t.w3, top.low, s.high)
        let s2 = s.low
        // Bound: the upper half of the product is below 2⁶⁴ − 2³².
        s = .sum(t4, top.high &+ carry, s.high)
        return (FourWords(s0, s1, s2, s.low), s.high)
    }

    /// x/2: x or x + p, whichever is even, shifted.
    @inline(__always)
    func halved() -> Self {
        let (sum, carry) = words.adding(P256.FieldElement.modulus, where: 0 &- (words.w0 & 1))
        return Self(
            montgomery: FourWords(
                sum.w0 &>> 1 | sum.w1 &<< 63, sum.w1 &>> 1 | sum.w2 &<< 63, sum.w2 &>> 1 | sum.w3 &<< 63,
                sum.w3 &>> 1 | carry &<< 63))
    }

    /// The words minus p modulo 2²⁵⁶ where the mask is all ones, the words where it is zero; and whether 2²⁵⁶ − p,
    /// added instead, carried.
    @inline(__always)
    private static func lowered(_ words: FourWords, where mask: UInt64) -> (words: FourWords, carry: UInt64) {
        var t = UInt128.sum(words.w0, mask & 1)
        let s0 = t.low
        t = .sum(words.w1, mask &<< 32, t.high)
        let s1 = t.low
        t = .sum(words.w2, mask, t.high)
        let s2 = t.low
        t = .sum(words.w3, mask &>> 32 &- (mask & 1), t.high)
        return (FourWords(s0, s1, s2, t.low), t.high)
    }

    /// The words plus p where the mask is all ones, plus 2·p where that is still negative, the words where it is zero.
    ///
    /// Bound: the words minus 2²⁵⁶ are more than −2·p.
    @inline(__always)
    private init(raising words: FourWords, where mask: UInt64) {
        var (sum, carry) = words.adding(P256.FieldElement.modulus, where: mask)
        if mask &+ carry != 0 { (sum, carry) = sum.adding(P256.FieldElement.modulus, where: .max) }
        self.words = sum
    }
}
