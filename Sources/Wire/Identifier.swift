/// A name from outside that is compared, ordered and hashed as its UTF-8 bytes.
///
/// Swift's own `String` takes canonically equivalent texts for equal ("é" and "e\u{301}"), which would let one party's
/// identifier pass for another's.
///
/// A kind of identifier is declared in a few lines; that it exists means that it was checked:
///
///     public struct KeyID: Identifier {
///         public let spelling: Spelling<KeyID>
///         public init(_ spelling: Spelling<KeyID>) { self.spelling = spelling }
///     }
public protocol Identifier: Parsable, Hashable, Comparable, Sendable, CustomStringConvertible
where Rejection == IdentifierRejection {
    /// The most bytes that an identifier of this kind may have.
    static var lengthLimit: Int { get }

    /// The checked text; it is bound to this kind, so that no other kind's text can take its place.
    var spelling: Spelling<Self> { get }

    /// Takes a text that has been checked for this kind.
    init(_ spelling: Spelling<Self>)
}

extension Identifier {
    /// Enough for URLs and hashes in hexadecimal, little enough for a record of a store.
    public static var lengthLimit: Int { 1_024 }

    /// Reads an identifier: not empty, not too long, UTF-8 without control characters.
    public init(parsing bytes: Span<UInt8>) throws(IdentifierRejection) {
        self.init(try Spelling(parsing: bytes))
    }

    /// Reads an identifier from a text, which it keeps.
    public init(parsing text: String) throws(IdentifierRejection) {
        self.init(try Spelling(checking: text))
    }

    /// The identifier's text.
    public var text: String { spelling.text }

    /// Calls with the bytes of the identifier, which end with the call.
    @inlinable
    public func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withBytes(of: spelling.text.utf8) { bytes throws(Never) in body(bytes) }
    }

    /// The identifier's text.
    public var description: String { spelling.text }

    /// Whether both have the same bytes.
    public static func == (one: Self, other: Self) -> Bool { one.spelling == other.spelling }

    /// Whether the bytes of one come before those of the other.
    public static func < (one: Self, other: Self) -> Bool { one.spelling < other.spelling }

    /// Feeds the bytes to the hasher.
    public func hash(into hasher: inout Hasher) { spelling.hash(into: &hasher) }
}

/// The checked text of one kind of identifier.
///
/// Comparison and hashing are defined here, on bytes, so that whatever the compiler synthesizes for a kind says the
/// same.
public struct Spelling<Kind: Identifier>: Hashable, Comparable, Sendable {
    /// The text as it was read.
    public let text: String

    init(parsing bytes: Span<UInt8>) throws(IdentifierRejection) {
        try Self.check(bytes)
        text = bytes.text(bytes.indices)
    }

    init(checking text: String) throws(IdentifierRejection) {
        try withBytes(of: text.utf8) { bytes throws(IdentifierRejection) in try Self.check(bytes) }
        self.text = text
    }

    private static func check(_ bytes: Span<UInt8>) throws(IdentifierRejection) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Kind.lengthLimit else { throw .tooLong(length: bytes.count, limit: Kind.lengthLimit) }
        guard !bytes.isPlainASCII else { return }
        if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(offset: offset) }
        for offset in bytes.indices {
            // The C1 controls are written with the lead byte C2.
            let isC1 = bytes[offset] == 0xc2 && bytes[offset + 1] < 0xa0
            if isC1 || ASCII.isControl(bytes[offset]) { throw .controlCharacter(offset: offset) }
        }
    }

    /// Whether both have the same bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    /// Whether the bytes of one come before those of the other.
    public static func < (one: Self, other: Self) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// Feeds the bytes, and where they end, to the hasher.
    public func hash(into hasher: inout Hasher) {
        withBytes(of: text.utf8) { bytes in
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        hasher.combine(0xff as UInt8)
    }
}

/// The rules that every identifier keeps.
public enum IdentifierRejection: Error, Equatable, Sendable {
    /// There is no text.
    case empty
    /// The text is longer than its kind allows.
    case tooLong(length: Int, limit: Int)
    /// A control character stands at the offset.
    case controlCharacter(offset: Int)
    /// The bytes from the offset are not UTF-8.
    case illFormedUTF8(offset: Int)
}

extension IdentifierRejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .empty: "an identifier is empty (\(clause))"
        case .tooLong(let length, let limit):
            "an identifier has \(length) bytes, at most \(limit) are allowed (\(clause))"
        case .controlCharacter(let offset): "a control character in an identifier at offset \(offset) (\(clause))"
        case .illFormedUTF8(let offset): "an identifier is not UTF-8 from offset \(offset) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .empty, .tooLong, .controlCharacter: "threat-10"
        case .illFormedUTF8: "RFC3629-4"
        }
    }
}
