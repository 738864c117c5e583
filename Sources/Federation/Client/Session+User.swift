internal import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

// Shared by app and extension (DAT-4): profile, usage list, protocol discovery.

extension Session {
    /// Asks for the profile attributes, right after signing in (AUT-6).
    public func profileRequest(at now: Timestamp, using entropy: inout some RandomNumberGenerator)
        throws(ClientRejection) -> HTTP.Request
    {
        try request(.get, try endpoint(.userinfo), with: try signedIn(), now, &entropy)
    }

    /// Takes in the profile attributes, which are shown and not interpreted (FED-6, USR-7).
    public mutating func receiveProfile(_ response: HTTP.Response?) throws(ClientRejection) {
        let bytes = try body(response)
        do throws(JSON.Rejection) {
            profile = try JSON(parsing: bytes, limits: JSON.Limits(size: 64 << 10, depth: 16)).object ?? JSON.Object()
        } catch {
            throw .json(error)
        }
    }

    /// Asks which services the user has used: after signing in and at every launch (USE-3).
    public func usageRequest(at now: Timestamp, using entropy: inout some RandomNumberGenerator) throws(ClientRejection)
        -> HTTP.Request
    {
        try request(.get, own("usage"), with: try signedIn(), now, &entropy)
    }

    /// Takes in the usage list; a service without a usage manager answers 404, and then there is no list (USE-4).
    public mutating func receiveUsage(_ response: HTTP.Response?) throws(ClientRejection) {
        if response?.status == .notFound {
            usage = nil
            return
        }
        let bytes = try body(response)
        do throws(JSON.Rejection) {
            var found: [ServiceURL] = []
            for element in try JSON.Document(
                parsing: bytes, limits: JSON.Limits(size: 1 << 20, depth: 2, values: 20_000)
            ).root.array() {
                // A URL that is none leads to no service.
                if let service = try? ServiceURL(parsing: try element.string()) { found.append(service) }
            }
            usage = found
        } catch {
            throw .json(error)
        }
    }

    /// Asks the edu-ID service for the descriptions of the services that answer a query (3b).
    public func discovery(
        _ query: DiscoveryQuery, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        try discovery(query, own("discovery"), with: try signedIn(), now, &entropy)
    }

    /// Asks a discovery that is a federation service of its own (DSC-8), with the service token that the instance has
    /// there.
    public func discovery(
        _ query: DiscoveryQuery, at service: ServiceURL, _ now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        guard let held = services[service] else { throw .unauthorized(service) }
        guard let url = try? service.url.appending("discovery") else { throw .unauthorized(service) }
        return try discovery(query, url, with: held.token, now, &entropy)
    }

    private func discovery(
        _ query: DiscoveryQuery, _ url: WebURL, with held: HeldToken, _ now: Timestamp,
        _ entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        let body = JSON.encodedArray { list in
            switch query {
            case .protocols(let names): for name in names { list.element(name.text) }
            case .services(let services): for service in services { list.element(service.url.text) }
            }
        }
        return try request(.post, url, with: held, body: body, now, &entropy)
    }

    /// The services in an answer, in an order that means nothing (DSC-4); older services say 404 where they mean none.
    public func discovered(in response: HTTP.Response?) throws(ClientRejection) -> [DiscoveredService] {
        if response?.status == .notFound { return [] }
        let bytes = try body(response)
        do throws(JSON.Rejection) {
            return try DiscoveryAnswer(parsing: bytes).services
        } catch {
            throw .json(error)
        }
    }

    /// An endpoint of the edu-ID service that its metadata have no member for.
    private func own(_ path: String) -> WebURL {
        // A URL with a word below it is one.
        (try? eduID.base.appending(path)) ?? eduID.base
    }
}

// MARK: - Ending (the app's part)

extension Session {
    /// Signs the user out: ends the personal token, and with it every authorization of every app (UX-5, UX-6).
    public func signOut(at now: Timestamp, using entropy: inout some RandomNumberGenerator) throws(ClientRejection)
        -> HTTP.Request
    {
        let held = try signedIn()
        return try revocation(of: held, at: try endpoint(.revocation), held, now, &entropy)
    }

    /// Takes in the answer; only when the service has confirmed is the user forgotten (threat 32).
    public mutating func receiveSignOut(_ response: HTTP.Response?) throws(ClientRejection) {
        try confirm(response)
        forgetUser()
    }

    /// Ends what a service gave, and with it all that apps got there (TOK-6).
    public func revocation(
        of service: ServiceURL, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        guard let held = services[service] else { throw .unauthorized(service) }
        return try revocation(
            of: held.token, at: try Self.sibling("revoke", of: held.tokenEndpoint), held.token, now, &entropy)
    }

    /// Takes in the answer; only when the service has confirmed is its token forgotten (threat 32).
    public mutating func receiveRevocation(of service: ServiceURL, _ response: HTTP.Response?) throws(ClientRejection) {
        try confirm(response)
        services[service] = nil
    }

    /// Ends the token of a third-party app that this instance obtained.
    public func revocation(
        of token: AccessToken, at service: ServiceURL, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        guard let held = services[service] else { throw .unauthorized(service) }
        let url = try Self.sibling("revoke", of: held.tokenEndpoint)
        return try encoded(
            RevocationRequest(token, credential: try held.token.proof(for: url, at: now, using: &entropy)), to: url)
    }

    /// Makes sure that the other side has confirmed that a token is over.
    public func confirm(_ response: HTTP.Response?) throws(ClientRejection) {
        let outcome: RevocationRequest.Outcome = try answer(response) { response throws(ParameterRejection) in
            try .init(parsing: response)
        }
        if case .refused(let error) = outcome { throw .refused(error) }
    }

    /// The revocation endpoint lies beside the token endpoint, below the link of the authorization component.
    static func sibling(_ name: String, of tokenEndpoint: WebURL) throws(ClientRejection) -> WebURL {
        guard let url = try? WebURL(parsing: name, relativeTo: tokenEndpoint) else { throw .noEndpoint(.revocation) }
        return url
    }

    private func revocation(
        of held: HeldToken, at url: WebURL, _ proving: HeldToken, _ now: Timestamp,
        _ entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        let credential = try proving.proof(for: url, at: now, using: &entropy)
        return try encoded(
            RevocationRequest(held.response.accessToken, hint: .accessToken, credential: credential), to: url)
    }

    private func encoded(_ request: RevocationRequest, to url: WebURL) throws(ClientRejection) -> HTTP.Request {
        do throws(SyntaxError) { return try request.encoded(to: url) } catch {
            throw .unwritable(error)
        }
    }
}
