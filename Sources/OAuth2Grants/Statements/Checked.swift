internal import JOSE
internal import Wire

extension Statement {
    /// A statement that a key vouches for, of the kind that was expected, and holding now; its claims are read with the
    /// types that they have here.
    struct Checked: Sendable {
        let kind: Kind
        let claims: JSON.Document.Object
        /// When it ends, where it says so.
        let expiration: Timestamp?
        /// When it was issued, where it says so.
        let issuedAt: Timestamp?

        /// What is read of a token after it was validated: its signature has done its part.
        init(_ token: JWT.Validated, as kind: Kind) {
            self.kind = kind
            claims = token.claims
            expiration = token.expiration
            issuedAt = token.issuedAt
        }

        /// A claim by its name, unless the kind interprets it.
        subscript(name: JSON.Name) -> JSON.Document.Value? {
            kind.interpreted.contains(name) ? nil : claims.optional(name)
        }

        /// The claims that the kind does not interpret.
        var others: JSON.Object {
            let interpreted = kind.interpreted
            var rest = JSON.Object()
            for member in claims where !interpreted.contains(member.name) {
                rest[member.name] = member.value.tree()
            }
            return rest
        }
    }
}

// MARK: - Claims

extension Statement.Checked {
    /// The text of a claim that must be there.
    func text(_ claim: JSON.Name) throws(TokenRejection) -> String {
        guard let value = claims.optional(claim) else { throw kind.lacks(claim) }
        guard value.kind == .string, let text = try? value.string() else {
            throw kind.rejection(.token(.wrongType(claim, expected: .string, found: value.kind)))
        }
        return text
    }

    /// A name that must be there.
    func identifier<Name>(_ claim: JSON.Name) throws(TokenRejection) -> Identifier<Name> {
        let text = try text(claim)
        return try wrapping(
            { (error) in kind.rejection(.token(.malformedName(claim, error))) }, try Identifier(parsing: text)
        )
    }

    /// When it was issued; a statement that does not say so is refused.
    func beginning() throws(TokenRejection) -> Timestamp {
        guard let issuedAt else { throw kind.lacks("iat") }
        return issuedAt
    }

    /// When it ends; one that holds longer than it may is refused.
    func end(_ policy: Statement.Policy, at now: Timestamp) throws(TokenRejection) -> Timestamp {
        guard let expiration else { throw kind.lacks("exp") }
        let lifetime = expiration - (issuedAt ?? now)
        guard lifetime <= policy.maximumLifetime else {
            throw kind.rejection(.lifetime(lifetime, limit: policy.maximumLifetime))
        }
        return expiration
    }

    /// What must not come twice: its name, in the realm of its owner.
    func singleUse(of owner: String, until end: Timestamp) throws(TokenRejection) -> Statement.SingleUse {
        Statement.SingleUse(
            kind, of: try identifier("jti"), owner: owner, until: end, made: issuedAt)
    }

    /// Refuses a statement that is by another party than this one.
    func checkIssuer(_ party: String) throws(TokenRejection) {
        guard let value = claims.optional("iss") else { throw kind.lacks("iss") }
        guard value.isString(party) else {
            throw kind.rejection(.issuer(expected: party, found: (try? value.string()) ?? ""))
        }
    }

    /// Demands that the issuer is the holder of a key; an instance may write the letters of its UUID in any case.
    func checkIssuer(_ holder: Statement.BoundKey.Holder) throws(TokenRejection) {
        do throws(TokenRejection) { try checkIssuer(holder.text) } catch {
            guard case .client(let client) = holder, let found: ClientID = try? identifier("iss"),
                found.canonical == client.canonical
            else { throw error }
        }
    }

    /// The one audience that the statement names.
    func soleAudience() throws(TokenRejection) -> String {
        guard let value = claims.optional("aud") else { throw kind.lacks("aud") }
        guard value.kind == .array, let elements = try? value.array() else { return try text("aud") }
        guard elements.count == 1, let text = try? elements[0].string() else {
            throw kind.rejection(.severalAudiences(elements.count))
        }
        return text
    }

    /// Refuses a statement that is for anybody else than this server.
    func checkAudience(_ addressee: Statement.Addressee) throws(TokenRejection) {
        try checkAudience(addressee.issuer.text) { addressee.isMeant(by: $0) }
    }

    /// Refuses a statement that is for any other URL.
    func checkAudience(_ url: WebURL) throws(TokenRejection) {
        try checkAudience(url.text) { url.isMeant(by: $0) }
    }

    private func checkAudience(_ expected: String, _ isMeant: (String) -> Bool) throws(TokenRejection) {
        if claims.optional("aud")?.isString(expected) == true { return }
        let found = try soleAudience()
        guard isMeant(found) else { throw kind.rejection(.audience(expected: expected, found: found)) }
    }

    /// What the statement says about the key that its presenter must prove to hold, or `nil` if it says nothing.
    ///
    /// - Parameter known: a key that may well be that.
    func confirmation(knowing known: JWK? = nil) throws(TokenRejection) -> JWT.Confirmation? {
        guard let value = claims.optional("cnf") else { return nil }
        return try wrapping(
            { (error) in kind.rejection(.confirmation(error)) }, try JWT.Confirmation(value, knowing: known))
    }

    /// The public key in the statement (`cnf.jwk`), or `nil` if it has no `cnf`.
    func confirmedKey(knowing known: JWK? = nil) throws(TokenRejection) -> JWK? {
        guard let confirmation = try confirmation(knowing: known) else { return nil }
        guard let key = confirmation.key else { throw kind.rejection(.confirmationWithoutKey) }
        return key
    }
}
