/// Four rows of a long product at once: each step adds a word times the four factors and releases the lowest word,
/// which no later step changes.
///
/// A word of the sum is loaded and stored once for four products, which is the fastest of the shapes that the compiler
/// translates well.
///
/// Bound: with b = 2⁶⁴, four words plus a row plus a word, (b⁴ − 1) + (b − 1)·(b⁴ − 1) + (b − 1) = b⁵ − 1, are the
/// released word and four words again.
struct FourRows {
    private let f0, f1, f2, f3: UInt64
    /// What is carried beyond the words of the sum.
    private(set) var (w0, w1, w2, w3): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    @inline(__always)
    init(_ f0: UInt64, _ f1: UInt64, _ f2: UInt64, _ f3: UInt64) {
        (self.f0, self.f1, self.f2, self.f3) = (f0, f1, f2, f3)
    }

    /// The products come first and their halves are added in two chains, because multiplications spoil the carry that
    /// the processor hands from one addition to the next.
    @inline(__always)
    mutating func add(_ x: UInt64, _ addend: UInt64) -> UInt64 {
        let (p0, p1) = (UInt128.product(x, f0), UInt128.product(x, f1))
        let (p2, p3) = (UInt128.product(x, f2), UInt128.product(x, f3))
        var t = UInt128.sum(w0, p0.low)
        let s0 = t.low
        t = .sum(w1, p1.low, t.high)
        let s1 = t.low
        t = .sum(w2, p2.low, t.high)
        let s2 = t.low
        t = .sum(w3, p3.low, t.high)
        let s3 = t.low
        let s4 = p3.high &+ t.high

        t = .sum(s0, addend)
        let released = t.low
        t = .sum(s1, p0.high, t.high)
        w0 = t.low
        t = .sum(s2, p1.high, t.high)
        w1 = t.low
        t = .sum(s3, p2.high, t.high)
        w2 = t.low
        w3 = s4 &+ t.high
        return released
    }

    /// Bound: so many words are readable from `x`, and writable from `sum` on.
    @inline(__always)
    mutating func add(_ x: UnsafePointer<UInt64>, to sum: UnsafeMutablePointer<UInt64>, _ count: Int) {
        var index = 0
        while index < count {
            sum[index] = add(x[index], sum[index])
            index &+= 1
        }
    }

    /// The factors by which multiples of the modulus make the four lowest words of a sum zero, with the products of the
    /// four lowest words of the modulus added up already.
    @inline(__always)
    init(clearing sum: UnsafePointer<UInt64>, modulus n: UnsafePointer<UInt64>, inverse: UInt64) {
        f0 = sum[0] &* inverse
        var t = UInt128.product(f0, n[0], sum[0])
        t = .product(f0, n[1], sum[1], t.high)
        let s1 = t.low
        t = .product(f0, n[2], sum[2], t.high)
        var s2 = t.low
        t = .product(f0, n[3], sum[3], t.high)
        var (s3, s4) = (t.low, t.high)

        f1 = s1 &* inverse
        t = .product(f1, n[0], s1)
        t = .product(f1, n[1], s2, t.high)
        s2 = t.low
        t = .product(f1, n[2], s3, t.high)
        s3 = t.low
        t = .product(f1, n[3], s4, t.high)
        s4 = t.low
        var s5 = t.high

        f2 = s2 &* inverse
        t = .product(f2, n[0], s2)
        t = .product(f2, n[1], s3, t.high)
        s3 = t.low
        t = .product(f2, n[2], s4, t.high)
        s4 = t.low
        t = .product(f2, n[3], s5, t.high)
        s5 = t.low
        let s6 = t.high

        f3 = s3 &* inverse
        t = .product(f3, n[0], s3)
        t = .product(f3, n[1], s4, t.high)
        w0 = t.low
        t = .product(f3, n[2], s5, t.high)
        w1 = t.low
        t = .product(f3, n[3], s6, t.high)
        (w2, w3) = (t.low, t.high)
    }
}

/// The square of four words, in eight.
@inline(__always)
func blockSquare(_ x0: UInt64, _ x1: UInt64, _ x2: UInt64, _ x3: UInt64)
    -> (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
{
    // The products of different words, once.
    var t = UInt128.product(x0, x1)
    let c1 = t.low
    t = .product(x0, x2, t.high)
    let c2 = t.low
    t = .product(x0, x3, t.high)
    var (c3, c4) = (t.low, t.high)
    t = .product(x1, x2, c3)
    c3 = t.low
    t = .product(x1, x3, c4, t.high)
    c4 = t.low
    t = .product(x2, x3, t.high)
    let (c5, c6) = (t.low, t.high)

    // Twice that, and the squares of the words.
    var square = UInt128.product(x0, x0)
    let s0 = square.low
    t = .sum(c1 &<< 1, square.high)
    let s1 = t.low
    square = .product(x1, x1)
    t = .sum(c2 &<< 1 | c1 &>> 63, square.low, t.high)
    let s2 = t.low
    t = .sum(c3 &<< 1 | c2 &>> 63, square.high, t.high)
    let s3 = t.low
    square = .product(x2, x2)
    t = .sum(c4 &<< 1 | c3 &>> 63, square.low, t.high)
    let s4 = t.low
    t = .sum(c5 &<< 1 | c4 &>> 63, square.high, t.high)
    let s5 = t.low
    square = .product(x3, x3)
    t = .sum(c6 &<< 1 | c5 &>> 63, square.low, t.high)
    let s6 = t.low
    t = .sum(c6 &>> 63, square.high, t.high)
    return (s0, s1, s2, s3, s4, s5, s6, t.low)
}
