internal import Synchronization
internal import TokenTree
internal import Wire

// What the keeper does beside the work, in steps that nobody waits long for (STO-5).

extension Ledger {
    /// Does what is due, until nothing is left.
    func keep() {
        compact()
        purge()
        renew()
    }
}

// MARK: - Snapshots

extension Ledger {
    /// Writes the state that waits for it.
    private func compact() {
        let task: (MemoryStore, Int)? = state.withLock { state in
            guard case .running(let tree, let generation) = state.compaction else { return nil }
            return (tree, generation)
        }
        guard let (tree, generation) = task else { return }
        do throws(StoreFailure) {
            var compaction = try Compaction(of: tree, as: generation, in: folder)
            try compaction.run()
            let byteCount = compaction.byteCount
            state.withLock { $0.compactionThreshold = max(leastJournal, byteCount) }
            endCompaction(nil)
        } catch {
            endCompaction(error)
        }
    }

    /// Ends a compaction; one that failed is tried again when the journals have doubled.
    func endCompaction(_ failure: StoreFailure?) {
        let waiters = state.withLock { state in
            if failure != nil { state.compactionThreshold = 2 * max(state.journalByteCount, state.compactionThreshold) }
            state.compaction = .none
            if failure == nil, state.isCompactionDue { state.wantCompaction() }
            let waiters = state.compactionWaiters
            state.compactionWaiters = []
            return waiters
        }
        for answer in waiters { answer(failure) }
        writer.ring(.work)
    }
}

extension Ledger.State {
    /// Sees to it that what was removed goes from the files as well: with the next snapshot, which is made now or after
    /// the one that is being written.
    fileprivate mutating func wantCompaction() {
        // One that is wanted may have its state already, while the last group before it is on its way.
        if case .none = compaction { (compaction, isCompactionDue) = (.wanted, false) } else { isCompactionDue = true }
    }
}

// MARK: - Purges

extension Ledger {
    /// A purge on its way, and who waits for it.
    struct Purging {
        var purge: MemoryStore.Purge
        /// How often the files had been read again when it began.
        let rereadings: Int
        let answer: PurgeWaiter
    }

    /// How far a slice brought a purge.
    fileprivate enum PurgeProgress {
        /// There is none, or it waits for room.
        case none
        case more
        case staged
        case failed(PurgeWaiter, StoreFailure)
    }

    /// Takes slices of the purges that wait, with pauses in which others have their turn.
    private func purge() {
        while true {
            switch state.withLock({ $0.advancePurge() }) {
            case .none: return
            case .more: break
            case .staged: writer.ring(.work)
            case .failed(let answer, let failure): answer(.failure(failure))
            }
            Worker.giveWay()
        }
    }
}

extension Ledger.State {
    fileprivate mutating func advancePurge() -> Ledger.PurgeProgress {
        guard !isPurgeParked, var first = purges.first else { return .none }
        if let refusal {
            purges.removeFirst()
            return .failed(first.answer, refusal)
        }
        guard first.rereadings == rereadings else {
            purges.removeFirst()
            return .failed(first.answer, .uncertain("the files were read again after a failed write"))
        }
        guard room >= MemoryStore.Purge.sliceByteLimit else {
            isPurgeParked = true
            return .staged
        }
        let isLeft = stage { tree, lines in tree.advance(&first.purge, journal: &lines) }
        purges[0] = first
        if isLeft { return .more }
        purges.removeFirst()
        let (answer, removed) = (first.answer, first.purge.removed)
        waiting.append { answer($0.map(Result.failure) ?? .success(removed)) }
        if tree.isWasteful {
            isRenewalDue = true
            wantCompaction()
        }
        return .staged
    }
}

// MARK: - Renewal

extension Ledger {
    /// So much is followed while others wait.
    private static let lastStretch = 1 << 15

    /// Builds the tree anew, beside the work.
    private func renew() {
        if let tree = beginRenewal() { catchUp(tree.renewed()) }
    }

    /// The state from which the tree is to be built anew, if it is; what is staged from now on is noted.
    func beginRenewal() -> MemoryStore? {
        state.withLock { state in
            guard state.isRenewalDue, state.refusal == nil else { return nil }
            state.isRenewalDue = false
            state.since = []
            return state.tree
        }
    }

    /// Lets a tree that was built anew follow what was staged meanwhile, as one that is restored follows its journal,
    /// and puts it in the place of the old one.
    ///
    /// Bound: each stretch is staged while the one before is followed, which is faster; where it is not, the old tree
    /// stays until the next purge.
    func catchUp(_ fresh: consuming MemoryStore) {
        var fresh = fresh
        for _ in 0..<16 {
            let lines: [UInt8]? = state.withLock { state in
                guard let lines = state.since else { return nil }
                guard lines.count <= Self.lastStretch else {
                    state.since = []
                    return lines
                }
                // The old tree is given back when this function ends, where nobody waits.
                if let tree = fresh.following(lines) { (fresh, state.tree) = (state.tree, tree) }
                return nil
            }
            guard let lines, let tree = fresh.following(lines) else { break }
            fresh = tree
        }
        state.withLock { $0.since = nil }
    }
}

extension MemoryStore {
    /// The tree after what these lines say; `nil` if they do not follow.
    fileprivate func following(_ lines: [UInt8]) -> MemoryStore? {
        var restoration = Restoration(continuing: self)
        do throws(Restoration.Rejection) { try restoration.read(lines) } catch { return nil }
        return restoration.continued()
    }
}
