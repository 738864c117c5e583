internal import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

extension NAILState {
    /// Why the state, or the app that holds it, does not do what it was asked for.
    public enum Refusal: BrokenRule {
        /// No service of this name is in the state.
        case unknownService(String)
        /// Several services have this display name; their identities tell them apart.
        case ambiguousName(String, count: Int)
        /// The name of the protocol is not a valid one.
        case malformedProtocol(SyntaxError)
        /// The protocol was not granted at this service.
        case notGranted(ProtocolName)
        /// There is no authorization for this protocol.
        case unauthorized(ProtocolName)
        /// The endpoint cannot be built.
        case link(ServiceDescription.LinkRejection)
        /// The URL does not lie under the endpoint that was authorized.
        case outsideEndpoint(WebURL)
        /// The endpoint does not lie within the scope of the authorization.
        case outsideScope(WebURL)
        /// The access token has expired.
        case expired
        /// The authorization is over, because the service refused to renew it with this code; the person has to be
        /// asked again.
        case ended(OAuth2Error.Code)
        /// A claim that is not the caller's to set.
        case reservedClaim(JSON.Name)
        /// No token was signed.
        case signing(IssuanceRejection)
        /// The key lies elsewhere, and nothing came from there, or no signature by it: the person declined, or the
        /// signer is away; nothing has changed.
        case unsigned
        /// The authorization came without a refresh token; the person has to be asked again.
        case notRenewable
        /// The service refuses a token that is new; the person has to be asked again.
        case refused
        /// The service has no authorization component that it could be renewed or revoked at.
        case noAuthorizationServer
        /// The service's authorization component lies in the own network, or at a port that is not the service's.
        case closedAddress(WebURL)
        /// The same authorization is being renewed at this moment.
        case underWay
        /// A request to the service cannot be written.
        case unwritable
        /// The app's request, or the authorizing app's response to it, is not valid.
        case message(MessageRejection)
        /// The authorizing app did not answer.
        case unanswered
        /// The service did not answer, or nothing that says anything about the authorization; nothing has changed.
        case unavailable
        /// The service's clock is so far ahead of the device's, and it refuses what is signed in either time: the
        /// person has to set the device's clock.
        case otherTime(Duration)

        /// The rule, whole.
        public var rule: Rule {
            switch self {
            case .unknownService(let name): Rule("NAI-2", "no service '\(name)' is authorized")
            case .ambiguousName(let name, let count): Rule("NAI-2", "\(count) services are named '\(name)'")
            case .malformedProtocol(let rejection): Rule(rejection.clause, rejection.description)
            case .notGranted(let name): Rule("NAI-12", "\(name) was not granted at this service")
            case .unauthorized(let name): Rule("NIF-8", "there is no authorization for \(name)")
            case .link(let rejection): Rule(rejection.clause, rejection.description)
            case .outsideEndpoint(let url): Rule("threat-51", "\(url) does not lie under the authorized endpoint")
            case .outsideScope(let url): Rule("threat-51", "\(url) does not lie within the scope of the authorization")
            case .expired: Rule("NAI-6", "the access token has expired")
            case .ended(let code):
                Rule("NIF-9", "the authorization is over: the service refused to renew it (\(code))")
            case .reservedClaim(let name): Rule("threat-50", "the claim '\(name)' is not the caller's to set")
            case .signing(let rejection): Rule(rejection.clause, rejection.description)
            case .unsigned:
                Rule("KEY-21", "no signature came from where the key lies; nothing has changed, so ask for it again")
            case .notRenewable: Rule("TOK-2", "there is no refresh token")
            case .refused: Rule("NIF-9", "the service refused a token that is new")
            case .noAuthorizationServer: Rule("DSC-7", "the service does not offer org.ietf.oauth2")
            case .closedAddress(let url):
                Rule("threat-70", "\(url.origin) is not asked: it lies in the own network, or at a port of its own")
            case .underWay: Rule("threat-28", "the authorization is being renewed")
            case .unwritable: Rule("RFC6749-6", "a request to the service cannot be written")
            case .message(let rejection): rejection.rule
            case .unanswered: Rule("NIF-1", "the authorizing app did not answer")
            case .unavailable: Rule("NIF-9", "the service said nothing about the authorization")
            case .otherTime(let difference):
                Rule(
                    "NIF-9", "the device's clock is wrong: the service's is \(difference.components.seconds) s ahead")
            }
        }

        /// The signature that is awaited from where the key lies.
        var awaited: SignatureRequest? {
            if case .signing(.signing(.awaited(let request))) = self { request } else { nil }
        }

        /// Whether the person can help: the authorization is over, and another can be given.
        public var needsPerson: Bool {
            switch self {
            case .expired, .ended, .notRenewable, .refused: true
            default: false
            }
        }
    }
}
