/// A name from outside that is compared, ordered and hashed as its UTF-8 bytes; that it exists means that it was
/// checked.
///
/// A kind of identifier is declared in two lines:
///
///     public typealias KeyID = Identifier<JWS.KeyIDKind>
///     extension JWS { public enum KeyIDKind: IdentifierKind {} }
public struct Identifier<Kind: IdentifierKind>: Hashable, Sendable, Comparable, CustomStringConvertible,
    ExpressibleByStringLiteral, Parsable
{
    @usableFromInline let name: ExactText

    /// The same name as another kind's.
    ///
    /// Whether the other kind's names may be longer is a matter of the two types, never of the name.
    @inlinable
    public init<Other>(_ other: Identifier<Other>) {
        precondition(Other.lengthLimit <= Kind.lengthLimit, "a longer kind of name")
        name = other.name
    }

    /// The identifier's text.
    @inlinable
    public var text: String { name.text }
}

/// What an identifier names, as a type, so that no name of one kind can take the place of another's.
public protocol IdentifierKind: Sendable {
    /// The most bytes that an identifier of this kind may have.
    static var lengthLimit: Int { get }
}

extension IdentifierKind {
    /// Enough for URLs and hashes in hexadecimal, little enough for a record of a store.
    @inlinable
    public static var lengthLimit: Int { 1_024 }
}

extension Identifier {
    /// Reads an identifier: not empty, not too long, UTF-8 without control characters.
    @inlinable
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        name = try ExactText(naming: bytes, limit: Kind.lengthLimit)
    }

    /// Reads an identifier from a text, which it keeps.
    @inlinable
    public init(parsing text: String) throws(SyntaxError) {
        name = try ExactText(naming: text, limit: Kind.lengthLimit)
    }
}

extension ExactText {
    @usableFromInline
    init(naming bytes: Span<UInt8>, limit: Int) throws(SyntaxError) {
        try Self.checkName(bytes, limit: limit)
        text = bytes.text(bytes.indices)
    }

    @usableFromInline
    init(naming text: String, limit: Int) throws(SyntaxError) {
        try withBytes(of: text.utf8) { bytes throws(SyntaxError) in
            try Self.checkName(bytes, limit: limit)
        }
        self.text = text
    }

    private static func checkName(_ bytes: Span<UInt8>, limit: Int) throws(SyntaxError) {
        guard !bytes.isEmpty else { throw .empty(.identifier) }
        guard bytes.count <= limit else { throw .tooLong(.identifier, length: bytes.count, limit: limit) }
        guard !bytes.isPlainASCII else { return }
        if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(.identifier, offset: offset) }
        for offset in bytes.indices {
            // The C1 controls are written with the lead byte C2.
            let isC1 = bytes[offset] == 0xc2 && bytes[offset + 1] < 0xa0
            if isC1 || ASCII.isControl(bytes[offset]) { throw .foreignCharacter(.identifier, offset: offset) }
        }
    }
}

extension Identifier {
    /// The identifier that is written in a program; one that is not valid stops the program.
    @inlinable
    public init(stringLiteral text: String) {
        do throws(SyntaxError) {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("not a valid identifier")
        }
    }
}

extension Identifier {
    /// Whether the bytes of one come before those of the other.
    @inlinable
    public static func < (one: Self, other: Self) -> Bool { one.name < other.name }

    /// The identifier's text.
    @inlinable
    public var description: String { name.text }

    /// Calls with the bytes of the identifier, which end with the call.
    @inlinable
    package func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withBytes(of: name.text.utf8) { bytes throws(Never) in body(bytes) }
    }
}
