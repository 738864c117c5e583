/// Base64 with the standard alphabet (RFC 4648 §4), strict: padded, no white space, no left-over bits, so that two
/// texts never mean one value.
package enum Base64 {
    /// Reads padded text.
    package static func decode(_ text: Span<UInt8>) throws(SyntaxError) -> [UInt8] {
        let characters = text.count - paddingCount(text)
        guard text.count % 4 == 0, let bytes = Sextets.standard.decode(text, characters: characters) else {
            throw rejection(of: text)
        }
        return bytes
    }

    /// Reads padded text from any collection of bytes.
    package static func decode(_ text: some Collection<UInt8>) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text) { text throws(SyntaxError) in try decode(text) }
    }

    /// Reads padded text.
    package static func decode(_ text: String) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text.utf8) { text throws(SyntaxError) in try decode(text) }
    }

    /// Writes padded text.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        Sextets.standard.encode(bytes, padded: true)
    }

    /// Writes padded text of any collection of bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { encode($0) }
    }

    /// The `=` that may end a text: at most two.
    private static func paddingCount(_ text: Span<UInt8>) -> Int {
        let count = text.count
        guard count > 0, text[count - 1] == UInt8(ascii: "=") else { return 0 }
        return count > 1 && text[count - 2] == UInt8(ascii: "=") ? 2 : 1
    }

    /// Names the first broken rule of a text that has been refused.
    private static func rejection(of text: Span<UInt8>) -> SyntaxError {
        let end = text.count
        let characters = text.indices.first { text[$0] == UInt8(ascii: "=") } ?? end
        if let offset = (0..<characters).first(where: { !Sextets.standard.contains(text[$0]) }) {
            return .foreignCharacter(.base64, offset: offset)
        }
        if characters % 4 == 1 { return .impossibleLength(.base64, characters: characters) }
        let filled = characters + (4 - characters % 4) % 4
        for offset in characters..<end {
            guard text[offset] == UInt8(ascii: "=") else {
                return Sextets.standard.contains(text[offset])
                    ? .misplacedPadding(offset: offset - 1) : .foreignCharacter(.base64, offset: offset)
            }
            if offset >= filled { return .misplacedPadding(offset: offset) }
        }
        return end < filled ? .missingPadding(length: end) : .strayBits(offset: characters - 1)
    }
}
