public import OAuth2Grants
public import RSD2
public import Wire

/// Why the app cannot go on with what it wanted.
public enum ClientRejection: Error, Equatable, Sendable {
    /// The other side refused, in the words of OAuth.
    case refused(OAuth2Error)
    /// The other side's answer says nothing: keep everything, and try again.
    case unusable(ParameterRejection)
    /// There was no answer: keep everything, and try again.
    case unanswered
    /// The instance is not registered.
    case unregistered
    /// Nobody is signed in.
    case signedOut
    /// There is no token for the service.
    case unauthorized(ServiceURL)
    /// The service tells no such endpoint.
    case noEndpoint(ServerDescription.Endpoint)
    /// The service has no such protocol, or no usable link for it.
    case link(ServiceDescription.LinkRejection)
    /// The answer gives a token that is bound to no key.
    case unboundToken
    /// The answer gives a token that is bound to somebody else's key.
    case foreignKey
    /// The token cannot be renewed.
    case notRenewable
    /// The answer is not the JSON that was expected.
    case json(JSON.Rejection)
    /// What the answer says does not fit into the app's stores.
    case row(RowRejection)
    /// Nothing could be signed.
    case issuance(IssuanceRejection)
    /// A token cannot be carried by a header field.
    case unwritable(SyntaxError)
}

extension ClientRejection: CustomStringConvertible {
    /// What keeps the app from going on, and what helps.
    public var description: String {
        switch self {
        case .refused(let error): "refused: \(error)"
        case .unusable(let rejection): rejection.description
        case .unanswered: "no answer; try again (\(clause))"
        case .unregistered: "register the instance first (\(clause))"
        case .signedOut: "sign in first (\(clause))"
        case .unauthorized(let service): "no token for \(service); authorize the service first (\(clause))"
        case .noEndpoint(let endpoint): "the service tells no \(endpoint.rawValue) (\(clause))"
        case .link(let rejection): rejection.description
        case .unboundToken: "a token that is bound to no key (\(clause))"
        case .foreignKey: "a token that is bound to somebody else's key (\(clause))"
        case .notRenewable: "a token without a refresh token (\(clause))"
        case .json(let rejection): rejection.description
        case .row(let rejection): rejection.description
        case .issuance(let rejection): rejection.description
        case .unwritable(let rejection): rejection.description
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .refused: "RFC6749-5.2"
        case .unusable(let rejection): rejection.clause
        case .unanswered: "NIF-9"
        case .unregistered: "REG-1"
        case .signedOut: "AUT-5"
        case .unauthorized: "APP-2"
        case .noEndpoint: "RFC8414-2"
        case .link(let rejection): rejection.clause
        case .unboundToken: "POP-1"
        case .foreignKey: "threat-36"
        case .notRenewable: "TOK-2"
        case .json(let rejection): rejection.clause
        case .row(let rejection): rejection.clause
        case .issuance(let rejection): rejection.clause
        case .unwritable(let rejection): rejection.clause
        }
    }
}
