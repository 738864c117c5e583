internal import Wire

extension Contents {
    mutating func removeDead(at now: Timestamp, keeping retention: Retention) -> Int {
        replays.sweep(at: now)
        outbox.forget(settledBefore: now - retention.settled)
        let kept = survivors(at: now, keeping: retention)
        let removed = kept.count { !$0 }
        guard removed > 0 else { return 0 }
        rebuild(keeping: kept)
        return removed
    }

    /// Which slots stay.
    private func survivors(at now: Timestamp, keeping retention: Retention) -> [Bool] {
        var kept = [Bool](repeating: false, count: lives.count)
        let subjects = Set(outbox.pending.values.compactMap { $0.about.flatMap { slot(of: $0) } })
        for index in 0..<lives.count where !kept[index] {
            let slot = UInt32(truncatingIfNeeded: index)
            guard !isPastUse(slot, at: now, keeping: retention) || isAwaited(slot, subjects) else { continue }
            // What stays keeps its grounds.
            var current = slot
            while current != Self.none, !kept[Int(current)] {
                kept[Int(current)] = true
                current = lives[Int(current)].parent
            }
        }
        return kept
    }

    private func isPastUse(_ slot: UInt32, at now: Timestamp, keeping retention: Retention) -> Bool {
        let judgement = judgement(ofSlot: slot, at: now)
        guard let death = [judgement.revoked?.at, judgement.ended?.at].compactMap({ $0 }).min() else { return false }
        let life = lives[Int(slot)]
        if life.marks.contains(.revoked), life.reason == .barred { return false }
        if life.marks.contains(.hasAccess), now < particulars[Int(slot)].access { return false }
        return death + retention.explained <= now
    }

    /// Whether a message on its way is about the record or one that it stands on.
    private func isAwaited(_ slot: UInt32, _ subjects: Set<UInt32>) -> Bool {
        guard !subjects.isEmpty else { return false }
        var current = slot
        while current != Self.none {
            if subjects.contains(current) { return true }
            current = lives[Int(current)].parent
        }
        return false
    }

    /// Builds the tree anew from the slots that stay, in the same order.
    private mutating func rebuild(keeping kept: [Bool]) {
        var fresh = Contents(limits: limits, chain: chain)
        fresh.replays = replays
        fresh.outbox = outbox
        var log = UndoLog()
        var moved = [UInt32](repeating: Self.none, count: kept.count)
        for index in kept.indices where kept[index] {
            let slot = UInt32(truncatingIfNeeded: index)
            guard let entry = entry(ofSlot: slot) else { continue }
            moved[index] = UInt32(truncatingIfNeeded: fresh.lives.count)
            // Hung on its parent below, because a regrounded client may stand on a record that comes after it.
            let attributes = entry.record.attributes.members.isEmpty ? [] : entry.record.attributes.encoded()
            fresh.add(entry.record, entry.fate, parent: Self.none, attributes: attributes, log: &log)
        }
        for index in kept.indices where moved[index] != Self.none {
            fresh.adopt(
                children(of: UInt32(truncatingIfNeeded: index)).map { moved[Int($0)] }.filter { $0 != Self.none },
                by: moved[index])
        }
        for (subject, uses) in visits {
            guard let name: Record.Subject = names.identifier(subject) else { continue }
            for use in uses {
                guard let service: Record.Audience = names.identifier(use.service) else { continue }
                fresh.note(name, service, at: use.last)
            }
        }
        self = fresh
    }

    private func children(of slot: UInt32) -> [UInt32] {
        var children: [UInt32] = []
        var child = particulars[Int(slot)].firstChild
        while child != Self.none {
            children.append(child)
            child = particulars[Int(child)].next
        }
        return children
    }

    /// Hangs records that have no parent yet on this one, in this order.
    mutating func adopt(_ children: [UInt32], by parent: UInt32) {
        particulars[Int(parent)].firstChild = children.first ?? Self.none
        for (index, child) in children.enumerated() {
            lives[Int(child)].parent = parent
            particulars[Int(child)].previous = index > 0 ? children[index - 1] : Self.none
            particulars[Int(child)].next = index + 1 < children.count ? children[index + 1] : Self.none
        }
    }

    /// Notes a use whose conditions were checked before.
    mutating func note(_ subject: Record.Subject, _ service: Record.Audience, at time: Timestamp) {
        let subject = names.intern([UInt8](subject.text.utf8)).reference
        let service = names.intern([UInt8](service.text.utf8)).reference
        note(ServiceUse(service: service, last: time), of: subject)
    }
}
