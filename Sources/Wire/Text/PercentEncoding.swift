/// Percent-encoding of bytes (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Replaces each triplet by its byte; everything else is taken as it is.
    package static func decode(_ text: Span<UInt8>) throws(SyntaxError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var offset = 0
        while offset < text.count {
            if text[offset] == UInt8(ascii: "%") {
                guard let byte = byte(ofTripletAt: offset, in: text) else {
                    throw .brokenTriplet(.percentEncoding, offset: offset)
                }
                bytes.append(byte)
                offset += 3
            } else {
                bytes.append(text[offset])
                offset += 1
            }
        }
        return bytes
    }

    /// Replaces each triplet of any collection by its byte.
    package static func decode(_ text: some Collection<UInt8>) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text) { text throws(SyntaxError) in try decode(text) }
    }

    /// Replaces each triplet by its byte.
    package static func decode(_ text: String) throws(SyntaxError) -> [UInt8] {
        try withBytes(of: text.utf8) { text throws(SyntaxError) in try decode(text) }
    }

    /// Writes every byte that is not unreserved as a triplet, so that the result fits into any component of a URI.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if ASCII.isUnreserved(byte) { text.append(byte) } else { append(tripletOf: byte, to: &text) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes every byte of a text that is not unreserved as a triplet.
    package static func encode(_ text: String) -> String {
        encode(text.utf8)
    }

    /// The byte of the triplet that begins at a percent sign, if it is whole.
    static func byte(ofTripletAt offset: Int, in text: Span<UInt8>) -> UInt8? {
        guard text.count - offset >= 3, let high = ASCII.hexValue(text[offset + 1]),
            let low = ASCII.hexValue(text[offset + 2])
        else {
            return nil
        }
        return high << 4 | low
    }

    /// Writes a triplet in upper case, the normal form (RFC 3986 §2.1).
    static func append(tripletOf byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] {
            text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10))
        }
    }

    /// The normal form (RFC 3986 §6.2.2): triplets of unreserved characters are replaced by them, all others written in
    /// upper case.
    ///
    /// Broken triplets stay as they are.
    static func normalized(_ text: some Sequence<UInt8>, lowercasing: Bool = false) -> [UInt8] {
        let source = [UInt8](text)
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var offset = 0
        while offset < source.count {
            var byte = source[offset]
            offset += 1
            if byte == UInt8(ascii: "%"), let value = Self.byte(ofTripletAt: offset - 1, in: source.span) {
                offset += 2
                guard ASCII.isUnreserved(value) else {
                    append(tripletOf: value, to: &result)
                    continue
                }
                byte = value
            }
            result.append(lowercasing ? ASCII.lowercased(byte) : byte)
        }
        return result
    }
}
