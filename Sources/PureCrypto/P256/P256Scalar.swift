extension P256 {
    /// An integer modulo n, the order of the base point.
    ///
    /// Bound: the words, read as one little-endian number, are below n. All arithmetic is in constant time, except
    /// where the name says `public`.
    struct Scalar: Equatable, Sendable, BitwiseCopyable {
        let words: FourWords

        /// Bound: the number is below n.
        @inline(__always)
        init(reduced words: FourWords) { self.words = words }

        /// n = 2²⁵⁶ − 2²²⁴ + 2¹⁹² − 0x4319055258e8617b0c46353d039cdaaf.
        static var order: FourWords {
            FourWords(0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000)
        }

        /// 2⁵¹² modulo n.
        private static var square: FourWords {
            FourWords(0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620)
        }

        static var zero: Scalar { Scalar(reduced: .zero) }
    }
}

// MARK: - Numbers

extension P256.Scalar {
    /// Takes a number from 1 to n − 1, nil otherwise: the check on r and s of a signature, which are public.
    init?(publicNonZero words: FourWords) {
        let isZero = words.w0 | words.w1 | words.w2 | words.w3 == 0
        guard !isZero, words.subtracting(Self.order).negative != 0 else { return nil }
        self.words = words
    }

    /// All ones where a number is from 1 to n − 1, zero where it is not.
    static func isInRange(_ words: FourWords) -> UInt64 {
        words.subtracting(order).negative & ~words.isZeroMask
    }

    /// The number modulo n, for any 256-bit number: it is less than 2n.
    init(reducing words: FourWords) {
        let rest = words.subtracting(Self.order)
        self.words = rest.difference.replaced(by: words, where: rest.negative)
    }

    /// low + 2²⁵⁶·high modulo n, or 1 where that is zero: from uniformly random numbers, one whose distance from
    /// uniform nobody can measure.
    init(nonZeroReducing low: FourWords, _ high: FourWords) {
        let sum = Self(reducing: low) + Self.reducedProduct(high, Self.square)
        words = FourWords(sum.words.w0 | (sum.words.isZeroMask & 1), sum.words.w1, sum.words.w2, sum.words.w3)
    }
}

// MARK: - Arithmetic

extension P256.Scalar {
    @inline(__always)
    static func + (x: Self, y: Self) -> Self {
        let (x, y) = (x.words, y.words)
        var t = UInt128.sum(x.w0, y.w0)
        let s0 = t.low
        t = .sum(x.w1, y.w1, t.high)
        let s1 = t.low
        t = .sum(x.w2, y.w2, t.high)
        let s2 = t.low
        t = .sum(x.w3, y.w3, t.high)
        return Self(subtractingOnce: FourWords(s0, s1, s2, t.low), carry: t.high)
    }

    static func * (x: Self, y: Self) -> Self {
        reducedProduct(reducedProduct(x.words, square).words, y.words)
    }

    /// n − x where the mask is all ones, x where it is zero.
    ///
    /// Bound: x is not zero.
    func negated(where mask: UInt64) -> Self {
        Self(reduced: words.replaced(by: Self.order.subtracting(words).difference, where: mask))
    }

    /// Montgomery's product x·y/2²⁵⁶ modulo n.
    ///
    /// Bound: x is any 256-bit number and y below n. The sum of the rows stays below 2·2²⁵⁶·n, so the result before the
    /// last subtraction is below 2n.
    @inline(never)
    fileprivate static func reducedProduct(_ x: FourWords, _ y: FourWords) -> Self {
        var rows = RowSum()
        rows.add(x.w0, y)
        rows.add(x.w1, y)
        rows.add(x.w2, y)
        rows.add(x.w3, y)
        return Self(subtractingOnce: FourWords(rows.w0, rows.w1, rows.w2, rows.w3), carry: rows.w4)
    }

    /// The sum s + k·2²⁵⁶, minus n unless that is negative.
    ///
    /// Bound: for a sum below 2n the result is below n.
    @inline(__always)
    private init(subtractingOnce sum: FourWords, carry: UInt64) {
        let rest = sum.subtracting(Self.order)
        words = rest.difference.replaced(by: sum, where: rest.negative & (carry &- 1))
    }
}

/// The sum of Montgomery's rows: each adds a word of one factor times the other, then the multiple of n that makes the
/// lowest word zero, and drops that word.
///
/// Bound: before and after each row the sum is below 2²⁵⁶ + n, so that w4 is at most 1.
private struct RowSum {
    var (w0, w1, w2, w3, w4): (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)

    @inline(__always)
    mutating func add(_ x: UInt64, _ y: FourWords) {
        var t = UInt128.product(x, y.w0, w0)
        w0 = t.low
        t = .product(x, y.w1, w1, t.high)
        w1 = t.low
        t = .product(x, y.w2, w2, t.high)
        w2 = t.low
        t = .product(x, y.w3, w3, t.high)
        w3 = t.low
        t = .sum(w4, t.high)
        let (top, carry) = (t.low, t.high)

        // −1/n modulo 2⁶⁴.
        let m = w0 &* 0xccd1_c8aa_ee00_bc4f
        let order = P256.Scalar.order
        t = .product(m, order.w0, w0)
        t = .product(m, order.w1, w1, t.high)
        w0 = t.low
        t = .product(m, order.w2, w2, t.high)
        w1 = t.low
        t = .product(m, order.w3, w3, t.high)
        w2 = t.low
        t = .sum(top, t.high)
        w3 = t.low
        w4 = carry &+ t.high
    }
}

// MARK: - Inversion

extension P256.Scalar: InversionModulus {
    static var signed62: Signed62 {
        Signed62(0x33b9_cac2_fc63_2551, 0x339b_eab6_9c5e_7a13, 0x3fff_ffff_ffff_fffb, 0x3fff_ffc0_0000_003f, 0xff)
    }

    static var inverse62: Int64 { 0x332e_3755_11ff_43b1 }

    /// 1/x, and 0 for 0, in constant time.
    @inline(never)
    func inverted() -> Self { Self(reduced: ModularInversion<Self>.inverse(of: words)) }

    /// 1/x, and 0 for 0, in a time that depends on x: for public values only.
    @inline(never)
    func publiclyInverted() -> Self { Self(reduced: ModularInversion<Self>.publicInverse(of: words)) }
}
