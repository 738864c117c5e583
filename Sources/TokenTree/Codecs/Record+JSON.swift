public import Wire

extension Record: JSON.Writable {
    /// Writes the record as an object; what is absent is left out.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { writeMembers(to: &$0) }
    }

    func writeMembers(to members: inout JSON.ObjectWriter) {
        members.member("id", id)
        members.member("kind", word: kind)
        members.member("parent", ifPresent: parent)
        members.member("holder", ifPresent: holder)
        members.member("subject", ifPresent: subject)
        members.member("audience", ifPresent: audience)
        members.member("scope", ifPresent: scope)
        members.member("key", ifPresent: boundKey)
        members.member("issued", issued)
        members.member("access", ifPresent: accessExpiry)
        members.member("final", ifPresent: finalExpiry)
        if let refresh { members.member("refresh", refresh) }
        if !attributes.members.isEmpty { members.member("attributes", attributes) }
    }

    /// Reads a record; members that the vocabulary does not know are ignored.
    public init(_ json: JSON.Document.Value) throws(Rejection) {
        try self.init(members: try json.members())
    }

    init(members: JSON.Document.Object) throws(Rejection) {
        var refresh: Refresh?
        if let value = members.optional("refresh") { refresh = try Refresh(value) }
        var attributes = JSON.Object()
        if let value = members.optional("attributes") { attributes = try value.attributes() }
        self.init(
            id: try members.required("id").identifier(),
            kind: try members.required("kind").word(),
            parent: try members.identifier(ifPresent: "parent"),
            issued: try members.required("issued").timestamp(),
            holder: try members.identifier(ifPresent: "holder"),
            subject: try members.identifier(ifPresent: "subject"),
            audience: try members.identifier(ifPresent: "audience"),
            scope: try members.identifier(ifPresent: "scope"),
            boundKey: try members.identifier(ifPresent: "key"),
            accessExpiry: try members.timestamp(ifPresent: "access"),
            finalExpiry: try members.timestamp(ifPresent: "final"),
            refresh: refresh,
            attributes: attributes
        )
    }
}

extension Record.Refresh: JSON.Writable {
    /// Writes what a store knows of a refresh token.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { members in
            members.member("generation", UInt64(generation))
            members.member("hash", word: hash)
            members.member("salt", word: salt)
            members.member("rotated", ifPresent: rotated)
        }
    }

    /// Reads what a store knows of a refresh token.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        let members = try json.members()
        self.init(
            generation: try members.required("generation").count(),
            hash: try members.required("hash").fingerprint(),
            salt: try members.required("salt").fingerprint(),
            rotated: try members.timestamp(ifPresent: "rotated")
        )
    }
}

extension Record.Fate {
    func writeMembers(to members: inout JSON.ObjectWriter) {
        if let revocation {
            members.object("revoked") { members in
                members.member("at", revocation.at)
                members.member("reason", word: revocation.reason)
            }
        }
        members.member("consumed", ifPresent: consumed)
        members.member("used", ifPresent: lastUse)
    }

    init(members: JSON.Document.Object) throws(Record.Rejection) {
        self.init(
            consumed: try members.timestamp(ifPresent: "consumed"), lastUse: try members.timestamp(ifPresent: "used"))
        guard let value = members.optional("revoked") else { return }
        let revoked = try value.members()
        revocation = Record.Revocation(
            at: try revoked.required("at").timestamp(), reason: try revoked.required("reason").word())
    }
}

extension Lineage.Entry: JSON.Writable {
    /// Writes the record with what happened to it as one object.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { members in
            record.writeMembers(to: &members)
            fate.writeMembers(to: &members)
        }
    }

    /// Reads a record with what happened to it.
    public init(_ json: JSON.Document.Value) throws(Record.Rejection) {
        let members = try json.members()
        self.init(record: try Record(members: members), fate: try Record.Fate(members: members))
    }
}
