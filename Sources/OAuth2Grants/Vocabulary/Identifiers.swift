public import JOSE
public import Wire

/// The name of a client at an authorization server (`client_id`, RFC 6749 §2.2): an edu-ID app's instance, or a
/// federation service.
///
/// It is public, and it is no user's name: whoever looks a client up by a subject confuses the deputies (threat 35).
public typealias ClientID = Identifier<JWT.ClientKind>

/// The name of a third-party app in its store, such as `ch.example.reader` (APP-3).
public typealias BundleID = Identifier<JWT.AppKind>

/// The name of a user as he or she types it; the password goes with it as a secret.
public typealias UserName = Identifier<Secret.UserKind>

extension JWT {
    /// The name of one token among all that its issuer made (`jti`, RFC 7519 §4.1.7).
    public typealias ID = Identifier<IDKind>

    /// Names a token.
    public enum IDKind: IdentifierKind {}

    /// Names a client.
    public enum ClientKind: IdentifierKind {}

    /// Names a third-party app.
    public enum AppKind: IdentifierKind {}
}

extension Secret {
    /// Names a user.
    public enum UserKind: IdentifierKind {}
}
