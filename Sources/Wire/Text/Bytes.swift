/// Eight bytes at a time: loads, searches and comparisons on memory whose bounds the callers state.
///
/// A word holds its bytes in the order of the text, the first one lowest, on every machine.
enum Bytes {
    /// 0x01 in every byte.
    static let ones: UInt64 = 0x0101_0101_0101_0101
    /// 0x80 in every byte.
    static let tops: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes from `source`, all of which must be readable.
    @inline(__always)
    static func word(_ source: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(source).loadUnaligned(as: UInt64.self))
    }

    /// The four bytes from `source`, all of which must be readable.
    @inline(__always)
    static func half(_ source: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(source).loadUnaligned(as: UInt32.self))
    }

    /// The `count` < 8 bytes from `source` as a word that is zero above them; reads nothing beyond `count`.
    @inline(__always)
    static func shortWord(_ source: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        if count >= 4 {
            // The two halves overlap where count < 8; the bytes they share are the same.
            return UInt64(half(source)) | UInt64(half(source + (count - 4))) << UInt64(8 * (count - 4))
        }
        guard count > 0 else { return 0 }
        return UInt64(source[0]) | UInt64(source[count >> 1]) << UInt64(8 * (count >> 1)) | UInt64(source[count - 1])
            << UInt64(8 * (count - 1))
    }

    /// Stores a word's bytes in the order of the text; eight bytes from `target` must be writable.
    @inline(__always)
    static func store(_ word: UInt64, to target: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    /// Marks the top bit of bytes that cannot stand for themselves in a JSON string: quote, backslash, and those below
    /// 0x20.
    ///
    /// The lowest mark is exact; borrows can leave false marks above it only. Bytes from 0x80 may be marked or not.
    @inline(__always)
    static func escapable(_ word: UInt64) -> UInt64 {
        // Flipping bit 1 takes the quote 0x22 to 0x20 and keeps the controls below it, so that one comparison with 0x21
        // finds both.
        let quotesAndControls = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
        let backslashes = (word ^ (ones &* 0x5c)) &- ones
        return (quotesAndControls | backslashes) & tops
    }

    /// Marks like `escapable`, and the bytes from 0x80 as well.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        escapable(word) | word & tops
    }

    /// The lowest marked byte.
    @inline(__always)
    static func firstMarked(_ word: UInt64, _ marks: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: marks.trailingZeroBitCount &- 7))
    }

    /// The position of the lowest marked byte.
    @inline(__always)
    static func firstMark(_ marks: UInt64) -> Int {
        marks.trailingZeroBitCount >> 3
    }

    /// The eight decimal digits of a value below 10⁸, the first one lowest.
    @inline(__always)
    static func digits(_ value: UInt64) -> UInt64 {
        // Each step splits all numbers at once, into lanes of half the width: n / 100 = n × 10486 >> 20 for n < 10⁴,
        // n / 10 = n × 103 >> 10 for n < 100.
        let fours = value / 10_000 | (value % 10_000) << 32
        let hundreds = (fours &* 10_486) >> 20 & 0x7f_0000_007f
        let pairs = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x000f_000f_000f_000f
        return tens | (pairs &- tens &* 10) << 8
    }

    /// The number that eight decimal digits make, the first one lowest; nothing when a sign, point or exponent is among
    /// them.
    @inline(__always)
    static func number(_ word: UInt64) -> UInt64? {
        // Of the characters of a number, digits alone have 3 in the upper half of the byte.
        let threes = ones &* 0x30
        guard word & (ones &* 0xf0) == threes else { return nil }
        // Each step joins neighbours, and the lower, earlier one counts ten, a hundred, ten thousand times.
        let pairs = ((word &- threes) &* 10 &+ (word &- threes) >> 8) & 0x00ff_00ff_00ff_00ff
        let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_ffff_0000_ffff
        return (fours &* 10_000 &+ fours >> 32) & 0xffff_ffff
    }

    /// Whether `count` bytes, readable on both sides, are the same.
    @inline(__always)
    static func equal(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard count >= 8 else { return shortWord(left, count: count) == shortWord(right, count: count) }
        let last = count - 8
        var at = 0
        while at < last {
            if word(left + at) != word(right + at) { return false }
            at += 8
        }
        return word(left + last) == word(right + last)
    }
}
