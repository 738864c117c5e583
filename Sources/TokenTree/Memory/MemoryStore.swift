public import Wire

/// The reference store: all records in memory, as a value that applies batches and answers verdicts at once.
///
/// ```swift
/// var tree = MemoryStore()
/// switch tree.commit(decision.batch) {
/// case .applied: send(decision.response)
/// case .conflict: decideAgain()
/// }
/// tree.verdict(of: id, at: now)
/// ```
/// A copy is cheap and stays as it is while the original goes on, so that a snapshot can be written in peace. To
/// survive a restart, keep a ``snapshot()`` and after it the journal lines of each commit; a ``Restoration`` reads both
/// back.
public struct MemoryStore: TokenStore, Sendable {
    /// What the tree holds, shared with its copies until one of them changes.
    private(set) var box: Box
    /// Tells the time of this store's host.
    let clock: (@Sendable () -> Timestamp)?

    /// One reference for all contents: what a copy of the tree costs.
    ///
    /// Sendable because it is changed only while a single tree refers to it, through that tree's exclusive access.
    final class Box: @unchecked Sendable {
        var contents: Contents

        init(_ contents: consuming Contents) {
            self.contents = contents
        }
    }

    /// An empty tree.
    ///
    /// - Parameter clock: tells the time of this store's host, which bounds what batches of other hosts can do whose
    ///   clocks are far ahead; without it the times of batches are all that is known.
    public init(limits: Limits = Limits(), clock: (@Sendable () -> Timestamp)? = nil) {
        self.init(Contents(limits: limits), clock: clock)
    }

    init(_ contents: consuming Contents, clock: (@Sendable () -> Timestamp)?) {
        box = Box(contents)
        self.clock = clock
    }

    /// How many keys are remembered that must not pass again.
    package var rememberedKeys: Int { box.contents.replays.count }

    /// How many bytes of text it holds.
    package var textByteCount: Int { box.contents.names.arena.byteCount }

    /// What the store takes on before it refuses.
    package var limits: Limits { box.contents.limits }

    /// The end of the hash chain over all that was journaled; whoever keeps it elsewhere can tell whether history was
    /// rewritten.
    public var head: Fingerprint { box.contents.chain.head }

    /// How many records there are, dead ones included.
    public var count: Int { box.contents.count }

    /// When the tree was restored last without proof that nothing is missing: what was issued before is unconfirmed,
    /// until somebody confirms it.
    public var unprovenBefore: Timestamp? { box.contents.unprovenBefore }

    /// Bounds of a store; every one is checked before the work it bounds is done.
    public struct Limits: Sendable, Hashable {
        /// The most records on one path from the root: six levels and the two codes between them.
        public let depth: Int
        /// The most records.
        public let records: Int
        /// The most bytes that the names and attributes of one record have together.
        public let recordBytes: Int
        /// The most changes of one batch.
        public let changes: Int
        /// The most keys that are remembered at a time: 45,000 proofs a second, of which each is remembered for some
        /// three minutes.
        public let replayKeys: Int
        /// The most keys of one owner that end within the same 64 seconds.
        public let replayKeysOfOwner: Int

        /// Bounds for one store; what is not given takes the default.
        public init(
            depth: Int = 9, records: Int = 1 << 26, recordBytes: Int = 1 << 15, changes: Int = 1 << 12,
            replayKeys: Int = 1 << 23, replayKeysOfOwner: Int = 1 << 15
        ) {
            self.depth = depth
            // Slots and references have 32 bits, one run of the arena 16.
            self.records = min(records, 1 << 31)
            self.recordBytes = min(recordBytes, Arena.longestRun)
            self.changes = changes
            self.replayKeys = replayKeys
            self.replayKeysOfOwner = replayKeysOfOwner
        }
    }
}

// MARK: - Verdicts

extension MemoryStore {
    /// Whether the token of this name may be used at a time, or the one reason why not.
    ///
    /// The cost depends on the number of grounds, not on the size of the tree.
    public func verdict(of id: TokenID, at now: Timestamp) -> Verdict {
        box.contents.verdict(of: id, at: now)
    }

    /// The record with all it stands on.
    public func lineage(of id: TokenID) -> Lineage? {
        box.contents.lineage(of: id)
    }

    /// The record as a check of access reads it.
    public func grant(of id: TokenID, at now: Timestamp) -> Grant? {
        box.contents.grant(of: id, at: now)
    }
}

// MARK: - The store's contract

extension MemoryStore {
    /// Answers each of the keys.
    public func load(_ keys: [Facts.Key]) -> Facts {
        var facts = Facts()
        for key in keys { facts[key] = box.contents.answer(to: key) }
        return facts
    }

    /// A page of a list: newest records first within a subject and below a parent, oldest first in a list of all.
    ///
    /// The order is stable, so that a record which is there all the time is listed exactly once. The answer is
    /// `nil` if the record to begin after is not known, or not in the list.
    package func page(of selection: Facts.Selection, after last: TokenID? = nil, limit: Int) -> Facts.Page? {
        box.contents.page(of: selection, after: last, limit: limit)
    }

    /// Applies the batch wholly or not at all, in memory only.
    ///
    /// For trees that end with their process, or whose next snapshot is soon enough. A journal that is continued
    /// afterwards has a gap, and is refused when it is read back.
    public mutating func commit(_ batch: Batch) -> Batch.Outcome {
        makeUnique()
        let outcome = box.contents.apply(batch, forgettingAt: correction(of: batch.at))
        if case .applied = outcome, !batch.changes.isEmpty { box.contents.chain.skip() }
        return outcome
    }

    /// Applies the batch wholly or not at all, and appends its line to what has to be written down before anybody is
    /// answered.
    ///
    /// When writing fails, drop this tree and restore it from what was written: what is not written down has not
    /// happened.
    public mutating func commit(_ batch: Batch, journal: inout [UInt8]) -> Batch.Outcome {
        commit(Step(batch, clock: clock), journal: &journal)
    }

    /// A batch as the journal will have it, so that whoever writes can see beforehand whether there is room.
    package struct Step: Sendable {
        fileprivate let batch: Batch
        fileprivate let correction: Timestamp?
        fileprivate let text: [UInt8]

        /// The text of a batch, for a store of this clock.
        package init(_ batch: Batch, clock: (@Sendable () -> Timestamp)?) {
            self.batch = batch
            correction = MemoryStore.correction(of: batch.at, clock)
            text = batch.encoded(forgettingAt: correction)
        }

        /// More than its line can have.
        package var byteCountLimit: Int { text.count + 128 }
    }

    /// Applies the batch of a step, and appends its line.
    package mutating func commit(_ step: Step, journal: inout [UInt8]) -> Batch.Outcome {
        let limit = HashChain.stepByteLimit
        guard step.text.count <= limit else {
            return .conflict(
                .batchTooLarge(byteCount: step.text.count, limit: limit), change: step.batch.changes.count)
        }
        makeUnique()
        let outcome = box.contents.apply(step.batch, forgettingAt: step.correction)
        if case .applied = outcome { box.contents.chain.prolong(by: "batch", step.text, journal: &journal) }
        return outcome
    }

    /// Removes what is dead and past any use, forgets what has expired, and says how many records went; in memory only,
    /// like a commit.
    public mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        makeUnique()
        box.contents.chain.skip()
        var purge = planPurge(at: now, keeping: retention)
        box.contents.removeDead(&purge)
        return purge.removed
    }

    /// Removes what is dead and past any use, forgets what has expired, and says how many records went.
    ///
    /// A record goes when its grant ended longer ago than the retention, its access expiry is past, it is not barred,
    /// no message about it or about a ground of it is on its way, and nothing that stands on it stays. The tree is
    /// built anew: the time is linear in its size, and until it returns both are in memory. A time that is far ahead of
    /// the store's host removes what is past its use at the host's.
    public mutating func purge(at now: Timestamp, keeping retention: Retention, journal: inout [UInt8]) -> Int {
        var purge = planPurge(at: now, keeping: retention)
        while advance(&purge, journal: &journal) {}
        if isWasteful { self = renewed() }
        return purge.removed
    }

    /// A purge in slices, by this time or by the host's own.
    package func planPurge(at now: Timestamp, keeping retention: Retention) -> Purge {
        Purge(at: correction(of: now) ?? now, keeping: retention)
    }

    /// Takes the next slice of a purge and appends its line, if it changes anything; false when nothing is left.
    package mutating func advance(_ purge: inout Purge, journal: inout [UInt8]) -> Bool {
        makeUnique()
        let slice = box.contents.advance(&purge)
        if !slice.isEmpty { write(slice, of: purge, to: &journal) }
        return !purge.isOver
    }

    private mutating func write(_ slice: PurgeSlice, of purge: Purge, to journal: inout [UInt8]) {
        let text = JSON.encodedObject { members in
            members.member("at", purge.time)
            members.member("explained", purge.retention.explained)
            members.member("settled", purge.retention.settled)
            members.member("keys", slice.keys)
            members.member("messages", slice.messages)
            members.array("records") { records in for id in slice.records { records.element(id.text) } }
        }
        box.contents.chain.prolong(by: "purge", text, journal: &journal)
    }

    /// Whether a tree built anew would take less memory, or hold fewer names.
    package var isWasteful: Bool { box.contents.isWasteful }

    /// The same tree built anew, in time and memory linear in its size: what purges and changes left behind is gone.
    package func renewed() -> MemoryStore { MemoryStore(box.contents.renewed(), clock: clock) }

    /// Lets decisions of this time be taken again, where a clock far ahead has moved what is forgotten beyond it.
    ///
    /// What was seen before may have been forgotten too early: proofs made before, or in the minute after, are refused.
    public mutating func resetHorizon(at now: Timestamp, journal: inout [UInt8]) {
        makeUnique()
        box.contents.replays.startAnew(at: now)
        let text = JSON.encodedObject { $0.member("at", now) }
        box.contents.chain.prolong(by: "reset", text, journal: &journal)
    }

    /// The host's own time, where another one is too far ahead of it to be taken (threat 66).
    ///
    /// Whoever is ahead by less may do so by as much; a store whose host is late itself remembers longer, and no worse
    /// follows.
    private func correction(of time: Timestamp) -> Timestamp? { Self.correction(of: time, clock) }

    package static func correction(of time: Timestamp, _ clock: (@Sendable () -> Timestamp)?) -> Timestamp? {
        guard let now = clock?(), time > now + .seconds(600) else { return nil }
        return now
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&box) { box = Box(box.contents.copy()) }
    }
}
