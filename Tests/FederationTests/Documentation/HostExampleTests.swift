// Longer than 500 lines: every host of the documentation, with what it needs to run.

import Federation
import FederationTesting
import Foundation
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenStores
import TokenTree
import Wire

// example: an endpoint under guard
/// The papers of a university, for those who may see them.
struct Papers {
    let service: FederationService
    var store = MemoryStore()

    mutating func answer(_ request: HTTP.Request, to url: WebURL, at now: Timestamp) -> HTTP.Response {
        switch service.access(for: request, to: url, in: &store, at: now) {
        case .granted(let access): page(for: access.subject, in: access.app, within: access.scope)
        case .refused(let response): response  // 401 or 403, and what would help
        }
    }
}
// end of example

// example: a server that waits
/// The edu-ID service in front of a database that takes time, as do the directory of its users and the network.
struct EduIDServer {
    let host: EduIDService.Host<Database>

    init(
        keys: Authority.Keys, versions: AppVersion.Registry, services: ServiceIndex, users: UserDirectory,
        database: Database,
        network: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?, clock: @escaping @Sendable () -> Timestamp,
        log: @escaping @Sendable (AuditRecord) -> Void
    ) throws(Rejection) {
        let eduID = try EduIDService(
            "https://eduid.example.ch", keys: keys, versions: versions, services: services, users: users)
        host = EduIDService.Host(eduID, in: database, clock: clock, note: log) { await network($0) }
    }

    func answer(_ request: HTTP.Request) async throws -> HTTP.Response { try await host.answer(request) }

    func everyMinute() async throws { try await host.tick() }
}
// end of example

// example: a server that does not wait
/// A university's service on a thread of its own, in front of whatever store it has.
struct UniversityServer<Store: TokenStore> {
    let service: FederationService
    var store: Store
    var keys = KeySets()
    let network: (HTTP.Request) -> HTTP.Response?

    mutating func answer(_ request: HTTP.Request, at now: Timestamp) throws(Store.Failure) -> HTTP.Response {
        let network = network
        var (keys, entropy) = (keys, SystemRandomNumberGenerator())
        defer { self.keys = keys }
        return try service.answer(request, in: &store, at: now, using: &entropy) { lookup in
            switch lookup {
            case .answer(let question): .answer(network(question))
            case .keys(let question): keys.answer(question, at: now, send: network)
            default: lookup.nothing
            }
        }
    }
}
// end of example

// example: a server that survives
/// A university's service whose store is still there after a crash.
func surviving(
    _ service: FederationService, in folder: String, clock: @escaping @Sendable () -> Timestamp
) throws(StoreFailure) -> FederationService.Host<JournalStore> {
    FederationService.Host(service, in: try JournalStore.open(folder, clock: clock), clock: clock)
}
// end of example

extension Papers {
    private func page(for subject: Record.Subject, in app: BundleID?, within scope: Scope) -> HTTP.Response {
        HTTP.Response(.ok, body: Array("papers of \(subject.text) in \(app?.text ?? "-") within \(scope.text)".utf8))
    }
}

extension AuthorizingApp.Conversation {
    /// The request that there must be.
    fileprivate var next: HTTP.Request { get throws { try #require(request) } }
}

@Suite("Documentation: hosts")
struct HostExampleTests {
    private let reader = "ch.example.reader"

    private func error(in response: HTTP.Response) throws -> String? {
        try JSON(parsing: response.body).object?["error"]?.string
    }

    /// A person who is signed in, with the first university's service, which gives apps plain tokens, and the
    /// redemption of an assertion for it.
    private func opening() throws -> (Parties, FederationService, AuthorizingApp.Conversation<Void>) {
        var parties = try Parties(seed: 41)
        try parties.signIn()
        var alpha = parties.federation.services[0].service
        alpha.policy.keylessApps = .bearerToken
        let eduID = parties.federation.eduID.authority
        alpha.eduID = FederationService.Trusted(eduID.issuer, keys: eduID.publicKeys.keys)
        let now = parties.federation.now
        let home = try #require(alpha.document.serviceURL)
        try parties.perform(.discovery(.services([home])))
        var redeeming = try AuthorizingApp.Conversation(
            .introduction(to: home), of: &parties.session, at: now, using: &parties.federation.entropy)
        try redeeming.take(parties.federation.send(try #require(redeeming.request)), at: now)
        return (parties, alpha, redeeming)
    }

    /// An app's request to the university's first protocol, with the token that comes with the answer.
    private func appRequest(
        _ parties: inout Parties, _ service: FederationService, _ send: (HTTP.Request) throws -> HTTP.Response
    ) throws -> (HTTP.Request, WebURL) {
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let asked = try AuthorizingApp.Conversation(
            .access(for: BundleID(parsing: reader), at: service.document, to: [papi]), of: &parties.session,
            at: parties.federation.now, using: &parties.federation.entropy)
        guard case .granted(let token) = try TokenRequest.Outcome(parsing: try send(asked.next)) else {
            throw SimulationError()
        }
        let url = try service.document.endpoint(for: papi, path: "list")
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token.accessToken.secret)
        return (request, url)
    }

    @Test("A server that does not wait carries (5), (8) and (9) out", .proves("AST-5"), .proves("APP-7"))
    func synchronous() throws {
        var (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        var server = UniversityServer(service: alpha, store: MemoryStore(), network: { _ in nil })
        try redeeming.take(server.answer(redeeming.next, at: now), at: now)
        parties.session = redeeming.session
        let (request, url) = try appRequest(&parties, alpha) { server.answer($0, at: now) }
        guard case .granted(let access) = alpha.access(for: request, to: url, in: &server.store, at: now) else {
            Issue.record("the app has a token for this")
            return
        }
        #expect(access.app?.text == reader)
        func refusal(_ request: HTTP.Request, _ url: WebURL) -> HTTP.Response.Status? {
            guard case .refused(let response) = alpha.access(for: request, to: url, in: &server.store, at: now) else {
                return nil
            }
            return response.status
        }
        #expect(refusal(request, try WebURL(parsing: "https://alpha.example.ch/private")) == .forbidden)
        #expect(refusal(HTTP.Request(.get, .absolute(url)), url) == .unauthorized)
    }

    @Test(
        "Two machines get one request to redeem an assertion: who commits second is refused, and ends nothing",
        .proves("threat-23"), .proves("threat-72"))
    func rivals() throws {
        let (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        var entropy = SeededGenerator(seed: 5)
        var rival = try alpha.exchange(for: redeeming.next, at: now, using: &entropy)
        while case .facts(let keys)? = rival.lookup { rival.supply(.facts(MemoryStore().load(keys))) }
        #expect(rival.decision.refusal == nil)
        var server = UniversityServer(
            service: alpha, store: RivalStore(rival: rival.decision.batch), network: { _ in nil })
        let response = try server.answer(redeeming.next, at: now)
        #expect(response.status == .unauthorized)
        #expect(try error(in: response) == "invalid_client")
        #expect(server.store.conflicts == 1)
        for case .insert(let record) in rival.decision.batch.changes {
            #expect(server.store.tree.verdict(of: record.id, at: now).grantLives)
        }
    }

    @Test(
        "The university asks over its own network whether an assertion stands, and waits for nobody", .proves("AST-8"))
    func introspection() throws {
        var (parties, alpha, redeeming) = try opening()
        alpha.eduID.introspection = try WebURL(parsing: Parties.eduID + "/introspect")
        let now = parties.federation.now
        var silent = UniversityServer(service: alpha, store: MemoryStore(), network: { _ in nil })
        #expect(try error(in: silent.answer(redeeming.next, at: now)) == "temporarily_unavailable")
        var answers: [HTTP.Response?] = []
        var server = UniversityServer(
            service: alpha, store: MemoryStore(),
            network: { request in
                answers.append(parties.federation.send(request))
                return answers.last ?? nil
            })
        let response = try server.answer(redeeming.next, at: now)
        #expect(response.status == .ok && answers.count == 1)
    }

    @Test("A service is its keys, its description, and whom it believes", .proves("DSC-7")) func service() throws {
        let parties = try Parties(seed: 45)
        let home = parties.federation.services[0].service
        let file = home.document.encoded()
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 8, count: 32))
        let key = JWK.Private(pair, attributes: JWK.Attributes(id: try KeyID(parsing: "2026-11")))
        let master = SymmetricKey(data: [UInt8](repeating: 9, count: 32))
        let eduID = parties.federation.eduID.authority.issuer
        let eduIDKeys = parties.federation.eduID.authority.publicKeys.keys
        // example: a service
        let authority = try Authority("https://alpha.example.ch", keys: .init(signing: key, master: master))
        let description = try ServiceDescription(parsing: file)
        let service = try FederationService(authority, document: description, trusting: .init(eduID, keys: eduIDKeys))
        // end of example
        #expect(service.description?.endpoints[.token]?.text == "https://alpha.example.ch/oauth/token")
    }

    @Test("A rehearsal: sign in, be introduced, log out while the service is down", .proves("TOK-7")) func rehearsal()
        throws
    {
        // example: a rehearsal
        var parties = try Parties(seed: 7)
        try parties.signIn()  // (1), (2)
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let found = try parties.perform(.discovery(.protocols([papi])))  // (3b): two universities
        let home = try parties.federation.services[0].service.document.serviceURL ?? ServiceURL(parsing: Parties.eduID)
        try parties.authorize(home)  // (4), (5)

        parties.federation.unreachable = [home]
        try parties.perform(.signOut)  // (10): the service has to be told, and is down
        let toldAtOnce = parties.federation.deliver()
        parties.federation.unreachable = []
        parties.federation.wait(.seconds(60))
        let toldLater = parties.federation.deliver()
        // end of example
        #expect(found.count == 2)
        #expect(toldAtOnce == 0 && toldLater == 1)
    }

    @Test("A guarded endpoint tells who asks, and refuses in the words of OAuth", .proves("APP-9"))
    func guarded() throws {
        var (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        var server = UniversityServer(service: alpha, store: MemoryStore(), network: { _ in nil })
        try redeeming.take(server.answer(redeeming.next, at: now), at: now)
        parties.session = redeeming.session
        let (request, url) = try appRequest(&parties, alpha) { server.answer($0, at: now) }
        var papers = Papers(service: alpha, store: server.store)
        let page = papers.answer(request, to: url, at: now)
        #expect(page.status == .ok)
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(
            text.hasPrefix("papers of ") && text.hasSuffix(" in \(reader) within https://alpha.example.ch/api/papi"),
            "\(text)")
        #expect(papers.answer(request, to: url, at: now + .seconds(3_600)).status == .unauthorized)
        let service = try #require(server.store.page(of: .all(.service), limit: 1)?.lineages.first)
        #expect(papers.store.commit(Batch(at: now, [.revoke(service.record.id, .administrator)])) == .applied)
        #expect(papers.answer(request, to: url, at: now).status == .unauthorized)
    }

    // MARK: The host that waits

    /// The parties' edu-ID service at work, with what it noted.
    private func eduID(
        _ parties: Parties, in database: Database = Database(), at time: TestClock? = nil,
        user: (@Sendable (SignInAttempt) async -> SignInAttempt.Outcome)? = nil, notes: Notes = Notes(),
        network: @escaping @Sendable (HTTP.Request) async -> HTTP.Response? = { _ in nil }
    ) -> EduIDService.Host<Database> {
        let (person, time) = (parties.person, time ?? TestClock(parties.federation.now))
        var service = parties.federation.eduID
        service.users = UserDirectory(
            user: user
                ?? { attempt in
                    attempt.user == person.name && attempt.password == person.password
                        ? .user(person.subject) : .nobody
                },
            profile: { _ in person.profile })
        return EduIDService.Host(
            service, in: database, clock: { time.now }, note: { notes.add($0) }, network: network)
    }

    /// Registers, signs in, fetches the profile, and obtains an assertion for the first university.
    private func introduced(
        _ parties: inout Parties, to server: EduIDService.Host<Database>
    ) async throws -> AuthorizingApp.Conversation<Void> {
        try await perform(.registration, &parties, server)
        try await perform(.signIn(parties.person.name, parties.person.password), &parties, server)
        try await perform(.profile, &parties, server)
        let home = try #require(parties.federation.services[0].home)
        try await perform(.discovery(.services([home])), &parties, server)
        let now = parties.federation.now
        var introduction = try AuthorizingApp.Conversation(
            .introduction(to: home), of: &parties.session, at: now, using: &parties.federation.entropy)
        try introduction.take(try await server.answer(introduction.next), at: now)
        return introduction
    }

    /// Carries out what the app does with the server.
    @discardableResult
    private func perform<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, _ parties: inout Parties,
        _ server: EduIDService.Host<Database>
    ) async throws -> Value {
        let now = parties.federation.now
        var conversation = try AuthorizingApp.Conversation(
            interaction, of: &parties.session, at: now, using: &parties.federation.entropy)
        while let request = conversation.request { try conversation.take(try await server.answer(request), at: now) }
        parties.session = conversation.session
        return try #require(conversation.value)
    }

    private func due(_ database: Database, at time: Timestamp) async throws -> Int {
        try await database.load([.outgoing(due: time, limit: 9)]).messages(due: time, limit: 9).count
    }

    @Test("A host that waits carries (1), (2), (2a), (4) and (10) out, and tells the service", .proves("TOK-7"))
    func asynchronous() async throws {
        var parties = try Parties(seed: 42)
        let now = parties.federation.now
        let (time, database, notes) = (TestClock(now), Database(), Notes())
        let network = Network(parties.federation)
        let host = eduID(parties, in: database, at: time, notes: notes) { await network.send($0) }
        var redeeming = try await introduced(&parties, to: host)
        #expect(parties.session.profile["name"] == "Ada Muster")
        try redeeming.take(await network.send(redeeming.next), at: now)
        parties.session = redeeming.session
        let token = try #require(
            await network.federation.services[0].store.page(of: .all(.service), limit: 1)?.lineages.first)
        #expect(token.verdict(at: now).isLive)

        let signOut = try AuthorizingApp.Conversation(
            .signOut, of: &parties.session, at: now, using: &parties.federation.entropy)
        #expect(try await host.answer(signOut.next).status == .ok)
        #expect(await network.federation.services[0].store.verdict(of: token.record.id, at: now).isLive)
        await network.cut(true)
        #expect(try await host.tick().confirmed == 0)
        #expect(try await due(database, at: now) == 0)
        await network.cut(false)
        time.now = now + .seconds(60)
        #expect(try await host.tick() == Upkeep.Report(confirmed: 1, purged: 0))
        #expect(await !network.federation.services[0].store.verdict(of: token.record.id, at: now).isLive)
        #expect(try await due(database, at: now + .seconds(365 * 86_400)) == 0)
        // What was decided, for whom: the target, the record that asked, and no refusal.
        let last = try #require(notes.all.last { $0.request != nil })
        #expect(last.request?.path == "/revoke" && last.refusal == nil)
        #expect(last.requester?.subject == parties.person.subject && !last.changes.isEmpty)
        // The same bytes again are a replay, and the log says by which rule.
        #expect(try await host.answer(signOut.next).status == .unauthorized)
        #expect(notes.all.last?.refusal?.clause == "threat-36" && notes.all.last?.changes.isEmpty == true)
    }

    @Test(
        "An instance is rejected while its user's password is being checked: the sign-in begins anew, and fails",
        .proves("AUT-1"))
    func rejectedMeanwhile() async throws {
        var parties = try Parties(seed: 43)
        let now = parties.federation.now
        let database = Database()
        let calm = eduID(parties, in: database)
        let (subject, instance) = (parties.person.subject, parties.session.installation.instance)
        let host = eduID(
            parties, in: database,
            user: { _ in
                let rejected = try? await calm.carryOut { service, now, entropy in
                    service.exchange(for: .reject(instance), at: now, using: &entropy)
                }
                #expect(rejected?.status == .noContent)
                return .user(subject)
            })
        try await perform(.registration, &parties, calm)
        let signIn = try AuthorizingApp.Conversation(
            .signIn(parties.person.name, parties.person.password), of: &parties.session, at: now,
            using: &parties.federation.entropy)
        let response = try await host.answer(signIn.next)
        #expect(try error(in: response) == "invalid_client")
        #expect(await database.conflicts == 1)
    }

    @Test("A tick while another one waits for the network does nothing, and the next one works again")
    func tickDuringTick() async throws {
        var parties = try Parties(seed: 48)
        let now = parties.federation.now
        let (time, database, network) = (TestClock(now), Database(), Network(parties.federation))
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let host = eduID(
            parties, in: database, at: time,
            network: { request in
                enter.yield()
                for await _ in gate { break }
                return await network.send(request)
            })
        _ = try await introduced(&parties, to: host)
        let signOut = try AuthorizingApp.Conversation(
            .signOut, of: &parties.session, at: now, using: &parties.federation.entropy)
        #expect(try await host.answer(signOut.next).status == .ok)
        async let first = host.tick()
        for await _ in entered { break }
        #expect(try await host.tick() == Upkeep.Report())
        #expect(await database.purges == 0)
        open.yield()
        #expect(try await first == Upkeep.Report(confirmed: 1, purged: 0))
        #expect(await database.purges == 1)
        time.now = now + .seconds(3_600)
        try await host.tick()
        #expect(await database.purges == 2)
    }

    @Test("A platform is shut out by policy: the next reconciliation finds whom to tell", .proves("FED-4"))
    func reconciliation() async throws {
        var parties = try Parties(seed: 46)
        let now = parties.federation.now
        let (time, database) = (TestClock(now), Database())
        let host = eduID(parties, in: database, at: time)
        _ = try await introduced(&parties, to: host)
        let later = now + .seconds(86_400)
        try await host.tick()
        #expect(try await due(database, at: later) == 0)
        host.party.policy.excludedPlatforms = [.iOS]
        // Not before it is time for it again.
        try await host.tick()
        #expect(try await due(database, at: later) == 0)
        time.now = now + .seconds(3_600)
        try await host.tick()
        #expect(try await due(database, at: later) == 1)
    }

    @Test("A search goes on where it ended, a page with each tick, and what is dead is removed", .proves("TOK-7"))
    func pages() throws {
        var parties = try Parties(seed: 47)
        try parties.signIn()
        let now = parties.federation.now
        var store = parties.federation.eduIDStore
        let ground = try #require(store.page(of: .all(.personal), limit: 1)?.lineages.first?.record.id)
        let instance = try #require(store.page(of: .all(.client), limit: 1)?.lineages.first?.record.id)
        let assertions = try (0..<1_001).map { number in
            Change.insert(
                Record(
                    id: try TokenID(parsing: "assertion-\(number)"), kind: .assertion, parent: ground, issued: now,
                    audience: "https://alpha.example.ch/", accessExpiry: now + .seconds(300)))
        }
        let code = Record(
            id: "a-code", kind: .code, parent: instance, issued: now, finalExpiry: now + .seconds(60))
        #expect(store.commit(Batch(at: now, assertions + [.insert(code)])) == .applied)
        var service = parties.federation.eduID
        service.policy.excludedPlatforms = [.iOS]
        service.directory = ServiceDirectory()
        var (upkeep, entropy) = (Upkeep(), SystemRandomNumberGenerator())
        (upkeep.messagesAtOnce, upkeep.pagesAtOnce) = (1, 2)
        var told: [Int] = []
        for tick in 0..<3 {
            let time = now + .seconds(Int64(tick))
            _ = upkeep.tick(for: service, in: &store, at: time, using: &entropy) { _ in nil }
            told.append(
                store.load([.outgoing(due: now + .seconds(9_999), limit: 9_999)])
                    .messages(due: now + .seconds(9_999), limit: 9_999).count)
        }
        #expect(told == [512, 1_001, 1_001])
        upkeep.retention = Retention(explained: .zero, settled: .zero)
        let end = now + .seconds(400 * 86_400)
        #expect(upkeep.tick(for: service, in: &store, at: end, using: &entropy) { _ in nil }.purged > 0)
    }

    @Test("Many requests are under way at once, and each is decided on what is stored")
    func manyAtOnce() async throws {
        var parties = try Parties(seed: 44)
        let database = Database()
        let host = eduID(parties, in: database)
        let now = parties.federation.now
        let registration = try AuthorizingApp.Conversation(
            .registration, of: &parties.session, at: now, using: &parties.federation.entropy)
        let request = try registration.next
        let statuses = try await withThrowingTaskGroup(of: HTTP.Response.Status.self) { group in
            for _ in 0..<8 { group.addTask { try await host.answer(request).status } }
            var statuses: [HTTP.Response.Status] = []
            for try await status in group { statuses.append(status) }
            return statuses
        }
        // The statement comes once.
        #expect(statuses.count { $0 == .ok } == 1)
        #expect(statuses.allSatisfy { $0 == .ok || $0 == .unauthorized || $0 == .serviceUnavailable }, "\(statuses)")
        let instances = try await database.load([.records(.all(.client), after: nil, limit: 99)])
        let live = instances.page(of: .all(.client), limit: 99)?.lineages.filter {
            $0.verdict(at: now).isLive
        }
        #expect(live?.count == 1)
    }

    @Test("A service, and a discovery, at work in memory: who waits for them shares the store", .proves("DSC-8"))
    func shared() async throws {
        var (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        let discovery = ProtocolDiscovery(alpha, directory: parties.federation.eduID.directory)
        let store = SharedStore(MemoryStore())
        let host = ProtocolDiscovery.Host(discovery, in: store, clock: { now })
        try redeeming.take(await host.answer(redeeming.next), at: now)
        parties.session = redeeming.session
        let home = try #require(alpha.document.serviceURL)
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let query = try AuthorizingApp.Conversation(
            .discovery(.protocols([papi]), at: home), of: &parties.session, at: now, using: &parties.federation.entropy)
        let found = await host.answer(try query.next)
        #expect(found.status == .ok, "\(String(decoding: found.body, as: UTF8.self))")
        let asked = try AuthorizingApp.Conversation(
            .access(for: BundleID(parsing: reader), at: alpha.document, to: [papi]), of: &parties.session, at: now,
            using: &parties.federation.entropy)
        guard case .granted(let token) = try TokenRequest.Outcome(parsing: await host.answer(try asked.next)) else {
            throw SimulationError()
        }
        let url = try alpha.document.endpoint(for: papi, path: "list")
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token.accessToken.secret)
        let service = FederationService.Host(alpha, in: store, clock: { now })
        guard case .granted(let access) = await service.access(for: request, to: url) else {
            Issue.record("the app has a token for this")
            return
        }
        #expect(access.app?.text == reader)
        #expect(await service.tick() == Upkeep.Report())
        #expect(store.contents.count > 0)
    }

    @Test("A service goes on where it was, and what was ended stays ended", .proves("STO-1"), .proves("TOK-8"))
    func surviving() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        var store = try JournalStore.open(folder, clock: { now })
        let host = FederationService.Host(alpha, in: store, clock: { now })
        try redeeming.take(try await host.answer(redeeming.next), at: now)
        parties.session = redeeming.session
        let papi = try ProtocolName(parsing: Parties.protocolName)
        var session = parties.session
        let asked = try AuthorizingApp.Conversation(
            .access(for: BundleID(parsing: reader), at: alpha.document, to: [papi]), of: &session, at: now,
            using: &parties.federation.entropy)
        guard case .granted(let token) = try TokenRequest.Outcome(parsing: try await host.answer(asked.next)) else {
            throw SimulationError()
        }
        let url = try alpha.document.endpoint(for: papi, path: "list")
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token.accessToken.secret)

        // The process ends, and another one takes its place.
        await store.close()
        store = try JournalStore.open(folder, clock: { now })
        let second = FederationService.Host(alpha, in: store, clock: { now })
        guard case .granted(let access) = try await second.access(for: request, to: url) else {
            Issue.record("what was given before opens nothing any more")
            return
        }
        #expect(access.app?.text == reader)
        let app = try store.load([.records(.all(.app), after: nil, limit: 9)]).page(of: .all(.app), limit: 9)
        let id = try #require(app?.lineages.first?.record.id)
        #expect(try await store.commit(Batch(at: now, [.revoke(id, .user)])) == .applied)
        await store.close()
        let third = try FederationTests.surviving(alpha, in: folder, clock: { now })
        guard case .refused = try await third.access(for: request, to: url) else {
            Issue.record("what was ended opens again")
            return
        }
    }

    @Test("An edu-ID service is its name, its keys and its users; the names of users follow from its keys")
    func short() async throws {
        let parties = try Parties(seed: 48)
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 8, count: 32))
        let key = JWK.Private(pair, attributes: JWK.Attributes(id: try KeyID(parsing: "2026-11")))
        let keys = Authority.Keys(signing: key, master: SymmetricKey(data: [UInt8](repeating: 9, count: 32)))
        let eduID = parties.federation.eduID
        let server = try EduIDServer(
            keys: keys, versions: eduID.versions, services: eduID.index, users: UserDirectory(), database: Database(),
            network: { _ in nil }, clock: { [now = parties.federation.now] in now }, log: { _ in })
        let published = HTTP.Request(.get, .absolute(try WebURL(parsing: "https://eduid.example.ch/jwks")))
        #expect(try await server.answer(published).status == .ok)
        try await server.everyMinute()
        #expect(try EduIDService("https://eduid.example.ch", keys: keys).versions.count == 0)
    }
}
