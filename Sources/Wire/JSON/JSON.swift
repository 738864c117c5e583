/// A JSON value as a tree (RFC 8259): it keeps the order of members, members nobody asked for, and the text of numbers.
///
/// Two values are equal exactly when they are written alike: strings and names are compared as UTF-8 bytes, numbers by
/// their text, members in their order. Where nothing is kept, read through ``JSON/Document`` instead, which builds no
/// tree.
public enum JSON: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// The literal `true` or `false`.
    case bool(Bool)
    /// A number, as the text it was written in.
    case number(Number)
    /// A string.
    case string(String)
    /// An ordered sequence of values.
    case array([JSON])
    /// An ordered sequence of members with distinct names.
    case object(Object)
}

extension JSON {
    /// The name of an object's member; names are told apart byte by byte (RFC 8259 §8.3).
    public typealias Name = ExactText

    /// The six types of value that RFC 8259 knows.
    public enum Kind: UInt8, Sendable, CustomStringConvertible {
        /// The literal `null`.
        case null
        /// The literal `true` or `false`.
        case bool
        /// A number.
        case number
        /// A string.
        case string
        /// An array.
        case array
        /// An object.
        case object

        /// The word that the standard uses for this type.
        public var description: String {
            switch self {
            case .null: "null"
            case .bool: "boolean"
            case .number: "number"
            case .string: "string"
            case .array: "array"
            case .object: "object"
            }
        }
    }

    /// The type of this value.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}

// MARK: - Reading

extension JSON {
    /// Reads one JSON text, which the bytes must hold completely.
    public init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(Rejection) {
        self = try Document(parsing: bytes, limits: limits).root.tree()
    }

    /// Reads one JSON text, which the bytes must hold completely.
    public init(parsing bytes: some Collection<UInt8>, limits: Limits = Limits()) throws(Rejection) {
        self = try Document(parsing: bytes, limits: limits).root.tree()
    }

    /// Reads one JSON text, which the bytes must hold completely.
    public init(parsing bytes: Span<UInt8>, limits: Limits = Limits()) throws(Rejection) {
        self = try Document(parsing: bytes, limits: limits).root.tree()
    }

    /// Reads one JSON text, which the string must hold completely.
    public init(parsing text: String, limits: Limits = Limits()) throws(Rejection) {
        self = try Document(parsing: text, limits: limits).root.tree()
    }
}

// MARK: - Looking inside

extension JSON {
    /// Whether this is the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean, when this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, when this is one.
    public var number: Number? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The string, when this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, when this is an array.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, when this is an object.
    public var object: Object? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value of the member with exactly these name bytes, when this is an object that has it.
    public subscript(name: Name) -> JSON? {
        object?[name]
    }

    /// The element at this position, when this is an array that reaches so far.
    public subscript(position: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }
}

// MARK: - Equality

extension JSON {
    /// Whether both are written alike.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.spells(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind.rawValue)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(ExactText(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

// MARK: - Literals

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// A string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// A boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// A number without fraction.
    public init(integerLiteral value: Int64) {
        self = .number(Number(value))
    }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// An array of these elements.
    public init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }

    /// An object with these members; of two with the same name the last one wins.
    public init(dictionaryLiteral members: (Name, JSON)...) {
        self = .object(Object(members))
    }
}
