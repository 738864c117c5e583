public import OAuth2Grants
internal import RSD2

// What an instance does when it learns that something has ended: it has it anew as far as that goes without the person,
// and does once more what it was about.

extension AuthorizingApp.Interaction {
    /// This interaction, and once more after a holder's token was had anew, where it learns that the token is over.
    ///
    /// - Parameter codes: the errors that say so at the endpoints that it asks.
    func regaining(
        _ holder: AuthorizingApp.Holder, after codes: OAuth2Error.Code...
    ) -> AuthorizingApp.Interaction<Value> {
        let again = self
        return recovering { _, rejection throws(Rejection) in
            guard case .refused(let error) = rejection, codes.contains(error.code) else { throw rejection }
            return AuthorizingApp.Interaction<Void>.regained(holder).then { _, _ throws(Rejection) in again }
        }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// A new token of a holder, in the place of one that is over.
    ///
    /// A registration proves the instance's key, and gives the same instance if that lives (REG-5). A user whose grant
    /// has ended is signed out, which only the person can change; a service is authorized anew.
    static func regained(_ holder: AuthorizingApp.Holder) -> Self {
        switch holder {
        case .instance: return registration
        case .user:
            // What was refused for good is forgotten already.
            return renewal(of: .user).recovering { _, rejection throws(Rejection) in
                throw rejection.isFinal ? .signedOut : rejection
            }
        case .service(let url):
            return renewal(of: holder).recovering { _, rejection throws(Rejection) in
                // What was refused can be had anew, by a new introduction; what was not answered cannot.
                switch rejection {
                case .refused, .notRenewable: return introduction(to: url)
                default: throw rejection
                }
            }
        }
    }
}

extension Rejection {
    /// Whether the other side does not know who asks.
    var isUnknownClient: Bool {
        if case .refused(let error) = self { error.code == .invalidClient } else { false }
    }

    /// What the other side demands of the person's sign-in before it does what was asked; `nil` where it was refused
    /// for anything else: offer ``AuthorizingApp/stepUp(to:)``.
    public var demand: AuthenticationDemand? {
        let codes: [OAuth2Error.Code] = [.insufficientUserAuthentication, .insufficientAuthorization]
        guard case .refused(let error) = self, codes.contains(error.code), !error.demand.isEmpty else { return nil }
        return error.demand
    }

    /// Whether a renewal was refused for good, and not only put off.
    var isFinal: Bool {
        switch self {
        case .refused(let error): [.invalidGrant, .invalidClient].contains(error.code)
        case .notRenewable: true
        default: false
        }
    }
}
