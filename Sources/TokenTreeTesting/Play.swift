internal import TokenTree
internal import Wire

/// One history under way: the store, the model beside it, and what the holders hold.
struct Play<Store: SimulatedStore> {
    private var store: Store
    private let model = PlainStore()
    private var now = Cast.start
    private var entropy = SeededSequence(seed: 1)
    /// Every refresh token that was given out, by record, in order.
    private var tokens: [Int: [Record.Refresh.Token]] = [:]
    /// The proof and time of each record's last renewal.
    private var renewals: [Int: (proof: Int, at: Timestamp)] = [:]
    private var numbers = 0
    /// What was once seen revoked.
    private var revoked: Set<TokenID> = []

    private static var window: Duration { .seconds(60) }
    private static var lateness: Duration { .seconds(3) }

    init(store: Store) {
        self.store = store
    }

    private func id(_ number: Int) -> TokenID { Cast.name("r", number) }

    private static func proof(_ number: Int) -> Fingerprint { Fingerprint(of: [UInt8(truncatingIfNeeded: number)]) }

    private static func kind(_ number: Int) -> Record.Kind {
        Record.Kind(rawValue: UInt8(truncatingIfNeeded: number)) ?? .app
    }

    private static func reason(_ number: Int) -> Record.Reason {
        Record.Reason(rawValue: UInt8(truncatingIfNeeded: number)) ?? .user
    }

    // MARK: Steps

    /// Performs a step on both, and says what is wrong then.
    mutating func perform(_ step: Step) -> String? {
        let evidence: String?
        switch step.verb {
        case .branch: evidence = branch()
        case .issue:
            let (record, token) = record(step)
            evidence = commit([.insert(record)]) { play in play.hold(token, step[0]) }
        case .issueLate:
            let decided = now
            now = now + Self.lateness
            let parent: TokenID = id(step[2])
            let late = Record(id: id(step[0]), kind: Self.kind(step[1]), parent: parent, issued: decided)
            numbers = max(numbers, step[0] + 1)
            evidence =
                commit([.revoke(id(step[3]), .user)])
                ?? commit([.insert(late)], at: decided) { play in play.hold(nil, step[0]) }
        case .revoke: evidence = commit([.revoke(id(step[0]), Self.reason(step[1]))])
        case .redeem:
            let record = Record(id: id(step[1]), kind: Self.kind(step[2]), parent: id(step[0]), issued: now)
            numbers = max(numbers, step[1] + 1)
            evidence = commit([.consume(id(step[0])), .insert(record)]) { play in play.hold(nil, step[1]) }
        case .refresh: evidence = refresh(step[0], age: step[1], proof: step[2])
        case .refreshTwice: evidence = refreshTwice(step[0], step[1], step[2])
        case .refreshLate: evidence = refreshLate(step[0], revoking: step[1])
        case .reground:
            let parent = store.load([.record(id(step[0]))]).lineage(of: id(step[0]))?.record.parent
            evidence = commit([.reground(id(step[0]), from: parent ?? id(step[1]), onto: id(step[1]))])
        case .see: evidence = commit([.remember(ReplayKey("play", "\(step[0])"), until: now + .seconds(step[1]))])
        case .enqueue:
            let message = OutgoingMessage(
                id: Cast.name("m", step[0]), destination: Cast.name("s", 0), about: id(step[1]),
                body: ["n": .string("\(step[1])")],
                due: now)
            evidence = commit([.revoke(id(step[1]), .user), .enqueue(message)])
        case .deliver: evidence = deliver(arrives: step[0] == 1)
        case .use: evidence = commit([.visit(Cast.name("u", step[0]), Cast.name("s", step[1])), .touch(id(step[0]))])
        case .describe:
            evidence = commit([.describe(id(step[0]), step[1] == 0 ? [:] : ["name": .string("text \(step[1])")])])
        case .fail: evidence = fail(step)
        case .wait:
            now = now + .seconds(max(0, step[0]))
            evidence = nil
        case .crash:
            store.restart()
            model.restart()
            evidence = checkRemembered()
        case .crashDuring:
            let batch = Batch(at: now, [.revoke(id(step[0]), .administrator)])
            let isThere = store.crash(during: batch)
            evidence =
                isThere && model.commit(batch) != .applied
                ? "\(batch) is there after a crash, but could not be applied" : nil
        case .purge: evidence = purge(keeping: .seconds(max(0, step[0])))
        }
        return evidence ?? check(id(step[0])) ?? check(id(entropy.below(max(1, numbers))))
            ?? check(id(entropy.below(max(1, numbers))))
    }

    /// One record of each level, with refresh tokens where levels have them.
    private mutating func branch() -> String? {
        var changes: [Change] = []
        for (number, kind) in [Record.Kind.versionKey, .client, .personal, .assertion, .service, .app].enumerated() {
            let isRenewable = !kind.isRedeemable && !kind.isKnownByHolder
            let step = Step(
                .issue, number, Int(kind.rawValue), number - 1, kind.isKnownByHolder ? 0 : 1,
                isRenewable || kind.isRedeemable ? 200 : -1,
                -1,
                isRenewable ? 1 : 0)
            let (record, token) = record(step)
            changes.append(.insert(record))
            hold(token, number)
        }
        return commit(changes)
    }

    private mutating func record(_ step: Step) -> (Record, Record.Refresh.Token?) {
        numbers = max(numbers, step[0] + 1)
        let issued = step[6] == 1 ? Record.Refresh.issued(for: id(step[0]), using: &entropy) : nil
        let subject = step[3] < 0 ? step[0] : step[3]
        let record = Record(
            id: id(step[0]), kind: Self.kind(step[1]), parent: step[2] < 0 ? nil : id(step[2]), issued: now,
            holder: step[3] < 0 ? nil : Cast.name("h", step[3]), subject: Cast.name("u", subject),
            accessExpiry: step[4] < 0 ? nil : now + .seconds(step[4]),
            finalExpiry: step[5] < 0 ? nil : now + .seconds(step[5]),
            refresh: issued?.refresh)
        return (record, issued?.token)
    }

    /// A record was issued; its name was free, though it may have been another's before a purge.
    private mutating func hold(_ token: Record.Refresh.Token?, _ number: Int) {
        tokens[number] = token.map { [$0] }
        renewals[number] = nil
        revoked.remove(id(number))
    }

    /// All that a batch can do, and then what it cannot; the model says how far it comes.
    private mutating func fail(_ step: Step) -> String? {
        let (one, other) = (id(step[0]), id(step[1]))
        let parent = store.load([.record(one)]).lineage(of: one)?.record.parent ?? other
        let fresh = Record(
            id: Cast.name("fresh"), kind: .client, parent: other, issued: now, holder: Cast.name("h", 9),
            subject: Cast.name("u", 1),
            attributes: ["name": "never seen"])
        let message = OutgoingMessage(
            id: Cast.name("m", 9), destination: Cast.name("s", 9), about: one, body: [:], due: now)
        let changes: [Change] = [
            .visit(Cast.name("u", 9), Cast.name("s", 9)),
            .remember(ReplayKey("play", "\(step[2])"), until: now + .seconds(9)),
            .enqueue(message), .settle(message.id, .delivered), .insert(fresh), .touch(fresh.id),
            .describe(fresh.id, [:]),
            .revoke(fresh.id, .user), .reground(one, from: parent, onto: other), .touch(one),
            .describe(one, ["name": "changed"]),
            .consume(one),
            .revoke(one, step[2] == 0 ? .barred : .user), .insert(fresh),
        ]
        // Where one of the others stops the batch, what is left of it has to fail at its end.
        for skipped in 0..<2 {
            let part =
                skipped == 0
                ? changes : changes.filter { $0 != .consume(one) && $0 != .reground(one, from: parent, onto: other) }
            if let evidence = commit(part) { return evidence }
            if let evidence = check(one) ?? check(other) ?? check(fresh.id) { return evidence }
            if let holder = model.entries[one]?.record.holder, let kind = model.entries[one]?.record.kind {
                if let evidence = compare(.holder(kind, holder)) { return evidence }
            }
        }
        return nil
    }

    /// Commits to both; they must agree on the outcome.
    private mutating func commit(_ changes: [Change], at time: Timestamp? = nil, then: (inout Play) -> Void = { _ in })
        -> String?
    {
        let batch = Batch(at: time ?? now, changes)
        let (found, expected) = (store.commit(batch), model.commit(batch))
        guard found == expected else { return "\(batch) gives \(found), expected \(expected)" }
        if found == .applied { then(&self) }
        return nil
    }

    private mutating func deliver(arrives: Bool) -> String? {
        guard let message = store.load([.outgoing(due: now, limit: 1)]).messages(due: now, limit: 1).first else {
            return nil
        }
        let retry = now + OutgoingMessage.Backoff().delay(afterAttempts: message.attempts + 1, using: &entropy)
        if let evidence = commit([.attempt(message.id, after: message.attempts, retry: retry)]) { return evidence }
        return arrives ? commit([.settle(message.id, .delivered)]) : nil
    }

    private mutating func purge(keeping: Duration) -> String? {
        let retention = Retention(explained: keeping, settled: keeping)
        let (found, expected) = (store.purge(at: now, keeping: retention), model.purge(at: now, keeping: retention))
        return found == expected ? nil : "\(found) records purged, expected \(expected)"
    }
}

// MARK: - Refresh

extension Play {
    private func lineage(_ number: Int) -> Lineage? {
        store.load([.record(id(number))]).lineage(of: id(number))
    }

    private func renewal(_ lineage: Lineage, _ token: Record.Refresh.Token, proof: Int) -> Lineage.Renewal {
        lineage.renewal(
            with: token, proof: Self.proof(proof), accessExpiry: now + .seconds(100), at: now, window: Self.window)
    }

    private mutating func refresh(_ number: Int, age: Int, proof: Int) -> String? {
        guard let held = tokens[number], held.indices.contains(held.count - 1 - age), let lineage = lineage(number)
        else { return nil }
        let presented = held[held.count - 1 - age]
        let isAlive = model.verdict(of: model.path(of: id(number)), at: now).grantLives
        let isRepeat = age == 1 && renewals[number].map { $0.proof == proof && now < $0.at + Self.window } ?? false
        switch renewal(lineage, presented, proof: proof) {
        case .granted(let next, let change):
            guard isAlive, age == 0 else { return "\(presented) was renewed: alive \(isAlive), \(age) generations old" }
            let time = now
            return commit([change]) { play in
                play.tokens[number]?.append(next)
                play.renewals[number] = (proof, time)
            }
        case .repeated(let next):
            guard isAlive, isRepeat, next.encoded() == held.last?.encoded() else {
                return "\(presented) was answered again with \(next)"
            }
            return nil
        case .reused(let change):
            guard isAlive, age > 0, !isRepeat else {
                return "\(presented) was taken for reused: alive \(isAlive), repeat \(isRepeat)"
            }
            return commit([change])
        case .dead(let verdict):
            return isAlive ? "\(presented) was refused as \(verdict)" : nil
        case .foreign:
            return "\(presented) was taken for foreign"
        }
    }

    /// Two requests decided from the same facts: at most one is applied.
    private mutating func refreshTwice(_ number: Int, _ one: Int, _ other: Int) -> String? {
        guard let presented = tokens[number]?.last, let lineage = lineage(number),
            case .granted(let next, let first) = renewal(lineage, presented, proof: one),
            case .granted(_, let second) = renewal(lineage, presented, proof: other)
        else { return nil }
        let time = now
        var winners = 0
        let evidence =
            commit([first]) { play in
                play.tokens[number]?.append(next)
                play.renewals[number] = (one, time)
                winners += 1
            } ?? commit([second]) { _ in winners += 1 }
        return evidence ?? (winners == 1 ? nil : "\(winners) of two renewals were applied")
    }

    /// A renewal decided before a revocation and arriving after it.
    private mutating func refreshLate(_ number: Int, revoking other: Int) -> String? {
        guard let presented = tokens[number]?.last, let lineage = lineage(number),
            case .granted(let next, let change) = renewal(lineage, presented, proof: 0)
        else { return nil }
        let decided = now
        now = now + Self.lateness
        return commit([.revoke(id(other), .user)])
            ?? commit([change], at: decided) { play in
                play.tokens[number]?.append(next)
                play.renewals[number] = (0, decided)
            }
    }
}

// MARK: - Invariants

extension Play {
    /// Whether both judge a record alike, nothing revoked is back, and what lives stands on what lives.
    private mutating func check(_ id: TokenID) -> String? {
        let found = store.verdict(of: id, at: now)
        let expected = model.verdict(of: model.path(of: id), at: now)
        guard found == expected else { return "\(id) is \(found), expected \(expected)" }
        switch found {
        case .revoked: revoked.insert(id)
        case .live, .expired, .consumed:
            if revoked.contains(id) { return "\(id) was revoked and is \(found)" }
        case .unknown: break
        }
        if found.isLive, let parent = model.entries[id]?.record.parent {
            let ground = store.verdict(of: parent, at: now)
            if !ground.grantLives { return "\(id) is live, but stands on \(parent), which is \(ground)" }
        }
        return nil
    }

    private func checkRemembered() -> String? {
        for number in 0..<3 {
            let key = ReplayKey("play", "\(number)")
            let found = store.load([.replay(key)]).remembers(key, at: now)
            let expected = model.load([.replay(key)]).remembers(key, at: now)
            if found != expected { return "key \(number) is remembered: \(found), expected \(expected)" }
        }
        return nil
    }

    /// Whether both hold the same altogether.
    mutating func checkAll() -> String? {
        for number in 0..<numbers {
            if let evidence = check(id(number)) { return evidence }
            if let evidence = compare(.record(id(number))) { return evidence }
        }
        if let evidence = checkRemembered() { return evidence }
        let kind = Self.kind(entropy.below(Record.Kind.allCases.count))
        for selection in [Facts.Selection.all(kind), .subject(Cast.name("u", 1), kind), .under(id(0), kind)] {
            if let evidence = checkList(selection) { return evidence }
        }
        let someone = entropy.below(4)
        let keys: [Facts.Key] = [
            .outgoing(due: now, limit: 9), .holder(.client, Cast.name("h", someone)),
            .holder(.versionKey, Cast.name("h", someone)),
            .services(Cast.name("u", someone)),
        ]
        for key in keys {
            if let evidence = compare(key) { return evidence }
        }
        return nil
    }

    /// Whether both answer a key alike.
    private func compare(_ key: Facts.Key) -> String? {
        let (found, expected) = (store.load([key])[key], model.load([key])[key])
        return found == expected
            ? nil : "\(key): \(String(describing: found)), expected \(String(describing: expected))"
    }

    /// Whether both list the same records, each once; the order is each store's own.
    private func checkList(_ selection: Facts.Selection) -> String? {
        let key = Facts.Key.records(selection, after: nil, limit: 1000)
        let found = store.load([key]).page(of: selection, limit: 1000)?.lineages.map(\.record.id)
        let expected = model.load([key]).page(of: selection, limit: 1000)?.lineages.map(\.record.id)
        return found?.sorted() == expected?.sorted()
            ? nil : "\(selection) lists \(String(describing: found)), expected \(String(describing: expected))"
    }
}
