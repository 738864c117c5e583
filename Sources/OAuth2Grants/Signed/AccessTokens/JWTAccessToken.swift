public import JOSE
public import Wire

/// An access token whose issuer made it a JWT (RFC 9068), checked: who may do what where, through which client, and
/// with which key.
///
/// It is its issuer's statement when the token was made; whether it still stands, the issuer's store says (threat 34).
/// Tokens of other issuers may be opaque.
public struct JWTAccessToken: Sendable {
    /// Who gave the token.
    public let issuer: Issuer
    /// Whom it is about.
    public let subject: Subject
    /// To whom it was given.
    public let client: ClientID
    /// When it was given.
    public let issuedAt: Timestamp
    /// When it ends.
    public let expiration: Timestamp
    /// Its name, which leads to the issuer's record.
    public let id: JWTID
    /// What it is good for.
    public let scope: Scope
    private let token: JWT.Validated

    static let interpreted: [JSON.Name] = [
        "iss", "sub", "aud", "client_id", "iat", "exp", "nbf", "jti", "scope", "cnf",
    ]

    /// Whether its presenter must prove to hold a key.
    public var isBound: Bool { token.claims.contains("cnf") }

    /// A further claim by its name.
    public subscript(name: JSON.Name) -> JSON.Document.Value? {
        Self.interpreted.contains(name) ? nil : token.claims.optional(name)
    }
}

// MARK: - Checking

extension JWTAccessToken {
    /// Believes an access token when the issuer's key signed it for this server and it holds now.
    ///
    /// - Parameter keys: the keys of the issuer; a key that belongs to another one vouches for nothing here (threat
    ///   25).
    public init(
        checking token: UnverifiedToken, by keys: [VerificationKey], of issuer: Issuer, to addressee: Addressee,
        policy: TokenPolicy = .accessToken, at now: Timestamp
    ) throws(Rejection) {
        do throws(TokenRejection) {
            guard token.keyID != nil else { throw .missingKeyID }
            let checked = try token.validated(
                by: keys, accepting: policy.algorithms, as: .accessToken, policy.expectation, at: now)
            try checked.checkIssuer(issuer)
            try checked.checkAudience(addressee)
            let expiration = try policy.expiration(of: checked, at: now)
            let issuedAt = try checked.beginning()
            self.issuer = issuer
            subject = try checked.identifier("sub")
            client = try checked.identifier("client_id")
            id = try checked.identifier("jti")
            self.issuedAt = issuedAt
            self.expiration = expiration
            self.token = checked
        } catch {
            throw .token(error)
        }
        scope = try Self.scope(self.token)
    }

    private static func scope(_ token: JWT.Validated) throws(Rejection) -> Scope {
        guard let value = token.claims.optional("scope") else { return Scope() }
        guard let text = try? value.string() else {
            throw .token(.token(.wrongType("scope", expected: .string, found: value.kind)))
        }
        do throws(Scope.Rejection) { return try Scope(parsing: text) } catch { throw .scope(error) }
    }

    /// What the token says about the key that its presenter must prove to hold, where it is bound to one.
    public func confirmation() throws(JWT.Rejection) -> JWT.Confirmation? { try token.confirmation() }

    /// The key that a proof must be by, or nothing where the token is good for whoever bears it.
    ///
    /// Reading a key takes as long as half a check of a signature, so it is read only when it is asked for; a receiver
    /// that keeps keys with its records need not ask.
    ///
    /// - Parameter holder: who makes the proofs, when that is not the client: the third-party app of a token that was
    ///   given for one (APP-8).
    /// - Parameter known: the key that the token only names, from the issuer's records.
    public func boundKey(heldBy holder: BoundKey.Holder? = nil, known: VerificationKey? = nil) throws(BoundKey
        .Rejection) -> BoundKey?
    {
        let found: JWT.Confirmation?
        do throws(JWT.Rejection) { found = try confirmation() } catch { throw .confirmation(error) }
        guard let confirmation = found else { return nil }
        return try BoundKey(confirmation, of: holder ?? .client(client), known: known)
    }

    /// Why an access token is not believed.
    public enum Rejection: Error, Equatable, Sendable {
        /// It breaks a rule that all tokens share.
        case token(TokenRejection)
        /// Its scope is none.
        case scope(Scope.Rejection)
    }
}

extension JWTAccessToken.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .token(let rejection): rejection.description
        case .scope(let rejection): rejection.description
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .token(let rejection): rejection.clause
        case .scope(let rejection): rejection.clause
        }
    }

    /// What the peer is told.
    public var refusal: OAuth2Error {
        switch self {
        case .token(let rejection): rejection.refusal(.invalidToken, "the access token")
        case .scope: OAuth2Error(.invalidToken, "the access token: \(self)")
        }
    }
}

// MARK: - Issuing

extension JWTAccessToken {
    /// The key that a token is bound to, in one of the three ways in which tokens say it.
    public enum Binding: Hashable, Sendable {
        /// The holder's public key goes into the token, always with the name that the issuer gave it.
        case key(JWK, id: KeyID)
        /// The issuer made a symmetric key, of which the token bears the name alone.
        case symmetric(KeyID)
        /// The digest of the key goes into the token (RFC 9449 §6.1); proofs bring the key.
        case thumbprint(JWK.Thumbprint)
    }

    /// An issuer's key with the header of its access tokens, written once for all of them.
    public struct Issuance: Sendable {
        /// Who gives the tokens.
        public let issuer: Issuer
        private let issuance: JWT.Issuance

        /// Prepares a key, which must have a name.
        public init(with key: SigningKey, of issuer: Issuer) throws(IssuanceRejection) {
            self.issuer = issuer
            issuance = try JWT.Issuance(named: key, as: .accessToken)
        }

        /// A token about a subject, given to a client, for one server.
        ///
        /// - Parameter id: the token's name, by which the issuer finds its record.
        public func token(
            _ id: JWTID, about subject: Subject, for client: ClientID, to audience: Issuer, scope: Scope,
            boundTo binding: Binding?,
            adding claims: JSON.Object = JSON.Object(), lifetime: Duration, at now: Timestamp
        ) throws(IssuanceRejection) -> AccessToken {
            try claims.refuse(JWTAccessToken.interpreted)
            return try issuance.issued { token in
                token.member("iss", issuer.text)
                token.member("sub", subject.text)
                token.member("aud", audience.text)
                token.member("client_id", client.text)
                token.member("iat", now.seconds)
                token.member("exp", (now + lifetime).seconds)
                token.member("jti", id.text)
                if !scope.isEmpty { token.member("scope", scope.text) }
                if let binding { token.member("cnf", binding) }
                for claim in claims { token.member(claim.name, claim.value) }
            }
        }
    }
}

extension JWTAccessToken.Binding: JSON.Writable {
    /// Writes the binding as the value of `cnf`.
    public func write(to place: consuming JSON.ValueWriter) {
        switch self {
        case .key(var key, let id):
            // The key bears the issuer's name inside and outside, so that readers who look in one place only agree with
            // all others.
            key.attributes.id = id
            JWT.Confirmation(key: key, id: id).write(to: place)
        case .symmetric(let id):
            JWT.Confirmation(keyID: id).write(to: place)
        case .thumbprint(let thumbprint):
            place.object { $0.member("jkt", thumbprint.text) }
        }
    }
}
