public import JOSE
public import Wire

/// What the holder of a bound token sends in its place, fresh for every request: a statement to one URL, signed with
/// the key that the token is bound to (POP-1).
///
/// That one exists means that exactly this key signed it, for exactly this URL, now. That it was not used before is for
/// the store to say.
public struct RequestToken: Sendable {
    /// Who made it.
    public let holder: BoundKey.Holder
    /// The name of the key that signed it, by which the issuer knows it.
    public let keyID: KeyID
    /// When it was made.
    public let issuedAt: Timestamp
    /// What must not come twice.
    public let singleUse: SingleUse
    private let token: JWT.Validated

    /// The claims that make the token, and that readers of tokens interpret; every other one is the caller's.
    public static let reservedClaims: [JSON.Name] = ["iss", "aud", "iat", "jti", "sub", "exp", "nbf", "cnf"]

    /// A claim of the caller's by its name.
    public subscript(name: JSON.Name) -> JSON.Document.Value? {
        Self.reservedClaims.contains(name) ? nil : token.claims.optional(name)
    }

    /// All claims of the caller's.
    public var claims: JSON.Object { token.claims(beside: Self.reservedClaims) }
}

// MARK: - Checking

extension RequestToken {
    /// Believes a request token when the bound key signed it for the URL that is requested, in the window of the
    /// policy.
    ///
    /// - Parameter url: what is requested; its query does not matter, because request tokens name none.
    public init(
        checking token: UnverifiedToken, by key: BoundKey, requesting url: WebURL, policy: ProofPolicy = ProofPolicy(),
        at now: Timestamp
    ) throws(Rejection) {
        guard let keyID = token.keyID else { throw .token(.missingKeyID) }
        guard keyID == key.id else { throw .otherKey(keyID) }
        guard let verifying = key.verifying else { throw .keyUnknown }
        do throws(TokenRejection) {
            var kind = JWT.Kind.request
            kind.acceptsUntyped = policy.acceptsUntyped
            let checked = try token.validated(by: verifying, as: kind, policy.expectation, at: now)
            try Self.refuseOtherKinds(checked)
            try checked.checkIssuer(key.holder)
            try checked.checkAudience(url.withoutQuery)
            let issuedAt = try checked.beginning()
            let id: JWTID = try checked.identifier("jti")
            singleUse = SingleUse(.requestToken, of: id, owner: key.owner, until: policy.end(ofProofMadeAt: issuedAt))
            self.issuedAt = issuedAt
            self.token = checked
        } catch {
            throw .token(error)
        }
        self.keyID = keyID
        holder = key.holder
    }

    /// Assertions have a subject and an end, request tokens have neither; where no type tells them apart, these claims
    /// do (threat 18).
    private static func refuseOtherKinds(_ token: JWT.Validated) throws(TokenRejection) {
        guard token.expiration != nil, token.claims.contains("sub"),
            token.signature.header.type != JWT.Kind.request.type
        else {
            return
        }
        throw .otherKind("sub")
    }

    /// Why a request token proves nothing.
    public enum Rejection: Error, Equatable, Sendable {
        /// It breaks a rule that all tokens share.
        case token(TokenRejection)
        /// It names another key than the one that the access token is bound to.
        case otherKey(KeyID)
        /// Of the bound key nothing but its digest is known, and request tokens bring no key.
        case keyUnknown
    }
}

extension ProofPolicy {
    /// What is expected of a request token: it may say that it expires, but it is its age that counts.
    var expectation: JWT.Expectation {
        var expectation = JWT.Expectation(
            issuer: .unchecked, audience: .unchecked, maximumAge: window, leeway: window)
        expectation.requiresExpiration = false
        return expectation
    }
}

extension JWT.Validated {
    /// Refuses a token that is by anybody else than the holder of the key.
    fileprivate func checkIssuer(_ holder: BoundKey.Holder) throws(TokenRejection) {
        switch holder {
        case .client(let client): try checkIssuer(client)
        case .app(let app): try checkIssuer(app)
        }
    }
}

extension RequestToken.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .token(let rejection): rejection.description
        case .otherKey(let found): "'kid' is '\(found)', which is not the key that the access token is bound to"
        case .keyUnknown: "the access token is bound to the digest of a key, which takes a DPoP proof"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .token(let rejection): rejection.clause
        case .otherKey: "threat-36"
        case .keyUnknown: "RFC9449-6.1"
        }
    }

    /// What the peer is told: for another key the same as for a wrong signature.
    public var refusal: OAuth2Error { refusal(.invalidToken) }

    /// What the peer is told where the request token authenticates it to an endpoint of its issuer.
    public var clientRefusal: OAuth2Error { refusal(.invalidClient) }

    private func refusal(_ code: OAuth2Error.Code) -> OAuth2Error {
        switch self {
        case .token(let rejection): rejection.refusal(code, Self.subject)
        case .otherKey: .unverified(code, Self.subject)
        case .keyUnknown: OAuth2Error(code, "\(self) (\(clause))")
        }
    }

    static let subject = "the request token"
}
