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
        Benchmark("federation-access-plain-random") { BusyService.shared?.accessOfAnybody() }
            .against("the verdict alone") { BusyService.shared?.verdictOnAnybody() },
        Benchmark("federation-access-plain-by-lineage") { BusyService.shared?.accessOfAnybodyByLineage() }
            .against("the verdict alone") { BusyService.shared?.verdictOnAnybody() },
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
    /// Requests of other people, each with a plain token of its own, in random order.
    private var others: [(request: HTTP.Request, id: TokenID)] = []
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
        let secret = bearer.authorization?.accessToken ?? ""
        let sample = try store.lineage(of: TokenID(parsing: String(secret.prefix { $0 != "." })))
        guard let sample else { throw SimulationError() }
        try fill(like: sample)
    }

    private static func request(_ url: WebURL, _ token: String) throws -> HTTP.Request {
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token)
        return request
    }

    /// Other people's grants, like the one of a plain token: an assertion, a service token, and for each of four apps a
    /// code and a token.
    private func fill(like sample: Lineage) throws {
        let root = sample.entries.last?.record
        var people = 0
        while store.count < 1_000_000 {
            people += 1
            let number = String(1_000_000_000_000 + people).suffix(12)
            let subject = try Record.Subject(parsing: "\(number)@example.edu")
            var changes: [Change] = []
            func insert(
                _ kind: Record.Kind, on parent: TokenID?, attributes: JSON.Object? = nil
            ) throws -> TokenID {
                guard let model = sample.nearest(kind) else { throw SimulationError() }
                let holder = model.holder.map { String($0.text.dropLast(12)) + number } ?? ""
                let id = try TokenID(parsing: Base64URL.encode(entropy.bytes(16)))
                let record = Record(
                    id: id, kind: kind, parent: parent, issued: now,
                    holder: kind == .app ? model.holder : try Record.Holder(parsing: holder), subject: subject,
                    audience: model.audience, scope: model.scope, boundKey: model.boundKey,
                    accessExpiry: model.accessExpiry, finalExpiry: model.finalExpiry, refresh: model.refresh,
                    attributes: attributes ?? model.attributes)
                changes.append(.insert(record))
                return id
            }
            let assertion = try insert(.assertion, on: root?.kind == .versionKey ? root?.id : nil)
            let service = try insert(.service, on: assertion)
            for _ in 0..<4 {
                let secret = Base64URL.encode(entropy.bytes(32))
                let kept = Base64URL.encode(Fingerprint(of: secret.utf8).bytes)
                let app = try insert(
                    .app, on: insert(.code, on: service), attributes: ["secret": .string(kept)])
                if people % 6 == 0 { others.append((try Self.request(url, app.text + "." + secret), app)) }
            }
            guard store.commit(Batch(at: now, changes)) == .applied else { throw SimulationError() }
        }
        others.shuffle(using: &entropy)
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

    private func anybody() -> (request: HTTP.Request, id: TokenID) {
        next += 1
        return others[next % others.count]
    }

    /// The check of a plain token, another one each time.
    func accessOfAnybody() -> Access.Outcome {
        stranger.access(for: anybody().request, to: url, in: &store, at: now)
    }

    /// The same in a store that knows no shorter way than the lineage.
    func accessOfAnybodyByLineage() -> Access.Outcome {
        var store = StoreOfLineages(base: store)
        return stranger.access(for: anybody().request, to: url, in: &store, at: now)
    }

    /// What the tree says of such a token, and nothing else.
    func verdictOnAnybody() -> Verdict { store.verdict(of: anybody().id, at: now) }

    /// A decision on a token request, which is not committed, so that it can be made again.
    func decide(on request: KeyPath<BusyService, HTTP.Request>) -> Decision<HTTP.Response> {
        var exchange = stranger.exchange(for: self[keyPath: request], at: now, using: &entropy)
        while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(store.load(keys))) }
        return exchange.decision
    }
}

/// A store that does what a store has to, and nothing more.
private struct StoreOfLineages: TokenStore {
    var base: MemoryStore

    func load(_ keys: [Facts.Key]) -> Facts { base.load(keys) }
    func lineage(of id: TokenID) -> Lineage? { base.lineage(of: id) }
    mutating func commit(_ batch: Batch) -> Batch.Outcome { base.commit(batch) }
    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        base.purge(at: now, keeping: retention)
    }
}
