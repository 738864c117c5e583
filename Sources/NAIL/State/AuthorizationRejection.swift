public import JOSE
public import OAuth2Grants

/// Why an authorization is of no use to this app.
public enum AuthorizationRejection: Error, Equatable, Sendable {
    /// The access token cannot stand in a header field.
    case accessToken(SecretRejection)
    /// The refresh token is none.
    case refreshToken(SecretRejection)
    /// The token is of a type that is neither plain nor bound to a key that can be found.
    case unknownType(String)
    /// The key that the authorization brings is none that can sign here.
    case key(JWK.Rejection)
    /// What is said about the key that the authorization is bound to cannot be understood.
    case confirmation(JWT.Confirmation.Rejection)
    /// The authorization is bound to a key that is not this app's.
    case foreignKey
    /// The key has no name, by which the service would find it.
    case namelessKey
}

extension AuthorizationRejection: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .accessToken(let rejection), .refreshToken(let rejection): rejection.description
        case .unknownType(let type): "the token type '\(type)' says nothing that can be followed (\(clause))"
        case .key(let rejection): "the key of an authorization: \(rejection)"
        case .confirmation(let rejection): rejection.description
        case .foreignKey: "an authorization is bound to a key that is not this app's (\(clause))"
        case .namelessKey: "the key of an authorization has no name (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .accessToken(let rejection), .refreshToken(let rejection): rejection.clause
        case .unknownType: "RFC6749-7.1"
        case .key(let rejection): rejection.clause
        case .confirmation(let rejection): rejection.clause
        case .foreignKey: "POP-1"
        case .namelessKey: "RFC7800-3.4"
        }
    }
}
