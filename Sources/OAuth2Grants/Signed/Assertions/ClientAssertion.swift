public import JOSE
public import Wire

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

// MARK: - Checking

extension ClientAssertion {
    /// Believes an assertion when a key of the client that it names signed it for this server and it holds now.
    ///
    /// - Parameter keys: the keys that are registered for the client; another client's vouch for nothing here (threat
    ///   25).
    public init(
        checking token: UnverifiedToken, by keys: [VerificationKey], of client: ClientID, to addressee: Addressee,
        policy: TokenPolicy = .clientAssertion, at now: Timestamp
    ) throws(Rejection) {
        do throws(TokenRejection) {
            let kind = policy.kind(.clientAuthentication)
            let checked = try token.validated(
                by: keys, accepting: policy.algorithms, as: kind, policy.expectation, at: now)
            try checked.checkIssuer(client)
            let subject: Subject = try checked.identifier("sub")
            guard subject.text.utf8.elementsEqual(client.text.utf8) else {
                throw .subject(expected: client.text, found: subject.text)
            }
            try checked.checkAudience(addressee)
            let expiration = try policy.expiration(of: checked, at: now)
            singleUse = SingleUse(
                .clientAssertion, of: try checked.identifier("jti"), owner: client.text, until: expiration)
            self.expiration = expiration
        } catch {
            throw Rejection(error)
        }
        self.client = client
    }

    /// Why a client is not believed to be who it says.
    public struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// The rule that was broken.
        public let reason: TokenRejection

        /// Refuses for a rule that was broken.
        public init(_ reason: TokenRejection) { self.reason = reason }

        /// The rule that was broken, with what was expected and found.
        public var description: String { reason.description }

        /// The clause that sets the rule.
        public var clause: String { reason.clause }

        /// What the peer is told.
        public var refusal: OAuth2Error { reason.refusal(.invalidClient, "the client assertion") }
    }
}

// MARK: - Making

extension ClientAssertion {
    /// A client's key with the header of its assertions, written once for all of them.
    public struct Issuance: Sendable {
        /// Who authenticates.
        public let client: ClientID
        private let issuance: JWT.Issuance

        /// Prepares a key, which must have the name under which the server knows it.
        public init(with key: SigningKey, of client: ClientID) throws(IssuanceRejection) {
            self.client = client
            issuance = try JWT.Issuance(named: key, as: .clientAuthentication)
        }

        /// An assertion for one request to a server.
        public func assertion(
            to server: Issuer, lifetime: Duration = .seconds(60), at now: Timestamp,
            using entropy: inout some RandomNumberGenerator
        ) throws(IssuanceRejection) -> Assertion {
            let id = JWTID.text(using: &entropy)
            return try issuance.issued { token in
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
