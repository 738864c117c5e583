/// A fixed number of 64-bit words in one value, read as one number with the least significant word first.
///
/// The arithmetic is written out for each number of words: as loops over memory it took three times as long.
protocol FixedWords: BitwiseCopyable, Hashable, Sendable {
    static var zero: Self { get }
    static var count: Int { get }

    /// The sum modulo 2⁶⁴ to the power of the count, and its carry.
    func adding(_ other: Self) -> (sum: Self, carry: UInt64)

    /// The difference modulo 2⁶⁴ to the power of the count, and all ones where the true one is negative, zero where it
    /// is not.
    func subtracting(_ other: Self) -> (difference: Self, negative: UInt64)

    /// `other` where the mask is all ones, `self` where it is zero.
    func replaced(by other: Self, where mask: UInt64) -> Self

    /// All ones where every word is zero, zero where one is not.
    var isZeroMask: UInt64 { get }

    /// The schoolbook product, three rows at a time.
    func product(_ x: Self) -> (low: Self, high: Self)

    /// Adds the multiples of n that clear the lower half, for three words at a time; the upper half, and its carry.
    static func montgomeryReduction(
        of product: (low: Self, high: Self), modulo n: Self, inverse: UInt64
    ) -> (words: Self, carry: UInt64)
}

extension FixedWords {
    /// Bound: the index is below the count, and public.
    @inline(__always)
    subscript(index: Int) -> UInt64 {
        get { withUnsafeBytes(of: self) { $0.load(fromByteOffset: 8 &* index, as: UInt64.self) } }
        set {
            withUnsafeMutableBytes(of: &self) { $0.storeBytes(of: newValue, toByteOffset: 8 &* index, as: UInt64.self) }
        }
    }

    /// All ones where the words are the same, zero where they are not.
    @inline(__always)
    func equalityMask(_ other: Self) -> UInt64 { subtracting(other).difference.isZeroMask }
}

// MARK: - Bytes

extension FixedWords {
    /// Reads a number, most significant byte first.
    ///
    /// Bound: it has no more bytes than the words.
    init(bigEndian bytes: Span<UInt8>) {
        self = .zero
        for index in bytes.indices {
            let place = bytes.count - 1 - index
            self[place / 8] |= UInt64(bytes[index]) &<< UInt64(place % 8 * 8)
        }
    }

    /// Reads the leftmost bits of a number of any length, most significant byte first: `bits2int` of RFC 6979.
    ///
    /// Bound: the words have no fewer bits, counted in whole bytes.
    init(leftmost bitCount: Int, of bytes: Span<UInt8>) {
        let byteCount = (bitCount + 7) / 8
        if bytes.count < byteCount {
            self.init(bigEndian: bytes)
            return
        }
        self.init(bigEndian: bytes.extracting(first: byteCount))
        let excess = UInt64(byteCount * 8 - bitCount)
        if excess == 0 { return }
        for index in 0..<Self.count {
            let above = index + 1 < Self.count ? self[index + 1] : 0
            self[index] = self[index] &>> excess | above &<< (64 - excess)
        }
    }

    /// Lends the lowest bytes, most significant first, for the time of the call, and overwrites them then.
    ///
    /// Bound: the words have so many bytes.
    func withBigEndianBytes<Result>(_ byteCount: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { bytes in
            defer { erase(UnsafeMutableRawBufferPointer(bytes)) }
            for index in bytes.indices {
                let place = byteCount - 1 - index
                bytes.initializeElement(
                    at: index, to: UInt8(truncatingIfNeeded: self[place / 8] &>> UInt64(place % 8 * 8)))
            }
            return body(bytes.span)
        }
    }

    /// The lowest bytes, most significant first.
    func bigEndianBytes(_ byteCount: Int) -> [UInt8] {
        withBigEndianBytes(byteCount) { bytes in bytes.indices.map { bytes[$0] } }
    }
}

// MARK: - Signed digits

extension FixedWords {
    /// Writes the number as a sum of d·2ⁱ with odd digits |d| < 2^(width − 1), of which any two are at least `width`
    /// places apart, and zeros between them; see `FourWords.forEachSignedDigit`.
    ///
    /// The time depends on the number: for public values only.
    /// Bound: there is room for a digit more than the words have bits; width is at most 8.
    func writeSignedDigits(width: UInt64, to digits: UnsafeMutableBufferPointer<Int8>) {
        digits.initialize(repeating: 0)

        func word(_ index: Int) -> UInt64 { index < Self.count ? self[index] : 0 }

        /// The 64 bits from a place on.
        func bits(from place: UInt64) -> UInt64 {
            let index = Int(truncatingIfNeeded: place &>> 6)
            return word(index) &>> (place & 63) | (word(index + 1) &<< 1) &<< (63 &- (place & 63))
        }

        var place: UInt64 = 0
        var carry: UInt64 = 0
        while place < digits.count {
            let skipped = UInt64(truncatingIfNeeded: (bits(from: place) ^ (0 &- carry)).trailingZeroBitCount)
            place &+= skipped
            if skipped == 64 { continue }
            let window = (bits(from: place) & ((1 &<< width) &- 1)) | carry
            carry = window &>> (width &- 1)
            digits[Int(truncatingIfNeeded: place)] = Int8(
                truncatingIfNeeded: Int64(bitPattern: window &- (carry &<< width)))
            place &+= width
        }
    }
}
