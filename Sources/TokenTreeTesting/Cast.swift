internal import TokenTree
internal import Wire

/// The records, names and times that laws and histories speak of.
enum Cast {
    /// The time at which every script begins.
    static let start = Timestamp(seconds: 1_800_000_000)

    static func time(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

    /// An identifier made of a word and a number; these always keep the rules.
    static func name<Kind>(_ word: String, _ number: Int = 0) -> Identifier<Kind> {
        do throws(SyntaxError) {
            return try Identifier(parsing: "\(word)-\(number)")
        } catch {
            preconditionFailure("\(word) is no identifier: \(error)")
        }
    }

    static func id(_ word: String) -> TokenID { name(word) }

    /// A record that lives until it is revoked.
    static func record(
        _ id: String, _ kind: Record.Kind, on parent: String? = nil, holder: String? = nil, subject: String? = nil,
        access: Int? = nil, final: Int? = nil, refresh: Record.Refresh? = nil
    ) -> Record {
        Record(
            id: name(id), kind: kind, parent: parent.map { name($0) }, issued: start,
            holder: holder.map { name($0) }, subject: subject.map { name($0) },
            accessExpiry: access.map(time), finalExpiry: final.map(time), refresh: refresh)
    }

    /// The state of a refresh token of some generation; its hash is not that of a token anybody holds.
    static func refresh(_ generation: UInt32) -> Record.Refresh {
        Record.Refresh(
            generation: generation, hash: Fingerprint(of: [UInt8(truncatingIfNeeded: generation)]),
            salt: Fingerprint(of: []),
            rotated: generation == 0 ? nil : start)
    }

    /// The six levels below each other, the names being those of the kinds.
    static let branch: [Change] = [
        .insert(record("version", .versionKey, holder: "kid")),
        .insert(record("client", .client, on: "version", holder: "instance")),
        .insert(record("personal", .personal, on: "client", subject: "user", access: 600, refresh: refresh(0))),
        .insert(record("assertion", .assertion, on: "personal", subject: "user", access: 300)),
        .insert(record("service", .service, on: "assertion", subject: "user", access: 600, refresh: refresh(0))),
        .insert(record("app", .app, on: "service", subject: "user", access: 600, refresh: refresh(0))),
    ]

    static let branchNames = ["version", "client", "personal", "assertion", "service", "app"]
}

extension Law.Move {
    static func applied(_ seconds: Int, _ changes: Change...) -> Law.Move {
        .commit(Batch(at: Cast.time(seconds), changes), .applied)
    }

    static func refused(_ seconds: Int, at index: Int = 0, _ breach: Batch.Conflict, _ changes: Change...) -> Law.Move {
        .commit(Batch(at: Cast.time(seconds), changes), .conflict(breach, change: index))
    }

    /// The branch of six.
    static var branch: Law.Move { .commit(Batch(at: Cast.start, Cast.branch), .applied) }

    static func verdict(_ id: String, _ seconds: Int, _ expected: Verdict) -> Law.Move {
        .ask([.record(Cast.id(id))]) { facts in
            let found = facts.verdict(of: Cast.id(id), at: Cast.time(seconds))
            return found == expected ? nil : "\(id) is \(found), expected \(expected)"
        }
    }

    static func fact<Value: Equatable>(_ key: Facts.Key, _ read: @escaping (Facts) -> Value, is expected: Value)
        -> Law.Move
    {
        .ask([key]) { facts in
            let found = read(facts)
            return found == expected ? nil : "\(found), expected \(expected)"
        }
    }
}

extension Verdict {
    static func revoked(by id: String, _ seconds: Int, _ reason: Record.Reason) -> Verdict {
        .revoked(by: Cast.id(id), at: Cast.time(seconds), reason: reason)
    }

    static func expired(_ id: String, _ seconds: Int, _ ends: End) -> Verdict {
        .expired(by: Cast.id(id), at: Cast.time(seconds), ends: ends)
    }
}
