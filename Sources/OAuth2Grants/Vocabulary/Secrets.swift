internal import PureCrypto
public import Wire

/// A secret that goes over the wire as text: it is compared in constant time and never shown.
///
/// A kind of secret is declared in a few lines; that it exists means that it was checked:
///
///     public struct RefreshToken: SecretText {
///         public let content: SecretContent<RefreshToken>
///         public init(_ content: SecretContent<RefreshToken>) { self.content = content }
///     }
public protocol SecretText: Parsable, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible
where Rejection == SecretRejection {
    /// What the kind is called in messages.
    static var title: String { get }
    /// The fewest bytes of a secret of this kind.
    static var lengthMinimum: Int { get }
    /// The most bytes of a secret of this kind.
    static var lengthLimit: Int { get }
    /// Of which characters a secret of this kind is made.
    static var alphabet: SecretAlphabet { get }

    /// The checked text; it is bound to this kind, so that no other kind's text can take its place.
    var content: SecretContent<Self> { get }

    /// Takes a text that has been checked for this kind.
    init(_ content: SecretContent<Self>)
}

extension SecretText {
    /// What is empty is no secret.
    public static var lengthMinimum: Int { 1 }

    /// As long as a token may be.
    public static var lengthLimit: Int { 16_384 }

    /// What machines make is visible ASCII.
    public static var alphabet: SecretAlphabet { .visible }

    /// Reads a secret: not empty, not too long, and of the characters that its kind may have.
    public init(parsing bytes: Span<UInt8>) throws(SecretRejection) {
        self.init(try SecretContent(parsing: bytes))
    }

    /// Reads a secret from a text, which it keeps.
    public init(parsing text: String) throws(SecretRejection) {
        self.init(try SecretContent(checking: text))
    }

    /// The secret itself, to be written into a message or looked up, and nowhere else.
    public var secret: String { content.secret }

    /// What kind of secret it is.
    public var description: String { Self.title + " (redacted)" }

    /// What kind of secret it is: a debugger's output ends up in logs.
    public var debugDescription: String { description }

    /// Whether both are the same, in a time that depends on their lengths only.
    public static func == (one: Self, other: Self) -> Bool {
        constantTimeEquals(one.content.secret.utf8, other.content.secret.utf8)
    }
}

/// The checked text of one kind of secret.
public struct SecretContent<Kind: SecretText>: Sendable {
    let secret: String

    /// Takes what was made here, of the characters that its kind may have.
    init(checked secret: String) { self.secret = secret }

    init(parsing bytes: Span<UInt8>) throws(SecretRejection) {
        _ = try Rules(parsing: bytes)
        guard let text = String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self) else {
            throw .illFormedUTF8(Kind.title)
        }
        secret = text
    }

    init(checking text: String) throws(SecretRejection) {
        _ = try Rules(parsing: text)
        secret = text
    }

    /// The rules of a kind, without the text: what reads a text, too, reads it where it lies.
    private struct Rules: Parsable {
        init(parsing bytes: Span<UInt8>) throws(SecretRejection) {
            let count = bytes.count
            guard count > 0 else { throw .empty(Kind.title) }
            guard count >= Kind.lengthMinimum else {
                throw .tooShort(Kind.title, length: count, minimum: Kind.lengthMinimum)
            }
            guard count <= Kind.lengthLimit else { throw .tooLong(Kind.title, length: count, limit: Kind.lengthLimit) }
            if let offset = Kind.alphabet.firstStranger(in: bytes) {
                throw .foreignCharacter(Kind.title, offset: offset)
            }
        }
    }
}

/// Of which characters secrets of a kind are made (RFC 6749 appendix A).
public enum SecretAlphabet: Sendable {
    /// Visible ASCII, what machines make.
    case visible
    /// The unreserved characters of RFC 3986 §2.3.
    case unreserved
    /// Any character but NUL and line ends, what people type.
    case typed

    /// Where the first byte stands that no such secret has.
    func firstStranger(in bytes: Span<UInt8>) -> Int? {
        switch self {
        case .visible: bytes.indices.first { !(0x21...0x7e ~= bytes[$0]) }
        case .unreserved: bytes.indices.first { !Self.isUnreserved(bytes[$0]) }
        case .typed: bytes.indices.first { [0x00, 0x0a, 0x0d].contains(bytes[$0]) }
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

#if !hasFeature(Embedded)
extension SecretContent: CustomReflectable {
    /// Nothing: what is dumped ends up in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif

/// The rules that every secret keeps; no case carries any of it.
public enum SecretRejection: Error, Equatable, Sendable {
    /// There is no text.
    case empty(String)
    /// The text is shorter than its kind allows.
    case tooShort(String, length: Int, minimum: Int)
    /// The text is longer than its kind allows.
    case tooLong(String, length: Int, limit: Int)
    /// A character that no such secret has stands at the offset.
    case foreignCharacter(String, offset: Int)
    /// The bytes are not UTF-8.
    case illFormedUTF8(String)
}

extension SecretRejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .empty(let title): "the \(title) is empty (\(clause))"
        case .tooShort(let title, let length, let minimum):
            "the \(title) has \(length) bytes, at least \(minimum) are needed (\(clause))"
        case .tooLong(let title, let length, let limit):
            "the \(title) has \(length) bytes, at most \(limit) are allowed (\(clause))"
        case .foreignCharacter(let title, let offset):
            "a character in the \(title) that none may have, at offset \(offset) (\(clause))"
        case .illFormedUTF8(let title): "the \(title) is not UTF-8 (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .empty, .tooShort, .foreignCharacter: "RFC6749-A"
        case .tooLong: "threat-14"
        case .illFormedUTF8: "RFC3629-4"
        }
    }
}

// MARK: - Kinds of secrets

/// What opens resources (RFC 6749 §1.4): for whoever holds it an opaque text, whatever its issuer made of it (NIF-7).
public struct AccessToken: SecretText {
    /// What messages call it.
    public static var title: String { "access token" }
    /// The checked text.
    public let content: SecretContent<AccessToken>

    /// Takes a checked text.
    public init(_ content: SecretContent<AccessToken>) { self.content = content }
}

/// What renews a grant (RFC 6749 §1.5), good for one use.
public struct RefreshToken: SecretText {
    /// What messages call it.
    public static var title: String { "refresh token" }
    /// The checked text.
    public let content: SecretContent<RefreshToken>

    /// Takes a checked text.
    public init(_ content: SecretContent<RefreshToken>) { self.content = content }
}

/// What an authorization server gives out to be redeemed at its token endpoint (RFC 6749 §1.3.1), opaque to its holder.
public struct AuthorizationCode: SecretText {
    /// What messages call it.
    public static var title: String { "authorization code" }
    /// The checked text.
    public let content: SecretContent<AuthorizationCode>

    /// Takes a checked text.
    public init(_ content: SecretContent<AuthorizationCode>) { self.content = content }
}

/// A signed statement in compact form, which is presented as a grant or to authenticate a client (RFC 7521); believed
/// only once it is checked.
public struct Assertion: SecretText {
    /// What messages call it.
    public static var title: String { "assertion" }
    /// The checked text.
    public let content: SecretContent<Assertion>

    /// Takes a checked text.
    public init(_ content: SecretContent<Assertion>) { self.content = content }
}

/// What a user types to be believed who he or she is.
public struct Password: SecretText {
    /// What messages call it.
    public static var title: String { "password" }
    /// More than any password, less than what would occupy the check of credentials.
    public static var lengthLimit: Int { 1_024 }
    /// People type any character.
    public static var alphabet: SecretAlphabet { .typed }
    /// The checked text.
    public let content: SecretContent<Password>

    /// Takes a checked text.
    public init(_ content: SecretContent<Password>) { self.content = content }
}
