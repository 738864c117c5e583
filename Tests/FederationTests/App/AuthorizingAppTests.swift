import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// The app and its extension, a third-party app, and the federation behind them.
private struct Device {
    var parties: Parties
    var app: AuthorizingApp
    var part: AuthorizingExtension
    var entropy = SimulatedFederation.Entropy(seed: 99)
    let reader: BundleID
    let readerKey: SigningKey
    let registered: JWKSet

    init(seed: UInt64) throws {
        parties = try Parties(seed: seed)
        app = AuthorizingApp(parties.session)
        part = AuthorizingExtension(parties.session)
        reader = try BundleID(parsing: "com.example.reader")
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
        let name = try KeyID(parsing: "reader-1")
        readerKey = SigningKey(pair, id: name)
        registered = JWKSet([JWK(pair.publicKey, attributes: KeyAttributes(id: name))])
    }

    /// Lets the app do something over the federation's network.
    mutating func inApp<Value>(
        _ body: (inout AuthorizingApp, Network, Timestamp, inout SimulatedFederation.Entropy) throws -> Value
    ) throws -> Value {
        var federation = parties.federation
        defer { parties.federation = federation }
        return try body(&app, { federation.send($0) }, federation.now, &entropy)
    }

    /// Lets the extension do something, with what the app left in the shared store.
    mutating func inExtension<Value>(
        _ body: (inout AuthorizingExtension, Network, Timestamp, inout SimulatedFederation.Entropy) throws -> Value
    ) throws -> Value {
        var federation = parties.federation
        defer { parties.federation = federation }
        part = AuthorizingExtension(
            Session(app.session.installation, with: app.session.eduID, from: app.group), group: app.group)
        defer {
            app.group = part.group
            app.session = part.session
        }
        return try body(&part, { federation.send($0) }, federation.now, &entropy)
    }

    mutating func signIn() throws {
        let person = parties.person
        try inApp { app, network, now, entropy in
            try app.register(over: network, at: now)
            try app.signIn(person.name, person.password, over: network, at: now, using: &entropy)
        }
    }

    func request(_ protocols: [String], single: Bool = false) throws -> ProtocolRequest.Checked {
        let request = try ProtocolRequest(
            from: ClientID(parsing: "reader"), of: reader, named: AppName(parsing: "Reader"),
            for: protocols.map { try ProtocolName(parsing: $0) }, prefersSingle: single
        ).signed(with: readerKey, at: parties.federation.now)
        return try request.checked(against: [reader: registered], at: parties.federation.now)
    }

    /// What the person grants who accepts without picking.
    mutating func grantAll(_ checked: ProtocolRequest.Checked) throws -> AuthorizationMode.Choice {
        var mode = AuthorizationMode(for: checked.request, isSignedIn: app.session.isSignedIn)
        let candidates = try inExtension { part, network, now, entropy in
            try part.candidates(for: checked.request, over: network, at: now, using: &entropy)
        }
        try mode.note(.found(candidates))
        guard case .finish(.accepted(let choice)) = try mode.take(.accept) else { throw SimulationError() }
        return choice
    }
}

@Suite("S3: app and extension")
struct AuthorizingAppTests {
    @Test(
        "What the app has, the extension finds in the shared store, and the other way round", .proves("DAT-4"),
        .proves("DAT-1"))
    func sharedStore() throws {
        var device = try Device(seed: 11)
        try device.signIn()
        let checked = try device.request([Parties.protocolName])
        let choice = try device.grantAll(checked)
        let (response, missing) = try device.inExtension { part, network, now, entropy in
            try part.answer(to: checked, with: choice, over: network, at: now, using: &entropy)
        }
        #expect(missing.isEmpty)
        #expect(response.documents.count == 2)
        // A process that begins anew has everything from the store, and nothing else.
        let later = Session(device.app.session.installation, with: device.app.session.eduID, from: device.app.group)
        #expect(later.isRegistered && later.isSignedIn)
        #expect(later.authorizedServices.count == 2)
        let other = try Installation(
            appName: device.app.session.installation.appName, versionKey: device.app.session.installation.versionKey,
            device: Parties.device("another"), using: &device.entropy)
        #expect(!Session(other, with: device.app.session.eduID, from: device.app.group).isRegistered)
    }

    @Test(
        "The usage list is asked for after signing in and at every launch, and the user's services with it",
        .proves("USE-3"),
        .proves("DSC-10"))
    func launch() throws {
        var device = try Device(seed: 12)
        try device.signIn()
        #expect(device.app.session.usage == [])
        let checked = try device.request([Parties.protocolName])
        let choice = try device.grantAll(checked)
        _ = try device.inExtension { part, network, now, entropy in
            try part.answer(to: checked, with: choice, over: network, at: now, using: &entropy)
        }
        try device.inApp { app, network, now, entropy in try app.launch(over: network, at: now, using: &entropy) }
        #expect(device.app.session.usage?.count == 2)
        // What is known serves the next request, without another question to the discovery.
        let count = device.parties.federation.traffic.count
        #expect(try device.grantAll(checked).services.count == 2)
        #expect(device.parties.federation.traffic.count == count)
    }

    @Test(
        "A profile is read right after signing in, is only shown, and goes with the user", .proves("AUT-6"),
        .proves("USR-7"))
    func profile() throws {
        var device = try Device(seed: 13)
        try device.signIn()
        let paths = device.parties.federation.traffic.map { $0.request.target.path }
        #expect(paths == ["/token", "/authorize-challenge", "/token", "/userinfo", "/usage"])
        #expect(device.app.session.profile["name"] == "Ada Muster")
        try device.inApp { app, network, now, entropy in try app.signOut(over: network, at: now, using: &entropy) }
        #expect(device.app.session.profile.isEmpty)
        #expect(!device.app.session.isSignedIn && device.app.session.isRegistered)
        #expect(device.app.group.userServices.count == 0)
    }

    @Test(
        "After logout the third-party app's requests fail with an error, and so does its renewal", .proves("UX-6"),
        .proves("TOK-2"))
    func afterLogout() throws {
        var device = try Device(seed: 14)
        try device.signIn()
        let checked = try device.request([Parties.protocolName])
        let choice = try device.grantAll(checked)
        let (response, _) = try device.inExtension { part, network, now, entropy in
            try part.answer(to: checked, with: choice, over: network, at: now, using: &entropy)
        }
        var state = NAILState()
        #expect(state.accept(response, to: checked.request, at: device.parties.federation.now).accepted.count == 2)
        let name = try ProtocolName(parsing: Parties.protocolName)
        let alpha = Parties.homes[0]

        func use() throws -> Bool {
            let way = try state.access(to: alpha, name, path: "items")
            let token = try way.token(at: device.parties.federation.now, using: &device.entropy)
            guard case .granted = device.parties.federation.use(way.endpoint, with: token) else { return false }
            return true
        }
        #expect(try use())
        device.parties.federation.wait(.seconds(3_600))
        // It has expired, and is renewed (TOK-2).
        #expect(throws: NAILState.Refusal.expired) { try use() }
        let renewal = try state.renew(alpha, name, at: device.parties.federation.now, using: &device.entropy)
        let answer = device.parties.federation.send(renewal.request)
        #expect(state.settle(renewal, with: answer, at: device.parties.federation.now) == .renewed)
        #expect(try use())

        try device.inApp { app, network, now, entropy in
            try app.launch(over: network, at: now, using: &entropy)
            try app.signOut(over: network, at: now, using: &entropy)
        }
        #expect(device.parties.federation.deliver() == 2)
        #expect(try !use())
        let last = try state.renew(alpha, name, at: device.parties.federation.now, using: &device.entropy)
        let refusal = device.parties.federation.send(last.request)
        #expect(
            state.settle(last, with: refusal, at: device.parties.federation.now)
                == .refused(.renewalRefused(.invalidGrant)))
        #expect(throws: NAILState.Refusal.ended(.renewalRefused(.invalidGrant))) { try state.access(to: alpha, name) }
    }

    @Test(
        "An answer that says nothing changes nothing: the user stays signed in until the service has confirmed",
        .proves("threat-32"))
    func silence() throws {
        var device = try Device(seed: 15)
        try device.signIn()
        #expect(throws: ClientRejection.unanswered) {
            try device.inApp { app, _, now, entropy in try app.signOut(over: { _ in nil }, at: now, using: &entropy) }
        }
        #expect(device.app.session.isSignedIn)
        #expect(throws: ClientRejection.unusable(.status(.serviceUnavailable))) {
            try device.inApp { app, _, now, entropy in
                try app.signOut(over: { _ in HTTP.Response(.serviceUnavailable) }, at: now, using: &entropy)
            }
        }
        #expect(device.app.session.isSignedIn)
    }

    @Test(
        "A service that refuses is missing from the answer, and the app is not told why", .proves("APP-1"),
        .proves("AST-6"))
    func refusal() throws {
        var device = try Device(seed: 16)
        try device.signIn()
        device.parties.federation.services[0].service.policy.users = .only([])
        let checked = try device.request([Parties.protocolName])
        let choice = try device.grantAll(checked)
        let (response, missing) = try device.inExtension { part, network, now, entropy in
            try part.answer(to: checked, with: choice, over: network, at: now, using: &entropy)
        }
        #expect(response.documents.map(\.engineName) == ["University of Beta"])
        #expect(
            missing.map(\.service.identity) == [Parties.homes[0] + "/"]
                || missing.map(\.service.identity) == [Parties.homes[0]])
        #expect(!String(decoding: response.encoded(), as: UTF8.self).contains("Alpha"))
        guard case .refused(let error)? = missing.first?.reason else {
            Issue.record("the person is not told why")
            return
        }
        #expect(error.code == .accessDenied)
    }

    @Test("An expired service token is renewed before it is used, and had anew where that is refused", .proves("TOK-2"))
    func renewal() throws {
        var device = try Device(seed: 17)
        try device.signIn()
        let checked = try device.request([Parties.protocolName])
        let choice = try device.grantAll(checked)
        let service = try #require(choice.services.first)
        func authorize() throws -> [String] {
            let count = device.parties.federation.traffic.count
            try device.inExtension { part, network, now, entropy in
                try part.authorize(service, over: network, at: now, using: &entropy)
            }
            return device.parties.federation.traffic[count...].map { $0.request.target.path }
        }
        #expect(try authorize() == ["/authorize", "/oauth/token"])
        #expect(try authorize() == [])
        device.parties.federation.wait(.seconds(3_599))
        #expect(try authorize() == [])
        device.parties.federation.wait(.seconds(1))
        try device.inApp { app, network, now, entropy in try app.launch(over: network, at: now, using: &entropy) }
        #expect(try authorize() == ["/oauth/token"])
        device.parties.federation.services[0].store = MemoryStore()
        device.parties.federation.services[1].store = MemoryStore()
        device.parties.federation.wait(.seconds(3_600))
        try device.inApp { app, network, now, entropy in try app.launch(over: network, at: now, using: &entropy) }
        #expect(try authorize() == ["/oauth/token", "/authorize", "/oauth/token"])
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
        try parties.register()
        try parties.signIn()
        let home = try #require(parties.federation.services[0].home)
        try parties.authorize(home)
        return (parties, discovery, home)
    }

    private static func answer(_ parties: inout Parties, _ discovery: ProtocolDiscovery, _ request: HTTP.Request) throws
        -> HTTP.Response
    {
        let check = try #require(discovery.query(for: request, at: parties.federation.now))
        let decision = check.decided(on: check.needs.flatMap { parties.federation.services[0].store.lineage(of: $0) })
        guard
            case .respond(let response) = decision.conclusion(
                after: parties.federation.services[0].store.commit(decision.batch))
        else {
            throw SimulationError()
        }
        return response
    }

    @Test(
        "An instance asks with its service token; without one it is refused, and so is a repeated proof",
        .proves("DSC-8"), .proves("DSC-5")
    )
    func query() throws {
        var (parties, discovery, home) = try Self.scene()
        let query = DiscoveryQuery.protocols([try ProtocolName(parsing: Parties.otherProtocol)])
        let request = try parties.session.discovery(
            query, at: home, parties.federation.now, using: &parties.federation.entropy)
        let response = try Self.answer(&parties, discovery, request)
        #expect(response.status == .ok)
        #expect(try parties.session.discovered(in: response).map(\.displayName) == ["University of Alpha"])
        #expect(try Self.answer(&parties, discovery, request).status == .unauthorized)
        var bare = request
        bare.fields = HTTP.Fields()
        #expect(try Self.answer(&parties, discovery, bare).status == .unauthorized)
        var wrong = try parties.session.discovery(
            query, at: home, parties.federation.now, using: &parties.federation.entropy)
        wrong.body = Array("[1]".utf8)
        #expect(try Self.answer(&parties, discovery, wrong).status == .badRequest)
        #expect(discovery.query(for: HTTP.Request(.post, .absolute(home.url)), at: parties.federation.now) == nil)
    }
}
