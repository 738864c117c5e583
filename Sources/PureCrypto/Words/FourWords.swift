/// Thirty-two bytes as four little-endian words: an encoded point or scalar, a seed, half a signature.
struct FourWords: Hashable, Sendable, BitwiseCopyable {
    var w0, w1, w2, w3: UInt64

    @inline(__always)
    init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
        (self.w0, self.w1, self.w2, self.w3) = (w0, w1, w2, w3)
    }

    static var zero: FourWords { FourWords(0, 0, 0, 0) }
    static var byteCount: Int { 32 }

    /// Reads 32 bytes that begin at an offset.
    ///
    /// Bound: the caller has checked that the span reaches so far; in builds that check preconditions, so do the loads.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at offset: Int = 0) {
        self = bytes.withUnsafeBytes { bytes in
            FourWords(
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self)))
        }
    }

    /// The byte at an offset below 32.
    subscript(offset: Int) -> UInt8 {
        let word = offset < 16 ? (offset < 8 ? w0 : w1) : (offset < 24 ? w2 : w3)
        return UInt8(truncatingIfNeeded: word >> UInt64((offset & 7) * 8))
    }

    /// The words so ordered in memory that their bytes are those that were read.
    @inline(__always)
    var littleEndian: FourWords { FourWords(w0.littleEndian, w1.littleEndian, w2.littleEndian, w3.littleEndian) }

    /// Lends the bytes for the time of the call.
    @inline(__always)
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withUnsafeBytes(of: littleEndian) { body($0.bindMemory(to: UInt8.self).span) }
    }

    /// A copy of the bytes.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: FourWords.byteCount) { buffer, count in
            // Bound: the buffer has room for the 32 bytes that are copied.
            withUnsafeBytes(of: littleEndian) { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            count = FourWords.byteCount
        }
    }

    /// Compares in the same time whatever the words are.
    static func == (x: FourWords, y: FourWords) -> Bool {
        (x.w0 ^ y.w0) | (x.w1 ^ y.w1) | (x.w2 ^ y.w2) | (x.w3 ^ y.w3) == 0
    }
}

/// Lends the bytes of a collection as a span: in place where they lie in one piece, otherwise from a copy.
@inline(__always)
func withBytes<Result, Failure: Error>(
    of bytes: some Collection<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
    let inPlace = bytes.withContiguousStorageIfAvailable { buffer in
        Swift.Result { () throws(Failure) in try body(buffer.span) }
    }
    if let inPlace { return try inPlace.get() }
    return try body([UInt8](bytes).span)
}

// MARK: - As a number

extension FourWords {
    /// The difference modulo 2²⁵⁶, and all ones where the true one is negative, zero where it is not.
    @inline(__always)
    func subtracting(_ other: FourWords) -> (difference: FourWords, negative: UInt64) {
        var t = UInt128.sum(w0, ~other.w0, 1)
        let d0 = t.low
        t = .sum(w1, ~other.w1, t.high)
        let d1 = t.low
        t = .sum(w2, ~other.w2, t.high)
        let d2 = t.low
        t = .sum(w3, ~other.w3, t.high)
        return (FourWords(d0, d1, d2, t.low), t.high &- 1)
    }

    /// The sum modulo 2²⁵⁶ with the other number where the mask is all ones, the number itself where it is zero; and
    /// the carry.
    @inline(__always)
    func adding(_ other: FourWords, where mask: UInt64) -> (words: FourWords, carry: UInt64) {
        var t = UInt128.sum(w0, other.w0 & mask)
        let s0 = t.low
        t = .sum(w1, other.w1 & mask, t.high)
        let s1 = t.low
        t = .sum(w2, other.w2 & mask, t.high)
        let s2 = t.low
        t = .sum(w3, other.w3 & mask, t.high)
        return (FourWords(s0, s1, s2, t.low), t.high)
    }

    /// `other` where the mask is all ones, `self` where it is zero.
    @inline(__always)
    func replaced(by other: FourWords, where mask: UInt64) -> FourWords {
        FourWords(
            w0 ^ (mask & (w0 ^ other.w0)), w1 ^ (mask & (w1 ^ other.w1)), w2 ^ (mask & (w2 ^ other.w2)),
            w3 ^ (mask & (w3 ^ other.w3)))
    }
}

/// A product of two numbers of four words.
struct EightWords: BitwiseCopyable {
    var low, high: FourWords

    /// The difference modulo 2⁵¹², and all ones where the true one is negative, zero where it is not.
    @inline(__always)
    func subtracting(_ other: EightWords) -> (low: FourWords, high: FourWords, negative: UInt64) {
        let (low, borrow) = low.subtracting(other.low)
        var t = UInt128.sum(high.w0, ~other.high.w0, borrow &+ 1)
        let h0 = t.low
        t = .sum(high.w1, ~other.high.w1, t.high)
        let h1 = t.low
        t = .sum(high.w2, ~other.high.w2, t.high)
        let h2 = t.low
        t = .sum(high.w3, ~other.high.w3, t.high)
        return (low, FourWords(h0, h1, h2, t.low), t.high &- 1)
    }
}
