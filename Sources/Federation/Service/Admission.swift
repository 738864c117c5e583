internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// Whom the service lets in. It is asked again at each use, so that an exclusion reaches those who hold tokens already.

extension FederationService {
    /// Refuses instances and users that the service does not admit (AST-6).
    func admit(_ grant: Statement.AssertionGrant) throws(Refusal) {
        guard policy.instances.admits(grant.instance) else {
            throw .denied(by: policy.instances, .unauthorizedClient)
        }
        guard policy.users.admits(grant.subject) else { throw .deniedUser(.accessDenied) }
    }

    /// Refuses apps that the service does not admit (APP-6).
    func admit(_ app: BundleID) throws(Refusal) {
        guard policy.apps.admits(app) else { throw .deniedApp(.accessDenied) }
    }

    /// Refuses users whom nothing of what is known about them entitles.
    func admit(userWith profile: JSON.Object) throws(Refusal) {
        guard policy.entitles?(profile) ?? true else { throw .deniedUser(.accessDenied) }
    }

    /// Refuses a request whose parameters say something else about client or service than what was proved.
    func check(_ request: TokenRequest, by holder: String) throws(Refusal) {
        if let client = request.client, !client.text.spells(holder) {
            throw Refusal(.invalidClient, "'client_id' is not the client that the proof is by", "RFC7521-4.2")
        }
        if let resource = request.resource, !authority.base.covers(resource),
            document.serviceURL?.url.covers(resource) != true
        {
            throw Refusal(.invalidTarget, "'resource' is another service", "RFC8707-2")
        }
    }

    /// How long an access token is good: as the policy says, and not beyond the end of the grant that it stands for.
    func accessLifetime(on lineage: Lineage?, ending: Timestamp? = nil, at now: Timestamp) -> Duration {
        let ends = (lineage?.entries ?? []).compactMap { $0.record.end } + [ending].compactMap { $0 }
        return min(policy.accessLifetime, (ends.min().map { $0 - now } ?? policy.accessLifetime))
    }
}

extension FederationService.Policy {
    /// Refuses whoever has been excluded after getting a token: the instance (USR-5, USR-6), the user (AST-4), the app
    /// (APP-6); and whose sign-in is not, or no longer, what the service demands.
    func admit(_ standing: Standing, at place: OAuth2Error.Place, _ now: Timestamp) throws(Refusal) {
        guard let instance = standing.instance, instances.admits(instance) else {
            throw .denied(by: instances, place.code(.unauthorizedClient))
        }
        let isAdmitted = if case .everybody = users { true } else { users.admits(.init(standing.subject)) }
        guard isAdmitted, entitles?(standing.profile) ?? true else { throw .deniedUser(place.code(.accessDenied)) }
        if let app = standing.app, !apps.admits(app) { throw .deniedApp(place.code(.accessDenied)) }
        if !demand.isEmpty { try admit(standing.authentication, now) }
    }

    /// Refuses a sign-in that is not, or no longer, what the service demands.
    func admit(_ authentication: Authentication, _ now: Timestamp) throws(Refusal) {
        guard !demand.isMet(by: authentication, at: now, leeway: .seconds(60)) else { return }
        throw Refusal(
            OAuth2Error(
                .insufficientUserAuthentication, "this service takes a stronger or more recent sign-in",
                demanding: demand),
            clause: "FPA-21")
    }
}

/// For whom a record stands: what is read from it and what it stands on.
struct Standing: Sendable {
    let subject: Record.Subject
    let instance: ClientID?
    let app: BundleID?
    private let grant: Grant

    /// What the edu-ID service released about the user.
    var profile: JSON.Object { grant.introducedWith["claims"]?.object ?? JSON.Object() }

    /// How the user had signed in who was introduced.
    var authentication: Authentication { Authentication(told: profile) }

    init?(_ grant: Grant) {
        guard let subject = grant.subject else { return nil }
        self.subject = subject
        instance = grant.instance.flatMap { try? ClientID(parsing: $0.text) }
        app = grant.kind == .app ? grant.holder.flatMap { try? BundleID(parsing: $0.text) } : nil
        self.grant = grant
    }
}

extension Refusal {
    /// A service turns single instances away, or takes those of its choice only.
    fileprivate static func denied(by rule: FederationService.Admission<ClientID>, _ code: OAuth2Error.Code) -> Refusal
    {
        let clause =
            switch rule {
            case .everybody, .allBut: "USR-5"
            case .only: "USR-6"
            }
        return Refusal(code, "this service does not admit the instance", clause)
    }

    fileprivate static func deniedUser(_ code: OAuth2Error.Code) -> Refusal {
        Refusal(code, "the user has no right to this service", "AST-4")
    }

    static func deniedApp(_ code: OAuth2Error.Code) -> Refusal {
        Refusal(code, "this service does not admit the app", "APP-6")
    }
}
