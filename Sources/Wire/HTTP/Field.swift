extension HTTP {
    /// One header field of an HTTP message (RFC 9110 §5): no name and no value can end the line or begin another one.
    public struct Field: Hashable, Sendable, CustomStringConvertible {
        /// The name.
        public let name: Name
        /// The value without white space around it.
        @ExactText public private(set) var value: String

        /// A field name (RFC 9110 §5.1): kept as it was written, compared without regard to case.
        public struct Name: Sendable, Hashable, CustomStringConvertible, Parsable {
            /// The name as it was written.
            public let text: String
        }

        /// The most bytes of a name and of a value: room for the largest token, and no more.
        package static let lengthLimit = 32_768

        /// Checks a value; white space around it is dropped.
        public init(_ name: Name, _ value: String) throws(SyntaxError) {
            try self.init(name, value.utf8)
        }

        /// Checks the bytes of a value; white space around it is dropped.
        public init(_ name: Name, _ value: some Collection<UInt8>) throws(SyntaxError) {
            self.name = name
            self.value = try withBytes(of: value) { bytes throws(SyntaxError) in try Self.checkedValue(bytes) }
        }

        private static func checkedValue(_ bytes: Span<UInt8>) throws(SyntaxError) -> String {
            guard bytes.count <= lengthLimit else {
                throw .tooLong(.fieldValue, length: bytes.count, limit: lengthLimit)
            }
            var range = bytes.indices
            while let last = range.last, ASCII.isBlank(bytes[last]) { range = range.dropLast() }
            while let first = range.first, ASCII.isBlank(bytes[first]) { range = range.dropFirst() }
            for offset in range where ASCII.isControl(bytes[offset]) && bytes[offset] != 0x09 {
                throw .foreignCharacter(.fieldValue, offset: offset)
            }
            if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(.fieldValue, offset: offset) }
            return bytes.text(range)
        }
    }
}

extension HTTP.Field.Name {
    /// Reads a token (RFC 9110 §5.6.2).
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        guard bytes.count <= HTTP.Field.lengthLimit else {
            throw .tooLong(.fieldName, length: bytes.count, limit: HTTP.Field.lengthLimit)
        }
        text = try FieldGrammar.wholeToken(bytes, .fieldName)
    }
}

extension HTTP.Field.Name {
    /// Whether the names are the same but for case.
    public static func == (one: Self, other: Self) -> Bool {
        one.text.withBytes { one in
            other.text.withBytes { other in
                one.count == other.count
                    && one.indices.allSatisfy { ASCII.lowercased(one[$0]) == ASCII.lowercased(other[$0]) }
            }
        }
    }

    /// Feeds the name in lower case to the hasher.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(ASCII.lowercased(byte)) }
    }

    /// The name as it was written.
    public var description: String { text }
}

extension HTTP.Field.Name {
    /// RFC 9110 §12.5.1.
    package static let accept = Self(text: "Accept")
    /// RFC 9110 §11.6.2.
    public static let authorization = Self(text: "Authorization")
    /// RFC 9111 §5.2.
    package static let cacheControl = Self(text: "Cache-Control")
    /// RFC 9110 §8.3.
    public static let contentType = Self(text: "Content-Type")
    /// RFC 9110 §6.6.1.
    package static let date = Self(text: "Date")
    /// RFC 9449 §4.1.
    public static let dpop = Self(text: "DPoP")
    /// RFC 9449 §8.
    public static let dpopNonce = Self(text: "DPoP-Nonce")
    /// RFC 9111 §5.3.
    package static let expires = Self(text: "Expires")
    /// RFC 9110 §7.2.
    package static let host = Self(text: "Host")
    /// RFC 9110 §10.2.2.
    package static let location = Self(text: "Location")
    /// RFC 9111 §5.4.
    package static let pragma = Self(text: "Pragma")
    /// RFC 9110 §10.2.3.
    package static let retryAfter = Self(text: "Retry-After")
    /// RFC 9110 §11.6.1.
    public static let wwwAuthenticate = Self(text: "WWW-Authenticate")
}

extension HTTP.Field.Name {
    /// The method that a web server asks about.
    package static let originalMethod = Self(text: "X-Original-Method")
    /// The target that a web server asks about.
    package static let originalTarget = Self(text: "X-Original-URI")
    /// Under which name a service knows who asks.
    package static let eduidSubject = Self(text: "Eduid-Subject")
    /// Through which app somebody asks.
    package static let eduidApp = Self(text: "Eduid-App")
    /// What the token with a request is good for.
    package static let eduidScope = Self(text: "Eduid-Scope")
    /// What was released about who asks.
    package static let eduidAttributes = Self(text: "Eduid-Attributes")
}

extension HTTP.Field {
    /// The name only; the value may be a secret.
    public var description: String { name.text + ": …" }
}
