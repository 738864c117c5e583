/// An integer modulo L = 2²⁵² + 27742317777372353535851937790883648493, the order of the base point.
///
/// Bound: the words, read as one little-endian number, are below L. All arithmetic is in constant time.
struct Scalar: Equatable, Sendable {
    let words: FourWords

    /// L.
    static var order: FourWords {
        FourWords(0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0x0000_0000_0000_0000, 0x1000_0000_0000_0000)
    }

    /// Takes a number that is below L already, nil otherwise: the check on the S of a signature (RFC 8032, 5.1.7).
    init?(canonical words: FourWords) {
        guard words.subtracting(Scalar.order).negative != 0 else { return nil }
        self.words = words
    }

    /// Reduces what SHA-512 yields, read as 64 little-endian bytes.
    init(reducing digest: ChainingWords<UInt64>) {
        self.init(
            reducing: FourWords(
                digest.h0.byteSwapped, digest.h1.byteSwapped, digest.h2.byteSwapped, digest.h3.byteSwapped),
            FourWords(digest.h4.byteSwapped, digest.h5.byteSwapped, digest.h6.byteSwapped, digest.h7.byteSwapped))
    }

    /// x·y + z modulo L, for any 256-bit numbers.
    init(product x: FourWords, _ y: FourWords, plus z: FourWords = .zero) {
        // Bound: (2²⁵⁶ − 1)² + 2²⁵⁶ − 1 < 2⁵¹².
        var rows = RowSum(multiplicand: (y.w0, y.w1, y.w2, y.w3, 0))
        let low = FourWords(rows.add(x.w0, z.w0), rows.add(x.w1, z.w1), rows.add(x.w2, z.w2), rows.add(x.w3, z.w3))
        self.init(reducing: low, FourWords(rows.w0, rows.w1, rows.w2, rows.w3))
    }

    /// Barrett's reduction (Handbook of Applied Cryptography, 14.42) of x = low + 2²⁵⁶·high, in base b = 2⁶⁴.
    ///
    /// With μ = ⌊b⁸/L⌋, the estimate q = ⌊⌊x/b³⌋·μ/b⁵⌋ is the quotient or one less: before the last rounding it falls
    /// short of x/L by less than b³/L + (b⁸/L − μ) < 2⁻⁵⁹ + 0.225. So x − q·L is below 2L < b⁴, the words below b⁴
    /// suffice to compute it, and one masked subtraction finishes.
    init(reducing low: FourWords, _ high: FourWords) {
        var estimate = RowSum(
            multiplicand: (
                0xed9c_e5a3_0a2c_131b, 0x2106_215d_0863_29a7, 0xffff_ffff_ffff_ffeb, 0xffff_ffff_ffff_ffff, 0x0f
            ))
        _ = estimate.add(low.w3)
        _ = estimate.add(high.w0)
        _ = estimate.add(high.w1)
        _ = estimate.add(high.w2)
        _ = estimate.add(high.w3)

        let order = Scalar.order
        var multiple = RowSum(multiplicand: (order.w0, order.w1, order.w2, order.w3, 0))
        let product = FourWords(
            multiple.add(estimate.w0), multiple.add(estimate.w1), multiple.add(estimate.w2), multiple.add(estimate.w3))

        let rest = low.subtracting(product).difference
        let reduced = rest.subtracting(order)
        words = reduced.difference.replaced(by: rest, where: reduced.negative)
    }
}

/// A long product, row by row: each row adds a word times the multiplicand and releases the lowest word, which no later
/// row changes.
///
/// Bound: five words plus a row plus a word, (b⁵ − 1) + (b − 1)·(b⁵ − 1) + (b − 1) = b⁶ − 1, are the released word and
/// five words again.
private struct RowSum {
    let multiplicand: (UInt64, UInt64, UInt64, UInt64, UInt64)
    private(set) var (w0, w1, w2, w3, w4): (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)

    init(multiplicand: (UInt64, UInt64, UInt64, UInt64, UInt64)) {
        self.multiplicand = multiplicand
    }

    @inline(__always)
    mutating func add(_ x: UInt64, _ addend: UInt64 = 0) -> UInt64 {
        var t = UInt128.product(x, multiplicand.0, w0, addend)
        let released = t.low
        t = .product(x, multiplicand.1, w1, t.high)
        w0 = t.low
        t = .product(x, multiplicand.2, w2, t.high)
        w1 = t.low
        t = .product(x, multiplicand.3, w3, t.high)
        w2 = t.low
        t = .product(x, multiplicand.4, w4, t.high)
        w3 = t.low
        w4 = t.high
        return released
    }
}
