public import JOSE
public import PureCrypto
public import Wire

extension DPoPProof {
    /// A key with the header of its proofs, written once for all of them.
    public struct Issuance: Sendable {
        /// The public key that goes into every proof.
        public let publicKey: JWK
        private let issuance: JWT.Issuance

        /// Prepares an Ed25519 key pair.
        public init(with pair: Curve25519.Signing.PrivateKey) throws(IssuanceRejection) {
            try self.init(with: SigningKey(pair), publicKey: JWK(pair.publicKey))
        }

        /// Prepares a key of the embedder's, with the public key that belongs to it.
        public init(with key: SigningKey, publicKey: JWK) throws(IssuanceRejection) {
            var header = JWS.SigningHeader()
            header.others["jwk"] = (try? JSON.Document(of: publicKey))?.tree()
            self.publicKey = publicKey
            issuance = try JWT.Issuance(signing: key, as: .proof, header)
        }

        /// A proof for one request by a method to a URL, whose query is left out of it.
        ///
        /// Claims of the caller's that would replace those of the proof are refused, not dropped (threat 50).
        ///
        /// - Parameter accessToken: the token that goes with the proof, where there is one already.
        /// - Parameter nonce: what the server demanded last, if it did.
        public func proof(
            for method: HTTP.Request.Method, to url: WebURL, with accessToken: AccessToken? = nil, nonce: String? = nil,
            adding claims: JSON.Object = JSON.Object(), at now: Timestamp,
            using entropy: inout some RandomNumberGenerator
        ) throws(IssuanceRejection) -> Assertion {
            try claims.refuse(DPoPProof.interpreted)
            let id = JWTID.text(using: &entropy)
            let digest = accessToken?.digest
            return try issuance.issued { token in
                token.member("jti", id)
                token.member("htm", method.text)
                token.member("htu", url.withoutQuery.text)
                token.member("iat", now.seconds)
                token.member("ath", ifPresent: digest)
                token.member("nonce", ifPresent: nonce)
                for claim in claims { token.member(claim.name, claim.value) }
            }
        }
    }
}
