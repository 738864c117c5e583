public import JOSE
public import PureCrypto
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
    /// The algorithm of the signature.
    let algorithm: Algorithm
    /// When the proof was made.
    public let issuedAt: Timestamp
    /// What must not come twice.
    public let singleUse: Statement.SingleUse
    private let checked: Statement.Checked

    /// A claim of the caller's by its name.
    public subscript(name: JSON.Name) -> JSON.Document.Value? { checked[name] }

    /// All claims of the caller's.
    public var claims: JSON.Object { checked.others }
}

// MARK: - What was received

extension DPoPProof {
    /// A proof as it was received: well-formed, with a public key in it.
    public struct Unverified: Sendable {
        /// The key that the proof brings along.
        public let key: JWK
        fileprivate let received: Statement.Unverified

        /// Reads the value of the `DPoP` header field.
        public init(parsing proof: Assertion) throws(TokenRejection) { try self.init(parsing: proof, knowing: nil) }

        /// The same, where the request names a key that is most likely the proof's.
        package init(parsing proof: Assertion, knowing likely: JWK?) throws(TokenRejection) {
            let kind = Statement.Kind.proof
            var policy = JWS.Policy()
            policy.toleratesEmbeddedKeys = true
            let received = try Statement.Unverified(proof.secret, as: kind, policy: policy)
            for source: JSON.Name in ["jku", "x5u", "x5c"] where received.signed.header[source] != nil {
                throw kind.rejection(.foreignKeySource(source))
            }
            // A secret in the header would be given away; reading public keys refuses it.
            let key = try wrapping(
                { (error) in kind.rejection(.embeddedKey(error)) }, try received.signed.embeddedKey(knowing: likely))
            guard let key else { throw kind.rejection(.missingKey) }
            self.key = key
            self.received = received
            let algorithm = received.signed.header.algorithm
            guard !Algorithm.symmetric.contains(algorithm) else {
                throw kind.rejection(.symmetricAlgorithm(algorithm))
            }
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
        checking unverified: Unverified, for method: HTTP.Request.Method, requesting url: WebURL,
        with accessToken: AccessToken?, policy: Possession.Policy = .init(), verifying: VerificationKey? = nil,
        at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.proof
        let verifyingKey = try wrapping(
            { (error) in kind.rejection(.embeddedKey(error)) },
            try Self.verifyingKey(unverified.key, verifying, policy))
        let checked = try unverified.received.checked(
            as: kind, by: .only(verifyingKey, accepting: policy.holders.algorithms), acceptsUntyped: false,
            policy.expectation,
            at: now)
        issuedAt = try checked.beginning()
        try checked.checkMethod(method)
        try checked.checkURL(url.withoutQuery)
        if let accessToken { try checked.checkDigest(of: accessToken) }
        if let nonce = policy.nonce { try checked.checkNonce(nonce) }
        thumbprint = try wrapping(
            { (error) in kind.rejection(.embeddedKey(error)) }, try unverified.key.thumbprint())
        key = unverified.key
        algorithm = unverified.received.signed.header.algorithm
        singleUse = try checked.singleUse(of: thumbprint.text, until: policy.end(ofProofMadeAt: issuedAt))
        self.checked = checked
    }

    private static func verifyingKey(
        _ key: JWK, _ foreign: VerificationKey?, _ policy: Possession.Policy
    ) throws(JWK.Rejection) -> VerificationKey {
        // The name in the header is the sender's business: the key is the one beside it.
        var key = key
        key.attributes.id = nil
        do throws(JWK.Rejection) {
            return try policy.holders.verificationKey(for: key)
        } catch {
            guard case .unsupportedType = error, let foreign else { throw error }
            return foreign
        }
    }
}

extension Statement.Checked {
    fileprivate func checkMethod(_ method: HTTP.Request.Method) throws(TokenRejection) {
        let found = try text("htm")
        guard found.spells(method.text) else {
            throw kind.rejection(.method(expected: method, found: found))
        }
    }

    /// RFC 9449 §4.3: the query and fragment of either do not matter; the sender should have left them out.
    fileprivate func checkURL(_ url: WebURL) throws(TokenRejection) {
        let found = try text("htu")
        if found.spells(url.text) { return }
        guard let named = try? WebURL(parsing: found), named.withoutQuery == url else {
            throw kind.rejection(.url(expected: url, found: found))
        }
    }

    fileprivate func checkDigest(of accessToken: AccessToken) throws(TokenRejection) {
        guard claims.contains("ath") else { throw kind.rejection(.missingDigest) }
        guard constantTimeEquals(try text("ath").utf8, accessToken.digest.utf8) else {
            throw kind.rejection(.digestOfAnotherToken)
        }
    }

    fileprivate func checkNonce(_ nonce: String) throws(TokenRejection) {
        guard claims.contains("nonce") else { throw kind.rejection(.missingNonce) }
        guard constantTimeEquals(try text("nonce").utf8, nonce.utf8) else { throw kind.rejection(.otherNonce) }
    }
}

extension AccessToken {
    /// The SHA-256 of the token as proofs carry it (`ath`, RFC 9449 §4.2).
    fileprivate var digest: String { Base64URL.encode([UInt8](SHA256.hash(data: Array(secret.utf8)))) }
}

// MARK: - Making

extension DPoPProof {
    /// A key with the header of its proofs, written once for all of them.
    public struct Issuance: Sendable {
        /// The public key that goes into every proof.
        public let publicKey: JWK
        private let statements: Statement.Issuance

        /// Prepares an Ed25519 key pair.
        public init(with pair: Curve25519.Signing.PrivateKey) throws(IssuanceRejection) {
            try self.init(with: SigningKey(pair), publicKey: JWK(pair.publicKey))
        }

        /// Prepares a key of the embedder's, with the public key that belongs to it.
        public init(with key: SigningKey, publicKey: JWK) throws(IssuanceRejection) {
            self.publicKey = publicKey
            statements = try Statement.Issuance(.proof, with: key, bringing: publicKey)
        }

        /// A proof for one request by a method to a URL, whose query is left out of it.
        ///
        /// Claims of the caller's that would replace those of the proof are refused, not dropped (threat 50).
        ///
        /// - Parameter accessToken: the token that goes with the proof, where there is one already.
        /// - Parameter nonce: what the server demanded last, if it did.
        public func proof(
            for method: HTTP.Request.Method, to url: WebURL, with accessToken: AccessToken? = nil, nonce: String? = nil,
            adding claims: JSON.Object = JSON.Object(), at now: Timestamp, knowing signatures: Signatures = .none,
            using entropy: inout some RandomNumberGenerator
        ) throws(IssuanceRejection) -> Assertion {
            let id = JWT.ID.text(using: &entropy)
            let digest = accessToken?.digest
            return try statements.issued(adding: claims, knowing: signatures) { token in
                token.member("jti", id)
                token.member("htm", method.text)
                token.member("htu", url.withoutQuery.text)
                token.member("iat", now.seconds)
                token.member("ath", ifPresent: digest)
                token.member("nonce", ifPresent: nonce)
            }
        }
    }
}

extension DPoPProof {
    /// Whether the proof is by this key, under an algorithm that the key allows.
    ///
    /// A proof brings its key without what else the holder once said about it.
    package func isBy(_ key: JWK, under holders: Statement.HolderKeys) -> Bool {
        guard let thumbprint = try? key.thumbprint(), thumbprint == self.thumbprint else { return false }
        return (try? holders.verificationKey(for: key))?.algorithms.contains(algorithm) ?? false
    }

    /// Whether the proof is by the key that a token is bound to, under an algorithm that this key allows.
    package func isBy(_ key: Statement.BoundKey) -> Bool {
        guard let thumbprint = key.thumbprint, thumbprint == self.thumbprint else { return false }
        return key.verifying?.algorithms.contains(algorithm) ?? true
    }
}
