public import Wire

extension JWT {
    /// A token that was verified and found to be what was expected.
    ///
    /// It cannot be made in any other way than by validating.
    public struct Validated: Sendable {
        /// All claims, those that were checked and all others.
        package let claims: JSON.Document.Object
        /// The signature, with the header and the key that vouches for the token.
        public let signature: JWS.Verified.Signature
        /// When the token expires, where it says so.
        public let expiration: Timestamp?
        /// When the token was issued, where it says so.
        public let issuedAt: Timestamp?
        /// When the token begins to hold, where it says so.
        public let notBefore: Timestamp?

        /// The claims of the token as a value of their own.
        public var allClaims: Claims { Claims(claims.tree()) }

        /// Who says it (`iss`).
        public var issuer: Issuer? { identifier("iss") }

        /// Whom it is about (`sub`).
        public var subject: Subject? { identifier("sub") }

        /// For whom it is meant (`aud`).
        public var audience: [Audience] {
            // That all are names was checked.
            guard let value = claims.optional("aud") else { return [] }
            guard let elements = try? value.array() else { return Self.audience(value).map { [$0] } ?? [] }
            return elements.compactMap(Self.audience)
        }

        /// Text and name are asked for one after the other, because together they would fail in two types.
        private static func audience(_ value: JSON.Document.Value) -> Audience? {
            guard let text = try? value.string() else { return nil }
            return try? Audience(parsing: text)
        }

        /// The token's own name (`jti`).
        public var id: String? { try? claims.optional("jti")?.string() }

        /// The value of a claim that must be there, by its name.
        public subscript(name: JSON.Name) -> JSON.Document.Value {
            get throws(JSON.Rejection) { try claims[name] }
        }

        /// The key that the presenter must prove to hold (`cnf`), where the token is bound to one.
        public func confirmation() throws(JWT.Rejection) -> JWT.Confirmation? { try confirmation(knowing: nil) }

        /// The key that the presenter must prove to hold (`cnf`), where the token is bound to one.
        ///
        /// - Parameter known: a key that may well be that.
        package func confirmation(knowing known: JWK?) throws(JWT.Rejection) -> JWT.Confirmation? {
            guard let value = claims.optional("cnf") else { return nil }
            return try JWT.Confirmation(value, knowing: known)
        }

        private func identifier<Kind>(_ name: JSON.Name) -> Identifier<Kind>? {
            // The name was checked when the token was validated.
            guard let text = try? claims.optional(name)?.string() else { return nil }
            return try? Identifier(parsing: text)
        }
    }
}

// MARK: - Validating

extension JWS.Verified {
    /// Believes the content as a token, if it is everything that is expected of it at this time.
    public func validated(expecting expectation: JWT.Expectation, at now: Timestamp) throws(JWT.Rejection)
        -> JWT.Validated
    {
        guard isCompact else { throw .notCompact }
        guard signature.header.isPayloadEncoded else { throw .unencodedPayload }
        try expectation.kind.check(signature.header)
        let claims = try wrapping(
            JWT.Rejection.malformedClaims, try JSON.Document(parsing: payload, limits: JWS.claimLimits).root.object())
        let reading = JWT.ClaimSet(claims: claims)
        try reading.require(expectation.kind.requiredClaims)
        try reading.require(expectation.requiredClaims)
        try reading.checkIssuer(expectation.issuer, owner: signature.key.issuer)
        try reading.checkAudience(expectation.audience)
        try reading.checkSubject(expectation.subject)
        try reading.checkID()
        let (expiration, notBefore, issuedAt) = (
            try reading.time("exp"), try reading.time("nbf"), try reading.time("iat")
        )
        try expectation.check(expiration: expiration, notBefore: notBefore, issuedAt: issuedAt, now: now)
        return JWT.Validated(
            claims: claims, signature: signature, expiration: expiration, issuedAt: issuedAt, notBefore: notBefore)
    }
}
