import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// A process that is killed between an answer and its keeping loses nothing: what it begins with after that leads on.
@Suite("S3: the process is killed between an answer and its keeping")
struct CrashTests {
    enum Work: CaseIterable {
        case registration, signIn, launch, renewal, introduction, serviceRenewal, access, signOut, unlinking
    }

    private static let home = Result { try ServiceURL(parsing: Parties.homes[0]) }

    private func parties(before work: Work) throws -> Parties {
        var parties = try Parties(seed: 517)
        if work == .registration { return parties }
        try parties.perform(.registration)
        if work == .signIn { return parties }
        try parties.signIn()
        try parties.authorize(Self.home.get())
        parties.federation.wait(.seconds(3_600))
        try parties.perform(.launch)
        return parties
    }

    /// The session as it is kept when the answer to a request is lost that was received; `nil` if there are fewer
    /// requests.
    private func killed(_ work: Work, after requests: Int, _ parties: inout Parties) throws -> AuthorizingApp.Session? {
        let home = try Self.home.get()
        switch work {
        case .registration: return try keptBy(.registration, after: requests, &parties)
        case .signIn:
            let person = parties.person
            return try keptBy(.signIn(person.name, person.password), after: requests, &parties)
        case .launch: return try keptBy(.launch, after: requests, &parties)
        case .renewal: return try keptBy(.renewal(of: .user), after: requests, &parties)
        case .introduction: return try keptBy(.introduction(to: home), after: requests, &parties)
        case .serviceRenewal: return try keptBy(.renewal(of: .service(home)), after: requests, &parties)
        case .access: return try keptBy(try access(parties), after: requests, &parties)
        case .signOut: return try keptBy(.signOut, after: requests, &parties)
        case .unlinking: return try keptBy(.unlinking(home), after: requests, &parties)
        }
    }

    private func access(_ parties: Parties) throws -> AuthorizingApp.Interaction<ServiceDescription> {
        let service = try #require(parties.session.store.contents.services[Self.home.get()])
        return .access(
            for: "com.example.reader", at: service.description, to: [try ProtocolName(parsing: Parties.protocolName)])
    }

    private func keptBy<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, after requests: Int, _ parties: inout Parties
    ) throws -> AuthorizingApp.Session? {
        let now = parties.federation.now
        var conversation = try AuthorizingApp.Conversation(
            interaction, of: &parties.session, at: now, using: &parties.federation.entropy)
        for _ in 1..<requests {
            guard let request = conversation.request else { return nil }
            try conversation.take(parties.federation.send(request), at: now)
        }
        guard let request = conversation.request else { return nil }
        // What is kept is what was kept before the request went out.
        let kept = conversation.session.store.serialized(sealing: AppSample.seal)
        #expect(parties.federation.send(request) != nil)
        return AuthorizingApp.Session(
            parties.session.installation, with: parties.session.eduID,
            store: try AuthorizingApp.Store(parsing: kept, opening: AppSample.seal))
    }

    /// What the app does that was killed in the middle: it is launched, signs in where that is needed, and goes on.
    private func goesOn(_ parties: inout Parties) throws -> Bool {
        do { try parties.perform(.launch) } catch Rejection.signedOut {}
        let signsIn = !parties.session.isSignedIn
        if signsIn {
            try parties.perform(.signIn(parties.person.name, parties.person.password))
            try parties.perform(.launch)
        }
        #expect(parties.session.endings.isEmpty)
        if parties.session.store.contents.services.isEmpty {
            try parties.perform(.discovery(.services([Self.home.get()])))
        }
        try parties.perform(.authorization(at: Self.home.get()))
        try parties.perform(access(parties))
        return signsIn
    }

    /// Kills the process after each of its answers, waits, and lets it go on; how often somebody had to sign in.
    private func signIns(_ work: Work, waiting time: Duration) throws -> (needed: Int, of: Int) {
        let before = try parties(before: work)
        var (needed, count) = (0, 0)
        while count < 8 {
            var parties = before
            guard let session = try killed(work, after: count + 1, &parties) else { break }
            parties.session = session
            parties.federation.wait(time)
            if try goesOn(&parties) { needed += 1 }
            count += 1
        }
        #expect(count > 0)
        return (needed, count)
    }

    @Test(
        "Begun anew within the window, it goes on, and nobody has to sign in who was signed in", .proves("threat-72"),
        arguments: Work.allCases)
    func soon(_ work: Work) throws {
        let (needed, count) = try signIns(work, waiting: .seconds(30))
        #expect(needed == ([.registration, .signIn, .signOut].contains(work) ? count : 0))
    }

    @Test("Begun anew days later, one sign-in leads on at most", .proves("threat-28"), arguments: Work.allCases)
    func late(_ work: Work) throws {
        _ = try signIns(work, waiting: .seconds(3 * 86_400))
    }
}
