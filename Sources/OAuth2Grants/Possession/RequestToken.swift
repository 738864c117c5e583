public import JOSE
public import Wire

/// What the holder of a bound token sends in its place, fresh for every request: a statement to one URL, signed with
/// the key that the token is bound to (POP-1).
///
/// That one exists means that exactly this key signed it, for exactly this URL, now. That it was not used before is for
/// the store to say.
public struct RequestToken: Sendable {
    /// Who made it.
    public let holder: Statement.BoundKey.Holder
    /// The name of the key that signed it, by which the issuer knows it.
    public let keyID: KeyID
    /// When it was made.
    public let issuedAt: Timestamp
    /// What must not come twice.
    public let singleUse: Statement.SingleUse
    private let checked: Statement.Checked

    /// The claims that make the token, and that readers of tokens interpret; every other one is the caller's.
    public static let reservedClaims = Statement.Kind.ofRequestTokens

    /// A claim of the caller's by its name.
    public subscript(name: JSON.Name) -> JSON.Document.Value? { checked[name] }

    /// All claims of the caller's.
    public var claims: JSON.Object { checked.others }
}

extension RequestToken {
    /// Believes a request token when the bound key signed it for the URL that is requested, in the window of the
    /// policy.
    ///
    /// - Parameter url: what is requested; its query does not matter, because request tokens name none.
    public init(
        checking received: Statement.Unverified, by key: Statement.BoundKey, requesting url: WebURL,
        policy: Possession.Policy = .init(), at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.requestToken
        let checked = try received.checked(
            as: kind, by: .bound(key, accepting: policy.holders.algorithms), acceptsUntyped: policy.acceptsUntyped,
            policy.expectation, at: now)
        // Assertions have a subject and an end, request tokens have neither; where no type tells them apart, these
        // claims do (threat 18).
        let isTyped = received.type == JWT.Kind.request.type
        if !isTyped, checked.expiration != nil, checked.claims.contains("sub") {
            throw kind.rejection(.otherKind("sub"))
        }
        guard let keyID = received.keyID else { throw kind.rejection(.missingKeyID) }
        try checked.checkIssuer(key.holder)
        try checked.checkAudience(url.withoutQuery)
        self.keyID = keyID
        holder = key.holder
        issuedAt = try checked.beginning()
        singleUse = try checked.singleUse(of: key.owner, until: policy.end(ofProofMadeAt: issuedAt))
        self.checked = checked
    }

    /// A key with everything done beforehand that request tokens share, for as long as the access token lasts that is
    /// bound to it.
    ///
    ///     let requests = try RequestToken.Issuance(with: key, of: .app(bundleID))
    ///     let token = try requests.token(for: url, at: now, using: &entropy)
    public struct Issuance: Sendable {
        /// Who makes the requests.
        public let holder: Statement.BoundKey.Holder
        private let statements: Statement.Issuance

        /// Prepares a key, which must bear the name that it has in the access token's `cnf`.
        public init(with key: SigningKey, of holder: Statement.BoundKey.Holder) throws(IssuanceRejection) {
            self.holder = holder
            statements = try Statement.Issuance(.requestToken, with: key)
        }

        /// A token for one request to a URL, whose query is left out of it.
        ///
        /// Claims of the caller's that would replace those of the token are refused, not dropped: `iss`, `aud`, `iat`,
        /// `jti`, and with them `sub`, `exp`, `nbf` and `cnf`, which mean something to readers of tokens (threat 50).
        public func token(
            for url: WebURL, adding claims: JSON.Object = JSON.Object(), at now: Timestamp,
            knowing signatures: Signatures = .none,
            using entropy: inout some RandomNumberGenerator
        ) throws(IssuanceRejection) -> AccessToken {
            let id = JWT.ID.text(using: &entropy)
            let audience = url.withoutQuery.text
            return try statements.issued(adding: claims, knowing: signatures) { token in
                token.member("iss", holder.text)
                token.member("aud", audience)
                token.member("iat", now.seconds)
                token.member("jti", id)
            }
        }
    }
}
