internal import Wire

extension Contents {
    func answer(to key: Facts.Key) -> Facts.Answer {
        switch key {
        case .record(let id): .lineage(lineage(of: id))
        case .holder(let kind, let holder): .lineage(lineage(ofSlot: occupant(of: kind, holder: holder)))
        case .replay(let key): .remembered(until: replays[key])
        case .services(let subject): .visits(visits(of: subject))
        case .message(let id): .message(outbox[id].pending)
        case .records(let selection, let last, let limit): .page(page(of: selection, after: last, limit: limit))
        case .outgoing(let due, let limit): .messages(outbox.due(due, limit: limit))
        }
    }

    private func visits(of subject: Record.Subject) -> [Facts.Visit] {
        guard let reference = subject.withSpan({ names.find($0) }), let uses = visits[reference] else { return [] }
        return uses.compactMap { use in
            names.identifier(use.service).map { Facts.Visit(service: $0, last: use.last) }
        }
    }

    func page(of selection: Facts.Selection, after last: TokenID? = nil, limit: Int) -> Facts.Page? {
        guard limit > 0 else { return Facts.Page(lineages: [], next: last) }
        let after = last.flatMap { slot(of: $0) }
        if last != nil, after == nil { return nil }
        switch selection {
        case .all(let kind):
            return page(of: kind, limit: limit, from: after.map { $0 + 1 } ?? 0) { $0 + 1 }
        case .subject(let subject, let kind):
            guard let reference = subject.withSpan({ names.find($0) }) else {
                return after == nil ? Facts.Page(lineages: [], next: nil) : nil
            }
            if let after, particulars[after].subject != reference { return nil }
            let first = after.map { particulars[$0].nextOfSubject } ?? names.arena.link(of: reference)
            return page(of: kind, limit: limit, from: first) { particulars[$0].nextOfSubject }
        case .under(let root, let kind):
            guard let root = slot(of: root) else { return nil }
            if let after, !grounds(of: after, include: { $0 == root }) { return nil }
            let first = follower(of: after ?? root, under: root)
            return page(of: kind, limit: limit, from: first) { follower(of: $0, under: root) }
        }
    }

    private func page(of kind: Record.Kind, limit: Int, from first: UInt32, next: (UInt32) -> UInt32) -> Facts.Page {
        var lineages: [Lineage] = []
        var slot = first
        while slot < lives.count {
            if lives[slot].kind == kind, !lives[slot].marks.contains(.removed) {
                if lineages.count == limit { return Facts.Page(lineages: lineages, next: lineages.last?.record.id) }
                if let lineage = lineage(ofSlot: slot) { lineages.append(lineage) }
            }
            slot = next(slot)
        }
        return Facts.Page(lineages: lineages, next: nil)
    }

    /// Whether a record or one that it stands on is such a one.
    func grounds(of slot: UInt32, include isSought: (UInt32) -> Bool) -> Bool {
        var current = slot
        while current != Self.none {
            if isSought(current) { return true }
            current = lives[current].parent
        }
        return false
    }

    /// The record after this one below a root, each before what stands on it; none after the last.
    private func follower(of slot: UInt32, under root: UInt32) -> UInt32 {
        let child = particulars[slot].firstChild
        if child != Self.none { return child }
        var current = slot
        while current != root, current != Self.none {
            let sibling = particulars[current].next
            if sibling != Self.none { return sibling }
            current = lives[current].parent
        }
        return Self.none
    }
}
