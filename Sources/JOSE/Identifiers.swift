public import Wire

/// The name of a key (`kid`): an opaque byte string that is looked up and nothing else (RFC 7515 §4.1.4).
public typealias KeyID = Identifier<JWK.IDKind>

extension JWK {
    /// Names a key.
    public enum IDKind: IdentifierKind {}
}

/// The party that makes statements in tokens and owns the keys they are signed with (`iss`, RFC 7519 §4.1.1).
public typealias Issuer = Identifier<JWT.IssuerKind>

/// Whom a token is about (`sub`, RFC 7519 §4.1.2).
public typealias Subject = Identifier<JWT.SubjectKind>

/// A party that a token is meant for (`aud`, RFC 7519 §4.1.3).
public typealias Audience = Identifier<JWT.AudienceKind>

extension JWT {
    /// Names an issuer.
    public enum IssuerKind: IdentifierKind {}

    /// Names a subject.
    public enum SubjectKind: IdentifierKind {}

    /// Names an audience.
    public enum AudienceKind: IdentifierKind {}
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
