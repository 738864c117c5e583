public import JOSE
internal import OAuth2Grants
public import RSD2
public import Wire

extension NAILState {
    /// A revocation: the requests to send to a service that was removed from the state (NAI-7, NIF-10).
    public struct Revocation: Sendable, CustomStringConvertible, CustomReflectable {
        /// The service that was removed.
        public let service: ServiceURL
        /// What is to be sent, one after the other; empty if the service has no place to revoke at.
        public let requests: [HTTP.Request]
        /// Whether every token that the state held can be revoked by these requests.
        public let isComplete: Bool

        /// Whether the service confirmed that all of it is over; an answer that is missing, or a page, confirms nothing
        /// (threat 60).
        public func isConfirmed(by responses: [HTTP.Response?]) -> Bool {
            isComplete && responses.count == requests.count
                && responses.allSatisfy { response in
                    response.flatMap { try? RevocationRequest.Outcome(parsing: $0) } == .confirmed
                }
        }

        /// What is revoked, without any token.
        public var description: String { "Revocation(\(service), \(requests.count) requests; redacted)" }

        /// Nothing to look into: a dump ends up in logs.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Removes a service, and says how to revoke what opened it (RFC 7009).
    ///
    /// The state forgets first, so that nobody gets a token that is being revoked. Refresh tokens go before access
    /// tokens, so that no new ones arise from them. An authorization that a service has already ended needs no request.
    ///
    /// Where a signature is awaited from elsewhere (KEY-20), the state forgets nothing until it is among those that are
    /// known, or declined.
    ///
    /// - Parameter declined: signatures that there will not be; what they were for is left out.
    public mutating func revoke(
        _ serviceName: String, at now: Timestamp, knowing signatures: Signatures = .none,
        without declined: Set<SignatureRequest> = [], using entropy: inout some RandomNumberGenerator
    ) throws(Refusal) -> Revocation {
        let service = try service(serviceName)
        var requests: [HTTP.Request] = []
        var isComplete = true
        for grant in service.grants {
            for (_, authorization) in grant.sorted {
                let endpoint = try? grant.authorizationEndpoint("revoke")
                let time = endpoint.map { signing(for: $0, at: now).time } ?? now
                do throws(Refusal) {
                    requests += try authorization.revocations(
                        of: grant, at: service.url, within: destinations, at: time, knowing: signatures,
                        using: &entropy)
                } catch {
                    if let awaited = error.awaited, !declined.contains(awaited) { throw error }
                    isComplete = false
                }
            }
        }
        services[JSON.Name(service.url.identity)] = nil
        return Revocation(service: service.url, requests: requests, isComplete: isComplete)
    }
}

extension Authorization {
    fileprivate func revocations(
        of grant: NAILState.Grant, at service: ServiceURL, within destinations: Destinations, at now: Timestamp,
        knowing signatures: Signatures, using entropy: inout some RandomNumberGenerator
    ) throws(NAILState.Refusal) -> [HTTP.Request] {
        guard let credentials else { return [] }
        let endpoint = try grant.authorizationEndpoint("revoke")
        guard destinations.permits(endpoint, namedBy: service.url) else { throw .closedAddress(endpoint) }
        var tokens: [(AccessToken, RevocationRequest.Hint)] = [(credentials.accessToken, .accessToken)]
        if let text = credentials.refreshToken?.secret, let token = try? AccessToken(parsing: text) {
            tokens.insert((token, .refreshToken), at: 0)
        }
        var requests: [HTTP.Request] = []
        for (token, hint) in tokens {
            let credential = try credential(for: endpoint, at: now, knowing: signatures, using: &entropy)
            let request = RevocationRequest(
                token, hint: hint, credential: credential, client: grant.client(beside: credential))
            guard let message = try? request.encoded(to: endpoint) else { throw .unwritable }
            requests.append(message)
        }
        return requests
    }
}
