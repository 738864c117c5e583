import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// A device with a clock of its own, and servers that tell their time beside their answers.
private struct ClockStory {
    var parties: Parties
    /// How far the device's clock is ahead of everybody else's.
    var ahead: Duration
    /// What an origin tells in `Date`; by default the right time.
    var told: @Sendable (_ origin: String, _ now: Timestamp) -> [String] = { _, now in [(try? now.httpDate()) ?? ""] }
    /// What comes from the edu-ID service first, in the place of its own answers.
    var falseAnswers: [HTTP.Response] = []
    private(set) var refused: [String] = []
    private(set) var count = 0

    init(_ parties: Parties? = nil, ahead: Duration) throws {
        self.parties = try parties ?? Parties(seed: 77)
        self.ahead = ahead
    }

    var session: AuthorizingApp.Session { parties.session }
    static let eduID = "https://eduid.example.ch"

    @discardableResult
    mutating func perform<Value>(_ interaction: AuthorizingApp.Interaction<Value>) throws -> Value {
        var (session, element, federation) = (parties.session, parties.element, parties.federation)
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        var falseAnswers = falseAnswers.makeIterator()
        (refused, count) = ([], 0)
        defer { (parties.session, parties.element, parties.federation) = (session, element, federation) }
        return try session.carryOut(
            interaction, at: federation.now + ahead, using: &entropy,
            over: { request in
                guard case .absolute(let url) = request.target else { return nil }
                let isEduID = "\(url.origin)" == ClockStory.eduID
                guard var response = (isEduID ? falseAnswers.next() : nil) ?? federation.send(request) else {
                    return nil
                }
                for text in told("\(url.origin)", federation.now) { try? response.fields.append(.date, text) }
                count += 1
                if let error = try? OAuth2Error(parsing: response) { refused.append("\(url.origin): \(error.code)") }
                return response
            },
            signing: { element?.signature(for: $0) }, making: { _ in element?.newKey() })
    }

    /// The instance's token, by which its registration is told from every other.
    var registration: AuthorizingApp.Store.Token? {
        session.store.contents.tokens.first { $0.key.type == "client" }?.value
    }
}

@Suite("A device whose clock is wrong", .proves("REG-1"), .proves("AUT-3"))
struct ClockTests {
    private let homes = Result { try Parties.homes.map { try ServiceURL(parsing: $0) } }
    private let reader: BundleID = "com.example.reader"
    private let papi: ProtocolName = "org.ieee.papi"

    private func signedIn() throws -> Parties {
        var parties = try Parties(seed: 77)
        try parties.signIn()
        try parties.authorize(homes.get()[0])
        return parties
    }

    @Test(
        "All that the person does succeeds, and what is wrong is told", arguments: [300, -300, 61, -61, 86_400 * 400])
    func story(_ seconds: Int) throws {
        var story = try ClockStory(ahead: .seconds(seconds))
        let person = story.parties.person
        try story.perform(.signIn(person.name, person.password))
        // The registration is asked for once more, and everything after it knows.
        #expect(story.refused == ["\(ClockStory.eduID): invalid_client"])
        #expect(story.session.isSignedIn && story.session.clockDifference == .seconds(-seconds))
        let registration = story.registration
        let home = try homes.get()[0]
        try story.perform(.launch)
        try story.perform(.discovery(.services([home])))
        try story.perform(.introduction(to: home))
        let service = try #require(story.session.store.contents.services[home])
        try story.perform(.access(for: reader, at: service.description, to: [papi]))
        try story.perform(.renewal(of: .user))
        #expect(try story.perform(.signOut) == .confirmed)
        #expect(story.refused.isEmpty && story.registration == registration)
    }

    @Test("A clock that goes wrong later ends no session, no registration and nothing at services")
    func later() throws {
        var story = try ClockStory(signedIn(), ahead: .seconds(-4_000))
        let before = story.registration
        try story.perform(.renewal(of: .user))
        #expect(story.refused.count == 1 && story.session.isSignedIn)
        try story.perform(.launch)
        #expect(try story.session.authorizedServices == [homes.get()[0]])
        #expect(story.refused.isEmpty && story.registration == before)
        // Corrected, it is right again, after one more request.
        story.ahead = .zero
        try story.perform(.renewal(of: .user))
        #expect(story.refused.count == 1 && story.session.clockDifference == nil)
        try story.perform(.renewal(of: .user))
        #expect(story.refused.isEmpty)
    }

    @Test("What the person ends is over, told once more and confirmed", .proves("threat-32"))
    func ending() throws {
        for interaction in [AuthorizingApp.Interaction<AuthorizingApp.Ended>.signOut, .unlinking(try homes.get()[0])] {
            var story = try ClockStory(signedIn(), ahead: .seconds(600))
            // Services are told by whoever knows the time by then.
            if case .pending = try story.perform(interaction) {
                #expect(try story.perform(.endings).count == 1)
                try story.perform(.launch)
                #expect(try story.perform(.endings) == [])
            }
            #expect(story.session.endings.isEmpty && story.session.clockDifference == .seconds(-600))
        }
    }

    @Test("Keys that lie elsewhere sign once more", .proves("KEY-20"))
    func elsewhere() throws {
        var parties = try Parties(seed: 78)
        try parties.turn(to: SecureElement(seed: 1, on: .p256))
        try parties.signIn()
        var story = try ClockStory(parties, ahead: .seconds(600))
        let asked = story.parties.element?.requests.count ?? 0
        try story.perform(.renewal(of: .user))
        #expect(story.session.isSignedIn && story.session.clockDifference == .seconds(-600))
        #expect(story.parties.element?.requests.count == asked + 2)
        #expect(try story.perform(.signOut) == .confirmed)
    }

    @Test("A service whose own time is wrong is not believed: what it refuses is refused, whatever it tells")
    func wrongDate() throws {
        var story = try ClockStory(signedIn(), ahead: .zero)
        story.told = { _, now in [(try? (now + .seconds(3_600)).httpDate()) ?? ""] }
        story.parties.federation.eduIDStore = MemoryStore()
        #expect(throws: Rejection.self) { try story.perform(.renewal(of: .user)) }
        #expect(story.count == 2 && Set(story.refused).count == 1)
        #expect(!story.session.isSignedIn && story.session.clockDifference == nil)
        // Nothing keeps the person from beginning again.
        let person = story.parties.person
        try story.perform(.signIn(person.name, person.password))
        #expect(story.session.isSignedIn && story.session.clockDifference == nil)
    }

    @Test("What is only supposed is shown to no service, and nothing ends because of it")
    func supposition() throws {
        var parties = try signedIn()
        let homes = try homes.get()
        try parties.authorize(homes[1])
        var story = try ClockStory(parties, ahead: .zero)
        story.parties.federation.unreachable = Set(homes)
        for home in homes { #expect(try story.perform(.unlinking(home)) == .pending) }
        story.parties.federation.unreachable = []
        // The first service says that it does not know who asks, which leads to the edu-ID service.
        story.parties.federation.services[0].store = MemoryStore()
        story.parties.federation.now = story.parties.federation.now + .seconds(3_600)
        story.falseAnswers = [try Self.refusal(), HTTP.Response(.serviceUnavailable)]
        story.told = { origin, now in
            [(try? (now + .seconds(origin == ClockStory.eduID ? 7_200 : 0)).httpDate()) ?? ""]
        }
        // The renewal that comes then bears what is supposed, and is refused for that; it is made once more without it.
        try story.perform(.launch)
        #expect(story.session.isSignedIn && story.session.clockDifference == nil)
        #expect(
            story.refused == [
                "\(Parties.homes[0]): invalid_client", "\(ClockStory.eduID): invalid_client",
                "\(ClockStory.eduID): invalid_client",
            ])
        #expect(story.session.endings.map { $0.matter } == [.service(homes[0])])
    }

    private static func refusal() throws -> HTTP.Response {
        var refusal = HTTP.Response(.unauthorized, body: Array(#"{"error":"invalid_client"}"#.utf8))
        try refusal.fields.append(.contentType, "application/json")
        return refusal
    }

    @Test("A demand for a nonce leaves the reason open, and the request that has it decides")
    func nonce() throws {
        var story = try ClockStory(signedIn(), ahead: .zero)
        let home = try homes.get()[1]
        try story.perform(.discovery(.services([home])))
        story.ahead = .seconds(300)
        story.parties.federation.eduID.policy.proof.nonce = "n-1"
        try story.perform(.introduction(to: home))
        #expect(story.refused == ["invalid_client", "use_dpop_nonce"].map { "\(ClockStory.eduID): \($0)" })
        #expect(story.session.authorizedServices.contains(home) && story.session.clockDifference == .seconds(-300))
    }

    @Test("Where nothing is signed, a refusal is one")
    func unsigned() throws {
        var story = try ClockStory(signedIn(), ahead: .seconds(300))
        story.falseAnswers = [try Self.refusal()]
        let service = try ServiceURL(parsing: ClockStory.eduID)
        #expect(throws: Rejection.self) { try story.perform(.discovery(.services([service]), at: service)) }
        #expect(story.count == 1 && story.session.clockDifference == nil)
    }

    private static let far: [String] = [
        "Sat, 01 Jan 0000 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
    ]

    @Test("A time that is far away is tried once as every other one, and ends nothing", arguments: far)
    func farAway(_ date: String) throws {
        var story = try ClockStory(signedIn(), ahead: .zero)
        story.told = { _, _ in [date] }
        story.parties.federation.eduIDStore = MemoryStore()
        #expect(throws: Rejection.signedOut) { try story.perform(.launch) }
        #expect(story.session.clockDifference == nil && Set(story.refused).count <= 2)
    }

    private static let odd: [@Sendable (Timestamp) -> [String]] = [
        { _ in [] }, { _ in ["soon"] },
        { now in [(try? now.httpDate()) ?? "", (try? now.httpDate()) ?? ""] },
        // No further away than what is taken.
        { now in [(try? (now + .seconds(360)).httpDate()) ?? ""] },
        { now in [(try? (now + .seconds(240)).httpDate()) ?? ""] },
    ]

    @Test("Without a time that is beyond the window nothing is asked for once more", arguments: odd.indices)
    func noTime(_ place: Int) throws {
        var story = try ClockStory(signedIn(), ahead: .seconds(300))
        story.told = { _, now in Self.odd[place](now) }
        #expect(throws: Rejection.self) { try story.perform(.renewal(of: .user)) }
        #expect(story.count == 1 && story.session.clockDifference == nil)
    }

    @Test("What services tell about the time is believed by nobody")
    func services() throws {
        var story = try ClockStory(signedIn(), ahead: .seconds(300))
        story.told = { origin, now in origin == ClockStory.eduID ? [] : [(try? now.httpDate()) ?? ""] }
        let home = try homes.get()[0]
        #expect(throws: Rejection.self) { try story.perform(.renewal(of: .service(home))) }
        #expect(story.count == 1 && story.session.clockDifference == nil)
    }

    @Test("Where nobody answers the second request, nothing is believed and nothing is lost")
    func silence() throws {
        var parties = try signedIn()
        let store = parties.session.store
        var entropy = SimulatedFederation.Entropy(seed: 9)
        var count = 0
        let (now, date) = (parties.federation.now, try parties.federation.now.httpDate())
        #expect(throws: Rejection.unanswered) {
            try parties.session.carryOut(
                .renewal(of: .user), at: now + .seconds(900), using: &entropy,
                over: { request in
                    count += 1
                    guard count == 1, var response = parties.federation.send(request) else { return nil }
                    try? response.fields.append(.date, date)
                    return response
                })
        }
        #expect(count == 2 && parties.session.clockDifference == nil)
        #expect(parties.session.store.revision == store.revision)
    }
}
