extension HTTP {
    /// A media type with its parameters (RFC 9110 §8.3.1), as `Content-Type` carries it.
    package struct MediaType: Hashable, Sendable {
        /// Type and subtype in lower case, with the slash between them.
        package let essence: String
        /// The parameters in their order; no name comes twice.
        package let parameters: [HTTP.FieldParameter]

        /// RFC 8259 §11.
        package static let json = HTTP.MediaType(essence: "application/json", parameters: [])
        /// WHATWG URL §5.
        package static let form = HTTP.MediaType(essence: "application/x-www-form-urlencoded", parameters: [])

        private init(essence: String, parameters: [HTTP.FieldParameter]) {
            self.essence = essence
            self.parameters = parameters
        }

        /// Whether type and subtype are the same, whatever the parameters.
        package func matches(_ other: HTTP.MediaType) -> Bool {
            essence.spells(other.essence)
        }

        /// The value of a parameter, whose name is compared without regard to case.
        package subscript(name: String) -> String? { parameters[name] }
    }
}

extension HTTP.MediaType: Parsable {
    /// Reads a media type; empty parameters between semicolons count for nothing.
    package init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(.mediaType, offset: offset) }
        var at = 0
        FieldGrammar.skipBlanks(bytes, &at)
        let start = at
        let type = FieldGrammar.token(bytes, &at)
        guard !type.isEmpty, FieldGrammar.skip("/", bytes, &at) else { throw .malformed(.mediaType, offset: at) }
        let subtype = FieldGrammar.token(bytes, &at)
        guard !subtype.isEmpty else { throw .malformed(.mediaType, offset: at) }
        essence = bytes.lowercasedText(start..<at)
        var parameters: [HTTP.FieldParameter] = []
        FieldGrammar.skipBlanks(bytes, &at)
        while at < bytes.count {
            guard FieldGrammar.skip(";", bytes, &at) else { throw .malformed(.mediaType, offset: at) }
            FieldGrammar.skipBlanks(bytes, &at)
            if at == bytes.count || bytes[at] == UInt8(ascii: ";") { continue }
            try FieldGrammar.readParameter(bytes, &at, .mediaType, into: &parameters)
        }
        self.parameters = parameters
    }
}

extension HTTP.MediaType: CustomStringConvertible {
    /// The media type as a field value.
    package var text: String {
        var text = essence
        for parameter in parameters {
            text += ";" + parameter.name + "="
            if FieldGrammar.isToken(parameter.value) {
                text += parameter.value
            } else {
                FieldGrammar.append(quoting: parameter.value, to: &text)
            }
        }
        return text
    }

    /// The media type as a field value.
    package var description: String { text }
}
