internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import Wire

/// A token that an instance holds, bound to a key of the instance: what it takes to make requests with it.
struct HeldToken: Sendable {
    /// Who may use it.
    let identity: ClientIdentity
    let response: TokenResponse
    /// When the access token expires, where that is known.
    let expiration: Timestamp?
    /// The name that the issuer gave the key.
    let keyID: KeyID
    private let requests: RequestToken.Issuance

    /// Takes a token that was given for this identity's key; any other is of no use to it.
    init(_ response: TokenResponse, of identity: ClientIdentity, until expiration: Timestamp?) throws(Rejection) {
        guard let keyID = response.confirmation?.keyID else { throw .unboundToken }
        if case .held(let confirmation)? = response.confirmation, let key = confirmation.key,
            key.material != identity.publicKey.material
        {
            throw .foreignKey
        }
        self.identity = identity
        self.response = response
        self.keyID = keyID
        self.expiration = expiration
        let key = try wrapping(Rejection.key, try identity.key.signing(as: keyID))
        requests = try wrapping(
            Rejection.issuance, try RequestToken.Issuance(with: key, of: .client(identity.client)))
    }

    /// Takes a token that was given now, in the place of an earlier one: a renewal need not repeat what has not changed
    /// (RFC 6749 §6).
    init(
        _ response: TokenResponse, renewing earlier: HeldToken? = nil, of identity: ClientIdentity, at now: Timestamp
    ) throws(Rejection) {
        var response = response
        response.refreshToken = response.refreshToken ?? earlier?.response.refreshToken
        response.scope = response.scope ?? earlier?.response.scope
        response.confirmation = response.confirmation ?? earlier?.response.confirmation
        try self.init(response, of: identity, until: response.lifetime.map { now + .seconds($0) })
    }

    /// A request token for one request to a URL.
    func proof(
        for url: WebURL, adding claims: JSON.Object = JSON.Object(), at now: Timestamp, knowing signatures: Signatures,
        using entropy: inout some RandomNumberGenerator
    ) throws(Rejection) -> AccessToken {
        try wrapping(
            Rejection.issuance,
            try requests.token(for: url, adding: claims, at: now, knowing: signatures, using: &entropy))
    }

    func isExpired(at now: Timestamp) -> Bool { expiration.map { now >= $0 } ?? false }
}

// MARK: - In the store

extension HeldToken {
    /// What a store keeps of it: what can be read again, and is refused where it cannot (threat 56).
    ///
    /// Members that nobody here interprets stay behind where there are too many of them.
    func kept(by installation: AuthorizingApp.Installation) throws(Rejection) -> AuthorizingApp.Store.Token {
        if let kept = try? text(response, by: installation), HeldToken(kept, of: installation) != nil { return kept }
        var plain = response
        plain.others = JSON.Object()
        let kept = try text(plain, by: installation)
        guard HeldToken(kept, of: installation) != nil else { throw .unreadableToken }
        return kept
    }

    private func text(
        _ response: TokenResponse, by installation: AuthorizingApp.Installation
    ) throws(Rejection) -> AuthorizingApp.Store.Token {
        let text = JSON.encodedObject { object in
            object.member("answer", response)
            object.member("expires", ifPresent: expiration?.seconds)
            identity.write(beside: &object, unlessOf: installation)
        }
        return try AuthorizingApp.Store.kept(text)
    }

    /// A token that a store kept; `nil` if it is not one of this installation's.
    init?(_ kept: AuthorizingApp.Store.Token, of installation: AuthorizingApp.Installation) {
        let limits = JSON.Limits(size: 64 << 10, depth: 16)
        guard let members = try? JSON.Document(parsing: kept.secret, limits: limits).root.object(),
            let answer = try? members["answer"].object(),
            let identity = ClientIdentity(keptBeside: members, or: installation),
            let response = try? TokenResponse(parsing: answer.value.raw, knowing: identity.publicKey)
        else { return nil }
        let expiration = members.optional("expires").flatMap { try? $0.integer(as: Int64.self) }
        guard let token = try? HeldToken(response, of: identity, until: expiration.map { Timestamp(seconds: $0) })
        else { return nil }
        self = token
    }
}
