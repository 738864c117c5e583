public import TokenTree
public import Wire

/// A store as plain as the laws themselves: dictionaries, no index, every condition asked anew.
///
/// It is the model beside which other stores are simulated. It is a class with open parts so that tests can break one
/// of them on purpose.
open class PlainStore: SimulatedStore {
    /// The records by name.
    public final var entries: [TokenID: Lineage.Entry] = [:]
    /// The names in the order of insertion.
    package final var order: [TokenID] = []
    /// Until when each key is remembered.
    package final var remembered: [ReplayKey: Timestamp] = [:]
    /// The uses of services by user, in the order of first use.
    package final var visits: [Record.Subject: [Facts.Visit]] = [:]
    /// The messages on their way.
    package final var pending: [OutgoingMessage.ID: OutgoingMessage] = [:]
    /// When each message was settled.
    package final var settled: [OutgoingMessage.ID: Timestamp] = [:]
    /// The most records on a path.
    let depth: Int

    /// An empty store.
    public init(depth: Int = 9) {
        self.depth = depth
    }

    /// A store of its own that holds the same, and keeps the rules whatever is broken here.
    package func copy() -> PlainStore {
        let copy = PlainStore(depth: depth)
        (copy.entries, copy.order, copy.remembered) = (entries, order, remembered)
        (copy.visits, copy.pending, copy.settled) = (visits, pending, settled)
        return copy
    }

    // MARK: What can be broken

    /// The names of a record and all it stands on, the record first.
    open func path(of id: TokenID) -> [TokenID] {
        var path: [TokenID] = []
        var current: TokenID? = id
        while let name = current, let entry = entries[name] {
            path.append(name)
            current = entry.record.parent
        }
        return path
    }

    /// The verdict on which the conditions of changes rest.
    open func standing(of id: TokenID, at now: Timestamp) -> Verdict {
        verdict(of: path(of: id), at: now)
    }

    /// The verdict on which renewing a grant rests.
    open func renewable(_ id: TokenID, at now: Timestamp) -> Verdict {
        standing(of: id, at: now)
    }

    /// Applies the changes in order; the store is put back as it was if one cannot be applied.
    open func apply(_ batch: Batch) -> Batch.Outcome {
        let before = (entries, order, remembered, visits, pending, settled)
        for (index, change) in batch.changes.enumerated() {
            do throws(Batch.Conflict) {
                try apply(change, at: batch.at)
            } catch {
                (entries, order, remembered, visits, pending, settled) = before
                return .conflict(error, change: index)
            }
        }
        return .applied
    }

    /// Loses what a crash would lose: nothing.
    open func restart() {}

    // MARK: The store's contract

    /// Answers each of the keys.
    public final func load(_ keys: [Facts.Key]) -> Facts {
        var facts = Facts()
        for key in keys { facts[key] = answer(to: key) }
        return facts
    }

    /// Applies the batch wholly or not at all.
    public final func commit(_ batch: Batch) -> Batch.Outcome {
        apply(batch)
    }

    /// Removes what is dead and past any use.
    open func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        settled = settled.filter { $0.value >= now - retention.settled }
        var kept: Set<TokenID> = []
        for id in order where !isPastUse(id, at: now, keeping: retention) { kept.formUnion(path(of: id)) }
        let removed = order.count - kept.count
        order.removeAll { !kept.contains($0) }
        entries = entries.filter { kept.contains($0.key) }
        return removed
    }

    private func isPastUse(_ id: TokenID, at now: Timestamp, keeping retention: Retention) -> Bool {
        let grounds = path(of: id).compactMap { entries[$0] }
        let ends = grounds.compactMap { $0.record.end }.filter { $0 <= now }
        guard let entry = entries[id] else { return false }
        let ground = entry.record.parent.flatMap { entries[$0]?.record.kind } ?? .versionKey
        let isOnlyForWhatStandsOnIt =
            entry.record.kind == .code || entry.record.kind == .assertion && ground == .versionKey
        let presentation = isOnlyForWhatStandsOnIt ? entry.record.accessExpiry.map { [$0] } ?? [] : []
        guard let death = (ends + presentation + grounds.compactMap { $0.fate.revocation?.at }).min() else {
            return false
        }
        if entry.fate.revocation?.reason == .barred { return false }
        // Its service has not been told that it ended with its ground.
        let wasEnded = grounds.contains { $0.fate.revocation != nil }
        if entry.record.kind == .assertion, entry.record.parent != nil, wasEnded, entry.fate.revocation == nil {
            return false
        }
        if let access = entry.record.accessExpiry, now < access { return false }
        if pending.values.contains(where: { message in grounds.contains { $0.record.id == message.about } }) {
            return false
        }
        return death + retention.explained <= now
    }
}

// MARK: - Facts

extension PlainStore {
    /// The verdict for a path, the record's name first.
    public final func verdict(of path: [TokenID], at now: Timestamp) -> Verdict {
        guard let id = path.first, let entry = entries[id] else { return .unknown }
        // From the root down, so that at equal times the one nearer to the root remains.
        let grounds = path.reversed().compactMap { name in entries[name].map { (name: name, entry: $0) } }
        let revoked = grounds.compactMap { ground in ground.entry.fate.revocation.map { (by: ground.name, why: $0) } }
        if let first = revoked.min(by: { $0.why.at < $1.why.at }) {
            return .revoked(by: first.by, at: first.why.at, reason: first.why.reason)
        }
        let ended = grounds.compactMap { ground in ground.entry.record.end.map { (by: ground.name, at: $0) } }
        if let first = ended.filter({ $0.at <= now }).min(by: { $0.at < $1.at }) {
            return .expired(by: first.by, at: first.at, ends: .grant)
        }
        if let consumed = entry.fate.consumed { return .consumed(at: consumed) }
        if let access = entry.record.accessExpiry, access <= now {
            return .expired(by: id, at: access, ends: .access)
        }
        return .live
    }

    private func answer(to key: Facts.Key) -> Facts.Answer {
        switch key {
        case .record(let id): .lineage(lineage(of: id))
        case .holder(let kind, let holder): .lineage(occupant(of: kind, holder: holder).flatMap { lineage(of: $0) })
        case .replay(let key): .remembered(until: remembered[key])
        case .services(let subject): .visits(visits[subject] ?? [])
        case .message(let id): .message(pending[id])
        case .records(let selection, let last, let limit): .page(page(of: selection, after: last, limit: limit))
        case .outgoing(let due, let limit):
            .messages(
                [OutgoingMessage](
                    pending.values.filter { $0.due <= due }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.prefix(
                        max(0, limit))))
        }
    }

    /// The record with all it stands on.
    public final func lineage(of id: TokenID) -> Lineage? {
        Lineage(path(of: id).compactMap { entries[$0] })
    }

    private func occupant(of kind: Record.Kind, holder: Record.Holder) -> TokenID? {
        guard kind.isKnownByHolder else { return nil }
        return order.first { id in
            guard let entry = entries[id], entry.record.kind == kind, entry.record.holder == holder else {
                return false
            }
            return entry.fate.revocation.map { $0.reason == .barred } ?? true
        }
    }

    private func page(of selection: Facts.Selection, after last: TokenID?, limit: Int) -> Facts.Page? {
        let selected: [TokenID]
        let wanted: Record.Kind
        switch selection {
        case .all(let kind):
            (selected, wanted) = (order, kind)
        case .subject(let subject, let kind):
            (selected, wanted) = (order.reversed().filter { entries[$0]?.record.subject == subject }, kind)
        case .under(let root, let kind):
            guard entries[root] != nil else { return nil }
            (selected, wanted) = (order.reversed().filter { $0 != root && path(of: $0).contains(root) }, kind)
        }
        var rest = selected[...]
        if let last {
            guard let index = rest.firstIndex(of: last) else { return nil }
            rest = rest[(index + 1)...]
        }
        let matching = rest.filter { entries[$0]?.record.kind == wanted }
        let shown = matching.prefix(max(0, limit))
        return Facts.Page(
            lineages: shown.compactMap { lineage(of: $0) },
            next: matching.count > shown.count ? shown.last ?? last : nil)
    }
}
