public import JOSE
internal import PureCrypto
public import Wire

/// A proof of possession by RFC 9449, which brings the public key along: accepted as the equal of a request token.
///
/// That one exists means that the key in it signed it, for this method and this URL, now. Whose key that is, only the
/// token says that is bound to it.
public struct DPoPProof: Sendable {
    /// The key that signed.
    public let key: JWK
    /// The key's digest, by which tokens are bound to it.
    public let thumbprint: JWK.Thumbprint
    /// When the proof was made.
    public let issuedAt: Timestamp
    /// What must not come twice.
    public let singleUse: SingleUse
    private let token: JWT.Validated

    static let interpreted: [JSON.Name] = ["jti", "htm", "htu", "iat", "ath", "nonce", "exp", "nbf"]

    /// A claim of the caller's by its name.
    public subscript(name: JSON.Name) -> JSON.Document.Value? {
        Self.interpreted.contains(name) ? nil : token.claims.optional(name)
    }

    /// All claims of the caller's.
    public var claims: JSON.Object { token.claims(beside: Self.interpreted) }
}

// MARK: - What was received

extension DPoPProof {
    /// A proof as it was received: well-formed, with a public key in it.
    public struct Unverified: Sendable {
        /// The key that the proof brings along.
        public let key: JWK
        fileprivate let token: UnverifiedToken

        /// Reads the value of the `DPoP` header field.
        public init(parsing proof: Assertion) throws(Rejection) {
            var policy = JWS.Policy()
            policy.toleratesEmbeddedKeys = true
            do throws(TokenRejection) {
                token = try UnverifiedToken(text: proof.secret, policy: policy)
            } catch {
                throw .token(error)
            }
            for source: JSON.Name in ["jku", "x5u", "x5c"] where token.signed.header[source] != nil {
                throw .foreignKeySource(source)
            }
            // A secret in the header would be given away; reading public keys refuses it.
            let key: JWK?
            do throws(JWK.Rejection) { key = try token.signed.embeddedKey() } catch { throw .key(error) }
            guard let key else { throw .missingKey }
            self.key = key
            let algorithm = token.signed.header.algorithm
            guard ![.hs256, .hs384, .hs512].contains(algorithm) else { throw .symmetricAlgorithm(algorithm) }
        }
    }
}

// MARK: - Checking

extension DPoPProof {
    /// Believes a proof when the key in it signed it for this method and URL, in the window of the policy (RFC 9449
    /// §4.3).
    ///
    /// - Parameter accessToken: the token that comes with the proof; at a token endpoint there is none yet.
    /// - Parameter verifying: the embedder's way to check signatures by the proof's key, where that is of a type which
    ///   is not computed with here; it must have been made of ``Unverified/key``.
    public init(
        checking received: Unverified, for method: HTTP.Request.Method, requesting url: WebURL,
        with accessToken: AccessToken?,
        policy: ProofPolicy = ProofPolicy(), verifying: VerificationKey? = nil, at now: Timestamp
    ) throws(Rejection) {
        let verifyingKey = try Self.verifyingKey(received.key, verifying)
        let checked: JWT.Validated
        do throws(TokenRejection) {
            checked = try received.token.validated(by: verifyingKey, as: .proof, policy.expectation, at: now)
            issuedAt = try checked.beginning()
        } catch {
            throw .token(error)
        }
        try checked.checkMethod(method)
        try checked.checkURL(url.withoutQuery)
        if let accessToken { try checked.checkDigest(of: accessToken) }
        if let nonce = policy.nonce { try checked.checkNonce(nonce) }
        do throws(JWK.Rejection) { thumbprint = try received.key.thumbprint() } catch { throw .key(error) }
        let id: JWTID
        do throws(TokenRejection) { id = try checked.identifier("jti") } catch { throw .token(error) }
        key = received.key
        singleUse = SingleUse(.proof, of: id, owner: thumbprint.text, until: policy.end(ofProofMadeAt: issuedAt))
        token = checked
    }

    private static func verifyingKey(_ key: JWK, _ foreign: VerificationKey?) throws(Rejection) -> VerificationKey {
        do throws(JWK.Rejection) {
            // The name in the header is the sender's business: the key is the one beside it.
            var key = key
            key.attributes.id = nil
            return try VerificationKey(key)
        } catch {
            guard case .unsupportedType = error, let foreign else { throw .key(error) }
            return foreign
        }
    }
}

extension JWT.Validated {
    private func proofText(_ claim: JSON.Name) throws(DPoPProof.Rejection) -> String {
        guard let value = claims.optional(claim) else { throw .token(.token(.missing(claim))) }
        guard value.kind == .string, let text = try? value.string() else {
            throw .token(.token(.wrongType(claim, expected: .string, found: value.kind)))
        }
        return text
    }

    fileprivate func checkMethod(_ method: HTTP.Request.Method) throws(DPoPProof.Rejection) {
        let found = try proofText("htm")
        guard found.utf8.elementsEqual(method.text.utf8) else { throw .method(expected: method, found: found) }
    }

    /// RFC 9449 §4.3: the query and fragment of either do not matter; the sender should have left them out.
    fileprivate func checkURL(_ url: WebURL) throws(DPoPProof.Rejection) {
        let found = try proofText("htu")
        if found.utf8.elementsEqual(url.text.utf8) { return }
        guard let named = try? WebURL(parsing: found), named.withoutQuery == url else {
            throw .url(expected: url, found: found)
        }
    }

    fileprivate func checkDigest(of token: AccessToken) throws(DPoPProof.Rejection) {
        guard claims.contains("ath") else { throw .missingDigest }
        guard constantTimeEquals(try proofText("ath").utf8, token.digest.utf8) else { throw .digestOfAnotherToken }
    }

    fileprivate func checkNonce(_ nonce: String) throws(DPoPProof.Rejection) {
        guard claims.contains("nonce") else { throw .missingNonce }
        guard constantTimeEquals(try proofText("nonce").utf8, nonce.utf8) else { throw .otherNonce }
    }
}

extension AccessToken {
    /// The SHA-256 of the token as proofs carry it (`ath`, RFC 9449 §4.2).
    var digest: String { Base64URL.encode([UInt8](SHA256.hash(data: Array(secret.utf8)))) }
}
