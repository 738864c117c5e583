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
        /// The sets that are being read, with those who wait for them.
        var readings: [Issuer: [CheckedContinuation<Void, Never>]] = [:]
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
        if await !read(lookup), lookup.isAnew { _ = await read(lookup) }
        return state.withLock { $0.sets.result(of: lookup) }
    }

    /// Reads the sets that are no longer fresh.
    func refresh() async {
        let now = clock()
        for lookup in state.withLock({ $0.sets.due(at: now) }) { _ = await read(lookup) }
    }

    /// What somebody who needs a set does about it.
    private enum Part {
        case nothing
        case wait
        case ask(HTTP.Request)
    }

    /// Reads a set if that is needed, or waits while somebody else reads it; answers whether what is there now was
    /// asked for after the question.
    private func read(_ lookup: Lookup.Keys) async -> Bool {
        let now = clock()
        let part: Part = state.withLock { state in
            if state.sets.serves(lookup, at: now) { return .nothing }
            if state.readings[lookup.issuer] != nil { return .wait }
            guard let request = state.sets.request(for: lookup, at: now) else { return .nothing }
            state.readings[lookup.issuer] = []
            return .ask(request)
        }
        switch part {
        case .nothing: return true
        case .wait:
            await reading(of: lookup.issuer)
            return false
        case .ask(let request):
            finish(lookup, with: await network(request))
            return true
        }
    }

    /// Waits until a set has been read, if it is being read.
    private func reading(of issuer: Issuer) async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                guard state.readings[issuer] != nil else { return true }
                state.readings[issuer]?.append(waiter)
                return false
            }
            if isOver { waiter.resume() }
        }
    }

    private func finish(_ lookup: Lookup.Keys, with response: HTTP.Response?) {
        let now = clock()
        let waiters = state.withLock { state in
            state.sets.take(response, for: lookup, at: now)
            return state.readings.removeValue(forKey: lookup.issuer) ?? []
        }
        for waiter in waiters { waiter.resume() }
    }
}
