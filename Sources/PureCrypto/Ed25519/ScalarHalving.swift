/// Two numbers of about half the length of k with remainder ≡ ±multiplier·k modulo 8L, the multiplier odd.
///
/// Verification multiplies its equation by the multiplier v, which halves its doublings. The verdict stays exactly the
/// same: the group of the curve has order 8L, so the congruence modulo 8L gives [v·k]A = ±[remainder]A for *every*
/// point A (modulo L would not do for a key with a component of small order), and 0 < v < L, odd, is coprime to 8L, so
/// [v]D is the identity only if D is.
///
/// Bound: the remainder is at most k.
struct HalvedScalar {
    let remainder: FourWords
    let multiplier: UInt128
    /// Whether it is remainder ≡ −multiplier·k.
    let isNegative: Bool

    /// Euclid's algorithm on 8L and k, each division bit by bit, halted half-way.
    ///
    /// Its time depends on k: for public scalars only.
    ///
    /// Invariants: r₀ ≡ ±a₀·k and r₁ ≡ ∓a₁·k, r₀ ≥ r₁, a₀·r₁ + a₁·r₀ = 8L, and a₀ or a₁ is odd, because (r₀, a₀) and
    /// (r₁, a₁) span a lattice that has (k, 1) in it. As long as r₁ ≥ 2¹²⁸ the third one bounds a₀ and a₁ by 8L/2¹²⁸ <
    /// 2¹²⁸. The first row, 8L with the multiplier 0, is never the result, since k begins with the odd multiplier 1.
    init(_ k: Scalar) {
        var larger = Row(remainder: Row.eightL, multiplier: 0, isNegative: true)
        var smaller = Row(remainder: k.words, multiplier: 1, isNegative: false)
        while true {
            if smaller.isShort {
                // An even multiplier here makes the other one odd, and subtracting even multiples keeps it so. Should
                // the rest be so short that the other multiplier would outgrow 2¹²⁸ before its remainder is short, a
                // long remainder is as true as a short one.
                if smaller.multiplier & 1 == 1 { break }
                if larger.isShort || !larger.subtractMultiple(of: smaller) {
                    swap(&larger, &smaller)
                    break
                }
            } else {
                _ = larger.subtractMultiple(of: smaller)
            }
            if larger.remainder.subtracting(smaller.remainder).negative != 0 { swap(&larger, &smaller) }
        }
        (remainder, multiplier, isNegative) = (smaller.remainder, smaller.multiplier, smaller.isNegative)
    }

    private struct Row {
        var remainder: FourWords
        var multiplier: UInt128
        var isNegative: Bool

        static var eightL: FourWords {
            FourWords(0xc093_18d2_e7ae_9f68, 0xa6f7_cef5_17bc_e6b2, 0x0000_0000_0000_0000, 0x8000_0000_0000_0000)
        }

        var isShort: Bool { remainder.w2 | remainder.w3 == 0 }

        /// Subtracts the largest multiple by a power of two that leaves no negative remainder.
        ///
        /// The multipliers have opposite signs, so theirs add up. Says no, and changes nothing, where the sum does not
        /// fit into 128 bits or the other remainder is zero.
        mutating func subtractMultiple(of other: Row) -> Bool {
            var shift = UInt64(truncatingIfNeeded: other.remainder.leadingZeroBitCount &- remainder.leadingZeroBitCount)
            var difference = remainder.subtracting(other.remainder.shifted(left: shift))
            if difference.negative != 0 {
                shift &-= 1
                difference = remainder.subtracting(other.remainder.shifted(left: shift))
            }
            guard shift <= other.multiplier.leadingZeroBitCount, other.remainder != .zero else { return false }
            let (sum, overflow) = multiplier.addingReportingOverflow(other.multiplier << UInt128(shift))
            if overflow { return false }
            remainder = difference.difference
            multiplier = sum
            return true
        }
    }
}

extension FourWords {
    fileprivate var leadingZeroBitCount: Int {
        if w3 != 0 { return w3.leadingZeroBitCount }
        if w2 != 0 { return 64 &+ w2.leadingZeroBitCount }
        return w1 != 0 ? 128 &+ w1.leadingZeroBitCount : 192 &+ w0.leadingZeroBitCount
    }

    fileprivate func shifted(left shift: UInt64) -> FourWords {
        if shift >= 64 { return FourWords(0, w0, w1, w2).shifted(left: shift &- 64) }
        let rest = 63 &- shift
        return FourWords(
            w0 &<< shift, w1 &<< shift | (w0 &>> 1) &>> rest, w2 &<< shift | (w1 &>> 1) &>> rest,
            w3 &<< shift | (w2 &>> 1) &>> rest)
    }
}
