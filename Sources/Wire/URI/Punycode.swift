/// Punycode (RFC 3492), as far as it takes to know that an internationalized label is valid to everybody: the letters of European languages
/// in Latin and Cyrillic script, which IDNA 2008 and the processing of browsers (UTS #46) both allow in lower case, in any place and order.
///
/// A label that needs more of Unicode's tables than that is refused.
enum Punycode {
    private static let base: UInt32 = 36

    /// Whether the text behind `xn--` is the one encoding of a label of plain letters, digits and hyphens with a letter beyond ASCII in it.
    static func isPlainLabel(_ text: Span<UInt8>) -> Bool {
        guard let label = decoded(text), label.contains(where: { $0 >= 0x80 }), label.allSatisfy({ $0 < 0x80 || isPlainLetter($0) }) else {
            return false
        }
        return true
    }

    /// RFC 3492 §6.2; linear in the square of a label's length, which is 63 at most.
    static func decoded(_ text: Span<UInt8>) -> [UInt32]? {
        let delimiter = text.indices.reversed().first { text[$0] == UInt8(ascii: "-") }
        var output: [UInt32] = []
        for offset in 0..<(delimiter ?? 0) { output.append(UInt32(ASCII.lowercased(text[offset]))) }
        if delimiter == 0 { return nil }
        var at = delimiter.map { $0 + 1 } ?? 0
        var point: UInt32 = 128
        var index: UInt32 = 0
        var bias: UInt32 = 72
        while at < text.count {
            let start = index
            var weight: UInt32 = 1
            var step = base
            while true {
                guard at < text.count, let digit = digit(text[at]) else { return nil }
                at += 1
                let (product, isTooLarge) = digit.multipliedReportingOverflow(by: weight)
                let (sum, carry) = index.addingReportingOverflow(product)
                guard !isTooLarge, !carry else { return nil }
                index = sum
                let threshold = step <= bias ? 1 : min(step - bias, 26)
                if digit < threshold { break }
                let (next, overflow) = weight.multipliedReportingOverflow(by: base - threshold)
                guard !overflow else { return nil }
                weight = next
                step += base
            }
            let count = UInt32(output.count) + 1
            bias = adapted(index - start, count: count, isFirst: start == 0)
            let (next, overflow) = point.addingReportingOverflow(index / count)
            guard !overflow, next <= 0x10ffff else { return nil }
            point = next
            output.insert(point, at: Int(index % count))
            index = index % count + 1
        }
        return output
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var step: UInt32 = 0
        while delta > 455 {
            delta /= 35
            step += base
        }
        return step + 36 * delta / (delta + 38)
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        if ASCII.isLetter(byte) { return UInt32((byte | 0x20) - 0x61) }
        return ASCII.isDigit(byte) ? UInt32(byte - 0x30) + 26 : nil
    }

    /// Precomposed lower-case letters that have no other form and no rule of context or direction.
    static func isPlainLetter(_ point: UInt32) -> Bool {
        switch point {
        case 0xdf...0xf6, 0xf8...0xff: true
        case 0x100...0x13f: lettersFrom100 >> UInt64(point % 64) & 1 == 1
        case 0x140...0x17f: lettersFrom140 >> UInt64(point % 64) & 1 == 1
        case 0x430...0x45f: true
        default: false
        }
    }

    /// Latin Extended-A from U+0100 and from U+0140, a bit for each letter of lower case, less those that IDNA maps to others: the ligature ĳ, the
    /// letters with a middle dot or an apostrophe, the long s.
    private static let lettersFrom100: UInt64 = 0x55a2_aaaa_aaaa_aaaa
    private static let lettersFrom140: UInt64 = 0x54aa_aaaa_aaaa_a954
}
