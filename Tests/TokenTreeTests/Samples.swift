import TestSupport
import TokenTree
import Wire

// The records and times that the tests speak of.

func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + seconds) }

func name<Kind>(_ text: String) -> Identifier<Kind> {
    guard let id = try? Identifier<Kind>(parsing: text) else { preconditionFailure("'\(text)' is no identifier") }
    return id
}

extension Record {
    static func sample(
        _ id: TokenID, _ kind: Kind, on parent: TokenID? = nil, holder: String? = nil, subject: String? = nil,
        access: Int64? = nil,
        final: Int64? = nil, refresh: Refresh? = nil, attributes: JSON.Object = JSON.Object()
    ) -> Record {
        Record(
            id: id, kind: kind, parent: parent, issued: at(0), holder: holder.map { name($0) },
            subject: subject.map { name($0) },
            accessExpiry: access.map(at), finalExpiry: final.map(at), refresh: refresh, attributes: attributes)
    }
}

/// The six levels on each other.
let sixLevels: [Record] = [
    .sample("version", .versionKey, holder: "kid"),
    .sample("client", .client, on: "version", holder: "instance", attributes: ["device_name": "Anna's \u{1F4F1}"]),
    .sample("personal", .personal, on: "client", subject: "anna"),
    .sample("assertion", .assertion, on: "personal", subject: "anna", access: 300),
    .sample("service", .service, on: "assertion", subject: "anna"),
    .sample("app", .app, on: "service", subject: "anna"),
]

extension MemoryStore {
    /// A tree that holds these records.
    init(_ records: [Record], limits: Limits = Limits()) {
        self.init(limits: limits)
        _ = commit(Batch(at: at(0), records.map { .insert($0) }))
    }

    mutating func apply(_ seconds: Int64, _ changes: Change...) -> Batch.Outcome {
        commit(Batch(at: at(seconds), changes))
    }
}

extension Batch.Outcome {
    /// The condition that did not hold, if one did not.
    var conflict: Batch.Conflict? {
        if case .conflict(let conflict, _) = self { conflict } else { nil }
    }
}
