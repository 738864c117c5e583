internal import TokenTree
internal import Wire

// A store of records: whether it applies a batch, and what it says of records then.

extension Reference {
    /// The store after the batches of its past.
    static func store(_ given: Given) throws -> MemoryStore {
        var store = MemoryStore()
        for batch in try given["store"] == nil
            ? [] : given.decodeAll("store", { try Batch(JSON.Document(parsing: $0).root) })
        {
            guard store.commit(batch) == .applied else { throw Vector.Rejection("store") }
        }
        return store
    }

    static func tree(_ given: Given) throws -> JSON.Object {
        var store = try store(given)
        var members: JSON.Object = [:]
        if given["batch"] != nil {
            let batch = try given.decode("batch") { try Batch(JSON.Document(parsing: $0).root) }
            if case .conflict(let conflict, let change) = store.commit(batch) {
                members = refused(conflict.clause)
                members["change"] = .number(JSON.Number(change))
            }
        }
        members["verdicts"] = .array(
            try given.list("asks").map { ask in
                store.verdict(of: try ask.parse("id") { try TokenID(parsing: $0) }, at: try ask.now).vector
            })
        return members
    }
}

extension Verdict {
    fileprivate var vector: JSON {
        switch self {
        case .live: ["verdict": "live"]
        case .expired(let by, let time, let ends):
            [
                "verdict": "expired", "by": .string(by.text), "at": Reference.time(time),
                "ends": .string(ends.rawValue),
            ]
        case .revoked(let by, let time, let reason):
            [
                "verdict": "revoked", "by": .string(by.text), "at": Reference.time(time),
                "reason": .string(reason.description),
            ]
        case .consumed(let time): ["verdict": "consumed", "at": Reference.time(time)]
        case .unconfirmed(let time): ["verdict": "unconfirmed", "before": Reference.time(time)]
        case .unknown: ["verdict": "unknown"]
        }
    }
}
