public import JOSE
public import Wire

extension RequestToken {
    /// A key with everything done beforehand that request tokens share, for as long as the access token lasts that is
    /// bound to it.
    ///
    ///     let requests = try RequestToken.Issuance(with: key, of: .app(bundleID))
    ///     let token = try requests.token(for: url, at: now, using: &entropy)
    public struct Issuance: Sendable {
        /// Who makes the requests.
        public let holder: BoundKey.Holder
        private let issuance: JWT.Issuance

        /// Prepares a key, which must bear the name that it has in the access token's `cnf`.
        public init(with key: SigningKey, of holder: BoundKey.Holder) throws(IssuanceRejection) {
            self.holder = holder
            issuance = try JWT.Issuance(named: key, as: .request)
        }

        /// A token for one request to a URL, whose query is left out of it.
        ///
        /// Claims of the caller's that would replace those of the token are refused, not dropped: `iss`, `aud`, `iat`,
        /// `jti`, and with them `sub`, `exp`, `nbf` and `cnf`, which mean something to readers of tokens (threat 50).
        public func token(
            for url: WebURL, adding claims: JSON.Object = JSON.Object(), at now: Timestamp,
            using entropy: inout some RandomNumberGenerator
        ) throws(IssuanceRejection) -> AccessToken {
            try claims.refuse(RequestToken.reservedClaims)
            let id = JWTID.text(using: &entropy)
            let audience = url.withoutQuery.text
            return try issuance.issued { token in
                token.member("iss", holder.text)
                token.member("aud", audience)
                token.member("iat", now.seconds)
                token.member("jti", id)
                for claim in claims { token.member(claim.name, claim.value) }
            }
        }
    }
}
