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
            in: .resource(), at: now, using: &entropy, refusing: { .refused(Self.refusal($0, of: request)) }
        ) { asking throws(Interruption) in
            let (access, changes) = try access(for: request, to: url, &asking)
            return Exchange<Access.Outcome>.Answer(outcome: .granted(access), changes: changes)
        }
    }

    /// A request without any token is told how to come back; every other one, what is wrong with it.
    private static func refusal(_ refusal: Refusal, of request: HTTPRequest) -> HTTPResponse {
        if case .absent = request.fields.value(of: .authorization), refusal.error.code == .invalidToken {
            return OAuth2Error.challengeWithoutToken()
        }
        return refusal.error.response(at: .resource())
    }

    func access(
        for request: HTTPRequest, to url: WebURL, _ asking: inout Consultation
    ) throws(Interruption) -> (Access, [Change]) {
        let credential = try Interruption.reading { () throws(RequestRejection) in try ClientCredential(headerOf: request) }
        let demand = Demand(.app, .service, at: url, method: request.method, in: .resource)
        let requester = try authority.requester(credential, demand, policy: policy.proof, &asking)
        let record = requester.record
        let instance = requester.lineage.nearest(.service)?.holder.flatMap { try? ClientID(parsing: $0.text) }
        if let instance, !policy.instances.admits(instance) { throw .refused(.deniedInstance(.invalidToken)) }
        let app = record.kind == .app ? record.holder.flatMap { try? BundleID(parsing: $0.text) } : nil
        if let app, !policy.apps.admits(app) {
            throw .refused(Refusal(.invalidToken, "this service does not admit the app any longer", "APP-6"))
        }
        let scope = record.currentScope
        guard scope.covers(url) else {
            let refusal = Refusal(.insufficientScope, "the token was not given for this endpoint", "APP-9")
            throw .refused(refusal, policy.revokesMisuse ? [.revoke(record.id, .misused)] : [])
        }
        guard let subject = record.subject else { throw .refused(.failed) }
        let access = Access(
            subject: subject, instance: instance, app: app, scope: scope,
            profile: requester.lineage.nearest(.assertion)?.attributes["claims"]?.object ?? JSON.Object(),
            claims: requester.possession?.claims ?? JSON.Object(), grant: record.id)
        return (access, requester.changes + (policy.notesUse ? [.touch(record.id)] : []))
    }
}
