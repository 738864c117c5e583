/// Well-formedness of UTF-8 (RFC 3629 §4): no overlong form, no surrogate, nothing above U+10FFFF, nothing cut short.
package enum WellFormedUTF8 {
    /// Where the first ill-formed sequence begins, if there is one.
    package static func firstFault(in bytes: Span<UInt8>) -> Int? {
        guard !bytes.isPlainASCII else { return nil }
        let count = bytes.count
        var offset = 0
        while offset < count {
            let lead = bytes[offset]
            if lead < 0x80 {
                offset += 1
                continue
            }
            let length: Int
            var second: ClosedRange<UInt8> = 0x80...0xbf
            switch lead {
            case 0xc2...0xdf: length = 2
            case 0xe0: (length, second) = (3, 0xa0...0xbf)
            case 0xed: (length, second) = (3, 0x80...0x9f)
            case 0xe1...0xef: length = 3
            case 0xf0: (length, second) = (4, 0x90...0xbf)
            case 0xf1...0xf3: length = 4
            case 0xf4: (length, second) = (4, 0x80...0x8f)
            default: return offset
            }
            guard count - offset >= length, second.contains(bytes[offset + 1]) else { return offset }
            for index in 2..<max(length, 2) where bytes[offset + index] & 0xc0 != 0x80 { return offset }
            offset += length
        }
        return nil
    }
}
