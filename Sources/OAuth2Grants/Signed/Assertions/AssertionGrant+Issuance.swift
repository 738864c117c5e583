public import JOSE
public import Wire

extension AssertionGrant {
    /// The edu-ID service's key with the header of its assertions, written once for all of them.
    public struct Issuance: Sendable {
        /// Who makes the assertions.
        public let issuer: Issuer
        /// How long they hold: 300 seconds, unless the service wants it otherwise.
        public var lifetime: Duration = .seconds(300)
        private let issuance: JWT.Issuance

        /// Prepares a key, which must have the name under which the federation's services know it.
        public init(with key: SigningKey, of issuer: Issuer) throws(IssuanceRejection) {
            self.issuer = issuer
            issuance = try JWT.Issuance(named: key, as: .authorizationGrant)
        }

        /// An assertion about a user, to one service, to be redeemed by one instance (AST-2).
        ///
        /// - Parameter id: the assertion's name, by which it is found, introspected and revoked.
        /// - Parameter subject: the user as the service knows him or her.
        /// - Parameter instance: the instance that asked; from the server's knowledge, never from the request.
        /// - Parameter key: the instance's public key, with the name that it has here.
        /// - Parameter claims: what is released about the user; nothing of that can replace what makes the assertion
        ///   (threat 50).
        public func assertion(
            _ id: JWTID, about subject: Subject, to service: Issuer, for instance: ClientID, holding key: JWK,
            named keyID: KeyID,
            releasing claims: JSON.Object = JSON.Object(), at now: Timestamp
        ) throws(IssuanceRejection) -> Assertion {
            try claims.refuse(AssertionGrant.interpreted)
            return try issuance.issued { token in
                token.member("iss", issuer.text)
                token.member("sub", subject.text)
                token.member("aud", service.text)
                token.member("azp", instance.text)
                token.member("jti", id.text)
                token.member("iat", now.seconds)
                token.member("exp", (now + lifetime).seconds)
                token.member("cnf", JWTAccessToken.Binding.key(key, id: keyID))
                for claim in claims { token.member(claim.name, claim.value) }
            }
        }
    }
}
