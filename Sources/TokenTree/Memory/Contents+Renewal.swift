internal import Wire

extension Contents {
    /// Whether there is anything that a tree built anew would not have.
    var isWasteful: Bool { vacancies > 0 || hasLitter }

    /// The same tree, built anew: without vacant slots, and without texts that nothing refers to.
    func renewed() -> Contents {
        var fresh = Contents(
            replays: replays, outbox: outbox, limits: limits, chain: chain, unprovenBefore: unprovenBefore)
        var log = UndoLog()
        var moved = [UInt32](repeating: Self.none, count: lives.count)
        for slot in 0..<lives.end {
            guard let entry = entry(ofSlot: slot) else { continue }
            moved[Int(slot)] = fresh.lives.end
            // Hung on its parent below, because a regrounded client may stand on a record that comes after it.
            fresh.add(entry.record, entry.fate, attributes: entry.record.attributes.stored, log: &log)
        }
        for slot in 0..<lives.end where moved[Int(slot)] != Self.none {
            fresh.adopt(children(of: slot).map { moved[Int($0)] }, by: moved[Int(slot)])
        }
        for (subject, uses) in visits {
            guard let name: Record.Subject = names.identifier(subject) else { continue }
            for use in uses {
                guard let service: Record.Audience = names.identifier(use.service) else { continue }
                fresh.note(name, service, at: use.last, log: &log)
            }
        }
        return fresh
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
