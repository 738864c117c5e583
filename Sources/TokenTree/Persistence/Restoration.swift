internal import PureCrypto
internal import Wire

/// Reads a snapshot and the journal behind it, in pieces of any size, and gives back the tree.
///
/// ```swift
/// var restoration = Restoration()
/// for piece in file { try restoration.read(piece) }
/// let restored = try restoration.finish(expecting: headKeptElsewhere)
/// ```
/// Every line is checked: the seal over the snapshot, the hash chain over the journal, the conditions of each batch,
/// and that each record stands on a record that can bear it. A last line that was cut off in the middle was never
/// answered for; it is left out and its length told.
public struct Restoration: ~Copyable {
    var tree: Contents
    private var part = Part.head
    private var line = 0
    private var carried: [UInt8] = []
    private var seal = SHA256()
    private var expectedRecords = 0
    var log = UndoLog()
    /// References of the texts, in the order of their numbers.
    var texts: [NumberedText] = []
    /// Clients that stand on a version key further below.
    var awaiting: [(client: UInt32, ground: UInt32)] = []
    private var sealed: Fingerprint?

    private enum Part {
        case head
        case content
        case journal
    }

    /// The longest line that is read; a batch is one line.
    private static let lineByteLimit = 1 << 26

    /// Begins to read into an empty tree.
    public init(limits: MemoryStore.Limits = MemoryStore.Limits()) {
        tree = Contents(limits: limits, chain: HashChain())
    }

    /// What was read back.
    public struct Restored: Sendable {
        /// The tree as it was.
        public let tree: MemoryStore
        /// The seal of the snapshot; whoever keeps it elsewhere can tell whether the snapshot was rewritten.
        public let seal: Fingerprint
        /// How many bytes at the end were a line cut off by a crash; cut them off the file before writing on.
        public let tornByteCount: Int
    }

    /// Reads the next bytes.
    public mutating func read(_ bytes: [UInt8]) throws(Rejection) {
        try read(bytes.span)
    }

    /// Reads the next bytes.
    public mutating func read(_ bytes: Span<UInt8>) throws(Rejection) {
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            if carried.isEmpty {
                try nextLine(bytes.extracting(start...index))
            } else {
                for offset in start...index { carried.append(bytes[offset]) }
                let whole = carried
                carried = []
                try nextLine(whole.span)
            }
            start = index + 1
        }
        guard carried.count + bytes.count - start <= Self.lineByteLimit else {
            throw .lineTooLong(line: line + 1, limit: Self.lineByteLimit)
        }
        for offset in start..<bytes.count { carried.append(bytes[offset]) }
    }

    /// The tree, when the snapshot was complete.
    ///
    /// - Parameter head: the end of the chain that was kept elsewhere, if it was; without it nobody can tell that the
    ///   last lines are missing.
    public consuming func finish(expecting head: Fingerprint? = nil) throws(Rejection) -> Restored {
        guard let sealed else { throw .truncated(line: line) }
        if let head, tree.chain.head != head { throw .otherHead(expected: head, found: tree.chain.head) }
        return Restored(tree: MemoryStore(tree), seal: sealed, tornByteCount: carried.count)
    }
}

// MARK: - Lines

extension Restoration {
    /// Reads a line with its end.
    private mutating func nextLine(_ text: Span<UInt8>) throws(Rejection) {
        line += 1
        let document: JSON.Document
        do throws(JSON.Rejection) {
            document = try JSON.Document(
                parsing: text.extracting(droppingLast: 1), limits: JSON.Limits(size: Self.lineByteLimit))
        } catch {
            throw .malformed(line: line, .json(error))
        }
        do throws(Flaw) {
            let members = try Flaw.converting { () throws(Record.Rejection) in try document.root.members() }
            switch part {
            case .head:
                try readHead(members)
                seal.update(data: text)
            case .content:
                if try readSeal(members) { return }
                try readContent(members)
                seal.update(data: text)
            case .journal:
                try readJournal(members)
            }
        } catch {
            throw Rejection(error, line: line)
        }
    }

    private mutating func readHead(_ members: JSON.Document.Object) throws(Flaw) {
        let (version, head, records, horizon) = try Flaw.converting { () throws(Record.Rejection) in
            (
                try members.required("tokentree").count(as: Int.self), try members.required("head").fingerprint(),
                try members.required("records").count(as: Int.self), try members.timestamp(ifPresent: "horizon")
            )
        }
        guard version == Snapshot.version else { throw .version(version) }
        tree.chain = HashChain(head: head)
        tree.replays.horizon = horizon
        expectedRecords = records
        part = .content
    }

    private mutating func readSeal(_ members: JSON.Document.Object) throws(Flaw) -> Bool {
        guard let value = members.optional("seal") else { return false }
        let found = try Flaw.converting { () throws(Record.Rejection) in try value.fingerprint() }
        guard found == Fingerprint(seal.finalize()) else { throw .seal }
        guard tree.lives.count == expectedRecords else {
            throw .count(expected: expectedRecords, found: tree.lives.count)
        }
        try settleAwaiting()
        sealed = found
        part = .journal
        return true
    }

    private mutating func readContent(_ members: JSON.Document.Object) throws(Flaw) {
        if members.contains("record") {
            try add(members)
        } else if let value = members.optional("text") {
            try add(text: try Flaw.converting { () throws(Record.Rejection) in try value.text() })
        } else if let value = members.optional("replay") {
            let (key, until) = try Flaw.converting { () throws(Record.Rejection) in
                let members = try value.members()
                return (try members.required("key").replayKey(), try members.required("until").timestamp())
            }
            tree.replays[key] = until
        } else if let value = members.optional("visit") {
            let (subject, service, last) = try Flaw.converting { () throws(Record.Rejection) in
                let members = try value.members()
                return (
                    try members.required("subject").identifier(Record.Subject.self),
                    try members.required("service").identifier(Record.Audience.self),
                    try members.required("last").timestamp()
                )
            }
            tree.note(subject, service, at: last)
        } else if let value = members.optional("message") {
            let message = try Flaw.converting { () throws(Record.Rejection) in try OutgoingMessage(value) }
            tree.outbox[message.id] = Outbox.State(pending: message, settled: nil)
        } else if let value = members.optional("settled") {
            let (id, settled) = try Flaw.converting { () throws(Record.Rejection) in
                let members = try value.members()
                return (
                    try members.required("message").identifier(OutgoingMessage.ID.self),
                    Outbox.Settled(
                        settlement: try members.required("as").word(), at: try members.required("at").timestamp())
                )
            }
            tree.outbox[id] = Outbox.State(pending: nil, settled: settled)
        } else {
            throw .foreign
        }
    }
}

// MARK: - Journal

extension Restoration {
    private mutating func readJournal(_ members: JSON.Document.Object) throws(Flaw) {
        let head = try Flaw.converting { () throws(Record.Rejection) in try members.required("head").fingerprint() }
        guard let value = members.optional("batch") ?? members.optional("purge") else { throw .foreign }
        guard tree.chain.head(after: value.raw.span) == head else { throw .chain }
        if members.contains("batch") {
            let batch = try Flaw.converting { () throws(Record.Rejection) in try Batch(value) }
            if let conflict = tree.apply(batch, replaying: true) { throw .conflict(conflict) }
        } else {
            let (at, retention) = try Flaw.converting { () throws(Record.Rejection) in
                let members = try value.members()
                let retention = Retention(
                    explained: try members.required("explained").duration(),
                    settled: try members.required("settled").duration())
                return (try members.required("at").timestamp(), retention)
            }
            _ = tree.removeDead(at: at, keeping: retention)
        }
        tree.chain = HashChain(head: head)
    }
}
