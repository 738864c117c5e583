public import JOSE
internal import Synchronization
public import TokenTree
public import Wire

extension Party {
    /// The party at work.
    public typealias Host<Store: AsyncTokenStore> = PartyHost<Self, Store>
}

/// A party at work, with its store, its clock and its network: it answers requests, any number at a time, and does what
/// timers do.
public final class PartyHost<Served: Party, Store: AsyncTokenStore>: Sendable {
    private let state: Mutex<State>
    private let store: Store
    private let clock: @Sendable () -> Timestamp
    private let stopwatch: @Sendable () -> Duration
    private let note: @Sendable (AuditRecord) -> Void
    private let signer: @Sendable (SignatureRequest) async -> [UInt8]?
    private let network: @Sendable (HTTP.Request) async -> HTTP.Response?
    private let keys: HostKeys

    private struct State: Sendable {
        var party: Served
        var upkeep: Upkeep
        var isTicking = false
        /// What ended since the last tick and is not told to everybody.
        var unfinished: [TokenID] = []
        /// What somebody wants to be done with the next tick.
        var expedited: Set<Upkeep.Duty> = []
        var descriptions = ProviderDescriptions()
    }

    /// Lets a party work.
    ///
    /// - Parameter keys: how the keys of other parties are kept.
    /// - Parameter clock: tells the time.
    /// - Parameter stopwatch: tells the time since whenever, by which it is noted how long decisions take.
    /// - Parameter note: hears what was decided, for whom, and by which rule.
    /// - Parameter network: sends a request to another service, over TLS, with a time limit, without following
    ///   redirects, and only to addresses that `Destinations.worldwide` permits; `nil` if there was no answer.
    /// - Parameter signer: signs with the party's own key where that lies elsewhere, found by the request's public key,
    ///   within a time limit of its own; `nil` if it did not. What it gives is checked.
    public init(
        _ party: Served, in store: Store, upkeep: Upkeep = Upkeep(), keys: RemoteKeySet.Policy = RemoteKeySet.Policy(),
        clock: @escaping @Sendable () -> Timestamp, stopwatch: @escaping @Sendable () -> Duration = { .zero },
        note: @escaping @Sendable (AuditRecord) -> Void = { _ in },
        network: @escaping @Sendable (HTTP.Request) async -> HTTP.Response? = { _ in nil },
        signer: @escaping @Sendable (SignatureRequest) async -> [UInt8]? = { _ in nil }
    ) {
        state = Mutex(State(party: party, upkeep: upkeep))
        self.store = store
        self.clock = clock
        self.stopwatch = stopwatch
        self.note = note
        self.network = network
        self.signer = signer
        self.keys = HostKeys(policy: keys, clock: clock, network: network)
    }

    /// The party, which can be replaced while it works: with new keys, another policy, another index.
    public var party: Served {
        get { state.withLock { $0.party } }
        set { state.withLock { $0.party = newValue } }
    }

    /// Changes the party while it works, in one step: what requests that have begun are answered by stays as it was.
    public func change(_ body: (inout Served) -> Void) { state.withLock { body(&$0.party) } }

    /// Answers a request.
    public func answer(_ request: HTTP.Request) async throws(Store.Failure) -> HTTP.Response {
        try await carryOut(request.target) { party, now, entropy in
            party.exchange(for: request, at: now, using: &entropy)
        }
    }

    /// Answers a request of somebody whom the host has let in as an administrator, to an endpoint below `admin`, which
    /// the request names from there on: `/users`.
    ///
    /// - Parameter grant: by which the host let that person in, if there is one.
    public func administer(
        _ request: HTTP.Request, by grant: TokenID? = nil
    ) async throws(Store.Failure) -> HTTP.Response {
        try await carryOut(request.target, by: grant, isAdministrators: true) { party, now, entropy in
            party.exchange(administering: request, at: now, using: &entropy)
        }
    }

    /// Carries an exchange of the party through, such as a command of an administrator.
    public func carryOut<Outcome>(
        _ begin: (Served, Timestamp, inout SystemRandomNumberGenerator) -> Exchange<Outcome>
    ) async throws(Store.Failure) -> Outcome {
        try await carryOut(nil, isAdministrators: true, begin)
    }

    /// Carries an exchange through for somebody whom the host has authenticated by itself.
    ///
    /// - Parameter grant: by which it did, such as that of a ``BrowserSession``; `nil` for who is not let in yet.
    public func carryOut<Outcome>(
        by grant: TokenID?, _ begin: (Served, Timestamp, inout SystemRandomNumberGenerator) -> Exchange<Outcome>
    ) async throws(Store.Failure) -> Outcome {
        try await carryOut(nil, by: grant, begin)
    }

    private func carryOut<Outcome>(
        _ target: HTTP.Request.Target?, by grant: TokenID? = nil, isAdministrators: Bool = false,
        _ begin: (Served, Timestamp, inout SystemRandomNumberGenerator) -> Exchange<Outcome>
    ) async throws(Store.Failure) -> Outcome {
        let party = party
        let begun = stopwatch()
        var entropy = SystemRandomNumberGenerator()
        return try await store.carryOut(
            { begin(party, clock(), &entropy) },
            lookUp: { lookup in
                switch lookup {
                case .user(let attempt): .user(await party.users.user(attempt))
                case .step(let attempt): .step(await party.users.step(attempt))
                case .stepUp(let attempt): .stepUp(await party.users.stepUp(attempt))
                case .link(let account): .linked(await party.users.link?(account) ?? nil)
                case .profile(let subject): .profile(await party.users.profile(subject))
                case .search(let words): .users(await party.users.search(words))
                case .answer(let request): .answer(await reply(to: request))
                case .keys(let question): await keys.answer(question)
                case .signature(let request): .signature(await signer(request))
                case .facts: lookup.nothing
                }
            },
            hear: { record in
                if !record.unfinished.isEmpty { state.withLock { $0.unfinished += record.unfinished } }
                self.hear(record, of: target, by: grant, isAdministrators: isAdministrators, since: begun)
            })
    }

    /// What another service answers; providers are not asked for their descriptions each time.
    private func reply(to request: HTTP.Request) async -> HTTP.Response? {
        switch state.withLock({ [now = clock()] in $0.descriptions.step(for: request, at: now) }) {
        case .pass: return await network(request)
        case .serve(let response): return response
        case .send:
            let response = await network(request)
            return state.withLock { [now = clock()] in $0.descriptions.take(response, for: request, at: now) }
        }
    }

    private func hear(
        _ record: AuditRecord, of target: HTTP.Request.Target?, by grant: TokenID? = nil,
        isAdministrators: Bool = false, since begun: Duration
    ) {
        var record = record
        if let grant { record.grant = grant }
        record.request = target
        record.isAdministrators = isAdministrators
        record.time = clock()
        record.duration = stopwatch() - begun
        note(record)
    }

    /// Has the next tick do what would be due later.
    public func expedite(_ duty: Upkeep.Duty) { state.withLock { _ = $0.expedited.insert(duty) } }

    /// The messages that are on their way, the longest due first, those of dead letters among them.
    public func messages(atMost limit: Int) async throws(Store.Failure) -> [OutgoingMessage] {
        try await store.load([.outgoing(due: .distantFuture, limit: limit)]).messages(due: .distantFuture, limit: limit)
    }

    /// Does what is due, in bounded steps: reads keys of other parties anew, delivers messages, finds those that were
    /// never written, and removes what is dead.
    ///
    /// A timer calls it, every ten seconds or every minute; a call while another one is at work does nothing.
    @discardableResult
    public func tick() async throws(Store.Failure) -> Upkeep.Report {
        let begun: State? = state.withLock { state in
            if state.isTicking { return nil }
            state.isTicking = true
            state.upkeep.takeUp(state.unfinished)
            for duty in state.expedited { state.upkeep.expedite(duty) }
            state.expedited = []
            state.unfinished = []
            return state
        }
        guard let begun else { return Upkeep.Report() }
        var upkeep = begun.upkeep
        defer { state.withLock { ($0.upkeep, $0.isTicking) = (upkeep, false) } }
        var entropy = SystemRandomNumberGenerator()
        await keys.refresh()
        return try await upkeep.tick(
            for: begun.party, in: store, at: clock(), using: &entropy, sign: signer, send: network)
    }
}

extension PartyHost where Served == FederationService {
    /// Checks who makes a request to one of the service's own endpoints, and whether the token with it allows that (9).
    ///
    /// - Parameter url: the URL requested, as the app knows it.
    public func access(for request: HTTP.Request, to url: WebURL) async throws(Store.Failure) -> Access.Outcome {
        let begun = stopwatch()
        return try await party.access(for: request, to: url, in: store, at: clock()) { record in
            self.hear(record, of: request.target, since: begun)
        }
    }
}
