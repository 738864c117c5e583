internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// An instance as a service is told of it in an assertion: under its own name, with its own key, or under a name and
/// with a key that no other service knows (threat 77).
struct IntroducedInstance {
    let name: ClientID
    let key: JWK
    /// The name of the key at this service; `nil` for one that the target service alone is to know.
    let keyID: KeyID?
    /// What must not pass twice.
    var changes: [Change] = []

    /// Whether the instance has to be told the name.
    var isPairwise: Bool { keyID == nil }
}

extension EduIDService {
    /// What a service is told of the instance that asks to be introduced.
    func introduced(
        _ instance: Record, to service: ServiceIndex.Member, by request: AuthorizationRequest, _ call: Call,
        at now: Timestamp
    ) throws(Refusal) -> IntroducedInstance {
        guard let client = instance.client, let keyID = instance.keyID else { throw .failed }
        let name = pseudonyms.name(of: client, at: service)
        switch service.clients {
        case .common:
            guard let key = authority.publicKey(of: instance) else { throw .noKeyPair }
            return IntroducedInstance(name: name, key: key, keyID: keyID)
        case .pairwise:
            let (key, use) = try pairwiseKey(of: instance, by: request, call, at: now)
            return IntroducedInstance(name: name, key: key, keyID: nil, changes: [use])
        }
    }

    /// The key that the instance made for the target service alone, whose possession it proves.
    private func pairwiseKey(
        of instance: Record, by request: AuthorizationRequest, _ call: Call, at now: Timestamp
    ) throws(Refusal) -> (key: JWK, use: Change) {
        guard var key = request.key, let proof = request.keyProof else { throw .noPairwiseKey }
        let checked: DPoPProof
        do throws(TokenRejection) {
            let received = try DPoPProof.Unverified(parsing: proof, knowing: key)
            checked = try DPoPProof(
                checking: received, for: call.request.method, requesting: call.url, with: nil,
                policy: authority.knowing(policy.proof), at: now)
        } catch {
            throw .unprovedKey(error)
        }
        guard checked.isBy(key, under: policy.proof.holders) else { throw .keyOfAnotherProof }
        guard policy.proof.holders.binds(key) else { throw .unfixedKey }
        let own = try? authority.publicKey(of: instance)?.thumbprint()
        guard checked.thumbprint != own else { throw .ownKey }
        authority.remember(key, of: Owner(of: instance))
        // What else the instance says about the key may tell which one it is; a key of RSA has to name its algorithm.
        key.attributes = JWK.Attributes(algorithm: key.type == .rsa ? key.attributes.algorithm : nil)
        return (key, checked.singleUse.change)
    }
}

extension Refusal {
    fileprivate static let noKeyPair = Refusal(
        .unauthorizedClient, "the instance has no key pair that a service could demand proof of", "POP-1")
    fileprivate static let noPairwiseKey = Refusal(
        .invalidRequest,
        "make a key pair for this service alone; send its public key as 'req_cnf', and as 'req_proof' a DPoP proof by "
            + "it for this endpoint", "threat-77")
    fileprivate static let keyOfAnotherProof = Refusal(
        .invalidRequest, "'req_proof' is not signed by the key in 'req_cnf'", "threat-77")
    fileprivate static let unfixedKey = Refusal(
        .invalidRequest, "'req_cnf' does not say for which algorithm the key is; name it as 'alg'", "KEY-8")
    fileprivate static let ownKey = Refusal(
        .invalidRequest, "'req_cnf' is the instance's own key; make another one for this service alone", "threat-77")

    /// A proof that lacks only the nonce may be made again with it.
    fileprivate static func unprovedKey(_ reason: TokenRejection) -> Refusal {
        let told = reason.refusal
        if told.code == .useNonce { return Refusal(told, clause: reason.clause) }
        return Refusal(.invalidRequest, "'req_proof': " + (told.explanation?.text ?? told.code.text), reason.clause)
    }
}
