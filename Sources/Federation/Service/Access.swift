internal import JOSE
public import OAuth2Grants
public import TokenTree
public import Wire

/// Who makes a request (9): for whom, through which instance and app, and for what.
public struct Access: Sendable {
    /// The user, under the name by which the service knows him or her.
    public var subject: Record.Subject { standing.subject }
    /// The instance of the edu-ID app through which the user authorized the request.
    public var instance: ClientID? { standing.instance }
    /// The third-party app; `nil` if the instance itself asks.
    public var app: BundleID? { standing.app }
    /// What the token is good for.
    public let scope: Scope
    let possession: Possession?
    let standing: Standing
    /// The grant, by which the service can end it.
    public let grant: TokenID

    /// What the edu-ID service released about the user, by the names of OpenID Connect.
    public var profile: JSON.Object { standing.profile }

    /// What the app added to its request token.
    public var claims: JSON.Object { possession?.claims ?? JSON.Object() }

    /// What a check of access comes to.
    public enum Outcome: Sendable {
        /// The request may be served, once the changes are stored.
        case granted(Access)
        /// What to answer instead.
        case refused(HTTP.Response)
    }
}

extension FederationService {
    /// Checks who makes a request to one of the service's own endpoints, and whether the token with it allows that (9).
    ///
    /// - Parameter url: the URL requested, as the app knows it; it must lie under an endpoint in the token's scope, at
    ///   a boundary of path segments.
    public func access<Store: TokenStore>(
        for request: HTTP.Request, to url: WebURL, in store: inout Store, at now: Timestamp
    ) throws(Store.Failure) -> Access.Outcome {
        let check = AccessCheck(self, request, url, at: now)
        for _ in 0..<exchangeAttempts {
            let grant: Grant? = if let id = check.id { try store.grant(of: id, at: now) } else { nil }
            let decision = check.decision(on: grant)
            let outcome = decision.batch.changes.isEmpty ? .applied : try store.commit(decision.batch)
            if case .respond(let access) = decision.conclusion(after: outcome) { return access }
        }
        return check.refuser.refusing(.contended)
    }

    /// The same for a store whose answers take time.
    public func access<Store: AsyncTokenStore>(
        for request: HTTP.Request, to url: WebURL, in store: Store, at now: Timestamp
    ) async throws(Store.Failure) -> Access.Outcome {
        let check = AccessCheck(self, request, url, at: now)
        for _ in 0..<exchangeAttempts {
            let grant: Grant? = if let id = check.id { try await store.grant(of: id, at: now) } else { nil }
            let decision = check.decision(on: grant)
            let outcome = decision.batch.changes.isEmpty ? .applied : try await store.commit(decision.batch)
            if case .respond(let access) = decision.conclusion(after: outcome) { return access }
        }
        return check.refuser.refusing(.contended)
    }

    /// Begins to check the same, for hosts that carry exchanges out by themselves.
    public func access(for request: HTTP.Request, to url: WebURL, at now: Timestamp) -> Exchange<Access.Outcome> {
        let check = AccessCheck(self, request, url, at: now)
        return Exchange(check.refuser, at: now, chance: .unused) {
            { asking throws(Refusal) in
                let answer = try check.access(&asking)
                return Answer(.granted(answer.outcome), answer.changes)
            }
        }
    }
}

/// A request to one of the service's own endpoints, read: it needs one record, and no chance.
///
/// It is the shortest way through an exchange, because it comes with every request.
struct AccessCheck: Sendable {
    private let authority: Authority
    private let policy: FederationService.Policy
    private let offer: [Scope.Token]
    private let demand: Demand
    private let now: Timestamp
    private let presented: Result<PresentedCredential, Refusal>

    init(_ service: FederationService, _ request: HTTP.Request, _ url: WebURL, at now: Timestamp) {
        authority = service.authority
        policy = service.policy
        offer = service.endpoints.offer.tokens
        self.now = now
        let demand = Demand(kinds: [.app, .service], url: url, method: request.method, place: .resource())
        self.demand = demand
        do throws(Refusal) {
            let credential = try refusing(ParameterRejection.self, try ClientCredential(headerOf: request))
            presented = .success(try service.authority.present(credential, demand, at: now))
        } catch {
            presented = .failure(error)
        }
    }

    /// The record to look up; `nil` if the request is refused whatever the store says.
    var id: TokenID? {
        guard case .success(let presented) = presented else { return nil }
        return presented.id
    }

    /// How the endpoint says no.
    var refuser: Refuser<Access.Outcome> { Refuser(code: .invalidToken) { .refused(response(to: $0)) } }

    /// A request without any token is told how to come back; every other one, what is wrong with it; both, which scope
    /// opens the URL (RFC 6750 §3).
    func response(to refusal: Refusal) -> HTTP.Response {
        let opening = Scope(offer.filter { $0.endpoint?.covers(demand.url) ?? false })
        return refusal.response(at: .resource(scope: opening), under: policy.proof)
    }

    /// What is decided, given what the store says of the record at the time of the request.
    func decision(on grant: Grant?) -> Decision<Access.Outcome> {
        do throws(Refusal) {
            let answer = try access(on: grant)
            return Decision(.granted(answer.outcome), Batch(at: now, answer.changes), refuser: refuser)
        } catch {
            return Decision(error, at: now, requester: nil, refuser: refuser)
        }
    }

    /// The same, as a part of an exchange, which names the requester in its record.
    func access(_ asking: inout Inquiry) throws(Refusal) -> Answer<Access> {
        let lineage = try asking.lineage(of: id)
        asking.requester = lineage?.record
        return try access(on: lineage.map { Grant($0, at: now) })
    }

    private func access(on grant: Grant?) throws(Refusal) -> Answer<Access> {
        let proven = try authority.proven(try presented.get(), grant, demand, policy: policy.proof, at: now)
        let grant = proven.grant
        guard let standing = Standing(grant) else { throw .failed }
        try policy.admit(standing, at: .resource())
        let scope = grant.currentScope(knowing: offer)
        guard scope.covers(demand.url) else {
            // NIF-11: a policy may take use outside of the scope for a sign that the token is in the wrong hands.
            throw Refusal(
                .insufficientScope, "the token was not given for this endpoint", "APP-9",
                changes: policy.revokesMisuse ? [.revoke(grant.id, .misused)] : [])
        }
        return Answer(
            Access(scope: scope, possession: proven.possession, standing: standing, grant: grant.id),
            proven.changes + (policy.notesUse ? [.touch(grant.id)] : []))
    }
}
