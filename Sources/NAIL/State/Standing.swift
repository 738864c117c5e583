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
        /// It is over, and the user has to authorize the app anew.
        case ended(Ending)
    }

    /// How an access token expired.
    public enum Expiry: Equatable, Sendable {
        /// Its time ran out.
        case time(Timestamp)
        /// The service refused it before its time (NIF-9).
        case refused
    }

    /// Why an authorization is over.
    public enum Ending: Equatable, Sendable {
        /// The service refused to renew it, with this code: it was revoked there, or the user logged out of the
        /// authorizing app (UX-6).
        case renewalRefused(OAuth2Error.Code)
    }

    /// Why the state does not do what it was asked for.
    public enum Refusal: Error, Equatable, Sendable {
        /// No service of this name is in the state.
        case unknownService(String)
        /// Several services have this display name; their identities tell them apart.
        case ambiguousName(String, count: Int)
        /// The name of the protocol is none.
        case malformedProtocol(IdentifierRejection)
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
        /// The authorization is over.
        case ended(Ending)
        /// A claim that is not the caller's to set.
        case reservedClaim(JSON.Name)
        /// No token was signed.
        case signing(IssuanceRejection)
        /// The authorization came without a refresh token.
        case notRenewable
        /// The service has no authorization component that it could be renewed or revoked at.
        case noAuthorizationServer
        /// The same authorization is being renewed at this moment.
        case underWay
        /// A request to the service cannot be written.
        case unwritable
    }

    /// How it stands with the authorization for a protocol of a service, or for a path below it.
    public func standing(
        of serviceName: String, _ name: ProtocolName, path: String? = nil, at now: Timestamp
    ) throws(Refusal) -> Standing {
        let grant = try service(serviceName).grant(for: name)
        let name = grant.answering(name, path: path)
        switch grant.authorization(for: name) {
        case .ended(let ending): return .ended(ending)
        case .live(let credentials): return credentials.standing(at: now)
        case nil: throw .unauthorized(name)
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

extension NAILState.Ending: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .renewalRefused(let code): "the service refused to renew the authorization (\(code))"
        }
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
        case .ended(let ending): "ended: \(ending)"
        }
    }
}

extension NAILState.Refusal: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .unknownService(let name): "no service '\(name)' is authorized (\(clause))"
        case .ambiguousName(let name, let count): "\(count) services are named '\(name)' (\(clause))"
        case .malformedProtocol(let rejection): rejection.description
        case .notGranted(let name): "\(name) was not granted at this service (\(clause))"
        case .unauthorized(let name): "there is no authorization for \(name) (\(clause))"
        case .link(let rejection): rejection.description
        case .outsideEndpoint(let url): "\(url) does not lie under the authorized endpoint (\(clause))"
        case .outsideScope(let url): "\(url) does not lie within the scope of the authorization (\(clause))"
        case .expired: "the access token has expired (\(clause))"
        case .ended(let ending): "the authorization is over: \(ending) (\(clause))"
        case .reservedClaim(let name): "the claim '\(name)' is not the caller's to set (\(clause))"
        case .signing(let rejection): rejection.description
        case .notRenewable: "there is no refresh token (\(clause))"
        case .noAuthorizationServer: "the service does not offer org.ietf.oauth2 (\(clause))"
        case .underWay: "the authorization is being renewed (\(clause))"
        case .unwritable: "a request to the service cannot be written (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .unknownService, .ambiguousName: "NAI-2"
        case .malformedProtocol(let rejection): rejection.clause
        case .notGranted: "NAI-12"
        case .unauthorized: "NIF-8"
        case .link(let rejection): rejection.clause
        case .outsideEndpoint, .outsideScope: "threat-51"
        case .expired: "NAI-6"
        case .ended: "NIF-9"
        case .reservedClaim: "threat-50"
        case .signing(let rejection): rejection.clause
        case .notRenewable: "TOK-2"
        case .noAuthorizationServer: "DSC-7"
        case .underWay: "threat-28"
        case .unwritable: "RFC6749-6"
        }
    }
}
