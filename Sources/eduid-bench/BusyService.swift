import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTree
import Wire

/// A service with a million tokens, and requests of each kind.
final class BusyService {
    nonisolated(unsafe) static let shared: BusyService = {
        do { return try BusyService() } catch { preconditionFailure("the samples are good: \(error)") }
    }()

    /// The service, which remembers the keys of holders.
    let service: FederationService
    /// The same service, to which every holder is new.
    let stranger: FederationService
    private(set) var store: MemoryStore
    private(set) var keys = KeySets()
    let now: Timestamp
    let url: WebURL
    private var entropy = SimulatedFederation.Entropy(seed: 7)

    /// Requests by the keys of apps, each of which is good for one request.
    let edwards, curve, symmetric: OneTimeRequests
    let bearer: HTTP.Request
    /// Requests of other people, each with a plain token of its own, in random order.
    private var others: [(request: HTTP.Request, id: TokenID)] = []
    let redemption, authorization, curveAuthorization: HTTP.Request
    /// The edu-ID service's way to make assertions.
    private let assertions: Statement.AssertionGrant.Issuance
    /// What the requests cost by their signatures alone.
    let edwardsSignature: BareSignature
    let curveSignature: BareCurveSignature

    private init() throws {
        let preparation = try Preparation()
        (now, url) = (preparation.parties.federation.now, preparation.url)
        let (pairs, curvePairs) = (preparation.pairs, preparation.curvePairs)
        edwards = try preparation.requests { number, reader in
            let pair = pairs[number]
            return (try preparation.grant(reader, binding: JWK(pair.publicKey)), { SigningKey(pair, id: $0) })
        }
        curve = try preparation.requests { number, reader in
            let pair = curvePairs[number]
            return (try preparation.grant(reader, binding: JWK(pair.publicKey)), { SigningKey(pair, id: $0) })
        }
        symmetric = try preparation.requests { _, reader in
            let made = try preparation.grant(reader, binding: nil)
            guard case .made(let key)? = made.confirmation else { throw SimulationError() }
            return (made, { _ in try SigningKey(key) })
        }
        edwardsSignature = try BareSignature(of: edwards.sample(0), by: pairs[0])
        curveSignature = try BareCurveSignature(of: curve.sample(0), by: curvePairs[0])
        preparation.parties.federation.services[0].service.policy.keylessApps = .bearerToken
        let secret = try preparation.grant(preparation.readers[0], binding: nil).accessToken.secret
        bearer = try OneTimeRequests.request(url, secret)
        (redemption, authorization, curveAuthorization) = try preparation.tokenRequests()

        var parties = preparation.parties
        guard let eduIDKey = parties.keys.pair else { throw SimulationError() }
        assertions = try Statement.AssertionGrant.Issuance(
            with: SigningKey(eduIDKey), of: parties.federation.eduID.authority.issuer)
        service = parties.federation.services[0].service
        var forgetful = service
        forgetful.authority = service.authority.remembering(holders: 0)
        stranger = forgetful
        store = parties.federation.services[0].store
        Self.learn(&keys, service.exchange(for: redemption, at: now, using: &entropy), at: now, in: store) {
            parties.federation.send($0)
        }
        let sample = try store.lineage(of: TokenID(parsing: String(secret.prefix { $0 != "." })))
        guard let sample else { throw SimulationError() }
        try fill(like: sample)
    }

    /// Reads the keys that an exchange asks for.
    private static func learn(
        _ keys: inout KeySets, _ exchange: Exchange<HTTP.Response>, at now: Timestamp, in store: MemoryStore,
        _ send: (HTTP.Request) -> HTTP.Response?
    ) {
        var exchange = exchange
        while let lookup = exchange.lookup {
            switch lookup {
            case .facts(let names): exchange.supply(.facts(store.load(names)))
            case .keys(let question): exchange.supply(keys.answer(question, at: now, send: send))
            default: exchange.supply(lookup.nothing)
            }
        }
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
                let app = try insert(.app, on: insert(.code, on: service), attributes: ["secret": .string(kept)])
                if people % 6 == 0 {
                    others.append((try OneTimeRequests.request(url, app.text + "." + secret), app))
                }
            }
            guard store.commit(Batch(at: now, changes)) == .applied else { throw SimulationError() }
        }
        others.shuffle(using: &entropy)
    }

    // MARK: Requests

    private var next = 0

    /// The check of a request, with what the store says and takes.
    func access(with requests: KeyPath<BusyService, OneTimeRequests>, isKnown: Bool) -> Access {
        granted(to: self[keyPath: requests].next(), by: isKnown ? service : stranger, in: &store)
    }

    /// The check of a plain token, always the same.
    func accessOfBearer() -> Access { granted(to: bearer, by: stranger, in: &store) }

    /// A benchmark of refusals would say nothing, and look good.
    private func granted(
        to request: HTTP.Request, by service: FederationService, in store: inout some TokenStore
    ) -> Access {
        guard case .granted(let access)? = try? service.access(for: request, to: url, in: &store, at: now) else {
            preconditionFailure("access was refused")
        }
        return access
    }

    private func anybody() -> (request: HTTP.Request, id: TokenID) {
        next += 1
        return others[next % others.count]
    }

    /// The check of a plain token, another one each time.
    func accessOfAnybody() -> Access { granted(to: anybody().request, by: stranger, in: &store) }

    /// The same in a store that knows no shorter way than the lineage.
    func accessOfAnybodyByLineage() -> Access {
        var store = StoreOfLineages(base: store)
        return granted(to: anybody().request, by: stranger, in: &store)
    }

    /// What the tree says of such a token, and nothing else.
    func verdictOnAnybody() -> Verdict { store.verdict(of: anybody().id, at: now) }

    /// A decision on a token request to give what it asks for, which is not committed, so that it can be made again.
    func decide(on request: KeyPath<BusyService, HTTP.Request>, isKnown: Bool) -> Decision<HTTP.Response> {
        let service = isKnown ? service : stranger
        var exchange = service.exchange(for: self[keyPath: request], at: now, using: &entropy)
        while let lookup = exchange.lookup {
            switch lookup {
            case .facts(let names): exchange.supply(.facts(store.load(names)))
            case .keys(let question): exchange.supply(keys.result(of: question))
            default: preconditionFailure("nothing else is looked up here: \(lookup)")
            }
        }
        let decision = exchange.decision
        // What is not refused signs a token, and stores something.
        guard decision.refusal == nil, !decision.batch.changes.isEmpty else {
            preconditionFailure("the request was refused: \(String(describing: decision.refusal))")
        }
        return decision
    }
}

extension BusyService {
    /// Redemptions of assertions about as many users, each by an instance of its own.
    func redemptions(_ count: Int) throws -> [HTTP.Request] {
        guard case .absolute(let endpoint) = redemption.target else { throw SimulationError() }
        return try (0..<count).map { number in
            let name = "0f8fad5b-d9cb-469f-a165-" + String(1_000_000_000_000 + number).suffix(12)
            let (instance, id) = (try ClientID(parsing: name), try KeyID(parsing: "key-\(number)"))
            let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
            let assertion = try assertions.assertion(
                JWT.ID(parsing: Base64URL.encode(entropy.bytes(16))), about: Subject(parsing: "user-\(number)"),
                to: service.authority.issuer, for: instance, holding: JWK(pair.publicKey), named: id,
                releasing: ["given_name": "Ada", "email": "ada@example.ch"], at: now)
            let proof = try RequestToken.Issuance(with: SigningKey(pair, id: id), of: .client(instance))
                .token(for: endpoint, at: now, using: &entropy)
            return try TokenRequest.assertion(assertion, credential: .bearer(proof)).encoded(to: endpoint)
        }
    }

    /// The store, for somebody who changes it: no copy of it stays here.
    func surrenderStore() -> MemoryStore {
        defer { store = MemoryStore() }
        return store
    }
}

/// Requests with proofs of a few keys in turn, made when the first of them is needed.
final class OneTimeRequests {
    private let issuances: [RequestToken.Issuance]
    private let url: WebURL
    private let now: Timestamp
    private var made: [HTTP.Request] = []
    private var used = 0
    private var entropy: SimulatedFederation.Entropy

    private nonisolated(unsafe) static var seed: UInt64 = 11

    init(_ issuances: [RequestToken.Issuance], to url: WebURL, at now: Timestamp) {
        (self.issuances, self.url, self.now) = (issuances, url, now)
        Self.seed += 1
        entropy = SimulatedFederation.Entropy(seed: Self.seed)
    }

    static func request(_ url: WebURL, _ token: String) throws -> HTTP.Request {
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token)
        return request
    }

    /// The text of a request token by one of the keys.
    func sample(_ number: Int) throws -> String {
        try issuances[number % issuances.count].token(for: url, at: now, using: &entropy).secret
    }

    /// So many requests.
    func some(_ count: Int) -> [HTTP.Request] {
        do {
            return try (0..<count).map { try Self.request(url, sample($0)) }
        } catch {
            preconditionFailure("a request cannot be made: \(error)")
        }
    }

    /// The next request; they are made in such numbers that few samples of a run pay for it.
    func next() -> HTTP.Request {
        if used == made.count { (made, used) = (some(160_000), 0) }
        used += 1
        return made[used - 1]
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
