internal import TokenTree
internal import Wire

/// One law: a script, and what has to come of each move.
struct Law {
    let name: String
    let clause: String
    let script: [Move]
    /// What the whole law is about, where its moves do not say that.
    let category: Conformance.Category?

    enum Move {
        case commit(Batch, Batch.Outcome)
        case ask([Facts.Key], (Facts) -> String?)
        /// Looks a grant up by itself, which has to say what the lineage says, and to fulfil what is said of it here.
        case check(TokenID, Timestamp, (Grant?) -> Bool)
        case purge(Timestamp, Retention, removing: Int)
        case restart

        /// What is wrong with a store's answer to this move, if anything is.
        func difference<Answer: Equatable>(_ found: Answer, from expected: Answer) -> String? {
            found == expected ? nil : "\(self): \(found), expected \(expected)"
        }
    }

    init(_ name: String, _ clause: String, _ script: [Move], _ category: Conformance.Category? = nil) {
        self.name = name
        self.clause = clause
        self.script = script
        self.category = category
    }

    static var all: [Law] { tree + grants + holders + durability + lists + locks + names + values + access }
}

// MARK: - What the scripts speak of

/// The time so many seconds after the beginning of every script and history.
func at(_ seconds: Int) -> Timestamp { Timestamp(seconds: 1_800_000_000) + .seconds(seconds) }

extension Law.Move {
    static func applied(_ seconds: Int, _ changes: Change...) -> Law.Move {
        .commit(Batch(at: at(seconds), changes), .applied)
    }

    static func refused(
        _ seconds: Int, at index: Int = 0, _ conflict: Batch.Conflict, _ changes: Change...
    ) -> Law.Move {
        .commit(Batch(at: TokenTreeTesting.at(seconds), changes), .conflict(conflict, change: index))
    }

    /// The six levels below each other, the names being those of the kinds.
    static var branch: Law.Move { .commit(.branch, .applied) }

    static func purge(_ seconds: Int, explaining: Duration = .zero, removing count: Int) -> Law.Move {
        .purge(at(seconds), Retention(explained: explaining, settled: .zero), removing: count)
    }

    static func verdict(_ id: TokenID, _ seconds: Int, _ expected: Verdict) -> Law.Move {
        .fact(.record(id), { $0.verdict(of: id, at: at(seconds)) }, is: expected)
    }

    static func grant(_ id: TokenID, _ seconds: Int, _ isAsExpected: @escaping (Grant?) -> Bool) -> Law.Move {
        .check(id, at(seconds), isAsExpected)
    }

    /// What is wrong with a grant that was looked up, if anything is.
    func fault(of found: Grant?, beside lineage: Lineage?) -> String? {
        guard case .check(let id, let time, let isAsExpected) = self else { return nil }
        let expected = lineage.map { Grant($0, at: time) }
        if found != expected { return "the grant of \(id) is not what its lineage says" }
        return isAsExpected(found) ? nil : "the grant of \(id) and its lineage are not as expected"
    }

    static func fact<Value: Equatable>(
        _ key: Facts.Key, _ read: @escaping (Facts) -> Value, is expected: Value
    ) -> Law.Move {
        .ask([key]) { facts in
            let found = read(facts)
            return found == expected ? nil : "\(key): \(found), expected \(expected)"
        }
    }
}

extension Batch {
    /// The six levels below each other, the names being those of the kinds.
    static var branch: Batch {
        Batch(
            at: TokenTreeTesting.at(0),
            [
                .issue("version", .versionKey, holder: "kid"),
                .issue("client", .client, on: "version", holder: "instance"),
                .issue("personal", .personal, on: "client", subject: "user", access: 600, refresh: .generation(0)),
                .issue("assertion", .assertion, on: "personal", subject: "user", access: 300),
                .issue("service", .service, on: "assertion", subject: "user", access: 600, refresh: .generation(0)),
                .issue("app", .app, on: "service", subject: "user", access: 600, refresh: .generation(0)),
            ])
    }
}

extension Change {
    /// Issues a record that lives until it is revoked, if no end is given.
    static func issue(
        _ id: TokenID, _ kind: Record.Kind, on parent: TokenID? = nil, holder: Record.Holder? = nil,
        subject: Record.Subject? = nil, access: Int? = nil, final: Int? = nil, refresh: Record.Refresh? = nil
    ) -> Change {
        .insert(
            Record(
                id: id, kind: kind, parent: parent, issued: at(0), holder: holder, subject: subject,
                accessExpiry: access.map(at), finalExpiry: final.map(at), refresh: refresh))
    }

    /// Renews a grant from one generation to another.
    static func rotate(_ id: TokenID, from: UInt32, to: UInt32, access: Int? = nil) -> Change {
        .rotate(id, from: .generation(from), to: .generation(to), accessExpiry: access.map(at))
    }
}

extension Record.Refresh {
    /// The state of a refresh token of some generation; its hash is not that of a token anybody holds.
    static func generation(_ generation: UInt32) -> Record.Refresh {
        Record.Refresh(
            generation: generation, hash: Fingerprint(of: [UInt8(truncatingIfNeeded: generation)]),
            salt: Fingerprint(of: []), rotated: generation == 0 ? nil : at(0))
    }
}

extension Verdict {
    static func revoked(by id: TokenID, _ seconds: Int, _ reason: Record.Reason) -> Verdict {
        .revoked(by: id, at: TokenTreeTesting.at(seconds), reason: reason)
    }

    static func expired(_ id: TokenID, _ seconds: Int, _ ends: End) -> Verdict {
        .expired(by: id, at: TokenTreeTesting.at(seconds), ends: ends)
    }
}
