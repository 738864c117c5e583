import TokenTree
import TokenTreeTesting
import Wire

// Stores that serve whoever comes alone, and of those who come at once some wrongly. The suite has to find every one.

/// A store for many at once, which lets others in where it should not.
actor MeetingStore: AsyncTokenStore {
    private let store = PlainStore()
    private let defect: Defect

    init(_ defect: Defect) { self.defect = defect }

    enum Defect: String, CaseIterable, Sendable {
        /// Conditions are checked in what was read first; what follows from that is written later, whatever is there.
        case readsFirst
        /// Each change is checked by one statement and made by another.
        case checksAndActs
        /// Each batch sees what was there when it began, and is refused only where another one wrote the same.
        case skews
        /// The store looks for what is dead, and then removes that.
        case looksAndPurges
        /// Keys that are asked for together are answered one by one.
        case readsInParts
    }

    func load(_ keys: [Facts.Key]) async -> Facts {
        guard defect == .readsInParts else { return store.load(keys) }
        var facts = Facts()
        for key in keys {
            facts[key] = store.load([key])[key]
            await Task.yield()
        }
        return facts
    }

    func commit(_ batch: Batch) async -> Batch.Outcome {
        switch defect {
        case .looksAndPurges, .readsInParts: return store.commit(batch)
        case .readsFirst:
            let (outcome, writes, _) = await decide(batch)
            writes.apply(to: store)
            return outcome
        case .checksAndActs:
            let before = store.copy()
            for (index, change) in batch.changes.enumerated() {
                let (outcome, writes, _) = await decide(Batch(at: batch.at, [change]))
                if case .conflict(let conflict, _) = outcome {
                    Writes(from: store, to: before).apply(to: store)
                    return .conflict(conflict, change: index)
                }
                writes.apply(to: store)
            }
            return .applied
        case .skews:
            while true {
                let (outcome, writes, seen) = await decide(batch)
                guard writes.meet(Writes(from: seen, to: store)) else {
                    writes.apply(to: store)
                    return outcome
                }
            }
        }
    }

    func purge(at now: Timestamp, keeping retention: Retention) async -> Int {
        let after = store.copy()
        let removed = after.purge(at: now, keeping: retention)
        let writes = Writes(from: store, to: after)
        if defect == .looksAndPurges { for _ in 0..<4 { await Task.yield() } }
        writes.apply(to: store)
        return removed
    }

    /// What a batch comes to, and what it would write, by what is there now; others come in before it is written.
    private func decide(_ batch: Batch) async -> (Batch.Outcome, Writes, seen: PlainStore) {
        let seen = store.copy()
        let after = store.copy()
        let outcome = after.commit(batch)
        for _ in 0..<4 { await Task.yield() }
        return (outcome, Writes(from: seen, to: after), seen)
    }
}

/// A store that cannot say what came of it when two commit at once.
actor UncertainStore: AsyncTokenStore {
    private let store = PlainStore()
    private let isUncertain: Bool
    private var commits = 0

    init(isUncertain: Bool) { self.isUncertain = isUncertain }

    enum Failure: Error { case connectionLost }

    func load(_ keys: [Facts.Key]) -> Facts { store.load(keys) }

    func commit(_ batch: Batch) async throws(Failure) -> Batch.Outcome {
        commits += 1
        let number = commits
        for _ in 0..<4 { await Task.yield() }
        guard isUncertain, commits > number else { return store.commit(batch) }
        // Whoever did not come last does not hear what came of it.
        if number % 2 == 0 { _ = store.commit(batch) }
        throw .connectionLost
    }

    func purge(at now: Timestamp, keeping retention: Retention) -> Int { store.purge(at: now, keeping: retention) }
}

/// What is different in one state, to be written over another.
struct Writes {
    private let entries: [TokenID: Lineage.Entry?]
    private let remembered: [ReplayKey: Timestamp?]
    private let visits: [Record.Subject: [Facts.Visit]?]
    private let pending: [OutgoingMessage.ID: OutgoingMessage?]
    private let settled: [OutgoingMessage.ID: Timestamp?]
    private let added: [TokenID]

    init(from before: PlainStore, to after: PlainStore) {
        entries = Self.difference(before.entries, after.entries)
        remembered = Self.difference(before.remembered, after.remembered)
        visits = Self.difference(before.visits, after.visits)
        pending = Self.difference(before.pending, after.pending)
        settled = Self.difference(before.settled, after.settled)
        added = after.order.filter { before.entries[$0] == nil }
    }

    private static func difference<Key, Value: Equatable>(_ before: [Key: Value], _ after: [Key: Value]) -> [Key:
        Value?]
    {
        var writes: [Key: Value?] = [:]
        for (key, value) in after where before[key] != value { writes[key] = .some(value) }
        for key in before.keys where after[key] == nil { writes[key] = .some(nil) }
        return writes
    }

    func apply(to store: PlainStore) {
        store.entries.merge(entries)
        store.remembered.merge(remembered)
        store.visits.merge(visits)
        store.pending.merge(pending)
        store.settled.merge(settled)
        store.order.removeAll { store.entries[$0] == nil }
        store.order += added.filter { !store.order.contains($0) }
    }

    /// Whether both write the same.
    func meet(_ other: Writes) -> Bool {
        !Set(entries.keys).isDisjoint(with: other.entries.keys)
            || !Set(remembered.keys).isDisjoint(with: other.remembered.keys)
            || !Set(visits.keys).isDisjoint(with: other.visits.keys)
            || !Set(pending.keys).isDisjoint(with: other.pending.keys)
            || !Set(settled.keys).isDisjoint(with: other.settled.keys)
    }
}

extension Dictionary {
    fileprivate mutating func merge(_ writes: [Key: Value?]) {
        for (key, value) in writes { self[key] = value }
    }
}
