internal import TokenTree
internal import Wire

/// What a store says, and what it should.
struct Difference: Error {
    let evidence: String
}

/// A store and the model beside it while one history happens to both, with what the holders hold.
struct Comparison<Store: SimulatedStore> {
    var store: Store
    let model = PlainStore()
    var now = at(0)
    var entropy = SeededSequence(seed: 1)
    /// Every refresh token that was given out, by record, in order.
    var tokens: [Int: [Record.Refresh.Token]] = [:]
    /// The proof and time of each record's last renewal.
    var renewals: [Int: (proof: Int, at: Timestamp)] = [:]
    /// How many records there may be.
    var numbers = 0
    /// What was once seen revoked.
    var revoked: Set<TokenID> = []

    func id<Kind>(_ number: Int, _ word: String = "r") -> Identifier<Kind> {
        Identifier(stringLiteral: "\(word)-\(number)")
    }

    func lineage(_ number: Int) -> Lineage? { store.load([.record(id(number))]).lineage(of: id(number)) }

    // MARK: Steps

    /// Performs a step on both, and checks the record it is about and two others.
    mutating func perform(_ step: Step) throws(Difference) {
        let record: TokenID = id(step[0])
        switch step.verb {
        case .branch: try branch()
        case .issue:
            let (record, token) = self.record(step)
            if try commit([.insert(record)]) { hold(token, step[0]) }
        case .issueLate:
            let late = self.late(step[0], Self.kind(step[1]), on: step[2])
            if try commit([.insert(late)], at: try passing(step[3])) { hold(nil, step[0]) }
        case .revoke:
            let reason = Record.Reason(rawValue: UInt8(truncatingIfNeeded: step[1])) ?? .user
            try commit([.revoke(record, reason)])
        case .redeem:
            let issued = late(step[1], Self.kind(step[2]), on: step[0])
            if try commit([.consume(record), .insert(issued)]) { hold(nil, step[1]) }
        case .refresh: try refresh(step[0], age: step[1], proof: step[2])
        case .refreshTwice: try refreshTwice(step[0], step[1], step[2])
        case .refreshLate: try refreshLate(step[0], revoking: step[1])
        case .reground:
            try commit([.reground(record, from: lineage(step[0])?.record.parent ?? id(step[1]), onto: id(step[1]))])
        case .see: try commit([.remember(ReplayKey("play", "\(step[0])"), until: now + .seconds(step[1]))])
        case .enqueue:
            let message = OutgoingMessage(
                id: id(step[0], "m"), destination: "s-0", about: id(step[1]), body: ["n": .string("\(step[1])")],
                due: now)
            try commit([.revoke(id(step[1]), .user), .enqueue(message)])
        case .deliver: try deliver(arrives: step[0] == 1)
        case .use: try commit([.visit(id(step[0], "u"), id(step[1], "s")), .touch(record)])
        case .describe:
            let attributes: JSON.Object = step[1] == 0 ? [:] : ["name": .string("text \(step[1])")]
            try commit([.describe(record, attributes, from: step[1] == 2 ? ["name": "text 1"] : nil)])
        case .fail: try fail(step)
        case .wait: now = now + .seconds(max(0, step[0]))
        case .crash:
            store.restart()
            model.restart()
            try checkRemembered()
        case .crashDuring:
            let batch = Batch(at: now, [.revoke(record, .administrator)])
            if store.crash(during: batch), model.commit(batch) != .applied {
                throw Difference(evidence: "\(batch) is there after a crash, but could not be applied")
            }
        case .purge:
            let retention = Retention(explained: .seconds(max(0, step[0])), settled: .seconds(max(0, step[0])))
            let expected = model.purge(at: now, keeping: retention)
            try same(store.purge(at: now, keeping: retention), expected, "records purged")
        }
        try check(record)
        for _ in 0..<2 { try check(id(entropy.below(max(1, numbers)))) }
    }

    private static func kind(_ number: Int) -> Record.Kind {
        Record.Kind(rawValue: UInt8(truncatingIfNeeded: number)) ?? .app
    }

    /// One record of each level, with refresh tokens where levels have them.
    private mutating func branch() throws(Difference) {
        var changes: [Change] = []
        for (number, kind) in [Record.Kind.versionKey, .client, .personal, .assertion, .service, .app].enumerated() {
            let isRenewable = !kind.isRedeemable && !kind.isKnownByHolder
            let step = Step(
                .issue, number, Int(kind.rawValue), number - 1, kind.isKnownByHolder ? 0 : 1,
                isRenewable || kind.isRedeemable ? 200 : -1, -1, isRenewable ? 1 : 0)
            let (record, token) = record(step)
            changes.append(.insert(record))
            hold(token, number)
        }
        try commit(changes)
    }

    private mutating func record(_ step: Step) -> (Record, Record.Refresh.Token?) {
        let issued = step[6] == 1 ? Record.Refresh.issued(for: id(step[0]), using: &entropy) : nil
        var record = late(step[0], Self.kind(step[1]), on: step[2])
        if step[3] >= 0 { record.holder = id(step[3], "h") }
        record.subject = id(step[3] < 0 ? step[0] : step[3], "u")
        if step[4] >= 0 { record.accessExpiry = now + .seconds(step[4]) }
        if step[5] >= 0 { record.finalExpiry = now + .seconds(step[5]) }
        record.refresh = issued?.refresh
        return (record, issued?.token)
    }

    /// A record that is issued now, however late it arrives.
    private mutating func late(_ number: Int, _ kind: Record.Kind, on parent: Int) -> Record {
        numbers = max(numbers, number + 1)
        return Record(id: id(number), kind: kind, parent: parent < 0 ? nil : id(parent), issued: now)
    }

    /// Revokes a record while a decision is on its way, and says when that was made.
    mutating func passing(_ number: Int) throws(Difference) -> Timestamp {
        let decided = now
        now = now + .seconds(3)
        try commit([.revoke(id(number), .user)])
        return decided
    }

    /// A record was issued; its name was free, though it may have been another's before a purge.
    private mutating func hold(_ token: Record.Refresh.Token?, _ number: Int) {
        tokens[number] = token.map { [$0] }
        renewals[number] = nil
        revoked.remove(id(number))
    }

    /// All that a batch can do, and then what it cannot; the model says how far it comes.
    private mutating func fail(_ step: Step) throws(Difference) {
        let (one, other): (TokenID, TokenID) = (id(step[0]), id(step[1]))
        let fresh = Record(
            id: "fresh", kind: .client, parent: other, issued: now, holder: "h-9", subject: "u-1",
            attributes: ["name": "never seen"])
        let message = OutgoingMessage(id: "m-9", destination: "s-9", about: one, body: [:], due: now)
        let consume = Change.consume(one)
        let reground = Change.reground(one, from: lineage(step[0])?.record.parent ?? other, onto: other)
        let changes: [Change] = [
            .visit("u-9", "s-9"), .remember(ReplayKey("play", "\(step[2])"), until: now + .seconds(9)),
            .enqueue(message), .settle(message.id, .delivered), .insert(fresh), .touch(fresh.id),
            .describe(fresh.id, [:]), .revoke(fresh.id, .user), reground, .touch(one),
            .describe(one, ["name": "changed"]), consume, .revoke(one, step[2] == 0 ? .barred : .user), .insert(fresh),
        ]
        // Where one of the others stops the batch, what is left of it has to fail at its end.
        for part in [changes, changes.filter { $0 != consume && $0 != reground }] {
            try commit(part)
            for id in [one, other, fresh.id] { try check(id) }
            if let record = model.entries[one]?.record, let holder = record.holder {
                try compare(.holder(record.kind, holder))
            }
        }
    }

    /// Commits to both, which must agree on the outcome; true if the batch was applied.
    @discardableResult
    mutating func commit(_ changes: [Change], at time: Timestamp? = nil) throws(Difference) -> Bool {
        let batch = Batch(at: time ?? now, changes)
        let outcome = store.commit(batch)
        try same(outcome, model.commit(batch), "\(batch)")
        return outcome == .applied
    }

    private mutating func deliver(arrives: Bool) throws(Difference) {
        guard let message = store.load([.outgoing(due: now, limit: 1)]).messages(due: now, limit: 1).first else {
            return
        }
        let retry = now + OutgoingMessage.Backoff().delay(afterAttempts: message.attempts + 1, using: &entropy)
        try commit([.attempt(message.id, after: message.attempts, retry: retry)])
        if arrives { try commit([.settle(message.id, .delivered)]) }
    }
}
