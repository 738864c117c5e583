public import JOSE
public import Wire

extension Statement {
    /// A client's statement that it is who it says, signed with its own key (RFC 7523 §3, `private_key_jwt`): how
    /// federation services authenticate to the edu-ID service, and it to them.
    public struct ClientAssertion: Sendable {
        /// Who authenticates.
        public let client: ClientID
        /// When the assertion ends.
        public let expiration: Timestamp
        /// What must not come twice.
        public let singleUse: SingleUse
    }
}

extension Statement.ClientAssertion {
    /// Believes an assertion when a key of the client that it names signed it for this server and it holds now (BIS-1
    /// to BIS-3, BIS-5).
    ///
    /// - Parameter addressee: this server, which the assertion names by its issuer identifier: an endpoint's URL would
    ///   be good at whatever server stands behind it (threat 64).
    /// - Parameter keys: the keys that are registered for the client; another client's vouch for nothing here (threat
    ///   25).
    public init(
        checking received: Statement.Unverified, by keys: [VerificationKey], of client: ClientID,
        to addressee: Statement.Addressee, policy: Statement.Policy = .clientAssertion, at now: Timestamp
    ) throws(TokenRejection) {
        let keys = Statement.Keys.anyOf(keys, policy)
        let checked = try received.checked(as: .clientAssertion, by: keys, policy, at: now)
        try checked.checkIssuer(client.text)
        let subject: Subject = try checked.identifier("sub")
        guard subject.text.utf8.elementsEqual(client.text.utf8) else {
            throw checked.kind.rejection(.subject(expected: client.text, found: subject.text))
        }
        try checked.checkAudience(addressee.byName)
        self.client = client
        expiration = try checked.end(policy, at: now)
        singleUse = try checked.singleUse(of: client.text, until: expiration)
    }

    /// A client's key with the header of its assertions, written once for all of them.
    public struct Issuance: Sendable {
        /// Who authenticates.
        public let client: ClientID
        private let statements: Statement.Issuance

        /// Prepares a key, which must have the name under which the server knows it.
        public init(with key: SigningKey, of client: ClientID) throws(IssuanceRejection) {
            self.client = client
            statements = try Statement.Issuance(.clientAssertion, with: key)
        }

        /// An assertion for one request to a server.
        public func assertion(
            to server: Issuer, lifetime: Duration = .seconds(60), at now: Timestamp,
            knowing signatures: Signatures = .none,
            using entropy: inout some RandomNumberGenerator
        ) throws(IssuanceRejection) -> Assertion {
            try assertion(
                named: JWT.ID.text(using: &entropy), to: server, lifetime: lifetime, at: now, knowing: signatures)
        }

        /// The same under a name that was chosen before, so that it can be asked for again to the same bytes.
        package func assertion(
            named id: String, to server: Issuer, lifetime: Duration = .seconds(60), at now: Timestamp,
            knowing signatures: Signatures = .none
        ) throws(IssuanceRejection) -> Assertion {
            try statements.issued(knowing: signatures) { token in
                token.member("iss", client.text)
                token.member("sub", client.text)
                token.member("aud", server.text)
                token.member("iat", now.seconds)
                token.member("exp", (now + lifetime).seconds)
                token.member("jti", id)
            }
        }
    }
}
