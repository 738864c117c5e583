extension FourWords {
    /// Writes the number as a sum of d·2ⁱ with odd digits |d| < 2^(width − 1), of which any two are at least `width` places apart.
    ///
    /// On average one place in width + 1 has a digit. Runs in a time that depends on the number: for public values only.
    /// Bound: a number below 2ⁿ has no digit above place n; width is at most 8, so that digits fit into eight bits.
    @inline(__always)
    func forEachSignedDigit(width: UInt64, _ body: (_ place: Int, _ digit: Int8) -> Void) {
        var place: UInt64 = 0
        var carry: UInt64 = 0
        while true {
            // A carry turns the ones it meets into zeros and moves on, so the next digit is where a bit differs from the carry.
            let skipped = UInt64(truncatingIfNeeded: (bits(from: place) ^ (0 &- carry)).trailingZeroBitCount)
            place &+= skipped
            if place > 256 || skipped == 64 && place >= 256 { return }
            if skipped == 64 { continue }
            let window = (bits(from: place) & ((1 &<< width) &- 1)) &+ carry
            carry = window &>> (width &- 1)
            body(Int(truncatingIfNeeded: place), Int8(truncatingIfNeeded: Int64(bitPattern: window &- carry &<< width)))
            place &+= width
        }
    }

    /// The 64 bits from a place upwards; zeros beyond the end.
    @inline(__always)
    private func bits(from place: UInt64) -> UInt64 {
        0
    }
}
