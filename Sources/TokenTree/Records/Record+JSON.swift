internal import Wire

extension Record {
    /// Writes the members of an object; what is absent is left out.
    func write(to members: inout JSON.ObjectWriter) {
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
        if let refresh { members.object("refresh") { refresh.write(to: &$0) } }
        if !attributes.members.isEmpty { members.member("attributes", attributes) }
    }

    /// Reads a record; members that the vocabulary does not know are ignored.
    init(_ members: JSON.Document.Object) throws(Rejection) {
        var attributes = JSON.Object()
        if let value = members.optional("attributes") { attributes = try value.attributes() }
        self.init(
            id: try members.required("id").identifier(), kind: try members.required("kind").word(),
            parent: try members.identifier(ifPresent: "parent"), issued: try members.required("issued").timestamp(),
            holder: try members.identifier(ifPresent: "holder"), subject: try members.identifier(ifPresent: "subject"),
            audience: try members.identifier(ifPresent: "audience"), scope: try members.identifier(ifPresent: "scope"),
            boundKey: try members.identifier(ifPresent: "key"),
            accessExpiry: try members.timestamp(ifPresent: "access"),
            finalExpiry: try members.timestamp(ifPresent: "final"),
            refresh: try members.refresh(), attributes: attributes)
    }
}

extension Record.Refresh {
    /// Writes the members of an object.
    func write(to members: inout JSON.ObjectWriter) {
        members.member("generation", UInt64(generation))
        members.member("hash", word: hash)
        members.member("salt", word: salt)
        members.member("rotated", ifPresent: rotated)
    }

    /// Reads what a store knows of a refresh token.
    init(_ members: JSON.Document.Object) throws(Record.Rejection) {
        self.init(
            generation: try members.required("generation").count(),
            hash: try members.required("hash").read { Fingerprint(text: $0) },
            salt: try members.required("salt").read { Fingerprint(text: $0) },
            rotated: try members.timestamp(ifPresent: "rotated"))
    }
}

extension Record.Fate {
    /// Writes what happened as members of the record's object.
    func write(to members: inout JSON.ObjectWriter) {
        if let revocation {
            members.object("revoked") { members in
                members.member("at", revocation.at)
                members.member("reason", word: revocation.reason)
            }
        }
        members.member("consumed", ifPresent: consumed)
        members.member("used", ifPresent: lastUse)
        members.member("confirmed", ifPresent: confirmed)
    }

    /// Reads what happened from the members of the record's object.
    init(_ members: JSON.Document.Object) throws(Record.Rejection) {
        self.init(
            consumed: try members.timestamp(ifPresent: "consumed"), lastUse: try members.timestamp(ifPresent: "used"),
            confirmed: try members.timestamp(ifPresent: "confirmed"))
        guard let revoked = try members.optional("revoked")?.members() else { return }
        revocation = Record.Revocation(
            at: try revoked.required("at").timestamp(), reason: try revoked.required("reason").word())
    }
}

extension OutgoingMessage {
    /// Writes the members of an object.
    func write(to members: inout JSON.ObjectWriter) {
        members.member("id", id)
        members.member("to", destination)
        members.member("about", ifPresent: about)
        members.member("body", body)
        members.member("due", due)
        if attempts > 0 { members.member("attempts", attempts) }
        members.member("tried", ifPresent: tried)
    }

    /// Reads a message with its attempts.
    init(_ members: JSON.Document.Object) throws(Record.Rejection) {
        self.init(
            id: try members.required("id").identifier(), destination: try members.required("to").identifier(),
            about: try members.identifier(ifPresent: "about"), body: try members.required("body").attributes(),
            due: try members.required("due").timestamp(), attempts: try members.optional("attempts")?.count() ?? 0,
            tried: try members.timestamp(ifPresent: "tried"))
    }
}
