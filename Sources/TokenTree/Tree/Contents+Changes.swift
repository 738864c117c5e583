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
    func known(_ id: TokenID) throws(Breach) -> UInt32 {
        guard let slot = slot(of: id) else { throw .unknown(id) }
        return slot
    }

    /// The slot of a record that lives: known, and neither it nor a ground of it has ended.
    func living(_ id: TokenID, at now: Timestamp) throws(Breach) -> UInt32 {
        let slot = try known(id)
        let judgement = judgement(ofSlot: slot, at: now)
        guard judgement.grantLives else { throw .dead(id, death(judgement)) }
        return slot
    }
}

// MARK: - What happens to a record

extension Contents {
    private mutating func revoke(_ id: TokenID, _ reason: Record.Reason, at now: Timestamp, log: inout UndoLog)
        throws(Breach)
    {
        let slot = try known(id)
        let life = lives[Int(slot)]
        let isRevoked = life.marks.contains(.revoked)
        if isRevoked, reason != .barred || life.reason == .barred { return }
        let isNamed = life.kind.isKnownByHolder && particulars[Int(slot)].holder != Names.none
        if isNamed, isRevoked, let other = occupant(of: life.kind, holder: particulars[Int(slot)].holder),
            let otherID = self.id(ofSlot: other)
        {
            throw .occupied(by: otherID)
        }
        log.append(.life(slot, life))
        lives[Int(slot)].marks.insert(.revoked)
        lives[Int(slot)].reason = reason
        if !isRevoked {
            log.append(.particulars(slot, particulars[Int(slot)]))
            particulars[Int(slot)].revoked = now
        }
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
        if life.marks.contains(.hasAccess), now >= particulars[Int(slot)].access {
            throw .lapsed(id, at: particulars[Int(slot)].access)
        }
        log.append(.particulars(slot, particulars[Int(slot)]))
        log.append(.life(slot, life))
        particulars[Int(slot)].consumed = now
        lives[Int(slot)].marks.insert(.consumed)
    }

    private mutating func rotate(
        _ id: TokenID, from: Record.Refresh, to: Record.Refresh, accessExpiry: Timestamp?, at now: Timestamp,
        log: inout UndoLog
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
        log.append(.particulars(slot, particulars[Int(slot)]))
        particulars[Int(slot)].access = accessExpiry ?? .epoch
        if accessExpiry == nil {
            lives[Int(slot)].marks.remove(.hasAccess)
        } else {
            lives[Int(slot)].marks.insert(.hasAccess)
        }
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
            guard replays.makeRoom(for: key, at: now, limit: limits.replayKeys) else {
                throw .memoryFull(limit: limits.replayKeys)
            }
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
        guard let message = state.pending else { throw .settled(id) }
        guard message.attempts == attempts else { throw .attempted(id, expected: attempts, found: message.attempts) }
        log.append(.message(id, state))
        outbox[id] = Outbox.State(pending: message.attempted(retry: retry), settled: nil)
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
