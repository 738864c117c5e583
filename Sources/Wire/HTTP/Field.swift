extension HTTP {
    /// One header field of an HTTP message (RFC 9110 §5): no name and no value can end the line or begin another one.
    public struct Field: Hashable, Sendable {
        /// The name.
        public let name: Name
        /// The value without white space around it.
        public let value: String

        /// A field name (RFC 9110 §5.1): kept as it was written, compared without regard to case.
        public struct Name: Sendable {
            /// The name as it was written.
            public let text: String
        }

        /// The rules for fields.
        public enum Rejection: Error, Equatable, Sendable {
            /// The name is empty.
            case emptyName
            /// The byte may not stand in a name.
            case foreignCharacterInName(UInt8, offset: Int)
            /// The byte may not stand in a value: a control character, the ends of lines among them.
            case foreignCharacterInValue(UInt8, offset: Int)
            /// The value is not UTF-8 from the offset.
            case illFormedUTF8(offset: Int)
            /// The name or value is longer than the limit.
            case tooLong(length: Int, limit: Int)
            /// There are more fields than the limit.
            case tooManyFields(limit: Int)
        }

        /// The most bytes of a name and of a value: room for the largest token, and no more.
        public static let lengthLimit = 32_768

        /// Checks a value; white space around it is dropped.
        public init(_ name: Name, _ value: String) throws(Rejection) {
            try self.init(name, value.utf8)
        }

        /// Checks the bytes of a value; white space around it is dropped.
        public init(_ name: Name, _ value: some Collection<UInt8>) throws(Rejection) {
            self.name = name
            self.value = try withBytes(of: value) { bytes throws(Rejection) in try Self.checkedValue(bytes) }
        }

        private static func checkedValue(_ bytes: Span<UInt8>) throws(Rejection) -> String {
            guard bytes.count <= lengthLimit else { throw .tooLong(length: bytes.count, limit: lengthLimit) }
            var range = bytes.indices
            while let last = range.last, ASCII.isBlank(bytes[last]) { range = range.dropLast() }
            while let first = range.first, ASCII.isBlank(bytes[first]) { range = range.dropFirst() }
            for offset in range where ASCII.isControl(bytes[offset]) && bytes[offset] != 0x09 {
                throw .foreignCharacterInValue(bytes[offset], offset: offset)
            }
            if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(offset: offset) }
            return bytes.text(range)
        }

        /// Whether the names are the same but for case, and the bytes of the values are the same.
        public static func == (one: HTTP.Field, other: HTTP.Field) -> Bool {
            one.name == other.name && one.value.utf8.elementsEqual(other.value.utf8)
        }

        /// Feeds name and value to the hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            for byte in value.utf8 { hasher.combine(byte) }
            hasher.combine(0xff as UInt8)
        }
    }
}

extension HTTP.Field.Name: Parsable {
    /// The rules for fields.
    public typealias Rejection = HTTP.Field.Rejection

    /// Reads a token (RFC 9110 §5.6.2).
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        guard !bytes.isEmpty else { throw .emptyName }
        guard bytes.count <= HTTP.Field.lengthLimit else {
            throw .tooLong(length: bytes.count, limit: HTTP.Field.lengthLimit)
        }
        for offset in bytes.indices where !ASCII.isToken(bytes[offset]) {
            throw .foreignCharacterInName(bytes[offset], offset: offset)
        }
        text = bytes.text(bytes.indices)
    }
}

extension HTTP.Field.Name: Hashable, CustomStringConvertible {
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
    public static let accept = Self(text: "Accept")
    /// RFC 9110 §11.6.2.
    public static let authorization = Self(text: "Authorization")
    /// RFC 9111 §5.2.
    public static let cacheControl = Self(text: "Cache-Control")
    /// RFC 9110 §8.6.
    public static let contentLength = Self(text: "Content-Length")
    /// RFC 9110 §8.3.
    public static let contentType = Self(text: "Content-Type")
    /// RFC 9110 §6.6.1.
    public static let date = Self(text: "Date")
    /// RFC 9449 §4.1.
    public static let dpop = Self(text: "DPoP")
    /// RFC 9111 §5.3.
    public static let expires = Self(text: "Expires")
    /// RFC 9110 §7.2.
    public static let host = Self(text: "Host")
    /// RFC 9110 §10.2.2.
    public static let location = Self(text: "Location")
    /// RFC 9111 §5.4.
    public static let pragma = Self(text: "Pragma")
    /// RFC 9110 §10.2.3.
    public static let retryAfter = Self(text: "Retry-After")
    /// RFC 9110 §11.6.1.
    public static let wwwAuthenticate = Self(text: "WWW-Authenticate")
}

extension HTTP.Field: CustomStringConvertible {
    /// The name only; the value may be a secret.
    public var description: String { name.text + ": …" }
}

extension HTTP.Field.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .emptyName: "an empty field name (\(clause))"
        case .foreignCharacterInName(let byte, let offset):
            "byte \(byte) in a field name at offset \(offset) (\(clause))"
        case .foreignCharacterInValue(let byte, let offset):
            "byte \(byte) in a field value at offset \(offset) (\(clause))"
        case .illFormedUTF8(let offset): "a field value that is not UTF-8 from offset \(offset) (\(clause))"
        case .tooLong(let length, let limit): "a field of \(length) bytes, at most \(limit) are allowed (\(clause))"
        case .tooManyFields(let limit): "more than \(limit) fields (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .emptyName, .foreignCharacterInName: "RFC9110-5.1"
        case .foreignCharacterInValue: "RFC9110-5.5"
        case .illFormedUTF8: "RFC3629-4"
        case .tooLong, .tooManyFields: "threat-14"
        }
    }
}
