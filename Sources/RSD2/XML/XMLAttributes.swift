import Wire

/// An attribute before its prefix is resolved: its name's place in the text, and its value.
struct XMLRawAttribute {
    let name: Range<Int>
    let value: String
}

extension XMLReader {
    /// The attributes of a tag, production 41, each behind white space.
    mutating func attributes() throws(FormatRejection) -> [XMLRawAttribute] {
        var found: [XMLRawAttribute] = []
        while true {
            let spaced = skipSpace()
            let next = peek()
            if next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || isAtEnd { return found }
            guard spaced else { throw .unexpected(line: here, expected: "white space before an attribute", in: .xml) }
            guard found.count < limits.attributes else {
                throw .tooManyAttributes(line: here, limit: limits.attributes)
            }
            let name = try name()
            guard !found.contains(where: { bytes[$0.name] == bytes[name] }) else {
                throw .duplicateAttribute(line: here, name: string(name))
            }
            _ = skipSpace()
            guard take(UInt8(ascii: "=")) else {
                throw .unexpected(line: here, expected: "'=' behind the name of an attribute", in: .xml)
            }
            _ = skipSpace()
            found.append(XMLRawAttribute(name: name, value: try attributeValue()))
        }
    }

    /// AttValue, production 10, normalized as §3.3.3 says for attributes without a declaration.
    private mutating func attributeValue() throws(FormatRejection) -> String {
        guard isAtQuote else { throw .unexpected(line: here, expected: "a quoted value", in: .xml) }
        let quote = peek()
        position += 1
        var value: [UInt8] = []
        while true {
            let byte = bytes[position]
            switch byte {
            case quote:
                position += 1
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "<"): throw .lessThanInAttribute(line: here)
            case UInt8(ascii: "&"): value.appendUTF8(try reference())
            case 0: throw .unfinished(line: here, construct: "the value of an attribute", in: .xml)
            case 0x09, 0x0A, 0x0D:
                value.append(0x20)
                position += 1
            default:
                value.append(byte)
                position += 1
            }
        }
    }

    // MARK: the XML declaration (productions 23–26, 32, 80)

    mutating func declaration() throws(FormatRejection) {
        position += 5
        guard let version = try pseudoAttribute("version") else { throw .malformedDeclaration(line: here) }
        let digits = version.dropFirst(2)
        guard version.starts(with: "1.".utf8), !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw .foreignVersion(line: here)
        }
        if let encoding = try pseudoAttribute("encoding") {
            guard encoding.lowercasedText.spells(text.isUTF16 ? "utf-16" : "utf-8") else {
                throw .foreignEncoding(declared: String(decoding: encoding.prefix(40), as: UTF8.self))
            }
        }
        if let standalone = try pseudoAttribute("standalone") {
            guard ["yes", "no"].contains(where: { standalone.elementsEqual($0.utf8) }) else {
                throw .malformedDeclaration(line: here)
            }
        }
        _ = skipSpace()
        guard take("?>") else { throw .malformedDeclaration(line: here) }
    }

    /// The value of a pseudo-attribute, or `nil` if it is not the next thing behind white space.
    private mutating func pseudoAttribute(_ name: String) throws(FormatRejection) -> ArraySlice<UInt8>? {
        let start = position
        guard skipSpace(), take(name) else {
            position = start
            return nil
        }
        _ = skipSpace()
        guard take(UInt8(ascii: "=")) else { throw .malformedDeclaration(line: here) }
        _ = skipSpace()
        let quote = peek()
        guard isAtQuote,
            let end = bytes[(position + 1)...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "<") }),
            bytes[end] == quote
        else { throw .malformedDeclaration(line: here) }
        defer { position = end + 1 }
        return bytes[position + 1..<end]
    }
}
