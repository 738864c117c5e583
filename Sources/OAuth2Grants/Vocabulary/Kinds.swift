public import JOSE
internal import Wire

/// The kinds of tokens that this module makes and reads, told apart by their types.
///
/// Deployed clients name no type; where the claims that make a kind are all there, that is accepted — never for access
/// tokens.
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
}
