internal import Synchronization
internal import TokenTree
internal import Wire

/// A tree, what of it waits to be written, and the files: what a journal store's callers and its two threads share.
///
/// Callers stage changes in memory and wait. The writer takes all that is staged as one group, makes it durable, and
/// only then answers, so that all who wait at a time share one call of the disk. The compactor writes snapshots.
final class Ledger: Sendable {
    let folder: any Folder
    let limits: MemoryStore.Limits
    let clock: (@Sendable () -> Timestamp)?
    let state: Mutex<State>
    /// That the folder is this process's own, as long as anybody works in it.
    let lock: Mutex<FolderLock?>
    /// Wakes the writer.
    let writer = Bell()
    /// Wakes the compactor.
    let compactor = Bell()

    /// What callers and threads share, under one lock that is never held while the disk works.
    struct State {
        var tree: MemoryStore
        /// Lines that are in the tree and in no file.
        var staged: [UInt8] = []
        /// Who waits for them.
        var waiting: [Waiter] = []
        /// Who waits for room on the disk.
        var parked: [(step: MemoryStore.Step, waiter: CommitWaiter)] = []
        /// Whether a group is on its way to the disk.
        var isWriting = false
        /// So many bytes more are certain to find room.
        var room = 0
        /// Why the last write failed, until the files were read again.
        var failure: StoreFailure?
        var isClosed = false
        var compaction = CompactionState.none
        /// Who waits for a compaction.
        var compactionWaiters: [Waiter] = []
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

    /// How far a compaction is.
    enum CompactionState {
        case none
        /// Somebody asked for it.
        case wanted
        /// This state waits for the compactor, or is being written.
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
                tree: recovered.tree, journalByteCount: recovered.journalByteCount,
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

    /// Removes what is dead, and answers when that is durable.
    func purge(
        at now: Timestamp, keeping retention: Retention,
        then answer: @escaping @Sendable (Result<Int, StoreFailure>) -> Void
    ) {
        let refusal: StoreFailure? = state.withLock { state in
            if let refusal = state.refusal { return refusal }
            let removed = state.tree.purge(at: now, keeping: retention, journal: &state.staged)
            state.waiting.append { answer($0.map(Result.failure) ?? .success(removed)) }
            return nil
        }
        if let refusal { return answer(.failure(refusal)) }
        writer.ring(.work)
    }
}

// MARK: - Closing

extension Ledger {
    /// Takes nothing more, and answers when all that was staged is durable, the compactor done, and the folder free.
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
        let length = staged.count
        let outcome = tree.commit(step, journal: &staged)
        room -= staged.count - length
        if outcome != .applied, staged.isEmpty, !isWriting { return .success(outcome) }
        waiting.append { answer($0.map(Result.failure) ?? .success(outcome)) }
        return nil
    }
}
