internal import Wire

extension Contents {
    func answer(to key: Facts.Key) -> Facts.Answer {
        switch key {
        case .record(let id):
            .lineage(lineage(of: id))
        case .holder(let kind, let holder):
            .lineage(lineage(of: kind, heldBy: holder))
        case .replay(let key):
            .remembered(until: replays[key])
        case .services(let subject):
            .visits(visits(of: subject))
        case .message(let id):
            .message(outbox[id].pending)
        case .records(let selection, let last, let limit):
            .page(page(of: selection, after: last, limit: limit))
        case .outgoing(let due, let limit):
            .messages(outbox.due(due, limit: limit))
        }
    }

    private func lineage(of kind: Record.Kind, heldBy holder: Record.Holder) -> Lineage? {
        guard let slot = occupant(of: kind, holder: holder) else { return nil }
        return lineage(ofSlot: slot)
    }

    private func visits(of subject: Record.Subject) -> [Facts.Visit] {
        guard let reference = subject.withSpan({ names.find($0) }), let uses = visits[reference] else { return [] }
        return uses.compactMap { use in
            names.identifier(use.service).map { Facts.Visit(service: $0, last: use.last) }
        }
    }
}

// MARK: - Lists

extension Contents {
    func page(of selection: Facts.Selection, after last: TokenID? = nil, limit: Int) -> Facts.Page? {
        guard limit > 0 else { return Facts.Page(lineages: [], next: last) }
        var after: UInt32?
        if let last {
            guard let slot = slot(of: last) else { return nil }
            after = slot
        }
        switch selection {
        case .all(let kind):
            let first = after.map { $0 + 1 } ?? 0
            return page(of: kind, limit: limit, from: first) { slot in slot + 1 }
        case .subject(let subject, let kind):
            guard let reference = subject.withSpan({ names.find($0) }) else {
                return after == nil ? Facts.Page(lineages: [], next: nil) : nil
            }
            if let after, particulars[Int(after)].subject != reference { return nil }
            let first = after.map { particulars[Int($0)].nextOfSubject } ?? names.link(of: reference)
            return page(of: kind, limit: limit, from: first) { slot in particulars[Int(slot)].nextOfSubject }
        case .under(let root, let kind):
            guard let root = slot(of: root) else { return nil }
            if let after, !stands(after, on: root) { return nil }
            return page(of: kind, limit: limit, from: follower(of: after ?? root, under: root)) { slot in
                follower(of: slot, under: root)
            }
        }
    }

    private func page(of kind: Record.Kind, limit: Int, from first: UInt32, next: (UInt32) -> UInt32) -> Facts.Page {
        var lineages: [Lineage] = []
        var slot = first
        while slot < lives.count {
            if lives[Int(slot)].kind == kind {
                if lineages.count == limit { return Facts.Page(lineages: lineages, next: lineages.last?.record.id) }
                if let lineage = lineage(ofSlot: slot) { lineages.append(lineage) }
            }
            slot = next(slot)
        }
        return Facts.Page(lineages: lineages, next: nil)
    }

    private func stands(_ slot: UInt32, on ground: UInt32) -> Bool {
        var current = slot
        while current != Self.none {
            if current == ground { return true }
            current = lives[Int(current)].parent
        }
        return false
    }

    /// The record after this one below a root, each before what stands on it; none after the last.
    private func follower(of slot: UInt32, under root: UInt32) -> UInt32 {
        let child = particulars[Int(slot)].firstChild
        if child != Self.none { return child }
        var current = slot
        while current != root, current != Self.none {
            let sibling = particulars[Int(current)].next
            if sibling != Self.none { return sibling }
            current = lives[Int(current)].parent
        }
        return Self.none
    }
}
