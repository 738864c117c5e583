public import TokenTree
public import Wire

/// A ``MemoryStore`` with its snapshot and journal, as a host keeps them on disk.
public struct DurableTree: SimulatedStore {
    /// The tree in memory.
    public private(set) var tree: MemoryStore
    /// What has been written down.
    public private(set) var disk: [UInt8]
    /// Why the last restart could not read back what had been written, if it could not; the tree is empty then.
    public private(set) var damage: MemoryStore.Restoration.Rejection?
    /// The end of the chain, which a host keeps somewhere else.
    private var head: Fingerprint
    private var lines = 0
    private let hasJournal: Bool

    /// An empty tree, written down: either with each commit, or in time before each crash, which costs less to
    /// simulate.
    public init(limits: MemoryStore.Limits = MemoryStore.Limits(), journaling: Bool = true) {
        tree = MemoryStore(limits: limits)
        head = tree.head
        hasJournal = journaling
        disk = journaling ? tree.snapshot().encoded() : []
    }

    /// Answers each of the keys.
    public func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }

    /// The verdict of the tree in memory.
    public func verdict(of id: TokenID, at now: Timestamp) -> Verdict { tree.verdict(of: id, at: now) }

    /// The grant as the tree in memory gives it.
    public func grant(of id: TokenID, at now: Timestamp) -> Grant? { tree.grant(of: id, at: now) }

    /// Applies the batch and writes it down; now and then the snapshot is written anew in the journal's place.
    public mutating func commit(_ batch: Batch) -> Batch.Outcome {
        guard hasJournal else { return tree.commit(batch) }
        let outcome = tree.commit(batch, journal: &disk)
        lines += 1
        if lines % 11 == 0 { disk = tree.snapshot().encoded() }
        head = tree.head
        return outcome
    }

    /// Removes what is dead and past any use, and writes that down.
    public mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        guard hasJournal else { return tree.purge(at: now, keeping: retention) }
        defer { head = tree.head }
        return tree.purge(at: now, keeping: retention, journal: &disk)
    }

    /// Forgets the tree in memory and reads it back.
    public mutating func restart() {
        if !hasJournal { (disk, head) = (tree.snapshot().encoded(), tree.head) }
        var restoration = MemoryStore.Restoration(limits: tree.limits)
        do throws(MemoryStore.Restoration.Rejection) {
            // Two pieces, so that a line lies across them.
            try restoration.read(disk.span.extracting(first: disk.count / 3))
            try restoration.read(disk.span.extracting(droppingFirst: disk.count / 3))
            let restored = try restoration.finish(expecting: head)
            disk.removeLast(restored.tornByteCount)
            tree = restored.tree
        } catch {
            damage = error
            tree = MemoryStore(limits: tree.limits)
            head = tree.head
        }
    }

    /// Writes part of the batch's line, then restarts: nothing of the batch remains.
    public mutating func crash(during batch: Batch) -> Bool {
        guard hasJournal else {
            restart()
            return false
        }
        let whole = disk.count
        _ = tree.commit(batch, journal: &disk)
        disk.removeLast((disk.count - whole + 1) / 2)
        restart()
        return false
    }
}
