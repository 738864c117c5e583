internal import TokenTree
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

    /// Why a text is not a trace.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// A member is missing or of the wrong type.
        case json(JSON.Rejection)
        /// A number is not a point in time.
        case time(SyntaxError, at: JSON.Path)
        /// The operation is none of the three.
        case operation(at: JSON.Path)

        /// The rule that was broken, and where.
        public var description: String {
            switch self {
            case .json(let rejection): rejection.description
            case .time(let rejection, let path): "\(path): \(rejection)"
            case .operation(let path): "\(path) is neither issue nor revoke nor active (\(clause))"
            }
        }

        /// The clause that sets the rule.
        public var clause: String {
            switch self {
            case .json(let rejection): rejection.clause
            case .time(let rejection, _): rejection.clause
            case .operation: "TOK-1"
            }
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
            // What is no name was never issued.
            guard let id = try? TokenID(parsing: operation.id) else { return false }
            switch operation.verb {
            case .active:
                return tree.verdict(of: id, at: operation.time).isLive
            case .revoke:
                return tree.commit(Batch(at: operation.time, [.revoke(id, .administrator)])) == .applied
            case .issue(let parentName, let expires):
                let parent = parentName.map { try? TokenID(parsing: $0) }
                if case .some(.none) = parent { return false }
                let ground = parent.flatMap { $0 }
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
    public init(_ json: JSON.Document.Value) throws(Rejection) {
        let elements: JSON.Document.Array
        do throws(JSON.Rejection) { elements = try json.array() } catch { throw .json(error) }
        var operations: [Operation] = []
        operations.reserveCapacity(elements.count)
        for element in elements { operations.append(try Operation(element)) }
        self.operations = operations
    }
}

extension Trace.Operation {
    fileprivate init(_ json: JSON.Document.Value) throws(Trace.Rejection) {
        let members: JSON.Document.Object
        let operation: JSON.Document.Value
        let word: String
        do throws(JSON.Rejection) {
            members = try json.object()
            operation = try members["op"]
            word = try operation.string()
        } catch {
            throw .json(error)
        }
        time = try Self.time(try Self.member("t", of: members))
        id = try Self.name(try Self.member("id", of: members))
        switch JSON.Name(word) {
        case "issue":
            var parent: String?
            if let value = members.optional("parent"), !value.isNull { parent = try Self.name(value) }
            var expires: Timestamp?
            if let value = members.optional("exp"), !value.isNull { expires = try Self.time(value) }
            verb = .issue(on: parent, expires: expires)
        case "revoke": verb = .revoke
        case "active": verb = .active
        default: throw .operation(at: operation.path)
        }
    }

    private static func member(_ name: JSON.Name, of members: JSON.Document.Object) throws(Trace.Rejection)
        -> JSON.Document.Value
    {
        do throws(JSON.Rejection) { return try members[name] } catch { throw .json(error) }
    }

    /// A name; a number counts by its text.
    private static func name(_ value: JSON.Document.Value) throws(Trace.Rejection) -> String {
        do throws(JSON.Rejection) {
            return value.kind == .number ? try value.number().text : try value.string()
        } catch {
            throw .json(error)
        }
    }

    private static func time(_ value: JSON.Document.Value) throws(Trace.Rejection) -> Timestamp {
        let text: String
        do throws(JSON.Rejection) { text = try value.number().text } catch { throw .json(error) }
        do throws(SyntaxError) { return try Timestamp(parsing: text) } catch {
            throw .time(error, at: value.path)
        }
    }
}
