internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

extension TokenID {
    /// A name of 128 random bits, which nobody guesses.
    init(using entropy: inout some RandomNumberGenerator) {
        // The letters of Base64url are allowed in every name.
        self = Self.named(Base64URL.encode(entropy.bytes(16)))
    }

    /// The record that an access token's name leads to: what stands before the last dot, behind which each token of the
    /// record has its own end.
    init?(of token: JWT.ID) {
        guard let dot = token.text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        guard let id = try? TokenID(parsing: token.text.utf8[..<dot]) else { return nil }
        self = id
    }

}

/// A secret text that leads to a record: the record's name, a dot, and 256 random bits, of which the record keeps the
/// hash.
///
/// Codes and plain access tokens are made so. The one dot tells them from what is signed, which has two.
struct OpaqueToken {
    let id: TokenID
    let text: String
    let hash: Fingerprint

    init(for id: TokenID, using entropy: inout some RandomNumberGenerator) {
        let secret = Base64URL.encode(entropy.bytes(32))
        self.id = id
        text = id.text + "." + secret
        hash = Fingerprint(of: secret.utf8)
    }

    /// Takes a text apart that somebody presents; one with more dots than one is something else.
    init?(presented text: String) {
        let bytes = Array(text.utf8)
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let secret = bytes[(dot + 1)...]
        guard !secret.contains(UInt8(ascii: ".")), let id = try? TokenID(parsing: bytes[..<dot]) else { return nil }
        self.id = id
        self.text = text
        hash = Fingerprint(of: secret)
    }

    /// Whether this is the secret that a record keeps the hash of.
    func opens(_ record: Record) -> Bool {
        guard let kept = record.attributes[Self.member]?.string, let bytes = try? Base64URL.decode(kept) else {
            return false
        }
        // Fingerprints are compared in constant time.
        return Fingerprint(bytes: bytes) == hash
    }

    /// The member of a record's attributes that keeps the hash.
    static let member: JSON.Name = "secret"

    /// What the record keeps.
    var kept: JSON { .string(Base64URL.encode(hash.bytes)) }
}

// MARK: - Giving tokens

extension Authority {
    /// What is told to the holder of a record: its access token, and how to present it.
    ///
    /// - Parameter secret: the text of a record that is good for whoever bears it; all others get a JWT.
    func response(
        for record: Record, about subject: Subject, scope: Scope, lifetime: Duration, isTold: Bool = true,
        secret: OpaqueToken? = nil,
        refreshToken: Record.Refresh.Token? = nil, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(Interruption) -> TokenResponse {
        var response: TokenResponse
        if let secret {
            guard let token = try? AccessToken(parsing: secret.text) else { throw .refused(.failed) }
            response = TokenResponse(token, .bearer)
        } else {
            let confirmation = confirmation(of: record)
            let name = record.id.text + "." + Base64URL.encode(entropy.bytes(6))
            guard let holder = record.holder, let client = try? ClientID(parsing: holder.text),
                let id = try? JWT.ID(parsing: name)
            else {
                throw .refused(.failed)
            }
            do throws(IssuanceRejection) {
                let token = try accessTokens.token(
                    id, about: subject, for: client, to: issuer, scope: scope, boundTo: confirmation?.inToken,
                    lifetime: lifetime, at: now)
                response = TokenResponse(token, confirmation == nil ? .bearer : .proofOfPossession)
            } catch {
                throw .refused(Refusal(OAuth2Error(.serverError, "the token cannot be written"), clause: error.clause))
            }
            response.confirmation = confirmation?.told
        }
        if isTold { response.lifetime = lifetime.components.seconds }
        response.scope = scope.isEmpty ? nil : scope
        if let refreshToken { response.refreshToken = try? RefreshToken(parsing: refreshToken.encoded()) }
        return response
    }
}

extension Refusal {
    /// Something that was made here breaks a rule: a fault of this service, and of nobody else.
    static let failed = Refusal(
        OAuth2Error(.serverError, "the service failed; its operator can find out why"), clause: "threat-32")
}
