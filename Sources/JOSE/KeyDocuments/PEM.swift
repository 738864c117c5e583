import Wire

/// The textual encoding of RFC 7468, in the strict form that its §3 asks writers for.
enum PEM {
    /// The bytes of a document with this label.
    ///
    /// White space may follow the last boundary, nothing else stands beside the document.
    static func decode(_ text: String, label: String) throws(JWK.Rejection) -> [UInt8] {
        var lines: [Substring.UTF8View] = []
        var rest = text.utf8[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(withoutReturn(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        lines.append(withoutReturn(rest))
        while let last = lines.last, last.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
            lines.removeLast()
        }

        guard lines.count > 2, lines.first?.elementsEqual("-----BEGIN \(label)-----".utf8) == true,
            lines.last?.elementsEqual("-----END \(label)-----".utf8) == true
        else { throw .noBoundary(label: label) }
        var characters: [UInt8] = []
        for line in lines[1..<(lines.count - 1)] {
            // Every line but the last has 64 characters (RFC 7468 §2).
            guard !line.isEmpty, line.count <= 64, characters.count % 64 == 0 else { throw .malformedBase64 }
            characters += line
        }
        return try wrapping({ (_: SyntaxError) in JWK.Rejection.malformedBase64 }, try Base64.decode(characters))
    }

    private static func withoutReturn(_ line: Substring.UTF8View) -> Substring.UTF8View {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// The text of a document with this label.
    static func encode(_ bytes: [UInt8], label: String) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = Base64.encode(bytes)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----\n"
    }
}
