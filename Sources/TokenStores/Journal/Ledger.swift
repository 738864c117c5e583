internal import Synchronization
internal import TokenTree
internal import Wire

/// A tree, what of it waits to be written, and the files: what a journal store's callers and its two threads share.
///
/// Callers stage changes in memory and wait. The writer takes all that is staged as one group, makes it durable, and
/// only then answers, so that all who wait at a time share one call of the disk. The keeper writes snapshots, purges,
/// and builds the tree anew where that left waste.
final class Ledger: Sendable {
    let folder: any Folder
    let limits: MemoryStore.Limits
    let clock: (@Sendable () -> Timestamp)?
    let state: Mutex<State>
    /// That the folder is this process's own, as long as anybody works in it.
    let lock: Mutex<FolderLock?>
    /// Wakes the writer.
    let writer = Bell()
    /// Wakes the keeper.
    let keeper = Bell()

    /// What callers and threads share, under one lock that is never held while the disk works.
    struct State {
        var tree: MemoryStore
        /// Lines that are in the tree and in no file.
        var staged: [UInt8] = []
        /// Who waits for them.
        var waiting: [Waiter] = []
        /// Lines that were staged since the tree began to be built anew; `nil` while it is not.
        var since: [UInt8]?
        /// Who waits for room on the disk.
        var parked: [(step: MemoryStore.Step, waiter: CommitWaiter)] = []
        /// The purges that are not through, one after the other.
        var purges: [Purging] = []
        /// Whether the first of them waits for room on the disk.
        var isPurgeParked = false
        /// Whether the tree has what one that is built anew would not.
        var isRenewalDue: Bool
        /// Whether a group is on its way to the disk.
        var isWriting = false
        /// So many bytes more are certain to find room.
        var room = 0
        /// Why the last write failed, until the files were read again.
        var failure: StoreFailure?
        var isClosed = false
        /// How often the files were read again.
        var rereadings = 0
        var compaction = CompactionState.none
        /// Who waits for a compaction.
        var compactionWaiters: [Waiter] = []
        /// Whether the files have what a purge has removed since the last compaction began.
        var isCompactionDue = false
        /// Of the journals that the next snapshot takes the place of.
        var journalByteCount: Int
        /// What the journals must have before a snapshot is tried again that failed.
        var compactionThreshold: Int
        var file: JournalFile
    }

    /// Answers whoever waits for a group, with what became of it.
    typealias Waiter = @Sendable (StoreFailure?) -> Void
    /// Answers whoever commits.
    typealias CommitWaiter = @Sendable (Result<Batch.Outcome, StoreFailure>) -> Void
    /// Answers whoever purges.
    typealias PurgeWaiter = @Sendable (Result<Int, StoreFailure>) -> Void

    /// How far a compaction is.
    enum CompactionState {
        case none
        /// Somebody asked for it.
        case wanted
        /// This state waits for the keeper, or is being written.
        case running(MemoryStore, generation: Int)
    }

    /// The most bytes that are staged.
    static let backlogLimit = 64 << 20
    /// How much room is made at once.
    static let roomStep = 8 << 20
    /// Shorter journals are not worth a snapshot.
    let leastJournal: Int

    init(
        _ recovered: Recovery, _ file: JournalFile, in folder: any Folder, _ lock: FolderLock? = nil,
        limits: MemoryStore.Limits, clock: (@Sendable () -> Timestamp)?, leastJournal: Int = 1 << 20
    ) {
        self.lock = Mutex(lock)
        self.leastJournal = leastJournal
        self.folder = folder
        self.limits = limits
        self.clock = clock
        state = Mutex(
            State(
                tree: recovered.tree, isRenewalDue: recovered.tree.isWasteful,
                journalByteCount: recovered.journalByteCount,
                compactionThreshold: max(leastJournal, recovered.snapshotByteCount), file: file))
    }
}

// MARK: - Staging

extension Ledger {
    /// Applies a batch in memory, and answers when what it says is durable.
    func commit(_ batch: Batch, then answer: @escaping CommitWaiter) {
        let step = MemoryStore.Step(batch, clock: clock)
        let immediate: Result<Batch.Outcome, StoreFailure>? = state.withLock { state in
            if let refusal = state.refusal { return .failure(refusal) }
            guard step.byteCountLimit <= state.room else {
                state.parked.append((step, answer))
                return nil
            }
            return state.stage(step, answer)
        }
        if let immediate { answer(immediate) }
        writer.ring(.work)
    }

    /// Lets the keeper remove what is dead, in slices between which others have their turn, and answers when that is
    /// durable.
    func purge(at now: Timestamp, keeping retention: Retention, then answer: @escaping PurgeWaiter) {
        let refusal: StoreFailure? = state.withLock { state in
            if let refusal = state.refusal { return refusal }
            let purge = state.tree.planPurge(at: now, keeping: retention)
            state.purges.append(Purging(purge: purge, rereadings: state.rereadings, answer: answer))
            return nil
        }
        if let refusal { return answer(.failure(refusal)) }
        keeper.ring(.work)
    }
}

// MARK: - Closing

extension Ledger {
    /// Takes nothing more, and answers when all that was staged is durable, no snapshot is being written, and the
    /// folder free.
    ///
    /// Whoever closes a second time is answered at once, and touches nothing: the folder may be another's by then.
    func close(then answer: @escaping @Sendable () -> Void) {
        let (isOpen, isWritable, waiters): (Bool, Bool, [Waiter]) = state.withLock { state in
            guard !state.isClosed else { return (false, false, []) }
            state.isClosed = true
            let isWritable = state.failure == nil
            if isWritable { state.waiting.append { [self] _ in afterCompaction(answer) } }
            guard case .wanted = state.compaction else { return (true, isWritable, []) }
            state.compaction = .none
            defer { state.compactionWaiters = [] }
            return (true, isWritable, state.compactionWaiters)
        }
        guard isOpen else { return answer() }
        for waiter in waiters { waiter(.closed) }
        if isWritable { writer.ring(.work) } else { afterCompaction(answer) }
    }

    private func afterCompaction(_ answer: @escaping @Sendable () -> Void) {
        let isRunning = state.withLock { state in
            guard case .running = state.compaction else { return false }
            state.compactionWaiters.append { [self] _ in free(answer) }
            return true
        }
        if !isRunning { free(answer) }
    }

    private func free(_ answer: () -> Void) {
        // The room that was made for more goes with the store.
        try? state.withLock { $0.file }.recede()
        lock.withLock { $0 = nil }
        answer()
    }
}

// MARK: - State

extension Ledger.State {
    /// Why nothing can be staged now.
    var refusal: StoreFailure? {
        if isClosed { return .closed }
        if let failure { return failure }
        return staged.count > Ledger.backlogLimit ? .busy(limit: Ledger.backlogLimit) : nil
    }

    /// Applies a step for which there is room; answers at once what depends on nothing that is still on its way.
    mutating func stage(
        _ step: MemoryStore.Step, _ answer: @escaping Ledger.CommitWaiter
    ) -> Result<Batch.Outcome, StoreFailure>? {
        let outcome = stage { tree, lines in tree.commit(step, journal: &lines) }
        if outcome != .applied, staged.isEmpty, !isWriting { return .success(outcome) }
        waiting.append { answer($0.map(Result.failure) ?? .success(outcome)) }
        return nil
    }

    /// Changes the tree, and notes the lines that say so.
    mutating func stage<Result>(_ change: (inout MemoryStore, inout [UInt8]) -> Result) -> Result {
        let length = staged.count
        let result = change(&tree, &staged)
        room -= staged.count - length
        if let count = since?.count {
            if count > Ledger.backlogLimit { since = nil } else { since? += staged[length...] }
        }
        return result
    }
}
