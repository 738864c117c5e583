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

    /// How the user had signed in at the edu-ID service when he or she was introduced here.
    public var authentication: Authentication { standing.authentication }

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
    /// - Parameter hear: hears what was decided.
    public func access<Store: TokenStore>(
        for request: HTTP.Request, to url: WebURL, in store: inout Store, at now: Timestamp,
        hear: ((AuditRecord) -> Void)? = nil
    ) throws(Store.Failure) -> Access.Outcome {
        let asked = AskedAccess(request, url, of: authority, at: now)
        for _ in 0..<exchangeAttempts {
            let grant: Grant? = if let id = asked.id { try store.grant(of: id, at: now) } else { nil }
            let verdict = verdict(on: asked, grant)
            let changes = verdict.changes
            let outcome: Batch.Outcome = changes.isEmpty ? .applied : try store.commit(Batch(at: now, changes))
            if let access = conclusion(of: verdict, after: outcome, asked, hear) { return access }
        }
        hear?(AuditRecord(at: AuditRecord.access, by: nil, changes: [], refusal: .contended))
        return refuser(at: url).refusing(.contended)
    }

    /// The same for a store whose answers take time.
    public func access<Store: AsyncTokenStore>(
        for request: HTTP.Request, to url: WebURL, in store: Store, at now: Timestamp,
        hear: ((AuditRecord) -> Void)? = nil
    ) async throws(Store.Failure) -> Access.Outcome {
        let asked = AskedAccess(request, url, of: authority, at: now)
        for _ in 0..<exchangeAttempts {
            let grant: Grant? = if let id = asked.id { try await store.grant(of: id, at: now) } else { nil }
            let verdict = verdict(on: asked, grant)
            let changes = verdict.changes
            let outcome: Batch.Outcome = changes.isEmpty ? .applied : try await store.commit(Batch(at: now, changes))
            if let access = conclusion(of: verdict, after: outcome, asked, hear) { return access }
        }
        hear?(AuditRecord(at: AuditRecord.access, by: nil, changes: [], refusal: .contended))
        return refuser(at: url).refusing(.contended)
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
/// It is the shortest way through an exchange, because it comes with every request; so it takes nothing of the service
/// along.
struct AskedAccess: Sendable {
    let demand: Demand
    let now: Timestamp
    let presented: Result<PresentedCredential, Refusal>

    private static let kinds: [Record.Kind] = [.app, .service]

    init(_ request: HTTP.Request, _ url: WebURL, of authority: Authority, at now: Timestamp) {
        self.now = now
        demand = Demand(kinds: Self.kinds, url: url, method: request.method, place: .resource())
        do throws(Refusal) {
            let credential = try refusing(ParameterRejection.self, try ClientCredential(headerOf: request))
            presented = .success(try authority.present(credential, demand, at: now))
        } catch {
            presented = .failure(error)
        }
    }

    /// The record to look up; `nil` if the request is refused whatever the store says.
    var id: TokenID? {
        guard case .success(let presented) = presented else { return nil }
        return presented.id
    }
}

extension FederationService {
    fileprivate typealias AccessVerdict = Result<Answer<Access>, Refusal>

    /// How a place of the service says no.
    fileprivate func refuser(at url: WebURL) -> Refuser<Access.Outcome> {
        Refuser(code: .invalidToken) { .refused(response(to: $0, at: url)) }
    }

    /// A request without any token is told how to come back; every other one, what is wrong with it; both, which scope
    /// opens the URL (RFC 6750 §3).
    fileprivate func response(to refusal: Refusal, at url: WebURL) -> HTTP.Response {
        let opening = Scope(endpoints.offer.tokens.filter { $0.endpoint?.covers(url) ?? false })
        return refusal.response(at: .resource(scope: opening), under: policy.proof)
    }

    /// What is decided, given what the store says of the record at the time of the request.
    fileprivate func verdict(on asked: AskedAccess, _ grant: Grant?) -> AccessVerdict {
        do throws(Refusal) { return .success(try access(asked, on: grant)) } catch { return .failure(error) }
    }

    /// What to answer, now that the store said what became of the changes; `nil` to begin anew.
    fileprivate func conclusion(
        of verdict: consuming AccessVerdict, after outcome: Batch.Outcome, _ asked: AskedAccess,
        _ hear: ((AuditRecord) -> Void)?
    ) -> Access.Outcome? {
        var decision: Decision<Access.Outcome>
        switch verdict {
        case .success(let answer):
            if case .applied = outcome {
                hear?(AuditRecord(of: answer))
                return .granted(answer.outcome)
            }
            decision = Decision(
                .granted(answer.outcome), Batch(at: asked.now, answer.changes), refuser: refuser(at: asked.demand.url))
        case .failure(let refusal):
            decision = Decision(refusal, at: asked.now, requester: nil, refuser: refuser(at: asked.demand.url))
        }
        guard case .respond(let access) = decision.conclusion(after: outcome) else { return nil }
        decision.endpoint = AuditRecord.access
        hear?(decision.record(after: outcome))
        return access
    }

    fileprivate func access(_ asked: AskedAccess, on grant: Grant?) throws(Refusal) -> Answer<Access> {
        let demand = asked.demand
        let proven = try authority.proven(
            try asked.presented.get(), grant, demand, policy: policy.proof, at: asked.now)
        let grant = proven.grant
        guard let standing = Standing(grant) else { throw .failed }
        try policy.admit(standing, at: .resource(), asked.now)
        let scope = grant.currentScope(knowing: endpoints.offer.tokens)
        guard scope.covers(demand.url) else {
            // NIF-11: a policy may take use outside of the scope for a sign that the token is in the wrong hands.
            throw Refusal(
                .insufficientScope, "the token was not given for this endpoint", "APP-9",
                changes: policy.revokesMisuse ? [.revoke(grant.id, .misused)] : [])
        }
        var changes = proven.changes
        if policy.notesUse { changes.append(.touch(grant.id)) }
        return Answer(
            Access(scope: scope, possession: proven.possession, standing: standing, grant: grant.id), changes)
    }
}

extension Result where Success == Answer<Access>, Failure == Refusal {
    /// What the store has to apply.
    fileprivate var changes: [Change] {
        switch self {
        case .success(let answer): answer.changes
        case .failure(let refusal): refusal.changes
        }
    }
}

extension AuditRecord {
    /// What is asked at the service's own endpoints.
    fileprivate static let access = "access"

    /// That a request to one of the service's own endpoints was let pass.
    fileprivate init(of answer: Answer<Access>) {
        self.init(at: Self.access, by: nil, changes: answer.changes, refusal: nil)
        grant = answer.outcome.grant
    }
}

/// The same as a part of an exchange, which carries the service along.
struct AccessCheck: Sendable {
    private let service: FederationService
    private let asked: AskedAccess

    init(_ service: FederationService, _ request: HTTP.Request, _ url: WebURL, at now: Timestamp) {
        self.service = service
        asked = AskedAccess(request, url, of: service.authority, at: now)
    }

    /// How the endpoint says no.
    var refuser: Refuser<Access.Outcome> { service.refuser(at: asked.demand.url) }

    /// How the endpoint says no, as an answer.
    func response(to refusal: Refusal) -> HTTP.Response { service.response(to: refusal, at: asked.demand.url) }

    /// What is decided, with the requester's name for the record of the exchange.
    func access(_ asking: inout Inquiry) throws(Refusal) -> Answer<Access> {
        let lineage = try asking.lineage(of: asked.id)
        asking.requester = lineage?.record
        return try service.access(asked, on: lineage.map { Grant($0, at: asked.now) })
    }
}
