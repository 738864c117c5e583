package import Federation
internal import NAIL
internal import RSD2
internal import Wire

/// What an instance of the edu-ID app makes of servers whose answers mean something else than they should.
///
/// The true answers were heard once, from a whole federation; the same requests are then answered with distorted ones.
package struct LyingServers: Sendable {
    /// What the instance does.
    package enum Errand: String, Sendable, CaseIterable {
        /// Registers again.
        case registration
        /// Signs its user in.
        case signIn
        /// Asks for the profile.
        case profile
        /// Asks which services were used.
        case usage
        /// Looks for services.
        case discovery
        /// Is introduced to a service.
        case introduction
        /// Renews the user's token.
        case userRenewal
        /// Renews a service's token.
        case serviceRenewal
    }

    /// The instance before: registered, signed in, and known to one service.
    package let session: AuthorizingApp.Session
    private let person: SimulatedFederation.User
    private let service: ServiceURL
    private let now: Timestamp
    private var answers: [Errand: [HTTP.Response]] = [:]

    /// Hears the true answers.
    package init(seed: UInt64) throws(SimulationError) {
        do {
            var parties = try Parties(seed: seed)
            try parties.signIn()
            service = try ServiceURL(parsing: Parties.homes[0])
            try parties.authorize(service)
            (session, person, now) = (parties.session, parties.person, parties.federation.now)
            for errand in Errand.allCases {
                var (federation, session, heard) = (parties.federation, session, [HTTP.Response]())
                try carryOut(errand, by: &session) { request in
                    let response = federation.send(request)
                    if let response { heard.append(response) }
                    return response
                }
                answers[errand] = heard
            }
        } catch {
            throw SimulationError()
        }
    }

    /// The instance after an errand whose answers were distorted, and why it came to nothing, where it did.
    package func session(
        after errand: Errand, distortedBy distortion: inout Distortion
    ) -> (session: AuthorizingApp.Session, rejection: Rejection?) {
        var (session, rest) = (session, (answers[errand] ?? [])[...])
        do throws(Rejection) {
            try carryOut(errand, by: &session) { _ in
                // Of several answers some are true, so that the later ones are asked for.
                rest.popFirst().flatMap { !rest.isEmpty && distortion.below(4) > 0 ? $0 : distortion.distorted($0) }
            }
        } catch {
            return (session, error)
        }
        return (session, nil)
    }

    /// Whether an instance has the same after a restart, when it has nothing but the text of its store.
    package static func survivesRestart(_ session: AuthorizingApp.Session) -> Bool {
        let seal = Seal(seal: { $0 }, open: { $0 })
        guard let store = try? AuthorizingApp.Store(parsing: session.store.serialized(sealing: seal), opening: seal)
        else { return false }
        var again = session
        again.store = store
        return store == session.store && again.isRegistered == session.isRegistered
            && again.isSignedIn == session.isSignedIn && again.authorizedServices == session.authorizedServices
            && again.profile == session.profile && again.usage == session.usage
    }

    private func carryOut(
        _ errand: Errand, by session: inout AuthorizingApp.Session, over send: (HTTP.Request) -> HTTP.Response?
    ) throws(Rejection) {
        // The same chance each time, so that the answers fit the requests.
        var entropy = SimulatedFederation.Entropy(seed: 3)
        let done: AuthorizingApp.Interaction<Void>
        switch errand {
        case .registration: done = .registration
        case .signIn: done = .signIn(person.name, person.password)
        case .profile: done = .profile
        case .usage: done = .usage
        case .introduction: done = .introduction(to: service)
        case .userRenewal: done = .renewal(of: .user)
        case .serviceRenewal: done = .renewal(of: .service(service))
        case .discovery:
            _ = try session.carryOut(.discovery(.services([service])), at: now, using: &entropy, over: send)
            return
        }
        try session.carryOut(done, at: now, using: &entropy, over: send)
    }
}
