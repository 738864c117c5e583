public import JOSE
public import Wire

/// That somebody holds the key which a token is bound to, proved for one request.
public enum Possession: Sendable {
    /// By a request token.
    case requestToken(RequestToken)
    /// By a DPoP proof.
    case proof(DPoPProof, by: Statement.BoundKey.Holder)

    /// Who proved it.
    public var holder: Statement.BoundKey.Holder {
        switch self {
        case .requestToken(let token): token.holder
        case .proof(_, let holder): holder
        }
    }

    /// What must not come twice: the store refuses the batch when it did (threat 36).
    public var singleUse: Statement.SingleUse {
        switch self {
        case .requestToken(let token): token.singleUse
        case .proof(let proof, _): proof.singleUse
        }
    }

    /// What the caller added to the proof.
    public var claims: JSON.Object {
        switch self {
        case .requestToken(let token): token.claims
        case .proof(let proof, _): proof.claims
        }
    }
}

extension Possession {
    /// What a receiver demands of proofs of possession, be they request tokens or DPoP proofs.
    public struct Policy: Sendable {
        /// How long before or after now a proof may have been made, the last instant included.
        ///
        /// Each proof's name has to be remembered for longer than this after it was made.
        public var window: Duration = .seconds(60)
        /// Whether a request token may leave its type out, or name just `JWT`, as deployed apps do.
        public var acceptsUntyped = true
        /// Whether DPoP proofs are taken beside request tokens.
        public var acceptsDPoP = true
        /// Which keys of holders are bound, and what proofs by them may be signed with.
        public var holders = Statement.HolderKeys()
        /// The nonce that DPoP proofs must bear, where the server has given one out (RFC 9449 §8).
        public var nonce: String?

        /// The standard policy.
        public init() {}

        /// When a proof is refused for its age for certain, so that its name can be forgotten: a second, the unit of
        /// times, after its last instant.
        func end(ofProofMadeAt time: Timestamp) -> Timestamp { time + window + .seconds(1) }

        /// What is expected of a proof: it may say that it expires, but it is its age that counts.
        var expectation: JWT.Expectation {
            var expectation = JWT.Expectation(
                issuer: .unchecked, audience: .unchecked, maximumAge: window, leeway: window)
            expectation.requiresExpiration = false
            return expectation
        }
    }
}

// MARK: - Redeeming

extension Statement.AssertionGrant {
    /// An assertion that was presented by the holder of the key in it.
    public struct Redemption: Sendable {
        /// The assertion.
        public let grant: Statement.AssertionGrant
        /// The proof by the instance.
        public let possession: Possession
        /// What must not come twice: the assertion (AST-3) and the proof.
        public let singleUses: [Statement.SingleUse]

        fileprivate init(of grant: Statement.AssertionGrant, by possession: Possession) {
            self.grant = grant
            self.possession = possession
            let assertion = Statement.SingleUse(
                .assertionGrant, of: grant.id, owner: grant.issuer.text, until: grant.expiration, made: grant.issuedAt)
            singleUses = [assertion, possession.singleUse]
        }
    }

    /// Redeems the assertion for whoever signed the request token that came with it.
    public func redeemed(
        with credential: Statement.Unverified, requesting endpoint: WebURL, policy: Possession.Policy = .init(),
        at now: Timestamp
    ) throws(TokenRejection) -> Redemption {
        let token = try RequestToken(checking: credential, by: key, requesting: endpoint, policy: policy, at: now)
        return Redemption(of: self, by: .requestToken(token))
    }

    /// Redeems the assertion for whoever signed the DPoP proof that came with it.
    public func redeemed(
        with proof: DPoPProof.Unverified, requesting endpoint: WebURL, policy: Possession.Policy = .init(),
        verifying: VerificationKey? = nil, at now: Timestamp
    ) throws(TokenRejection) -> Redemption {
        let possession = try proof.verified(
            by: key, for: .post, requesting: endpoint, with: nil, policy: policy, verifying: verifying, at: now)
        return Redemption(of: self, by: possession)
    }
}
