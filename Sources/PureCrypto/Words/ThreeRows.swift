/// Three rows of a long product at once: each step adds a word times the three factors and releases the lowest word,
/// which no later step changes.
///
/// Bound: with b = 2⁶⁴, three words plus a row plus a word, (b³ − 1) + (b − 1)·(b³ − 1) + (b − 1) = b⁴ − 1, are the
/// released word and three words again.
struct ThreeRows {
    private let f0, f1, f2: UInt64
    /// What is carried beyond the words of the sum.
    private(set) var (w0, w1, w2): (UInt64, UInt64, UInt64) = (0, 0, 0)

    @inline(__always)
    init(_ f0: UInt64, _ f1: UInt64, _ f2: UInt64) {
        (self.f0, self.f1, self.f2) = (f0, f1, f2)
    }

    @inline(__always)
    mutating func add(_ x: UInt64, _ addend: UInt64 = 0) -> UInt64 {
        var t = UInt128.product(x, f0, w0, addend)
        let released = t.low
        t = .product(x, f1, w1, t.high)
        w0 = t.low
        t = .product(x, f2, w2, t.high)
        (w1, w2) = (t.low, t.high)
        return released
    }

    /// The factors by which multiples of a modulus make the three lowest words of a sum zero, with the products of the
    /// three lowest words of the modulus added up already.
    @inline(__always)
    init(
        clearing s0: UInt64, _ s1: UInt64, _ s2: UInt64, _ n0: UInt64, _ n1: UInt64, _ n2: UInt64, _ inverse: UInt64
    ) {
        f0 = s0 &* inverse
        var t = UInt128.product(f0, n0, s0)
        t = .product(f0, n1, s1, t.high)
        let s1 = t.low
        t = .product(f0, n2, s2, t.high)
        var (s2, s3) = (t.low, t.high)

        f1 = s1 &* inverse
        t = .product(f1, n0, s1)
        t = .product(f1, n1, s2, t.high)
        s2 = t.low
        t = .product(f1, n2, s3, t.high)
        s3 = t.low
        let s4 = t.high

        f2 = s2 &* inverse
        t = .product(f2, n0, s2)
        t = .product(f2, n1, s3, t.high)
        w0 = t.low
        t = .product(f2, n2, s4, t.high)
        (w1, w2) = (t.low, t.high)
    }
}
