internal import Wire

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
        case confirmation(UInt32, Timestamp?)
    }

    mutating func append(_ step: @autoclosure () -> Step) {
        if isKept { steps.append(step()) }
    }
}

extension Contents {
    mutating func takeBack(_ step: UndoLog.Step) {
        switch step {
        case .life(let slot, let old): lives[slot] = old
        case .particulars(let slot, let old): particulars[slot] = old
        case .refresh(let index, let old): refreshes[index] = old
        case .record:
            let last = particulars[particulars.end - 1]
            names.remove(id: last.id)
            if last.refresh != Self.none { refreshes.removeLast() }
            particulars.removeLast()
            lives.removeLast()
        case .text(let reference): names.remove(text: reference)
        case .link(let reference, let old): names.arena.setLink(of: reference, to: old)
        case .occupied(let slot): vacate(slot)
        case .vacated(let slot): occupy(slot)
        case .replay(let key, let old): replays.takeBack(key, to: old)
        case .message(let id, let old): outbox[id] = old
        case .visits(let subject, let old): visits[subject] = old
        case .confirmation(let slot, let old): confirmations[slot] = old
        }
    }

    /// Alters the particulars of a record.
    @inline(__always)
    mutating func amend(_ slot: UInt32, log: inout UndoLog, _ change: (inout Particulars) -> Void) {
        log.append(.particulars(slot, particulars[slot]))
        change(&particulars[slot])
    }

    /// Alters a record.
    @inline(__always)
    mutating func amend(_ slot: UInt32, log: inout UndoLog, _ change: (inout Life, inout Particulars) -> Void) {
        log.append(.life(slot, lives[slot]))
        log.append(.particulars(slot, particulars[slot]))
        change(&lives[slot], &particulars[slot])
    }

    /// Lets a record be found by its holder.
    mutating func occupy(_ slot: UInt32) {
        occupants.insert(slot, hash: Self.hash(lives[slot].kind, particulars[slot].holder))
    }

    mutating func vacate(_ slot: UInt32) {
        occupants.remove(slot, hash: Self.hash(lives[slot].kind, particulars[slot].holder))
    }
}
