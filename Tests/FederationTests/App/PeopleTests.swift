import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("S0: several people on one device")
struct PeopleTests {
    private static func key() -> SymmetricKey { SymmetricKey(data: [UInt8](repeating: 9, count: 32)) }
    private static func seal(of instance: ClientID) -> Seal {
        AuthorizingApp.People.seal(of: instance, under: key()) { .random(in: 0 ... .max) }
    }

    /// A tablet: the federation, the people on it, and what is kept of each.
    private struct Tablet {
        var parties: Parties
        var people = AuthorizingApp.People()
        var installations: [ClientID: AuthorizingApp.Installation] = [:]
        var texts: [ClientID: String] = [:]
        let users: [SimulatedFederation.User]

        init() throws {
            parties = try Parties(seed: 417)
            let bob = SimulatedFederation.User(
                "bob", password: try Secret.Password(parsing: "another password"), subject: "user-0002",
                profile: ["given_name": "Bob"])
            users = [parties.person, bob]
            parties.federation.users = users
        }

        mutating func add(_ name: String) throws -> ClientID {
            let device = parties.session.installation.device
            let (appName, version) = (parties.session.installation.appName, parties.session.installation.versionKey)
            let installation = try AuthorizingApp.Installation(
                appName: appName, versionKey: version, device: device, using: &parties.federation.entropy)
            try people.add(installation, named: name)
            installations[installation.instance] = installation
            return installation.instance
        }

        /// Puts away what the one has, and takes out what the other has.
        mutating func turn(to instance: ClientID) throws {
            let before = parties.session
            if people.everybody.contains(where: { $0.instance == before.installation.instance }) {
                texts[before.installation.instance] = before.store.serialized(
                    sealing: PeopleTests.seal(of: before.installation.instance))
            }
            try people.turn(to: instance)
            let store = try texts[instance].map {
                try AuthorizingApp.Store(parsing: $0, opening: PeopleTests.seal(of: instance))
            }
            parties.session = AuthorizingApp.Session(
                try #require(installations[instance]), with: before.eduID, store: store ?? AuthorizingApp.Store())
        }

        mutating func signIn(_ user: Int) throws {
            try parties.perform(.signIn(users[user].name, users[user].password))
            try parties.perform(.launch)
        }
    }

    @Test(
        "Each signs in and is authorized with an instance of his or her own; to switch loses nothing", .proves("USR-1"),
        .proves("FED-1"))
    func switching() throws {
        var tablet = try Tablet()
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        let (ada, bob) = (try tablet.add("Ada"), try tablet.add("Bob"))
        #expect(ada != bob && tablet.people.current == bob)
        try tablet.turn(to: ada)
        try tablet.signIn(0)
        try tablet.parties.authorize(homes[0])
        try tablet.turn(to: bob)
        #expect(!tablet.parties.session.isRegistered && tablet.parties.session.store.contents.services.isEmpty)
        try tablet.signIn(1)
        #expect(tablet.parties.session.profile["given_name"] == "Bob")
        try tablet.parties.authorize(homes[1])
        // What one ends is no affair of the other's.
        try tablet.parties.perform(.signOut)
        let before = tablet.parties.federation.traffic.count
        try tablet.turn(to: ada)
        #expect(tablet.parties.session.profile["given_name"] == "Ada")
        #expect(tablet.parties.session.authorizedServices == [homes[0]])
        #expect(tablet.parties.federation.traffic.count == before, "to switch asks nobody")
        try tablet.parties.perform(.launch)
        #expect(tablet.parties.session.isSignedIn)
    }

    @Test("Nothing of one is visible to the other", .proves("USR-1"), .proves("DAT-1"))
    func apart() throws {
        var tablet = try Tablet()
        let (ada, bob) = (try tablet.add("Ada"), try tablet.add("Bob"))
        try tablet.turn(to: ada)
        try tablet.signIn(0)
        try tablet.turn(to: bob)
        let text = try #require(tablet.texts[ada])
        #expect(throws: Rejection.brokenSeal) {
            try AuthorizingApp.Store(parsing: text, opening: PeopleTests.seal(of: bob))
        }
        // And if it did open, it holds nothing for another instance.
        let store = try AuthorizingApp.Store(parsing: text, opening: PeopleTests.seal(of: ada))
        let mixed = AuthorizingApp.Session(
            try #require(tablet.installations[bob]), with: tablet.parties.session.eduID, store: store)
        #expect(!mixed.isRegistered && !mixed.isSignedIn && mixed.profile.isEmpty)
    }

    @Test("Who leaves signs out before, and what ended is confirmed", .proves("threat-32"))
    func leaving() throws {
        var tablet = try Tablet()
        let (ada, bob) = (try tablet.add("Ada"), try tablet.add("Bob"))
        try tablet.turn(to: ada)
        try tablet.signIn(0)
        #expect(throws: Rejection.unconfirmedEnd) { try tablet.people.remove(tablet.parties.session) }
        var entropy = SimulatedFederation.Entropy(seed: 1)
        let now = tablet.parties.federation.now
        let ended = try tablet.parties.session.carryOut(.signOut, at: now, using: &entropy) { _ in nil }
        #expect(ended == .pending)
        #expect(throws: Rejection.unconfirmedEnd) { try tablet.people.remove(tablet.parties.session) }
        try tablet.parties.perform(.endings)
        try tablet.people.remove(tablet.parties.session)
        #expect(tablet.people.everybody.map(\.instance) == [bob] && tablet.people.current == bob)
        #expect(throws: Rejection.unknownInstance(ada)) { try tablet.people.turn(to: ada) }
        #expect(throws: Rejection.unknownInstance(ada)) { try tablet.people.remove(tablet.parties.session) }
    }

    @Test(
        "On one instance too the next person finds nothing of the one whose session ended, who finds all of it",
        .proves("USR-1"), arguments: [0, 1])
    func successors(_ next: Int) throws {
        var tablet = try Tablet()
        try tablet.turn(to: try tablet.add("The tablet"))
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        try tablet.signIn(0)
        try tablet.parties.authorize(homes[0])
        try tablet.parties.perform(.hiding(homes[1]))
        // Nobody signs out: the session ends elsewhere.
        tablet.parties.federation.administrate(.signOut(tablet.users[0].subject))
        #expect(throws: Rejection.signedOut) { try tablet.parties.perform(.launch) }
        let (user, now) = (tablet.users[next], tablet.parties.federation.now)
        try tablet.parties.perform(.signIn(user.name, user.password))
        let (session, isSame) = (tablet.parties.session, next == 0)
        #expect(session.isSignedIn && session.authorizedServices.isEmpty && !session.isExpired(.user, at: now))
        #expect(session.hiddenServices == (isSame ? [homes[1]] : []))
        #expect(session.store.contents.services.count == (isSame ? 1 : 0))
    }

    @Test("The list is bounded, and each is in it once")
    func bounds() throws {
        var tablet = try Tablet()
        let ada = try tablet.add("Ada")
        let installation = try #require(tablet.installations[ada])
        #expect(throws: Rejection.repeatedInstance(ada)) { try tablet.people.add(installation, named: "Ada") }
        #expect(throws: Rejection.fieldTooLong(length: 201, limit: 200)) {
            try tablet.add(String(repeating: "a", count: 201))
        }
        for number in 1..<64 { _ = try tablet.add("\(number)") }
        #expect(throws: Rejection.tooManyRows(limit: 64)) { try tablet.add("one more") }
    }

    @Test("It is kept sealed, read back whole, and refused when it was touched", .proves("threat-49"))
    func kept() throws {
        var tablet = try Tablet()
        for name in ["Ada", "Bob", "caf\u{e9}", "cafe\u{301}"] { _ = try tablet.add(name) }
        let people = tablet.people
        let text = people.serialized(sealing: AppSample.seal)
        #expect(try AuthorizingApp.People(parsing: text, opening: AppSample.seal) == people)
        #expect(!text.contains("Ada") && !"\(people)".contains("Ada"))
        let empty = AuthorizingApp.People()
        #expect(try .init(parsing: empty.serialized(sealing: AppSample.seal), opening: AppSample.seal) == empty)
        func refused(_ content: String, version: Int = 1) -> Rejection? {
            let text = "{\"people\":\(version),\"sealed\":\"\(Base64URL.encode(Array(content.utf8)))\"}"
            return rejection { () throws(Rejection) in
                try AuthorizingApp.People(parsing: text, opening: AppSample.clear)
            }
        }
        #expect(refused("{\"people\":[]}") == nil)
        #expect(refused("{\"people\":[]}", version: 2) == .unknownVersion("2"))
        #expect(refused("{\"people\":[],\"x\":1}") == .foreignMember(at: "$.x"))
        #expect(refused("{\"people\":[],\"current\":\"a\"}") == .unknownInstance("a"))
        let twice = "{\"instance\":\"a\",\"name\":\"b\"},{\"instance\":\"a\",\"name\":\"c\"}"
        #expect(refused("{\"people\":[\(twice)]}") == .repeatedInstance("a"))
        #expect(
            rejection { () throws(Rejection) in
                try AuthorizingApp.People(parsing: text, opening: Seal(seal: { $0 }, open: { _ in nil }))
            } == .brokenSeal)
    }
}
