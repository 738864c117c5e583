public import Wire

extension Change: JSON.Writable {
    /// Writes the change as an object whose first member says what to do.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { members in
            members.member("do", word: verb)
            switch self {
            case .insert(let record):
                members.member("record", record)
            case .revoke(let id, let reason):
                members.member("id", id)
                members.member("reason", word: reason)
            case .consume(let id), .touch(let id):
                members.member("id", id)
            case .rotate(let id, let from, let to, let accessExpiry):
                members.member("id", id)
                members.member("from", from)
                members.member("to", to)
                members.member("access", ifPresent: accessExpiry)
            case .reground(let id, let from, let onto):
                members.member("id", id)
                members.member("from", from)
                members.member("onto", onto)
            case .describe(let id, let attributes):
                members.member("id", id)
                members.member("attributes", attributes)
            case .visit(let subject, let service):
                members.member("subject", subject)
                members.member("service", service)
            case .remember(let key, let until):
                members.member("key", word: key)
                members.member("until", until)
            case .enqueue(let message):
                members.member("message", message)
            case .attempt(let id, let attempts, let retry):
                members.member("message", id)
                members.member("after", attempts)
                members.member("retry", retry)
            case .settle(let id, let settlement):
                members.member("message", id)
                members.member("as", word: settlement)
            }
        }
    }

    /// Reads a change.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        let members = try json.members()
        switch try members.required("do").word(Verb.self) {
        case .insert:
            self = .insert(try Record(try members.required("record")))
        case .revoke:
            self = .revoke(try members.required("id").identifier(), try members.required("reason").word())
        case .consume:
            self = .consume(try members.required("id").identifier())
        case .touch:
            self = .touch(try members.required("id").identifier())
        case .rotate:
            self = .rotate(
                try members.required("id").identifier(),
                from: try Record.Refresh(try members.required("from")),
                to: try Record.Refresh(try members.required("to")),
                accessExpiry: try members.timestamp(ifPresent: "access"))
        case .reground:
            self = .reground(
                try members.required("id").identifier(),
                from: try members.required("from").identifier(),
                onto: try members.required("onto").identifier())
        case .describe:
            self = .describe(try members.required("id").identifier(), try members.required("attributes").attributes())
        case .visit:
            self = .visit(try members.required("subject").identifier(), try members.required("service").identifier())
        case .remember:
            self = .remember(try members.required("key").replayKey(), until: try members.required("until").timestamp())
        case .enqueue:
            self = .enqueue(try OutgoingMessage(try members.required("message")))
        case .attempt:
            self = .attempt(
                try members.required("message").identifier(),
                after: try members.required("after").count(),
                retry: try members.required("retry").timestamp())
        case .settle:
            self = .settle(try members.required("message").identifier(), try members.required("as").word())
        }
    }

    private enum Verb: UInt8, CustomStringConvertible {
        case insert, revoke, consume, rotate, reground, describe, touch, visit, remember, enqueue, attempt, settle

        var description: String {
            switch self {
            case .insert: "insert"
            case .revoke: "revoke"
            case .consume: "consume"
            case .rotate: "rotate"
            case .reground: "reground"
            case .describe: "describe"
            case .touch: "touch"
            case .visit: "visit"
            case .remember: "remember"
            case .enqueue: "enqueue"
            case .attempt: "attempt"
            case .settle: "settle"
            }
        }
    }

    private var verb: Verb {
        switch self {
        case .insert: .insert
        case .revoke: .revoke
        case .consume: .consume
        case .rotate: .rotate
        case .reground: .reground
        case .describe: .describe
        case .touch: .touch
        case .visit: .visit
        case .remember: .remember
        case .enqueue: .enqueue
        case .attempt: .attempt
        case .settle: .settle
        }
    }
}

extension Batch: JSON.Writable {
    /// Writes the time and the changes.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { writeMembers(to: &$0) }
    }

    /// The batch as a JSON text.
    public func encoded() -> [UInt8] {
        JSON.encodedObject { writeMembers(to: &$0) }
    }

    private func writeMembers(to members: inout JSON.ObjectWriter) {
        members.member("at", at)
        members.member("changes", changes)
    }

    /// Reads a batch.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        let members = try json.members()
        let elements = try members.required("changes").elements()
        var changes: [Change] = []
        changes.reserveCapacity(elements.count)
        for element in elements { changes.append(try Change(element)) }
        self.init(at: try members.required("at").timestamp(), changes)
    }
}

extension OutgoingMessage: JSON.Writable {
    /// Writes the message with its attempts.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { members in
            members.member("id", id)
            members.member("to", destination)
            members.member("about", ifPresent: about)
            members.member("body", body)
            members.member("due", due)
            if attempts > 0 { members.member("attempts", attempts) }
        }
    }

    /// Reads a message.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        let members = try json.members()
        var attempts = 0
        if let value = members.optional("attempts") { attempts = try value.count() }
        self.init(
            id: try members.required("id").identifier(),
            destination: try members.required("to").identifier(),
            about: try members.identifier(ifPresent: "about"),
            body: try members.required("body").attributes(),
            due: try members.required("due").timestamp(),
            attempts: attempts)
    }
}
