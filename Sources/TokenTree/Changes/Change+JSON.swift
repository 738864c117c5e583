public import Wire

extension Batch {
    /// The batch as a JSON text: its time and its changes.
    public func encoded() -> [UInt8] { encoded(forgettingAt: nil) }

    /// The same, with the time by which keys were forgotten where that was not the batch's own.
    func encoded(forgettingAt time: Timestamp?) -> [UInt8] {
        JSON.encodedObject { members in
            members.member("at", at)
            members.member("forgetting", ifPresent: time)
            members.member("changes", changes)
        }
    }

    /// Reads a batch.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        let members = try json.members()
        let elements = try members.required("changes").elements()
        var changes: [Change] = []
        changes.reserveCapacity(elements.count)
        for element in elements { changes.append(try Change(try element.members())) }
        self.init(at: try members.required("at").timestamp(), changes)
    }
}

extension JSON.ObjectWriter {
    fileprivate mutating func use(_ verb: String, of service: Record.Audience, by subject: Record.Subject) {
        member("do", verb)
        member("subject", subject)
        member("service", service)
    }
}

extension Change: JSON.Writable {
    /// Writes the change as an object whose first member says what to do.
    public func write(to place: consuming JSON.ValueWriter) { place.object { write(to: &$0) } }

    private func write(to members: inout JSON.ObjectWriter) {
        switch self {
        case .insert(let record):
            members.member("do", "insert")
            members.object("record") { record.write(to: &$0) }
        case .revoke(let id, let reason):
            members.member("do", "revoke")
            members.member("id", id)
            members.member("reason", word: reason)
        case .consume(let id):
            members.member("do", "consume")
            members.member("id", id)
        case .rotate(let id, let from, let to, let accessExpiry):
            members.member("do", "rotate")
            members.member("id", id)
            members.object("from") { from.write(to: &$0) }
            members.object("to") { to.write(to: &$0) }
            members.member("access", ifPresent: accessExpiry)
        case .reground(let id, let from, let onto):
            members.member("do", "reground")
            members.member("id", id)
            members.member("from", from)
            members.member("onto", onto)
        case .describe(let id, let attributes, let former):
            members.member("do", "describe")
            members.member("id", id)
            members.member("attributes", attributes)
            members.member("from", ifPresent: former)
        case .confirm(let id):
            members.member("do", "confirm")
            members.member("id", id)
        case .touch(let id):
            members.member("do", "touch")
            members.member("id", id)
        case .visit(let subject, let service): members.use("visit", of: service, by: subject)
        case .leave(let subject, let service): members.use("leave", of: service, by: subject)
        case .forget(let subject):
            members.member("do", "forget")
            members.member("subject", subject)
        case .remember(let key, let until, let evenWithoutRoom):
            members.member("do", "remember")
            members.member("key", word: key)
            members.member("until", until)
            if evenWithoutRoom { members.member("evenWithoutRoom", true) }
        case .enqueue(let message):
            members.member("do", "enqueue")
            members.object("message") { message.write(to: &$0) }
        case .attempt(let id, let attempts, let retry):
            members.member("do", "attempt")
            members.member("message", id)
            members.member("after", attempts)
            members.member("retry", retry)
        case .settle(let id, let settlement):
            members.member("do", "settle")
            members.member("message", id)
            members.member("as", word: settlement)
        }
    }

    /// Reads the members of an object, of which one says what to do.
    fileprivate init(_ members: JSON.Document.Object) throws(Record.Rejection) {
        let verb = try members.required("do")
        switch JSON.Name(try verb.text()) {
        case "insert": self = .insert(try Record(try members.required("record").members()))
        case "revoke":
            self = .revoke(try members.required("id").identifier(), try members.required("reason").word())
        case "consume": self = .consume(try members.required("id").identifier())
        case "rotate":
            self = .rotate(
                try members.required("id").identifier(),
                from: try Record.Refresh(try members.required("from").members()),
                to: try Record.Refresh(try members.required("to").members()),
                accessExpiry: try members.timestamp(ifPresent: "access"))
        case "reground":
            self = .reground(
                try members.required("id").identifier(), from: try members.required("from").identifier(),
                onto: try members.required("onto").identifier())
        case "describe":
            self = .describe(
                try members.required("id").identifier(), try members.required("attributes").attributes(),
                from: try members.optional("from")?.attributes())
        case "confirm": self = .confirm(try members.required("id").identifier())
        case "touch": self = .touch(try members.required("id").identifier())
        case "visit":
            self = .visit(try members.required("subject").identifier(), try members.required("service").identifier())
        case "leave":
            self = .leave(try members.required("subject").identifier(), try members.required("service").identifier())
        case "forget": self = .forget(try members.required("subject").identifier())
        case "remember":
            self = .remember(
                try members.required("key").read { ReplayKey(text: $0) },
                until: try members.required("until").timestamp(),
                evenWithoutRoom: try members.optional("evenWithoutRoom")?.flag() ?? false)
        case "enqueue": self = .enqueue(try OutgoingMessage(try members.required("message").members()))
        case "attempt":
            self = .attempt(
                try members.required("message").identifier(), after: try members.required("after").count(),
                retry: try members.required("retry").timestamp())
        case "settle":
            self = .settle(try members.required("message").identifier(), try members.required("as").word())
        default: throw .word(at: verb.path)
        }
    }
}
