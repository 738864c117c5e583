internal import Wire

// Each change first checks all its conditions, then alters; see `Change` for what they are.

extension Contents {
    mutating func apply(_ change: Change, at now: Timestamp, replaying: Bool, log: inout UndoLog) throws(Breach) {
        switch change {
        case .insert(let record):
            try insert(record, at: now, log: &log)
        case .revoke(let id, let reason):
            try revoke(id, reason, at: now, log: &log)
        case .consume(let id):
            try consume(id, at: now, log: &log)
        case .rotate(let id, let from, let to, let accessExpiry):
            try rotate(id, from: from, to: to, accessExpiry: accessExpiry, at: now, log: &log)
        case .reground(let id, let from, let onto):
            try reground(id, from: from, onto: onto, at: now, log: &log)
        case .describe(let id, let attributes):
            try describe(id, attributes, at: now, log: &log)
        case .touch(let id):
            try touch(id, at: now, log: &log)
        case .visit(let subject, let service):
            try visit(subject, service, at: now, log: &log)
        case .remember(let key, let until):
            try remember(key, until: until, at: now, replaying: replaying, log: &log)
        case .enqueue(let message):
            enqueue(message, log: &log)
        case .attempt(let id, let attempts, let retry):
            try attempt(id, after: attempts, retry: retry, log: &log)
        case .settle(let id, let settlement):
            try settle(id, settlement, at: now, log: &log)
        }
    }

    /// The slot of a record that is known.
    private func known(_ id: TokenID) throws(Breach) -> UInt32 {
        guard let slot = slot(of: id) else { throw .unknown(id) }
        return slot
    }

    /// The slot of a record that lives: known, and neither it nor a ground of it has ended.
    private func living(_ id: TokenID, at now: Timestamp) throws(Breach) -> UInt32 {
        let slot = try known(id)
        let judgement = judgement(ofSlot: slot, at: now)
        guard judgement.grantLives else { throw .dead(id, death(judgement)) }
        return slot
    }
}

// MARK: - Insertion

extension Contents {
    private mutating func insert(_ record: Record, at now: Timestamp, log: inout UndoLog) throws(Breach) {
        let attributes = record.attributes.members.isEmpty ? [] : record.attributes.encoded()
        let size = record.nameByteCount + attributes.count
        guard size <= limits.recordBytes else { throw .tooLarge(record.id, limit: limits.recordBytes) }
        guard lives.count < limits.records, names.hasRoom(for: size) else { throw .full }
        if slot(of: record.id) != nil { throw .taken(record.id) }
        let parent = try ground(for: record, at: now)
        if let holder = record.holder, record.kind.isKnownByHolder, let occupant = occupant(of: record.kind, holder: holder),
            let id = id(ofSlot: occupant)
        {
            let life = lives[Int(occupant)]
            throw life.marks.contains(.revoked) && life.reason == .barred ? .barred(by: id) : .occupied(by: id)
        }
        add(record, Record.Fate(), parent: parent, attributes: attributes, log: &log)
    }

    /// The slot of the parent that bears the record, or none for a root.
    private func ground(for record: Record, at now: Timestamp) throws(Breach) -> UInt32 {
        guard let parent = record.parent else {
            guard record.kind.mayBeRoot else { throw .groundless(record.id, record.kind) }
            return Self.none
        }
        let slot = try living(parent, at: now)
        try checkGround(slot, for: record)
        return slot
    }

    /// Whether a record can stand there: on that kind, and not too deep.
    func checkGround(_ slot: UInt32, for record: Record) throws(Breach) {
        guard record.kind.mayStand(on: lives[Int(slot)].kind) else {
            throw .unfit(record.id, record.kind, on: lives[Int(slot)].kind)
        }
        var depth = 1
        var current = slot
        while current != Self.none {
            depth += 1
            guard depth <= limits.depth else { throw .tooDeep(record.id, limit: limits.depth) }
            current = lives[Int(current)].parent
        }
    }

    /// Adds a record whose conditions hold.
    mutating func add(_ record: Record, _ fate: Record.Fate, parent: UInt32, attributes: [UInt8], log: inout UndoLog) {
        let slot = UInt32(truncatingIfNeeded: lives.count)
        let references = (
            holder: intern(record.holder, log: &log), subject: intern(record.subject, log: &log),
            audience: intern(record.audience, log: &log), scope: intern(record.scope, log: &log),
            boundKey: intern(record.boundKey, log: &log),
            attributes: attributes.isEmpty ? Names.none : intern(attributes, log: &log)
        )
        var marks: Life.Marks = []
        if fate.revocation != nil { marks.insert(.revoked) }
        if record.end != nil { marks.insert(.ends) }
        if record.accessExpiry != nil { marks.insert(.hasAccess) }
        if record.finalExpiry != nil { marks.insert(.hasFinal) }
        if fate.consumed != nil { marks.insert(.consumed) }
        if fate.lastUse != nil { marks.insert(.used) }
        if let refresh = record.refresh { refreshes.append(refresh) }
        lives.append(
            Life(
                end: record.end ?? .epoch, parent: parent, access: record.accessExpiry ?? .epoch, marks: marks, kind: record.kind,
                reason: fate.revocation?.reason ?? .surrendered, revoked: fate.revocation?.at ?? .epoch))
        particulars.append(
            Particulars(
                issued: record.issued, id: names.insert(record.id, slot: slot),
                final: record.finalExpiry ?? .epoch, holder: references.holder,
                consumed: fate.consumed ?? .epoch, subject: references.subject,
                used: fate.lastUse ?? .epoch, audience: references.audience,
                scope: references.scope, boundKey: references.boundKey, attributes: references.attributes,
                refresh: record.refresh == nil ? Self.none : UInt32(truncatingIfNeeded: refreshes.count - 1),
                firstChild: Self.none, next: Self.none, previous: Self.none, nextOfSubject: Self.none))
        log.append(.record)
        hang(slot, on: parent, log: &log)
        if references.subject != Names.none {
            let first = names.link(of: references.subject)
            log.append(.link(references.subject, first))
            particulars[Int(slot)].nextOfSubject = first
            names.setLink(of: references.subject, to: slot)
        }
        if occupies(slot) {
            log.append(.occupied(slot))
            occupy(slot)
        }
    }

    /// Whether a record is in force for its holder: not revoked, or barred.
    private func occupies(_ slot: UInt32) -> Bool {
        let life = lives[Int(slot)]
        return life.kind.isKnownByHolder && particulars[Int(slot)].holder != Names.none
            && (!life.marks.contains(.revoked) || life.reason == .barred)
    }

    private mutating func intern(_ identifier: (some Identifier)?, log: inout UndoLog) -> UInt32 {
        guard let identifier else { return Names.none }
        let (reference, isNew) = names.intern(identifier)
        if isNew { log.append(.text(reference)) }
        return reference
    }

    private mutating func intern(_ text: [UInt8], log: inout UndoLog) -> UInt32 {
        let (reference, isNew) = names.intern(text)
        if isNew { log.append(.text(reference)) }
        return reference
    }

    /// Makes a record the first child of a parent.
    mutating func hang(_ slot: UInt32, on parent: UInt32, log: inout UndoLog) {
        guard parent != Self.none else { return }
        let sibling = particulars[Int(parent)].firstChild
        log.append(.particulars(parent, particulars[Int(parent)]))
        particulars[Int(parent)].firstChild = slot
        particulars[Int(slot)].next = sibling
        guard sibling != Self.none else { return }
        log.append(.particulars(sibling, particulars[Int(sibling)]))
        particulars[Int(sibling)].previous = slot
    }
}

extension Record {
    /// The bytes that the names in a record have together.
    var nameByteCount: Int {
        id.text.utf8.count + (holder?.text.utf8.count ?? 0) + (subject?.text.utf8.count ?? 0) + (audience?.text.utf8.count ?? 0)
            + (scope?.text.utf8.count ?? 0) + (boundKey?.text.utf8.count ?? 0)
    }
}

// MARK: - What happens to a record

extension Contents {
    private mutating func revoke(_ id: TokenID, _ reason: Record.Reason, at now: Timestamp, log: inout UndoLog) throws(Breach) {
        let slot = try known(id)
        let life = lives[Int(slot)]
        let isRevoked = life.marks.contains(.revoked)
        if isRevoked, reason != .barred || life.reason == .barred { return }
        let isNamed = life.kind.isKnownByHolder && particulars[Int(slot)].holder != Names.none
        if isNamed, isRevoked, let other = occupant(of: life.kind, holder: particulars[Int(slot)].holder), let otherID = self.id(ofSlot: other) {
            throw .occupied(by: otherID)
        }
        log.append(.life(slot, life))
        lives[Int(slot)].marks.insert(.revoked)
        lives[Int(slot)].reason = reason
        if !isRevoked { lives[Int(slot)].revoked = now }
        guard isNamed else { return }
        if isRevoked {
            log.append(.occupied(slot))
            occupy(slot)
        } else if reason != .barred {
            log.append(.vacated(slot))
            vacate(slot)
        }
    }

    private mutating func consume(_ id: TokenID, at now: Timestamp, log: inout UndoLog) throws(Breach) {
        let slot = try living(id, at: now)
        let life = lives[Int(slot)]
        guard life.kind.isRedeemable else { throw .notRedeemable(id, life.kind) }
        if life.marks.contains(.consumed) { throw .consumed(id, at: particulars[Int(slot)].consumed) }
        if life.marks.contains(.hasAccess), now >= life.access { throw .lapsed(id, at: life.access) }
        log.append(.particulars(slot, particulars[Int(slot)]))
        log.append(.life(slot, life))
        particulars[Int(slot)].consumed = now
        lives[Int(slot)].marks.insert(.consumed)
    }

    private mutating func rotate(
        _ id: TokenID, from: Record.Refresh, to: Record.Refresh, accessExpiry: Timestamp?, at now: Timestamp, log: inout UndoLog
    ) throws(Breach) {
        let slot = try living(id, at: now)
        let index = particulars[Int(slot)].refresh
        guard index != Self.none else { throw .notRefreshable(id) }
        let current = refreshes[Int(index)]
        guard current == from, from.generation < .max, to.generation == from.generation + 1 else {
            throw .rotated(id, expected: from.generation, found: current.generation)
        }
        log.append(.refresh(index, current))
        log.append(.life(slot, lives[Int(slot)]))
        refreshes[Int(index)] = to
        // With a refresh token the grant's end does not depend on the access expiry.
        lives[Int(slot)].access = accessExpiry ?? .epoch
        if accessExpiry == nil { lives[Int(slot)].marks.remove(.hasAccess) } else { lives[Int(slot)].marks.insert(.hasAccess) }
    }

    private mutating func reground(
        _ id: TokenID, from: TokenID, onto: TokenID, at now: Timestamp, log: inout UndoLog
    ) throws(Breach) {
        let slot = try living(id, at: now)
        let parent = lives[Int(slot)].parent
        let expected = try known(from)
        guard parent == expected else {
            throw .regrounded(id, expected: from, found: parent == Self.none ? nil : self.id(ofSlot: parent))
        }
        let ground = try living(onto, at: now)
        // Only a client moves, and only onto a version key: a root, so that no circle can close and no path grows.
        guard lives[Int(slot)].kind == .client, lives[Int(ground)].kind == .versionKey else {
            throw .unfit(id, lives[Int(slot)].kind, on: lives[Int(ground)].kind)
        }
        guard ground != parent else { return }
        log.append(.life(slot, lives[Int(slot)]))
        unhang(slot, from: parent, log: &log)
        lives[Int(slot)].parent = ground
        hang(slot, on: ground, log: &log)
    }

    private mutating func unhang(_ slot: UInt32, from parent: UInt32, log: inout UndoLog) {
        let (previous, next) = (particulars[Int(slot)].previous, particulars[Int(slot)].next)
        log.append(.particulars(slot, particulars[Int(slot)]))
        if previous == Self.none {
            log.append(.particulars(parent, particulars[Int(parent)]))
            particulars[Int(parent)].firstChild = next
        } else {
            log.append(.particulars(previous, particulars[Int(previous)]))
            particulars[Int(previous)].next = next
        }
        if next != Self.none {
            log.append(.particulars(next, particulars[Int(next)]))
            particulars[Int(next)].previous = previous
        }
        particulars[Int(slot)].previous = Self.none
    }

    private mutating func describe(
        _ id: TokenID, _ attributes: JSON.Object, at now: Timestamp, log: inout UndoLog
    ) throws(Breach) {
        let slot = try living(id, at: now)
        let text = attributes.members.isEmpty ? [] : attributes.encoded()
        guard text.count <= limits.recordBytes else { throw .tooLarge(id, limit: limits.recordBytes) }
        guard names.hasRoom(for: text.count) else { throw .full }
        let reference = text.isEmpty ? Names.none : intern(text, log: &log)
        log.append(.particulars(slot, particulars[Int(slot)]))
        particulars[Int(slot)].attributes = reference
    }

    private mutating func touch(_ id: TokenID, at now: Timestamp, log: inout UndoLog) throws(Breach) {
        let slot = try known(id)
        let life = lives[Int(slot)]
        log.append(.particulars(slot, particulars[Int(slot)]))
        log.append(.life(slot, life))
        let last = life.marks.contains(.used) ? particulars[Int(slot)].used : now
        particulars[Int(slot)].used = max(now, last)
        lives[Int(slot)].marks.insert(.used)
    }
}

// MARK: - What is noted beside the records

extension Contents {
    private mutating func visit(
        _ subject: Record.Subject, _ service: Record.Audience, at now: Timestamp, log: inout UndoLog
    ) throws(Breach) {
        guard names.hasRoom(for: subject.text.utf8.count + service.text.utf8.count) else { throw .full }
        let subject = intern(subject, log: &log)
        let service = intern(service, log: &log)
        log.append(.visits(subject, visits[subject]))
        note(ServiceUse(service: service, last: now), of: subject)
    }

    /// Notes a use; of several uses of one service the latest counts.
    mutating func note(_ use: ServiceUse, of subject: UInt32) {
        guard let index = visits[subject]?.firstIndex(where: { $0.service == use.service }) else {
            visits[subject, default: []].append(use)
            return
        }
        if let last = visits[subject]?[index].last, last < use.last { visits[subject]?[index].last = use.last }
    }

    private mutating func remember(
        _ key: ReplayKey, until: Timestamp, at now: Timestamp, replaying: Bool, log: inout UndoLog
    ) throws(Breach) {
        if replaying {
            _ = replays.makeRoom(for: key, at: now, limit: .max)
        } else {
            if let breach = replays.breach(key, at: now) { throw breach }
            guard replays.makeRoom(for: key, at: now, limit: limits.replayKeys) else { throw .memoryFull(limit: limits.replayKeys) }
        }
        log.append(.replay(key, replays[key]))
        replays[key] = until
    }

    private mutating func enqueue(_ message: OutgoingMessage, log: inout UndoLog) {
        let state = outbox[message.id]
        guard state.pending == nil, state.settled == nil else { return }
        log.append(.message(message.id, state))
        outbox[message.id] = Outbox.State(pending: message, settled: nil)
    }

    private mutating func attempt(
        _ id: OutgoingMessage.ID, after attempts: Int, retry: Timestamp, log: inout UndoLog
    ) throws(Breach) {
        let state = outbox[id]
        guard var message = state.pending else { throw .settled(id) }
        guard message.attempts == attempts, attempts < .max else { throw .attempted(id, expected: attempts, found: message.attempts) }
        log.append(.message(id, state))
        message.attempts += 1
        message.due = retry
        outbox[id] = Outbox.State(pending: message, settled: nil)
    }

    private mutating func settle(
        _ id: OutgoingMessage.ID, _ settlement: OutgoingMessage.Settlement, at now: Timestamp, log: inout UndoLog
    ) throws(Breach) {
        let state = outbox[id]
        guard state.pending != nil else { throw .settled(id) }
        log.append(.message(id, state))
        outbox[id] = Outbox.State(pending: nil, settled: Outbox.Settled(settlement: settlement, at: now))
    }
}
