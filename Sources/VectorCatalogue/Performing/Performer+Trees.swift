internal import TokenTree
internal import Wire

// A store of records: whether it applies a batch, and what it says of records then.

extension Performer {
    /// The store after the batches of its past.
    static func store(_ given: JSON.Object) throws(Malformed) -> MemoryStore {
        var store = MemoryStore()
        for batch in given["store"]?.array ?? [] {
            guard store.commit(try Batch(vector: batch, "store")) == .applied else { throw Malformed("store") }
        }
        return store
    }

    static func tree(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        var store = try store(given)
        var members: JSON.Object = [:]
        if let batch = given["batch"],
            case .conflict(let conflict, let change) = store.commit(try Batch(vector: batch, "batch"))
        {
            members = refused(conflict.clause)
            members["change"] = .number(JSON.Number(change))
        }
        var verdicts: [JSON] = []
        for question in given["asks"]?.array ?? [] {
            let id = try Malformed.need(question["id"]?.string.flatMap { try? TokenID(parsing: $0) }, "asks.id")
            let now = try Malformed.need(question["now"]?.number?.integer(as: Int64.self), "asks.now")
            verdicts.append(store.verdict(of: id, at: Timestamp(seconds: now)).vector)
        }
        members["verdicts"] = .array(verdicts)
        return members
    }
}

extension Batch {
    fileprivate init(vector json: JSON, _ member: String) throws(Malformed) {
        let document = try Malformed.need(try? JSON.Document(parsing: json.encoded()), member)
        self = try Malformed.need(try? Batch(document.root), member)
    }
}

extension Verdict {
    fileprivate var vector: JSON {
        switch self {
        case .live: ["verdict": "live"]
        case .expired(let by, let time, let ends):
            [
                "verdict": "expired", "by": .string(by.text), "at": Performer.time(time),
                "ends": .string(ends.rawValue),
            ]
        case .revoked(let by, let time, let reason):
            [
                "verdict": "revoked", "by": .string(by.text), "at": Performer.time(time),
                "reason": .string(reason.description),
            ]
        case .consumed(let time): ["verdict": "consumed", "at": Performer.time(time)]
        case .unknown: ["verdict": "unknown"]
        }
    }
}
