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
            let lineage: Lineage? = if let id = check.id { try store.lineage(of: id) } else { nil }
            let verdict = check.verdict(on: lineage)
            let batch = Batch(at: now, verdict.changes)
            let outcome = batch.changes.isEmpty ? .applied : try store.commit(batch)
            if let access = check.conclusion(of: verdict, after: outcome) { return access }
        }
        return check.refuser.refusing(.contended)
    }

    /// The same for a store whose answers take time.
    public func access<Store: AsyncTokenStore>(
        for request: HTTP.Request, to url: WebURL, in store: Store, at now: Timestamp
    ) async throws(Store.Failure) -> Access.Outcome {
        let check = AccessCheck(self, request, url, at: now)
        for _ in 0..<exchangeAttempts {
            let lineage: Lineage? = if let id = check.id { try await store.lineage(of: id) } else { nil }
            let verdict = check.verdict(on: lineage)
            let batch = Batch(at: now, verdict.changes)
            let outcome = batch.changes.isEmpty ? .applied : try await store.commit(batch)
            if let access = check.conclusion(of: verdict, after: outcome) { return access }
        }
        return check.refuser.refusing(.contended)
    }

    /// Begins to check the same, for hosts that carry exchanges out by themselves.
    public func access(for request: HTTP.Request, to url: WebURL, at now: Timestamp) -> Exchange<Access.Outcome> {
        let check = AccessCheck(self, request, url, at: now)
        return Exchange(Refuser(code: .invalidToken) { check.refuser.refusing($0) }, at: now, chance: .unused) {
            { asking throws(Refusal) in
                let lineage: Lineage? = if let id = check.id { try asking.lineage(of: id) } else { nil }
                asking.requester = lineage?.record
                let verdict = try check.verdict(on: lineage).get()
                return Answer(.granted(verdict.outcome), verdict.changes)
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
    private let demand: Demand
    private let now: Timestamp
    private let presented: Result<PresentedCredential, Refusal>
    let refuser: AccessRefuser

    init(_ service: FederationService, _ request: HTTP.Request, _ url: WebURL, at now: Timestamp) {
        authority = service.authority
        policy = service.policy
        self.now = now
        let demand = Demand(kinds: [.app, .service], url: url, method: request.method, place: .resource())
        self.demand = demand
        var isAnonymous = false
        do throws(Refusal) {
            let credential = try refusing(ParameterRejection.self, try ClientCredential(headerOf: request))
            isAnonymous = credential == .none
            presented = .success(try service.authority.present(credential, demand, at: now))
        } catch {
            presented = .failure(error)
        }
        refuser = AccessRefuser(offer: service.endpoints.offer.tokens, url: url, isAnonymous: isAnonymous)
    }

    /// The record to look up; `nil` if the request is refused whatever the store says.
    var id: TokenID? {
        guard case .success(let presented) = presented else { return nil }
        return presented.id
    }

    /// The verdict, given what the store knows of the record.
    func verdict(on lineage: Lineage?) -> Result<Answer<Access>, Refusal> {
        do throws(Refusal) { return .success(try access(on: lineage)) } catch { return .failure(error) }
    }

    private func access(on lineage: Lineage?) throws(Refusal) -> Answer<Access> {
        let requester = try authority.requester(
            try presented.get(), lineage, demand, policy: policy.proof, at: now)
        let record = requester.record
        guard let standing = Standing(requester.lineage) else { throw .failed }
        try policy.admit(standing, at: .resource())
        let scope = record.currentScope(knowing: refuser.offer)
        guard scope.covers(demand.url) else {
            // NIF-11: a policy may take use outside of the scope for a sign that the token is in the wrong hands.
            throw Refusal(
                .insufficientScope, "the token was not given for this endpoint", "APP-9",
                changes: policy.revokesMisuse ? [.revoke(record.id, .misused)] : [])
        }
        return Answer(
            Access(scope: scope, possession: requester.possession, standing: standing, grant: record.id),
            requester.changes + (policy.notesUse ? [.touch(record.id)] : []))
    }

    /// What it comes to, now that the store said what became of the changes; `nil` if the store has changed since it was
    /// asked.
    func conclusion(of verdict: Result<Answer<Access>, Refusal>, after outcome: Batch.Outcome) -> Access.Outcome? {
        if case .conflict(let conflict, _) = outcome {
            return conflict.isReplay ? refuser.refusing(.replayed(.invalidToken)) : nil
        }
        switch verdict {
        case .success(let answer): return .granted(answer.outcome)
        case .failure(let refusal): return refuser.refusing(refusal)
        }
    }
}

extension Result<Answer<Access>, Refusal> {
    /// What has to be changed, be it granted or not.
    fileprivate var changes: [Change] {
        switch self {
        case .success(let answer): answer.changes
        case .failure(let refusal): refusal.changes
        }
    }
}

/// How a service's own endpoint says no.
struct AccessRefuser: Sendable {
    let offer: [Scope.Token]
    let url: WebURL
    /// Whether the request says nothing about who makes it.
    let isAnonymous: Bool

    func refusing(_ refusal: Refusal) -> Access.Outcome { .refused(response(to: refusal)) }

    /// A request without any token is told how to come back; every other one, what is wrong with it; both, which scope
    /// opens the URL (RFC 6750 §3).
    func response(to refusal: Refusal) -> HTTP.Response {
        let opening = Scope(offer.filter { $0.endpoint?.covers(url) ?? false })
        if isAnonymous, refusal.error.code == .invalidToken {
            return OAuth2Error.challengeWithoutToken(scope: opening)
        }
        return refusal.error.response(at: .resource(scope: opening))
    }
}
