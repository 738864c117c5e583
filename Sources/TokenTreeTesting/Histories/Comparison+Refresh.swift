internal import TokenTree
internal import Wire

extension Comparison {
    private func renewal(_ lineage: Lineage, _ token: Record.Refresh.Token, proof: Int) -> Lineage.Renewal {
        lineage.renewal(
            with: token, proof: Fingerprint(of: [UInt8(truncatingIfNeeded: proof)]), accessExpiry: now + .seconds(100),
            at: now)
    }

    /// Commits a renewal, and hands out its token if that was applied.
    @discardableResult
    private mutating func renew(
        _ number: Int, _ change: Change, _ next: Record.Refresh.Token, proof: Int, at time: Timestamp
    ) throws(Difference) -> Bool {
        guard try commit([change], at: time) else { return false }
        tokens[number]?.append(next)
        renewals[number] = (proof, time)
        return true
    }

    /// A token is presented, the current one or one so many generations older.
    mutating func refresh(_ number: Int, age: Int, proof: Int) throws(Difference) {
        guard let held = tokens[number], held.indices.contains(held.count - 1 - age), let lineage = lineage(number)
        else { return }
        let presented = held[held.count - 1 - age]
        let isAlive = model.verdict(of: model.path(of: id(number)), at: now).grantLives
        let isTimely = age == 1 && renewals[number].map { now <= $0.at + .seconds(60) } ?? false
        let isRepeat = isTimely && renewals[number]?.proof == proof
        switch renewal(lineage, presented, proof: proof) {
        case .granted(let next, let change) where isAlive && age == 0:
            try renew(number, change, next, proof: proof, at: now)
        case .repeated(let next) where isAlive && isRepeat && next.encoded() == held.last?.encoded(): return
        case .reused(let change) where isAlive && age > 0 && !isTimely: try commit([change])
        case .differing where isAlive && isTimely && !isRepeat: return
        case .dead where !isAlive: return
        case let renewal:
            throw Difference(
                evidence: "\(presented) gives \(renewal): alive \(isAlive), \(age) generations old, repeat \(isRepeat)")
        }
    }

    /// Two requests decided from the same facts: at most one is applied.
    mutating func refreshTwice(_ number: Int, _ one: Int, _ other: Int) throws(Difference) {
        guard let presented = tokens[number]?.last, let lineage = lineage(number),
            case .granted(let next, let first) = renewal(lineage, presented, proof: one),
            case .granted(_, let second) = renewal(lineage, presented, proof: other)
        else { return }
        let isFirst = try renew(number, first, next, proof: one, at: now)
        let isSecond = try commit([second])
        if isFirst == isSecond { throw Difference(evidence: "of two renewals both were applied, or none: \(isFirst)") }
    }

    /// A renewal decided before a revocation and arriving after it.
    mutating func refreshLate(_ number: Int, revoking other: Int) throws(Difference) {
        guard let presented = tokens[number]?.last, let lineage = lineage(number),
            case .granted(let next, let change) = renewal(lineage, presented, proof: 0)
        else { return }
        try renew(number, change, next, proof: 0, at: try passing(other))
    }
}

// MARK: - Checks

extension Comparison {
    /// Whether both say the same.
    func same<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws(Difference) {
        if found != expected { throw Difference(evidence: "\(subject): \(found), expected \(expected)") }
    }

    /// Whether both judge a record alike, nothing revoked is back, and what lives stands on what lives.
    mutating func check(_ id: TokenID) throws(Difference) {
        let found = store.verdict(of: id, at: now)
        try same(found, model.verdict(of: model.path(of: id), at: now), id.text)
        try same(store.grant(of: id, at: now), model.lineage(of: id).map { Grant($0, at: now) }, "grant of \(id)")
        switch found {
        case .revoked: revoked.insert(id)
        case .live, .expired, .consumed, .unconfirmed:
            if revoked.contains(id) { throw Difference(evidence: "\(id) was revoked and is \(found)") }
        case .unknown: break
        }
        if found.isLive, let parent = model.entries[id]?.record.parent {
            let ground = store.verdict(of: parent, at: now)
            if !ground.grantLives {
                throw Difference(evidence: "\(id) is live, but stands on \(parent), which is \(ground)")
            }
        }
    }

    func checkRemembered() throws(Difference) {
        for number in 0..<3 {
            let key = ReplayKey("play", "\(number)")
            let expected = model.load([.replay(key)]).remembers(key, at: now)
            try same(store.load([.replay(key)]).remembers(key, at: now), expected, "key \(number) is remembered")
        }
    }

    /// Whether both hold the same altogether.
    mutating func checkAll() throws(Difference) {
        for number in 0..<numbers {
            try check(id(number))
            try compare(.record(id(number)))
        }
        try checkRemembered()
        let kind = Record.Kind.allCases[entropy.below(Record.Kind.allCases.count)]
        for selection in [Facts.Selection.all(kind), .subject("u-1", kind), .under("r-0", kind)] {
            try checkList(selection)
        }
        let someone = entropy.below(4)
        try compare(.outgoing(due: now, limit: 9))
        try compare(.holder(.client, id(someone, "h")))
        try compare(.holder(.versionKey, id(someone, "h")))
        try compare(.services(id(someone, "u")))
    }

    /// Whether both answer a key alike.
    func compare(_ key: Facts.Key) throws(Difference) {
        try same(store.load([key])[key], model.load([key])[key], "\(key)")
    }

    /// Whether both list the same records, each once; the order is each store's own.
    private func checkList(_ selection: Facts.Selection) throws(Difference) {
        let key = Facts.Key.records(selection, after: nil, limit: 1000)
        let found = store.load([key]).page(of: selection, limit: 1000)?.lineages.map(\.record.id)
        let expected = model.load([key]).page(of: selection, limit: 1000)?.lineages.map(\.record.id)
        try same(found?.sorted(), expected?.sorted(), "\(selection)")
    }
}
