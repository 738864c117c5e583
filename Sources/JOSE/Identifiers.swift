public import Wire

/// The name of a key (`kid`): an opaque byte string that is looked up and nothing else (RFC 7515 §4.1.4).
public struct KeyID: Identifier {
    /// The checked name.
    public let spelling: Spelling<KeyID>

    /// Takes a checked name.
    public init(_ spelling: Spelling<KeyID>) { self.spelling = spelling }
}

/// The party that makes statements in tokens and owns the keys they are signed with (`iss`, RFC 7519 §4.1.1).
public struct Issuer: Identifier {
    /// The checked name.
    public let spelling: Spelling<Issuer>

    /// Takes a checked name.
    public init(_ spelling: Spelling<Issuer>) { self.spelling = spelling }
}

/// Whom a token is about (`sub`, RFC 7519 §4.1.2).
public struct Subject: Identifier {
    /// The checked name.
    public let spelling: Spelling<Subject>

    /// Takes a checked name.
    public init(_ spelling: Spelling<Subject>) { self.spelling = spelling }
}

/// A party that a token is meant for (`aud`, RFC 7519 §4.1.3).
public struct Audience: Identifier {
    /// The checked name.
    public let spelling: Spelling<Audience>

    /// Takes a checked name.
    public init(_ spelling: Spelling<Audience>) { self.spelling = spelling }
}

/// A name from one of the registries of JOSE; they are open, so any name can be made, and the registered ones that
/// matter here are static members.
public protocol RegisteredName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
where StringLiteralType == String {
    /// The name, which is compared byte by byte.
    var name: JSON.Name { get }

    /// Takes a name.
    init(_ name: JSON.Name)
}

extension RegisteredName {
    /// Takes a name.
    public init(stringLiteral name: String) { self.init(JSON.Name(name)) }

    /// The name.
    public var description: String { name.text }
}
