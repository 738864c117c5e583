import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// A device with the app and its extension, a third-party app, and the federation behind them.
private final class Device: Sendable {
    private struct Content: Sendable {
        var parties: Parties
        var isOffline = false
        var kept: [AuthorizingApp.Store] = []
    }

    private let content: Mutex<Content>
    let reader: BundleID = "com.example.reader"
    let readerKey: SigningKey
    let registered: JWKSet

    init(seed: UInt64) throws {
        var parties = try Parties(seed: seed)
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: parties.federation.entropy.bytes(32))
        readerKey = SigningKey(pair, id: "reader-1")
        registered = JWKSet([JWK(pair.publicKey, attributes: JWK.Attributes(id: "reader-1"))])
        content = Mutex(Content(parties: parties))
    }

    /// Looks at the parties, or changes them.
    func with<Value: Sendable>(_ body: (inout Parties) throws -> Value) rethrows -> Value {
        try content.withLock { try body(&$0.parties) }
    }

    var now: Timestamp { with { $0.federation.now } }
    var paths: [String] { with { $0.federation.traffic.map { $0.request.target.path } } }
    var kept: [AuthorizingApp.Store] { content.withLock { $0.kept } }

    /// What app and extension have, when they begin: what the other kept.
    private var session: AuthorizingApp.Session {
        content.withLock { content in
            let begun = content.parties.session
            return AuthorizingApp.Session(
                begun.installation, with: begun.eduID, store: content.kept.last ?? begun.store)
        }
    }

    func app() -> AuthorizingApp { AuthorizingApp(session, on: host()) }
    func part() -> AuthorizingExtension { AuthorizingExtension(session, on: host()) }

    func host(answering: (@Sendable (HTTP.Request) async -> HTTP.Response?)? = nil) -> AuthorizingApp.Host {
        AuthorizingApp.Host(
            send: answering ?? { request in self.with { $0.federation.send(request) } },
            keep: { store in self.content.withLock { $0.kept.append(store) } }, now: { self.now },
            entropy: { self.with { $0.federation.entropy.next() } })
    }

    /// The app in front of a network of its own.
    func app(answering: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?) -> AuthorizingApp {
        AuthorizingApp(session, on: host(answering: answering))
    }

    func signIn() async throws {
        let (app, person) = (app(), with { $0.person })
        try await app.register()
        try await app.signIn(person.name, person.password)
    }

    func signedRequest(_ protocols: [ProtocolName], single: Bool = false) throws -> ProtocolRequest {
        var entropy = SystemRandomNumberGenerator()
        return try ProtocolRequest(
            from: "reader", of: reader, named: "Reader", for: protocols, prefersSingle: single
        ).signed(with: readerKey, at: now, using: &entropy)
    }

    func request(_ protocols: [ProtocolName], single: Bool = false) throws -> ProtocolRequest.Checked {
        var seen = ProtocolRequest.Seen()
        return try signedRequest(protocols, single: single)
            .checked(against: [reader: registered], remembering: &seen, at: now)
    }

    /// The extension after a restart of the device: it has what was written, and nothing else.
    func restartedPart() throws -> AuthorizingExtension {
        let text = try #require(kept.last).serialized(sealing: AppSample.seal)
        let store = try AuthorizingApp.Store(parsing: text, opening: AppSample.seal)
        return AuthorizingExtension(
            AuthorizingApp.Session(session.installation, with: session.eduID, store: store), on: host())
    }

    /// What the person grants who accepts without picking.
    func grantAll(_ checked: ProtocolRequest.Checked) async throws -> AuthorizationMode.Choice {
        let part = part()
        var mode = AuthorizationMode(for: checked.request, isSignedIn: await part.session.isSignedIn)
        try mode.note(.found(try await part.choices(for: checked.request)))
        guard case .finish(.accepted(let choice)) = try mode.take(.accept) else { throw SimulationError() }
        return choice
    }
}

@Suite("S3: app and extension")
struct AuthorizingAppTests {
    private let papi: ProtocolName = "org.ieee.papi"

    @Test(
        "What the app has, the extension finds in the shared store, and the other way round", .proves("DAT-4"),
        .proves("DAT-1"), .proves("DAT-2"))
    func sharedStore() async throws {
        let device = try Device(seed: 11)
        try await device.signIn()
        let checked = try device.request([papi])
        let choice = try await device.grantAll(checked)
        let answer = try await device.part().answer(checked, with: choice)
        #expect(answer.missing.isEmpty)
        #expect(answer.response.documents.count == 2)
        // A process that begins anew has everything from the store, and nothing else.
        let later = await device.app().session
        #expect(later.isRegistered && later.isSignedIn)
        #expect(later.authorizedServices.count == 2)
        // What the app requested of them is recorded (DAT-2).
        #expect(later.store.contents.protocols.values.map { $0 } == [[papi], [papi]])
        let other = try device.with { parties in
            try Parties.installation(
                on: "another", version: SigningKey(parties.versionKeys[0]), using: &parties.federation.entropy)
        }
        #expect(!AuthorizingApp.Session(other, with: later.eduID, store: later.store).isRegistered)
    }

    @Test("A captured request passes once, also after a restart", .proves("threat-58"))
    func requestsComeOnce() async throws {
        let device = try Device(seed: 58)
        let registry = [device.reader: device.registered]
        // Nobody need be signed in: the request comes before the login (UX-3).
        let (request, part) = (try device.signedRequest([papi]), device.part())
        #expect(try await part.check(request, against: registry).isVerified)
        #expect(device.kept.count == 1, "kept before the request is believed")
        func refusal(_ part: AuthorizingExtension, _ request: ProtocolRequest) async -> String? {
            do throws(Rejection) {
                _ = try await part.check(request, against: registry)
                return nil
            } catch {
                return error.text
            }
        }
        let again = try #require(await refusal(part, request))
        #expect(again.contains("came before"))
        let restarted = try device.restartedPart()
        #expect(await refusal(restarted, request) == again)
        #expect(await refusal(restarted, try device.signedRequest([papi])) == nil)
        device.with { $0.federation.wait(.seconds(600)) }
        #expect(await refusal(try device.restartedPart(), request) == again, "the last second")
        // What is too old is not remembered any more.
        device.with { $0.federation.wait(.seconds(2)) }
        #expect(await refusal(try device.restartedPart(), try device.signedRequest([papi])) == nil)
        let text = try #require(try device.kept.last?.contents.settings[AppSample.name("seen")])
        #expect(try JSON(parsing: text)["com.example.reader"]?.object?.count == 1)
        #expect(await refusal(try device.restartedPart(), request)?.contains("came before") == false)
    }

    @Test(
        "The usage list is asked for after signing in and at every launch, and the user's services with it",
        .proves("USE-3"),
        .proves("DSC-10"))
    func launch() async throws {
        let device = try Device(seed: 12)
        try await device.signIn()
        #expect(await device.app().session.usage == [])
        let checked = try device.request([papi])
        let choice = try await device.grantAll(checked)
        _ = try await device.part().answer(checked, with: choice)
        try await device.app().launch()
        #expect(await device.app().session.usage?.count == 2)
        // What is known serves the next request, without another question to anybody.
        let count = device.paths.count
        let known = await device.app().session.knownChoices(for: checked.request)
        #expect(known.map(\.isPreselected) == [true, true] && device.paths.count == count)
    }

    @Test(
        "Services used elsewhere are there after signing in: what matches is preselected without asking",
        .proves("DSC-10"))
    func prefetch() throws {
        var parties = try Parties(seed: 112)
        try parties.signIn()
        for home in Parties.homes { try parties.authorize(ServiceURL(parsing: home)) }
        try parties.perform(.usage)
        let installation = try Parties.installation(
            on: "a tablet", version: SigningKey(parties.versionKeys[2]), using: &parties.federation.entropy)
        parties.session = AuthorizingApp.Session(installation, with: parties.session.eduID)
        try parties.signIn()
        let count = parties.federation.traffic.count
        let known = parties.session.knownChoices(for: try AppSample.request([Parties.otherProtocol]))
        #expect(known.map(\.service.identity) == [Parties.homes[0] + "/"] && known.allSatisfy(\.isPreselected))
        #expect(parties.federation.traffic.count == count)
    }

    @Test(
        "A profile is read right after signing in, is only shown, and goes with the user", .proves("AUT-6"),
        .proves("USR-7"))
    func profile() async throws {
        let device = try Device(seed: 13)
        try await device.signIn()
        #expect(device.paths == ["/token", "/authorize-challenge", "/token", "/userinfo", "/usage"])
        #expect(await device.app().session.profile["name"] == "Ada Muster")
        try await device.app().signOut()
        let session = await device.app().session
        #expect(session.profile.isEmpty)
        #expect(!session.isSignedIn && session.isRegistered)
        #expect(session.store.contents.services.count == 0)
    }

    @Test(
        "After logout the third-party app's requests fail with an error, and so does its renewal", .proves("UX-6"),
        .proves("TOK-2"))
    func afterLogout() async throws {
        let device = try Device(seed: 14)
        try await device.signIn()
        let checked = try device.request([papi])
        let choice = try await device.grantAll(checked)
        let answer = try await device.part().answer(checked, with: choice)
        var state = NAILState()
        #expect(state.accept(answer.response, to: checked.request, at: device.now).accepted.count == 2)
        let alpha = Parties.homes[0]

        func use() throws -> Bool {
            let access = try state.access(to: alpha, papi, path: "items")
            return try device.with { parties in
                let token = try access.token(at: parties.federation.now, using: &parties.federation.entropy)
                guard case .granted = parties.federation.use(access.endpoint, with: token) else { return false }
                return true
            }
        }
        func renew() throws -> NAILState.Renewal.Outcome {
            var entropy = SeededGenerator(seed: 1)
            let renewal = try state.renew(alpha, papi, at: device.now, using: &entropy)
            return state.settle(renewal, with: device.with { $0.federation.send(renewal.request) }, at: device.now)
        }
        #expect(try use())
        device.with { $0.federation.wait(.seconds(3_600)) }
        // It has expired, and is renewed (TOK-2).
        #expect(throws: NAILState.Refusal.expired) { try use() }
        #expect(try renew() == .renewed)
        #expect(try use())

        let app = device.app()
        try await app.launch()
        try await app.signOut()
        #expect(device.with { $0.federation.deliver() } == 2)
        #expect(try !use())
        #expect(try renew() == .refused(.invalidGrant))
        #expect(throws: NAILState.Refusal.ended(.invalidGrant)) { try state.access(to: alpha, papi) }
    }

    @Test("Signing out without a network is over here at once, and told later", .proves("threat-32"), .proves("UX-5"))
    func silence() async throws {
        for answer in [nil, HTTP.Response(.serviceUnavailable)] {
            let device = try Device(seed: 15)
            try await device.signIn()
            let silent = device.app { _ in answer }
            #expect(try await silent.signOut() == .pending)
            let session = await device.app().session
            #expect(!session.isSignedIn && session.endings.map(\.matter) == [.session])
            #expect(device.paths.last == "/usage")
            #expect(try await device.app().endings() == [])
            #expect(device.paths.last == "/revoke")
            #expect(await device.app().session.endings.isEmpty)
            await #expect(throws: Rejection.signedOut) { try await device.app().signOut() }
        }
    }

    @Test("Offline a person is offered what is known", .proves("DSC-10"))
    func offline() async throws {
        let device = try Device(seed: 18)
        try await device.signIn()
        let request = try device.request([papi]).request
        await #expect(throws: Rejection.unanswered) {
            try await device.app { _ in nil }.choices(for: request)
        }
        #expect(await device.app().session.knownChoices(for: request).isEmpty)
        let online = try await device.app().choices(for: request)
        #expect(try await device.app { _ in nil }.choices(for: request) == online)
        #expect(online.count == 2 && device.paths.last == "/discovery")
        #expect(await device.app().session.knownChoices(for: request) == online)
    }

    @Test("However many calls at once, a refresh token is spent once", .proves("threat-28"))
    func oneAfterTheOther() async throws {
        let device = try Device(seed: 19)
        try await device.signIn()
        device.with { $0.federation.wait(.seconds(30 * 86_400)) }
        let app = device.app()
        let count = device.paths.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await app.launch() } }
            try await group.waitForAll()
        }
        #expect(device.paths[count...].filter { $0 == "/token" }.count == 1)
        #expect(await app.session.isSignedIn)
    }

    @Test(
        "A service that refuses is missing from the answer, and the app is not told why", .proves("APP-1"),
        .proves("AST-6"))
    func refusal() async throws {
        let device = try Device(seed: 16)
        try await device.signIn()
        device.with { $0.federation.services[0].service.policy.users = .only([]) }
        let checked = try device.request([papi])
        let choice = try await device.grantAll(checked)
        let answer = try await device.part().answer(checked, with: choice)
        #expect(answer.response.documents.map(\.engineName) == ["University of Beta"])
        #expect(answer.missing.map(\.service.identity) == [Parties.homes[0] + "/"])
        #expect(!String(decoding: answer.response.encoded(), as: UTF8.self).contains("Alpha"))
        guard case .refused(let error)? = answer.missing.first?.reason else {
            Issue.record("the person is not told why")
            return
        }
        #expect(error.code == .accessDenied)
        // It is noted as one that refuses, and offered as such, until it does not.
        let (session, alpha) = (await device.app().session, try ServiceURL(parsing: Parties.homes[0]))
        #expect(session.refusingServices == [alpha])
        let later = session.knownChoices(for: checked.request)
        #expect(later.map(\.isRefusing) == [false, true] && later.map(\.isPreselected) == [true, false])
        device.with { $0.federation.services[0].service.policy.users = .everybody }
        try await device.part().authorize(alpha)
        #expect(await device.part().session.refusingServices.isEmpty)
    }

    @Test("Without a usage manager the app's own record says what was used", .proves("USE-4"))
    func noUsageManager() async throws {
        let device = try Device(seed: 22)
        device.with { $0.federation.eduID.policy.hasUsageManager = false }
        try await device.signIn()
        #expect(await device.app().session.usage == nil)
        let checked = try device.request([papi])
        let choice = try await device.grantAll(checked)
        device.with { $0.federation.services[1].service.policy.users = .only([]) }
        _ = try await device.part().answer(checked, with: choice)
        try await device.app().launch()
        let session = await device.app().session
        #expect(session.usage == nil && session.profile["name"] == "Ada Muster")
        #expect(session.knownChoices(for: checked.request).map(\.isUsed) == [true, false])
    }

    @Test("What was left out is not preselected for that app the next time, until it is granted", .proves("UX-2"))
    func leftOut() async throws {
        let device = try Device(seed: 20)
        try await device.signIn()
        let checked = try device.request([papi])
        let all = try await device.grantAll(checked)
        _ = try await device.part().answer(checked, with: all)
        func known(_ request: ProtocolRequest) async -> [Bool] {
            await device.part().session.knownChoices(for: request).map(\.isPreselected)
        }
        #expect(await known(checked.request) == [true, true])
        var mode = AuthorizationMode(for: checked.request, isSignedIn: true)
        try mode.note(.found(try await device.part().choices(for: checked.request)))
        try mode.take(.unpick(all.services[1]))
        guard case .finish(.accepted(let one)) = try mode.take(.accept) else { throw SimulationError() }
        #expect(one.services == [all.services[0]] && one.declined == [all.services[1]])
        _ = try await device.part().answer(checked, with: one)
        #expect(await known(checked.request) == [true, false])
        // Another app is another matter.
        #expect(await known(try AppSample.request([Parties.protocolName])) == [true, true])
        _ = try await device.part().answer(checked, with: all)
        #expect(await known(checked.request) == [true, true])
    }

    @Test("An expired service token is renewed before it is used, and had anew where that is refused", .proves("TOK-2"))
    func renewal() async throws {
        let device = try Device(seed: 17)
        try await device.signIn()
        let checked = try device.request([papi])
        let choice = try await device.grantAll(checked)
        let service = try #require(choice.services.first)
        func authorize() async throws -> [String] {
            let count = device.paths.count
            try await device.part().authorize(service)
            // What the services read of each other is their affair.
            return device.paths[count...].filter { !$0.hasSuffix("/jwks") }
        }
        #expect(try await authorize() == ["/authorize", "/oauth/token"])
        #expect(try await authorize() == [])
        device.with { $0.federation.wait(.seconds(3_599)) }
        #expect(try await authorize() == [])
        device.with { $0.federation.wait(.seconds(1)) }
        try await device.app().launch()
        #expect(try await authorize() == ["/oauth/token"])
        device.with { parties in
            for place in parties.federation.services.indices {
                parties.federation.services[place].store = MemoryStore()
            }
            parties.federation.wait(.seconds(3_600))
        }
        try await device.app().launch()
        #expect(try await authorize() == ["/oauth/token", "/authorize", "/oauth/token"])
    }
}

@Suite("(3b) Protocol discovery as a federation service of its own")
struct ProtocolDiscoveryTests {
    /// A discovery at the first university, with the token that an instance got there.
    private static func scene() throws -> (parties: Parties, discovery: ProtocolDiscovery, home: ServiceURL) {
        var parties = try Parties(seed: 21)
        let discovery = ProtocolDiscovery(
            parties.federation.services[0].service, directory: parties.federation.eduID.directory)
        parties.federation.services[0].service = discovery.service
        try parties.signIn()
        let home = try #require(parties.federation.services[0].home)
        try parties.authorize(home)
        return (parties, discovery, home)
    }

    private static func answer(_ parties: inout Parties, _ discovery: ProtocolDiscovery, _ request: HTTP.Request) throws
        -> HTTP.Response
    {
        var entropy = parties.federation.entropy
        let now = parties.federation.now
        return parties.federation.services[0].store.carryOut {
            discovery.exchange(for: request, at: now, using: &entropy)
        }
    }

    @Test(
        "An instance asks with its service token; without one it is refused, and so is a repeated proof",
        .proves("DSC-8"), .proves("DSC-5")
    )
    func query() throws {
        var (parties, discovery, home) = try Self.scene()
        let query = DiscoveryQuery.protocols([try ProtocolName(parsing: Parties.otherProtocol)])
        func asked() throws -> AuthorizingApp.Conversation<[AuthorizingApp.Store.Service]> {
            var session = parties.session
            var conversation = try AuthorizingApp.Conversation(
                .discovery(query, at: home), of: &session, at: parties.federation.now,
                using: &parties.federation.entropy)
            // Where the discovery is, the service's metadata tell.
            let first = try #require(conversation.request)
            let metadata = try Self.answer(&parties, discovery, first)
            #expect(first.method == .get && metadata.status == .ok)
            try conversation.take(metadata, at: parties.federation.now)
            return conversation
        }
        var conversation = try asked()
        let request = try #require(conversation.request)
        let response = try Self.answer(&parties, discovery, request)
        #expect(response.status == .ok)
        try conversation.take(response, at: parties.federation.now)
        #expect(conversation.value?.map(\.name) == ["University of Alpha"])
        #expect(try Self.answer(&parties, discovery, request).status == .unauthorized)
        var bare = request
        bare.fields = HTTP.Fields()
        #expect(try Self.answer(&parties, discovery, bare).status == .unauthorized)
        var wrong = try #require(try asked().request)
        wrong.body = Array("[1]".utf8)
        #expect(try Self.answer(&parties, discovery, wrong).status == .badRequest)
        let elsewhere = HTTP.Request(.post, .absolute(home.url))
        #expect(try Self.answer(&parties, discovery, elsewhere).status == .notFound)
    }

    @Test(
        "Metadata are the service's whose URL leads to them, whichever way its name is written, and nobody else's",
        .proves("DSC-8"), .proves("threat-40"),
        arguments: [
            ("https://alpha.example.ch/", true), ("https://alpha.example.ch", true), ("https://beta.example.ch", false),
        ])
    func issuers(_ issuer: String, _ isTaken: Bool) throws {
        var (parties, _, home) = try Self.scene()
        let query = DiscoveryQuery.protocols([try ProtocolName(parsing: Parties.otherProtocol)])
        var session = parties.session
        var conversation = try AuthorizingApp.Conversation(
            .discovery(query, at: home), of: &session, at: parties.federation.now,
            using: &parties.federation.entropy)
        let members: JSON = [
            "issuer": .string(issuer), "eduid_discovery_endpoint": "https://alpha.example.ch/find",
        ]
        let answer = HTTP.Response(.ok, body: members.encoded())
        guard isTaken else {
            #expect(throws: Rejection.self) { try conversation.take(answer, at: parties.federation.now) }
            return
        }
        try conversation.take(answer, at: parties.federation.now)
        guard case .absolute(let url)? = conversation.request?.target else { throw SimulationError() }
        #expect(url.text == "https://alpha.example.ch/find")
    }
}
