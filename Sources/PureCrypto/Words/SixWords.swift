/// The words of P-384.
struct SixWords: FixedWords {
    var w0, w1, w2, w3, w4, w5: UInt64

    @inline(__always)
    init(
        _ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, _ w4: UInt64, _ w5: UInt64
    ) {
        (self.w0, self.w1, self.w2, self.w3, self.w4, self.w5) = (w0, w1, w2, w3, w4, w5)
    }

    static var zero: SixWords { SixWords(0, 0, 0, 0, 0, 0) }
    static var count: Int { 6 }

    @inline(__always)
    func adding(_ other: SixWords) -> (sum: SixWords, carry: UInt64) {
        var t = UInt128.sum(w0, other.w0)
        let s0 = t.low
        t = .sum(w1, other.w1, t.high)
        let s1 = t.low
        t = .sum(w2, other.w2, t.high)
        let s2 = t.low
        t = .sum(w3, other.w3, t.high)
        let s3 = t.low
        t = .sum(w4, other.w4, t.high)
        let s4 = t.low
        t = .sum(w5, other.w5, t.high)
        return (SixWords(s0, s1, s2, s3, s4, t.low), t.high)
    }

    @inline(__always)
    func subtracting(_ other: SixWords) -> (difference: SixWords, negative: UInt64) {
        var t = UInt128.sum(w0, ~other.w0, 1)
        let d0 = t.low
        t = .sum(w1, ~other.w1, t.high)
        let d1 = t.low
        t = .sum(w2, ~other.w2, t.high)
        let d2 = t.low
        t = .sum(w3, ~other.w3, t.high)
        let d3 = t.low
        t = .sum(w4, ~other.w4, t.high)
        let d4 = t.low
        t = .sum(w5, ~other.w5, t.high)
        return (SixWords(d0, d1, d2, d3, d4, t.low), t.high &- 1)
    }

    @inline(__always)
    func replaced(by other: SixWords, where mask: UInt64) -> SixWords {
        SixWords(
            w0 ^ (mask & (w0 ^ other.w0)), w1 ^ (mask & (w1 ^ other.w1)), w2 ^ (mask & (w2 ^ other.w2)),
            w3 ^ (mask & (w3 ^ other.w3)), w4 ^ (mask & (w4 ^ other.w4)), w5 ^ (mask & (w5 ^ other.w5)))
    }

    var isZeroMask: UInt64 {
        let any = w0 | w1 | w2 | w3 | w4 | w5
        return ((any | (0 &- any)) &>> 63) &- 1
    }
}

// MARK: - Products

extension SixWords {
    @inline(__always)
    func product(_ x: SixWords) -> (low: SixWords, high: SixWords) {
        var rows = ThreeRows(w0, w1, w2)
        let r0 = rows.add(x.w0)
        let r1 = rows.add(x.w1)
        let r2 = rows.add(x.w2)
        var r3 = rows.add(x.w3)
        var r4 = rows.add(x.w4)
        var r5 = rows.add(x.w5)
        var (r6, r7, r8) = (rows.w0, rows.w1, rows.w2)

        rows = ThreeRows(w3, w4, w5)
        r3 = rows.add(x.w0, r3)
        r4 = rows.add(x.w1, r4)
        r5 = rows.add(x.w2, r5)
        r6 = rows.add(x.w3, r6)
        r7 = rows.add(x.w4, r7)
        r8 = rows.add(x.w5, r8)

        return (
            SixWords(r0, r1, r2, r3, r4, r5),
            SixWords(r6, r7, r8, rows.w0, rows.w1, rows.w2)
        )
    }

    @inline(__always)
    static func montgomeryReduction(
        of product: (low: SixWords, high: SixWords), modulo n: SixWords, inverse: UInt64
    ) -> (words: SixWords, carry: UInt64) {
        let (low, high) = product
        var rows = ThreeRows(clearing: low.w0, low.w1, low.w2, n.w0, n.w1, n.w2, inverse)
        let r3 = rows.add(n.w3, low.w3)
        let r4 = rows.add(n.w4, low.w4)
        let r5 = rows.add(n.w5, low.w5)
        var t = UInt128.sum(rows.w0, high.w0)
        var r6 = t.low
        t = .sum(rows.w1, high.w1, t.high)
        var r7 = t.low
        t = .sum(rows.w2, high.w2, t.high)
        var r8 = t.low

        rows = ThreeRows(clearing: r3, r4, r5, n.w0, n.w1, n.w2, inverse)
        r6 = rows.add(n.w3, r6)
        r7 = rows.add(n.w4, r7)
        r8 = rows.add(n.w5, r8)
        t = .sum(rows.w0, high.w3, t.high)
        let r9 = t.low
        t = .sum(rows.w1, high.w4, t.high)
        let r10 = t.low
        t = .sum(rows.w2, high.w5, t.high)
        return (SixWords(r6, r7, r8, r9, r10, t.low), t.high)
    }
}
