public import JOSE
public import Wire

extension Statement {
    /// An access token whose issuer made it a JWT (RFC 9068), checked: who may do what where, through which client, and
    /// with which key.
    ///
    /// It is its issuer's statement when the token was made; whether it still stands, the issuer's store says (threat
    /// 34). Tokens of other issuers may be opaque.
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
        public let id: JWT.ID
        /// What it is good for.
        public let scope: Scope
        private let checked: Checked

        /// Whether its presenter must prove to hold a key.
        public var isBound: Bool { checked.claims.contains("cnf") }

        /// A further claim by its name.
        public subscript(name: JSON.Name) -> JSON.Document.Value? { checked[name] }
    }
}

extension Statement.JWTAccessToken {
    /// Believes an access token when the issuer's key signed it for this server and it holds now.
    ///
    /// - Parameter keys: the keys of the issuer; a key that belongs to another one vouches for nothing here (threat
    ///   25).
    public init(
        checking received: Statement.Unverified, by keys: [VerificationKey], of issuer: Issuer,
        to addressee: Statement.Addressee, policy: Statement.Policy = .accessToken, at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.accessToken
        let checked = try received.checked(as: kind, by: keys, of: issuer, to: addressee, policy, at: now)
        expiration = try checked.end(policy, at: now)
        issuedAt = try checked.beginning()
        self.issuer = issuer
        subject = try checked.identifier("sub")
        client = try checked.identifier("client_id")
        id = try checked.identifier("jti")
        if !checked.claims.contains("scope") {
            scope = Scope()
        } else {
            let text = try checked.text("scope")
            scope = try wrapping({ (error) in kind.rejection(.scope(error)) }, try Scope(parsing: text))
        }
        self.checked = checked
    }

    /// What the token says about the key that its presenter must prove to hold, or `nil` if it is bound to none.
    public func confirmation() throws(TokenRejection) -> JWT.Confirmation? { try checked.confirmation() }

    /// The key that a proof must be by, or `nil` if the token is good for whoever bears it.
    ///
    /// Reading a key takes as long as half a check of a signature, so it is read only when it is asked for; a receiver
    /// that keeps keys with its records need not ask.
    ///
    /// - Parameter holder: who makes the proofs, when that is not the client: the third-party app of a token that was
    ///   given for one (APP-8).
    /// - Parameter known: the key that the token only names, from the issuer's records.
    public func boundKey(
        heldBy holder: Statement.BoundKey.Holder? = nil, known: VerificationKey? = nil
    ) throws(TokenRejection) -> Statement.BoundKey? {
        guard let confirmation = try confirmation() else { return nil }
        return try Statement.BoundKey(confirmation, of: holder ?? .client(client), known: known)
    }

    /// An issuer's key with the header of its access tokens, written once for all of them.
    public struct Issuance: Sendable {
        /// Who gives the tokens.
        public let issuer: Issuer
        private let statements: Statement.Issuance

        /// Prepares a key, which must have a name.
        public init(with key: SigningKey, of issuer: Issuer) throws(IssuanceRejection) {
            self.issuer = issuer
            statements = try Statement.Issuance(.accessToken, with: key)
        }

        /// A token about a subject, given to a client, for one server.
        ///
        /// - Parameter id: the token's name, by which the issuer finds its record.
        public func token(
            _ id: JWT.ID, about subject: Subject, for client: ClientID, to audience: Issuer, scope: Scope,
            boundTo confirmation: Statement.BoundKey.Confirmation?, adding claims: JSON.Object = JSON.Object(),
            lifetime: Duration, at now: Timestamp, knowing signatures: Signatures = .none
        ) throws(IssuanceRejection) -> AccessToken {
            try statements.issued(adding: claims, knowing: signatures) { token in
                token.member("iss", issuer.text)
                token.member("sub", subject.text)
                token.member("aud", audience.text)
                token.member("client_id", client.text)
                token.member("iat", now.seconds)
                token.member("exp", (now + lifetime).seconds)
                token.member("jti", id.text)
                if !scope.isEmpty { token.member("scope", scope.text) }
                if let confirmation { token.member("cnf", confirmation) }
            }
        }
    }
}
