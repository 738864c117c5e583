public import JOSE
public import Wire

extension Possession {
    /// How an access token came with a request: by itself, in the shape of a request token, or with a DPoP proof.
    ///
    /// The one place where a proof of possession is demanded. First the receiver finds the token that is meant, by
    /// ``need``, in its records or by validating it; then it asks with that token's key, or with `nil`, whether the
    /// request may be taken for its holder's.
    public enum Presentation: Sendable {
        /// The token, and nothing with it.
        case plain(AccessToken)
        /// A request token, which stands for the token that is bound to its key.
        case requestToken(Statement.Unverified)
        /// The token, and the proof that goes with it.
        case proven(AccessToken, DPoPProof.Unverified)

        /// By what the receiver finds the access token that is meant.
        public enum Need: Equatable, Sendable {
            /// The token itself came.
            case token(AccessToken)
            /// The name that the issuer gave the key which the token is bound to, or `nil` if the request token names
            /// none.
            case key(KeyID?)
        }
    }
}

extension Possession.Presentation {
    /// Takes what came as `Authorization: Bearer`.
    ///
    /// Access tokens of this suite always name their type, so a JWT that names none, or that of request tokens, is a
    /// request token. Everything else is an access token, which may well be opaque (NIF-7).
    public init(bearer token: AccessToken) {
        guard let received = try? Statement.Unverified(parsing: token, as: .requestToken),
            received.type.map({ $0 == JWT.Kind.request.type || $0 == .jwt }) ?? true
        else {
            self = .plain(token)
            return
        }
        self = .requestToken(received)
    }

    /// Takes what came as `Authorization: DPoP` and in the `DPoP` header field.
    public init(_ token: AccessToken, proof: Assertion) throws(TokenRejection) {
        self = .proven(token, try DPoPProof.Unverified(parsing: proof))
    }

    /// Takes the token of a request's header, where there is one.
    public init?(_ credential: ClientCredential) throws(TokenRejection) {
        switch credential {
        case .bearer(let token): self.init(bearer: token)
        case .proven(let token, let proof): try self.init(token, proof: proof)
        case .none, .assertion, .password: return nil
        }
    }

    /// By what the access token that is meant is found.
    public var need: Need {
        switch self {
        case .plain(let token), .proven(let token, _): .token(token)
        case .requestToken(let token): .key(token.keyID)
        }
    }
}

// MARK: - Verifying

extension Possession.Presentation {
    /// What the peer is told when no access token is found that it could mean: of a request token the same as when its
    /// signature is wrong, and after as long (threat 39).
    public func refusedAsUnknown() -> OAuth2Error {
        switch self {
        case .plain, .proven:
            return OAuth2Error(.invalidToken, "the access token is unknown, expired or revoked")
        case .requestToken(let token):
            Decoy.verify(token)
            return .unverified(.invalidToken, .requestToken)
        }
    }

    /// Demands what the key that the token is bound to demands: a proof by exactly that key, and of nothing else
    /// (threat 36).
    ///
    /// - Parameter key: the key of the token that was found, or `nil` if that token is good for whoever bears it.
    /// - Returns: the proof, with what must not come twice in the batch, or `nil` if none is demanded.
    public func verified(
        by key: Statement.BoundKey?, for method: HTTP.Request.Method, requesting url: WebURL,
        policy: Possession.Policy = .init(), verifying: VerificationKey? = nil, at now: Timestamp
    ) throws(TokenRejection) -> Possession? {
        if case .plain = self {
            guard key == nil else { throw TokenRejection(.accessToken, .missingProof) }
            return nil
        }
        guard let key else { throw TokenRejection(.accessToken, .unboundToken) }
        switch self {
        case .plain: return nil
        case .requestToken(let token):
            return .requestToken(
                try RequestToken(checking: token, by: key, requesting: url, policy: policy, at: now))
        case .proven(let token, let proof):
            return try proof.verified(
                by: key, for: method, requesting: url, with: token, policy: policy, verifying: verifying, at: now)
        }
    }
}

extension Possession.Policy {
    /// The same demands, where a proof brings the key that is bound: it is checked with the work that was done for that
    /// beforehand.
    package func expecting(_ key: Statement.BoundKey, bringing brought: JWK) -> Possession.Policy {
        guard let bound = key.publicKey, let verifying = key.verifying, bound.material == brought.material else {
            return self
        }
        var policy = self
        policy.holders.remembered = { $0.material == bound.material ? verifying : nil }
        return policy
    }
}

extension DPoPProof.Unverified {
    /// The proof, when it is by the bound key; a key is the same when its digest is.
    func verified(
        by key: Statement.BoundKey, for method: HTTP.Request.Method, requesting url: WebURL, with token: AccessToken?,
        policy: Possession.Policy, verifying: VerificationKey?, at now: Timestamp
    ) throws(TokenRejection) -> Possession {
        guard policy.acceptsDPoP else { throw TokenRejection(.accessToken, .proofNotAccepted) }
        let checked = try DPoPProof(
            checking: self, for: method, requesting: url, with: token,
            policy: policy.expecting(key, bringing: self.key), verifying: verifying, at: now)
        guard checked.isBy(key) else { throw TokenRejection(.accessToken, .proofByAnotherKey) }
        return .proof(checked, by: key.holder)
    }
}
