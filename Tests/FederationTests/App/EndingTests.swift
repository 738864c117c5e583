import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// What the person ends is over at once, with or without a network, and nobody is told that it is confirmed before it
/// is.
@Suite("S4: what the person ends")
struct EndingTests {
    typealias Matter = AuthorizingApp.Ending.Matter

    private static let reader: BundleID = "com.example.reader"
    private static let home = Result { try ServiceURL(parsing: Parties.homes[0]) }

    enum Kind: CaseIterable { case session, service, app }

    private static func matter(_ kind: Kind) throws -> Matter {
        switch kind {
        case .session: .session
        case .service: .service(try home.get())
        case .app: .app(reader, at: try home.get())
        }
    }

    private func parties() throws -> Parties {
        var parties = try Parties(seed: 217)
        try parties.signIn()
        try parties.authorize(Self.home.get())
        let service = try #require(parties.session.store.contents.services[Self.home.get()])
        try parties.perform(
            .access(
                for: Self.reader, at: service.description, to: [ProtocolName(parsing: Parties.protocolName)]))
        parties.federation.wait(.seconds(60))
        return parties
    }

    private static func interaction(_ matter: Matter) -> AuthorizingApp.Interaction<AuthorizingApp.Ended> {
        switch matter {
        case .session: .signOut
        case .service(let url): .unlinking(url)
        case .app(let app, let url): .ending(app, at: url)
        }
    }

    /// Carries out an interaction where nobody answers; how many were asked.
    @discardableResult
    private func offline<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, _ parties: inout Parties
    ) throws -> (Value, asked: Int) {
        var (entropy, asked) = (SimulatedFederation.Entropy(seed: 1), 0)
        let value = try parties.session.carryOut(interaction, at: parties.federation.now, using: &entropy) { _ in
            asked += 1
            return nil
        }
        return (value, asked)
    }

    private func living(_ matter: Matter, _ parties: Parties) -> Int {
        let (now, service) = (parties.federation.now, parties.federation.services[0].store)
        return switch matter {
        case .session: parties.federation.eduIDStore.living(.personal, at: now)
        case .service: service.living(.service, at: now)
        case .app: service.living(.app, at: now)
        }
    }

    @Test("With a network it is confirmed, and nothing is left", .proves("TOK-5"), arguments: Kind.allCases)
    func online(_ kind: Kind) throws {
        let matter = try Self.matter(kind)
        var parties = try parties()
        #expect(living(matter, parties) == 1)
        #expect(try parties.perform(Self.interaction(matter)) == .confirmed)
        #expect(living(matter, parties) == 0 && parties.session.endings.isEmpty)
        #expect(parties.session.givenAuthorizations.isEmpty)
        #expect(parties.session.isSignedIn == (matter != .session))
    }

    @Test("All ends that an app was ever given, of which the edu-ID app keeps the last tokens", .proves("TOK-5"))
    func moreThanIsKept() throws {
        var parties = try parties()
        let home = try Self.home.get()
        let service = try #require(parties.session.store.contents.services[home]).description
        let name = try ProtocolName(parsing: Parties.protocolName)
        for _ in 0..<20 {
            try parties.perform(.access(for: Self.reader, at: service, to: [name]))
            parties.federation.wait(.seconds(60))
        }
        try parties.perform(.access(for: "com.example.other", at: service, to: [name]))
        let matter = try Self.matter(.app)
        #expect(living(matter, parties) == 22)
        #expect(try parties.perform(.ending(Self.reader, at: home)) == .confirmed)
        #expect(living(matter, parties) == 1)
    }

    @Test(
        "What many apps were given ends without a network as well, however often they were given it", .proves("TOK-5"))
    func manyApps() throws {
        var parties = try parties()
        let home = try Self.home.get()
        let service = try #require(parties.session.store.contents.services[home]).description
        let name = try ProtocolName(parsing: Parties.protocolName)
        let apps: [BundleID] = [
            Self.reader, "com.example.a", "com.example.b", "com.example.c", "com.example.d", "com.example.e",
        ]
        for app in apps {
            for _ in 0..<17 { try parties.perform(.access(for: app, at: service, to: [name])) }
            parties.federation.wait(.seconds(60))
        }
        let matter = try Self.matter(.app)
        #expect(living(matter, parties) == 103)
        for app in apps { #expect(try offline(.ending(app, at: home), &parties) == (.pending, 1)) }
        #expect(Set(parties.session.endings.map(\.matter)) == Set(apps.map { .app($0, at: home) }))
        #expect(try parties.perform(.endings) == [])
        #expect(living(matter, parties) == 0)
    }

    @Test(
        "Without one it is over here, is shown as pending, and is told when there is one", .proves("threat-32"),
        .proves("UX-5"), arguments: Kind.allCases)
    func offline(_ kind: Kind) throws {
        let matter = try Self.matter(kind)
        var parties = try parties()
        let before = parties.federation.now
        #expect(try offline(Self.interaction(matter), &parties) == (.pending, 1))
        #expect(parties.session.endings.map(\.matter) == [matter] && parties.session.endings[0].since == before)
        #expect(parties.session.givenAuthorizations.isEmpty && living(matter, parties) == 1)
        // A restart changes nothing, and a day neither.
        parties.federation.wait(.seconds(600))
        let text = parties.session.store.serialized(sealing: AppSample.seal)
        parties.session.store = try AuthorizingApp.Store(parsing: text, opening: AppSample.seal)
        #expect(try offline(.endings, &parties).0.map(\.matter) == [matter])
        #expect(try parties.perform(.endings) == [])
        #expect(living(matter, parties) == 0 && parties.session.endings.isEmpty)
        #expect(!parties.session.store.contents.tokens.keys.contains { $0.type.text.hasPrefix("ending") })
    }

    @Test(
        "A session that is over is told before another one begins, which it would end", .proves("UX-5"),
        .proves("USR-1"))
    func comingBack() throws {
        var parties = try parties()
        let person = parties.person
        try offline(.signOut, &parties)
        // Nobody signs in over it.
        #expect(throws: Rejection.unanswered) { try offline(.signIn(person.name, person.password), &parties) }
        #expect(!parties.session.isSignedIn && parties.session.endings.map(\.matter) == [.session])
        let count = parties.federation.traffic.count
        try parties.signIn()
        let asked = parties.federation.traffic.dropFirst(count).map(\.request.target.path)
        #expect(asked.prefix(3) == ["/revoke", "/authorize-challenge", "/token"])
        #expect(parties.session.endings.isEmpty && living(.session, parties) == 1)
        // And the next launch ends nothing.
        parties.federation.wait(.seconds(60))
        try parties.perform(.launch)
        #expect(parties.session.isSignedIn && living(.session, parties) == 1)
    }

    @Test("A key whose service cannot be read ends no session", .proves("threat-49"))
    func damagedMatter() throws {
        var parties = try parties()
        try offline(.unlinking(Self.home.get()), &parties)
        let (place, kept) = try #require(
            parties.session.store.contents.tokens.first { $0.key.type.text.hasPrefix("ending") })
        let damaged = kept.secret.replacing(try Self.home.get().identity, with: "no service")
        #expect(damaged != kept.secret)
        let text = try AuthorizingApp.Store.Token(parsing: damaged)
        try parties.session.store.change { contents in contents.tokens[place] = text }
        #expect(parties.session.endings.isEmpty && parties.session.isSignedIn)
    }

    @Test("Meanwhile nobody can use it, and its secrets are gone", .proves("threat-32"), arguments: Kind.allCases)
    func secrets(_ kind: Kind) throws {
        let matter = try Self.matter(kind)
        var parties = try parties()
        let store = parties.session.store.contents
        let refresh = (store.tokens.values.map(\.secret) + store.services.values.compactMap { $0.token?.secret })
            .compactMap { try? JSON(parsing: $0)["answer"]?["refresh_token"]?.string }
        try offline(Self.interaction(matter), &parties)
        let session = parties.session
        func isKept(_ text: String) -> Bool {
            session.store.contents.tokens.values.contains { $0.secret.contains(text) }
                || session.store.contents.services.values.contains { $0.token?.secret.contains(text) == true }
        }
        switch matter {
        case .session:
            #expect(!refresh.contains(where: isKept) && refresh.count == 2)
            #expect(session.profile.isEmpty && session.usage == nil && session.authorizedServices.isEmpty)
            #expect(store.services.count == 1 && session.store.contents.services.isEmpty)
            #expect(session.store.contents.settings.keys.map(\.text).allSatisfy { ["seen"].contains($0) })
            #expect(throws: Rejection.signedOut) { try parties.perform(.profile) }
            #expect(throws: Rejection.signedOut) { try parties.perform(.introduction(to: Self.home.get())) }
        case .service(let url):
            #expect(refresh.filter(isKept).count == 1)
            #expect(session.authorizedServices.isEmpty)
            #expect(throws: Rejection.unauthorized(url)) { try parties.perform(.renewal(of: .service(url))) }
        case .app(let app, let url):
            #expect(throws: Rejection.unauthorizedApp(app, url)) { try parties.perform(.ending(app, at: url)) }
        }
        // Whoever launches the app does nothing but tell of it.
        if matter == .session {
            let count = parties.federation.traffic.count
            try parties.perform(.launch)
            #expect(parties.federation.traffic.dropFirst(count).map(\.request.target.path) == ["/revoke"])
        }
    }

    @Test("What ends by itself is not told, and its key goes", .proves("threat-32"))
    func expiry() throws {
        var parties = try parties()
        try offline(Self.interaction(Self.matter(.service)), &parties)
        let (place, kept) = try #require(
            parties.session.store.contents.tokens.first { $0.key.type.text.hasPrefix("ending") })
        // A token that nobody can renew: its end is known.
        let end = parties.federation.now + .seconds(10)
        let text = kept.secret.replacing("\"since\":", with: "\"expires\":\(end.seconds),\"since\":")
        let other = try AuthorizingApp.Store.Token(parsing: text)
        try parties.session.store.change { $0.tokens[place] = other }
        parties.federation.wait(.seconds(9))
        #expect(try offline(.endings, &parties).asked == 1)
        // The device's clock may have been wrong; within a month it is told all the same.
        for seconds in [1, 30 * 86_400 - 1 as Int64] {
            parties.federation.wait(.seconds(seconds))
            #expect(try offline(.endings, &parties).asked == 1)
        }
        parties.federation.wait(.seconds(1))
        #expect(try offline(.endings, &parties) == ([], 0))
        #expect(!parties.session.store.contents.tokens.keys.contains { $0.type.text.hasPrefix("ending") })
    }

    @Test("Where nobody answers, nobody else is asked; what one side refuses does not keep others back")
    func several() throws {
        var parties = try parties()
        try offline(.unlinking(Self.home.get()), &parties)
        try offline(.signOut, &parties)
        #expect(try offline(.endings, &parties).asked == 1)
        #expect(parties.session.endings.count == 2)
        var (entropy, paths) = (SimulatedFederation.Entropy(seed: 1), [String]())
        let left = try parties.session.carryOut(.endings, at: parties.federation.now, using: &entropy) { request in
            paths.append(request.target.path)
            return request.target.path == "/revoke" ? HTTP.Response(.serviceUnavailable) : HTTP.Response(.ok)
        }
        #expect(left.map(\.matter) == [.session] && paths.sorted() == ["/oauth/revoke", "/revoke"])
    }

    @Test("What the other side does not know any more is over, once the clock is known to be right")
    func forgotten() throws {
        var parties = try parties()
        try offline(.signOut, &parties)
        parties.federation.eduIDStore = MemoryStore()
        // A clock that is wrong shows nothing: a proof of yesterday is refused in the same words.
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var (session, federation) = (parties.session, parties.federation)
        let late = federation.now - .seconds(86_400)
        #expect(try session.carryOut(.endings, at: late, using: &entropy) { federation.send($0) }.count == 1)
        #expect(try parties.perform(.endings) == [])
    }

    @Test("However much is pending, what is ended next is ended too, and the store stays bounded")
    func many() throws {
        var parties = try parties()
        let home = try Self.home.get()
        let held = try #require(parties.session.store.contents.services[home]?.token)
        var first: Timestamp?
        for number in 0..<70 {
            // Each time another token, of which the service knows nothing but the last.
            let other = number == 69 ? "" : "\(number)."
            let text = held.secret.replacing("\"access_token\":\"", with: "\"access_token\":\"\(other)")
            let token = try AuthorizingApp.Store.Token(parsing: text)
            try parties.session.store.change { $0.services[home]?.token = token }
            parties.federation.wait(.seconds(1))
            if number == 6 { first = parties.federation.now }
            try offline(.unlinking(home), &parties)
        }
        // The oldest have given way.
        #expect(parties.session.endings.count == 64 && parties.session.endings.map(\.since).min() == first)
        try offline(.signOut, &parties)
        #expect(parties.session.endings.count == 65 && !parties.session.isSignedIn)
        #expect(try parties.perform(.endings) == [])
    }

    @Test("It is kept before the other side is told: a crash between leaves it pending", .proves("threat-32"))
    func crash() throws {
        var parties = try parties()
        let now = parties.federation.now
        var conversation = try AuthorizingApp.Conversation(
            .signOut, of: &parties.session, at: now, using: &parties.federation.entropy)
        #expect(!conversation.session.isSignedIn && conversation.session.endings.count == 1)
        let request = try #require(conversation.request)
        _ = parties.federation.send(request)
        parties.session = conversation.session
        #expect(try parties.perform(.endings) == [])
        try conversation.take(HTTP.Response(.ok), at: now)
        #expect(conversation.value == .confirmed)
    }

    // MARK: What apps were given

    /// How much is still to be told when an app is ended without a network that was given tokens one after the other,
    /// of which some can be renewed.
    private func told(afterGiving tokens: [Bool], waiting time: Duration) throws -> Int {
        var parties = try parties()
        let home = try Self.home.get()
        try parties.perform(.disconnect(at: home))
        #expect(parties.session.givenAuthorizations.isEmpty)
        for isRenewable in tokens {
            parties.federation.wait(time)
            try parties.perform(.authorization(at: home))
            let service = try #require(parties.session.store.contents.services[home])
            var (entropy, session) = (parties.federation.entropy, parties.session)
            parties.federation.entropy = SimulatedFederation.Entropy(seed: entropy.next())
            _ = try session.carryOut(
                .access(for: Self.reader, at: service.description, to: [ProtocolName(parsing: Parties.protocolName)]),
                at: parties.federation.now, using: &entropy
            ) { request in
                guard let response = parties.federation.send(request) else { return nil }
                guard !isRenewable, var body = (try? JSON(parsing: response.body))?.object else { return response }
                body["refresh_token"] = nil
                return HTTP.Response(response.status, fields: response.fields, body: body.encoded())
            }
            parties.session = session
        }
        try offline(.ending(Self.reader, at: home), &parties)
        return parties.session.endings.count
    }

    @Test("Of what an app was given the newest 16 tokens are kept, and none that ended by itself", .proves("DAT-2"))
    func bounds() throws {
        func several(_ count: Int, _ isRenewable: Bool) -> [Bool] { Array(repeating: isRenewable, count: count) }
        #expect(try told(afterGiving: several(3, true), waiting: .seconds(1)) == 3)
        #expect(try told(afterGiving: several(18, true), waiting: .seconds(1)) == 16)
        #expect(try told(afterGiving: several(3, false), waiting: .seconds(1)) == 3)
        // What is over takes nobody's place.
        #expect(try told(afterGiving: [true] + several(17, false), waiting: .seconds(3_600)) == 2)
    }

    @Test("What an app was given is recorded by app and service, and ended there alone", .proves("DAT-2"))
    func given() throws {
        var parties = try Parties(seed: 218)
        try parties.signIn()
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        var tokens: [String] = []
        for home in homes {
            try parties.authorize(home)
            for app in [Self.reader, "com.example.writer"] as [BundleID] {
                let service = try #require(parties.session.store.contents.services[home])
                let access = try parties.perform(
                    .access(for: app, at: service.description, to: [ProtocolName(parsing: Parties.protocolName)]))
                if app == Self.reader {
                    tokens.append(try #require(access.authorization?.members["access_token"]?.string))
                }
            }
        }
        let given = parties.session.givenAuthorizations
        #expect(given.map(\.app) == [Self.reader, Self.reader, "com.example.writer", "com.example.writer"])
        #expect(given.map(\.service) == homes + homes && given.allSatisfy { $0.last == parties.federation.now })
        let rows = parties.session.store.contents.tokens.filter { $0.key.subject.text == Self.reader.text }
        #expect(rows.map { "\($0.key.target.text) \($0.key.type.text)" }.sorted() == homes.map { "\($0.identity) app" })
        #expect(rows.values.contains { $0.secret.contains(tokens[0]) })
        #expect(try parties.perform(.ending(Self.reader, at: homes[0])) == .confirmed)
        let now = parties.federation.now
        #expect(parties.federation.services.map { $0.store.living(.app, at: now) } == [1, 2])
        #expect(parties.session.givenAuthorizations.count == 3)
        // With the service goes what stands on it.
        try parties.perform(.unlinking(homes[0]))
        #expect(parties.session.givenAuthorizations.map(\.service) == [homes[1], homes[1]])
    }

    /// A person with an app's token at both services.
    private func givenAtBoth() throws -> (parties: Parties, homes: [ServiceURL]) {
        var parties = try Parties(seed: 219)
        try parties.signIn()
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        for home in homes {
            try parties.authorize(home)
            let service = try #require(parties.session.store.contents.services[home])
            _ = try parties.perform(
                .access(
                    for: Self.reader, at: service.description, to: [ProtocolName(parsing: Parties.protocolName)]))
        }
        #expect(parties.session.givenAuthorizations.map(\.service) == homes)
        return (parties, homes)
    }

    @Test("What apps were given where the endpoint has moved is forgotten with the service's token", .proves("DAT-3"))
    func moved() throws {
        var (parties, homes) = try givenAtBoth()
        let service = try #require(parties.session.store.contents.services[homes[0]])
        try parties.session.store.change { $0.cache([service]) }
        #expect(parties.session.givenAuthorizations.map(\.service) == homes)
        let text = service.text.replacing("\"oauth\"", with: "\"oauth-2\"")
        let moved = try AuthorizingApp.Store.Service(parsing: text)
        #expect(moved.tokenTarget != service.tokenTarget)
        try parties.session.store.change { $0.cache([moved]) }
        #expect(parties.session.authorizedServices == [homes[1]])
        #expect(parties.session.givenAuthorizations.map(\.service) == [homes[1]])
        #expect(throws: Rejection.unauthorized(homes[0])) {
            try parties.perform(.ending(Self.reader, at: homes[0]))
        }
        #expect(try parties.perform(.ending(Self.reader, at: homes[1])) == .confirmed)
    }

    @Test("What an earlier version left without the service's token goes with the next discovery", .proves("DAT-3"))
    func leftOver() throws {
        var (parties, homes) = try givenAtBoth()
        try parties.session.store.change { $0.services[homes[0]]?.token = nil }
        #expect(parties.session.givenAuthorizations.count == 2)
        try parties.perform(.discovery(.services(homes)))
        #expect(parties.session.givenAuthorizations.map(\.service) == [homes[1]])
    }

    @Test("An introduction to another endpoint begins without what the former one gave", .proves("AST-1"))
    func introducedElsewhere() throws {
        var (parties, homes) = try givenAtBoth()
        try parties.perform(.introduction(to: homes[0]))
        #expect(parties.session.givenAuthorizations.map(\.service) == homes)
        let former = try WebURL(parsing: Parties.homes[0] + "/former/token")
        try parties.session.store.change { $0.services[homes[0]]?.tokenTarget = former }
        try parties.perform(.introduction(to: homes[0]))
        #expect(parties.session.authorizedServices == homes)
        #expect(parties.session.givenAuthorizations.map(\.service) == [homes[1]])
    }
}
