public import JOSE
internal import OAuth2Grants
public import RSD2
public import Wire

extension NAILState {
    /// What opens one endpoint: its URL, and the token to send there.
    ///
    /// It is prepared once and good for any number of requests; what happens to the authorization later it does not
    /// notice.
    public struct Access: Sendable {
        /// The URL that requests go to.
        public let endpoint: WebURL
        /// When the access token expires, where that is known.
        public let expiration: Timestamp?
        private let credentials: Credentials
        /// How far the clock of whoever answers there is ahead of the device's, where that is known.
        private let difference: Duration?

        init(_ endpoint: WebURL, _ credentials: Credentials, ahead difference: Duration?) {
            self.endpoint = endpoint
            self.credentials = credentials
            self.difference = difference
            expiration = credentials.expiration
        }

        /// Whether each request needs a token of its own; apps have no need to know (NIF-7).
        public var isPerRequest: Bool {
            if case .signed = credentials.presentation { true } else { false }
        }

        /// When a token for a request is signed, where it is.
        package func signing(at now: Timestamp) -> Signing? {
            isPerRequest ? Signing(endpoint, at: now, ahead: difference) : nil
        }

        /// Whether there are no more tokens from here.
        public func isExpired(at now: Timestamp) -> Bool { credentials.isExpired(at: now) }
    }

    /// The URL of a protocol, or of a path below it, by the rules of RSD2 (NAI-5, RSD-3).
    public func endpoint(of serviceName: String, _ name: ProtocolName, path: String? = nil) throws(Refusal) -> WebURL {
        try service(serviceName).grant(for: name).endpoint(of: name, path: path)
    }

    /// What opens a protocol of a service, or to a path below it.
    ///
    /// An authorization that stands at the protocol wins over the one that stands at the service (NIF-8). There is none
    /// for an endpoint outside of what was authorized (threat 51).
    public func access(to serviceName: String, _ name: ProtocolName, path: String? = nil) throws(Refusal) -> Access {
        let found = try find(serviceName, name, path: path)
        let endpoint = try found.grant.endpoint(of: name, path: path)
        switch found.authorization {
        case .ended(let code): throw .ended(code)
        case .live(let credentials):
            guard credentials.isMeant(for: endpoint, of: found.name, at: found.service) else {
                throw .outsideScope(endpoint)
            }
            return Access(endpoint, credentials, ahead: clocks[endpoint.origin]?.difference)
        }
    }
}

// MARK: - Tokens

extension NAILState.Access {
    /// The token for one request: the access token as it is, or one made for this request (NAI-6).
    ///
    /// Where the key lies elsewhere, the refusal says which signature is awaited (KEY-20): with that among the
    /// signatures, and the same time and entropy, there is a token.
    ///
    /// - Parameter claims: further claims of a request token, beside those that are not the caller's to set (threat
    ///   50); a plain access token ignores them.
    public func token(
        with claims: JSON.Object = [:], at now: Timestamp, knowing signatures: Signatures = .none,
        using entropy: inout some RandomNumberGenerator
    ) throws(NAILState.Refusal) -> String {
        guard !credentials.isExpired(at: now) else { throw .expired }
        guard case .signed(let requests, _) = credentials.presentation else { return credentials.accessToken.secret }
        let time = now + (difference ?? .zero)
        do throws(IssuanceRejection) {
            return try requests.token(
                for: endpoint, adding: claims, at: time, knowing: signatures, using: &entropy
            ).secret
        } catch {
            if case .reservedClaim(let name) = error { throw .reservedClaim(name) }
            throw .signing(error)
        }
    }

    /// What opens one URL below the endpoint, which may have a query of its own; there is none to any other URL (threat
    /// 51).
    public func narrowed(to url: WebURL) throws(NAILState.Refusal) -> NAILState.Access {
        guard endpoint.covers(url) else { throw .outsideEndpoint(url) }
        return NAILState.Access(url, credentials, ahead: difference)
    }
}

extension NAILState.Access: CustomStringConvertible, CustomReflectable {
    /// The endpoint, without any token.
    public var description: String { "Access(\(endpoint); redacted)" }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension NAILState.Grant {
    func endpoint(of name: ProtocolName, path: String? = nil) throws(NAILState.Refusal) -> WebURL {
        try wrapping(NAILState.Refusal.link, try description.endpoint(for: name, path: path))
    }
}

extension Credentials {
    /// Whether the scope, where it speaks of endpoints of this service, has this one in it.
    ///
    /// Elsewhere URLs in a scope may be mere words; so only those count that share their origin with the service or the
    /// endpoint.
    func isMeant(for endpoint: WebURL, of name: ProtocolName, at service: ServiceURL) -> Bool {
        guard let scope else { return true }
        let origins = [endpoint.origin, service.url.origin]
        guard scope.endpoints.contains(where: { origins.contains($0.origin) }) else { return true }
        return scope.covers(endpoint) || scope.tokens.contains { $0.text.utf8.elementsEqual(name.text.utf8) }
    }
}
