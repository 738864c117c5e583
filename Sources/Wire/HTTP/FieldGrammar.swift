/// The pieces that field values are made of (RFC 9110 §5.6), each read from an offset that it moves behind itself.
enum FieldGrammar {
    /// The most parameters of one value, and the most elements of one list.
    static let countLimit = 64

    /// Moves over optional white space.
    static func skipBlanks(_ bytes: Span<UInt8>, _ at: inout Int) {
        while at < bytes.count, ASCII.isBlank(bytes[at]) { at += 1 }
    }

    /// Moves over one byte, if it stands there.
    static func skip(_ byte: Unicode.Scalar, _ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: byte) else { return false }
        at += 1
        return true
    }

    /// Moves over white space and the commas of empty list elements (RFC 9110 §5.6.1.2).
    static func skipEmptyElements(_ bytes: Span<UInt8>, _ at: inout Int) {
        repeat { skipBlanks(bytes, &at) } while skip(",", bytes, &at)
    }

    /// What stands between the commas of a list, without white space around it; nothing is left out.
    static func members(_ value: String) -> [Substring.UTF8View] {
        value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { member in
            var member = member
            while let first = member.first, ASCII.isBlank(first) { member = member.dropFirst() }
            while let last = member.last, ASCII.isBlank(last) { member = member.dropLast() }
            return member
        }
    }

    /// The token from the offset; empty where none is.
    static func token(_ bytes: Span<UInt8>, _ at: inout Int) -> Range<Int> {
        let start = at
        while at < bytes.count, ASCII.isToken(bytes[at]) { at += 1 }
        return start..<at
    }

    /// The text of a whole value that is a token.
    static func wholeToken(_ bytes: Span<UInt8>, _ format: SyntaxError.Format) throws(SyntaxError) -> String {
        guard !bytes.isEmpty else { throw .empty(format) }
        var at = 0
        guard token(bytes, &at).count == bytes.count else { throw .foreignCharacter(format, offset: at) }
        return bytes.text(0..<at)
    }

    /// The token68 from the offset (RFC 9110 §11.2); empty where none is.
    static func token68(_ bytes: Span<UInt8>, _ at: inout Int) -> Range<Int> {
        let start = at
        while at < bytes.count, ASCII.isToken68(bytes[at]) { at += 1 }
        guard at > start else { return start..<start }
        while at < bytes.count, bytes[at] == UInt8(ascii: "=") { at += 1 }
        return start..<at
    }

    /// What a quoted string or a token stands for (RFC 9110 §5.6.4), or `nil` if neither begins or a quoted string
    /// does not end.
    static func tokenOrQuotedString(_ bytes: Span<UInt8>, _ at: inout Int) -> String? {
        let start = at
        guard skip("\"", bytes, &at) else {
            let range = token(bytes, &at)
            return range.isEmpty ? nil : bytes.text(range)
        }
        var text: [UInt8] = []
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            _ = skip("\\", bytes, &at)
            guard at < bytes.count, !ASCII.isControl(bytes[at]) || bytes[at] == 0x09 else { return nil }
            text.append(bytes[at])
            at += 1
        }
        guard skip("\"", bytes, &at) else {
            at = start
            return nil
        }
        return text.span.text(text.indices)
    }

    /// Whether an element of a list ends at the offset.
    static func endsElement(_ bytes: Span<UInt8>, _ at: Int) -> Bool {
        at == bytes.count || bytes[at] == UInt8(ascii: ",")
    }

    /// Reads a parameter and the white space behind it, and adds it to those before it, of which none has its name.
    ///
    /// White space around the equals sign is allowed in challenges only (RFC 9110 §11.2).
    static func readParameter(
        _ bytes: Span<UInt8>, _ at: inout Int, _ format: SyntaxError.Format,
        into parameters: inout [HTTP.FieldParameter]
    ) throws(SyntaxError) {
        let start = at
        let range = token(bytes, &at)
        if format == .authentication { skipBlanks(bytes, &at) }
        guard !range.isEmpty, skip("=", bytes, &at) else { throw .malformed(format, offset: at) }
        if format == .authentication { skipBlanks(bytes, &at) }
        guard let value = tokenOrQuotedString(bytes, &at) else { throw .malformed(format, offset: at) }
        let name = bytes.lowercasedText(range)
        guard parameters[name] == nil else { throw .repeatedParameter(format, offset: start) }
        guard parameters.count < countLimit else { throw .tooMany(format, limit: countLimit) }
        parameters.append(HTTP.FieldParameter(name: name, value: value))
        skipBlanks(bytes, &at)
    }

    /// Writes a quoted string.
    static func append(quoting text: String, to output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { output += "\\" }
            output.unicodeScalars.append(scalar)
        }
        output += "\""
    }

    /// Whether the text may be written without quotes.
    static func isToken(_ text: String) -> Bool {
        !text.utf8.isEmpty && text.utf8.allSatisfy(ASCII.isToken)
    }

    /// Whether two texts of ASCII are the same but for case.
    static func areAlike(_ one: String, _ other: String) -> Bool {
        one.utf8.lazy.map(ASCII.lowercased).elementsEqual(other.utf8.lazy.map(ASCII.lowercased))
    }
}

extension HTTP {
    /// A parameter of a field value: its name in lower case, because case says nothing there, and its value without
    /// quotes.
    package struct FieldParameter: Hashable, Sendable {
        /// The name in lower case.
        package let name: String
        /// The value without quotes.
        @ExactText package private(set) var value: String

        init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension [HTTP.FieldParameter] {
    /// The value of a parameter, whose name is compared without regard to case.
    subscript(name: String) -> String? { first { FieldGrammar.areAlike($0.name, name) }?.value }
}
