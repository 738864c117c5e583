internal import JOSE
public import OAuth2Grants
public import TokenTree
public import Wire

/// Who makes a request (9): for whom, through which instance and app, and for what.
public struct Access: Sendable {
    /// The user, under the name by which the service knows him or her.
    public let subject: Record.Subject
    /// The instance of the edu-ID app through which the user authorized the request.
    public let instance: ClientID?
    /// The third-party app; nothing where the instance itself asks.
    public let app: BundleID?
    /// What the token is good for.
    public let scope: Scope
    /// What the edu-ID service released about the user, by the names of OpenID Connect.
    public let profile: JSON.Object
    /// What the app added to its request token.
    public let claims: JSON.Object
    /// The grant, by which the service can end it.
    public let grant: TokenID

    /// What a check of access comes to.
    public enum Outcome: Sendable {
        /// The request may be served, once the changes are stored.
        case granted(Access)
        /// What to answer instead.
        case refused(HTTPResponse)
    }
}

extension FederationService {
    /// Begins to check who makes a request to one of the service's own endpoints, and whether a token with it allows that (9).
    ///
    /// - Parameter url: the URL requested, as the app knows it; it must lie under an endpoint in the token's scope, at a boundary of path segments.
    public func access(
        for request: HTTPRequest, to url: WebURL, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Access.Outcome> {
        Exchange<Access.Outcome>(
            in: .resource(), at: now, using: &entropy, refusing: { .refused(response(to: request, for: url, refusing: $0)) }
        ) { asking throws(Interruption) in
            let (access, changes) = try access(for: request, to: url, &asking)
            return Exchange<Access.Outcome>.Answer(outcome: .granted(access), changes: changes)
        }
    }

    /// A request without any token is told how to come back; every other one, what is wrong with it; both, which scope opens the URL (RFC 6750 §3).
    private func response(to request: HTTPRequest, for url: WebURL, refusing refusal: Refusal) -> HTTPResponse {
        let opening = Scope(offer.tokens.filter { $0.endpoint?.covers(url) ?? false })
        if case .absent = request.fields.value(of: .authorization), refusal.error.code == .invalidToken {
            return OAuth2Error.challengeWithoutToken(scope: opening)
        }
        return refusal.error.response(at: .resource(scope: opening))
    }

    func access(
        for request: HTTPRequest, to url: WebURL, _ asking: inout Consultation
    ) throws(Interruption) -> (Access, [Change]) {
        let credential = try Interruption.reading { () throws(RequestRejection) in try ClientCredential(headerOf: request) }
        let demand = Demand(.app, .service, at: url, method: request.method, in: .resource)
        let requester = try authority.requester(credential, demand, policy: policy.proof, &asking)
        let record = requester.record
        guard let standing = Standing(requester.lineage) else { throw .refused(.failed) }
        try admit(standing, in: .resource)
        let scope = record.currentScope
        guard scope.covers(url) else {
            // NIF-11: a policy may take use outside of the scope for a sign that the token is in the wrong hands.
            let refusal = Refusal(.insufficientScope, "the token was not given for this endpoint", "APP-9")
            throw .refused(refusal, policy.revokesMisuse ? [.revoke(record.id, .misused)] : [])
        }
        let access = Access(
            subject: .named(standing.subject.text), instance: standing.instance, app: standing.app, scope: scope, profile: standing.profile,
            claims: requester.possession?.claims ?? JSON.Object(), grant: record.id)
        return (access, requester.changes + (policy.notesUse ? [.touch(record.id)] : []))
    }
}
