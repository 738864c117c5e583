extension FourWords {
    /// Yields the number as a sum of d·2ⁱ with odd digits |d| < 2^(width − 1), of which any two are at least `width`
    /// places apart.
    ///
    /// On average one place in width + 1 has a digit. The time depends on the number: for public values only.
    /// Bound: a number below 2ⁿ has no digit above place n; width is at most 63, and digits of a width up to 8 fit into
    /// eight bits.
    @inline(__always)
    func forEachSignedDigit(width: UInt64, _ body: (_ digit: Int, _ place: Int) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 6) { words in
            (words[0], words[1], words[2], words[3], words[4], words[5]) = (w0, w1, w2, w3, 0, 0)

            /// The 64 bits from a place on.
            ///
            /// Bound: place is at most 256, which reads the words 4 and 5.
            func bits(from place: UInt64) -> UInt64 {
                let index = Int(truncatingIfNeeded: place &>> 6)
                return words[index] &>> (place & 63) | (words[index + 1] &<< 1) &<< (63 &- (place & 63))
            }

            var place: UInt64 = 0
            var carry: UInt64 = 0
            while place <= 256 {
                // A carry turns the ones it meets into zeros and moves on, so the next digit is where a bit differs
                // from the carry. The last such place is 256, since the bits from there on are zeros.
                let skipped = UInt64(truncatingIfNeeded: (bits(from: place) ^ (0 &- carry)).trailingZeroBitCount)
                place &+= skipped
                if skipped == 64 { continue }

                let window = (bits(from: place) & ((1 &<< width) &- 1)) | carry
                carry = window &>> (width &- 1)
                body(
                    Int(truncatingIfNeeded: window &- (carry &<< width)),
                    Int(truncatingIfNeeded: place))
                place &+= width
            }
        }
    }
}

/// Signed digits of several numbers at one place, a byte for each; zero is none.
struct DigitRow<Lanes: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>: BitwiseCopyable {
    private var lanes: Lanes = 0

    var isEmpty: Bool { lanes == 0 }

    /// Bound: the digit fits into eight bits; the lane is one of those that the word has, and still empty.
    @inline(__always)
    mutating func set(_ digit: Int, lane: Int) {
        lanes |= Lanes(truncatingIfNeeded: UInt8(truncatingIfNeeded: digit)) &<< Lanes(truncatingIfNeeded: lane &* 8)
    }

    /// Takes out the digit of the lowest lane that has one.
    @inline(__always)
    mutating func next() -> (digit: Int, lane: Int)? {
        if lanes == 0 { return nil }
        let lane = lanes.trailingZeroBitCount &>> 3
        let shift = Lanes(truncatingIfNeeded: lane &* 8)
        let digit = Int8(truncatingIfNeeded: lanes &>> shift)
        lanes &= ~(0xff &<< shift)
        return (Int(digit), lane)
    }
}
