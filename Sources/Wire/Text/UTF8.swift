/// Well-formedness of UTF-8 (RFC 3629 §4): no overlong form, no surrogate, nothing above U+10FFFF, nothing cut short.
package enum WellFormedUTF8 {
    /// Where the first ill-formed sequence begins, if there is one.
    package static func firstFault(in bytes: Span<UInt8>) -> Int? {
        guard !bytes.isPlainASCII else { return nil }
        var offset = 0
        while offset < bytes.count {
            if bytes[offset] < 0x80 {
                offset += 1
                continue
            }
            // Zeros stand for what is cut off, and belong to no sequence.
            var sequence: UInt32 = 0
            for index in offset..<min(offset + 4, bytes.count) {
                sequence |= UInt32(bytes[index]) << UInt32(8 * (index - offset))
            }
            let length = length(of: sequence)
            guard length > 0 else { return offset }
            offset += length
        }
        return nil
    }

    /// The length of the sequence whose bytes these are, the first one lowest and not ASCII; 0 if it is not
    /// well-formed.
    @inline(__always)
    static func length(of bytes: UInt32) -> Int {
        // The masks check that continuation bytes begin with 10.
        let lead = bytes & 0xff
        switch lead {
        case 0xc2...0xdf:
            return bytes & 0xc000 == 0x8000 ? 2 : 0
        case 0xe0...0xef:
            guard bytes & 0xc0c000 == 0x808000 else { return 0 }
            let scalar = (bytes & 0x0f) << 12 | (bytes >> 8 & 0x3f) << 6 | bytes >> 16 & 0x3f
            return scalar >= 0x800 && scalar & 0xf800 != 0xd800 ? 3 : 0
        case 0xf0...0xf4:
            guard bytes & 0xc0c0_c000 == 0x8080_8000 else { return 0 }
            let high = (bytes & 0x07) << 6 | bytes >> 8 & 0x3f  // the scalar without its lowest twelve bits
            return 0x10...0x10f ~= high ? 4 : 0
        default:
            return 0
        }
    }
}
