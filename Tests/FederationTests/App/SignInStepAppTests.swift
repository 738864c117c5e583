import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("The app signs in in several steps")
struct SignInStepAppTests {
    private func code(_ text: String) throws -> SignInStep.Answer {
        .oneTimeCode(try Secret.OneTimeCode(parsing: text))
    }

    /// A registered phone, and a person who has one-time codes.
    private func parties() throws -> Parties {
        var parties = try Parties(seed: 71)
        parties.federation.users[0].oneTimeCode = try Secret.OneTimeCode(parsing: "246810")
        try parties.perform(.registration)
        return parties
    }

    private func begin(_ parties: inout Parties) throws {
        let person = parties.person
        #expect(throws: Rejection.stepWanted) { try parties.perform(.signIn(person.name, person.password)) }
    }

    private func pending(_ parties: Parties) -> AuthorizingApp.PendingSignIn? {
        parties.session.pendingSignIn(at: parties.federation.now)
    }

    /// Carries an interaction out, and loses the answers from this one on.
    private func perform(
        _ interaction: AuthorizingApp.Interaction<Void>, losing first: Int, _ parties: inout Parties
    ) throws {
        var (session, federation) = (parties.session, parties.federation)
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        var count = 0
        defer { (parties.session, parties.federation) = (session, federation) }
        try session.carryOut(
            interaction, at: federation.now, using: &entropy,
            over: { request in
                count += 1
                let answer = federation.send(request)
                return count < first ? answer : nil
            })
    }

    @Test("A step is asked for, and with the right answer the person is signed in", .proves("FPA-1"), .proves("FPA-4"))
    func signsIn() throws {
        var parties = try parties()
        try begin(&parties)
        #expect(!parties.session.isSignedIn && pending(parties)?.user == parties.person.name)
        #expect(pending(parties)?.steps.map { $0.name } == [.oneTimeCode])
        try parties.perform(.step(code("246810")))
        #expect(parties.session.isSignedIn && pending(parties) == nil && parties.session.endings.isEmpty)
    }

    @Test("A wrong answer may be given again, and the third ends it", .proves("FPA-15"))
    func wrongAnswers() throws {
        var parties = try parties()
        try begin(&parties)
        for number in 1...3 {
            #expect(throws: Rejection.self) { try parties.perform(.step(code("111111"))) }
            #expect((pending(parties) == nil) == (number == 3))
        }
        #expect(throws: Rejection.noPendingSignIn) { try parties.perform(.step(code("246810"))) }
        #expect(!parties.session.isSignedIn)
    }

    @Test("What waits outlives the process, and is over after ten minutes", .proves("FPA-7"))
    func outlivesTheProcess() throws {
        var parties = try parties()
        try begin(&parties)
        let text = parties.session.store.serialized(sealing: AppSample.seal)
        parties.session.store = try AuthorizingApp.Store(parsing: text, opening: AppSample.seal)
        parties.federation.wait(.seconds(599))
        #expect(pending(parties) != nil)
        var late = parties
        try parties.perform(.step(code("246810")))
        #expect(parties.session.isSignedIn)
        late.federation.wait(.seconds(1))
        #expect(pending(late) == nil)
        #expect(throws: Rejection.noPendingSignIn) { try late.perform(.step(code("246810"))) }
    }

    @Test("A lost answer is had again by the same step", .proves("FPA-7"), arguments: [1, 2])
    func lostAnswer(_ first: Int) throws {
        var parties = try parties()
        try begin(&parties)
        #expect(throws: Rejection.unanswered) { try perform(.step(code("246810")), losing: first, &parties) }
        #expect(!parties.session.isSignedIn)
        if first == 1 {
            try parties.perform(.step(code("246810")))
        } else {
            // The code was given; who does not hear what came of it begins anew, and ends what that gave.
            parties.federation.wait(.seconds(61))
            #expect(pending(parties) == nil && parties.session.endings.map { $0.matter } == [.session])
            try begin(&parties)
            try parties.perform(.step(code("246810")))
        }
        #expect(parties.session.isSignedIn && parties.session.endings.isEmpty)
        #expect(parties.federation.eduIDStore.living(.personal, at: parties.federation.now) == 1)
    }

    @Test("Who gives up, begins anew or is forgotten leaves nothing that waits", .proves("FPA-4"))
    func givesUp() throws {
        var parties = try parties()
        try begin(&parties)
        try parties.perform(.abandonedSignIn)
        #expect(pending(parties) == nil)
        try begin(&parties)
        let wrong = try Secret.Password(parsing: "not the password")
        let name = parties.person.name
        #expect(throws: Rejection.self) { try parties.perform(.signIn(name, wrong)) }
        #expect(pending(parties) == nil)
    }

    @Test("An app that cannot make the step is told so", .proves("FPA-9"))
    func unknownStep() throws {
        var parties = try parties()
        parties.session.steps = [.passkey]
        let person = parties.person
        #expect(throws: Rejection.self) { try parties.perform(.signIn(person.name, person.password)) }
        #expect(pending(parties) == nil)
    }
}
