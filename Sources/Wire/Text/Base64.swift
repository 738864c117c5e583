/// Base64 with the standard alphabet (RFC 4648 §4), strict: padded, no white space, no left-over bits, so that two
/// texts never mean one value.
public enum Base64 {
    /// The rules that keep a text and its bytes in one-to-one correspondence.
    public enum Rejection: Error, Equatable, Sendable {
        /// The byte at the offset is not of the alphabet; it is not repeated here, because the text may be a secret.
        case foreignCharacter(offset: Int)
        /// A `=` where none may stand.
        case misplacedPadding(offset: Int)
        /// The last group is not filled up with `=`.
        case missingPadding(length: Int)
        /// No number of bytes is written with that many characters.
        case impossibleLength(characters: Int)
        /// The last character carries bits that belong to no byte.
        case strayBits(offset: Int)
    }

    /// Reads padded text.
    public static func decode(_ text: Span<UInt8>) throws(Rejection) -> [UInt8] {
        let characters = text.count - paddingCount(text)
        guard text.count % 4 == 0, let bytes = Sextets.standard.decode(text, characters: characters) else {
            throw rejection(of: text)
        }
        return bytes
    }

    /// Reads padded text from any collection of bytes.
    public static func decode(_ text: some Collection<UInt8>) throws(Rejection) -> [UInt8] {
        try withBytes(of: text) { text throws(Rejection) in try decode(text) }
    }

    /// Reads padded text.
    public static func decode(_ text: String) throws(Rejection) -> [UInt8] {
        try withBytes(of: text.utf8) { text throws(Rejection) in try decode(text) }
    }

    /// Writes padded text.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        Sextets.standard.encode(bytes, padded: true)
    }

    /// Writes padded text of any collection of bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { encode($0) }
    }

    /// The `=` that may end a text: at most two.
    private static func paddingCount(_ text: Span<UInt8>) -> Int {
        let count = text.count
        guard count > 0, text[count - 1] == UInt8(ascii: "=") else { return 0 }
        return count > 1 && text[count - 2] == UInt8(ascii: "=") ? 2 : 1
    }

    /// Names the first broken rule of a text that has been refused.
    private static func rejection(of text: Span<UInt8>) -> Rejection {
        let end = text.count
        let characters = text.indices.first { text[$0] == UInt8(ascii: "=") } ?? end
        if let offset = (0..<characters).first(where: { !Sextets.standard.contains(text[$0]) }) {
            return .foreignCharacter(offset: offset)
        }
        if characters % 4 == 1 { return .impossibleLength(characters: characters) }
        let filled = characters + (4 - characters % 4) % 4
        for offset in characters..<end {
            guard text[offset] == UInt8(ascii: "=") else {
                return Sextets.standard.contains(text[offset])
                    ? .misplacedPadding(offset: offset - 1) : .foreignCharacter(offset: offset)
            }
            if offset >= filled { return .misplacedPadding(offset: offset) }
        }
        return end < filled ? .missingPadding(length: end) : .strayBits(offset: characters - 1)
    }
}

extension Base64.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .foreignCharacter(let offset): "a byte outside of the alphabet at offset \(offset) (\(clause))"
        case .misplacedPadding(let offset): "padding where none may stand, at offset \(offset) (\(clause))"
        case .missingPadding(let length): "padding is missing at the end of \(length) bytes (\(clause))"
        case .impossibleLength(let characters): "\(characters) characters stand for no number of bytes (\(clause))"
        case .strayBits(let offset): "left-over bits in the last character, at offset \(offset) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .foreignCharacter: "RFC4648-3.3"
        case .misplacedPadding, .missingPadding: "RFC4648-3.2"
        case .impossibleLength: "RFC4648-4"
        case .strayBits: "RFC4648-3.5"
        }
    }
}
