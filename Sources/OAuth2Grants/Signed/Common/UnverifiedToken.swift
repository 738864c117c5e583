public import JOSE
public import Wire

/// A signed text as it was received: well-formed, and nothing more.
///
/// It says which key is needed, so that the caller can look that up among the keys it trusts. Only a check with that
/// key makes a statement of it.
public struct UnverifiedToken: Sendable {
    let signed: JWS.Unverified
    /// The name of the key that the token claims to be signed with.
    public let keyID: KeyID?

    /// Reads what was presented as a grant or to authenticate a client.
    public init(parsing assertion: Assertion) throws(TokenRejection) {
        try self.init(text: assertion.secret)
    }

    /// Reads what came as a bearer token.
    public init(parsing token: AccessToken) throws(TokenRejection) {
        try self.init(text: token.secret)
    }

    init(text: String, policy: JWS.Policy = JWS.Policy()) throws(TokenRejection) {
        signed = try wrapping(TokenRejection.token, try JWS.Unverified(parsing: text, policy: policy))
        keyID = signed.header.keyID
    }

    /// The kind that the token claims to be of.
    public var type: JWS.ContentType? { signed.header.type }

    /// The party that the token claims to be by: good for finding that party's keys, which then decide whether it was
    /// the truth.
    public var claimedIssuer: Issuer? { signed.claimedIssuer }

    /// The name that the token claims to have: good for looking up in advance what is known of it, which counts only
    /// once it was the truth.
    public var claimedID: JWTID? { signed.claimedID.flatMap { try? JWTID(parsing: $0) } }
}

extension UnverifiedToken {
    /// The token as one of a kind, when one of these keys signed it and it holds now.
    func validated(
        by keys: [VerificationKey], accepting algorithms: [Algorithm], as kind: JWT.Kind,
        _ expectation: JWT.Expectation, at now: Timestamp
    ) throws(TokenRejection) -> JWT.Validated {
        let verified = try wrapping(TokenRejection.token, try signed.verified(by: keys, accepting: algorithms))
        return try verified.believed(as: kind, expectation, at: now)
    }

    /// The token as one of a kind, when this key signed it and it holds now; the key decides about the algorithm.
    func validated(
        by key: VerificationKey, as kind: JWT.Kind, _ expectation: JWT.Expectation, at now: Timestamp
    ) throws(TokenRejection) -> JWT.Validated {
        let verified = try wrapping(TokenRejection.token, try signed.verified(by: key))
        return try verified.believed(as: kind, expectation, at: now)
    }
}

extension JWS.Verified {
    func believed(as kind: JWT.Kind, _ expectation: JWT.Expectation, at now: Timestamp) throws(TokenRejection)
        -> JWT.Validated
    {
        var expectation = expectation
        expectation.kind = kind
        return try wrapping(TokenRejection.token, try validated(expecting: expectation, at: now))
    }
}

extension AccessToken {
    /// Whether the token looks like a JWT: three parts, of which the first is a header with an algorithm.
    ///
    /// Tokens are opaque to everybody but their issuer, and nothing may depend on the answer but how a token is shown
    /// or sorted (NIF-7).
    public var resemblesJWT: Bool {
        let parts = secret.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty,
            let header = try? Base64URL.decode(Array(parts[0]))
        else {
            return false
        }
        guard let members = try? JSON.Document(parsing: header).root.object() else { return false }
        return members.contains("alg")
    }
}
