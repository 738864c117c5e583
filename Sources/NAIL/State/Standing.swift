public import OAuth2Grants
public import RSD2
public import Wire

extension NAILState {
    /// How it stands with an authorization: what an app can tell its user when something has to be renewed, and why
    /// (NIF-12).
    public enum Standing: Equatable, Sendable {
        /// It can be used; until when is known where the service said so.
        case valid(until: Timestamp?)
        /// The access token cannot be used any longer; where it is renewable, nobody need be asked.
        case expired(Expiry, isRenewable: Bool)
        /// It is over, and the user has to authorize the app anew: the service refused to renew it, with this code. It
        /// was revoked there, or the user logged out of the authorizing app (UX-6).
        case ended(OAuth2Error.Code)
    }

    /// How an access token expired.
    public enum Expiry: Equatable, Sendable {
        /// Its time ran out.
        case time(Timestamp)
        /// The service refused it before its time (NIF-9).
        case refused
    }

    /// How it stands with the authorization for a protocol of a service, or for a path below it.
    public func standing(
        of serviceName: String, _ name: ProtocolName, path: String? = nil, at now: Timestamp
    ) throws(Refusal) -> Standing {
        switch try find(serviceName, name, path: path).authorization {
        case .ended(let code): .ended(code)
        case .live(let credentials): credentials.standing(at: now)
        }
    }
}

extension Credentials {
    func standing(at now: Timestamp) -> NAILState.Standing {
        let isRenewable = refreshToken != nil
        if isRefused { return .expired(.refused, isRenewable: isRenewable) }
        if let expiration, now >= expiration { return .expired(.time(expiration), isRenewable: isRenewable) }
        return .valid(until: expiration)
    }
}

extension NAILState.Standing: CustomStringConvertible {
    /// The standing in words, for an app that has none of its own.
    public var description: String {
        switch self {
        case .valid(let time): time.map { "valid until \($0)" } ?? "valid"
        case .expired(.time(let time), let isRenewable):
            "expired at \(time), " + (isRenewable ? "can be renewed" : "needs a new authorization")
        case .expired(.refused, let isRenewable):
            "refused by the service, " + (isRenewable ? "can be renewed" : "needs a new authorization")
        case .ended(.insufficientUserAuthentication):
            "ended: the service wants a stronger or more recent sign-in"
        case .ended(let code): "ended: the service refused to renew the authorization (\(code))"
        }
    }
}
