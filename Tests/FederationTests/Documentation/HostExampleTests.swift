import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

// example: a host that does not wait
/// A university's service on a thread of its own, in front of whatever store it has.
struct UniversityServer<Store: TokenStore>: Host {
    let service: FederationService
    var store: Store
    let network: (HTTP.Request) -> HTTP.Response?
    let now: () -> Timestamp

    /// Answers a request to an endpoint of the authorization component.
    mutating func answer(_ request: HTTP.Request) throws(Store.Failure) -> HTTP.Response {
        let (service, now) = (service, now)
        var entropy = SystemRandomNumberGenerator()
        return try carryOut { service.exchange(for: request, at: now(), using: &entropy) }
    }

    /// Serves what the university is for to those whose token allows it (9).
    mutating func serve(_ request: HTTP.Request, at url: WebURL, _ page: (Access) -> HTTP.Response) throws(Store
        .Failure) -> HTTP.Response
    {
        let (service, now) = (service, now)
        switch try carryOut({ service.access(for: request, to: url, at: now()) }) {
        case .granted(let access)?: return page(access)
        case .refused(let response)?: return response
        case nil: return HTTP.Response(.serviceUnavailable)
        }
    }

    /// Asks the edu-ID service about an assertion (6).
    func send(_ request: HTTP.Request) -> HTTP.Response? { network(request) }
}
// end of example

// example: a host that waits
/// The edu-ID service in front of a database that takes time, as do the directory of its users and the network.
struct EduIDServer: Sendable {
    let service: EduIDService
    let database: Database
    let check: @Sendable (Needs.Login) async -> Supply.Login
    let profile: @Sendable (Record.Subject) async -> JSON.Object
    let now: @Sendable () -> Timestamp

    /// Answers a request to one of its endpoints.
    func answer(_ request: HTTP.Request) async throws -> HTTP.Response {
        var entropy = SystemRandomNumberGenerator()
        return try await carryOut { service.exchange(for: request, at: now(), using: &entropy) }
    }

    /// Carries an exchange through: one that has come too late begins anew, with the time that it is then.
    func carryOut(_ begin: () -> Exchange) async throws -> HTTP.Response {
        for _ in 0..<8 {
            var exchange = begin()
            while let needs = exchange.needs { exchange.supply(try await lookUp(needs)) }
            let decision = exchange.decision
            switch decision.conclusion(after: try await database.commit(decision.batch)) {
            case .respond(let response): return response
            case .startOver: continue
            }
        }
        return begin().contention
    }

    private func lookUp(_ needs: Needs) async throws -> Supply {
        var supply = Supply(facts: try await database.load(needs.facts))
        if let login = needs.login { supply.login = await check(login) }
        if let subject = needs.profile { supply.profile = await profile(subject) }
        return supply
    }
}
// end of example

// example: messages to other services
extension EduIDServer {
    /// Tells services what they must be told; a timer calls it.
    func deliver(over send: (HTTP.Request) async -> HTTP.Response?) async throws {
        let now = now()
        var entropy = SystemRandomNumberGenerator()
        for message in try await database.load([.outgoing(due: now, limit: 100)]).messages(due: now, limit: 100) {
            let delivery = service.delivery(of: message, at: now, using: &entropy)
            // What cannot be sent yet is put off all the same, so that it does not stand before what can.
            let attempt =
                delivery?.attempt ?? .attempt(message.id, after: message.attempts, retry: now + .seconds(3_600))
            guard try await database.commit(Batch(at: now, [attempt])) == .applied, let delivery else { continue }
            let settlement = delivery.settlement(after: await send(delivery.request))
            if !settlement.isEmpty { _ = try await database.commit(Batch(at: now, settlement)) }
        }
    }

    /// Finds what services should be told and nobody has noted yet; a slower timer calls it.
    func reconcile() async throws {
        var entropy = SystemRandomNumberGenerator()
        var last: TokenID?
        repeat {
            let begin = last
            let page = try await carryOut { service.reconciliation(after: begin, at: now(), using: &entropy) }
            last = try JSON(parsing: page.body)["next"]?.string.map { try TokenID(parsing: $0) }
        } while last != nil
    }
}
// end of example

// example: an endpoint under guard
/// The papers of a university, for those who may see them.
struct Papers {
    let service: FederationService
    var store = MemoryStore()

    mutating func answer(_ request: HTTP.Request, to url: WebURL, at now: Timestamp) -> HTTP.Response {
        while true {
            let check = service.access(for: request, to: url, at: now)
            let decision = check.decided(on: check.needs.flatMap { store.lineage(of: $0) })
            switch decision.conclusion(after: store.commit(decision.batch)) {
            case .respond(.granted(let access)): return page(for: access.subject, in: access.app, within: access.scope)
            case .respond(.refused(let response)): return response  // 401 or 403, and the rule that was broken
            case .startOver: continue  // somebody was faster: look again
            }
        }
    }
}
// end of example

extension Papers {
    private func page(for subject: Record.Subject, in app: BundleID?, within scope: Scope) -> HTTP.Response {
        HTTP.Response(.ok, body: Array("papers of \(subject.text) in \(app?.text ?? "-") within \(scope.text)".utf8))
    }
}

/// In the place of a database: a tree, behind an actor.
actor Database: AsyncTokenStore {
    typealias Failure = any Error
    private var tree = MemoryStore()
    private(set) var conflicts = 0

    func load(_ keys: [Facts.Key]) throws -> Facts { tree.load(keys) }

    func commit(_ batch: Batch) throws -> Batch.Outcome {
        let outcome = tree.commit(batch)
        if outcome != .applied { conflicts += 1 }
        return outcome
    }

    func purge(at now: Timestamp, keeping retention: Retention) throws -> Int {
        tree.purge(at: now, keeping: retention)
    }
}

/// A store in front of which another machine was faster, once.
private struct SharedStore: TokenStore {
    var tree = MemoryStore()
    var rival: Batch?
    private(set) var conflicts = 0

    func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }

    mutating func commit(_ batch: Batch) -> Batch.Outcome {
        if let rival { #expect(tree.commit(rival) == .applied) }
        rival = nil
        let outcome = tree.commit(batch)
        if outcome != .applied { conflicts += 1 }
        return outcome
    }

    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        tree.purge(at: now, keeping: retention)
    }
}

/// The services of a federation, for requests at the same time.
private actor Network {
    var federation: SimulatedFederation
    init(_ federation: SimulatedFederation) { self.federation = federation }
    func send(_ request: HTTP.Request) -> HTTP.Response? { federation.send(request) }
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
        let now = parties.federation.now
        let home = try #require(alpha.document.serviceURL)
        try parties.perform(.discovery(.services([home])))
        var redeeming = try AuthorizingApp.Conversation(
            .introduction(to: home), of: parties.session, at: now, using: &parties.federation.entropy)
        try redeeming.take(parties.federation.send(try #require(redeeming.request)), at: now)
        return (parties, alpha, redeeming)
    }

    /// An app's request to the university's first protocol, with the token that comes with the answer.
    private func appRequest(
        _ parties: inout Parties, _ service: FederationService, _ send: (HTTP.Request) throws -> HTTP.Response
    ) throws -> (HTTP.Request, WebURL) {
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let asked = try AuthorizingApp.Conversation(
            .access(for: BundleID(parsing: reader), at: service.document, to: [papi]), of: parties.session,
            at: parties.federation.now, using: &parties.federation.entropy)
        guard case .granted(let token) = try TokenRequest.Outcome(parsing: try send(asked.next)) else {
            throw SimulationError()
        }
        let url = try service.document.endpoint(for: papi, path: "list")
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token.accessToken.secret)
        return (request, url)
    }

    @Test("A host that does not wait carries (5), (8) and (9) out", .proves("AST-5"), .proves("APP-7"))
    func synchronous() throws {
        var (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        var server = UniversityServer(service: alpha, store: MemoryStore(), network: { _ in nil }, now: { now })
        try redeeming.take(server.answer(redeeming.next), at: now)
        parties.session = redeeming.session
        let (request, url) = try appRequest(&parties, alpha) { server.answer($0) }
        var apps: [String?] = []
        let served = server.serve(request, at: url) { access in
            apps.append(access.app?.text)
            return HTTP.Response(.ok)
        }
        #expect(served.status == .ok && apps == [reader])
        let elsewhere = server.serve(request, at: try WebURL(parsing: "https://alpha.example.ch/private")) { _ in
            HTTP.Response(.ok)
        }
        #expect(elsewhere.status == .forbidden)
        let bare = server.serve(HTTP.Request(.get, .absolute(url)), at: url) { _ in HTTP.Response(.ok) }
        #expect(bare.status == .unauthorized)
    }

    @Test(
        "Two machines redeem one assertion: who commits second begins anew, is refused, and ends the first",
        .proves("threat-23"))
    func rivals() throws {
        let (parties, alpha, redeeming) = try opening()
        let now = parties.federation.now
        var entropy = SeededGenerator(seed: 5)
        var rival = try alpha.exchange(for: redeeming.next, at: now, using: &entropy)
        while let needs = rival.needs { rival.supply(Supply(facts: MemoryStore().load(needs.facts))) }
        #expect(rival.decision.refusal == nil)
        var server = UniversityServer(
            service: alpha, store: SharedStore(rival: rival.decision.batch), network: { _ in nil }, now: { now })
        let response = try server.answer(redeeming.next)
        #expect(response.status == .badRequest)
        #expect(try error(in: response) == "invalid_grant")
        #expect(server.store.conflicts == 1)
        for case .insert(let record) in rival.decision.batch.changes {
            #expect(!server.store.tree.verdict(of: record.id, at: now).isLive)
        }
    }

    @Test(
        "The university asks over its own network whether an assertion stands, and waits for nobody", .proves("AST-8"))
    func introspection() throws {
        var (parties, alpha, redeeming) = try opening()
        alpha.eduID.introspection = try WebURL(parsing: Parties.eduID + "/introspect")
        let now = parties.federation.now
        var silent = UniversityServer(service: alpha, store: MemoryStore(), network: { _ in nil }, now: { now })
        #expect(try error(in: silent.answer(redeeming.next)) == "temporarily_unavailable")
        var answers: [HTTP.Response?] = []
        var server = UniversityServer(
            service: alpha, store: MemoryStore(),
            network: { request in
                answers.append(parties.federation.send(request))
                return answers.last ?? nil
            }, now: { now })
        let response = try server.answer(redeeming.next)
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
        let authority = try Authority(Issuer(parsing: "https://alpha.example.ch"), signingWith: key, master: master)
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
        var server = UniversityServer(service: alpha, store: MemoryStore(), network: { _ in nil }, now: { now })
        try redeeming.take(server.answer(redeeming.next), at: now)
        parties.session = redeeming.session
        let (request, url) = try appRequest(&parties, alpha) { server.answer($0) }
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

    private func eduID(
        _ parties: Parties, _ database: Database, check: (@Sendable (Needs.Login) async -> Supply.Login)? = nil
    ) -> EduIDServer {
        let (person, now) = (parties.person, parties.federation.now)
        return EduIDServer(
            service: parties.federation.eduID, database: database,
            check: check ?? {
                $0.name == person.name && $0.password == person.password ? .accepted(person.subject) : .refused
            },
            profile: { _ in person.profile }, now: { now })
    }

    /// Registers, signs in, fetches the profile, and obtains an assertion for the first university.
    private func introduced(
        _ parties: inout Parties, to server: EduIDServer
    ) async throws -> AuthorizingApp.Conversation<Void> {
        try await perform(.registration, &parties, server)
        try await perform(.signIn(parties.person.name, parties.person.password), &parties, server)
        try await perform(.profile, &parties, server)
        let home = try #require(parties.federation.services[0].home)
        try await perform(.discovery(.services([home])), &parties, server)
        let now = parties.federation.now
        var introduction = try AuthorizingApp.Conversation(
            .introduction(to: home), of: parties.session, at: now, using: &parties.federation.entropy)
        try introduction.take(try await server.answer(introduction.next), at: now)
        return introduction
    }

    /// Carries out what the app does with the server.
    @discardableResult
    private func perform<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, _ parties: inout Parties, _ server: EduIDServer
    ) async throws -> Value {
        let now = parties.federation.now
        var conversation = try AuthorizingApp.Conversation(
            interaction, of: parties.session, at: now, using: &parties.federation.entropy)
        while let request = conversation.request { try conversation.take(try await server.answer(request), at: now) }
        parties.session = conversation.session
        return try #require(conversation.value)
    }

    @Test("A host that waits carries (1), (2), (2a), (4) and (10) out, and tells the service", .proves("TOK-7"))
    func asynchronous() async throws {
        var parties = try Parties(seed: 42)
        let now = parties.federation.now
        let server = eduID(parties, Database())
        var redeeming = try await introduced(&parties, to: server)
        #expect(parties.session.profile["name"] == "Ada Muster")
        let network = Network(parties.federation)
        try redeeming.take(await network.send(redeeming.next), at: now)
        parties.session = redeeming.session
        let token = try #require(
            await network.federation.services[0].store.page(of: .all(.service), limit: 1)?.lineages.first)
        #expect(token.verdict(at: now).isLive)

        try await perform(.signOut, &parties, server)
        let stillLives = await network.federation.services[0].store.verdict(of: token.record.id, at: now).isLive
        #expect(stillLives)
        try await server.deliver { _ in nil }
        #expect(try await server.database.load([.outgoing(due: now, limit: 9)]).messages(due: now, limit: 9).isEmpty)
        let later = EduIDServer(
            service: server.service, database: server.database, check: server.check, profile: server.profile,
            now: { now + .seconds(60) })
        try await later.deliver { await network.send($0) }
        let verdict = await network.federation.services[0].store.verdict(of: token.record.id, at: now)
        #expect(!verdict.isLive)
        let farOff = now + .seconds(365 * 86_400)
        #expect(
            try await server.database.load([.outgoing(due: farOff, limit: 9)]).messages(due: farOff, limit: 9).isEmpty)
    }

    @Test(
        "An instance is rejected while its user's password is being checked: the sign-in begins anew, and fails",
        .proves("AUT-1"))
    func rejectedMeanwhile() async throws {
        var parties = try Parties(seed: 43)
        let now = parties.federation.now
        let database = Database()
        let calm = eduID(parties, database)
        let (service, subject, instance) = (calm.service, parties.person.subject, parties.session.installation.instance)
        let server = eduID(parties, database) { _ in
            var entropy = SystemRandomNumberGenerator()
            let rejected = try? await calm.carryOut {
                service.exchange(for: .reject(instance), at: now, using: &entropy)
            }
            #expect(rejected?.status == .noContent)
            return .accepted(subject)
        }
        try await perform(.registration, &parties, calm)
        let signIn = try AuthorizingApp.Conversation(
            .signIn(parties.person.name, parties.person.password), of: parties.session, at: now,
            using: &parties.federation.entropy)
        let response = try await server.answer(signIn.next)
        #expect(try error(in: response) == "invalid_client")
        #expect(await database.conflicts == 1)
    }

    @Test("A platform is shut out by policy: the next reconciliation finds whom to tell", .proves("FED-4"))
    func reconciliation()
        async throws
    {
        var parties = try Parties(seed: 46)
        let now = parties.federation.now
        let server = eduID(parties, Database())
        _ = try await introduced(&parties, to: server)
        func due() async throws -> Int {
            try await server.database.load([.outgoing(due: now, limit: 9)]).messages(due: now, limit: 9).count
        }
        try await server.reconcile()
        #expect(try await due() == 0)
        var service = server.service
        service.policy.excludedPlatforms = [.iOS]
        let strict = EduIDServer(
            service: service, database: server.database, check: server.check, profile: server.profile, now: server.now)
        try await strict.reconcile()
        #expect(try await due() == 1)
    }

    @Test("Many requests are under way at once, and each is decided on what is stored")
    func manyAtOnce() async throws {
        var parties = try Parties(seed: 44)
        let server = eduID(parties, Database())
        let now = parties.federation.now
        let registration = try AuthorizingApp.Conversation(
            .registration, of: parties.session, at: now, using: &parties.federation.entropy)
        let request = try registration.next
        let statuses = try await withThrowingTaskGroup(of: HTTP.Response.Status.self) { group in
            for _ in 0..<8 { group.addTask { try await server.answer(request).status } }
            var statuses: [HTTP.Response.Status] = []
            for try await status in group { statuses.append(status) }
            return statuses
        }
        #expect(statuses.allSatisfy { $0 == .ok || $0 == .badRequest || $0 == .serviceUnavailable }, "\(statuses)")
        let instances = try await server.database.load([.records(.all(.client), after: nil, limit: 99)])
        let live = instances.page(of: .all(.client), limit: 99)?.lineages.filter {
            $0.verdict(at: now).isLive
        }
        #expect(live?.count == 1)
    }
}
