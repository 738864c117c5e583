public import JOSE
internal import Wire

/// What parties of a federation sign, each kind by its row of one table: it is read, checked and made by the same path,
/// ``Unverified`` → a key's word → the kind's own value.
public enum Statement {
    /// A kind of signed statement; none is taken for another (threat 18).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An app version's statement about an instance (S1).
        case appRegistration
        /// A client's statement about itself (RFC 7523 §3).
        case clientAssertion
        /// A statement that is a grant, such as the service assertion (AST-2).
        case assertionGrant
        /// The code of (8), which an instance signs for an app (APP-3).
        case appCode
        /// An access token that is a JWT (RFC 9068).
        case accessToken
        /// What the holder of a bound token makes for each request.
        case requestToken
        /// A proof of RFC 9449.
        case proof
        /// What an OpenID provider says about whoever signed in (OpenID Connect Core §2).
        case idToken
        /// That a session at an OpenID provider has ended (Back-Channel Logout 1.0 §2.4).
        case logoutToken
    }
}

// MARK: - The table of kinds

extension Statement.Kind {
    /// What messages call it.
    var title: String {
        switch self {
        case .appRegistration: "the app's request token"
        case .clientAssertion: "the client assertion"
        case .assertionGrant: "the assertion"
        case .appCode: "the app code"
        case .accessToken: "the access token"
        case .requestToken: "the request token"
        case .proof: "the proof of possession"
        case .idToken: "the ID token"
        case .logoutToken: "the logout token"
        }
    }

    /// Its type, and the claims without which it is not of this kind.
    var type: JWT.Kind {
        switch self {
        case .appRegistration: .registration
        case .clientAssertion: .clientAuthentication
        case .assertionGrant, .appCode: .authorizationGrant
        case .accessToken: .accessToken
        case .requestToken: .request
        case .proof: .proof
        case .idToken: .identity
        case .logoutToken: .logout
        }
    }

    /// What a peer is told whose statement of this kind is not believed.
    var refusal: OAuth2Error.Code {
        switch self {
        case .appRegistration, .clientAssertion: .invalidClient
        case .assertionGrant, .appCode: .invalidGrant
        case .accessToken, .requestToken: .invalidToken
        case .proof: .invalidProof
        // Nobody who is told of it can do anything about what a provider signs.
        case .idToken: .serverError
        case .logoutToken: .invalidRequest
        }
    }

    /// The claims that are interpreted, which no caller may set; every other one is the caller's.
    var interpreted: [JSON.Name] {
        switch self {
        case .appRegistration, .clientAssertion, .appCode, .logoutToken: []
        case .assertionGrant: Self.ofAssertionGrants
        case .accessToken: Self.ofAccessTokens
        case .requestToken: Self.ofRequestTokens
        case .proof: Self.ofProofs
        case .idToken: Self.ofIDTokens
        }
    }

    private static let ofAssertionGrants: [JSON.Name] = [
        "iss", "sub", "aud", "azp", "jti", "iat", "exp", "nbf", "cnf",
    ]
    private static let ofAccessTokens: [JSON.Name] = [
        "iss", "sub", "aud", "client_id", "iat", "exp", "nbf", "jti", "scope", "cnf",
    ]
    static let ofRequestTokens: [JSON.Name] = ["iss", "aud", "iat", "jti", "sub", "exp", "nbf", "cnf"]
    private static let ofProofs: [JSON.Name] = ["jti", "htm", "htu", "iat", "ath", "nonce", "exp", "nbf"]
    private static let ofIDTokens: [JSON.Name] = [
        "iss", "sub", "aud", "azp", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "acr", "amr", "sid", "at_hash",
        "c_hash",
    ]
}

extension JWT.Kind {
    /// A client's statement about itself: the request token of S1 (REQ-6), and the assertions of RFC 7523 §3.
    public static let clientAuthentication = JWT.Kind(
        "client-authentication+jwt", acceptsUntyped: true, requiring: ["iss", "sub", "aud"])
    /// A statement that is a grant: the service assertion (AST-2), and the app code (APP-3).
    public static let authorizationGrant = JWT.Kind(
        "authorization-grant+jwt", acceptsUntyped: true, requiring: ["iss", "sub", "aud", "exp"])
    /// What the holder of a bound token makes for each request.
    public static let request = JWT.Kind("request+jwt", acceptsUntyped: true, requiring: ["iss", "aud", "iat", "jti"])
    /// A proof of RFC 9449 §4.2, which names its type always.
    public static let proof = JWT.Kind("dpop+jwt", requiring: ["jti", "htm", "htu", "iat"])

    /// What an OpenID provider says about whoever signed in, which has no type of its own.
    public static let identity = JWT.Kind(.jwt, acceptsUntyped: true, requiring: ["iss", "sub", "aud", "exp", "iat"])
    /// That a session at an OpenID provider has ended.
    public static let logout = JWT.Kind(
        "logout+jwt", acceptsUntyped: true, requiring: ["iss", "aud", "exp", "iat", "jti", "events"])

    /// The request token of S1, whose claims its own checklist demands.
    fileprivate static let registration = JWT.Kind("client-authentication+jwt", acceptsUntyped: true)
}
