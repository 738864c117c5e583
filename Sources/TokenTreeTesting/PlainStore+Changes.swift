internal import TokenTree
internal import Wire

extension PlainStore {
    func apply(_ change: Change, at now: Timestamp) -> Batch.Conflict? {
        switch change {
        case .insert(let record): insert(record, at: now)
        case .revoke(let id, let reason): revoke(id, reason, at: now)
        case .consume(let id): consume(id, at: now)
        case .rotate(let id, let from, let to, let accessExpiry):
            rotate(id, from: from, to: to, accessExpiry: accessExpiry, at: now)
        case .reground(let id, let from, let onto): reground(id, from: from, onto: onto, at: now)
        case .describe(let id, let attributes): describe(id, attributes, at: now)
        case .touch(let id): touch(id, at: now)
        case .visit(let subject, let service): visit(subject, service, at: now)
        case .remember(let key, let until): remember(key, until: until, at: now)
        case .enqueue(let message): enqueue(message)
        case .attempt(let id, let attempts, let retry): attempt(id, after: attempts, retry: retry)
        case .settle(let id, _): settle(id, at: now)
        }
    }

    /// What stands against a record's being alive.
    private func deadness(of id: TokenID, at now: Timestamp) -> Batch.Conflict? {
        guard entries[id] != nil else { return .unknown(id) }
        let verdict = standing(of: id, at: now)
        return verdict.grantLives ? nil : .dead(id, verdict)
    }

    private func insert(_ record: Record, at now: Timestamp) -> Batch.Conflict? {
        if entries[record.id] != nil { return .taken(record.id) }
        if let parent = record.parent {
            if let breach = deadness(of: parent, at: now) { return breach }
            if let ground = entries[parent]?.record.kind, !record.kind.mayStand(on: ground) {
                return .unfit(record.id, record.kind, on: ground)
            }
            if let code = entries[parent]?.record, code.kind == .code,
                let beyond = code.parent.flatMap({ entries[$0]?.record.kind }),
                !record.kind.mayStand(on: beyond)
            {
                return .unfit(record.id, record.kind, on: beyond)
            }
            if path(of: parent).count >= depth { return .tooDeep(record.id, limit: depth) }
        } else if !record.kind.mayBeRoot {
            return .groundless(record.id, record.kind)
        }
        if let breach = rival(of: record) { return breach }
        entries[record.id] = Lineage.Entry(record: record, fate: Record.Fate())
        order.append(record.id)
        return nil
    }

    /// What stands against a record's being the one in force for its holder.
    private func rival(of record: Record) -> Batch.Conflict? {
        guard record.kind.isKnownByHolder, let holder = record.holder else { return nil }
        for id in order {
            guard id != record.id, let other = entries[id], other.record.kind == record.kind,
                other.record.holder == holder
            else {
                continue
            }
            switch other.fate.revocation?.reason {
            case nil: return .occupied(by: id)
            case .barred: return .barred(by: id)
            case .surrendered, .user, .administrator, .issuer, .superseded, .replayed, .refreshReused, .misused:
                continue
            }
        }
        return nil
    }

    private func revoke(_ id: TokenID, _ reason: Record.Reason, at now: Timestamp) -> Batch.Conflict? {
        guard let entry = entries[id] else { return .unknown(id) }
        var fate = entry.fate
        if let earlier = fate.revocation {
            guard reason == .barred, earlier.reason != .barred else { return nil }
            if let breach = rival(of: entry.record) {
                guard case .barred(let other) = breach else { return breach }
                return .occupied(by: other)
            }
            fate.revocation = Record.Revocation(at: earlier.at, reason: .barred)
        } else {
            fate.revocation = Record.Revocation(at: now, reason: reason)
        }
        entries[id] = Lineage.Entry(record: entry.record, fate: fate)
        return nil
    }

    private func consume(_ id: TokenID, at now: Timestamp) -> Batch.Conflict? {
        if let breach = deadness(of: id, at: now) { return breach }
        guard let entry = entries[id] else { return .unknown(id) }
        guard entry.record.kind.isRedeemable else { return .notRedeemable(id, entry.record.kind) }
        if let consumed = entry.fate.consumed { return .consumed(id, at: consumed) }
        if let access = entry.record.accessExpiry, access <= now { return .lapsed(id, at: access) }
        var fate = entry.fate
        fate.consumed = now
        entries[id] = Lineage.Entry(record: entry.record, fate: fate)
        return nil
    }

    private func rotate(
        _ id: TokenID, from: Record.Refresh, to: Record.Refresh, accessExpiry: Timestamp?, at now: Timestamp
    ) -> Batch.Conflict? {
        guard let entry = entries[id] else { return .unknown(id) }
        let verdict = renewable(id, at: now)
        guard verdict.grantLives else { return .dead(id, verdict) }
        guard let current = entry.record.refresh else { return .notRefreshable(id) }
        guard current == from, to.generation == current.generation &+ 1, to.generation > 0 else {
            return .rotated(id, expected: from.generation, found: current.generation)
        }
        change(id) { record in
            record.refresh = to
            record.accessExpiry = accessExpiry
        }
        return nil
    }

    private func reground(_ id: TokenID, from: TokenID, onto: TokenID, at now: Timestamp) -> Batch.Conflict? {
        if let breach = deadness(of: id, at: now) { return breach }
        guard let entry = entries[id] else { return .unknown(id) }
        guard entries[from] != nil else { return .unknown(from) }
        guard entry.record.parent == from else { return .regrounded(id, expected: from, found: entry.record.parent) }
        if let breach = deadness(of: onto, at: now) { return breach }
        guard let ground = entries[onto]?.record.kind, entry.record.kind == .client, ground == .versionKey else {
            return .unfit(id, entry.record.kind, on: entries[onto]?.record.kind ?? .client)
        }
        entries[id] = Lineage.Entry(record: entry.record.regrounded(onto: onto), fate: entry.fate)
        return nil
    }

    private func describe(_ id: TokenID, _ attributes: JSON.Object, at now: Timestamp) -> Batch.Conflict? {
        if let breach = deadness(of: id, at: now) { return breach }
        change(id) { $0.attributes = attributes }
        return nil
    }

    private func change(_ id: TokenID, _ body: (inout Record) -> Void) {
        guard let entry = entries[id] else { return }
        var record = entry.record
        body(&record)
        entries[id] = Lineage.Entry(record: record, fate: entry.fate)
    }

    private func touch(_ id: TokenID, at now: Timestamp) -> Batch.Conflict? {
        guard let entry = entries[id] else { return .unknown(id) }
        var fate = entry.fate
        fate.lastUse = max(now, fate.lastUse ?? now)
        entries[id] = Lineage.Entry(record: entry.record, fate: fate)
        return nil
    }
}

extension Record {
    /// The same record on another ground.
    fileprivate func regrounded(onto parent: TokenID) -> Record {
        Record(
            id: id, kind: kind, parent: parent, issued: issued, holder: holder, subject: subject, audience: audience,
            scope: scope,
            boundKey: boundKey, accessExpiry: accessExpiry, finalExpiry: finalExpiry, refresh: refresh,
            attributes: attributes)
    }
}

extension PlainStore {
    private func visit(_ subject: Record.Subject, _ service: Record.Audience, at now: Timestamp) -> Batch.Conflict? {
        var uses = visits[subject] ?? []
        if let index = uses.firstIndex(where: { $0.service == service }) {
            uses[index] = Facts.Visit(service: service, last: max(uses[index].last, now))
        } else {
            uses.append(Facts.Visit(service: service, last: now))
        }
        visits[subject] = uses
        return nil
    }

    private func remember(_ key: ReplayKey, until: Timestamp, at now: Timestamp) -> Batch.Conflict? {
        if let earlier = remembered[key], now < earlier { return .replayed(key, until: earlier) }
        remembered[key] = until
        return nil
    }

    private func enqueue(_ message: OutgoingMessage) -> Batch.Conflict? {
        if pending[message.id] == nil, settled[message.id] == nil { pending[message.id] = message }
        return nil
    }

    private func attempt(_ id: OutgoingMessage.ID, after attempts: Int, retry: Timestamp) -> Batch.Conflict? {
        guard let message = pending[id] else { return .settled(id) }
        guard message.attempts == attempts else { return .attempted(id, expected: attempts, found: message.attempts) }
        pending[id] = message.attempted(retry: retry)
        return nil
    }

    private func settle(_ id: OutgoingMessage.ID, at now: Timestamp) -> Batch.Conflict? {
        guard pending.removeValue(forKey: id) != nil else { return .settled(id) }
        settled[id] = now
        return nil
    }
}
