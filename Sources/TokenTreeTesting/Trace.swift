public import TokenTree
public import Wire

/// A list of issues, revocations and questions, as the testkit's `tokentree-trace` poses it, played to a
/// ``MemoryStore``.
///
/// A trace knows no kinds: its records stand on each other to any depth. They take the kinds of the levels in turn, and
/// deeper ones are apps on apps.
public struct Trace: Sendable {
    /// One line of the list.
    public struct Operation: Sendable, Hashable {
        /// What is asked for.
        public enum Verb: Sendable, Hashable {
            /// Issue a record under a parent, or as a root: answered by whether that was possible.
            case issue(on: String?, expires: Timestamp?)
            /// Revoke a record: answered by whether it is known.
            case revoke
            /// Ask for a record: answered by whether it is live.
            case active
        }

        /// When.
        public let time: Timestamp
        /// Of which record.
        public let id: String
        /// What.
        public let verb: Verb

        /// A line of the list.
        public init(at time: Timestamp, _ verb: Verb, of id: String) {
            self.time = time
            self.id = id
            self.verb = verb
        }
    }

    /// The lines in order.
    public let operations: [Operation]

    /// A trace of these lines.
    public init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// One answer per line.
    public func answers() -> [Bool] {
        var tree = MemoryStore(limits: MemoryStore.Limits(depth: .max))
        var levels: [TokenID: Int] = [:]
        return operations.map { operation in
            // What cannot be a name was never issued.
            guard let id = try? TokenID(parsing: operation.id) else { return false }
            switch operation.verb {
            case .active:
                return tree.verdict(of: id, at: operation.time).isLive
            case .revoke:
                return tree.commit(Batch(at: operation.time, [.revoke(id, .administrator)])) == .applied
            case .issue(let parent, let expires):
                let ground = parent.flatMap { try? TokenID(parsing: $0) }
                if parent != nil, ground == nil { return false }
                let level = ground.map { (levels[$0] ?? 0) + 1 } ?? 0
                let kinds: [Record.Kind] = [.versionKey, .client, .personal, .assertion, .service, .app]
                let record = Record(
                    id: id, kind: kinds[min(level, kinds.count - 1)], parent: ground, issued: operation.time,
                    accessExpiry: expires,
                    finalExpiry: expires)
                guard tree.commit(Batch(at: operation.time, [.insert(record)])) == .applied else { return false }
                levels[id] = level
                return true
            }
        }
    }
}

// MARK: - JSON

extension Trace {
    /// Reads the value of a testkit line's `ops`: an array of `{t, op, id, parent, exp}`.
    ///
    /// A parent or expiry that is `null` is absent.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        var operations: [Operation] = []
        for element in try json.elements() { operations.append(try Operation(try element.members())) }
        self.operations = operations
    }
}

extension Trace.Operation {
    fileprivate init(_ members: JSON.Document.Object) throws(Record.Rejection) {
        func present(_ name: JSON.Name) -> JSON.Document.Value? {
            members.optional(name).flatMap { $0.isNull ? nil : $0 }
        }
        let operation = try members.required("op")
        let word = JSON.Name(try operation.text())
        time = try members.required("t").timestamp()
        id = try members.required("id").nameText()
        switch word {
        case "issue":
            verb = .issue(on: try present("parent")?.nameText(), expires: try present("exp")?.timestamp())
        case "revoke": verb = .revoke
        case "active": verb = .active
        default: throw .word(at: operation.path)
        }
    }
}

extension JSON.Document.Value {
    /// A name; a number counts by its text.
    fileprivate func nameText() throws(Record.Rejection) -> String {
        guard kind == .number else { return try text() }
        return try wrapping(Record.Rejection.json, try number()).text
    }
}
