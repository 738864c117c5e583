/// The arithmetic under both Base64 alphabets: sixteen characters or twelve bytes at a time, as vectors, without a table and without a
/// branch on the data.
///
/// Keys and other secrets pass through here; a look-up by a secret index would leave its trace in the cache.
///
/// A vector of sixteen lanes holds one character or one sextet in each byte, first character in the lowest byte of the first word.
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
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(bitPattern: sixtyTwo) || byte == UInt8(bitPattern: sixtyThree)
        }
    }

    // MARK: Decoding

    /// The bytes that the first characters of the text stand for, or nothing where a rule is broken.
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

    /// Writes the bytes that `count` characters stand for, and answers whether all are of the alphabet and no bit is left over.
    ///
    /// Bounds: `count % 4` is not 1; reads `source[0 ..< count]`; writes less than `total + slack` bytes.
    @inline(__always)
    private func decode(_ source: UnsafeRawPointer, count: Int, into target: UnsafeMutableRawPointer, total: Int) -> Bool {
        var foreign = Lanes.zero
        var read = 0
        var written = 0
        while read &+ 16 <= count {
            let words = Words(load(source + read), load(source + (read &+ 8)))
            storeBytes(of: sextets(of: words, noting: &foreign), at: target + written)
            read &+= 16
            written &+= 12
        }
        if read < count {
            var low = Self.fill
            var high = Self.fill
            if count >= 16 {
                // The last sixteen characters again, less those before the first whole group; the fill stands for zeros.
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
                    if index < 8 { low ^= change << UInt64(index &* 8) } else { high ^= change << UInt64(index &* 8 &- 64) }
                }
            }
            storeBytes(of: sextets(of: Words(low, high), noting: &foreign), at: target + written)
        }
        // Behind the bytes of a broken group stand its left-over bits, then the zeros of the fill.
        let strayBits = count % 4 == 0 ? 0 : target.load(fromByteOffset: total, as: UInt8.self)
        let words = unsafeBitCast(foreign, to: Words.self)
        return words[0] | words[1] | UInt64(strayBits) == 0
    }

    /// Eight times "A", the character for zero.
    private static let fill: UInt64 = 0x4141_4141_4141_4141

    @inline(__always)
    private func load(_ source: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: source.loadUnaligned(as: UInt64.self))
    }

    /// Sixteen characters to sixteen sextets; a lane of `foreign` is set where a character is not of the alphabet.
    @inline(__always)
    private func sextets(of words: Words, noting foreign: inout Lanes) -> Lanes {
        let characters = unsafeBitCast(words, to: Lanes.self)
        let distance =
            (Self.within(characters, 0x41, 0x5a) & Lanes(repeating: -65))
            | (Self.within(characters, 0x61, 0x7a) & Lanes(repeating: 26 - 97))
            | (Self.within(characters, 0x30, 0x39) & Lanes(repeating: 52 - 48))
            | (Self.mask(characters .== Lanes(repeating: sixtyTwo)) & Lanes(repeating: 62 &- sixtyTwo))
            | (Self.mask(characters .== Lanes(repeating: sixtyThree)) & Lanes(repeating: 63 &- sixtyThree))
        // No distance is zero, so a lane that no range has claimed is foreign.
        foreign |= Self.mask(distance .== Lanes.zero)
        return characters &+ distance
    }

    /// Sixteen sextets to twelve bytes.
    ///
    /// Eight bytes are stored for six: the two beyond are overwritten by the next store or lie in the slack.
    @inline(__always)
    private func storeBytes(of sextets: Lanes, at target: UnsafeMutableRawPointer) {
        // Shifts within narrow lanes need no masks, and keep the compiler from taking the vectors apart.
        let pairs = unsafeBitCast(sextets, to: SIMD8<UInt16>.self)
        let twelves = ((pairs &<< SIMD8(repeating: 8)) &>> SIMD8(repeating: 2)) | (pairs &>> SIMD8(repeating: 8))
        let fours = unsafeBitCast(twelves, to: SIMD4<UInt32>.self)
        let twentyFours = ((fours &<< SIMD4(repeating: 16)) &>> SIMD4(repeating: 4)) | (fours &>> SIMD4(repeating: 16))
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
                guard let input = source.baseAddress, let output = UnsafeMutableRawPointer(target.baseAddress) else { return }
                encode(input, count: count, into: output, total: characters)
                for offset in characters..<length { output.storeBytes(of: UInt8(ascii: "="), toByteOffset: offset, as: UInt8.self) }
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
    /// Bounds: reads `source[0 ..< count]`; writes exactly `total` bytes where `count` is below 12, else less than `total + slack`.
    @inline(__always)
    private func encode(_ source: UnsafeRawPointer, count: Int, into target: UnsafeMutableRawPointer, total: Int) {
        var read = 0
        var written = 0
        while read &+ 14 <= count {
            storeText(characters(of: Words(loadBig(source + read), loadBig(source + (read &+ 6)))), at: target + written)
            read &+= 12
            written &+= 16
        }
        while read < count {
            // The next twelve bytes, or the last twelve again, less those before the first whole group; zeros fill the end.
            var window: UInt128 = 0
            if count >= 12 {
                let start = read &+ 12 <= count ? read : count &- 12
                let skipped = read &+ 12 <= count ? 0 : (3 &- count % 3) % 3
                let head = loadBig(source + start)
                let tail = UInt32(bigEndian: source.loadUnaligned(fromByteOffset: start &+ 8, as: UInt32.self))
                window = (UInt128(head) &<< 64 | UInt128(tail) &<< 32) &<< UInt128(skipped &* 8)
                read = start &+ 12
                written = (start &+ skipped) / 3 &* 4
            } else {
                for index in 0..<count {
                    window |= UInt128(source.load(fromByteOffset: index, as: UInt8.self)) &<< UInt128(120 &- index &* 8)
                }
                read = count
            }
            let text = characters(of: Words(UInt64(truncatingIfNeeded: window &>> 64), UInt64(truncatingIfNeeded: window &>> 16)))
            if count < 12 {
                for index in 0..<total { target.storeBytes(of: text[index], toByteOffset: index, as: Int8.self) }
            } else {
                storeText(text, at: target + written)
            }
        }
    }

    @inline(__always)
    private func loadBig(_ source: UnsafeRawPointer) -> UInt64 {
        UInt64(bigEndian: source.loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    private func storeText(_ characters: Lanes, at target: UnsafeMutableRawPointer) {
        let words = unsafeBitCast(characters, to: Words.self)
        target.storeBytes(of: words[0].littleEndian, as: UInt64.self)
        target.storeBytes(of: words[1].littleEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// Two numbers of 48 bits, each in the upper part of its word, to sixteen characters.
    @inline(__always)
    private func characters(of words: Words) -> Lanes {
        let eights = (words &>> Words(repeating: 40)) | ((words &<< Words(repeating: 16)) & Words(repeating: 0x00ff_ffff_0000_0000))
        let fours = unsafeBitCast(eights, to: SIMD4<UInt32>.self)
        let twelves = (fours &>> SIMD4(repeating: 12)) | ((fours &<< SIMD4(repeating: 20)) &>> SIMD4(repeating: 4))
        let pairs = unsafeBitCast(twelves, to: SIMD8<UInt16>.self)
        let sextets = unsafeBitCast(
            (pairs &>> SIMD8(repeating: 6)) | ((pairs &<< SIMD8(repeating: 10)) &>> SIMD8(repeating: 2)), to: Lanes.self)

        let lower = Self.mask(sextets .> Lanes(repeating: 25)) & Lanes(repeating: (97 - 26) - 65)
        let digit = Self.mask(sextets .> Lanes(repeating: 51)) & Lanes(repeating: (48 - 52) - (97 - 26))
        let secondLast = Self.mask(sextets .== Lanes(repeating: 62)) & Lanes(repeating: sixtyTwo &- 62 &- (48 - 52))
        let last = Self.mask(sextets .== Lanes(repeating: 63)) & Lanes(repeating: sixtyThree &- 63 &- (48 - 52))
        return sextets &+ Lanes(repeating: 65) &+ lower &+ digit &+ (secondLast | last)
    }

    // MARK: Lanes

    /// All ones in each lane whose value lies in the range: moved up to end at 127, only its values are greater than what lies below.
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
