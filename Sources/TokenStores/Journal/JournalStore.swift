internal import Synchronization
public import TokenTree
public import Wire

/// One process's durable store: a tree in memory, and in a folder a snapshot of it with a journal of what came since.
///
/// What was answered as applied survives the process and a loss of power; who commits at the same time shares one call
/// of the disk (STO-1). Snapshots are written beside the work. A second process that opens the folder is refused by
/// name.
///
/// Reads are answered from memory, also while the disk does not take writes. They may show a change a moment before it
/// is durable and its author was answered; nobody has a token of which that is true.
public final class JournalStore: AsyncTokenStore {
    /// What opening found.
    public let opening: Opening
    private let ledger: Ledger

    /// What a store found when it was opened.
    public struct Opening: Sendable, Hashable {
        /// How many records there are.
        public let records: Int
        /// How many bytes at the end a crash had torn; they were cut off, and nobody had been told of them.
        public let tornByteCount: Int
        /// Whether the store is new.
        public let isNew: Bool
    }

    /// Opens the store in a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - provenance: whether the folder holds all that there was; after a restoration from a backup it may not.
    ///   - clock: tells the time of this host.
    public static func open(
        _ path: String, as provenance: Provenance = .inPlace, limits: MemoryStore.Limits = MemoryStore.Limits(),
        clock: (@Sendable () -> Timestamp)? = nil
    ) throws(StoreFailure) -> JournalStore {
        let folder = try DiskFolder(path: path, creating: true)
        return try JournalStore(folder, folder.lock(), as: provenance, limits: limits, clock: clock)
    }

    /// Makes a store in a folder, in which there is none, with a tree from elsewhere.
    ///
    /// What that tree does not know for certain, the store does not either: a copy that may lack something is restored
    /// as such before.
    public static func fill(_ path: String, with tree: MemoryStore) throws(StoreFailure) {
        let folder = try DiskFolder(path: path, creating: true)
        let lock = try folder.lock()
        guard try folder.names().allSatisfy({ FileName($0) == nil }) else { throw .notEmpty }
        try Recovery.prepare(folder, holding: tree)
        withExtendedLifetime(lock) {}
    }

    /// What the store in a folder holds, for whoever only looks at it, also while another process has it open.
    public static func inspect(
        _ path: String, as provenance: Provenance = .inPlace, limits: MemoryStore.Limits = MemoryStore.Limits()
    ) throws(StoreFailure) -> (tree: MemoryStore, tornByteCount: Int) {
        let folder = try DiskFolder(path: path, creating: false)
        var attempts = 3
        while true {
            do throws(StoreFailure) {
                var line: [UInt8] = []
                let found = try Recovery(folder, as: provenance, limits: limits, clock: nil, unproven: &line)
                guard let found else { throw .missing(path: folder.path(of: FileName.snapshot(1).text)) }
                return (found.tree, found.tornByteCount)
            } catch {
                attempts -= 1
                // A snapshot may take the place of the files while they are read.
                switch error {
                case .gone, .missing: if attempts == 0 { throw error }
                default: throw error
                }
            }
        }
    }

    /// Opens the store in a folder that is this process's own.
    init(
        _ folder: any Folder, _ lock: FolderLock? = nil, as provenance: Provenance = .inPlace,
        limits: MemoryStore.Limits = MemoryStore.Limits(), clock: (@Sendable () -> Timestamp)? = nil
    ) throws(StoreFailure) {
        let (found, file, isNew) = try Recovery.open(folder, as: provenance, limits: limits, clock: clock)
        opening = Opening(records: found.tree.count, tornByteCount: found.tornByteCount, isNew: isNew)
        ledger = Ledger(found, file, in: folder, lock, limits: limits, clock: clock)
        try Worker.start(waitingFor: ledger.writer) { [ledger] in ledger.write() }
        try Worker.start(waitingFor: ledger.keeper) { [ledger] in ledger.keep() }
        ledger.keeper.ring(.work)
    }

    deinit { dismiss() }

    private func dismiss() {
        ledger.writer.ring(.end)
        ledger.keeper.ring(.end)
    }
}

// MARK: - The store's contract

extension JournalStore {
    /// Answers each of the keys, from one state of the store.
    public func load(_ keys: [Facts.Key]) throws(StoreFailure) -> Facts { ledger.state.withLock { $0.tree.load(keys) } }

    /// The record of a name with all it stands on.
    public func lineage(of id: TokenID) throws(StoreFailure) -> Lineage? {
        ledger.state.withLock { $0.tree.lineage(of: id) }
    }

    /// The record of a name as a check of access reads it.
    public func grant(of id: TokenID, at now: Timestamp) throws(StoreFailure) -> Grant? {
        ledger.state.withLock { $0.tree.grant(of: id, at: now) }
    }

    /// Applies the batch wholly or not at all, and answers when that is durable.
    public func commit(_ batch: Batch) async throws(StoreFailure) -> Batch.Outcome {
        try await withCheckedContinuation { continuation in
            ledger.commit(batch) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Removes what is dead and past any use, and says how many records that were.
    public func purge(at now: Timestamp, keeping retention: Retention) async throws(StoreFailure) -> Int {
        try await withCheckedContinuation { continuation in
            ledger.purge(at: now, keeping: retention) { continuation.resume(returning: $0) }
        }.get()
    }
}

// MARK: - Upkeep

extension JournalStore {
    /// The end of the hash chain; kept elsewhere, it proves that a copy of this folder has everything.
    public var head: Fingerprint { ledger.state.withLock { $0.tree.head } }

    /// The state as it is now, for a backup; writing it down disturbs nobody.
    public func snapshot() -> MemoryStore.Snapshot { ledger.state.withLock { $0.tree }.snapshot() }

    /// Writes a snapshot now, without waiting for the journal to grow, and answers when the old files are gone.
    public func compact() async throws(StoreFailure) {
        let failure = await withCheckedContinuation { continuation in
            let refusal: StoreFailure? = ledger.state.withLock { state in
                if let refusal = state.refusal { return refusal }
                if case .none = state.compaction { state.compaction = .wanted }
                state.compactionWaiters.append { continuation.resume(returning: $0) }
                return nil
            }
            if let refusal { return continuation.resume(returning: refusal) }
            ledger.writer.ring(.work)
        }
        if let failure { throw failure }
    }

    /// Waits until all is durable that was committed before, ends the store's threads, and gives the folder free.
    public func close() async {
        await withCheckedContinuation { continuation in
            ledger.close { continuation.resume() }
        }
        dismiss()
    }
}
