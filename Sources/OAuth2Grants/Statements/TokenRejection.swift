public import JOSE
public import Wire

/// Why a signed statement, or a token with what proves it, is not believed: of which kind it was to be, and which rule
/// it broke.
///
/// What was found is the statement's own text; nothing here carries a key or anything that only the reader knows.
public struct TokenRejection: BrokenRule {
    /// As what the statement was presented.
    public let kind: Statement.Kind
    /// The rule that it broke.
    public let reason: Reason

    /// Refuses what was presented as a statement of a kind.
    public init(_ kind: Statement.Kind, _ reason: Reason) {
        self.kind = kind
        self.reason = reason
    }

    /// The rules of statements, and of the proofs that go with tokens.
    public enum Reason: Equatable, Sendable {
        /// It is not well-formed, no key vouches for it, or it is not of the kind or does not hold now.
        case token(JWT.Rejection)
        /// It does not say with which key it is signed.
        case missingKeyID
        /// It is by another party.
        case issuer(expected: String, found: String)
        /// It is about another party.
        case subject(expected: String, found: String)
        /// It names several audiences, or an empty list of them.
        case severalAudiences(Int)
        /// It is for somebody else.
        case audience(expected: String, found: String)
        /// It holds longer than is allowed.
        case lifetime(Duration, limit: Duration)
        /// A claim of another kind, whose type is left out.
        case otherKind(JSON.Name)
        /// Its scope cannot be read.
        case scope(ParameterRejection)

        /// What it says about the presenter's key cannot be read.
        case confirmation(JWT.Rejection)
        /// It does not carry the presenter's key itself (`cnf.jwk`).
        case confirmationWithoutKey
        /// The presenter's key cannot be used.
        case key(JWK.Rejection)
        /// The presenter's key is encrypted or elsewhere; it is neither opened nor fetched.
        case keyElsewhere
        /// It names a presenter's key that the receiver does not have.
        case keyNotHeld(KeyID?)
        /// The presenter's key that the receiver has bears another name.
        case keyNamedOtherwise(expected: KeyID?, found: KeyID?)

        /// The token is bound to a key, and no proof came with it.
        case missingProof
        /// A proof came with a token that is bound to no key, so that anybody could have made it.
        case unboundToken
        /// It is signed with another key than the one that the token is bound to.
        case otherKey(KeyID)
        /// Of the bound key nothing but its digest is known, and the statement brings no key.
        case keyUnknown
        /// DPoP proofs are not taken here.
        case proofNotAccepted
        /// The proof is by another key than the one that the token is bound to.
        case proofByAnotherKey
        /// The proof brings no key.
        case missingKey
        /// The proof says where to find a key, instead of bringing it.
        case foreignKeySource(JSON.Name)
        /// The key in the proof is not valid, is a secret, or is of a type that is not computed with here.
        case embeddedKey(JWK.Rejection)
        /// An algorithm by which whoever can check can also sign.
        case symmetricAlgorithm(Algorithm)
        /// The proof is for another method.
        case method(expected: HTTP.Request.Method, found: String)
        /// The proof is for another URL.
        case url(expected: WebURL, found: String)
        /// The proof does not say with which access token it goes.
        case missingDigest
        /// The proof goes with another access token.
        case digestOfAnotherToken
        /// The proof lacks the server's nonce.
        case missingNonce
        /// The proof's nonce is not the one that the server gave out last.
        case otherNonce

        /// The token that came as the credential is an app's, which authorizes nobody.
        case holderIsNoInstance
        /// The payload is kept elsewhere.
        case detachedPayload
        /// No version of the app has a key of this name.
        case unknownKey(KeyID)
        /// The version of the app at hand is not the one that the statement names.
        case keyOfAnotherVersion(expected: KeyID, found: KeyID)
        /// The key is for other algorithms.
        case algorithm(found: Algorithm, pinned: [Algorithm])
        /// The instance is not named by a UUID.
        case subjectIsNoUUID
        /// The version of the app has been shut out.
        case blockedVersion

        /// The subject is longer than a provider's are, or not ASCII.
        case subjectForm
        /// It was made for another party (`azp`).
        case authorizedParty(expected: String, found: String)
        /// It belongs to another request (`nonce`).
        case nonceOfAnotherRequest
        /// The person was authenticated longer ago than was asked for.
        case authenticatedBefore(Timestamp, limit: Duration)
        /// The person is said to have been authenticated at a time that is still to come.
        case authenticatedAhead(Timestamp)
        /// The person was not authenticated in any of the ways that were asked for (`acr`).
        case contextClass(accepted: [String], found: String?)
        /// It goes with another access token (`at_hash`).
        case hashOfAnotherToken
        /// It tells of no logout (`events`).
        case noLogout
        /// It has a claim that statements of this kind never have.
        case foreignClaim(JSON.Name)
    }
}

extension Statement.Kind {
    /// Refuses a statement that was to be of this kind.
    func rejection(_ reason: TokenRejection.Reason) -> TokenRejection { TokenRejection(self, reason) }

    /// Refuses a statement of this kind that lacks a claim.
    func lacks(_ claim: JSON.Name) -> TokenRejection { rejection(.token(.missing(claim))) }
}

// MARK: - Rules

extension TokenRejection {
    /// The rule that was broken, with what was expected and found.
    public var rule: Rule {
        let rule = reason.rule
        return Rule(kind.clause(of: reason) ?? rule.clause, "\(kind.title): \(rule.text)")
    }
}

extension TokenRejection.Reason {
    fileprivate var rule: Rule {
        switch self {
        case .token(let inner): Rule(inner.clause, inner.text)
        case .missingKeyID: Rule("RFC7515-4.1.4", "'kid' is missing")
        case .issuer(let expected, let found):
            Rule("RFC7519-4.1.1", "'iss' is '\(found)', expected '\(expected)'")
        case .subject(let expected, let found): Rule("RFC7523-3", "'sub' is '\(found)', expected '\(expected)'")
        case .severalAudiences(let count):
            Rule("threat-24", "'aud' names \(count) audiences, exactly one is allowed")
        case .audience(let expected, let found):
            Rule("RFC7519-4.1.3", "'aud' is '\(found)', expected '\(expected)'")
        case .lifetime(let found, let limit):
            Rule(
                "RFC7523-3",
                "it holds for \(found.components.seconds) s, at most \(limit.components.seconds) s are allowed"
            )
        case .otherKind(let claim): Rule("threat-18", "without a type and with '\(claim)' it is of another kind")
        case .scope(let inner): Rule(inner.clause, inner.text)
        case .confirmation(let inner): Rule(inner.clause, inner.text)
        case .confirmationWithoutKey: Rule("RFC7800-3.2", "'cnf' must carry the public key as 'jwk'")
        case .key(let inner): Rule(inner.clause, inner.text)
        case .keyElsewhere: Rule("RFC7800-3.1", "the confirmation's key is encrypted or elsewhere")
        case .keyNotHeld: Rule("RFC7800-3.4", "the key that the confirmation names is not known here")
        case .keyNamedOtherwise:
            Rule("RFC7800-3.4", "the key at hand is not the one that the confirmation names")
        case .missingProof:
            Rule("threat-36", "it is bound to a key, and the request does not prove possession of it")
        case .unboundToken: Rule("RFC9449-7.1", "a proof of possession came with it, and it is bound to no key")
        case .otherKey: Rule("threat-36", "it is not signed with the key that the access token is bound to")
        case .keyUnknown:
            Rule("RFC9449-6.1", "the access token is bound to the digest of a key, which takes a DPoP proof")
        case .proofNotAccepted: Rule("RFC9449-5", "DPoP proofs are not taken here")
        case .proofByAnotherKey: Rule("RFC9449-7.1", "the proof is not by the key that it is bound to")
        case .missingKey: Rule("RFC9449-4.2", "the header has no 'jwk'")
        case .foreignKeySource(let name): Rule("threat-9", "the header points to a key elsewhere ('\(name)')")
        case .embeddedKey(let inner): Rule(inner.clause, inner.text)
        case .symmetricAlgorithm(let algorithm):
            Rule("RFC9449-4.2", "the algorithm '\(algorithm)' is symmetric")
        case .method(let expected, let found): Rule("RFC9449-4.3", "'htm' is '\(found)', expected '\(expected)'")
        case .url(let expected, let found): Rule("RFC9449-4.3", "'htu' is '\(found)', expected '\(expected)'")
        case .missingDigest: Rule("RFC9449-4.3", "'ath' is missing")
        case .digestOfAnotherToken: Rule("RFC9449-4.3", "'ath' is not the digest of the access token")
        case .missingNonce: Rule("RFC9449-8", "'nonce' is missing")
        case .otherNonce: Rule("RFC9449-8", "'nonce' is not the one that was given out")
        case .holderIsNoInstance:
            Rule("APP-2", "the credential is the token of an app, which authorizes nobody")
        case .detachedPayload: Rule("REQ-1", "the payload is detached")
        case .unknownKey(let id): Rule("REQ-3", "no key is registered as '\(id)'")
        case .keyOfAnotherVersion(let expected, let found):
            Rule("REQ-4", "'kid' is '\(found)', the version's key is '\(expected)'")
        case .algorithm(let found, let pinned):
            Rule(
                "REQ-4",
                "the algorithm is '\(found)', the key is for \(pinned.map { $0.name.text }.joined(separator: ", "))")
        case .subjectIsNoUUID: Rule("REQ-10", "'sub' is not a UUID")
        case .blockedVersion: Rule("REG-4", "this version of the app is no longer admitted")
        case .subjectForm: Rule("OIC-8", "'sub' is not 1 to 255 characters of ASCII")
        case .authorizedParty(let expected, let found):
            Rule("OIC-8", "'azp' is '\(found)', expected '\(expected)'")
        case .nonceOfAnotherRequest: Rule("OIC-8", "'nonce' is not the one of this request")
        case .authenticatedBefore(let time, let limit):
            Rule(
                "OIC-8",
                "'auth_time' is \(time.number), more than the \(limit.components.seconds) s ago that were asked"
            )
        case .authenticatedAhead(let time): Rule("OIC-8", "'auth_time' is \(time.number), which is still to come")
        case .contextClass(let accepted, let found):
            Rule(
                "OIC-8",
                "'acr' is \(found.map { "'\($0)'" } ?? "missing"), accepted are '\(accepted.joined(separator: "', '"))'"
            )
        case .hashOfAnotherToken: Rule("OIC-8", "'at_hash' is not the hash of the access token")
        case .noLogout: Rule("OIC-16", "'events' has no logout")
        case .foreignClaim(let name): Rule("OIC-16", "'\(name)' has no place there")
        }
    }
}

extension Statement.Kind {
    /// The clause by which the profile sets a rule for one kind, where that is its own.
    fileprivate func clause(of reason: TokenRejection.Reason) -> String? {
        switch (self, reason) {
        case (.appCode, .audience), (.appCode, .issuer): "APP-3"
        case (.appCode, .otherKey), (.appCode, .keyUnknown): "APP-5"
        case (.appCode, .token(let rejection)) where rejection.isUnverified: "APP-5"
        case (.appRegistration, .token(let rejection)): Self.registrationClause(of: rejection)
        case (.appRegistration, .missingKeyID): "REQ-3"
        case (.appRegistration, .issuer): "REQ-9"
        case (.appRegistration, .severalAudiences), (.appRegistration, .audience): "REQ-11"
        default: nil
        }
    }

    /// The lines of S1's checklist that JOSE's rules are.
    private static func registrationClause(of rejection: JWT.Rejection) -> String? {
        switch rejection {
        case .unsecured: "REQ-2"
        case .embeddedKey: "REQ-14"
        case .missing("iat"), .missing("jti"), .tooOld: "threat-63"
        case .missing(let claim), .wrongType(let claim, expected: .string, _),
            .malformedName(let claim, .empty(.identifier)):
            ["device_id", "device_type", "os_version"].contains(claim) ? "REG-2" : "REQ-6"
        case .emptyAudience: "REQ-6"
        case .malformedName(_, let rejection): rejection.clause
        case .expired, .notYetValid: "REQ-8"
        default: rejection.isUnverified ? "REQ-14" : nil
        }
    }
}

// MARK: - What the peer is told

extension TokenRejection {
    /// What the peer is told: the rule in words, and the same ones for whatever is wrong about keys or the signature
    /// (threat 39).
    ///
    /// A peer whose proof lacks only the nonce is told so, and can try again with it.
    public var refusal: OAuth2Error { refusal(kind.refusal) }

    /// What the peer is told where the token or the proof of its key authenticates it to an endpoint of its issuer.
    public var clientRefusal: OAuth2Error { refusal(kind.refusal == .invalidToken ? .invalidClient : kind.refusal) }

    private func refusal(_ usual: OAuth2Error.Code) -> OAuth2Error {
        let code: OAuth2Error.Code =
            switch reason {
            case .missingNonce, .otherNonce: .useNonce
            case .blockedVersion: .unauthorizedClient
            default: usual
            }
        return isAboutKeys ? .unverified(code, kind) : OAuth2Error(code, text)
    }

    /// Whether to say which key was wrong would tell an attacker what he cannot know: which names of keys are
    /// registered, and for what.
    private var isAboutKeys: Bool {
        switch reason {
        case .token(.keyOfAnotherIssuer), .token(.keyWithoutOwner), .otherKey, .unknownKey, .keyOfAnotherVersion,
            .algorithm:
            true
        case .token(let rejection): rejection.isUnverified
        default: false
        }
    }
}

extension OAuth2Error {
    /// No registered key vouches for a statement, whatever the reason.
    static func unverified(_ code: Code, _ kind: Statement.Kind) -> OAuth2Error {
        OAuth2Error(code, "\(kind.title): no registered key verifies the signature")
    }
}
