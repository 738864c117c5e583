import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("What a lost answer leaves at the other side")
struct LostSignInTests {
    private static let home = Result { try ServiceURL(parsing: Parties.homes[0]) }

    /// Two people who share a device, on which nobody is signed in.
    private func parties() throws -> Parties {
        var parties = try Parties(seed: 53)
        parties.federation.users.append(
            SimulatedFederation.User(
                try UserName(parsing: "ben"), password: try Secret.Password(parsing: "another passphrase"),
                subject: try Record.Subject(parsing: "user-0002"), profile: [:]))
        try parties.perform(.registration)
        return parties
    }

    /// Signs in, and loses the answers from this one on.
    private func signIn(_ user: SimulatedFederation.User, losing first: Int, _ parties: inout Parties) throws {
        var (session, federation) = (parties.session, parties.federation)
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        var count = 0
        defer { (parties.session, parties.federation) = (session, federation) }
        try session.carryOut(
            .signIn(user.name, user.password), at: federation.now, using: &entropy,
            over: { request in
                count += 1
                let answer = federation.send(request)
                return count < first ? answer : nil
            })
    }

    private func living(_ parties: Parties) -> Int {
        parties.federation.eduIDStore.living(.personal, at: parties.federation.now)
    }

    @Test("A session whose answer was lost is ended by its code, and another person can sign in", .proves("USR-1"))
    func anotherPerson() throws {
        var parties = try parties()
        let ben = parties.federation.users[1]
        #expect(throws: Rejection.unanswered) { try signIn(parties.person, losing: 2, &parties) }
        #expect(!parties.session.isSignedIn && living(parties) == 1)
        #expect(parties.session.endings.map { $0.matter } == [.session])
        parties.federation.wait(.seconds(3_600))
        try parties.perform(.signIn(ben.name, ben.password))
        #expect(parties.session.isSignedIn && living(parties) == 1)
        #expect(parties.session.endings.isEmpty)
    }

    @Test("It is ended at the next launch two minutes later, whoever comes then", .proves("TOK-4"))
    func nextLaunch() throws {
        var parties = try parties()
        #expect(throws: Rejection.unanswered) { try signIn(parties.person, losing: 2, &parties) }
        // Until then another process may wait for the answer.
        try parties.perform(.launch)
        #expect(living(parties) == 1 && parties.session.endings.count == 1)
        parties.federation.wait(.seconds(120))
        try parties.perform(.launch)
        #expect(living(parties) == 0 && parties.session.endings.isEmpty)
    }

    @Test("What is kept of a code goes with the answer, and is there before the code is redeemed", .proves("USR-1"))
    func kept() throws {
        var parties = try parties()
        try signIn(parties.person, losing: 3, &parties)
        #expect(parties.session.isSignedIn && parties.session.endings.isEmpty && living(parties) == 1)
        var other = try self.parties()
        #expect(throws: Rejection.unanswered) { try signIn(other.person, losing: 1, &other) }
        #expect(other.session.endings.isEmpty)
    }

    @Test(
        "On a device that was restored from a backup the app starts over, where somebody is signed in whom it forgot",
        .proves("USR-1"), .proves("TOK-4"))
    func restored() throws {
        var parties = try parties()
        let ben = parties.federation.users[1]
        try parties.signIn()
        let backup = parties.session
        try parties.perform(.signOut)
        try parties.perform(.signIn(ben.name, ben.password))
        try parties.authorize(Self.home.get())
        let benAtService = parties.federation.services[0].store.living(.service, at: parties.federation.now)
        #expect(benAtService == 1)
        // Its person is signed out, and nobody else is to be seen.
        parties.session = backup
        #expect(throws: Rejection.signedOut) { try parties.perform(.launch) }
        #expect(!parties.session.isSignedIn && parties.session.endings.isEmpty)
        let signIn = AuthorizingApp.Interaction.signIn(parties.person.name, parties.person.password)
        do {
            try parties.perform(signIn)
            Issue.record("somebody else is signed in")
        } catch Rejection.refused(let error) {
            #expect(error.code == .invalidGrant)
        }
        // Nobody answers: nothing has changed.
        var away = parties.session
        var entropy = SimulatedFederation.Entropy(seed: 1)
        #expect(throws: Rejection.unanswered) {
            try away.carryOut(.startOver, at: parties.federation.now, using: &entropy, over: { _ in nil })
        }
        #expect(away.store == parties.session.store)
        // An answer is lost, whichever: the next time it goes on.
        for lost in 1...3 {
            var (again, federation, count) = (parties.session, parties.federation, 0)
            let send: (HTTP.Request) -> HTTP.Response? = { request in
                count += 1
                let answer = federation.send(request)
                return count == lost ? nil : answer
            }
            #expect(throws: Rejection.unanswered) {
                try again.carryOut(.startOver, at: federation.now, using: &entropy, over: send)
            }
            try again.carryOut(.startOver, at: federation.now, using: &entropy, over: send)
            #expect(again.isRegistered && count > lost)
            #expect(federation.eduIDStore.living(.personal, at: federation.now) == 0)
        }
        try parties.perform(.startOver)
        #expect(parties.session.isRegistered && living(parties) == 0)
        try parties.perform(signIn)
        #expect(parties.session.isSignedIn && living(parties) == 1)
        _ = parties.federation.deliver()
        #expect(parties.federation.services[0].store.living(.service, at: parties.federation.now) == 0)
    }

    // MARK: A service that has another time

    /// Carries out an interaction while the first university's clock is ahead.
    private func perform<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, ahead: Duration, _ parties: inout Parties
    ) throws -> Value {
        var (session, federation) = (parties.session, parties.federation)
        let now = federation.now
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        defer { (parties.session, parties.federation) = (session, federation) }
        return try session.carryOut(
            interaction, at: now, using: &entropy,
            over: { request in
                guard case .absolute(let url) = request.target else { return nil }
                let isLate = "\(url.origin)" == Parties.homes[0]
                federation.now = isLate ? now + ahead : now
                defer { federation.now = now }
                guard var answer = federation.send(request) else { return nil }
                try? answer.fields.append(.date, (try? federation.now.httpDate()) ?? "")
                return answer
            })
    }

    @Test(
        "A service with another time refuses what ends something: that is no end, and it is told again",
        .proves("TOK-5"), arguments: [-3_600, -61, 61, 3_600])
    func endingAtAnotherTime(_ seconds: Int) throws {
        var parties = try Parties(seed: 53)
        let home = try Self.home.get()
        try parties.signIn()
        try parties.authorize(home)
        parties.federation.wait(.seconds(7_200))
        func living() -> Int { parties.federation.services[0].store.living(.service, at: parties.federation.now) }
        let ended = try perform(.unlinking(home), ahead: .seconds(seconds), &parties)
        #expect(ended == .pending && living() == 1)
        #expect(parties.session.endings.map { $0.matter } == [.service(home)])
        #expect(try perform(.endings, ahead: .zero, &parties).isEmpty)
        #expect(living() == 0)
    }

    @Test("A service with another time that refuses a renewal has ended nothing", .proves("NIF-9"))
    func renewalAtAnotherTime() throws {
        var parties = try Parties(seed: 53)
        let home = try Self.home.get()
        try parties.signIn()
        try parties.authorize(home)
        #expect(throws: Rejection.self) {
            try perform(.renewal(of: .service(home)), ahead: .seconds(3_600), &parties)
        }
        #expect(parties.session.authorizedServices == [home])
        try perform(.renewal(of: .service(home)), ahead: .zero, &parties)
    }

    @Test(
        "A service with another time that refuses an app's proof has ended nothing", .proves("NIF-9"),
        arguments: [true, false])
    func appAtAnotherTime(_ isTold: Bool) throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        let app = try App()
        _ = try story.grant(.ownKey, to: app, at: [story.alpha], for: [papi])
        let now = story.parties.federation.now
        let renewal = try app.state.renew(
            story.identity(story.alpha), papi, at: now, using: &story.parties.federation.entropy)
        story.parties.federation.now = now + .seconds(3_600)
        let sent = story.parties.federation.send(renewal.request)
        var answer = try #require(sent)
        if isTold { try answer.fields.append(.date, story.parties.federation.now.httpDate()) }
        let outcome = app.state.settle(renewal, with: answer, at: now)
        story.parties.federation.now = now
        #expect(outcome == (isTold ? .otherTime(.seconds(3_600)) : .refused(.invalidClient)))
        guard isTold else { return }
        // What was supposed of its clock is so no more, and nothing is over because of that.
        #expect(try story.renews(app, story.alpha, papi) == .unavailable)
        #expect(try story.renews(app, story.alpha, papi) == .renewed)
    }

    // MARK: Several introductions

    private func introducedTwice() throws -> (parties: Parties, older: AuthorizingApp.Session) {
        var parties = try Parties(seed: 53)
        let home = try Self.home.get()
        try parties.signIn()
        try parties.authorize(home)
        let older = parties.session
        parties.federation.wait(.seconds(10))
        try parties.perform(.introduction(to: home))
        return (parties, older)
    }

    @Test("Who ends what a service gave ends what earlier introductions gave", .proves("TOK-6"))
    func twins() throws {
        var (parties, _) = try introducedTwice()
        let store = { (parties: Parties) in parties.federation.services[0].store }
        #expect(store(parties).living(.service, at: parties.federation.now) == 2)
        #expect(try parties.perform(.unlinking(Self.home.get())) == .confirmed)
        #expect(store(parties).living(.service, at: parties.federation.now) == 0)
    }

    @Test("An end that comes late ends nothing that was given since", .proves("TOK-6"))
    func lateEnd() throws {
        var (parties, older) = try introducedTwice()
        let present = parties.session
        parties.session = older
        #expect(try parties.perform(.unlinking(Self.home.get())) == .confirmed)
        #expect(parties.federation.services[0].store.living(.service, at: parties.federation.now) == 1)
        parties.session = present
        try parties.perform(.renewal(of: .service(Self.home.get())))
    }
}
