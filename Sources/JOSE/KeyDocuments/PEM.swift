import Wire

/// The textual encoding of RFC 7468, in the strict form that its §3 asks writers for.
enum PEM {
    static let publicKey = "PUBLIC KEY"
    static let privateKey = "PRIVATE KEY"
    static let curvePrivateKey = "EC PRIVATE KEY"

    /// The bytes of a document with one of these labels, and its label.
    ///
    /// White space may follow the last boundary, nothing else stands beside the document.
    static func decode(_ text: String, labels: [String]) throws(JWK.Rejection) -> (label: String, bytes: [UInt8]) {
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

        let expected = labels.first ?? publicKey
        guard let first = lines.first, let found = label(of: first) else { throw .noBoundary(label: expected) }
        if found.utf8.elementsEqual("RSA PRIVATE KEY".utf8) { throw .privateRSAKey }
        guard let label = labels.first(where: { $0.utf8.elementsEqual(found.utf8) }) else {
            throw .otherDocument(found: found, expected: expected)
        }
        guard lines.count > 2, lines.last?.elementsEqual("-----END \(label)-----".utf8) == true else {
            throw .noBoundary(label: label)
        }
        var characters: [UInt8] = []
        for line in lines[1..<(lines.count - 1)] {
            guard !line.contains(UInt8(ascii: ":")) else { throw .documentHeader }
            // Every line but the last has 64 characters (RFC 7468 §2).
            guard !line.isEmpty, line.count <= 64, characters.count % 64 == 0 else { throw .malformedBase64 }
            characters += line
        }
        let bytes = try wrapping(
            { (_: SyntaxError) in JWK.Rejection.malformedBase64 }, try Base64.decode(characters))
        return (label, bytes)
    }

    /// The label of a first line; `nil` if the line is none.
    private static func label(of line: Substring.UTF8View) -> String? {
        let (opening, closing) = ("-----BEGIN ".utf8, "-----".utf8)
        guard line.count > opening.count + closing.count, line.starts(with: opening),
            line.suffix(closing.count).elementsEqual(closing)
        else { return nil }
        let label = line.dropFirst(opening.count).dropLast(closing.count)
        // RFC 7468 §3: printable characters; what is quoted in a refusal stays short.
        guard label.count <= 64, label.allSatisfy({ 0x20...0x7e ~= $0 }) else { return nil }
        return String(Substring(label))
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
