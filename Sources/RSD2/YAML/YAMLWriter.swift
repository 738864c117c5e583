package import Wire

extension YAML {
    /// A JSON object as block YAML, which every version of YAML reads as the same value: whatever could be taken for
    /// something else is quoted.
    package static func encoded(_ object: JSON.Object) -> [UInt8] {
        var writer = YAMLWriter()
        if object.isEmpty { writer.text("{}\n") } else { writer.members(object, indent: 0) }
        return writer.output
    }
}

/// Writes block collections with two spaces of indentation; depth is that of the value, which a reader has bounded.
private struct YAMLWriter {
    var output: [UInt8] = []

    mutating func text(_ text: String) {
        output.append(contentsOf: text.utf8)
    }

    mutating func indentation(_ indent: Int) {
        output.append(contentsOf: repeatElement(0x20, count: indent))
    }

    mutating func members(_ object: JSON.Object, indent: Int, startsInline: Bool = false) {
        for (offset, member) in object.enumerated() {
            if offset > 0 || !startsInline { indentation(indent) }
            scalar(member.name.text)
            text(":")
            value(member.value, indent: indent)
        }
    }

    /// Behind a `:` or a `-`, up to the end of the line or of the lines.
    mutating func value(_ value: JSON, indent: Int) {
        switch value {
        case .string(let string):
            text(" ")
            scalar(string)
            text("\n")
        case .array(let elements) where !elements.isEmpty:
            text("\n")
            for element in elements {
                indentation(indent + 2)
                text("-")
                self.element(element, indent: indent + 2)
            }
        case .object(let object) where !object.isEmpty:
            text("\n")
            members(object, indent: indent + 2)
        // What is empty or no collection is written as in JSON.
        case .null, .bool, .number, .array, .object: text(" " + value.encodedString() + "\n")
        }
    }

    /// A collection as an element begins behind the dash, so that its lines stand below its first one.
    private mutating func element(_ element: JSON, indent: Int) {
        switch element {
        case .object(let object) where !object.isEmpty:
            text(" ")
            members(object, indent: indent + 2, startsInline: true)
        default: value(element, indent: indent)
        }
    }

    mutating func scalar(_ string: String) {
        if Self.isPlain(string) { text(string) } else { quoted(string) }
    }

    /// A word that begins with a letter, has no character with a meaning, and is not a constant of any version of YAML.
    private static func isPlain(_ string: String) -> Bool {
        var last: UInt8 = 0
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                if last == 0 { return false }
            case UInt8(ascii: ":"), 0x20:
                if last == 0 || last == 0x20 { return false }
            default: return false
            }
            if last == UInt8(ascii: ":") && byte == 0x20 { return false }
            last = byte
        }
        guard last != 0, last != UInt8(ascii: ":"), last != 0x20, string.utf8.count <= 512 else { return false }
        let folded = string.utf8.map { $0 | 0x20 }
        let constants = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
        return !constants.contains { $0.utf8.elementsEqual(folded) }
    }

    private mutating func quoted(_ string: String) {
        output.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            switch scalar.value {
            case 0x22: text("\\\"")
            case 0x5C: text("\\\\")
            case 0x0A: text("\\n")
            case 0x09: text("\\t")
            case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF:
                output.appendUTF8(scalar.value)
            default:
                let digits = String(scalar.value, radix: 16)
                text("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
