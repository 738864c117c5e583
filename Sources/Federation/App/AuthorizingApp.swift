public import NAIL
public import OAuth2Grants
public import RSD2
public import Wire

/// One of the two processes of the edu-ID app on a device, which share a session and a store: what both of them do
/// stands here (DAT-4).
///
/// Each function plays its interactions over a network that answers at once. A host whose network takes time carries
/// the ``Session``'s requests and answers by itself, in the same order.
public protocol AuthorizingProcess {
    /// What the instance holds.
    var session: Session { get set }
    /// What app and extension share.
    var group: GroupStore { get set }
}

/// Sends a request and takes its answer; nothing where there is none.
public typealias Network = (HTTP.Request) -> HTTP.Response?

// MARK: - The profile

extension AuthorizingProcess {
    /// Registers the instance, where it is not (1).
    public mutating func register(over network: Network, at now: Timestamp) throws(ClientRejection) {
        guard !session.isRegistered else { return }
        try session.receiveRegistration(network(try session.registration()), at: now)
        try keep()
    }

    /// Signs a user in (2), and learns what there is to show and to offer: the profile (AUT-6), the usage list and the
    /// user's services (USE-3).
    public mutating func signIn(
        _ user: UserName, _ password: Secret.Password, over network: Network, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) {
        let signIn = try session.signIn(user, password, at: now, using: &entropy)
        let request = try session.redemption(of: signIn, network(signIn.request), at: now, using: &entropy)
        try session.receiveSignIn(network(request), at: now)
        try keep()
        try launch(over: network, at: now, using: &entropy)
    }

    /// What the app does whenever it is launched with a user signed in (USE-3, DSC-10): it renews, asks for profile and
    /// usage list, and fetches the descriptions of the services that the user has used.
    public mutating func launch(
        over network: Network, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) {
        guard session.isSignedIn else { return }
        if session.isPersonalTokenExpired(at: now) {
            let request = try session.renewal(at: now, using: &entropy)
            defer { try? keep() }
            try session.receiveRenewal(network(request), at: now)
        }
        try session.receiveProfile(network(try session.profileRequest(at: now, using: &entropy)))
        try session.receiveUsage(network(try session.usageRequest(at: now, using: &entropy)))
        try keep()
        guard let query = filter.prefetch(into: group) else { return }
        try cache(try session.discovered(in: network(try session.discovery(query, at: now, using: &entropy))))
    }
}

// MARK: - Protocol discovery and the personal filter

extension AuthorizingProcess {
    /// Which services a person is offered.
    public var filter: PersonalFilter { PersonalFilter(usage: session.usage) }

    /// The services that can serve an app's request (3a, 3b): those that are known, where they do, else those that the
    /// discovery finds.
    public mutating func candidates(
        for request: ProtocolRequest, over network: Network, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> [Candidate] {
        if let query = filter.query(for: request.protocols, in: group) {
            try cache(try session.discovered(in: network(try session.discovery(query, at: now, using: &entropy))))
        }
        return filter.candidates(for: request.protocols, in: group)
    }

    private mutating func cache(_ services: [DiscoveredService]) throws(ClientRejection) {
        do throws(RowRejection) { try group.cache(services) } catch { throw .row(error) }
    }

    mutating func keep() throws(ClientRejection) {
        do throws(RowRejection) { try session.keep(in: &group) } catch { throw .row(error) }
    }
}

// MARK: - The app

/// The edu-ID app itself, without a screen: beside what it shares with its extension, it ends what was authorized
/// (DAT-4).
public struct AuthorizingApp: AuthorizingProcess, Sendable {
    /// What the instance holds.
    public var session: Session
    /// What app and extension share.
    public var group: GroupStore

    /// The app with what was kept.
    public init(_ session: Session, group: GroupStore = GroupStore()) {
        self.session = session
        self.group = group
    }

    /// Signs the user out (UX-5): every authorization of every app ends (UX-6), and the user is forgotten.
    public mutating func signOut(
        over network: Network, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) {
        try session.receiveSignOut(network(try session.signOut(at: now, using: &entropy)))
        group.unlink(keepingTokensOf: .init(session.installation.instance))
        try keep()
    }

    /// Ends what a service gave, and with it what apps got there (TOK-5, TOK-6).
    public mutating func revoke(
        _ service: ServiceURL, over network: Network, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) {
        try session.receiveRevocation(
            of: service, network(try session.revocation(of: service, at: now, using: &entropy)))
        try keep()
    }
}
