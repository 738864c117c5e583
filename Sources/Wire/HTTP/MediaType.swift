extension HTTP {
    /// A media type with its parameters (RFC 9110 §8.3.1), as `Content-Type` carries it.
    public struct MediaType: Hashable, Sendable {
        /// Type and subtype in lower case, with the slash between them.
        public let essence: String
        /// The parameters in their order; no name comes twice.
        public let parameters: [HTTP.FieldParameter]

        /// RFC 8259 §11.
        public static let json = HTTP.MediaType(essence: "application/json", parameters: [])
        /// WHATWG URL §5.
        public static let form = HTTP.MediaType(essence: "application/x-www-form-urlencoded", parameters: [])

        private init(essence: String, parameters: [HTTP.FieldParameter]) {
            self.essence = essence
            self.parameters = parameters
        }

        /// Whether type and subtype are the same, whatever the parameters.
        public func matches(_ other: HTTP.MediaType) -> Bool {
            essence.spells(other.essence)
        }

        /// The value of a parameter, whose name is compared without regard to case.
        public subscript(name: String) -> String? {
            parameters.first { FieldGrammar.areAlike($0.name, name) }?.value
        }
    }
}

extension HTTP.MediaType: Parsable {
    /// Reads a media type; empty parameters between semicolons count for nothing.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
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
            let place = at
            let range = FieldGrammar.token(bytes, &at)
            guard !range.isEmpty else { continue }
            let name = bytes.lowercasedText(range)
            guard FieldGrammar.skip("=", bytes, &at), let value = FieldGrammar.tokenOrQuotedString(bytes, &at) else {
                throw .malformed(.mediaType, offset: at)
            }
            guard !parameters.contains(where: { FieldGrammar.areAlike($0.name, name) }) else {
                throw .repeatedParameter(.mediaType, offset: place)
            }
            guard parameters.count < FieldGrammar.countLimit else {
                throw .tooMany(.mediaType, limit: FieldGrammar.countLimit)
            }
            parameters.append(HTTP.FieldParameter(name: name, value: value))
            FieldGrammar.skipBlanks(bytes, &at)
        }
        self.parameters = parameters
    }
}

extension HTTP.MediaType: CustomStringConvertible {
    /// The media type as a field value.
    public var text: String {
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
    public var description: String { text }
}
