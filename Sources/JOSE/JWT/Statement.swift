public import Wire

extension JWT {
    /// What an issuer says about a subject: a validated token that names both.
    public struct Statement: Sendable {
        /// Who says it (`iss`).
        public let issuer: Issuer
        /// Whom it is about (`sub`).
        public let subject: Subject
        /// The token with all that it says.
        public let token: Validated

        /// The value of a claim that must be there, by its name.
        public subscript(name: JSON.Name) -> JSON.Document.Value {
            get throws(JSON.Rejection) { try token[name] }
        }

        fileprivate init(_ verified: JWS.Verified, _ expectation: Expectation, at now: Timestamp) throws(Rejection) {
            token = try verified.validated(expecting: expectation, at: now)
            guard let issuer = token.issuer else { throw .missing("iss") }
            guard let subject = token.subject else { throw .missing("sub") }
            (self.issuer, self.subject) = (issuer, subject)
        }
    }
}

// MARK: - In one call

extension JWKSet {
    /// Reads a token for this audience, verifies it by these keys and validates it as their owner's, by the strict
    /// defaults of ``JWT/Expectation``.
    public func validate(_ text: String, for audience: Audience, at now: Timestamp) throws(JWT.Rejection)
        -> JWT.Statement
    {
        try validate(text, expecting: JWT.Expectation(audience: .including(audience)), at: now)
    }

    /// Reads a token, verifies it by these keys and validates it as what is expected.
    public func validate(_ text: String, expecting expectation: JWT.Expectation, at now: Timestamp)
        throws(JWT.Rejection) -> JWT.Statement
    {
        let verified = try JWS.Unverified(parsing: text).verified(by: keys, accepting: expectation.algorithms)
        return try JWT.Statement(verified, expectation, at: now)
    }
}

extension KeyRing {
    /// Reads a token for this audience, verifies it by these keys and validates it as their owner's, by the strict
    /// defaults of ``JWT/Expectation``.
    public mutating func validate(_ text: String, for audience: Audience, at now: Timestamp) throws(JWT.Rejection)
        -> JWT.Statement
    {
        try validate(text, expecting: JWT.Expectation(audience: .including(audience)), at: now)
    }

    /// Reads a token, verifies it by these keys and validates it as what is expected.
    public mutating func validate(_ text: String, expecting expectation: JWT.Expectation, at now: Timestamp)
        throws(JWT.Rejection) -> JWT.Statement
    {
        let verified = try JWS.Unverified(parsing: text).verified(by: &self, accepting: expectation.algorithms)
        return try JWT.Statement(verified, expectation, at: now)
    }
}
