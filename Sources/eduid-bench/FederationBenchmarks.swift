import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTree
import Wire

/// Requests to a federation service from header to verdict, with all that the exchange asks of a store of a million
/// tokens.
///
/// The rivals are the bare Ed25519 signatures that have to be checked, by keys that come as bytes, because each is
/// another holder's. A host that remembers the keys of holders checks faster than that; one that does not pays for each
/// as for a stranger's.
func federationBenchmarks() -> [Benchmark] {
    [
        Benchmark("federation-access-eddsa") { BusyService.shared?.repeatedAccess() }
            .against("the bare signature") { BusyService.shared?.bare.isValidToStranger() },
        Benchmark("federation-access-eddsa-stranger") { BusyService.shared?.access(with: \.bound) }
            .against("the bare signature") { BusyService.shared?.bare.isValidToStranger() },
        Benchmark("federation-access-symmetric") { BusyService.shared?.access(with: \.symmetric) },
        Benchmark("federation-access-plain") { BusyService.shared?.access(with: \.plain) },
        Benchmark("federation-redeem-assertion") { BusyService.shared?.decide(on: \.redemption) }
            .against("two bare signatures") {
                (BusyService.shared?.bare.isValidToStranger(), BusyService.shared?.bare.isValidToStranger())
            },
        Benchmark("federation-authorize-app") { BusyService.shared?.decide(on: \.appAuthorization) }
            .against("two bare signatures") {
                (BusyService.shared?.bare.isValidToStranger(), BusyService.shared?.bare.isValidToStranger())
            },
    ]
}

/// A service with a million tokens, and one request of each kind.
private final class BusyService {
    nonisolated(unsafe) static let shared = try? BusyService()

    private let service: FederationService
    /// The same service, to which every holder is new.
    private let stranger: FederationService
    private var store: MemoryStore
    private var entropy = SimulatedFederation.Entropy(seed: 7)
    private let now: Timestamp
    private let url: WebURL
    let bound: [HTTP.Request]
    let symmetric: [HTTP.Request]
    let plain: [HTTP.Request]
    let redemption: HTTP.Request
    let appAuthorization: HTTP.Request
    let bare: BareSignature

    init() throws {
        var parties = try Parties(seed: 3)
        try parties.signIn()
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let description = parties.federation.services[0].service.document
        guard let home = description.serviceURL else { throw SimulationError() }
        let now = parties.federation.now
        self.now = now
        let url = try description.endpoint(for: papi, path: "items")
        self.url = url
        try parties.authorize(home)

        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: parties.federation.entropy.bytes(32))
        let reader = try BundleID(parsing: "ch.example.reader")
        let own = try parties.perform(
            .access(for: reader, at: description, to: [papi], binding: JWK(pair.publicKey)))
        let made = try parties.perform(.access(for: reader, at: description, to: [papi]))
        parties.federation.services[0].service.policy.keylessApps = .bearerToken
        let bearer = try parties.perform(.access(for: reader, at: description, to: [papi]))

        func requests(_ description: ServiceDescription, _ key: (KeyID) throws -> SigningKey) throws -> [HTTP.Request] {
            let response = try TokenResponse(parsing: description.authorization?.members.encoded() ?? [])
            guard let id = response.confirmation?.keyID else { throw SimulationError() }
            let issuance = try RequestToken.Issuance(with: key(id), of: .app(reader))
            return try (0..<Self.count).map { _ in
                try Self.request(url, issuance.token(for: url, at: now, using: &parties.federation.entropy).secret)
            }
        }
        bound = try requests(own) { SigningKey(pair, id: $0) }
        symmetric = try requests(made) { _ in
            let response = try TokenResponse(parsing: made.authorization?.members.encoded() ?? [])
            guard case .made(let key)? = response.confirmation else { throw SimulationError() }
            return try SigningKey(key)
        }
        plain = [try Self.request(url, bearer.authorization?.accessToken ?? "")]
        let token = bound[0].fields.values(of: .authorization)[0].dropFirst("Bearer ".count)
        bare = try BareSignature(of: String(token), by: pair)

        var again = try AuthorizingApp.Conversation(
            .introduction(to: home), of: &parties.session, at: now, using: &parties.federation.entropy)
        if let request = again.request { try again.take(parties.federation.send(request), at: now) }
        let asked = try AuthorizingApp.Conversation(
            .access(for: reader, at: description, to: [papi], binding: JWK(pair.publicKey)), of: &parties.session,
            at: now, using: &parties.federation.entropy)
        guard let redemption = again.request, let appAuthorization = asked.request else { throw SimulationError() }
        (self.redemption, self.appAuthorization) = (redemption, appAuthorization)
        service = parties.federation.services[0].service
        var forgetful = service
        forgetful.authority = service.authority.remembering(holders: 0)
        stranger = forgetful
        store = parties.federation.services[0].store
        try fill()
    }

    private static func request(_ url: WebURL, _ token: String) throws -> HTTP.Request {
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token)
        return request
    }

    /// Other people's grants: an assertion, a service token and eight app tokens each.
    private func fill() throws {
        while store.count < 1_000_000 {
            let holder = try Record.Holder(parsing: Base64URL.encode(entropy.bytes(16)))
            var changes: [Change] = []
            func insert(_ kind: Record.Kind, under parent: TokenID?) throws -> TokenID {
                let id = try TokenID(parsing: Base64URL.encode(entropy.bytes(16)))
                changes.append(.insert(Record(id: id, kind: kind, parent: parent, issued: now, holder: holder)))
                return id
            }
            let service = try insert(.service, under: insert(.assertion, under: nil))
            for _ in 0..<8 { _ = try insert(.app, under: service) }
            guard store.commit(Batch(at: now, changes)) == .applied else { throw SimulationError() }
        }
    }

    /// As many request tokens as a run uses, each of which is good for one request.
    private static let count = 60_000
    private var next = 0

    /// The check of a request, with what the store says and takes.
    func access(with requests: KeyPath<BusyService, [HTTP.Request]>) -> Access.Outcome {
        access(to: stranger, with: self[keyPath: requests])
    }

    /// The same by a holder whose key the service remembers.
    func repeatedAccess() -> Access.Outcome { access(to: service, with: bound) }

    private func access(to service: FederationService, with requests: [HTTP.Request]) -> Access.Outcome {
        next += 1
        return service.access(for: requests[next % requests.count], to: url, in: &store, at: now)
    }

    /// A decision on a token request, which is not committed, so that it can be made again.
    func decide(on request: KeyPath<BusyService, HTTP.Request>) -> Decision<HTTP.Response> {
        var exchange = stranger.exchange(for: self[keyPath: request], at: now, using: &entropy)
        while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(store.load(keys))) }
        return exchange.decision
    }
}
