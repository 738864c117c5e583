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
        Benchmark("federation-access-eddsa") { Scene.shared?.repeatedAccess() }
            .against("the bare signature") { Scene.shared?.isValidBare() },
        Benchmark("federation-access-eddsa-stranger") { Scene.shared?.access(with: \.bound) }
            .against("the bare signature") { Scene.shared?.isValidBare() },
        Benchmark("federation-access-symmetric") { Scene.shared?.access(with: \.symmetric) },
        Benchmark("federation-access-plain") { Scene.shared?.access(with: \.plain) },
        Benchmark("federation-redeem-assertion") { Scene.shared?.decide(on: \.redemption) }
            .against("two bare signatures") { (Scene.shared?.isValidBare(), Scene.shared?.isValidBare()) },
        Benchmark("federation-authorize-app") { Scene.shared?.decide(on: \.appAuthorization) }
            .against("two bare signatures") { (Scene.shared?.isValidBare(), Scene.shared?.isValidBare()) },
    ]
}

/// A service with a million tokens, and one request of each kind.
private final class Scene {
    nonisolated(unsafe) static let shared = try? Scene()

    private let service: FederationService
    private var store: MemoryStore
    private var keys = HolderKeys()
    private var entropy = SimulatedFederation.Entropy(seed: 7)
    private let now: Timestamp
    private let url: WebURL
    let bound: [HTTP.Request]
    let symmetric: [HTTP.Request]
    let plain: [HTTP.Request]
    let redemption: HTTP.Request
    let appAuthorization: HTTP.Request
    private let message: [UInt8]
    private let signature: [UInt8]
    private let key: [UInt8]

    init() throws {
        var parties = try Parties(seed: 3)
        try parties.register()
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
        let own = try parties.authorizeApp(reader, at: description, for: [papi], binding: JWK(pair.publicKey))
        let made = try parties.authorizeApp(reader, at: description, for: [papi])
        parties.federation.services[0].service.policy.keylessApps = .bearerToken
        let bearer = try parties.authorizeApp(reader, at: description, for: [papi])

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
            guard
                case .made(let key)? = try TokenResponse(parsing: made.authorization?.members.encoded() ?? [])
                    .confirmation
            else {
                throw SimulationError()
            }
            return try SigningKey(key)
        }
        plain = [try Self.request(url, bearer.authorization?.accessToken ?? "")]
        let text = bound[0].fields.values(of: .authorization)[0].dropFirst("Bearer ".count)
        let parts = text.utf8.split(separator: UInt8(ascii: "."))
        signature = try Base64URL.decode(Array(parts[2]))
        message = Array(text.utf8.dropLast(parts[2].count + 1))
        key = pair.publicKey.rawRepresentation

        let again = try parties.session.introduction(to: home, at: now, using: &parties.federation.entropy)
        redemption = try parties.session.redemption(
            of: again, parties.federation.send(again.request), at: now, using: &parties.federation.entropy
        ).request
        appAuthorization = try parties.session.appAuthorization(
            of: reader, at: description, for: [papi], binding: JWK(pair.publicKey), at: now,
            using: &parties.federation.entropy)
        service = parties.federation.services[0].service
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
            let assertion = try TokenID(parsing: Base64URL.encode(entropy.bytes(16)))
            let holder = try Record.Holder(parsing: assertion.text)
            var changes: [Change] = [
                .insert(Record(id: assertion, kind: .assertion, parent: nil, issued: now, holder: holder))
            ]
            let service = try TokenID(parsing: Base64URL.encode(entropy.bytes(16)))
            changes.append(.insert(Record(id: service, kind: .service, parent: assertion, issued: now, holder: holder)))
            for _ in 0..<8 {
                let app = try TokenID(parsing: Base64URL.encode(entropy.bytes(16)))
                changes.append(.insert(Record(id: app, kind: .app, parent: service, issued: now, holder: holder)))
            }
            guard store.commit(Batch(at: now, changes)) == .applied else { throw SimulationError() }
        }
    }

    /// As many request tokens as a run uses, each of which is good for one request.
    private static let count = 60_000
    private var next = 0

    /// The check of a request up to the store's word.
    func access(with requests: KeyPath<Scene, [HTTP.Request]>) -> Batch.Outcome {
        next += 1
        let check = service.access(for: self[keyPath: requests][next % self[keyPath: requests].count], to: url, at: now)
        let decision = check.decided(on: check.needs.flatMap { store.lineage(of: $0) })
        return decision.batch.changes.isEmpty ? .applied : store.commit(decision.batch)
    }

    /// The same by a holder whose key the host remembers.
    func repeatedAccess() -> Batch.Outcome {
        next += 1
        let check = service.access(for: bound[next % bound.count], to: url, at: now)
        let decision = check.decided(on: check.needs.flatMap { store.lineage(of: $0) }, remembering: &keys)
        return decision.batch.changes.isEmpty ? .applied : store.commit(decision.batch)
    }

    /// A decision on a token request, which is not committed, so that it can be made again.
    func decide(on request: KeyPath<Scene, HTTP.Request>) -> Decision<HTTP.Response> {
        var exchange = service.exchange(for: self[keyPath: request], at: now, using: &entropy)
        while let needs = exchange.needs { exchange.supply(Supply(facts: store.load(needs.facts))) }
        return exchange.decision
    }

    func isValidBare() -> Bool {
        (try? Curve25519.Signing.PublicKey(rawRepresentation: key))?.isValidSignature(signature, for: message) ?? false
    }
}
