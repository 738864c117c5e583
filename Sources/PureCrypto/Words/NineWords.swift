/// The words of P-521.
struct NineWords: FixedWords {
    var w0, w1, w2, w3, w4, w5, w6, w7, w8: UInt64

    @inline(__always)
    init(
        _ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, _ w4: UInt64, _ w5: UInt64, _ w6: UInt64,
        _ w7: UInt64, _ w8: UInt64
    ) {
        (self.w0, self.w1, self.w2, self.w3, self.w4, self.w5, self.w6, self.w7, self.w8) = (
            w0, w1, w2, w3, w4, w5, w6, w7, w8
        )
    }

    static var zero: NineWords { NineWords(0, 0, 0, 0, 0, 0, 0, 0, 0) }
    static var count: Int { 9 }

    @inline(__always)
    func adding(_ other: NineWords) -> (sum: NineWords, carry: UInt64) {
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
        let s5 = t.low
        t = .sum(w6, other.w6, t.high)
        let s6 = t.low
        t = .sum(w7, other.w7, t.high)
        let s7 = t.low
        t = .sum(w8, other.w8, t.high)
        return (NineWords(s0, s1, s2, s3, s4, s5, s6, s7, t.low), t.high)
    }

    @inline(__always)
    func subtracting(_ other: NineWords) -> (difference: NineWords, negative: UInt64) {
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
        let d5 = t.low
        t = .sum(w6, ~other.w6, t.high)
        let d6 = t.low
        t = .sum(w7, ~other.w7, t.high)
        let d7 = t.low
        t = .sum(w8, ~other.w8, t.high)
        return (NineWords(d0, d1, d2, d3, d4, d5, d6, d7, t.low), t.high &- 1)
    }

    @inline(__always)
    func replaced(by other: NineWords, where mask: UInt64) -> NineWords {
        NineWords(
            w0 ^ (mask & (w0 ^ other.w0)), w1 ^ (mask & (w1 ^ other.w1)), w2 ^ (mask & (w2 ^ other.w2)),
            w3 ^ (mask & (w3 ^ other.w3)), w4 ^ (mask & (w4 ^ other.w4)), w5 ^ (mask & (w5 ^ other.w5)),
            w6 ^ (mask & (w6 ^ other.w6)), w7 ^ (mask & (w7 ^ other.w7)), w8 ^ (mask & (w8 ^ other.w8)))
    }

    var isZeroMask: UInt64 {
        let any = w0 | w1 | w2 | w3 | w4 | w5 | w6 | w7 | w8
        return ((any | (0 &- any)) &>> 63) &- 1
    }
}

// MARK: - Products

extension NineWords {
    @inline(__always)
    func product(_ x: NineWords) -> (low: NineWords, high: NineWords) {
        var rows = ThreeRows(w0, w1, w2)
        let r0 = rows.add(x.w0)
        let r1 = rows.add(x.w1)
        let r2 = rows.add(x.w2)
        var r3 = rows.add(x.w3)
        var r4 = rows.add(x.w4)
        var r5 = rows.add(x.w5)
        var r6 = rows.add(x.w6)
        var r7 = rows.add(x.w7)
        var r8 = rows.add(x.w8)
        var (r9, r10, r11) = (rows.w0, rows.w1, rows.w2)

        rows = ThreeRows(w3, w4, w5)
        r3 = rows.add(x.w0, r3)
        r4 = rows.add(x.w1, r4)
        r5 = rows.add(x.w2, r5)
        r6 = rows.add(x.w3, r6)
        r7 = rows.add(x.w4, r7)
        r8 = rows.add(x.w5, r8)
        r9 = rows.add(x.w6, r9)
        r10 = rows.add(x.w7, r10)
        r11 = rows.add(x.w8, r11)
        var (r12, r13, r14) = (rows.w0, rows.w1, rows.w2)

        rows = ThreeRows(w6, w7, w8)
        r6 = rows.add(x.w0, r6)
        r7 = rows.add(x.w1, r7)
        r8 = rows.add(x.w2, r8)
        r9 = rows.add(x.w3, r9)
        r10 = rows.add(x.w4, r10)
        r11 = rows.add(x.w5, r11)
        r12 = rows.add(x.w6, r12)
        r13 = rows.add(x.w7, r13)
        r14 = rows.add(x.w8, r14)

        return (
            NineWords(r0, r1, r2, r3, r4, r5, r6, r7, r8),
            NineWords(r9, r10, r11, r12, r13, r14, rows.w0, rows.w1, rows.w2)
        )
    }

    @inline(__always)
    static func montgomeryReduction(
        of product: (low: NineWords, high: NineWords), modulo n: NineWords, inverse: UInt64
    ) -> (words: NineWords, carry: UInt64) {
        let (low, high) = product
        var rows = ThreeRows(clearing: low.w0, low.w1, low.w2, n.w0, n.w1, n.w2, inverse)
        let r3 = rows.add(n.w3, low.w3)
        let r4 = rows.add(n.w4, low.w4)
        let r5 = rows.add(n.w5, low.w5)
        var r6 = rows.add(n.w6, low.w6)
        var r7 = rows.add(n.w7, low.w7)
        var r8 = rows.add(n.w8, low.w8)
        var t = UInt128.sum(rows.w0, high.w0)
        var r9 = t.low
        t = .sum(rows.w1, high.w1, t.high)
        var r10 = t.low
        t = .sum(rows.w2, high.w2, t.high)
        var r11 = t.low

        rows = ThreeRows(clearing: r3, r4, r5, n.w0, n.w1, n.w2, inverse)
        r6 = rows.add(n.w3, r6)
        r7 = rows.add(n.w4, r7)
        r8 = rows.add(n.w5, r8)
        r9 = rows.add(n.w6, r9)
        r10 = rows.add(n.w7, r10)
        r11 = rows.add(n.w8, r11)
        t = .sum(rows.w0, high.w3, t.high)
        var r12 = t.low
        t = .sum(rows.w1, high.w4, t.high)
        var r13 = t.low
        t = .sum(rows.w2, high.w5, t.high)
        var r14 = t.low

        rows = ThreeRows(clearing: r6, r7, r8, n.w0, n.w1, n.w2, inverse)
        r9 = rows.add(n.w3, r9)
        r10 = rows.add(n.w4, r10)
        r11 = rows.add(n.w5, r11)
        r12 = rows.add(n.w6, r12)
        r13 = rows.add(n.w7, r13)
        r14 = rows.add(n.w8, r14)
        t = .sum(rows.w0, high.w6, t.high)
        let r15 = t.low
        t = .sum(rows.w1, high.w7, t.high)
        let r16 = t.low
        t = .sum(rows.w2, high.w8, t.high)
        return (NineWords(r9, r10, r11, r12, r13, r14, r15, r16, t.low), t.high)
    }
}
