internal import TokenTree
internal import Wire

extension PlainStore {
    func apply(_ change: Change, at now: Timestamp) throws(Batch.Conflict) {
        switch change {
        case .insert(let record): try insert(record, at: now)
        case .revoke(let id, let reason): try revoke(id, reason, at: now)
        case .consume(let id):
            let (record, fate) = try living(id, at: now)
            guard record.kind.isRedeemable else { throw .notRedeemable(id, record.kind) }
            if let consumed = fate.consumed { throw .consumed(id, at: consumed) }
            if let access = record.accessExpiry, access <= now { throw .lapsed(id, at: access) }
            alter(id) { $1.consumed = now }
        case .rotate(let id, let from, let to, let accessExpiry):
            let verdict = renewable(id, at: now)
            let record = try known(id).record
            guard verdict.grantLives else { throw .dead(id, verdict) }
            if let id = lock(on: record) { throw .locked(by: id) }
            guard let current = record.refresh else { throw .notRefreshable(id) }
            guard current == from, to.generation == current.generation &+ 1, to.generation > 0 else {
                throw .rotated(id, expected: from.generation, found: current.generation)
            }
            alter(id) { record, _ in
                record.refresh = to
                record.accessExpiry = accessExpiry
            }
        case .reground(let id, let from, let onto):
            let record = try living(id, at: now).record
            _ = try known(from)
            guard record.parent == from else { throw .regrounded(id, expected: from, found: record.parent) }
            let ground = try living(onto, at: now).record.kind
            guard record.kind == .client, ground == .versionKey else { throw .unfit(id, record.kind, on: ground) }
            alter(id) { record, _ in record = record.regrounded(onto: onto) }
        case .describe(let id, let attributes, let former):
            try describe(id, attributes, from: former, at: now)
        case .forget(let subject): try forget(subject, at: now)
        case .confirm(let id): try confirm(id, at: now)
        case .touch(let id):
            _ = try known(id)
            alter(id) { $1.lastUse = max(now, $1.lastUse ?? now) }
        case .visit(let subject, let service): visit(subject, service, at: now)
        case .leave(let subject, let service): visits[subject]?.removeAll { $0.service == service }
        case .remember(let key, let until, _):
            if let earlier = remembered[key], now < earlier { throw .replayed(key, until: earlier) }
            remembered[key] = until
        case .enqueue(let message):
            if pending[message.id] == nil, settled[message.id] == nil { pending[message.id] = message }
        case .attempt(let id, let attempts, let retry):
            guard let message = pending[id] else { throw .settled(id) }
            guard message.attempts == attempts else {
                throw .attempted(id, expected: attempts, found: message.attempts)
            }
            pending[id] = message.attempted(at: now, retry: retry)
        case .settle(let id, _):
            guard pending.removeValue(forKey: id) != nil else { throw .settled(id) }
            settled[id] = now
        }
    }

    private func visit(_ subject: Record.Subject, _ service: Record.Audience, at now: Timestamp) {
        let last = visits[subject]?.first { $0.service == service }?.last ?? now
        let visit = Facts.Visit(service: service, last: max(last, now))
        if let index = visits[subject]?.firstIndex(where: { $0.service == service }) {
            visits[subject]?[index] = visit
        } else {
            visits[subject, default: []].append(visit)
        }
    }

    private func confirm(_ id: TokenID, at now: Timestamp) throws(Batch.Conflict) {
        _ = try living(id, at: now)
        alter(id) { $1.confirmed = max(now, $1.confirmed ?? now) }
    }

    private func known(_ id: TokenID) throws(Batch.Conflict) -> Lineage.Entry {
        guard let entry = entries[id] else { throw .unknown(id) }
        return entry
    }

    private func living(_ id: TokenID, at now: Timestamp) throws(Batch.Conflict) -> (
        record: Record, fate: Record.Fate
    ) {
        let entry = try known(id)
        let verdict = standing(of: id, at: now)
        guard verdict.grantLives else { throw .dead(id, verdict) }
        return (entry.record, entry.fate)
    }

    private func alter(_ id: TokenID, _ body: (inout Record, inout Record.Fate) -> Void) {
        guard let entry = entries[id] else { return }
        var (record, fate) = (entry.record, entry.fate)
        body(&record, &fate)
        entries[id] = Lineage.Entry(record: record, fate: fate)
    }

    private func insert(_ record: Record, at now: Timestamp) throws(Batch.Conflict) {
        if entries[record.id] != nil { throw .taken(record.id) }
        if let parent = record.parent {
            let ground = try living(parent, at: now).record
            let beyond = ground.kind == .code ? ground.parent.flatMap { entries[$0]?.record.kind } : nil
            for kind in [ground.kind, beyond].compactMap({ $0 }) where !record.kind.mayStand(on: kind) {
                throw .unfit(record.id, record.kind, on: kind)
            }
            if path(of: parent).count >= depth { throw .tooDeep(record.id, limit: depth) }
        } else if !record.kind.mayBeRoot {
            throw .groundless(record.id, record.kind)
        }
        if let (id, isBarred) = rival(of: record) { throw isBarred ? .barred(by: id) : .occupied(by: id) }
        if let id = lock(on: record) { throw .locked(by: id) }
        entries[record.id] = Lineage.Entry(record: record, fate: Record.Fate())
        order.append(record.id)
    }

    /// The lock that shuts out whom a record is issued to or about.
    private func lock(on record: Record) -> TokenID? {
        guard record.kind != .lock else { return nil }
        let names = [record.holder?.text, record.subject?.text].compactMap { $0 }
        return order.first { id in
            guard let entry = entries[id], entry.record.kind == .lock, let name = entry.record.holder?.text,
                entry.fate.revocation?.reason ?? .barred == .barred
            else { return false }
            return names.contains { $0.utf8.elementsEqual(name.utf8) }
        }
    }

    /// What stands against a record's being the one in force for its holder: another that is, or that was barred.
    private func rival(of record: Record) -> (id: TokenID, isBarred: Bool)? {
        guard record.kind.isKnownByHolder, let holder = record.holder else { return nil }
        for id in order where id != record.id {
            guard let other = entries[id], other.record.kind == record.kind, other.record.holder == holder else {
                continue
            }
            guard let reason = other.fate.revocation?.reason else { return (id, false) }
            if reason == .barred { return (id, true) }
        }
        return nil
    }

    private func revoke(_ id: TokenID, _ reason: Record.Reason, at now: Timestamp) throws(Batch.Conflict) {
        let entry = try known(id)
        if let earlier = entry.fate.revocation {
            guard reason == .barred, earlier.reason != .barred else { return }
            if let other = rival(of: entry.record) { throw .occupied(by: other.id) }
        }
        alter(id) { _, fate in fate.revocation = Record.Revocation(at: fate.revocation?.at ?? now, reason: reason) }
    }
}

extension PlainStore {
    private func describe(
        _ id: TokenID, _ attributes: JSON.Object, from former: JSON.Object?, at now: Timestamp
    ) throws(Batch.Conflict) {
        let current = try living(id, at: now).record.attributes
        if let former, former != current { throw .described(id) }
        alter(id) { record, _ in record.attributes = attributes }
    }

    private func forget(_ subject: Record.Subject, at now: Timestamp) throws(Batch.Conflict) {
        let own = order.filter { entries[$0]?.record.subject == subject }
        // The newest first.
        for id in own.reversed() {
            let verdict = verdict(of: path(of: id), at: now)
            let isRedeemable = entries[id]?.record.kind.isRedeemable ?? false
            if isRedeemable ? verdict == .live : verdict.grantLives { throw .inUse(id) }
        }
        visits[subject] = nil
        for id in own {
            alter(id) { record, _ in
                record.attributes = [:]
                record = record.about(Record.remainder(of: subject))
            }
        }
    }
}

extension Record {
    /// The same record about somebody else.
    fileprivate func about(_ subject: Subject) -> Record {
        Record(
            id: id, kind: kind, parent: parent, issued: issued, holder: kind == .lock ? nil : holder, subject: subject,
            audience: audience, scope: scope, boundKey: boundKey, accessExpiry: accessExpiry, finalExpiry: finalExpiry,
            refresh: refresh, attributes: attributes)
    }

    /// The same record on another ground.
    fileprivate func regrounded(onto parent: TokenID) -> Record {
        Record(
            id: id, kind: kind, parent: parent, issued: issued, holder: holder, subject: subject, audience: audience,
            scope: scope, boundKey: boundKey, accessExpiry: accessExpiry, finalExpiry: finalExpiry, refresh: refresh,
            attributes: attributes)
    }
}
