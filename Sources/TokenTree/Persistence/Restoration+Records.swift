internal import Wire

extension MemoryStore.Restoration {
    /// Gives the next number to a text.
    mutating func add(text: String) throws(Rejection) {
        let bytes = [UInt8](text.utf8)
        guard bytes.count <= Arena.longestRun, tree.names.arena.hasRoom(for: bytes.count) else {
            throw .impossible(line: line, .full)
        }
        texts.append(NumberedText(reference: tree.names.intern(bytes.span).reference))
    }

    /// Adds a record whose conditions held when it was committed; what the tree's own walks rely on is checked again.
    mutating func add(_ members: JSON.Document.Object) throws(Rejection) {
        let record = try value(try Record(snapshot: members))
        let fate = try value(try Record.Fate(members))
        guard tree.lives.count < tree.limits.records, tree.names.arena.hasRoom(for: record.id.text.utf8.count) else {
            throw .impossible(line: line, .full)
        }
        if tree.slot(of: record.id) != nil { throw .impossible(line: line, .taken(record.id)) }
        let references = References(
            holder: try text("holder", in: members, as: .holder) { (try? Record.Holder(parsing: $0)) != nil },
            subject: try text("subject", in: members, as: .subject) { (try? Record.Subject(parsing: $0)) != nil },
            audience: try text("audience", in: members, as: .audience) { (try? Record.Audience(parsing: $0)) != nil },
            scope: try text("scope", in: members, as: .scope) { (try? Record.Scope(parsing: $0)) != nil },
            boundKey: try text("key", in: members, as: .boundKey) { (try? Record.BoundKey(parsing: $0)) != nil },
            attributes: try text("attributes", in: members, as: .attributes) { (try? JSON(parsing: $0).object) != nil })
        if fate.revocation?.reason ?? .barred == .barred, record.kind.isKnownByHolder, references.holder != Names.none,
            let other = tree.occupant(of: record.kind, holder: references.holder), let id = tree.id(ofSlot: other)
        {
            throw .impossible(line: line, .occupied(by: id))
        }
        tree.add(record, fate, parent: try parent(of: record, in: members), references, log: &log)
    }

    /// The slot of a record's parent; none for a root, and for a client whose version key comes later.
    private mutating func parent(of record: Record, in members: JSON.Document.Object) throws(Rejection) -> UInt32 {
        guard let member = members.optional("parent") else {
            guard record.kind.mayBeRoot else { throw .impossible(line: line, .groundless(record.id, record.kind)) }
            return Contents.none
        }
        let parent = try value(try member.count(as: UInt32.self))
        if parent >= tree.lives.end, record.kind == .client {
            awaiting.append((tree.lives.end, parent))
            return Contents.none
        }
        guard parent < tree.lives.end else { throw .misnumbered(line: line, number: Int(parent)) }
        try wrapping({ Rejection.impossible(line: line, $0) }, try tree.checkGround(parent, for: record))
        return parent
    }

    /// The reference of the text whose number stands there; that it can serve so is checked when it does for the first
    /// time.
    private mutating func text(
        _ name: JSON.Name, in members: JSON.Document.Object, as role: NumberedText.Role, isValid: (Span<UInt8>) -> Bool
    ) throws(Rejection) -> UInt32 {
        guard let member = members.optional(name) else { return Names.none }
        let number = try value(try member.count(as: Int.self))
        guard texts.indices.contains(number) else { throw .misnumbered(line: line, number: number) }
        let reference = texts[number].reference
        if !texts[number].roles.contains(role) {
            guard tree.names.arena.withRun(reference, isValid) else { throw .misnumbered(line: line, number: number) }
            texts[number].roles.insert(role)
        }
        return reference
    }

    /// Hangs regrounded clients on their version keys; these are roots, so that no circle can close.
    mutating func settleAwaiting() throws(Rejection) {
        for (client, ground) in awaiting {
            guard ground < tree.lives.end, let id = tree.id(ofSlot: client) else {
                throw .misnumbered(line: line, number: Int(ground))
            }
            let kind = tree.lives[ground].kind
            guard kind == .versionKey else { throw .impossible(line: line, .unfit(id, .client, on: kind)) }
            tree.lives[client].parent = ground
            tree.hang(client, on: ground, log: &log)
        }
    }
}

/// A text of a snapshot, and as what it has served so far.
struct NumberedText {
    let reference: UInt32
    var roles: Role = []

    struct Role: OptionSet {
        let rawValue: UInt8

        static let holder = Role(rawValue: 1)
        static let subject = Role(rawValue: 2)
        static let audience = Role(rawValue: 4)
        static let scope = Role(rawValue: 8)
        static let boundKey = Role(rawValue: 16)
        static let attributes = Role(rawValue: 32)
    }
}

extension Record {
    /// Reads what a snapshot's line says of a record beside its names.
    fileprivate init(snapshot members: JSON.Document.Object) throws(Rejection) {
        self.init(
            id: try members.required("record").identifier(), kind: try members.required("kind").word(), parent: nil,
            issued: try members.required("issued").timestamp(),
            accessExpiry: try members.timestamp(ifPresent: "access"),
            finalExpiry: try members.timestamp(ifPresent: "final"), refresh: try members.refresh())
    }
}
