/// A fixed number of 64-bit words in one value, read as one number with the least significant word first.
protocol FixedWords: BitwiseCopyable, Hashable, Sendable {
    static var zero: Self { get }
}

/// The words of P-384.
struct SixWords: FixedWords {
    var w0, w1, w2, w3, w4, w5: UInt64

    init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, _ w4: UInt64, _ w5: UInt64) {
        (self.w0, self.w1, self.w2, self.w3, self.w4, self.w5) = (w0, w1, w2, w3, w4, w5)
    }

    static var zero: SixWords { SixWords(0, 0, 0, 0, 0, 0) }
}

/// The words of P-521.
struct NineWords: FixedWords {
    var w0, w1, w2, w3, w4, w5, w6, w7, w8: UInt64

    init(
        _ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, _ w4: UInt64, _ w5: UInt64, _ w6: UInt64, _ w7: UInt64,
        _ w8: UInt64
    ) {
        (self.w0, self.w1, self.w2, self.w3, self.w4) = (w0, w1, w2, w3, w4)
        (self.w5, self.w6, self.w7, self.w8) = (w5, w6, w7, w8)
    }

    static var zero: NineWords { NineWords(0, 0, 0, 0, 0, 0, 0, 0, 0) }
}

extension FixedWords {
    /// A multiple of three, so that rows of products are added in threes.
    @inline(__always)
    static var count: Int { MemoryLayout<Self>.size / 8 }

    /// Bound: the index is below the count, and public.
    @inline(__always)
    subscript(index: Int) -> UInt64 {
        get { withUnsafeBytes(of: self) { $0.load(fromByteOffset: 8 &* index, as: UInt64.self) } }
        set {
            withUnsafeMutableBytes(of: &self) { $0.storeBytes(of: newValue, toByteOffset: 8 &* index, as: UInt64.self) }
        }
    }

    /// Lends the words for the time of the call.
    @inline(__always)
    func withPointer<Result>(_ body: (UnsafePointer<UInt64>) -> Result) -> Result {
        withUnsafePointer(to: self) { words in
            // Bound: the value is `count` words and nothing else.
            body(UnsafeRawPointer(words).assumingMemoryBound(to: UInt64.self))
        }
    }

    /// The words that a function writes, given room for them with zeros in it, and what it returns.
    @inline(__always)
    static func written<Result>(
        by body: (UnsafeMutablePointer<UInt64>) -> Result
    ) -> (Self, Result) {
        var words = Self.zero
        let result = withUnsafeMutablePointer(to: &words) { words in
            // Bound: the value is `count` words and nothing else.
            body(UnsafeMutableRawPointer(words).assumingMemoryBound(to: UInt64.self))
        }
        return (words, result)
    }

    /// The sum modulo 2⁶⁴ to the power of the count, and its carry.
    @inline(__always)
    func adding(_ other: Self) -> (sum: Self, carry: UInt64) {
        withPointer { x in
            other.withPointer { y in
                Self.written { sum in
                    var carry: UInt64 = 0
                    for index in 0..<Self.count {
                        let t = UInt128.sum(x[index], y[index], carry)
                        (sum[index], carry) = (t.low, t.high)
                    }
                    return carry
                }
            }
        }
    }

    /// The difference modulo 2⁶⁴ to the power of the count, and all ones where the true one is negative, zero where it is
    /// not.
    @inline(__always)
    func subtracting(_ other: Self) -> (difference: Self, negative: UInt64) {
        withPointer { x in
            other.withPointer { y in
                Self.written { difference in
                    var carry: UInt64 = 1
                    for index in 0..<Self.count {
                        let t = UInt128.sum(x[index], ~y[index], carry)
                        (difference[index], carry) = (t.low, t.high)
                    }
                    return carry &- 1
                }
            }
        }
    }

    /// `other` where the mask is all ones, `self` where it is zero.
    @inline(__always)
    func replaced(by other: Self, where mask: UInt64) -> Self {
        withPointer { x in
            other.withPointer { y in
                Self.written { words in
                    for index in 0..<Self.count { words[index] = x[index] ^ (mask & (x[index] ^ y[index])) }
                }.0
            }
        }
    }

    /// All ones where every word is zero, zero where one is not.
    @inline(__always)
    var isZeroMask: UInt64 {
        let any = withPointer { words in
            var any: UInt64 = 0
            for index in 0..<Self.count { any |= words[index] }
            return any
        }
        return ((any | (0 &- any)) &>> 63) &- 1
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
