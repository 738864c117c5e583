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
    /// The third-party app; nothing where the instance itself asks.
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

/// A request to one of the service's own endpoints on its way to a verdict: it says which one record it needs, is given
/// that, and is decided.
///
///     let check = service.access(for: request, to: url, at: now)
///     let decision = check.decided(on: check.needs.flatMap { store.lineage(of: $0) })
///     switch decision.conclusion(after: store.commit(decision.batch)) { … }
///
/// It is the shortest of all exchanges, because it comes with every request.
public struct AccessCheck: Sendable {
    /// The record to look up; nothing where the request is refused whatever the store says.
    public var needs: TokenID? {
        guard case .presented(let presented) = state else { return nil }
        return presented.id
    }

    private let authority: Authority
    private let policy: FederationService.Policy
    private let refuser: Refuser
    private let demand: Demand
    private let now: Timestamp
    private let state: State

    private enum State {
        case presented(PresentedCredential)
        case refused(Refusal)
    }

    init(_ service: FederationService, _ request: HTTP.Request, _ url: WebURL, at now: Timestamp) {
        authority = service.authority
        policy = service.policy
        self.now = now
        let demand = Demand(.app, .service, at: url, method: request.method, in: .resource)
        self.demand = demand
        var isAnonymous = false
        do throws(Refusal) {
            let credential: ClientCredential
            do throws(ParameterRejection) {
                credential = try ClientCredential(headerOf: request)
            } catch {
                throw Refusal(error.refusal, clause: error.clause)
            }
            isAnonymous = credential == .none
            state = .presented(try service.authority.present(credential, demand, at: now))
        } catch {
            state = .refused(error)
        }
        refuser = Refuser(offer: service.endpoints.offer.tokens, url: url, isAnonymous: isAnonymous)
    }

    /// The verdict, given what the store knows of the record.
    public func decided(on lineage: Lineage?) -> Decision<Access.Outcome> {
        decided(on: lineage) { (record) throws(Refusal) in try authority.key(of: record) }
    }

    /// The verdict, with the keys of holders who come again and again at hand.
    public func decided(on lineage: Lineage?, remembering keys: inout HolderKeys) -> Decision<Access.Outcome> {
        decided(on: lineage) { (record) throws(Refusal) in try keys.key(of: record, by: authority) }
    }

    private func decided(on lineage: Lineage?, readingKey: (Record) throws(Refusal) -> Statement.BoundKey?) -> Decision<
        Access.Outcome
    > {
        do throws(Refusal) {
            let presented: PresentedCredential
            switch state {
            case .refused(let refusal): throw refusal
            case .presented(let credential): presented = credential
            }
            let requester = try authority.requester(
                presented, lineage, demand, policy: policy.proof, at: now, readingKey: readingKey)
            let record = requester.record
            guard let standing = Standing(requester.lineage) else { throw .failed }
            try policy.admit(standing, in: .resource)
            let scope = record.currentScope(knowing: refuser.offer)
            guard scope.covers(demand.url) else {
                // NIF-11: a policy may take use outside of the scope for a sign that the token is in the wrong hands.
                return refusal(
                    Refusal(.insufficientScope, "the token was not given for this endpoint", "APP-9"),
                    policy.revokesMisuse ? [.revoke(record.id, .misused)] : [])
            }
            let changes = requester.changes + (policy.notesUse ? [.touch(record.id)] : [])
            let access = Access(scope: scope, possession: requester.possession, standing: standing, grant: record.id)
            let batch = Batch(at: now, changes)
            // Only a proof can come twice.
            guard requester.possession != nil else { return Decision(.granted(access), batch) }
            return Decision(.granted(access), batch) { [refuser] in refuser.outcome(of: .replayed(in: .resource())) }
        } catch {
            return refusal(error, [])
        }
    }

    private func refusal(_ refusal: Refusal, _ changes: [Change]) -> Decision<Access.Outcome> {
        Decision(refuser.outcome(of: refusal), Batch(at: now, changes), refusal: refusal)
    }
}

/// How a service's own endpoint says no.
private struct Refuser: Sendable {
    let offer: [Scope.Token]
    let url: WebURL
    /// Whether the request says nothing about who makes it.
    let isAnonymous: Bool

    /// A request without any token is told how to come back; every other one, what is wrong with it; both, which scope
    /// opens the URL (RFC 6750 §3).
    func outcome(of refusal: Refusal) -> Access.Outcome {
        let opening = Scope(offer.filter { $0.endpoint?.covers(url) ?? false })
        if isAnonymous, refusal.error.code == .invalidToken {
            return .refused(OAuth2Error.challengeWithoutToken(scope: opening))
        }
        return .refused(refusal.error.response(at: .resource(scope: opening)))
    }
}

extension FederationService {
    /// Begins to check who makes a request to one of the service's own endpoints, and whether a token with it allows
    /// that (9).
    ///
    /// - Parameter url: the URL requested, as the app knows it; it must lie under an endpoint in the token's scope, at
    ///   a boundary of path segments.
    public func access(for request: HTTP.Request, to url: WebURL, at now: Timestamp) -> AccessCheck {
        AccessCheck(self, request, url, at: now)
    }
}
