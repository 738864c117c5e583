public import JOSE
public import Wire

/// Why a signed text is not believed: the rules that all kinds of tokens share.
///
/// The kinds add theirs. What was found is the token's own text; no case carries a key or anything that only the reader
/// knows.
public enum TokenRejection: Error, Equatable, Sendable {
    /// It is not well-formed, no key vouches for it, or it is not of the kind or does not hold now.
    case token(JWT.Rejection)
    /// It does not say with which key it is signed.
    case missingKeyID
    /// It is by another party.
    case issuer(expected: String, found: String)
    /// It is about another party.
    case subject(expected: String, found: String)
    /// It names several audiences, or none.
    case severalAudiences(Int)
    /// It is for somebody else.
    case audience(expected: String, found: String)
    /// It holds longer than is allowed.
    case lifetime(Duration, limit: Duration)
    /// What it says about the presenter's key cannot be read.
    case confirmation(JWT.Rejection)
    /// It does not carry the presenter's key itself (`cnf.jwk`).
    case confirmationWithoutKey
    /// A claim of another kind of token, whose type is left out.
    case otherKind(JSON.Name)
}

extension TokenRejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .token(let rejection): rejection.text
        case .missingKeyID: "'kid' is missing"
        case .issuer(let expected, let found): "'iss' is '\(found)', expected '\(expected)'"
        case .subject(let expected, let found): "'sub' is '\(found)', expected '\(expected)'"
        case .severalAudiences(let count): "'aud' names \(count) audiences, exactly one is allowed"
        case .audience(let expected, let found): "'aud' is '\(found)', expected '\(expected)'"
        case .lifetime(let found, let limit):
            "the token holds for \(found.components.seconds) s, at most \(limit.components.seconds) s are allowed"
        case .confirmation(let rejection): rejection.text
        case .confirmationWithoutKey: "'cnf' must carry the public key as 'jwk'"
        case .otherKind(let claim): "a token without a type that has '\(claim)' is of another kind"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .token(let rejection): rejection.clause
        case .missingKeyID: "RFC7515-4.1.4"
        case .issuer: "RFC7519-4.1.1"
        case .subject: "RFC7523-3"
        case .severalAudiences: "threat-24"
        case .audience: "RFC7519-4.1.3"
        case .lifetime: "RFC7523-3"
        case .confirmation(let rejection): rejection.clause
        case .confirmationWithoutKey: "RFC7800-3.2"
        case .otherKind: "threat-18"
        }
    }
}

extension TokenRejection {
    /// Whether to say which key was wrong would tell an attacker what he cannot know: which names of keys are
    /// registered, and for what.
    private var isAboutKeys: Bool {
        switch self {
        case .token(.keyOfAnotherIssuer), .token(.keyWithoutOwner): true
        case .token(let rejection): rejection.isUnverified
        default: false
        }
    }

    /// What the peer is told: the rule in words, and the same ones for whatever is wrong about the key or the signature
    /// (threat 39).
    func refusal(_ code: OAuth2Error.Code, _ what: String) -> OAuth2Error {
        if isAboutKeys { return .unverified(code, what) }
        return OAuth2Error(code, "\(what): \(self) (\(clause))")
    }
}

extension OAuth2Error {
    /// No registered key vouches for it, whatever the reason.
    static func unverified(_ code: Code, _ what: String) -> OAuth2Error {
        OAuth2Error(code, "\(what): no registered key verifies the signature (RFC7515-5.2)")
    }
}
