/// The name of a grant (`grant_type`, RFC 6749 §4).
enum GrantType: String {
    case clientCredentials = "client_credentials"
    case authorizationCode = "authorization_code"
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    case refreshToken = "refresh_token"
    case password = "password"

    /// How S0 prints the name of RFC 7523, and deployed clients send it: read, never written.
    private static let printedJWTBearer = "urn:ietf:param:oauth:grant-type:jwt-bearer"

    init?(_ text: String) {
        let known = [GrantType.clientCredentials, .authorizationCode, .jwtBearer, .refreshToken, .password]
        if let type = known.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) {
            self = type
        } else if text.utf8.elementsEqual(Self.printedJWTBearer.utf8) {
            self = .jwtBearer
        } else {
            return nil
        }
    }
}
