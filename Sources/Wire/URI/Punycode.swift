/// Punycode (RFC 3492), as far as it takes to know that an internationalized label is valid to everybody: the letters
/// of European languages in Latin and Cyrillic script, which IDNA 2008 and the processing of browsers (UTS #46) both
/// allow in lower case, in any place and order.
///
/// A label that needs more of Unicode's tables than that is refused.
enum Punycode {
    private static let base: UInt32 = 36

    /// Whether the text behind `xn--` encodes plain letters, at least one, among letters, digits and hyphens of ASCII.
    ///
    /// This is the decoder of RFC 3492 §6.2 without the decoded text: it looks at each code point, and its place does
    /// not matter.
    static func isPlainLabel(_ text: Span<UInt8>) -> Bool {
        let delimiter = text.indices.reversed().first { text[$0] == UInt8(ascii: "-") }
        if delimiter == 0 { return false }
        var at = delimiter.map { $0 + 1 } ?? 0
        guard at < text.count else { return false }
        var length = UInt32(truncatingIfNeeded: delimiter ?? 0)
        var point: UInt32 = 128
        var index: UInt32 = 0
        var bias: UInt32 = 72
        while at < text.count {
            guard let delta = delta(text, &at, bias) else { return false }
            let (place, overflow) = index.addingReportingOverflow(delta)
            guard !overflow else { return false }
            bias = adapted(delta, length: length + 1, isFirst: index == 0)
            length += 1
            let (next, isTooLarge) = point.addingReportingOverflow(place / length)
            guard !isTooLarge, isPlainLetter(next) else { return false }
            point = next
            index = place % length + 1
        }
        return true
    }

    /// A number of variable length: its last digit is the first one below its threshold.
    private static func delta(_ text: Span<UInt8>, _ at: inout Int, _ bias: UInt32) -> UInt32? {
        var delta: UInt32 = 0
        var weight: UInt32 = 1
        var step = base
        while at < text.count, let digit = digit(text[at]) {
            at += 1
            let (product, isTooLarge) = digit.multipliedReportingOverflow(by: weight)
            let (sum, carry) = delta.addingReportingOverflow(product)
            guard !isTooLarge, !carry else { return nil }
            delta = sum
            let threshold = step <= bias ? 1 : min(step - bias, 26)
            if digit < threshold { return delta }
            let (next, overflow) = weight.multipliedReportingOverflow(by: base - threshold)
            guard !overflow else { return nil }
            weight = next
            step += base
        }
        return nil
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: UInt32, length: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / length
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

    /// Latin Extended-A from U+0100 and from U+0140, a bit for each letter of lower case, less those that IDNA maps to
    /// others: the ligature ĳ, the letters with a middle dot or an apostrophe, the long s.
    private static let lettersFrom100: UInt64 = 0x55a2_aaaa_aaaa_aaaa
    private static let lettersFrom140: UInt64 = 0x54aa_aaaa_aaaa_a954
}
