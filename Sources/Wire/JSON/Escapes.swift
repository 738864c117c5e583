/// The escapes of RFC 8259 §7: checked once by the scanner, resolved on demand.
enum Escapes {
    /// Checks the escape at `offset`, where the backslash stands, and answers the offset after it.
    ///
    /// Reads at most 12 bytes from the backslash and stops at the padding, since a zero byte belongs to no escape.
    static func check(_ text: Text, at offset: Int) throws(JSON.Rejection) -> Int {
        switch text[offset + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return offset + 2
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(text.base + (offset + 2)) else { throw malformed(text, at: offset) }
            switch unit {
            case 0xd800...0xdbff:
                guard text[offset + 6] == UInt8(ascii: "\\"), text[offset + 7] == UInt8(ascii: "u") else {
                    let isCutOff =
                        offset + 6 == text.size || text[offset + 6] == UInt8(ascii: "\\") && offset + 7 == text.size
                    throw isCutOff
                        ? .unexpectedEnd(offset: text.size, expected: .endOfString) : .loneSurrogate(offset: offset)
                }
                guard let low = codeUnit(text.base + (offset + 8)) else { throw malformed(text, at: offset + 6) }
                guard 0xdc00...0xdfff ~= low else { throw .loneSurrogate(offset: offset) }
                return offset + 12
            case 0xdc00...0xdfff:
                throw .loneSurrogate(offset: offset)
            default:
                return offset + 6
            }
        default:
            throw malformed(text, at: offset)
        }
    }

    /// Tells an escape that the text's end cuts off from one that is wrong.
    private static func malformed(_ text: Text, at offset: Int) -> JSON.Rejection {
        var at = offset + 1
        if at < text.size, text[at] == UInt8(ascii: "u") {
            at += 1
            while at < text.size, at < offset + 6, digit(text[at]) < 16 { at += 1 }
        }
        return at == text.size
            ? .unexpectedEnd(offset: text.size, expected: .endOfString) : .malformedEscape(offset: offset)
    }

    /// The value of four hexadecimal digits; stops reading at the first byte that is not one.
    @inline(__always)
    private static func codeUnit(_ digits: UnsafePointer<UInt8>) -> UInt32? {
        var unit: UInt32 = 0
        for position in 0..<4 {
            let value = digit(digits[position])
            guard value < 16 else { return nil }
            unit = unit << 4 | value
        }
        return unit
    }

    /// The value of a hexadecimal digit, or 16.
    @inline(__always)
    private static func digit(_ byte: UInt8) -> UInt32 { ASCII.hexValue(byte).map { UInt32($0) } ?? 16 }

    /// Writes the content of a string with its escapes resolved and answers the count of bytes.
    ///
    /// `content` must have passed `check`. It never grows: an escape is at least as long as the bytes it stands for
    /// (2 for 1, 6 for at most 3, 12 for 4), so a target of `content.count` bytes is large enough.
    static func resolve(_ content: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let source = content.baseAddress, let output = target.baseAddress else { return 0 }
        var read = 0
        var written = 0
        while read < content.count {
            let byte = source[read]
            guard byte == UInt8(ascii: "\\") else {
                output[written] = byte
                read += 1
                written += 1
                continue
            }
            let letter = source[read + 1]
            read += 2
            if letter == UInt8(ascii: "u") {
                var scalar = codeUnit(source + read) ?? 0
                read += 4
                if 0xd800...0xdbff ~= scalar {
                    scalar = 0x10000 + (scalar & 0x3ff) << 10 + (codeUnit(source + (read + 2)) ?? 0) & 0x3ff
                    read += 6
                }
                written += encode(scalar, to: output + written)
            } else {
                output[written] = plain(letter)
                written += 1
            }
        }
        return written
    }

    /// The character that a one-letter escape stands for.
    @inline(__always)
    private static func plain(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Writes a scalar as UTF-8, one to four bytes.
    @inline(__always)
    private static func encode(_ scalar: UInt32, to output: UnsafeMutablePointer<UInt8>) -> Int {
        // What passed `check` is a scalar.
        guard let scalar = Unicode.Scalar(scalar), let bytes = Unicode.UTF8.encode(scalar) else { return 0 }
        var written = 0
        for byte in bytes {
            output[written] = byte
            written += 1
        }
        return written
    }
}
