public import JOSE
public import Wire

/// How an access token came with a request: by itself, in the shape of a request token, or with a DPoP proof.
///
/// The one place where a proof of possession is demanded. First the receiver finds the token that is meant, by
/// ``need``, in its records or by validating it; then it asks with that token's key, or with none, whether the request
/// may be taken for its holder's.
public enum Presentation: Sendable {
    /// The token, and nothing with it.
    case plain(AccessToken)
    /// A request token, which stands for the token that is bound to its key.
    case requestToken(UnverifiedToken)
    /// The token, and the proof that goes with it.
    case proven(AccessToken, DPoPProof.Unverified)

    /// By what the receiver finds the access token that is meant.
    public enum Need: Equatable, Sendable {
        /// The token itself came.
        case token(AccessToken)
        /// The name that the issuer gave the key which the token is bound to; nothing where the request token names
        /// none.
        case key(KeyID?)
    }

    /// Takes what came as `Authorization: Bearer`.
    ///
    /// Access tokens of this suite always name their type, so a JWT that names none, or that of request tokens, is a
    /// request token. Everything else is an access token, which may well be opaque (NIF-7).
    public init(bearer token: AccessToken) {
        guard let received = try? UnverifiedToken(parsing: token), received.isOfKindRequest else {
            self = .plain(token)
            return
        }
        self = .requestToken(received)
    }

    /// Takes what came as `Authorization: DPoP` and in the `DPoP` header field.
    public init(_ token: AccessToken, proof: Assertion) throws(DPoPProof.Rejection) {
        self = .proven(token, try DPoPProof.Unverified(parsing: proof))
    }

    /// Takes the token of a request's header, where there is one.
    public init?(_ credential: ClientCredential) throws(DPoPProof.Rejection) {
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

extension UnverifiedToken {
    fileprivate var isOfKindRequest: Bool {
        guard let type else { return true }
        return type == JWT.Kind.request.type || type == .jwt
    }
}

// MARK: - Verifying

extension Presentation {
    /// What the peer is told when no access token is found that it could mean: of a request token the same as when its
    /// signature is wrong, and after as long (threat 39).
    public func refusedAsUnknown() -> OAuth2Error {
        switch self {
        case .plain, .proven:
            return OAuth2Error(.invalidToken, "the access token is unknown, expired or revoked (RFC6750-3.1)")
        case .requestToken(let token):
            Decoy.verify(token)
            return .unverified(.invalidToken, RequestToken.Rejection.subject)
        }
    }

    /// Demands what the key that the token is bound to demands: a proof by exactly that key, and of nothing else
    /// (threat 36).
    ///
    /// - Parameter key: the key of the token that was found, or nothing where that token is good for whoever bears it.
    /// - Returns: the proof, with what must not come twice in the batch; nothing where none is demanded.
    public func verified(
        by key: BoundKey?, for method: HTTP.Request.Method, requesting url: WebURL, policy: ProofPolicy = ProofPolicy(),
        verifying: VerificationKey? = nil, at now: Timestamp
    ) throws(Rejection) -> Possession? {
        switch self {
        case .plain:
            guard key == nil else { throw .missingProof }
            return nil
        case .requestToken(let token):
            guard let key else { throw .unboundToken }
            do throws(RequestToken.Rejection) {
                return .requestToken(
                    try RequestToken(checking: token, by: key, requesting: url, policy: policy, at: now))
            } catch {
                throw .requestToken(error)
            }
        case .proven(let token, let proof):
            guard let key else { throw .unboundToken }
            return try proof.verified(
                by: key, for: method, requesting: url, with: token, policy: policy, verifying: verifying, at: now)
        }
    }

    /// Why a request is not taken for the holder's of the token.
    public enum Rejection: Error, Equatable, Sendable {
        /// The token is bound to a key, and no proof came with it.
        case missingProof
        /// A proof came with a token that is bound to no key, so that anybody could have made it.
        case unboundToken
        /// DPoP proofs are not taken here.
        case proofNotAccepted
        /// The proof is by another key than the one that the token is bound to.
        case proofByAnotherKey
        /// The request token proves nothing.
        case requestToken(RequestToken.Rejection)
        /// The DPoP proof proves nothing.
        case proof(DPoPProof.Rejection)
    }
}

extension DPoPProof.Unverified {
    /// The proof, when it is by the bound key; a key is the same when its digest is.
    func verified(
        by key: BoundKey, for method: HTTP.Request.Method, requesting url: WebURL, with token: AccessToken?,
        policy: ProofPolicy,
        verifying: VerificationKey?, at now: Timestamp
    ) throws(Presentation.Rejection) -> Possession {
        guard policy.acceptsDPoP else { throw .proofNotAccepted }
        let checked: DPoPProof
        do throws(DPoPProof.Rejection) {
            checked = try DPoPProof(
                checking: self, for: method, requesting: url, with: token, policy: policy, verifying: verifying, at: now
            )
        } catch {
            throw .proof(error)
        }
        guard let thumbprint = key.thumbprint, thumbprint == checked.thumbprint else { throw .proofByAnotherKey }
        return .proof(checked, by: key.holder)
    }
}

/// That somebody holds the key which a token is bound to, proved for one request.
public enum Possession: Sendable {
    /// By a request token.
    case requestToken(RequestToken)
    /// By a DPoP proof.
    case proof(DPoPProof, by: BoundKey.Holder)

    /// Who proved it.
    public var holder: BoundKey.Holder {
        switch self {
        case .requestToken(let token): token.holder
        case .proof(_, let holder): holder
        }
    }

    /// What must not come twice: the store refuses the batch when it did (threat 36).
    public var singleUse: SingleUse {
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

extension Presentation.Rejection: CustomStringConvertible {
    /// The rule that was broken.
    public var description: String {
        switch self {
        case .missingProof: "the access token is bound to a key, and the request does not prove possession of it"
        case .unboundToken: "a proof of possession came with an access token that is bound to no key"
        case .proofNotAccepted: "DPoP proofs are not taken here"
        case .proofByAnotherKey: "the proof is not by the key that the access token is bound to"
        case .requestToken(let rejection): rejection.description
        case .proof(let rejection): rejection.description
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .missingProof: "threat-36"
        case .unboundToken, .proofByAnotherKey: "RFC9449-7.1"
        case .proofNotAccepted: "RFC9449-5"
        case .requestToken(let rejection): rejection.clause
        case .proof(let rejection): rejection.clause
        }
    }

    /// What the peer is told.
    public var refusal: OAuth2Error {
        switch self {
        case .missingProof, .unboundToken, .proofNotAccepted, .proofByAnotherKey:
            OAuth2Error(.invalidToken, "\(self) (\(clause))")
        case .requestToken(let rejection): rejection.refusal
        case .proof(let rejection): rejection.refusal
        }
    }

    /// What the peer is told where the presentation authenticates it to an endpoint of its issuer.
    public var clientRefusal: OAuth2Error {
        switch self {
        case .missingProof, .unboundToken, .proofNotAccepted, .proofByAnotherKey:
            OAuth2Error(.invalidClient, "\(self) (\(clause))")
        case .requestToken(let rejection): rejection.clientRefusal
        case .proof(let rejection): rejection.refusal
        }
    }
}
