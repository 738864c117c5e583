/// The arithmetic under both Base64 alphabets: sixteen characters or twelve bytes at a time, as vectors, without a
/// table and without a branch on the data.
///
/// Keys and other secrets pass through here; a look-up by a secret index would leave its trace in the cache.
///
/// A vector of sixteen lanes holds one character or one sextet in each byte, first character in the lowest byte of the
/// first word.
struct Sextets {
    /// The character that stands for 62.
    let sixtyTwo: Int8
    /// The character that stands for 63.
    let sixtyThree: Int8

    static let standard = Sextets(sixtyTwo: 0x2b, sixtyThree: 0x2f)
    static let urlSafe = Sextets(sixtyTwo: 0x2d, sixtyThree: 0x5f)

    private typealias Lanes = SIMD16<Int8>
    private typealias Words = SIMD2<UInt64>

    /// Whether the byte is of the alphabet; asked only to name the fault of a text that has been refused.
    func contains(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(bitPattern: sixtyTwo)
            || byte == UInt8(bitPattern: sixtyThree)
    }

    // MARK: Decoding

    /// The bytes that the first characters of the text stand for; `nil` if a rule is broken.
    @inline(__always)
    func decode(_ text: Span<UInt8>, characters count: Int) -> [UInt8]? {
        guard count % 4 != 1 else { return nil }
        let total = count / 4 * 3 + (count % 4) * 3 / 4
        var valid = false
        let bytes = [UInt8](unsafeUninitializedCapacity: total + Self.slack) { target, written in
            text.withUnsafeBytes { source in
                guard let input = source.baseAddress, let output = UnsafeMutableRawPointer(target.baseAddress) else {
                    return valid = count == 0
                }
                valid = decode(input, count: count, into: output, total: total)
                written = total
            }
        }
        return valid ? bytes : nil
    }

    /// What is written beyond a result at most: the last vector is stored whole.
    private static let slack = 16

    /// Writes the bytes that `count` characters stand for, and answers whether all are of the alphabet and no bit is
    /// left over.
    ///
    /// Bounds: `count % 4` is not 1; reads `source[0 ..< count]`; writes less than `total + slack` bytes.
    @inline(__always)
    private func decode(_ source: UnsafeRawPointer, count: Int, into target: UnsafeMutableRawPointer, total: Int)
        -> Bool
    {
        var known = Lanes(repeating: -1)
        var read = 0
        var written = 0
        while read &+ 16 <= count {
            let words = Words(load(source + read), load(source + (read &+ 8)))
            storeBytes(of: sextets(of: words, noting: &known), at: target + written)
            read &+= 16
            written &+= 12
        }
        if read < count {
            var low = Self.fill
            var high = Self.fill
            if count >= 16 {
                // The last sixteen characters again, less those before the first whole group; the fill stands for
                // zeros.
                let skipped = (4 &- count % 4) % 4
                let shift = UInt64(skipped &* 8)
                low = load(source + (count &- 16))
                high = load(source + (count &- 8))
                low = low >> shift | high << (64 &- shift)
                high = high >> shift | Self.fill << (64 &- shift)
                written = (count &- 16 &+ skipped) / 4 &* 3
            } else {
                for index in 0..<count {
                    let change = UInt64(source.load(fromByteOffset: index, as: UInt8.self)) ^ 0x41
                    if index < 8 {
                        low ^= change << UInt64(index &* 8)
                    } else {
                        high ^= change << UInt64(index &* 8 &- 64)
                    }
                }
            }
            storeBytes(of: sextets(of: Words(low, high), noting: &known), at: target + written)
        }
        // Behind the bytes of a broken group stand its left-over bits, then the zeros of the fill.
        let strayBits = count % 4 == 0 ? 0 : target.load(fromByteOffset: total, as: UInt8.self)
        let words = unsafeBitCast(known, to: Words.self)
        return ~(words[0] & words[1]) & 0x8080_8080_8080_8080 | UInt64(strayBits) == 0
    }

    /// Eight times "A", the character for zero.
    private static let fill: UInt64 = 0x4141_4141_4141_4141

    /// Sixteen characters to sixteen sextets, above which two bits of no meaning stand.
    ///
    /// The top bit of a lane of `known` is lost where a character is not of the alphabet: every distance from character
    /// to sextet is written with that bit, which does not belong to the sextet, so a lane that no range has claimed
    /// lacks it.
    @inline(__always)
    private func sextets(of words: Words, noting known: inout Lanes) -> Lanes {
        let characters = unsafeBitCast(words, to: Lanes.self)
        let upper = Self.within(characters, 0x41, 0x5a) & Self.distance(0x41, 0)
        let lower = Self.within(characters, 0x61, 0x7a) & Self.distance(0x61, 26)
        let digit = Self.within(characters, 0x30, 0x39) & Self.distance(0x30, 52)
        let secondLast = Self.mask(characters .== Lanes(repeating: sixtyTwo)) & Self.distance(sixtyTwo, 62)
        let last = Self.mask(characters .== Lanes(repeating: sixtyThree)) & Self.distance(sixtyThree, 63)
        let distance = (upper | lower) | (digit | (secondLast | last))
        known &= distance
        return characters &+ distance
    }

    @inline(__always)
    private static func distance(_ character: Int8, _ sextet: Int8) -> Lanes {
        Lanes(repeating: sextet &- character | .min)
    }

    /// Sixteen sextets to twelve bytes.
    ///
    /// Eight bytes are stored for six: the two beyond are overwritten by the next store or lie in the slack.
    @inline(__always)
    private func storeBytes(of sextets: Lanes, at target: UnsafeMutableRawPointer) {
        // Shifts within narrow lanes keep the compiler from taking the vectors apart.
        let pairs = unsafeBitCast(sextets, to: SIMD8<UInt16>.self)
        let first = (pairs &<< SIMD8<UInt16>(repeating: 6)) & SIMD8<UInt16>(repeating: 0x0fc0)
        let second = (pairs &>> SIMD8<UInt16>(repeating: 8)) & SIMD8<UInt16>(repeating: 0x003f)
        let fours = unsafeBitCast(first | second, to: SIMD4<UInt32>.self)
        let twentyFours =
            ((fours &<< SIMD4<UInt32>(repeating: 16)) &>> SIMD4<UInt32>(repeating: 4))
            | (fours &>> SIMD4<UInt32>(repeating: 16))
        let eights = unsafeBitCast(twentyFours, to: Words.self)
        // The two lowest bytes keep bits of the first half, which nobody reads.
        target.storeBytes(of: (eights[0] &<< 40 | eights[0] &>> 16).bigEndian, as: UInt64.self)
        target.storeBytes(of: (eights[1] &<< 40 | eights[1] &>> 16).bigEndian, toByteOffset: 6, as: UInt64.self)
    }

    // MARK: Encoding

    /// How many characters that many bytes need without padding.
    static func characterCount(ofBytes count: Int) -> Int {
        count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
    }

    /// The text of the bytes.
    @inline(__always)
    func encode(_ bytes: Span<UInt8>, padded: Bool) -> String {
        let count = bytes.count
        let characters = Self.characterCount(ofBytes: count)
        let length = padded ? (characters + 3) / 4 * 4 : characters
        return String(unsafeUninitializedCapacity: count < 12 ? length : length + Self.slack) { target in
            bytes.withUnsafeBytes { source in
                guard let input = source.baseAddress, let output = UnsafeMutableRawPointer(target.baseAddress) else {
                    return
                }
                encode(input, count: count, into: output, total: characters)
                for offset in characters..<length {
                    output.storeBytes(of: UInt8(ascii: "="), toByteOffset: offset, as: UInt8.self)
                }
            }
            return length
        }
    }

    /// Writes the text of the bytes behind what the output already holds.
    @inline(__always)
    func encode(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        let count = bytes.count
        let start = output.count
        let characters = Self.characterCount(ofBytes: count)
        output.append(contentsOf: repeatElement(0, count: characters + Self.slack))
        output.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                guard let input = source.baseAddress, let output = target.baseAddress else { return }
                encode(input, count: count, into: output + start, total: characters)
            }
        }
        output.removeLast(Self.slack)
    }

    /// Writes the characters of `count` bytes, without padding.
    ///
    /// Bounds: reads `source[0 ..< count]`; writes exactly `total` bytes where `count` is below 12, else less than
    /// `total + slack`.
    @inline(__always)
    private func encode(_ source: UnsafeRawPointer, count: Int, into target: UnsafeMutableRawPointer, total: Int) {
        var read = 0
        var written = 0
        while read &+ 13 <= count {
            let groups = SIMD4<UInt32>(
                load(source + read), load(source + (read &+ 3)), load(source + (read &+ 6)), load(source + (read &+ 9)))
            store(characters(of: groups), at: target + written)
            read &+= 12
            written &+= 16
        }
        guard read < count else { return }
        // Twelve bytes are left at most. They are read as the last twelve again, less those before the first whole
        // group; zeros fill the end.
        var window: UInt128 = 0
        if count >= 12 {
            let skipped = (3 &- count % 3) % 3
            let head: UInt64 = load(source + (count &- 12))
            let tail: UInt32 = load(source + (count &- 4))
            window = (UInt128(head) | UInt128(tail) &<< 64) &>> UInt128(skipped &* 8)
            written = (count &- 12 &+ skipped) / 3 &* 4
        } else {
            for index in 0..<count {
                window |= UInt128(source.load(fromByteOffset: index, as: UInt8.self)) &<< UInt128(index &* 8)
            }
        }
        let groups = SIMD4<UInt32>(
            UInt32(truncatingIfNeeded: window), UInt32(truncatingIfNeeded: window &>> 24),
            UInt32(truncatingIfNeeded: window &>> 48),
            UInt32(truncatingIfNeeded: window &>> 72))
        let text = characters(of: groups)
        if count >= 12 {
            store(text, at: target + written)
        } else {
            for index in 0..<total { target.storeBytes(of: text[index], toByteOffset: index, as: Int8.self) }
        }
    }

    @inline(__always)
    private func load<Word: FixedWidthInteger>(_ source: UnsafeRawPointer) -> Word {
        Word(littleEndian: source.loadUnaligned(as: Word.self))
    }

    @inline(__always)
    private func store(_ characters: Lanes, at target: UnsafeMutableRawPointer) {
        let words = unsafeBitCast(characters, to: Words.self)
        target.storeBytes(of: words[0].littleEndian, as: UInt64.self)
        target.storeBytes(of: words[1].littleEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// Four groups of three bytes to sixteen characters; the top byte of a group is not looked at.
    @inline(__always)
    private func characters(of groups: SIMD4<UInt32>) -> Lanes {
        // The first byte of a group is the lowest, so the bits of the second and third sextet do not lie side by side.
        let first = Self.bits(groups &>> Self.times(2), 0x0000_003f)
        let second =
            Self.bits(groups &<< Self.times(12), 0x0000_3000) | Self.bits(groups &>> Self.times(4), 0x0000_0f00)
        let third = Self.bits(groups &<< Self.times(10), 0x003c_0000) | Self.bits(groups &>> Self.times(6), 0x0003_0000)
        let fourth = Self.bits(groups &<< Self.times(8), 0x3f00_0000)
        let sextets = unsafeBitCast((first | second) | (third | fourth), to: Lanes.self)

        let lower = Self.mask(sextets .> Lanes(repeating: 25)) & Lanes(repeating: (97 - 26) - 65)
        let digit = Self.mask(sextets .> Lanes(repeating: 51)) & Lanes(repeating: (48 - 52) - (97 - 26))
        let secondLast = Self.mask(sextets .== Lanes(repeating: 62)) & Lanes(repeating: sixtyTwo &- 62 &- (48 - 52))
        let last = Self.mask(sextets .== Lanes(repeating: 63)) & Lanes(repeating: sixtyThree &- 63 &- (48 - 52))
        return sextets &+ Lanes(repeating: 65) &+ lower &+ digit &+ (secondLast | last)
    }

    // MARK: Lanes

    @inline(__always)
    private static func times(_ count: UInt32) -> SIMD4<UInt32> {
        SIMD4(repeating: count)
    }

    @inline(__always)
    private static func bits(_ lanes: SIMD4<UInt32>, _ mask: UInt32) -> SIMD4<UInt32> {
        lanes & SIMD4(repeating: mask)
    }

    /// All ones in each lane whose value lies in the range: moved up to end at 127, only its values are greater than
    /// what lies below.
    @inline(__always)
    private static func within(_ lanes: Lanes, _ first: Int8, _ last: Int8) -> Lanes {
        mask(lanes &+ Lanes(repeating: 127 &- last) .> Lanes(repeating: 126 &- last &+ first))
    }

    /// A comparison's result as lanes of all ones or all zeros, which is how a mask is stored.
    @inline(__always)
    private static func mask(_ result: SIMDMask<Lanes>) -> Lanes {
        unsafeBitCast(result, to: Lanes.self)
    }
}
