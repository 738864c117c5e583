public import OAuth2Grants
public import RSD2
public import Wire

extension AuthorizingApp {
    /// Why the app cannot go on with what it wanted.
    public enum Rejection: BrokenRule {
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
        /// What the answer says does not fit into the app's store.
        case store(Store.Rejection)
        /// Nothing could be signed.
        case issuance(IssuanceRejection)
        /// A token cannot be carried by a header field.
        case unwritable(SyntaxError)

        /// The rule, whole: what keeps the app from going on, and what helps.
        public var rule: Rule {
            switch self {
            case .refused(let error): Rule("RFC6749-5.2", "refused: \(error)")
            case .unusable(let rejection): Rule(rejection.clause, rejection.description)
            case .unanswered: Rule("NIF-9", "no answer; try again")
            case .unregistered: Rule("REG-1", "register the instance first")
            case .signedOut: Rule("AUT-5", "sign in first")
            case .unauthorized(let service): Rule("APP-2", "no token for \(service); authorize the service first")
            case .noEndpoint(let endpoint): Rule("RFC8414-2", "the service tells no \(endpoint.rawValue)")
            case .link(let rejection): Rule(rejection.clause, rejection.description)
            case .unboundToken: Rule("POP-1", "a token that is bound to no key")
            case .foreignKey: Rule("threat-36", "a token that is bound to somebody else's key")
            case .notRenewable: Rule("TOK-2", "a token without a refresh token")
            case .json(let rejection): Rule(rejection.clause, rejection.description)
            case .store(let rejection): rejection.rule
            case .issuance(let rejection): Rule(rejection.clause, rejection.description)
            case .unwritable(let rejection): Rule(rejection.clause, rejection.description)
            }
        }
    }
}
