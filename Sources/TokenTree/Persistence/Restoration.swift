internal import PureCrypto
public import Wire

extension MemoryStore {
    /// Reads a snapshot and the journal behind it, in pieces of any size, and gives back the tree.
    ///
    /// ```swift
    /// var restoration = MemoryStore.Restoration()
    /// for piece in file { try restoration.read(piece) }
    /// let restored = try restoration.finish(expecting: headKeptElsewhere)
    /// ```
    /// A copy does not say what was written after it was made. Whoever has the end of the chain from elsewhere proves
    /// that nothing is missing; whoever has not says so, and what was issued before is unconfirmed from then on
    /// (threat 67).
    ///
    /// Every line is checked: the seal over the snapshot, the hash chain over the journal, the conditions of each
    /// batch, and that each record stands on a record that can bear it. A last line that was cut off in the middle was
    /// never answered for; it is left out and its length told.
    public struct Restoration: ~Copyable {
        var tree: Contents
        private var part = Part.head
        /// The number of the line that is being read.
        package private(set) var line = 0
        private var carried: [UInt8] = []
        private var seal = SHA256()
        private var expectedRecords = 0
        var log = UndoLog()
        /// The texts in the order of their numbers.
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
        private static let lineByteLimit = HashChain.stepByteLimit + 1_024
        /// Of a line; the deepest attributes lie in a record in a change in a batch.
        private static let depthLimit = Contents.attributeDepthLimit + 8

        private let clock: (@Sendable () -> Timestamp)?

        /// Begins to read into an empty tree.
        ///
        /// - Parameter clock: tells the time of the store's host, as for a new tree.
        public init(limits: Limits = Limits(), clock: (@Sendable () -> Timestamp)? = nil) {
            tree = Contents(limits: limits)
            self.clock = clock
        }

        /// Begins to read the journal that follows a state of a tree.
        package init(continuing tree: MemoryStore) {
            self.tree = tree.box.contents.copy()
            clock = tree.clock
            part = .journal
        }

        /// The tree after the lines that were read.
        package consuming func continued() -> MemoryStore { MemoryStore(tree, clock: clock) }

        /// What was read back.
        public struct Restored: Sendable {
            /// The tree as it was.
            public let tree: MemoryStore
            /// The seal of the snapshot; whoever keeps it elsewhere can tell whether the snapshot was rewritten.
            public let seal: Fingerprint
            /// How many bytes at the end were a line cut off by a crash; cut them off the file before writing on.
            public let tornByteCount: Int
        }

        /// Whether the snapshot was read to its end.
        package var isSealed: Bool { sealed != nil }

        /// Reads the next bytes.
        public mutating func read(_ bytes: [UInt8]) throws(Rejection) { try read(bytes.span) }

        /// Reads the next bytes.
        package mutating func read(_ bytes: Span<UInt8>) throws(Rejection) {
            var start = 0
            for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
                if carried.isEmpty {
                    try nextLine(bytes.extracting(start...index))
                } else {
                    carried.append(contentsOf: bytes.extracting(start...index))
                    let whole = carried
                    carried = []
                    try nextLine(whole.span)
                }
                start = index + 1
            }
            guard carried.count + bytes.count - start <= Self.lineByteLimit else {
                throw .lineTooLong(line: line + 1, limit: Self.lineByteLimit)
            }
            carried.append(contentsOf: bytes.extracting(start..<bytes.count))
        }

        /// The tree, when nothing is missing.
        ///
        /// - Parameter head: the end of the chain that was kept elsewhere.
        public consuming func finish(expecting head: Fingerprint) throws(Rejection) -> Restored {
            if tree.chain.head != head { throw .otherHead(expected: head, found: tree.chain.head) }
            return try inspected()
        }

        /// The tree, of which nobody knows whether the last lines are missing.
        ///
        /// Proofs made before now, or in the minute after, are refused; what was issued before is
        /// ``Verdict/unconfirmed(before:)`` until it, or something that stands on it, was confirmed or issued anew.
        /// Ending it works as ever.
        ///
        /// - Parameter journal: is given the line that says so; append it to the journal that was read, before anybody
        ///   is answered.
        public consuming func finish(unprovenAt now: Timestamp, journal: inout [UInt8]) throws(Rejection) -> Restored {
            guard sealed != nil else { throw .truncated(line: line) }
            tree.distrust(before: now)
            tree.chain.prolong(by: "unproven", JSON.encodedObject { $0.member("at", now) }, journal: &journal)
            return try inspected()
        }

        /// The tree as it was written, for whoever only looks at it.
        package consuming func inspected() throws(Rejection) -> Restored {
            guard let sealed else { throw .truncated(line: line) }
            return Restored(tree: MemoryStore(tree, clock: clock), seal: sealed, tornByteCount: carried.count)
        }
    }
}

// MARK: - Lines

extension MemoryStore.Restoration {
    /// Reads a line with its end.
    private mutating func nextLine(_ text: Span<UInt8>) throws(Rejection) {
        line += 1
        let limits = JSON.Limits(size: Self.lineByteLimit, depth: Self.depthLimit)
        let document = try wrapping(
            { (error: JSON.Rejection) in Rejection.malformed(line: line, .json(error)) },
            try JSON.Document(parsing: text.extracting(droppingLast: 1), limits: limits))
        let members = try value(try document.root.members())
        switch part {
        case .head: try readHead(members)
        case .content:
            if try readSeal(members) { return }
            try readContent(members)
        case .journal: return try readJournal(members)
        }
        seal.update(data: text)
    }

    /// What a member says.
    func value<Value>(_ read: @autoclosure () throws(Record.Rejection) -> Value) throws(Rejection) -> Value {
        try wrapping({ Rejection.malformed(line: line, $0) }, try read())
    }

    private mutating func readHead(_ members: JSON.Document.Object) throws(Rejection) {
        let version = try value(try members.required("tokentree").count(as: Int.self))
        try checkVersion(version)
        let head = try value(try members.required("head").read { Fingerprint(text: $0) })
        expectedRecords = try value(try members.required("records").count())
        tree.replays.horizon = try value(try members.timestamp(ifPresent: "horizon"))
        tree.replays.unknownBefore = try value(try members.timestamp(ifPresent: "unknown"))
        tree.unprovenBefore = try value(try members.timestamp(ifPresent: "unproven"))
        tree.chain = HashChain(head: head)
        part = .content
    }

    private mutating func readSeal(_ members: JSON.Document.Object) throws(Rejection) -> Bool {
        guard let member = members.optional("seal") else { return false }
        let found = try value(try member.read { Fingerprint(text: $0) })
        guard found == Fingerprint(seal.finalize()) else { throw .brokenSeal(line: line) }
        guard tree.lives.count == expectedRecords else {
            throw .miscounted(expected: expectedRecords, found: tree.lives.count)
        }
        try settleAwaiting()
        sealed = found
        part = .journal
        return true
    }

    private mutating func readContent(_ members: JSON.Document.Object) throws(Rejection) {
        if members.contains("record") {
            try add(members)
        } else if let member = members.optional("text") {
            try add(text: try value(try member.text()))
        } else if let member = members.optional("replay") {
            let members = try value(try member.members())
            let key = try value(try members.required("key").read { ReplayKey(text: $0) })
            tree.replays.remember(key, until: try value(try members.required("until").timestamp()))
        } else if let member = members.optional("visit") {
            let members = try value(try member.members())
            let subject = try value(try members.required("subject").identifier(Record.Subject.self))
            let service = try value(try members.required("service").identifier(Record.Audience.self))
            tree.note(subject, service, at: try value(try members.required("last").timestamp()), log: &log)
        } else if let member = members.optional("message") {
            let message = try value(try OutgoingMessage(try member.members()))
            tree.outbox[message.id] = Outbox.State(pending: message)
        } else if let member = members.optional("settled") {
            let members = try value(try member.members())
            let id = try value(try members.required("message").identifier(OutgoingMessage.ID.self))
            let settled = Outbox.Settled(
                settlement: try value(try members.required("as").word()),
                at: try value(try members.required("at").timestamp()))
            tree.outbox[id] = Outbox.State(settled: settled)
        } else {
            throw .foreign(line: line)
        }
    }

    /// What a line of a journal can tell.
    private static let steps: [JSON.Name] = ["batch", "purge", "reset", "unproven"]

    private mutating func readJournal(_ members: JSON.Document.Object) throws(Rejection) {
        if let version = members.optional("version") { try checkVersion(try value(try version.count(as: Int.self))) }
        let head = try value(try members.required("head").read { Fingerprint(text: $0) })
        guard let kind = Self.steps.first(where: { members.contains($0) }), let step = members.optional(kind) else {
            throw .foreign(line: line)
        }
        guard tree.chain.head(after: step.raw.span) == head else { throw .brokenChain(line: line) }
        let content = try value(try step.members())
        let now = try value(try content.required("at").timestamp())
        switch kind {
        case "batch":
            let time = try value(try content.timestamp(ifPresent: "forgetting"))
            let outcome = tree.apply(try value(try Batch(step)), forgettingAt: time, replaying: true)
            if case .conflict(let conflict, _) = outcome { throw .impossible(line: line, conflict) }
        case "purge":
            let retention = Retention(
                explained: try value(try content.required("explained").duration()),
                settled: try value(try content.required("settled").duration()))
            try readPurge(content, at: now, keeping: retention)
        case "reset": tree.replays.startAnew(at: now)
        default: tree.distrust(before: now)
        }
        tree.chain = HashChain(head: head)
    }

    /// Reads what a slice of a purge removed; versions before 4 say only that all was removed that could go.
    private mutating func readPurge(
        _ content: JSON.Document.Object, at now: Timestamp, keeping retention: Retention
    ) throws(Rejection) {
        guard let records = content.optional("records") else {
            var purge = MemoryStore.Purge(at: now, keeping: retention)
            return tree.removeDead(&purge)
        }
        tree.replays.forget(try value(try content.required("keys").count()), at: now)
        let messages = try value(try content.required("messages").count(as: Int.self))
        _ = tree.outbox.forget(messages, settledBefore: now - retention.settled)
        var ids: [TokenID] = []
        for element in try value(try records.elements()) { ids.append(try value(try element.identifier())) }
        try wrapping({ Rejection.impossible(line: line, $0) }, try tree.remove(ids, at: now, keeping: retention))
    }

    /// Refuses what a later release wrote; all earlier versions are read.
    private func checkVersion(_ version: Int) throws(Rejection) {
        guard (1...MemoryStore.Snapshot.version).contains(version) else { throw .unsupportedVersion(version) }
    }
}

extension Contents {
    /// Notes that the tree was restored without proof that nothing is missing.
    mutating func distrust(before time: Timestamp) {
        unprovenBefore = max(time, unprovenBefore ?? time)
        replays.startAnew(at: time)
    }
}

// MARK: - Rejections

extension MemoryStore.Restoration {
    /// Why a text does not give back a tree, and in which line.
    public enum Rejection: BrokenRule {
        /// The line is not what the format says.
        case malformed(line: Int, Record.Rejection)
        /// The line has none of the members that tell lines apart.
        case foreign(line: Int)
        /// The snapshot was written by another version of the format.
        case unsupportedVersion(Int)
        /// The line is longer than the limit.
        case lineTooLong(line: Int, limit: Int)
        /// The snapshot ends without its seal.
        case truncated(line: Int)
        /// The seal is not that of the lines before it: the snapshot was altered.
        case brokenSeal(line: Int)
        /// The line does not continue the chain: it was altered, or lines before it were left out or added.
        case brokenChain(line: Int)
        /// There are more or fewer records than the snapshot announced.
        case miscounted(expected: Int, found: Int)
        /// The number is not that of a text or record which could stand there.
        case misnumbered(line: Int, number: Int)
        /// The record could not exist in a tree, or the batch could not be applied where it stands.
        case impossible(line: Int, Batch.Conflict)
        /// The chain does not end where it is known to end.
        case otherHead(expected: Fingerprint, found: Fingerprint)

        /// The rule that was broken, and where.
        public var rule: Rule {
            switch self {
            case .malformed(let line, let rejection): Rule(rejection.clause, "line \(line): \(rejection.text)")
            case .foreign(let line): Rule("threat-49", "line \(line) is not one of this format")
            case .unsupportedVersion(let version):
                Rule(
                    "threat-68",
                    "version \(version) of the format is not known here; use the release that wrote it, or a later one"
                )
            case .lineTooLong(let line, let limit): Rule("threat-14", "line \(line) is longer than \(limit) bytes")
            case .truncated(let line): Rule("TOK-8", "the snapshot ends after line \(line) without a seal")
            case .brokenSeal(let line): Rule("TOK-8", "the seal in line \(line) is not that of the lines before it")
            case .brokenChain(let line): Rule("TOK-8", "line \(line) does not continue the chain")
            case .miscounted(let expected, let found): Rule("TOK-8", "\(found) records, \(expected) announced")
            case .misnumbered(let line, let number):
                Rule("TOK-8", "line \(line): nothing that could stand there has number \(number)")
            case .impossible(let line, let conflict): Rule(conflict.clause, "line \(line): \(conflict.text)")
            case .otherHead(let expected, let found):
                Rule("TOK-8", "the chain ends with \(found), expected \(expected)")
            }
        }
    }
}
