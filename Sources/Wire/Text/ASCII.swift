/// The classes of characters that the grammars of URIs and HTTP fields are made of.
///
/// Texts of nothing else may be compared and hashed as Swift strings: on ASCII that is the comparison of bytes.
package enum ASCII {
    /// DIGIT (RFC 5234 §B.1).
    @inlinable @inline(__always)
    package static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    /// ALPHA (RFC 5234 §B.1).
    @inlinable @inline(__always)
    package static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26
    }

    /// The letter in lower case; any other byte as it is.
    @inlinable @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit in either case.
    @inlinable @inline(__always)
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// C0 controls and DEL.
    @inlinable @inline(__always)
    package static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f
    }

    /// unreserved (RFC 3986 §2.3).
    @inlinable @inline(__always)
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetter(byte) || isDigit(byte)
        }
    }

    /// sub-delims (RFC 3986 §2.2).
    @inlinable @inline(__always)
    package static func isSubDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// pchar without its percent-encoded form (RFC 3986 §3.3).
    @inlinable @inline(__always)
    package static func isPathCharacter(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isSubDelimiter(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
    }

    /// tchar (RFC 9110 §5.6.2).
    @inlinable @inline(__always)
    package static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isLetter(byte) || isDigit(byte)
        }
    }

    /// The characters of token68 before its padding (RFC 9110 §11.2).
    @inlinable @inline(__always)
    package static func isToken68(_ byte: UInt8) -> Bool {
        // A bit for each character of either half of ASCII: tokens are long, and which character comes next nobody
        // foresees.
        let half: UInt64 = byte < 0x40 ? 0x03ff_e800_0000_0000 : 0x47ff_fffe_87ff_fffe
        return byte < 0x80 && half &>> UInt64(byte) & 1 == 1
    }

    /// The space or tab of OWS (RFC 9110 §5.6.3).
    @inlinable @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}

extension Span where Element == UInt8 {
    /// The text of a range whose bytes have been checked to be UTF-8.
    func text(_ range: Range<Int>) -> String {
        let part = extracting(range)
        return part.withUnsafeBufferPointer { source in
            String(unsafeUninitializedCapacity: source.count) { target in
                // Bound: the target has room for all of the source.
                target.initialize(from: source).1
            }
        }
    }

    /// Whether all bytes are seen at a glance to be ASCII without controls: eight at a time, by their high bits.
    ///
    /// Borrows between the bytes of a word can hide nothing, only accuse the innocent; so where the answer is no, a
    /// look at each byte decides.
    var isPlainASCII: Bool { isASCII(from: 0x20) }

    /// Whether all bytes are seen at a glance to be ASCII without controls and spaces.
    package var isVisibleASCII: Bool { isASCII(from: 0x21) }

    @inline(__always)
    private func isASCII(from first: UInt8) -> Bool {
        withUnsafeBytes { bytes in
            let (highs, ones) = (0x8080_8080_8080_8080 as UInt64, 0x0101_0101_0101_0101 as UInt64)
            let (firsts, deletes) = (ones &* UInt64(first), ones &* 0x7f)
            var offset = 0
            // Bound: a word is read only where eight bytes are left.
            while offset + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard (word | (word &- firsts) | ((word ^ deletes) &- ones)) & highs == 0 else { return false }
                offset += 8
            }
            while offset < bytes.count {
                guard first..<0x7f ~= bytes[offset] else { return false }
                offset += 1
            }
            return true
        }
    }

    /// The text of a range of checked ASCII, in lower case.
    func lowercasedText(_ range: Range<Int>) -> String {
        let part = extracting(range)
        return String(unsafeUninitializedCapacity: part.count) { target in
            for index in part.indices { target[index] = ASCII.lowercased(part[index]) }
            return part.count
        }
    }
}
