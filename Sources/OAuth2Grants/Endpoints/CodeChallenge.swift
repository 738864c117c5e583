internal import PureCrypto
internal import Wire

extension Secret.CodeVerifier {
    /// A fresh verifier of 256 bits.
    public init(using entropy: inout some RandomNumberGenerator) {
        self.init(checked: Base64URL.encode(entropy.bytes(32)))
    }

    /// The challenge that goes with it.
    public var challenge: ChallengeRequest.CodeChallenge { ChallengeRequest.CodeChallenge(of: self) }
}

extension ChallengeRequest {
    /// What a client shows of its secret when it asks for a code: the SHA-256 of the verifier, by the method S256 and
    /// no other (RFC 7636 §4.2).
    public struct CodeChallenge: Hashable, Sendable, CustomStringConvertible {
        /// The challenge as it is sent and stored.
        public let text: String

        /// The name of the method.
        public static let method = "S256"

        init(of verifier: Secret.CodeVerifier) {
            text = Base64URL.encode([UInt8](SHA256.hash(data: Array(verifier.secret.utf8))))
        }

        /// The challenge of this text, or `nil` if that is not 32 bytes in Base64url.
        public init?(_ text: String) {
            guard let bytes = try? Base64URL.decode(text), bytes.count == SHA256.byteCount else { return nil }
            self.text = text
        }

        /// Whether it is the challenge of a verifier.
        ///
        /// Without a verifier it is not: leaving it out is how the method is downgraded (RFC 9700 §2.1.1).
        public func isMet(by verifier: Secret.CodeVerifier?) -> Bool {
            guard let verifier else { return false }
            return constantTimeEquals(text.utf8, verifier.challenge.text.utf8)
        }

        /// The challenge as it is sent and stored.
        public var description: String { text }
    }
}

extension Parameters {
    /// The challenge, which must be there and be one of S256.
    func challenge() throws(ParameterRejection) -> ChallengeRequest.CodeChallenge {
        let text = try required("code_challenge", try text("code_challenge"))
        let method = try self.text("code_challenge_method")
        guard let method, method.utf8.elementsEqual(ChallengeRequest.CodeChallenge.method.utf8) else {
            throw .challengeMethod
        }
        guard let challenge = ChallengeRequest.CodeChallenge(text) else { throw .challenge }
        return challenge
    }

    /// The verifier, where there is one.
    func verifier() throws(ParameterRejection) -> Secret.CodeVerifier? {
        guard let text = try text("code_verifier") else { return nil }
        guard let verifier = try? Secret.CodeVerifier(parsing: text) else { throw .verifier }
        return verifier
    }
}
