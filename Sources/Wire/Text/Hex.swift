/// Hexadecimal text, "base16" of RFC 4648 §8, read in either case and written in lower case.
package enum Hex {
    /// Reads two digits for each byte.
    package static func decode(_ text: Span<UInt8>) throws(SyntaxError) -> [UInt8] {
        let count = text.count
        var faults: UInt8 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count / 2) { target, written in
            for index in 0..<count / 2 {
                let (high, low) = (digit(text[index * 2]), digit(text[index * 2 + 1]))
                faults |= high | low
                target[index] = high &<< 4 | low & 15
            }
            written = count / 2
        }
        if faults > 15 || count % 2 == 1 {
            for offset in text.indices where digit(text[offset]) > 15 {
                throw .foreignCharacter(.hexadecimal, offset: offset)
            }
            throw .impossibleLength(.hexadecimal, characters: count)
        }
        return bytes
    }

    /// Reads two digits for each byte from any collection of bytes.
    package static func decode(_ text: some Collection<UInt8>) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text) { text throws(SyntaxError) in try decode(text) }
    }

    /// Reads two digits for each byte.
    package static func decode(_ text: String) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text.utf8) { text throws(SyntaxError) in try decode(text) }
    }

    /// Writes two lower-case digits for each byte.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { target in
            for index in bytes.indices {
                target[index * 2] = character(bytes[index] &>> 4)
                target[index * 2 + 1] = character(bytes[index] & 15)
            }
            return bytes.count * 2
        }
    }

    /// Writes two lower-case digits for each byte of any collection.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { encode($0) }
    }

    /// The digit's value, or a number above 15 for any other byte; without a table and without a branch, because keys
    /// are written in hex too.
    @inline(__always)
    private static func digit(_ byte: UInt8) -> UInt8 {
        let number = byte ^ 0x30
        let letter = (byte & 0xdf) &- 0x37
        let isNumber = UInt8(truncatingIfNeeded: (UInt16(number) &- 10) &>> 8)
        let isLetter = UInt8(truncatingIfNeeded: ((UInt16(letter) &- 10) ^ (UInt16(letter) &- 16)) &>> 8)
        return (isNumber & number) | (isLetter & letter) | ~(isNumber | isLetter)
    }

    @inline(__always)
    private static func character(_ digit: UInt8) -> UInt8 {
        let isLetter = UInt8(truncatingIfNeeded: (9 &- UInt16(digit)) &>> 8)
        return digit &+ 0x30 &+ (isLetter & 0x27)
    }
}
