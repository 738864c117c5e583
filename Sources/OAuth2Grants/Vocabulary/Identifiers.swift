public import Wire

/// The name of a client at an authorization server (`client_id`, RFC 6749 §2.2): an edu-ID app's instance, or a
/// federation service.
///
/// It is public, and it is no user's name: whoever looks a client up by a subject confuses the deputies (threat 35).
public struct ClientID: Identifier {
    /// The checked text.
    public let spelling: Spelling<ClientID>

    /// Takes a checked text.
    public init(_ spelling: Spelling<ClientID>) { self.spelling = spelling }
}

/// The name of a third-party app in its store, such as `ch.example.reader` (APP-3).
public struct BundleID: Identifier {
    /// The checked text.
    public let spelling: Spelling<BundleID>

    /// Takes a checked text.
    public init(_ spelling: Spelling<BundleID>) { self.spelling = spelling }
}

/// The name of a user as he or she types it; the password goes with it as a secret.
public struct UserName: Identifier {
    /// The checked text.
    public let spelling: Spelling<UserName>

    /// Takes a checked text.
    public init(_ spelling: Spelling<UserName>) { self.spelling = spelling }
}

/// The name of one token among all that its issuer made (`jti`, RFC 7519 §4.1.7).
public struct JWTID: Identifier {
    /// The checked text.
    public let spelling: Spelling<JWTID>

    /// Takes a checked text.
    public init(_ spelling: Spelling<JWTID>) { self.spelling = spelling }
}
