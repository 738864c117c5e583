public import Wire

extension JWT {
    /// A token that was verified and found to be what was expected.
    ///
    /// It cannot be made in any other way than by validating.
    public struct Validated: Sendable {
        /// All claims, those that were checked and all others.
        public let claims: JSON.Document.Object
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

        /// The value of a claim by its name.
        public subscript(name: JSON.Name) -> JSON.Document.Value? { claims.optional(name) }

        /// The key that the presenter must prove to hold (`cnf`), where the token is bound to one.
        public func confirmation() throws(JWT.Confirmation.Rejection) -> JWT.Confirmation? {
            guard let value = claims.optional("cnf") else { return nil }
            return try JWT.Confirmation(value)
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
    /// Believes the content as a token of this kind, if it is everything that is expected of it at this time.
    public func validated(
        as kind: JWT.Kind, expecting expectation: JWT.Expectation, at now: Timestamp
    ) throws(JWT.Validated.Rejection) -> JWT.Validated {
        guard isCompact else { throw .notCompact }
        guard signature.header.isPayloadEncoded else { throw .unencodedPayload }
        try kind.check(signature.header)
        let claims: JSON.Document.Object
        do throws(JSON.Rejection) {
            claims = try JSON.Document(parsing: payload, limits: JWT.limits).root.object()
        } catch {
            throw .malformed(error)
        }
        let reading = JWT.Reading(claims: claims)
        try reading.require(kind.requiredClaims)
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

extension JWT.Validated {
    /// Reads, verifies and validates a token in one step.
    public init(
        parsing text: String, by keys: [VerificationKey], accepting algorithms: [Algorithm],
        as kind: JWT.Kind, expecting expectation: JWT.Expectation, at now: Timestamp
    ) throws(JWT.Rejection) {
        let unverified: JWS.Unverified
        do throws(JWS.Unverified.Rejection) { unverified = try JWS.Unverified(parsing: text) } catch {
            throw .malformed(error)
        }
        let verified: JWS.Verified
        do throws(JWS.Verified.Rejection) { verified = try unverified.verified(by: keys, accepting: algorithms) } catch
        {
            throw .unverified(error)
        }
        do throws(Rejection) { self = try verified.validated(as: kind, expecting: expectation, at: now) } catch {
            throw .invalid(error)
        }
    }
}

extension JWT {
    /// Why a token is not believed, by the step that refused it.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// It is not a signed text.
        case malformed(JWS.Unverified.Rejection)
        /// No key vouches for it.
        case unverified(JWS.Verified.Rejection)
        /// It is not what was expected.
        case invalid(Validated.Rejection)

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .malformed(let rejection): rejection.clause
            case .unverified(let rejection): rejection.clause
            case .invalid(let rejection): rejection.clause
            }
        }

        /// The rule that was broken, with what was expected and found.
        public var description: String {
            switch self {
            case .malformed(let rejection): rejection.description
            case .unverified(let rejection): rejection.description
            case .invalid(let rejection): rejection.description
            }
        }
    }
}
