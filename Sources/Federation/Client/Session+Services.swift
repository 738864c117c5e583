public import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

// The extension's part (DAT-4): service authorization (4, 5), and access for apps (8).

/// A request for a service assertion under way.
public struct Introduction: Sendable {
    /// The service that the user is introduced to.
    public let service: ServiceURL
    /// What is to be sent.
    public let request: HTTP.Request
    let asked: AuthorizationRequest
}

/// The redemption of a service assertion under way.
public struct Redeeming: Sendable {
    /// The service that takes the assertion.
    public let service: ServiceURL
    /// What is to be sent.
    public let request: HTTP.Request
    let tokenEndpoint: WebURL
}

extension Session {
    /// Asks the edu-ID service to introduce the user to a service (AST-1).
    public func introduction(
        to service: ServiceURL, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> Introduction {
        let url = try endpoint(.authorization)
        let held = try signedIn()
        let state = Base64URL.encode(entropy.bytes(16))
        let asked = AuthorizationRequest(
            for: service.url, state: state, credential: try held.proof(for: url, at: now, using: &entropy))
        do throws(SyntaxError) {
            return Introduction(service: service, request: try asked.encoded(to: url), asked: asked)
        } catch {
            throw .unwritable(error)
        }
    }

    /// Redeems the assertion that came with the answer, at the token endpoint that came with it.
    public func redemption(
        of introduction: Introduction, _ response: HTTP.Response?, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> Redeeming {
        let outcome: AuthorizationRequest.Outcome = try answer(response) { response throws(ParameterRejection) in
            try .init(parsing: response, to: introduction.asked, by: eduID.issuer)
        }
        switch outcome {
        case .refused(let error): throw .refused(error)
        case .granted(let granted):
            let credential = try registered().proof(for: granted.tokenEndpoint, at: now, using: &entropy)
            let request = try encoded(.assertion(granted.code, credential: credential), to: granted.tokenEndpoint)
            return Redeeming(service: introduction.service, request: request, tokenEndpoint: granted.tokenEndpoint)
        }
    }

    /// Takes in the service token.
    public mutating func receive(_ redeeming: Redeeming, _ response: HTTP.Response?, at now: Timestamp)
        throws(ClientRejection)
    {
        let token = try HeldToken(try granted(response), of: installation, at: now)
        services[redeeming.service] = ServiceToken(token: token, tokenEndpoint: redeeming.tokenEndpoint)
    }

    /// Renews a service token.
    public func renewal(
        of service: ServiceURL, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        guard let held = services[service] else { throw .unauthorized(service) }
        return try renewal(of: held.token, at: held.tokenEndpoint, now, &entropy)
    }

    /// Takes in the answer to the renewal of a service token; when it is a refusal the service has to be authorized
    /// anew.
    public mutating func receiveRenewal(of service: ServiceURL, _ response: HTTP.Response?, at now: Timestamp)
        throws(ClientRejection)
    {
        guard let held = services[service] else { throw .unauthorized(service) }
        do throws(ClientRejection) {
            let renewed = try held.token.renewed(by: try granted(response), of: installation, at: now)
            services[service] = ServiceToken(token: renewed, tokenEndpoint: held.tokenEndpoint)
        } catch {
            if case .refused = error { services[service] = nil }
            throw error
        }
    }

    /// Whether the token of a service has to be renewed before it is used.
    public func isExpired(_ service: ServiceURL, at now: Timestamp) -> Bool {
        services[service]?.token.isExpired(at: now) ?? true
    }

    /// Asks a service for the token of a third-party app (8): for the endpoints of the protocols that it wants, bound
    /// to its key where it has one.
    public func appAuthorization(
        of app: BundleID, at service: ServiceDescription, for protocols: [ProtocolName], binding appKey: JWK? = nil,
        at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        guard let url = service.serviceURL, let held = services[url] else {
            throw .unauthorized(service.serviceURL ?? ServiceURL(eduID.base))
        }
        var scope: [Scope.Token] = []
        for name in protocols {
            do throws(ServiceDescription.LinkRejection) {
                let endpoint = try service.endpoint(for: name)
                // What RSD2 gives is an endpoint: a URL without query.
                if let token = try? Scope.Token(endpoint) { scope.append(token) }
            } catch {
                throw .link(error)
            }
        }
        let code: Assertion
        do throws(IssuanceRejection) {
            code = try Statement.AppCode.signed(
                with: SigningKey(installation.key, id: held.token.keyID), of: installation.instance, authorizing: app,
                to: try Self.authorization(beside: held.tokenEndpoint), binding: appKey, at: now, using: &entropy)
        } catch {
            throw .issuance(error)
        }
        let credential = try held.token.proof(for: held.tokenEndpoint, at: now, using: &entropy)
        return try encoded(.app(code, scope: Scope(scope), key: appKey, credential: credential), to: held.tokenEndpoint)
    }

    /// The service description for the app: nothing but the protocols that it asked for and `org.ietf.oauth2`, with
    /// what the service gave it (NIF-5).
    public func authorization(
        of service: ServiceDescription, for protocols: [ProtocolName], _ response: HTTP.Response?
    ) throws(ClientRejection) -> ServiceDescription {
        let granted = try granted(response)
        var filtered = service.filtered(for: protocols)
        guard let object = (try? JSON.Document(of: granted))?.tree().object,
            let authorization = try? ServiceDescription.Authorization(members: object)
        else { throw .unusable(.missing("access_token")) }
        filtered.authorization = authorization
        return filtered
    }

    /// The authorization endpoint, which app codes are for (APP-3), lies beside the token endpoint.
    private static func authorization(beside tokenEndpoint: WebURL) throws(IssuanceRejection) -> WebURL {
        guard let url = try? WebURL(parsing: "authorize", relativeTo: tokenEndpoint) else { throw .namelessKey }
        return url
    }
}
