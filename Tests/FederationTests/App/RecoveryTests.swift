import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// Whatever has ended without the app's doing, one tap leads on.
@Suite("S3: what has ended comes back")
struct RecoveryTests {
    /// Something that ends while the app is not looking.
    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let happen: @Sendable (inout Parties) throws -> Void

        init(_ description: String, _ happen: @escaping @Sendable (inout Parties) throws -> Void) {
            testDescription = description
            self.happen = happen
        }
    }

    private static func revoke(_ kind: Record.Kind, in store: inout MemoryStore, at now: Timestamp) {
        for lineage in store.page(of: .all(kind), limit: 10)?.lineages ?? [] {
            #expect(store.commit(Batch(at: now, [.revoke(lineage.record.id, .user)])) == .applied)
        }
    }

    private static func home() throws -> ServiceURL { try ServiceURL(parsing: Parties.homes[0]) }

    private func parties() throws -> Parties {
        var parties = try Parties(seed: 117)
        try parties.signIn()
        try parties.authorize(Self.home())
        parties.federation.wait(.seconds(60))
        return parties
    }

    private func access(_ parties: inout Parties) throws -> ServiceDescription {
        let service = try #require(parties.session.store.contents.services[Self.home()])
        return try parties.perform(
            .access(
                for: "com.example.reader", at: service.description, to: [ProtocolName(parsing: Parties.protocolName)]))
    }

    // MARK: At the edu-ID service

    static let ends = [
        End("the registration ended") {
            revoke(.client, in: &$0.federation.eduIDStore, at: $0.federation.now)
        },
        End("the edu-ID service lost all it knew") { $0.federation.eduIDStore = MemoryStore() },
        End("the user ended the session elsewhere") {
            revoke(.personal, in: &$0.federation.eduIDStore, at: $0.federation.now)
        },
        End("an administrator signed the user out") {
            $0.federation.administrate(.signOut($0.person.subject))
        },
    ]

    @Test("The app learns it when it is launched, and one sign-in leads on", .proves("REG-1"), arguments: ends)
    func signedOut(_ end: End) throws {
        var parties = try parties()
        try end.happen(&parties)
        #expect(throws: Rejection.signedOut) { try parties.perform(.launch) }
        #expect(!parties.session.isSignedIn && parties.session.profile.isEmpty)
        try parties.perform(.signIn(parties.person.name, parties.person.password))
        try parties.perform(.launch)
        try parties.authorize(Self.home())
        _ = try access(&parties)
        #expect(parties.session.profile["given_name"] == "Ada")
    }

    @Test("With the session what apps were given is off the list", .proves("DAT-2"), arguments: ends)
    func given(_ end: End) throws {
        var parties = try parties()
        _ = try access(&parties)
        #expect(parties.session.givenAuthorizations.count == 1)
        try end.happen(&parties)
        #expect(throws: Rejection.signedOut) { try parties.perform(.launch) }
        #expect(parties.session.givenAuthorizations.isEmpty)
    }

    @Test("It learns it as well when it is to introduce the user", .proves("AST-1"), arguments: ends)
    func introducing(_ end: End) throws {
        var parties = try parties()
        try end.happen(&parties)
        #expect(throws: Rejection.signedOut) { try parties.perform(.introduction(to: Self.home())) }
        #expect(!parties.session.isSignedIn && parties.session.authorizedServices.isEmpty)
    }

    @Test("Signing out ends well, whatever has ended before", .proves("UX-5"), arguments: ends)
    func signOut(_ end: End) throws {
        var parties = try parties()
        try end.happen(&parties)
        try parties.perform(.signOut)
        #expect(!parties.session.isSignedIn)
        try parties.perform(.signIn(parties.person.name, parties.person.password))
    }

    @Test("Who registers anew has nobody signed in", .proves("REG-1"), .proves("USR-1"), arguments: ends.prefix(2))
    func registersAnew(_ end: End) throws {
        var parties = try parties()
        try end.happen(&parties)
        try parties.perform(.registration)
        #expect(parties.session.isRegistered && !parties.session.isSignedIn)
        #expect(parties.session.profile.isEmpty && parties.session.authorizedServices.isEmpty)
    }

    @Test("What cannot be renewed any more is held no more, and what did not stand on it stays", .proves("TOK-3"))
    func renewals() throws {
        var parties = try parties()
        let home = try Self.home()
        Self.revoke(.service, in: &parties.federation.services[0].store, at: parties.federation.now)
        #expect(throws: Rejection.self) { try parties.perform(.renewal(of: .service(home))) }
        #expect(parties.session.authorizedServices.isEmpty && parties.session.isSignedIn)
        Self.revoke(.personal, in: &parties.federation.eduIDStore, at: parties.federation.now)
        #expect(throws: Rejection.self) { try parties.perform(.renewal(of: .user)) }
        #expect(!parties.session.isSignedIn && parties.session.isRegistered)
    }

    @Test("A wrong password is no sign that the registration ended", .proves("threat-39"))
    func wrongPassword() throws {
        var parties = try parties()
        let before = parties.federation.traffic.count
        #expect(throws: (any Error).self) {
            try parties.perform(.signIn(parties.person.name, Secret.Password(parsing: "wrong")))
        }
        #expect(parties.federation.traffic.count == before + 1 && parties.session.isSignedIn)
    }

    @Test("A version that is shut out changes nothing, and works again when it is let in", .proves("FED-4"))
    func blocked() throws {
        var parties = try parties()
        parties.federation.administrate(.block("ios-1.0"))
        for _ in 0..<2 { #expect(throws: (any Error).self) { try parties.perform(.launch) } }
        #expect(parties.session.isSignedIn && parties.session.isRegistered)
        parties.federation.administrate(.unblock("ios-1.0"))
        try parties.perform(.launch)
    }

    @Test("One that was rejected is told so, and does not ask for ever", .proves("REG-7"))
    func rejected() throws {
        var parties = try parties()
        parties.federation.administrate(.reject(parties.session.installation.instance))
        #expect(throws: (any Error).self) { try parties.perform(.launch) }
        let before = parties.federation.traffic.count
        do {
            try parties.perform(.signIn(parties.person.name, parties.person.password))
            Issue.record("a rejected instance signs in")
        } catch let Rejection.refused(error) {
            #expect(error.code == .unauthorizedClient)
        }
        #expect(parties.federation.traffic.count - before <= 3)
    }

    // MARK: At services

    static let serviceEnds = [
        End("the service token was revoked") {
            revoke(.service, in: &$0.federation.services[0].store, at: $0.federation.now)
        },
        End("the assertion was taken back") {
            revoke(.assertion, in: &$0.federation.services[0].store, at: $0.federation.now)
        },
        End("the service lost all it knew") { $0.federation.services[0].store = MemoryStore() },
        End("its access token expired, and the user's too") { $0.federation.wait(.seconds(3_600)) },
    ]

    @Test("An app gets its access all the same, and nobody is asked", .proves("APP-1"), arguments: serviceEnds)
    func service(_ end: End) throws {
        var parties = try parties()
        try end.happen(&parties)
        #expect(try access(&parties).authorization != nil)
        #expect(parties.session.isSignedIn)
    }

    @Test("A service token that nobody can renew is had anew when it has expired", .proves("APP-1"))
    func notRenewable() throws {
        var parties = try parties()
        let home = try Self.home()
        let kept = try #require(parties.session.store.contents.services[home]?.token?.secret)
        let secret = try #require(JSON(parsing: kept)["answer"]?["refresh_token"]?.string)
        let changed = try AuthorizingApp.Store.Token(
            parsing: kept.replacing(",\"refresh_token\":\"\(secret)\"", with: ""))
        #expect(changed.secret != kept)
        try parties.session.store.change { $0.services[home]?.token = changed }
        parties.federation.wait(.seconds(3_600))
        #expect(throws: Rejection.notRenewable) { try parties.perform(.renewal(of: .service(home))) }
        try parties.perform(.authorization(at: home))
        #expect(parties.session.authorizedServices == [home])
    }

    @Test("A session that nobody can renew is over when it has expired, though nobody was asked", .proves("AUT-3"))
    func notRenewableSession() async throws {
        var parties = try parties()
        let (place, kept) = try #require(parties.session.store.contents.tokens.first { $0.key.type.text == "personal" })
        let secret = try #require(JSON(parsing: kept.secret)["answer"]?["refresh_token"]?.string)
        let changed = try AuthorizingApp.Store.Token(
            parsing: kept.secret.replacing(",\"refresh_token\":\"\(secret)\"", with: ""))
        #expect(changed.secret != kept.secret)
        try parties.session.store.change { $0.tokens[place] = changed }
        parties.federation.wait(.seconds(3_600))
        let (traffic, now) = (parties.federation.traffic.count, parties.federation.now)
        let stored = Mutex(parties.session.store)
        let host = AuthorizingApp.Host(
            send: { _ in nil }, keep: { store in stored.withLock { $0 = store } }, now: { now }, entropy: { 1 })
        let app = AuthorizingApp(parties.session, on: host)
        await #expect(throws: Rejection.signedOut) { try await app.launch() }
        let isSignedIn = await app.session.isSignedIn
        #expect(!isSignedIn && stored.withLock { $0.contents.tokens[place] } == nil)
        #expect(throws: Rejection.signedOut) { try parties.perform(.launch) }
        #expect(parties.federation.traffic.count == traffic)
        #expect(!parties.session.isSignedIn && parties.session.authorizedServices.isEmpty)
        #expect(parties.session.profile.isEmpty)
    }

    @Test("An assertion that ended on its way is asked for anew, once", .proves("AST-1"), arguments: [1, 2])
    func endedOnItsWay(_ refusals: Int) throws {
        var parties = try parties()
        let home = try ServiceURL(parsing: Parties.homes[1])
        try parties.perform(.discovery(.services([home])))
        var (entropy, paths, federation) = (SimulatedFederation.Entropy(seed: 1), [String](), parties.federation)
        let refused = rejection { () throws(Rejection) in
            try parties.session.carryOut(.introduction(to: home), at: federation.now, using: &entropy) { request in
                paths.append(request.target.path)
                let count = paths.count { $0 == "/oauth/token" }
                guard request.target.path == "/oauth/token", count <= refusals else { return federation.send(request) }
                return HTTP.Response(.badRequest, body: Array(#"{"error":"invalid_grant"}"#.utf8))
            }
        }
        #expect((refused == nil) == (refusals == 1))
        #expect(parties.session.authorizedServices.contains(home) == (refusals == 1))
        #expect(paths.filter { $0 == "/authorize" || $0 == "/oauth/token" }.count == 4 && parties.session.isSignedIn)
    }

    @Test("Who launches the app with an expired token renews it first, and nobody refuses anything", .proves("USE-3"))
    func expired() throws {
        var parties = try parties()
        parties.federation.wait(.seconds(3_600))
        let (traffic, refusals) = (parties.federation.traffic.count, parties.federation.refusals.count)
        try parties.perform(.launch)
        let paths = parties.federation.traffic.dropFirst(traffic).map { $0.request.target.path }
        #expect(paths.prefix(3) == ["/token", "/userinfo", "/usage"])
        #expect(parties.federation.refusals.count == refusals)
    }

    @Test("Without an answer nothing changes", .proves("NIF-9"), arguments: ends)
    func unanswered(_ end: End) throws {
        var parties = try parties()
        try end.happen(&parties)
        let before = parties.session.store.contents.settings
        var session = parties.session
        var entropy = SimulatedFederation.Entropy(seed: 1)
        #expect(throws: Rejection.unanswered) {
            try session.carryOut(.launch, at: parties.federation.now, using: &entropy) { _ in nil }
        }
        #expect(session.isSignedIn && session.store.contents.settings == before)
    }
}
