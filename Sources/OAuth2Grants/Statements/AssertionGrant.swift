public import JOSE
public import Wire

extension Statement {
    /// The service assertion of (4), as the federation service reads it in (5): the edu-ID service's word about a user,
    /// to one service, through one instance (RFC 7521, RFC 7523 §3, AST-2).
    ///
    /// That it is believed does not yet redeem it. Only ``redeemed(with:requesting:policy:at:)`` gives what must not
    /// come twice, so that the proof always comes before the consumption (threat 29).
    public struct AssertionGrant: Sendable {
        /// Who says it.
        public let issuer: Issuer
        /// About whom.
        public let subject: Subject
        /// Through which instance of the edu-ID app (`azp`).
        public let instance: ClientID
        /// The assertion's name, which the service keeps with what it gives for it (AST-9).
        public let id: JWT.ID
        /// When it was made.
        public let issuedAt: Timestamp
        /// When it ends.
        public let expiration: Timestamp
        /// The instance's key, which whoever redeems the assertion must prove to hold.
        public let key: BoundKey
        /// The same as it stands in the assertion, to go into the token that is given for it.
        public let publicKey: JWK
        private let checked: Checked

        /// What the edu-ID service releases about the user, by the names of OpenID Connect: carried, and not
        /// interpreted (FED-6).
        public var claims: JSON.Object { checked.others }
    }
}

extension Statement.AssertionGrant {
    /// Believes an assertion when the edu-ID service signed it for exactly this server, it holds now, and it says whose
    /// key must be proved (AST-4).
    ///
    /// - Parameter keys: the keys of the edu-ID service; another issuer's vouch for nothing here (threat 25).
    /// - Parameter known: the embedder's way to check signatures by the instance's key, where that is of a type which
    ///   is not computed with here.
    /// - Parameter holders: which keys of instances are taken.
    public init(
        checking received: Statement.Unverified, by keys: [VerificationKey], of issuer: Issuer,
        to addressee: Statement.Addressee, policy: Statement.Policy = .assertionGrant, known: VerificationKey? = nil,
        holders: Statement.HolderKeys = .init(), at now: Timestamp
    ) throws(TokenRejection) {
        try self.init(
            checking: received, by: keys, of: issuer, to: addressee, policy: policy, known: known, holders: holders,
            provenKey: nil, at: now)
    }

    /// The same, where a proof came along by a key that is most likely the assertion's.
    package init(
        checking received: Statement.Unverified, by keys: [VerificationKey], of issuer: Issuer,
        to addressee: Statement.Addressee, policy: Statement.Policy = .assertionGrant, known: VerificationKey? = nil,
        holders: Statement.HolderKeys, provenKey likely: JWK?, at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.assertionGrant
        let checked = try received.checked(as: kind, by: keys, of: issuer, to: addressee, policy, at: now)
        expiration = try checked.end(policy, at: now)
        issuedAt = try checked.beginning()
        guard let confirmation = try checked.confirmation(knowing: likely) else { throw kind.lacks("cnf") }
        guard let publicKey = confirmation.key else { throw kind.rejection(.confirmationWithoutKey) }
        self.publicKey = publicKey
        self.issuer = issuer
        subject = try checked.identifier("sub")
        instance = try checked.identifier("azp")
        id = try checked.identifier("jti")
        key = try wrapping(
            { (error: TokenRejection) in kind.rejection(error.reason) },
            try Statement.BoundKey(confirmation, of: .client(instance), known: known, among: holders))
        self.checked = checked
    }

    /// The edu-ID service's key with the header of its assertions, written once for all of them.
    public struct Issuance: Sendable {
        /// Who makes the assertions.
        public let issuer: Issuer
        /// How long they hold: 300 seconds, unless the service wants it otherwise.
        public var lifetime: Duration = .seconds(300)
        private let statements: Statement.Issuance

        /// Prepares a key, which must have the name under which the federation's services know it.
        public init(with key: SigningKey, of issuer: Issuer) throws(IssuanceRejection) {
            self.issuer = issuer
            statements = try Statement.Issuance(.assertionGrant, with: key)
        }

        /// An assertion about a user, to one service, to be redeemed by one instance (AST-2).
        ///
        /// - Parameter id: the assertion's name, by which it is found, introspected and revoked.
        /// - Parameter subject: the user as the service knows him or her.
        /// - Parameter instance: the instance that asked; from the server's knowledge, never from the request.
        /// - Parameter key: the instance's public key.
        /// - Parameter keyID: the name that the key has here; `nil` for a key that the service alone is to know.
        /// - Parameter claims: what is released about the user; nothing of that can replace what makes the assertion
        ///   (threat 50).
        public func assertion(
            _ id: JWT.ID, about subject: Subject, to service: Issuer, for instance: ClientID, holding key: JWK,
            named keyID: KeyID?, releasing claims: JSON.Object = JSON.Object(), at now: Timestamp,
            knowing signatures: Signatures = .none
        ) throws(IssuanceRejection) -> Assertion {
            // The name stands inside and outside, so that readers who look in one place only agree with all others.
            var key = key
            key.attributes.id = keyID
            let confirmation = JWT.Confirmation(key: key, id: keyID)
            return try statements.issued(adding: claims, knowing: signatures) { token in
                token.member("iss", issuer.text)
                token.member("sub", subject.text)
                token.member("aud", service.text)
                token.member("azp", instance.text)
                token.member("jti", id.text)
                token.member("iat", now.seconds)
                token.member("exp", (now + lifetime).seconds)
                token.member("cnf", confirmation)
            }
        }
    }
}
