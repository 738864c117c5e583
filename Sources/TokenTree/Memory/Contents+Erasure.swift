internal import Wire

extension Contents {
    /// Forgets a person whose records have all ended; the name's own text goes when the tree is built anew, and is in
    /// no snapshot from now on.
    mutating func forget(
        _ subject: Record.Subject, at now: Timestamp, log: inout UndoLog
    ) throws(Batch.Conflict) {
        guard let name = subject.withSpan({ names.find($0) }) else { return }
        let first = names.arena.link(of: name)
        var slots: [UInt32] = []
        var slot = first
        while slot != Self.none {
            if isUsable(slot, at: now), let id = id(ofSlot: slot) { throw .inUse(id) }
            slots.append(slot)
            slot = particulars[slot].nextOfSubject
        }
        guard names.arena.hasRoom(for: 64) else { throw .full }
        log.append(.visits(name, visits[name]))
        visits[name] = nil
        hasLitter = true
        guard let last = slots.last else { return }
        let remainder = intern(Record.remainder(of: subject), log: &log)
        for slot in slots {
            let isLock = lives[slot].kind == .lock
            amend(slot, log: &log) { more in
                (more.subject, more.attributes) = (remainder, Names.none)
                // The name that it shut out is the person's; it was lifted, and nothing finds it by that any more.
                if isLock { more.holder = Names.none }
            }
        }
        // Its list goes before that of who was forgotten under the same name.
        let others = names.arena.link(of: remainder)
        amend(last, log: &log) { $0.nextOfSubject = others }
        log.append(.link(remainder, others))
        names.arena.setLink(of: remainder, to: first)
        log.append(.link(name, first))
        names.arena.setLink(of: name, to: Self.none)
    }

    /// Whether anybody can still use or redeem a record.
    private func isUsable(_ slot: UInt32, at now: Timestamp) -> Bool {
        let life = lives[slot]
        guard judgement(ofSlot: slot, at: now).grantLives else { return false }
        return !life.kind.isRedeemable || !(life.marks.contains(.consumed) || isLapsed(slot, at: now))
    }
}
