internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import Wire

/// A token that an instance holds, bound to the instance's key: what it takes to make requests with it.
struct HeldToken: Sendable {
    let response: TokenResponse
    /// When the access token expires, where that is known.
    let expiration: Timestamp?
    /// The name that the issuer gave the key.
    let keyID: KeyID
    private let requests: RequestToken.Issuance

    /// Takes a token that was given for this copy's key; any other is of no use to it.
    init(_ response: TokenResponse, of installation: Installation, at now: Timestamp) throws(ClientRejection) {
        try self.init(response, of: installation, until: response.lifetime.map { now + .seconds($0) })
    }

    /// The token with the time that was counted from when it came.
    init(_ response: TokenResponse, of installation: Installation, until expiration: Timestamp?) throws(ClientRejection)
    {
        guard let keyID = response.confirmation?.keyID else { throw .unboundToken }
        if case .held(let confirmation)? = response.confirmation, let key = confirmation.key,
            (try? key.thumbprint()) != (try? installation.publicKey.thumbprint())
        {
            throw .foreignKey
        }
        self.response = response
        self.keyID = keyID
        self.expiration = expiration
        do throws(IssuanceRejection) {
            requests = try RequestToken.Issuance(
                with: SigningKey(installation.key, id: keyID), of: .client(installation.instance))
        } catch {
            throw .issuance(error)
        }
    }

    /// The token as it was after a renewal, whose answer need not repeat what has not changed (RFC 6749 §6).
    func renewed(by response: TokenResponse, of installation: Installation, at now: Timestamp) throws(ClientRejection)
        -> HeldToken
    {
        var response = response
        response.refreshToken = response.refreshToken ?? self.response.refreshToken
        response.scope = response.scope ?? self.response.scope
        response.confirmation = response.confirmation ?? self.response.confirmation
        return try HeldToken(response, of: installation, at: now)
    }

    /// A request token for one request to a URL.
    func proof(
        for url: WebURL, adding claims: JSON.Object = JSON.Object(), at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> ClientCredential {
        do throws(IssuanceRejection) {
            return .bearer(try requests.token(for: url, adding: claims, at: now, using: &entropy))
        } catch {
            throw .issuance(error)
        }
    }

    func isExpired(at now: Timestamp) -> Bool { expiration.map { now >= $0 } ?? false }
}

// MARK: - Keeping

extension HeldToken {
    /// What a store keeps of it.
    func kept() throws(RowRejection) -> TokenText {
        let text = JSON.encodedObject { object in
            object.member("answer", response)
            object.member("expires", ifPresent: expiration?.seconds)
        }
        // What is made here has the characters that a store takes, and may only be too much of them.
        guard let kept = try? TokenText(parsing: text) else {
            throw .fieldTooLong(length: text.count, limit: StoredToken.TextKind.lengths.upperBound)
        }
        return kept
    }

    /// A token that a store kept; nothing where that is not one of this copy's.
    init?(_ kept: TokenText, of installation: Installation) {
        guard let members = try? JSON(parsing: kept.secret, limits: JSON.Limits(size: 64 << 10, depth: 16)).object,
            let answer = members["answer"]?.object, let response = try? TokenResponse(parsing: answer.encoded())
        else { return nil }
        let expiration = members["expires"]?.number?.integer(as: Int64.self).map { Timestamp(seconds: $0) }
        guard let token = try? HeldToken(response, of: installation, until: expiration) else { return nil }
        self = token
    }
}
