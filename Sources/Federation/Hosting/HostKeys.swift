internal import JOSE
internal import Synchronization
internal import Wire

/// The keys of other parties at a host that serves many requests at once: whoever needs a set that is being read waits
/// for that reading, so that no request is refused because another one asked first.
final class HostKeys: Sendable {
    private let state: Mutex<State>
    private let clock: @Sendable () -> Timestamp
    private let network: @Sendable (HTTP.Request) async -> HTTP.Response?

    private struct State {
        var sets: KeySets
        /// The sets that are being read, with the number of the reading.
        var readings: [Issuer: (number: UInt64, task: Task<Void, Never>)] = [:]
        var count: UInt64 = 0
    }

    init(
        policy: RemoteKeySet.Policy, clock: @escaping @Sendable () -> Timestamp,
        network: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?
    ) {
        state = Mutex(State(sets: KeySets(policy: policy)))
        self.clock = clock
        self.network = network
    }

    func answer(_ lookup: Lookup.Keys) async -> Lookup.Result {
        // What was begun before the question does not answer a question for what is new.
        if lookup.isAnew { await reading(of: lookup.issuer)?.value }
        await begun(lookup)?.value
        return state.withLock { $0.sets.result(of: lookup) }
    }

    /// Reads the sets that are no longer fresh.
    func refresh() async {
        for lookup in state.withLock({ [now = clock()] in $0.sets.due(at: now) }) { await begun(lookup)?.value }
    }

    private func reading(of issuer: Issuer) -> Task<Void, Never>? {
        state.withLock { $0.readings[issuer]?.task }
    }

    /// The reading that a question has to wait for, which begins now if none is under way.
    private func begun(_ lookup: Lookup.Keys) -> Task<Void, Never>? {
        let now = clock()
        return state.withLock { state in
            if state.sets.serves(lookup, at: now) { return nil }
            if let reading = state.readings[lookup.issuer] { return reading.task }
            guard let request = state.sets.request(for: lookup, at: now) else { return nil }
            state.count += 1
            let task = Task { [number = state.count] in await read(lookup, request, number) }
            state.readings[lookup.issuer] = (state.count, task)
            return task
        }
    }

    private func read(_ lookup: Lookup.Keys, _ request: HTTP.Request, _ number: UInt64) async {
        let response = await network(request)
        let now = clock()
        state.withLock { state in
            state.sets.take(response, for: lookup, at: now)
            if state.readings[lookup.issuer]?.number == number { state.readings[lookup.issuer] = nil }
        }
    }
}
