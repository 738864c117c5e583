extension HTTP {
    /// The header fields of a message, in their order, repetitions included.
    public struct Fields: Hashable, Sendable, CustomStringConvertible, RandomAccessCollection {
        /// The fields in their order.
        package private(set) var fields: [HTTP.Field] = []

        /// The most fields of a message.
        package static let countLimit = 128

        /// Begins without fields.
        public init() {}

        /// Adds a field at the end.
        public mutating func append(_ field: HTTP.Field) throws(SyntaxError) {
            guard fields.count < Self.countLimit else { throw .tooMany(.fieldName, limit: Self.countLimit) }
            fields.append(field)
        }

        /// Checks a value and adds a field at the end.
        public mutating func append(_ name: HTTP.Field.Name, _ value: String) throws(SyntaxError) {
            try append(HTTP.Field(name, value))
        }

        /// The values of all fields of a name, in their order.
        public func values(of name: HTTP.Field.Name) -> [String] {
            fields.filter { $0.name == name }.map { $0.value }
        }

        /// How often a field occurs, and its value where that is once.
        public func value(of name: HTTP.Field.Name) -> Occurrence<String> {
            HTTP.Occurrence(fields.lazy.filter { $0.name == name }.map { $0.value })
        }
    }
}

extension HTTP.Fields {
    /// The position of the first field.
    public var startIndex: Int { 0 }

    /// The position behind the last field.
    public var endIndex: Int { fields.count }

    /// The field at a position.
    public subscript(position: Int) -> HTTP.Field { fields[position] }
}

extension HTTP.Fields {
    /// The names only; values may be secrets.
    public var description: String { fields.map { $0.description }.joined(separator: "\n") }
}
