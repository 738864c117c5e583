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
    let possession: Possession?
    let assertion: Record?
    /// The grant, by which the service can end it.
    public let grant: TokenID

    /// What the edu-ID service released about the user, by the names of OpenID Connect.
    public var profile: JSON.Object { assertion?.attributes["claims"]?.object ?? JSON.Object() }

    /// What the app added to its request token.
    public var claims: JSON.Object { possession?.claims ?? JSON.Object() }

    /// What a check of access comes to.
    public enum Outcome: Sendable {
        /// The request may be served, once the changes are stored.
        case granted(Access)
        /// What to answer instead.
        case refused(HTTPResponse)
    }
}

/// A request to one of the service's own endpoints on its way to a verdict: it says which one record it needs, is given that, and is decided.
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
    private let offer: [Scope.Token]
    private let request: HTTPRequest
    private let demand: Demand
    private let now: Timestamp
    private let state: State

    private enum State {
        case presented(PresentedCredential)
        case refused(Refusal)
    }

    init(_ service: FederationService, _ request: HTTPRequest, _ url: WebURL, at now: Timestamp) {
        authority = service.authority
        policy = service.policy
        offer = service.endpoints.offer.tokens
        self.request = request
        self.now = now
        let demand = Demand(.app, .service, at: url, method: request.method, in: .resource)
        self.demand = demand
        do throws(Refusal) {
            let credential: ClientCredential
            do throws(RequestRejection) {
                credential = try ClientCredential(headerOf: request)
            } catch {
                throw Refusal(error.refusal, clause: error.clause)
            }
            state = .presented(try service.authority.present(credential, demand, at: now))
        } catch {
            state = .refused(error)
        }
    }

    /// The verdict, given what the store knows of the record.
    public func decided(on lineage: Lineage?) -> Decision<Access.Outcome> {
        do throws(Refusal) {
            let presented: PresentedCredential
            switch state {
            case .refused(let refusal): throw refusal
            case .presented(let credential): presented = credential
            }
            let requester = try authority.requester(presented, lineage, demand, policy: policy.proof, at: now)
            let record = requester.record
            let access = try policy.access(of: requester, knowing: offer)
            guard access.scope.covers(demand.url) else {
                return refusal(
                    Refusal(.insufficientScope, "the token was not given for this endpoint", "APP-9"),
                    policy.revokesMisuse ? [.revoke(record.id, .misused)] : [])
            }
            let changes = requester.changes + (policy.notesUse ? [.touch(record.id)] : [])
            let request = request
            return Decision(.granted(access), Batch(at: now, changes)) { Self.answer(to: request, .replayed(in: .resource())) }
        } catch {
            return refusal(error, [])
        }
    }

    private func refusal(_ refusal: Refusal, _ changes: [Change]) -> Decision<Access.Outcome> {
        Decision(Self.answer(to: request, refusal), Batch(at: now, changes), refusal: refusal)
    }

    /// A request without any token is told how to come back; every other one, what is wrong with it.
    private static func answer(to request: HTTPRequest, _ refusal: Refusal) -> Access.Outcome {
        if case .absent = request.fields.value(of: .authorization), refusal.error.code == .invalidToken {
            return .refused(OAuth2Error.challengeWithoutToken())
        }
        return .refused(refusal.error.response(at: .resource()))
    }
}

extension FederationService {
    /// Begins to check who makes a request to one of the service's own endpoints, and whether a token with it allows that (9).
    ///
    /// - Parameter url: the URL requested, as the app knows it; it must lie under an endpoint in the token's scope, at a boundary of path segments.
    public func access(for request: HTTPRequest, to url: WebURL, at now: Timestamp) -> AccessCheck {
        AccessCheck(self, request, url, at: now)
    }
}

extension FederationService.Policy {
    /// What a requester may do, when the service still admits instance and app.
    fileprivate func access(of requester: Requester, knowing offer: [Scope.Token]) throws(Refusal) -> Access {
        let record = requester.record
        let instance = requester.lineage.nearest(.service)?.holder.flatMap { try? ClientID(parsing: $0.text) }
        if let instance, !instances.admits(instance) { throw .deniedInstance(.invalidToken) }
        let app = record.kind == .app ? record.holder.flatMap { try? BundleID(parsing: $0.text) } : nil
        if let app, !apps.admits(app) { throw Refusal(.invalidToken, "this service does not admit the app any longer", "APP-6") }
        guard let subject = record.subject else { throw .failed }
        return Access(
            subject: subject, instance: instance, app: app, scope: record.currentScope(knowing: offer), possession: requester.possession,
            assertion: requester.lineage.nearest(.assertion), grant: record.id)
    }
}
