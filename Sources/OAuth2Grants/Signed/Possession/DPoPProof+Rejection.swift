public import JOSE
public import Wire

extension DPoPProof {
    /// Why a proof proves nothing (RFC 9449 §4.3).
    public enum Rejection: Error, Equatable, Sendable {
        /// It breaks a rule that all tokens share.
        case token(TokenRejection)
        /// It brings no key.
        case missingKey
        /// It says where to find a key, instead of bringing it.
        case foreignKeySource(JSON.Name)
        /// The key is none, is a secret, or is of a type that is not computed with here.
        case key(JWK.Rejection)
        /// An algorithm by which whoever can check can also sign.
        case symmetricAlgorithm(Algorithm)
        /// It is for another method.
        case method(expected: HTTP.Request.Method, found: String)
        /// It is for another URL.
        case url(expected: WebURL, found: String)
        /// It does not say with which access token it goes.
        case missingDigest
        /// It goes with another access token.
        case digestOfAnotherToken
        /// It lacks the server's nonce.
        case missingNonce
        /// Its nonce is not the one that the server gave out last.
        case otherNonce
    }
}

extension DPoPProof.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .token(let rejection): rejection.description
        case .missingKey: "the header has no 'jwk'"
        case .foreignKeySource(let name): "the header points to a key elsewhere ('\(name)')"
        case .key(let rejection): rejection.text
        case .symmetricAlgorithm(let algorithm): "the algorithm '\(algorithm)' is symmetric"
        case .method(let expected, let found): "'htm' is '\(found)', expected '\(expected)'"
        case .url(let expected, let found): "'htu' is '\(found)', expected '\(expected)'"
        case .missingDigest: "'ath' is missing"
        case .digestOfAnotherToken: "'ath' is not the digest of the access token"
        case .missingNonce: "'nonce' is missing"
        case .otherNonce: "'nonce' is not the one that was given out"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .token(let rejection): rejection.clause
        case .missingKey, .symmetricAlgorithm: "RFC9449-4.2"
        case .foreignKeySource: "threat-9"
        case .key(let rejection): rejection.clause
        case .method, .url, .missingDigest, .digestOfAnotherToken: "RFC9449-4.3"
        case .missingNonce, .otherNonce: "RFC9449-8"
        }
    }

    /// What the peer is told; one that only lacks the nonce is told so, and can try again with it.
    public var refusal: OAuth2Error {
        switch self {
        case .missingNonce, .otherNonce: OAuth2Error(.useNonce, "\(Self.subject): \(self) (\(clause))")
        case .token(let rejection): rejection.refusal(.invalidProof, Self.subject)
        case .missingKey, .foreignKeySource, .key, .symmetricAlgorithm, .method, .url, .missingDigest,
            .digestOfAnotherToken:
            OAuth2Error(.invalidProof, "\(Self.subject): \(self) (\(clause))")
        }
    }

    private static let subject = "the proof of possession"
}
