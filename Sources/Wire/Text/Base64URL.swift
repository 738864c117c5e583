/// Base64 with the URL-safe alphabet as JOSE writes it (RFC 7515 §2): no padding, no white space, no left-over bits, so
/// that two texts never mean one value.
package enum Base64URL {
    /// Reads unpadded text.
    package static func decode(_ text: Span<UInt8>) throws(SyntaxError) -> [UInt8] {
        guard let bytes = Sextets.urlSafe.decode(text, characters: text.count) else { throw rejection(of: text) }
        return bytes
    }

    /// Reads unpadded text.
    package static func decode(_ text: [UInt8]) throws(SyntaxError) -> [UInt8] { try decode(text.span) }

    /// Reads unpadded text from any collection of bytes.
    package static func decode(_ text: some Collection<UInt8>) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text) { text throws(SyntaxError) in try decode(text) }
    }

    /// Reads unpadded text.
    package static func decode(_ text: String) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text.utf8) { text throws(SyntaxError) in try decode(text) }
    }

    /// Writes unpadded text.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        Sextets.urlSafe.encode(bytes, padded: false)
    }

    /// Writes unpadded text.
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

    /// Writes unpadded text of any collection of bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { encode($0) }
    }

    /// Writes unpadded text behind what the output already holds.
    package static func encode(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        Sextets.urlSafe.encode(bytes, to: &output)
    }

    /// Writes unpadded text behind what the output already holds.
    package static func encode(_ bytes: [UInt8], to output: inout [UInt8]) { encode(bytes.span, to: &output) }

    /// Writes unpadded text of any collection of bytes behind what the output already holds.
    package static func encode(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        withBytes(of: bytes) { encode($0, to: &output) }
    }

    /// How many characters the text of that many bytes has.
    package static func length(ofBytes count: Int) -> Int {
        Sextets.characterCount(ofBytes: count)
    }

    /// Names the first broken rule of a text that has been refused.
    private static func rejection(of text: Span<UInt8>) -> SyntaxError {
        let count = text.count
        if let offset = (0..<count).first(where: { !Sextets.urlSafe.contains(text[$0]) }) {
            return text[offset] == UInt8(ascii: "=")
                ? .misplacedPadding(offset: offset) : .foreignCharacter(.base64, offset: offset)
        }
        return count % 4 == 1 ? .impossibleLength(.base64, characters: count) : .strayBits(offset: count - 1)
    }
}
