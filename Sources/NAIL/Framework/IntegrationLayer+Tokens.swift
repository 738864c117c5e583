internal import OAuth2Grants
internal import RSD2
public import Wire

// MARK: - At once

extension IntegrationLayer {
    /// A token for requests to a protocol's endpoint, or the empty string when it has expired or there is none (NAI-6).
    ///
    /// Ask anew for every request. This form answers at once and asks nobody; where waiting is possible, its `async`
    /// twin renews first.
    public func getServiceToken(_ serviceName: String, _ protocolName: String) -> String {
        token(Way(serviceName, protocolName), [:])
    }

    /// A token for requests to a path below a protocol's endpoint, or the empty string (NAI-6).
    public func getServiceToken(_ serviceName: String, _ protocolName: String, _ endpointPath: String) -> String {
        token(Way(serviceName, protocolName, endpointPath), [:])
    }

    /// A token with further claims, where it is made for each request; a plain token ignores them (NAI-6).
    ///
    /// Claims that say who asks whom and when are not the caller's to set, and are left out (threat 50).
    public func getServiceToken(_ serviceName: String, _ protocolName: String, _ claims: JSON.Object) -> String {
        token(Way(serviceName, protocolName), claims)
    }

    /// A token with further claims for a path below a protocol's endpoint, or the empty string (NAI-6).
    public func getServiceToken(
        _ serviceName: String, _ protocolName: String, _ endpointPath: String, _ claims: JSON.Object
    ) -> String {
        token(Way(serviceName, protocolName, endpointPath), claims)
    }

    private func token(_ way: Way, _ claims: JSON.Object) -> String {
        do throws(NAILState.Refusal) {
            let (host, access) = try withCore { (core) throws(NAILState.Refusal) in (core.host, try core.access(way)) }
            guard let host else { return "" }
            var entropy = Entropy(word: host.entropy)
            return try access.token(with: Self.permitted(claims), at: host.now(), using: &entropy)
        } catch {
            notice(.refused(error))
            return ""
        }
    }

    private static func permitted(_ claims: JSON.Object) -> JSON.Object {
        let reserved = RequestToken.reservedClaims
        guard claims.contains(where: { reserved.contains($0.name) }) else { return claims }
        return JSON.Object(claims.filter { !reserved.contains($0.name) }.map { ($0.name, $0.value) })
    }
}

// MARK: - After renewal

extension IntegrationLayer {
    /// A token for requests to a protocol's endpoint, renewed before where it had expired (NAI-6, NIF-9).
    ///
    /// However many ask at once, one renewal is sent. The empty string says that the user has to authorize the app
    /// anew, or that the service could not be reached; ``standing(_:_:_:)`` tells which.
    public func getServiceToken(_ serviceName: String, _ protocolName: String) async -> String {
        await renewedToken(Way(serviceName, protocolName), [:])
    }

    /// A token for requests to a path below a protocol's endpoint, renewed before where it had expired.
    public func getServiceToken(_ serviceName: String, _ protocolName: String, _ endpointPath: String) async -> String {
        await renewedToken(Way(serviceName, protocolName, endpointPath), [:])
    }

    /// A token with further claims, renewed before where it had expired.
    public func getServiceToken(_ serviceName: String, _ protocolName: String, _ claims: JSON.Object) async -> String {
        await renewedToken(Way(serviceName, protocolName), claims)
    }

    /// A token with further claims for a path below a protocol's endpoint, renewed before where it had expired.
    public func getServiceToken(
        _ serviceName: String, _ protocolName: String, _ endpointPath: String, _ claims: JSON.Object
    ) async -> String {
        await renewedToken(Way(serviceName, protocolName, endpointPath), claims)
    }

    private func renewedToken(_ way: Way, _ claims: JSON.Object) async -> String {
        await renewExpired(way)
        return token(way, claims)
    }
}

// MARK: - Beyond the source's calls

extension IntegrationLayer {
    /// Notes that a service answered a request that carried this token with an authorization error (NIF-9).
    ///
    /// The access token behind it is taken for expired, and no other. The next `async` call of `getServiceToken` renews
    /// it, where it can be.
    public func noteRefusal(
        of token: String, _ serviceName: String, _ protocolName: String, _ endpointPath: String = ""
    ) {
        guard let name = try? ProtocolName(parsing: protocolName) else { return }
        withCore { core in
            core.change { state in _ = state.noteRefusal(of: token, by: serviceName, name, path: endpointPath) }
        }
    }

    /// How it stands with an authorization, and why (NIF-12); nothing where there is none.
    public func standing(_ serviceName: String, _ protocolName: String, _ endpointPath: String = "") -> NAILState
        .Standing?
    {
        let (state, host) = withCore { ($0.state, $0.host) }
        guard let host, let name = try? ProtocolName(parsing: protocolName) else { return nil }
        return try? state.standing(of: serviceName, name, path: endpointPath, at: host.now())
    }
}
