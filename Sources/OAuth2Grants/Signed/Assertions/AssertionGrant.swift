public import JOSE
public import Wire

/// The service assertion of (4), as the federation service reads it in (5): the edu-ID service's word about a user, to
/// one service, through one instance (RFC 7521, RFC 7523 §3, AST-2).
///
/// That it is believed does not yet redeem it. Only ``redeemed(with:requesting:policy:at:)`` gives what must not come
/// twice, so that the proof always comes before the consumption (threat 29).
public struct AssertionGrant: Sendable {
    /// Who says it.
    public let issuer: Issuer
    /// About whom.
    public let subject: Subject
    /// Through which instance of the edu-ID app (`azp`).
    public let instance: ClientID
    /// The assertion's name, which the service keeps with what it gives for it (AST-9).
    public let id: JWTID
    /// When it was made.
    public let issuedAt: Timestamp
    /// When it ends.
    public let expiration: Timestamp
    /// The instance's key, which whoever redeems the assertion must prove to hold.
    public let key: BoundKey
    /// The same as it stands in the assertion, to go into the token that is given for it.
    public let publicKey: JWK
    private let token: JWT.Validated

    static let interpreted: [JSON.Name] = ["iss", "sub", "aud", "azp", "jti", "iat", "exp", "nbf", "cnf"]

    /// What the edu-ID service releases about the user, by the names of OpenID Connect: carried, and not interpreted
    /// (FED-6).
    public var claims: JSON.Object { token.claims(beside: Self.interpreted) }
}

// MARK: - Checking

extension AssertionGrant {
    /// Believes an assertion when the edu-ID service signed it for exactly this server, it holds now, and it says whose
    /// key must be proved (AST-4).
    ///
    /// - Parameter keys: the keys of the edu-ID service; another issuer's vouch for nothing here (threat 25).
    /// - Parameter known: the embedder's way to check signatures by the instance's key, where that is of a type which
    ///   is not computed with here.
    public init(
        checking token: UnverifiedToken, by keys: [VerificationKey], of issuer: Issuer, to addressee: Addressee,
        policy: TokenPolicy = .assertionGrant, known: VerificationKey? = nil, at now: Timestamp
    ) throws(Rejection) {
        let confirmation: JWT.Confirmation
        do throws(TokenRejection) {
            guard token.keyID != nil else { throw .missingKeyID }
            let kind = policy.kind(.authorizationGrant)
            let checked = try token.validated(
                by: keys, accepting: policy.algorithms, as: kind, policy.expectation, at: now)
            try checked.checkIssuer(issuer)
            try checked.checkAudience(addressee)
            let expiration = try policy.expiration(of: checked, at: now)
            let issuedAt = try checked.beginning()
            guard let found = try checked.bindingConfirmation() else { throw .token(.missing("cnf")) }
            guard let publicKey = found.key else { throw .confirmationWithoutKey }
            confirmation = found
            self.publicKey = publicKey
            self.issuer = issuer
            subject = try checked.identifier("sub")
            instance = try checked.identifier("azp")
            id = try checked.identifier("jti")
            self.issuedAt = issuedAt
            self.expiration = expiration
            self.token = checked
        } catch {
            throw .token(error)
        }
        do throws(BoundKey.Rejection) {
            key = try BoundKey(confirmation, of: .client(instance), known: known)
        } catch {
            throw .key(error)
        }
    }

    /// Why an assertion is not accepted as a grant.
    public enum Rejection: Error, Equatable, Sendable {
        /// It breaks a rule that all tokens share.
        case token(TokenRejection)
        /// The key in it cannot be used.
        case key(BoundKey.Rejection)
        /// Whoever presents it does not prove to hold the key in it.
        case possession(Presentation.Rejection)
    }
}

// MARK: - Redeeming

extension AssertionGrant {
    /// An assertion that was presented by the holder of the key in it.
    public struct Redemption: Sendable {
        /// The assertion.
        public let grant: AssertionGrant
        /// The proof by the instance.
        public let possession: Possession
        /// What must not come twice: the assertion (AST-3) and the proof.
        public let singleUses: [SingleUse]
    }

    /// Redeems the assertion for whoever signed the request token that came with it.
    public func redeemed(
        with credential: UnverifiedToken, requesting endpoint: WebURL, policy: ProofPolicy = ProofPolicy(),
        at now: Timestamp
    ) throws(Rejection) -> Redemption {
        do throws(RequestToken.Rejection) {
            return redemption(
                by: .requestToken(
                    try RequestToken(checking: credential, by: key, requesting: endpoint, policy: policy, at: now)))
        } catch {
            throw .possession(.requestToken(error))
        }
    }

    /// Redeems the assertion for whoever signed the DPoP proof that came with it.
    public func redeemed(
        with proof: DPoPProof.Unverified, requesting endpoint: WebURL, policy: ProofPolicy = ProofPolicy(),
        verifying: VerificationKey? = nil, at now: Timestamp
    ) throws(Rejection) -> Redemption {
        do throws(Presentation.Rejection) {
            return redemption(
                by: try proof.verified(
                    by: key, for: .post, requesting: endpoint, with: nil, policy: policy, verifying: verifying, at: now)
            )
        } catch {
            throw .possession(error)
        }
    }

    private func redemption(by possession: Possession) -> Redemption {
        let assertion = SingleUse(.assertionGrant, of: id, owner: issuer.text, until: expiration)
        return Redemption(grant: self, possession: possession, singleUses: [assertion, possession.singleUse])
    }
}

extension AssertionGrant.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .token(let rejection): rejection.description
        case .key(let rejection): rejection.description
        case .possession(let rejection): rejection.description
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .token(let rejection): rejection.clause
        case .key(let rejection): rejection.clause
        case .possession(let rejection): rejection.clause
        }
    }

    /// What the peer is told (AST-6).
    public var refusal: OAuth2Error {
        switch self {
        case .token(let rejection): rejection.refusal(.invalidGrant, "the assertion")
        case .key(let rejection): OAuth2Error(.invalidGrant, "the assertion: \(rejection)")
        case .possession(let rejection): rejection.clientRefusal
        }
    }
}
