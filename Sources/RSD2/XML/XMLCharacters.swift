/// The character classes of XML 1.0, fifth edition, and the entities that it predefines.
enum XMLCharacter {
    /// NameStartChar, production 4, with the colon that namespaces set apart.
    static func startsName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x61...0x7A, 0x41...0x5A, 0x5F, 0x3A: true
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF: true
        case 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF: true
        case 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF: true
        default: false
        }
    }

    /// NameChar, production 4a.
    static func continuesName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: startsName(scalar)
        }
    }

    /// Whether a text can be the local name of an element.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, startsName(first.value) else { return false }
        return text.unicodeScalars.allSatisfy { continuesName($0.value) && $0 != ":" }
    }

    /// The predefined entities behind their `&`, section 4.6.
    static let entities: [(name: String, scalar: UInt32)] = [
        ("amp;", 0x26), ("lt;", 0x3C), ("gt;", 0x3E), ("quot;", 0x22), ("apos;", 0x27),
    ]

    /// S, production 3.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }
}
