public import Wire

/// Signed content (RFC 7515).
///
/// What was received is ``Unverified``; only a key turns it into ``Verified``.
public enum JWS {
    /// Names a key.
    public enum KeyIDKind: IdentifierKind {}
}

/// Claims that somebody signed (RFC 7519): made by ``signed(_:with:as:)``, believed only as ``Validated``.
public enum JWT {
    /// Names an issuer.
    public enum IssuerKind: IdentifierKind {}

    /// Names a subject.
    public enum SubjectKind: IdentifierKind {}

    /// Names an audience.
    public enum AudienceKind: IdentifierKind {}
}

/// The name of a key (`kid`): an opaque byte string that is looked up and nothing else (RFC 7515 §4.1.4).
public typealias KeyID = Identifier<JWS.KeyIDKind>

/// The party that makes statements in tokens and owns the keys they are signed with (`iss`, RFC 7519 §4.1.1).
public typealias Issuer = Identifier<JWT.IssuerKind>

/// Whom a token is about (`sub`, RFC 7519 §4.1.2).
public typealias Subject = Identifier<JWT.SubjectKind>

/// A party that a token is meant for (`aud`, RFC 7519 §4.1.3).
public typealias Audience = Identifier<JWT.AudienceKind>
