internal import Wire

extension Contents {
    /// Whether there is anything that a tree built anew would not have.
    var isWasteful: Bool { vacancies > 0 || hasLitter }

    /// The same tree, built anew: without vacant slots, and without texts that nothing refers to.
    ///
    /// No record is made a value for that: a tree is built anew after each purge, however little that took away.
    func renewed() -> Contents {
        var fresh = Contents(
            names: Names(roomFor: names), occupants: HashIndex(roomFor: occupants), replays: replays, outbox: outbox,
            limits: limits, chain: chain, unprovenBefore: unprovenBefore)
        var moves = [UInt32](repeating: Self.none, count: lives.count)
        var end: UInt32 = 0
        for slot in 0..<lives.end where !lives[slot].marks.contains(.removed) {
            moves[Int(slot)] = end
            end += 1
        }
        for slot in 0..<lives.end where moves[Int(slot)] != Self.none { fresh.append(slot, of: self, moves) }
        for (subject, uses) in visits {
            let name = fresh.names.intern(subject, of: names)
            fresh.visits[name] = uses.map {
                ServiceUse(service: fresh.names.intern($0.service, of: names), last: $0.last)
            }
        }
        return fresh
    }

    /// Appends a record of another tree, whose links lead to where the moves take their slots.
    private mutating func append(_ slot: UInt32, of old: borrowing Contents, _ moves: [UInt32]) {
        func moved(_ slot: UInt32) -> UInt32 { slot == Self.none ? Self.none : moves[Int(slot)] }
        let new = lives.end
        var life = old.lives[slot]
        life.parent = moved(life.parent)
        lives.append(life)
        var more = old.particulars[slot]
        more.id = names.insert(more.id, of: old.names, slot: new)
        more.holder = names.intern(more.holder, of: old.names)
        more.subject = names.intern(more.subject, of: old.names)
        more.audience = names.intern(more.audience, of: old.names)
        more.scope = names.intern(more.scope, of: old.names)
        more.boundKey = names.intern(more.boundKey, of: old.names)
        more.attributes = names.intern(more.attributes, of: old.names)
        if more.refresh != Self.none {
            refreshes.append(old.refreshes[more.refresh])
            more.refresh = refreshes.end - 1
        }
        more.firstChild = moved(more.firstChild)
        more.next = moved(more.next)
        more.previous = moved(more.previous)
        more.nextOfSubject = Self.none
        particulars.append(more)
        if life.marks.contains(.confirmed) { confirmations[new] = old.confirmations[slot] }
        var log = UndoLog()
        enter(new, log: &log)
    }
}

extension Names {
    /// Adds the name that a record has among others, which must be new here.
    fileprivate mutating func insert(_ id: UInt32, of others: Names, slot: UInt32) -> UInt32 {
        others.arena.withRun(id) { insert($0, slot: slot) }
    }

    /// The reference of a text that has another one among others.
    fileprivate mutating func intern(_ reference: UInt32, of others: Names) -> UInt32 {
        guard reference != Self.none else { return Self.none }
        return others.arena.withRun(reference) { intern($0).reference }
    }
}
