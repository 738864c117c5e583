public import JOSE
internal import OAuth2Grants
public import TokenTree
public import Wire

/// What a party decided, for whom, and by which rule, without secrets of the request.
public struct AuditRecord: Sendable {
    /// What was requested; `nil` if the party acted by itself.
    public internal(set) var request: HTTP.Request.Target?
    /// The endpoint that was asked, with `*` in the place of names, as in `admin/users/*/lock`; `nil` if it was none.
    public let endpoint: String?
    /// The record whose holder asked, if the request proved one.
    public let requester: Record?
    /// The grant by which a request to one of the service's own endpoints, or to a page of the host's, was let pass.
    public internal(set) var grant: TokenID?
    /// Whether the host let somebody in as an administrator.
    public internal(set) var isAdministrators = false
    /// What was changed.
    public let changes: [Change]
    /// Why the party said no, if it did.
    public let refusal: Refusal?
    /// When it was decided, by the host's clock; `nil` before a host said so.
    public internal(set) var time: Timestamp?
    /// How long the decision took, with what was looked up for it and stored.
    public internal(set) var duration: Duration = .zero
    /// What ended, and of which not everybody could be told at once: ``Upkeep/takeUp(_:)`` goes on.
    public internal(set) var unfinished: [TokenID] = []

    init(at endpoint: String?, by requester: Record?, changes: [Change], refusal: Refusal?) {
        self.endpoint = endpoint
        self.requester = requester
        self.changes = changes
        self.refusal = refusal
    }
}

extension AuditRecord {
    /// What may be done with what is kept about people.
    public enum Act: String, Sendable, Hashable, CaseIterable {
        /// Something more is kept.
        case storage
        /// What is kept is told to the person, or to an administrator.
        case reading
        /// What is kept has become something else.
        case alteration
        /// What is kept is told to a service.
        case disclosure
        /// Something has ended, or is kept no more.
        case deletion
    }

    /// What was done; nothing where the party refused and changed nothing, or told what everybody may know.
    public var acts: Set<Act> {
        var acts = Set(changes.flatMap { $0.acts })
        guard acts.isEmpty, refusal == nil else { return acts }
        if requester?.kind == .assertion {
            acts.insert(.disclosure)
        } else if grant != nil || requester != nil || isAdministrators {
            acts.insert(.reading)
        }
        return acts
    }
}

extension Change {
    fileprivate var acts: [AuditRecord.Act] {
        switch self {
        // An assertion tells a service about a person.
        case .insert(let record): record.kind == .assertion ? [.storage, .disclosure] : [.storage]
        case .visit: [.storage]
        case .revoke, .leave, .forget: [.deletion]
        case .rotate, .reground, .describe, .confirm: [.alteration]
        // What guards against repetition, and messages about what ended, are about no person.
        case .consume, .touch, .remember, .enqueue, .attempt, .settle: []
        }
    }
}

// MARK: - As a line

extension AuditRecord {
    /// One line of JSON, without its end.
    ///
    /// It names nobody: people and their devices stand in it by the identifiers of their records alone. Whose these are
    /// stands in the store, and nowhere any more when a person was forgotten and the records were removed. Names of
    /// services, apps and versions are public.
    public func encoded(by issuer: Issuer) -> [UInt8] {
        let acts = acts
        return JSON.encodedObject { line in
            line.member("time", ifPresent: time?.description)
            line.member("party", issuer.text)
            line.member("endpoint", ifPresent: endpoint)
            line.member("by", asker)
            line.member("record", ifPresent: (requester?.id ?? grant)?.text)
            line.member("outcome", refusal == nil ? "done" : "refused")
            if let refusal {
                line.member("rule", refusal.rule.clause)
                line.member("error", refusal.error.code.text)
            }
            line.member("acts", JSON.array(Act.allCases.filter { acts.contains($0) }.map { .string($0.rawValue) }))
            line.member("changes", JSON.array(changes.compactMap { change in change.entry.map { .object($0) } }))
            let (seconds, attoseconds) = duration.components
            line.member("microseconds", seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        }
    }

    /// Who asked, as far as that was proved.
    private var asker: String {
        if isAdministrators { return "administrator" }
        return requester.map { "\($0.kind)" } ?? (grant == nil ? "nobody" : "token")
    }
}

extension Change {
    /// What an audit record says of a change; `nil` for what is about no person.
    fileprivate var entry: JSON.Object? {
        switch self {
        case .insert(let record):
            var entry: JSON.Object = [
                "do": "insert", "kind": .string("\(record.kind)"), "record": .string(record.id.text),
            ]
            if let parent = record.parent { entry["on"] = .string(parent.text) }
            if let audience = record.audience { entry["for"] = .string(audience.text) }
            if record.kind == .app, let holder = record.holder { entry["app"] = .string(holder.text) }
            if let end = record.end ?? record.accessExpiry { entry["until"] = .string(end.description) }
            return entry
        case .revoke(let id, let reason):
            return ["do": "revoke", "record": .string(id.text), "reason": .string("\(reason)")]
        case .consume(let id): return ["do": "consume", "record": .string(id.text)]
        case .rotate(let id, _, _, let expiry):
            var entry: JSON.Object = ["do": "rotate", "record": .string(id.text)]
            if let expiry { entry["until"] = .string(expiry.description) }
            return entry
        case .reground(let id, _, let onto):
            return ["do": "reground", "record": .string(id.text), "on": .string(onto.text)]
        case .describe(let id, _, _): return ["do": "describe", "record": .string(id.text)]
        case .confirm(let id): return ["do": "confirm", "record": .string(id.text)]
        case .visit(_, let service): return ["do": "visit", "for": .string(service.text)]
        case .leave(_, let service): return ["do": "leave", "for": .string(service.text)]
        case .forget: return ["do": "forget"]
        case .touch, .remember, .enqueue, .attempt, .settle: return nil
        }
    }
}
