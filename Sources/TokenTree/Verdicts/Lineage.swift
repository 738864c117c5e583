public import Wire

/// A record with all that it stands on, from itself up to its root: what a verdict needs to know.
///
/// A lineage that exists is complete: each record's parent is the next, and the last one is a root.
public struct Lineage: Sendable, Hashable {
    /// A record and what happened to it.
    public struct Entry: Sendable, Hashable {
        /// What was issued.
        public let record: Record
        /// What happened to it.
        public let fate: Record.Fate

        /// A record with its fate.
        public init(record: Record, fate: Record.Fate) {
            self.record = record
            self.fate = fate
        }
    }

    /// The record first, its root last.
    public let entries: [Entry]
    /// When the store was restored without proof that nothing is missing, if it was.
    public let unprovenBefore: Timestamp?

    /// The entries as a lineage; `nil` if they are not a complete chain of grounds.
    ///
    /// A store that lost the upper end of a chain must not have its answer taken for a short one.
    public init?(_ entries: [Entry], unprovenBefore: Timestamp? = nil) {
        guard !entries.isEmpty, entries.last?.record.parent == nil else { return nil }
        for (entry, ground) in zip(entries, entries.dropFirst()) where entry.record.parent != ground.record.id {
            return nil
        }
        self.entries = entries
        self.unprovenBefore = unprovenBefore
    }

    /// The entries of a store that walks from each record to its parent, as a lineage without a second look.
    ///
    /// Bound: there is at least one, each record's parent is the next, and the last one is a root.
    init(walked entries: [Entry], unprovenBefore: Timestamp?) {
        self.entries = entries
        self.unprovenBefore = unprovenBefore
    }

    // Inlinable, because an entry is much to copy: whoever wants one field of it reads that alone.

    /// The record and its fate.
    @inlinable
    public var entry: Entry { entries[0] }

    /// The record itself.
    @inlinable
    public var record: Record { entries[0].record }

    /// The nearest record of a kind, itself included.
    @inlinable
    public func nearest(_ kind: Record.Kind) -> Record? {
        for index in entries.indices where entries[index].record.kind == kind { return entries[index].record }
        return nil
    }

    /// Whether the record may be used at a time, or the one reason why not.
    public func verdict(at now: Timestamp) -> Verdict {
        let verdict = verdict(over: entries.indices, at: now)
        if verdict.grantLives, let key = withdrawnGround {
            return .revoked(by: key.id, at: key.since, reason: .administrator)
        }
        guard let unprovenBefore, verdict.grantLives, !isConfirmed(since: unprovenBefore) else { return verdict }
        return .unconfirmed(before: unprovenBefore)
    }

    /// Whether one of the records was issued or confirmed since then.
    ///
    /// A version key says nothing about what stands on it, and needs no confirmation itself (threat 67).
    private func isConfirmed(since time: Timestamp) -> Bool {
        record.kind == .versionKey
            || entries.contains { entry in
                guard entry.record.kind != .versionKey else { return false }
                return entry.record.issued >= time || entry.fate.confirmed.map { $0 >= time } ?? false
            }
    }

    /// The verdict on each record by itself, as if it were a root: for people who ask what the one reason hides.
    public func ownVerdicts(at now: Timestamp) -> [Verdict] {
        entries.indices.map { verdict(over: $0..<$0 + 1, at: now) }
    }

    /// The verdict on the first of a run of entries, as if the last of them were a root.
    ///
    /// Bound: the run is not empty.
    private func verdict(over run: Range<Int>, at now: Timestamp) -> Verdict {
        var judgement = Judgement<Int>()
        for index in run {
            judgement.weigh(
                index, revoked: entries[index].fate.revocation?.at, end: entries[index].record.end, now: now)
        }
        if let (index, _) = judgement.revoked, let revocation = entries[index].fate.revocation {
            return .revoked(by: entries[index].record.id, at: revocation.at, reason: revocation.reason)
        }
        if let (index, end) = judgement.ended { return .expired(by: entries[index].record.id, at: end, ends: .grant) }
        let first = run.lowerBound
        if let consumed = entries[first].fate.consumed { return .consumed(at: consumed) }
        if let access = entries[first].record.accessExpiry, now >= access {
            return .expired(by: entries[first].record.id, at: access, ends: .access)
        }
        return .live
    }
}
