internal import Synchronization
internal import TokenTree
internal import Wire

// What the writer does; nobody else touches the journal's file.

extension Ledger {
    /// Writes all that is staged, group by group, until nothing is left.
    func write() {
        recoverAfterFailure()
        while true {
            makeRoom()
            let next = nextFile()
            guard let group = take(turning: next != nil) else { return }
            var file = group.file
            do throws(StoreFailure) {
                if !group.lines.isEmpty { try file.append(group.lines) }
            } catch {
                fail(error, group.waiting)
                return recoverAfterFailure()
            }
            finish(group, file, next)
        }
    }

    /// What is written at once.
    private struct Taken {
        let lines: [UInt8]
        let waiting: [Waiter]
        let file: JournalFile
        /// The state behind these lines, where a snapshot of it follows.
        let tree: MemoryStore?
    }

    private func take(turning: Bool) -> Taken? {
        state.withLock { state in
            guard state.failure == nil, turning || !state.waiting.isEmpty else { return nil }
            let taken = Taken(
                lines: state.staged, waiting: state.waiting, file: state.file, tree: turning ? state.tree : nil)
            state.staged = []
            state.waiting = []
            state.isWriting = true
            state.room -= Group.headerLimit
            return taken
        }
    }

    /// Notes that a group is durable, and answers who waited for it.
    private func finish(_ group: Taken, _ file: JournalFile, _ next: JournalFile?) {
        state.withLock { state in
            state.isWriting = false
            state.journalByteCount += file.byteCount - state.file.byteCount
            state.file = file
            guard let next, let tree = group.tree else { return }
            state.file = next
            // What was staged meanwhile comes first in it.
            state.room = max(0, Self.roomStep - state.staged.count)
            state.journalByteCount = 0
            state.compaction = .running(tree, generation: next.generation)
        }
        if next != nil { keeper.ring(.work) }
        for answer in group.waiting { answer(nil) }
    }

    /// A file for what comes behind the next snapshot, when that is due, with the room that it needs at first; where it
    /// cannot be made, the old one goes on in the room that it has.
    private func nextFile() -> JournalFile? {
        let file: JournalFile? = state.withLock { state in
            guard state.failure == nil, !state.isClosed else { return nil }
            switch state.compaction {
            case .running: return nil
            case .wanted: return state.file
            case .none: return state.journalByteCount >= state.compactionThreshold ? state.file : nil
            }
        }
        guard let file else { return nil }
        do throws(StoreFailure) {
            return try JournalFile(beginning: file.generation + 1, with: Self.roomStep, in: folder)
        } catch {
            endCompaction(error)
            return nil
        }
    }
}

// MARK: - Room

extension Ledger {
    /// Sees to it that what is staged next finds room, and stages what had to wait for that.
    private func makeRoom() {
        let (file, staged, needed): (JournalFile, Int, Int) = state.withLock { state in
            let parked =
                state.parked.reduce(0) { $0 + $1.step.byteCountLimit }
                + (state.isPurgeParked ? MemoryStore.Purge.sliceByteLimit : 0)
            let step = state.room < Self.roomStep / 2 || parked > 0 ? Self.roomStep : 0
            return (state.file, state.staged.count, parked + step)
        }
        guard needed > 0 else { return }
        var failure: StoreFailure?
        do throws(StoreFailure) { try file.reserve(staged + Group.headerLimit + needed) } catch { failure = error }
        let (answers, purge, isPurging) = state.withLock { state in
            // What was staged meanwhile took of it.
            if failure == nil { state.room = needed - (state.staged.count - staged) }
            let parked = state.parked
            state.parked = []
            let answers = parked.map { entry in (entry.waiter, state.unpark(entry, failure)) }
            return (answers, state.unparkPurge(failure), !state.purges.isEmpty)
        }
        for (answer, result) in answers { if let result { answer(result) } }
        if let purge, let failure { purge.answer(.failure(failure)) }
        if isPurging { keeper.ring(.work) }
    }
}

extension Ledger.State {
    fileprivate mutating func unpark(
        _ entry: (step: MemoryStore.Step, waiter: Ledger.CommitWaiter), _ failure: StoreFailure?
    ) -> Result<Batch.Outcome, StoreFailure>? {
        if let refusal { return .failure(refusal) }
        guard entry.step.byteCountLimit <= room else { return .failure(failure ?? .busy(limit: room)) }
        return stage(entry.step, entry.waiter)
    }

    /// Lets the purge go on that waited for room; gives it back if there is none.
    fileprivate mutating func unparkPurge(_ failure: StoreFailure?) -> Ledger.Purging? {
        guard isPurgeParked else { return nil }
        isPurgeParked = false
        return failure == nil || purges.isEmpty ? nil : purges.removeFirst()
    }
}

// MARK: - Failures

extension Ledger {
    /// Notes that a write failed: what it had is uncertain, and so is all that was staged on top of it.
    private func fail(_ failure: StoreFailure, _ waiting: [Waiter]) {
        let (all, parked) = state.withLock { state in
            state.failure = failure
            state.isWriting = false
            let all = waiting + state.waiting
            let parked = state.parked
            (state.staged, state.waiting, state.parked) = ([], [], [])
            state.isPurgeParked = false
            return (all, parked)
        }
        keeper.ring(.work)
        for answer in all { answer(.uncertain(failure.text)) }
        for entry in parked { entry.waiter(.failure(failure)) }
    }

    /// Reads the files again after a failed write, as soon as they can be written.
    ///
    /// What the write left is cut off first, so that nothing becomes durable of which nobody was told.
    private func recoverAfterFailure() {
        let file: JournalFile? = state.withLock { state in
            guard state.failure != nil, !state.isClosed else { return nil }
            // The keeper changes the folder; it calls again when it is done.
            if case .running = state.compaction { return nil }
            return state.file
        }
        guard let file else { return }
        do throws(StoreFailure) {
            try file.recede()
            var line: [UInt8] = []
            guard
                let recovered = try Recovery(folder, as: .inPlace, limits: limits, clock: clock, unproven: &line)
            else { throw .gone(path: folder.path) }
            let file = try JournalFile(continuing: recovered, in: folder)
            state.withLock { state in
                state.tree = recovered.tree
                state.rereadings += 1
                state.since = nil
                state.file = file
                state.room = 0
                state.journalByteCount = recovered.journalByteCount
                state.failure = nil
            }
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}
