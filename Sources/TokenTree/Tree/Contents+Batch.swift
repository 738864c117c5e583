internal import Wire

extension Contents {
    /// Applies the changes in order; when one cannot be applied, takes back those before it.
    ///
    /// - Parameter replaying: the batch was applied once before and is read back; what depends on how much is
    ///   remembered is not asked again.
    mutating func apply(_ batch: Batch, replaying: Bool) -> Batch.Conflict? {
        let namesEnd = names.arena.end
        var log = UndoLog()
        for (index, change) in batch.changes.enumerated() {
            // Every change checks all its conditions before it alters anything, so that the last one needs no way back.
            log.isKept = index < batch.changes.count - 1
            do throws(Breach) {
                try apply(change, at: batch.at, replaying: replaying, log: &log)
            } catch {
                for step in log.steps.reversed() { takeBack(step) }
                if !log.steps.isEmpty { names.truncate(to: namesEnd) }
                return Batch.Conflict(index: index, breach: error)
            }
        }
        return nil
    }
}

/// What to do, last step first, so that a batch leaves no trace.
struct UndoLog {
    var isKept = false
    private(set) var steps: [Step] = []

    enum Step {
        case life(UInt32, Life)
        case particulars(UInt32, Particulars)
        case refresh(UInt32, Record.Refresh)
        case record
        case text(UInt32)
        case link(UInt32, UInt32)
        case occupied(UInt32)
        case vacated(UInt32)
        case replay(ReplayKey, Timestamp?)
        case message(OutgoingMessage.ID, Outbox.State)
        case visits(UInt32, [Contents.ServiceUse]?)
    }

    mutating func append(_ step: @autoclosure () -> Step) {
        if isKept { steps.append(step()) }
    }
}

extension Contents {
    mutating func takeBack(_ step: UndoLog.Step) {
        switch step {
        case .life(let slot, let life): lives[Int(slot)] = life
        case .particulars(let slot, let old): particulars[Int(slot)] = old
        case .refresh(let index, let old): refreshes[Int(index)] = old
        case .record: removeLastRecord()
        case .text(let reference): names.remove(text: reference)
        case .link(let reference, let old): names.setLink(of: reference, to: old)
        case .occupied(let slot): vacate(slot)
        case .vacated(let slot): occupy(slot)
        case .replay(let key, let old): replays[key] = old
        case .message(let id, let old): outbox[id] = old
        case .visits(let subject, let old): visits[subject] = old
        }
    }

    private mutating func removeLastRecord() {
        let last = particulars[particulars.count - 1]
        names.remove(id: last.id)
        if last.refresh != Self.none { refreshes.removeLast() }
        particulars.removeLast()
        lives.removeLast()
    }

    /// Lets a record be found by its holder.
    mutating func occupy(_ slot: UInt32) {
        occupants.insert(slot, hash: Self.hash(lives[Int(slot)].kind, particulars[Int(slot)].holder))
    }

    mutating func vacate(_ slot: UInt32) {
        occupants.remove(slot, hash: Self.hash(lives[Int(slot)].kind, particulars[Int(slot)].holder))
    }
}
