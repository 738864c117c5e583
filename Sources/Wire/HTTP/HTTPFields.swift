/// The header fields of a message, in their order, repetitions included.
public struct HTTPFields: Hashable, Sendable {
    /// The fields in their order.
    public private(set) var fields: [HTTPField] = []

    /// The most fields of a message.
    public static let countLimit = 128

    /// Begins without fields.
    public init() {}

    /// Adds a field at the end.
    public mutating func append(_ field: HTTPField) throws(HTTPField.Rejection) {
        guard fields.count < Self.countLimit else { throw .tooManyFields(limit: Self.countLimit) }
        fields.append(field)
    }

    /// Checks a value and adds a field at the end.
    public mutating func append(_ name: HTTPField.Name, _ value: String) throws(HTTPField.Rejection) {
        try append(HTTPField(name, value))
    }

    /// The values of all fields of a name, in their order.
    public func values(of name: HTTPField.Name) -> [String] {
        fields.filter { $0.name == name }.map { $0.value }
    }

    /// How often a field occurs, and its value where that is once.
    public func value(of name: HTTPField.Name) -> Occurrence<String> {
        var found = Occurrence<String>.absent
        var count = 0
        for field in fields where field.name == name {
            count += 1
            found = count == 1 ? .once(field.value) : .repeated(count)
        }
        return found
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }

    /// The position behind the last field.
    public var endIndex: Int { fields.count }

    /// The field at a position.
    public subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: CustomStringConvertible {
    /// The names only; values may be secrets.
    public var description: String { fields.map { $0.description }.joined(separator: "\n") }
}
