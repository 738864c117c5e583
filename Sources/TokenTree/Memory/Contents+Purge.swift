internal import Wire

extension Contents {
    mutating func removeDead(at now: Timestamp, keeping retention: Retention) -> Int {
        replays.forget(at: now)
        outbox.forget(settledBefore: now - retention.settled)
        let kept = survivors(at: now, keeping: retention)
        let removed = kept.count { !$0 }
        if removed > 0 || hasLitter { rebuild(keeping: kept) }
        return removed
    }

    /// Which slots stay.
    func survivors(at now: Timestamp, keeping retention: Retention) -> [Bool] {
        var kept = [Bool](repeating: false, count: lives.count)
        let subjects = Set(outbox.pending.values.compactMap { $0.about.flatMap { slot(of: $0) } })
        for slot in 0..<lives.end where !kept[Int(slot)] {
            guard !isPastUse(slot, at: now, keeping: retention) || isAwaited(slot, subjects) else { continue }
            // What stays keeps its grounds.
            var current = slot
            while current != Self.none, !kept[Int(current)] {
                kept[Int(current)] = true
                current = lives[current].parent
            }
        }
        return kept
    }

    private func isPastUse(_ slot: UInt32, at now: Timestamp, keeping retention: Retention) -> Bool {
        let judgement = judgement(ofSlot: slot, at: now)
        if isUntold(slot, judgement) { return false }
        let ends = [judgement.revoked?.at, judgement.ended?.at, endOfPresentation(slot)]
        guard let death = ends.compactMap({ $0 }).min() else { return false }
        let life = lives[slot]
        if life.marks.contains(.revoked), life.reason == .barred { return false }
        if life.marks.contains(.hasAccess), now < particulars[slot].access { return false }
        return death + retention.explained <= now
    }

    /// When a code or assertion can no longer be presented: past that, it stays only for what stands on it (threat 75).
    ///
    /// An assertion on a ground stays as long as that: by it its service is told of the end.
    private func endOfPresentation(_ slot: UInt32) -> Timestamp? {
        let life = lives[slot]
        guard life.kind.isRedeemable, life.marks.contains(.hasAccess) else { return nil }
        return life.kind == .assertion && life.parent != Self.none ? nil : particulars[slot].access
    }

    /// Whether a code or assertion can no longer be presented.
    func isLapsed(_ slot: UInt32, at now: Timestamp) -> Bool {
        lives[slot].marks.contains(.hasAccess) && particulars[slot].access <= now
    }

    /// Whether an assertion was ended with its ground and not taken back itself: nobody has told its service yet.
    private func isUntold(_ slot: UInt32, _ judgement: Judgement<UInt32>) -> Bool {
        let life = lives[slot]
        return life.kind == .assertion && life.parent != Self.none && judgement.revoked != nil
            && !life.marks.contains(.revoked)
    }

    /// Whether a message on its way is about the record or one that it stands on.
    private func isAwaited(_ slot: UInt32, _ subjects: Set<UInt32>) -> Bool {
        !subjects.isEmpty && grounds(of: slot, include: { subjects.contains($0) })
    }

    /// Builds the tree anew from the slots that stay, in the same order.
    private mutating func rebuild(keeping kept: [Bool]) {
        var fresh = Contents(
            replays: replays, outbox: outbox, limits: limits, chain: chain, unprovenBefore: unprovenBefore)
        var log = UndoLog()
        var moved = [UInt32](repeating: Self.none, count: kept.count)
        for slot in 0..<lives.end where kept[Int(slot)] {
            guard let entry = entry(ofSlot: slot) else { continue }
            moved[Int(slot)] = fresh.lives.end
            // Hung on its parent below, because a regrounded client may stand on a record that comes after it.
            fresh.add(entry.record, entry.fate, attributes: entry.record.attributes.stored, log: &log)
        }
        for slot in 0..<lives.end where moved[Int(slot)] != Self.none {
            fresh.adopt(
                children(of: slot).map { moved[Int($0)] }.filter { $0 != Self.none }, by: moved[Int(slot)])
        }
        for (subject, uses) in visits {
            guard let name: Record.Subject = names.identifier(subject) else { continue }
            for use in uses {
                guard let service: Record.Audience = names.identifier(use.service) else { continue }
                fresh.note(name, service, at: use.last, log: &log)
            }
        }
        self = fresh
    }

    private func children(of slot: UInt32) -> [UInt32] {
        var children: [UInt32] = []
        var child = particulars[slot].firstChild
        while child != Self.none {
            children.append(child)
            child = particulars[child].next
        }
        return children
    }

    /// Hangs records that have no parent yet on this one, in this order.
    private mutating func adopt(_ children: [UInt32], by parent: UInt32) {
        particulars[parent].firstChild = children.first ?? Self.none
        for (index, child) in children.enumerated() {
            lives[child].parent = parent
            particulars[child].previous = index > 0 ? children[index - 1] : Self.none
            particulars[child].next = index + 1 < children.count ? children[index + 1] : Self.none
        }
    }
}
