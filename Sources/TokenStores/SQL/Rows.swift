internal import TokenTree
internal import Wire

// Values as columns, and back. What is in a table was written here; what cannot be read was changed by somebody else.

extension SQLValue {
    static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    static func time(_ time: Timestamp?) -> SQLValue { .text(time?.number) }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
}

/// The columns of one row in their order, of which each must be what it is read as.
struct RowReader {
    private let row: SQLRow
    private var position = 0
    /// What the row is, for whoever has to look for it.
    private let kind: String

    init(_ row: SQLRow, _ kind: String) {
        self.row = row
        self.kind = kind
    }

    var damage: StoreFailure { .foreignRow(kind, column: position - 1) }

    mutating func next() throws(StoreFailure) -> SQLValue {
        position += 1
        guard position <= row.count else { throw damage }
        return row[position - 1]
    }

    mutating func integer() throws(StoreFailure) -> Int64 {
        guard let integer = try next().integer else { throw damage }
        return integer
    }

    mutating func text() throws(StoreFailure) -> String {
        guard let text = try next().text else { throw damage }
        return text
    }

    mutating func optional<Value>(_ read: (String) -> Value?) throws(StoreFailure) -> Value? {
        switch try next() {
        case .null: return nil
        case .text(let text):
            guard let value = read(text) else { throw damage }
            return value
        case .integer: throw damage
        }
    }

    mutating func required<Value>(_ read: (String) -> Value?) throws(StoreFailure) -> Value {
        guard let value = try optional(read) else { throw damage }
        return value
    }

    mutating func identifier<Kind>() throws(StoreFailure) -> Identifier<Kind>? {
        try optional { try? Identifier<Kind>(parsing: $0) }
    }

    mutating func name<Kind>() throws(StoreFailure) -> Identifier<Kind> {
        try required { try? Identifier<Kind>(parsing: $0) }
    }

    mutating func time() throws(StoreFailure) -> Timestamp? {
        try optional { text in
            let bytes = [UInt8](text.utf8)
            return try? Timestamp(parsing: bytes.span)
        }
    }

    mutating func moment() throws(StoreFailure) -> Timestamp {
        guard let time = try time() else { throw damage }
        return time
    }

    mutating func word<Word: CaseIterable & CustomStringConvertible>() throws(StoreFailure) -> Word? {
        try optional { text in Word.allCases.first { $0.description == text } }
    }

    mutating func object() throws(StoreFailure) -> JSON.Object? {
        // Whatever may be kept with a record is less deep.
        let limits = JSON.Limits(depth: 128)
        return try optional { text in
            let bytes = [UInt8](text.utf8)
            guard case .object(let object)? = try? JSON(parsing: bytes, limits: limits) else { return nil }
            return object
        }
    }
}

// MARK: - Records

extension Lineage.Entry {
    /// The columns of a record, in the order in which they are written.
    var columns: [SQLValue] {
        [
            .text(record.id.text), .text(record.kind.description), .text(record.parent?.text),
            .text(record.holder?.text), .text(record.subject?.text), .text(record.audience?.text),
            .text(record.scope?.text), .text(record.boundKey?.text), .time(record.issued), .time(record.accessExpiry),
            .time(record.finalExpiry), record.refresh.map { .integer(Int64($0.generation)) } ?? .null,
            .text(record.refresh?.hash.description), .text(record.refresh?.salt.description),
            .time(record.refresh?.rotated), .text(record.attributes.text), .time(fate.revocation?.at),
            .text(fate.revocation?.reason.description), .time(fate.consumed), .time(fate.lastUse),
            .time(fate.confirmed),
        ]
    }

    init(_ row: inout RowReader) throws(StoreFailure) {
        let id: TokenID = try row.name()
        guard let kind: Record.Kind = try row.word() else { throw row.damage }
        let parent: TokenID? = try row.identifier()
        var record = Record(id: id, kind: kind, parent: parent, issued: .epoch)
        record.holder = try row.identifier()
        record.subject = try row.identifier()
        record.audience = try row.identifier()
        record.scope = try row.identifier()
        record.boundKey = try row.identifier()
        let issued = try row.moment()
        record.accessExpiry = try row.time()
        record.finalExpiry = try row.time()
        record.refresh = try Record.Refresh(&row)
        record.attributes = try row.object() ?? JSON.Object()
        let revoked = try row.time()
        let reason: Record.Reason? = try row.word()
        guard (revoked == nil) == (reason == nil) else { throw row.damage }
        let fate = Record.Fate(
            revocation: revoked.flatMap { at in reason.map { Record.Revocation(at: at, reason: $0) } },
            consumed: try row.time(), lastUse: try row.time(), confirmed: try row.time())
        self.init(
            record: Record(
                id: id, kind: kind, parent: parent, issued: issued, holder: record.holder, subject: record.subject,
                audience: record.audience, scope: record.scope, boundKey: record.boundKey,
                accessExpiry: record.accessExpiry, finalExpiry: record.finalExpiry, refresh: record.refresh,
                attributes: record.attributes),
            fate: fate)
    }
}

extension Record.Refresh {
    fileprivate init?(_ row: inout RowReader) throws(StoreFailure) {
        let generation = try row.next()
        let (hash, salt) = (try row.optional(Fingerprint.init(text:)), try row.optional(Fingerprint.init(text:)))
        let rotated = try row.time()
        switch (generation, hash, salt) {
        case (.null, nil, nil): return nil
        case (.integer(let number), let hash?, let salt?):
            guard let generation = UInt32(exactly: number) else { throw row.damage }
            self.init(generation: generation, hash: hash, salt: salt, rotated: rotated)
        default: throw row.damage
        }
    }
}

extension JSON.Object {
    /// The text in a table; none of an empty object.
    fileprivate var text: String? { members.isEmpty ? nil : String(decoding: encoded(), as: UTF8.self) }
}

/// Records of an answer, and how they stand on each other.
struct RecordRows {
    /// By the order in which they were added to the table.
    private(set) var listed: [(seq: Int64, id: TokenID)] = []
    private var entries: [TokenID: Lineage.Entry] = [:]

    /// Reads rows that begin with their depth, 0 for what was asked for, and their place.
    init(_ rows: [SQLRow]) throws(StoreFailure) {
        for row in rows {
            var reader = RowReader(row, "record")
            let (depth, seq) = (try reader.integer(), try reader.integer())
            let entry = try Lineage.Entry(&reader)
            if depth == 0 { listed.append((seq, entry.record.id)) }
            entries[entry.record.id] = entry
        }
        listed.sort { $0.seq < $1.seq }
    }

    /// What was asked for itself, without what it stands on.
    var alone: [Lineage.Entry] { listed.compactMap { entries[$0.id] } }

    /// What was asked for, with all it stands on, in the order of the table.
    func lineages(unprovenBefore: Timestamp?) throws(StoreFailure) -> [Lineage] {
        var lineages: [Lineage] = []
        lineages.reserveCapacity(listed.count)
        for (_, id) in listed {
            var path: [Lineage.Entry] = []
            var next: TokenID? = id
            // More than a path can have is a circle, which nobody wrote here.
            while let name = next, path.count < 64, let entry = entries[name] {
                path.append(entry)
                next = entry.record.parent
            }
            guard let lineage = Lineage(path, unprovenBefore: unprovenBefore) else {
                throw .foreignRow("record \(id)", column: 2)
            }
            lineages.append(lineage)
        }
        return lineages
    }
}

// MARK: - What is kept beside the records

extension OutgoingMessage {
    /// The columns of a message on its way.
    var columns: [SQLValue] {
        [
            .text(id.text), .text(destination.text), .text(about?.text),
            .text(String(decoding: body.encoded(), as: UTF8.self)), .time(due), .integer(due.seconds),
            .integer(Int64(due.nanoseconds)), .integer(Int64(attempts)), .time(tried), .null, .null, .null,
        ]
    }
}

/// What a table knows of a message.
enum MessageRow {
    case pending(OutgoingMessage)
    case settled(OutgoingMessage.ID, OutgoingMessage.Settlement, at: Timestamp)

    init(_ row: SQLRow) throws(StoreFailure) {
        var reader = RowReader(row, "message")
        let id: OutgoingMessage.ID = try reader.name()
        let destination: Record.Audience? = try reader.identifier()
        let about: TokenID? = try reader.identifier()
        let (body, due) = (try reader.object(), try reader.time())
        let attempts = try reader.next().integer
        let tried = try reader.time()
        let settlement: OutgoingMessage.Settlement? = try reader.word()
        let settled = try reader.time()
        if let settlement, let settled {
            self = .settled(id, settlement, at: settled)
        } else if let destination, let body, let due, let attempts, settlement == nil {
            self = .pending(
                OutgoingMessage(
                    id: id, destination: destination, about: about, body: body, due: due, attempts: Int(attempts),
                    tried: tried))
        } else {
            throw reader.damage
        }
    }

    /// The columns of a message that was settled, of which nothing else is kept.
    static func columns(
        settled id: OutgoingMessage.ID, as settlement: OutgoingMessage.Settlement, at time: Timestamp
    ) -> [SQLValue] {
        [.text(id.text)] + [SQLValue](repeating: .null, count: 8)
            + [.text(settlement.description), .time(time), .integer(time.seconds)]
    }
}

extension Facts.Visit {
    init(_ row: SQLRow) throws(StoreFailure) {
        var reader = RowReader(row, "visit")
        self.init(service: try reader.name(), last: try reader.moment())
    }
}
