internal import Wire

// Each change first checks all its conditions, then alters; see `Change` for what they are.

extension Contents {
    /// Applies the changes in order; when one cannot be applied, takes back those before it.
    ///
    /// - Parameters:
    ///   - time: by what time keys are forgotten, where that is not the batch's own.
    ///   - replaying: the batch was applied once before and is read back; what depends on how much is remembered is not
    ///     asked again.
    mutating func apply(
        _ batch: Batch, forgettingAt time: Timestamp? = nil, replaying: Bool = false
    ) -> Batch.Outcome {
        if !replaying, batch.changes.count > limits.changes {
            return .conflict(.tooManyChanges(batch.changes.count, limit: limits.changes), change: limits.changes)
        }
        let namesEnd = names.arena.end
        var log = UndoLog()
        for (index, change) in batch.changes.enumerated() {
            // Every change checks all its conditions before it alters anything, so that the last one needs no way back.
            log.isKept = index < batch.changes.count - 1
            do throws(Batch.Conflict) {
                try apply(
                    change, at: batch.at, forgettingAt: time ?? batch.at, replaying: replaying, log: &log)
            } catch {
                for step in log.steps.reversed() { takeBack(step) }
                if !log.steps.isEmpty { names.arena.truncate(to: namesEnd) }
                return .conflict(error, change: index)
            }
        }
        return .applied
    }

    private mutating func apply(
        _ change: Change, at now: Timestamp, forgettingAt time: Timestamp, replaying: Bool, log: inout UndoLog
    ) throws(Batch.Conflict) {
        switch change {
        case .insert(let record): try insert(record, at: now, log: &log)
        case .revoke(let id, let reason): try revoke(id, reason, at: now, log: &log)
        case .consume(let id): try consume(id, at: now, log: &log)
        case .rotate(let id, let from, let to, let accessExpiry):
            try rotate(id, from: from, to: to, accessExpiry: accessExpiry, at: now, log: &log)
        case .reground(let id, let from, let onto): try reground(id, from: from, onto: onto, at: now, log: &log)
        case .describe(let id, let attributes, let former):
            try describe(id, attributes, from: former, at: now, log: &log)
        case .confirm(let id): try confirm(id, at: now, log: &log)
        case .touch(let id):
            let slot = try known(id)
            amend(slot, log: &log) { life, more in
                more.used = life.marks.contains(.used) ? max(now, more.used) : now
                life.marks.insert(.used)
            }
        case .visit(let subject, let service):
            guard names.arena.hasRoom(for: subject.text.utf8.count + service.text.utf8.count) else { throw .full }
            note(subject, service, at: now, log: &log)
        case .leave(let subject, let service): leave(subject, service, log: &log)
        case .forget(let subject): try forget(subject, at: now, log: &log)
        case .remember(let key, let until, let evenWithoutRoom):
            // What was applied once had room, or needed none.
            try remember(
                key, until: until, at: now, forgettingAt: time, replaying, needsRoom: !evenWithoutRoom, log: &log)
        case .enqueue(let message):
            let state = outbox[message.id]
            guard state.pending == nil, state.settled == nil else { return }
            let limit = limits.recordBytes
            guard replaying || message.body.encoded().count <= limit,
                !JSON.object(message.body).isDeeper(than: Self.attributeDepthLimit)
            else {
                throw .messageTooLarge(message.id, limit: limit)
            }
            alter(message.id, from: state, to: Outbox.State(pending: message), log: &log)
        case .attempt(let id, let attempts, let retry):
            let (state, message) = try pending(id)
            guard message.attempts == attempts else {
                throw .attempted(id, expected: attempts, found: message.attempts)
            }
            alter(id, from: state, to: Outbox.State(pending: message.attempted(at: now, retry: retry)), log: &log)
        case .settle(let id, let settlement):
            let (state, _) = try pending(id)
            let settled = Outbox.Settled(settlement: settlement, at: now)
            alter(id, from: state, to: Outbox.State(settled: settled), log: &log)
        }
    }

    /// The slot of a record that is known.
    private func known(_ id: TokenID) throws(Batch.Conflict) -> UInt32 {
        guard let slot = slot(of: id) else { throw .unknown(id) }
        return slot
    }

    /// The slot of a record that lives: known, and neither it nor a ground of it has ended.
    func living(_ id: TokenID, at now: Timestamp) throws(Batch.Conflict) -> UInt32 {
        let slot = try known(id)
        let judgement = judgement(ofSlot: slot, at: now)
        guard judgement.grantLives else { throw .dead(id, death(judgement)) }
        return slot
    }

    /// Refuses what nobody has confirmed since the tree was restored without proof that nothing is missing.
    func checkConfirmed(_ slot: UInt32, _ id: TokenID) throws(Batch.Conflict) {
        if let unprovenBefore, !isConfirmed(slot) { throw .dead(id, .unconfirmed(before: unprovenBefore)) }
    }
}

// MARK: - What happens to a record

extension Contents {
    private mutating func revoke(
        _ id: TokenID, _ reason: Record.Reason, at now: Timestamp, log: inout UndoLog
    ) throws(Batch.Conflict) {
        let slot = try known(id)
        let (life, holder) = (lives[slot], particulars[slot].holder)
        let isRevoked = life.marks.contains(.revoked)
        if isRevoked, reason != .barred || life.reason == .barred { return }
        let isNamed = life.kind.isKnownByHolder && holder != Names.none
        if isNamed, isRevoked, let other = occupant(of: life.kind, holder: holder), let id = self.id(ofSlot: other) {
            throw .occupied(by: id)
        }
        amend(slot, log: &log) { life, more in
            life.marks.insert(.revoked)
            life.reason = reason
            if !isRevoked { more.revoked = now }
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

    private mutating func consume(_ id: TokenID, at now: Timestamp, log: inout UndoLog) throws(Batch.Conflict) {
        let slot = try living(id, at: now)
        try checkConfirmed(slot, id)
        let life = lives[slot]
        guard life.kind.isRedeemable else { throw .notRedeemable(id, life.kind) }
        if life.marks.contains(.consumed) { throw .consumed(id, at: particulars[slot].consumed) }
        if isLapsed(slot, at: now) { throw .lapsed(id, at: particulars[slot].access) }
        amend(slot, log: &log) { life, more in
            more.consumed = now
            life.marks.insert(.consumed)
        }
    }

    private mutating func rotate(
        _ id: TokenID, from: Record.Refresh, to: Record.Refresh, accessExpiry: Timestamp?, at now: Timestamp,
        log: inout UndoLog
    ) throws(Batch.Conflict) {
        let slot = try living(id, at: now)
        try checkConfirmed(slot, id)
        try checkUnlocked([particulars[slot].subject, particulars[slot].holder])
        let index = particulars[slot].refresh
        guard index != Self.none else { throw .notRefreshable(id) }
        let current = refreshes[index]
        guard current == from, from.generation < .max, to.generation == from.generation + 1 else {
            throw .rotated(id, expected: from.generation, found: current.generation)
        }
        log.append(.refresh(index, current))
        refreshes[index] = to
        // With a refresh token the grant's end does not depend on the access expiry.
        amend(slot, log: &log) { life, more in
            more.access = accessExpiry ?? .epoch
            if accessExpiry == nil { life.marks.remove(.hasAccess) } else { life.marks.insert(.hasAccess) }
        }
    }

    private mutating func reground(
        _ id: TokenID, from: TokenID, onto: TokenID, at now: Timestamp, log: inout UndoLog
    ) throws(Batch.Conflict) {
        let slot = try living(id, at: now)
        let (life, expected) = (lives[slot], try known(from))
        guard life.parent == expected else {
            let found = life.parent == Self.none ? nil : self.id(ofSlot: life.parent)
            throw .regrounded(id, expected: from, found: found)
        }
        let ground = try living(onto, at: now)
        // Only a client moves, and only onto a version key: a root, so that no circle can close and no path grows.
        guard life.kind == .client, lives[ground].kind == .versionKey else {
            throw .unfit(id, life.kind, on: lives[ground].kind)
        }
        guard ground != life.parent else { return }
        log.append(.life(slot, life))
        unhang(slot, from: life.parent, log: &log)
        lives[slot].parent = ground
        hang(slot, on: ground, log: &log)
    }

    private mutating func confirm(_ id: TokenID, at now: Timestamp, log: inout UndoLog) throws(Batch.Conflict) {
        let slot = try living(id, at: now)
        let old = confirmations[slot]
        log.append(.life(slot, lives[slot]))
        log.append(.confirmation(slot, old))
        lives[slot].marks.insert(.confirmed)
        confirmations[slot] = max(now, old ?? now)
    }

    private mutating func describe(
        _ id: TokenID, _ attributes: JSON.Object, from former: JSON.Object?, at now: Timestamp, log: inout UndoLog
    ) throws(Batch.Conflict) {
        let slot = try living(id, at: now)
        if let former, former != names.attributes(particulars[slot].attributes) { throw .described(id) }
        let text = attributes.stored
        guard text.count <= limits.recordBytes else { throw .tooLarge(id, limit: limits.recordBytes) }
        try checkDepth(of: attributes, in: id)
        guard names.arena.hasRoom(for: text.count) else { throw .full }
        let reference = intern(text.span, log: &log)
        amend(slot, log: &log) { $0.attributes = reference }
        hasLitter = true
    }
}

// MARK: - What is noted beside the records

extension Contents {
    /// Notes a use for which there is room; of several uses of one service the latest counts.
    mutating func note(_ subject: Record.Subject, _ service: Record.Audience, at time: Timestamp, log: inout UndoLog) {
        let (subject, service) = (intern(subject, log: &log), intern(service, log: &log))
        log.append(.visits(subject, visits[subject]))
        if let index = visits[subject]?.firstIndex(where: { $0.service == service }),
            let last = visits[subject]?[index].last
        {
            visits[subject]?[index].last = max(time, last)
        } else {
            visits[subject, default: []].append(ServiceUse(service: service, last: time))
        }
    }

    /// Forgets a use; both names go when the tree is built anew, unless something else has them.
    private mutating func leave(_ subject: Record.Subject, _ service: Record.Audience, log: inout UndoLog) {
        guard let subject = subject.withSpan({ names.find($0) }), let service = service.withSpan({ names.find($0) }),
            let uses = visits[subject], uses.contains(where: { $0.service == service })
        else { return }
        log.append(.visits(subject, uses))
        let rest = uses.filter { $0.service != service }
        visits[subject] = rest.isEmpty ? nil : rest
        hasLitter = true
    }

    private mutating func remember(
        _ key: ReplayKey, until: Timestamp, at now: Timestamp, forgettingAt time: Timestamp, _ replaying: Bool,
        needsRoom: Bool, log: inout UndoLog
    ) throws(Batch.Conflict) {
        if replaying {
            replays.forget(4, at: time)
        } else {
            if let conflict = replays.conflict(of: key, at: now, forgettingAt: time) { throw conflict }
            if needsRoom, let doubt = replays.doubt(about: key, until: until) { throw doubt }
            if let shortage = replays.shortage(of: key, until: until, at: time, limits: limits) {
                guard needsRoom else { return }
                throw shortage
            }
        }
        let old = replays.remember(key, until: until)
        log.append(.replay(key, old))
    }

    private func pending(_ id: OutgoingMessage.ID) throws(Batch.Conflict) -> (Outbox.State, OutgoingMessage) {
        let state = outbox[id]
        guard let message = state.pending else { throw .settled(id) }
        return (state, message)
    }

    private mutating func alter(
        _ id: OutgoingMessage.ID, from old: Outbox.State, to new: Outbox.State, log: inout UndoLog
    ) {
        log.append(.message(id, old))
        outbox[id] = new
    }
}
