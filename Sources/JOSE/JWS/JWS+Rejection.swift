public import Wire

extension JWS {
    /// The three parts of a compact serialization.
    public enum Part: String, Sendable {
        /// The protected header.
        case header
        /// The payload.
        case payload
        /// The signature.
        case signature
    }

    /// Why a text is not signed content, why nobody vouches for it, or why it is not believed as a token.
    ///
    /// What was found is the sender's own text, which is not a secret of the reader's.
    public enum Rejection: BrokenRule {
        /// More bytes than the policy allows.
        case tooLarge(size: Int, limit: Int)
        /// A compact serialization has three parts; five are an encrypted one.
        case wrongPartCount(Int)
        /// A part is not canonical Base64url.
        case malformedBase64URL(Part, SyntaxError)
        /// The header is not a JSON object, or a parameter is missing or of the wrong type.
        case malformedHeader(JSON.Rejection)
        /// The JSON serialization is not an object of the right form.
        case malformedSerialization(JSON.Rejection)
        /// The general form has a member of the flattened one.
        case mixedSerializations(JSON.Name)
        /// More signatures than the policy allows.
        case tooManySignatures(found: Int, limit: Int)
        /// The algorithm is `none`.
        case unsecured
        /// The signature has no bytes.
        case emptySignature
        /// A parameter stands in both headers.
        case repeatedParameter(JSON.Name)
        /// A parameter that must be protected is not.
        case unprotected(JSON.Name)
        /// The key's name breaks a rule for names.
        case malformedKeyID(SyntaxError)
        /// A parameter of encrypted content.
        case encrypted(JSON.Name)
        /// The header carries a key or says where to fetch one.
        case embeddedKey(JSON.Name)
        /// `crit` is an empty list.
        case emptyCritical
        /// `crit` lists a name twice.
        case repeatedCritical(JSON.Name)
        /// `crit` lists a name that is not an extension.
        case standardCritical(JSON.Name)
        /// `crit` lists a parameter that the protected header does not have.
        case absentCritical(JSON.Name)
        /// `crit` lists an extension that is not understood or not allowed here.
        case criticalNotUnderstood(JSON.Name)
        /// `b64` without being listed in `crit`: one reader would heed it, another not.
        case encodingNotCritical
        /// A payload both in the serialization and beside it.
        case payloadNotDetached
        /// The signatures disagree on whether the payload is encoded.
        case payloadInTwoForms
        /// A payload that stands as it is has a byte that is not printable.
        case unprintablePayload(offset: Int)

        /// The algorithm is not among those that the caller accepts.
        case algorithmNotAccepted(found: Algorithm, accepted: [Algorithm])
        /// No key of this name is known.
        case unknownKey(KeyID?)
        /// The key is for other algorithms.
        case algorithmNotOfKey(found: Algorithm, expected: [Algorithm])
        /// The key fixes no algorithm, and whoever verifies lists none.
        case algorithmNotListed(Algorithm)
        /// The signature is not one over this content by this key.
        case invalidSignature
        /// So many keys may be meant that trying them all is not reasonable.
        case tooManyCandidates(limit: Int)

        /// Tokens are compact serializations.
        case notCompact
        /// Tokens have encoded payloads.
        case unencodedPayload
        /// The payload is another token, not claims.
        case nested
        /// The token is of another kind.
        case wrongKind(expected: ContentType?, found: ContentType?)
        /// The claims are not a JSON object.
        case malformedClaims(JSON.Rejection)
        /// A claim is not there.
        case missing(JSON.Name)
        /// A claim has a value of another type.
        case wrongType(JSON.Name, expected: JSON.Kind, found: JSON.Kind)
        /// A name in a claim breaks a rule for names.
        case malformedName(JSON.Name, SyntaxError)
        /// A time in a claim is not a time from 1970 to 9999.
        case malformedTime(JSON.Name, SyntaxError)
        /// The token is by somebody else.
        case wrongIssuer(expected: [Issuer], found: String)
        /// The key that verified the token belongs to another issuer than the token names.
        case keyOfAnotherIssuer(owner: Issuer, found: String)
        /// The key that verified the token belongs to nobody, where its owner was to decide.
        case keyWithoutOwner
        /// The token is for somebody else, or not for this reader alone.
        case wrongAudience(expected: [Audience], alone: Bool, found: [String])
        /// The list of audiences is empty.
        case emptyAudience
        /// The token is about somebody else.
        case wrongSubject(expected: Subject, found: String)
        /// The token has expired.
        case expired(at: Timestamp, now: Timestamp)
        /// The token does not hold yet.
        case notYetValid(from: Timestamp, now: Timestamp)
        /// The token claims to have been issued later than now.
        case issuedInTheFuture(at: Timestamp, now: Timestamp)
        /// The token was issued too long ago.
        case tooOld(issued: Timestamp, now: Timestamp)

        /// The confirmation is not an object, or has a member of the wrong type.
        case malformedConfirmation(JSON.Rejection)
        /// The confirmation's key is not taken: it is malformed, or a secret that the token would give away.
        case confirmationKey(JWK.Rejection)
        /// Two representations in a confirmation, which must mean one key.
        case ambiguousConfirmation(JSON.Name, JSON.Name)
        /// No member of the confirmation is one that this module knows.
        case unknownConfirmation
        /// The name of the confirmation's key breaks a rule for names.
        case malformedConfirmationID(SyntaxError)
        /// The confirmation's digest is not one of SHA-256.
        case malformedThumbprint
    }
}

extension JWS.Rejection {
    /// The rule that was broken, with what was expected and found.
    public var rule: Rule {
        switch self {
        case .tooLarge(let size, let limit): Rule("threat-14", "\(size) bytes, at most \(limit) allowed")
        case .wrongPartCount(5): Rule("RFC7515-7.1", "five parts: encrypted, not signed")
        case .wrongPartCount(let count): Rule("RFC7515-7.1", "\(count) parts, expected 3")
        case .malformedBase64URL(let part, let rejection):
            Rule("RFC7515-2", "the \(part.rawValue) is not Base64url: \(rejection.text)")
        case .malformedHeader(.duplicateName(let offset)):
            Rule("RFC7515-4", "the header is malformed: \(JSON.Rejection.duplicateName(offset: offset).text)")
        case .malformedHeader(let rejection): Rule("RFC7515-4.1", "the header is malformed: \(rejection.text)")
        case .malformedSerialization(let rejection):
            Rule("RFC7515-7.2", "the serialization is malformed: \(rejection.text)")
        case .mixedSerializations(let name): Rule("RFC7515-7.2.2", "'\(name)' beside 'signatures'")
        case .tooManySignatures(let found, let limit):
            Rule("threat-14", "\(found) signatures, at most \(limit) allowed")
        case .unsecured: Rule("threat-1", "the algorithm is 'none'")
        case .emptySignature: Rule("threat-5", "the signature is empty")
        case .repeatedParameter(let name):
            Rule("RFC7515-7.2.1", "'\(name)' stands in the protected and in the unprotected header")
        case .unprotected("b64"): Rule("RFC7797-3", "'b64' is not protected")
        case .unprotected("crit"): Rule("RFC7515-4.1.11", "'crit' is not protected")
        case .unprotected(let name): Rule("RFC7515-10.7", "'\(name)' is not protected")
        case .malformedKeyID(let rejection): Rule("RFC7515-4.1.4", "'kid' is not a valid name: \(rejection.text)")
        case .encrypted(let name): Rule("RFC7516-9", "'\(name)' belongs to encrypted content")
        case .embeddedKey(let name): Rule("threat-9", "the header brings a key along ('\(name)')")
        case .emptyCritical: Rule("RFC7515-4.1.11", "'crit' is empty")
        case .repeatedCritical(let name): Rule("RFC7515-4.1.11", "'crit' lists '\(name)' twice")
        case .standardCritical(let name):
            Rule("RFC7515-4.1.11", "'crit' lists '\(name)', which is not an extension")
        case .absentCritical(let name):
            Rule("RFC7515-4.1.11", "'crit' lists '\(name)', which is not in the protected header")
        case .criticalNotUnderstood(let name):
            Rule("RFC7515-4.1.11", "the critical extension '\(name)' is not understood here")
        case .encodingNotCritical: Rule("RFC7797-6", "'b64' is not listed in 'crit'")
        case .payloadNotDetached: Rule("RFC7515-F", "a payload is in the text and beside it")
        case .payloadInTwoForms: Rule("RFC7797-3", "the signatures disagree on 'b64'")
        case .unprintablePayload(let offset):
            Rule("RFC7797-5.2", "the unencoded payload has an unprintable byte at offset \(offset)")

        case .algorithmNotAccepted(let found, let accepted):
            Rule("RFC8725-3.1", "the algorithm '\(found)' is not accepted, only \(Self.list(accepted))")
        case .unknownKey(let id?): Rule("RFC7515-6", "no key is named '\(id)'")
        case .unknownKey(nil): Rule("RFC7515-6", "no key fits")
        case .algorithmNotOfKey(let found, let expected):
            Rule("RFC8725-3.1", "the algorithm is '\(found)', the key is for \(Self.list(expected))")
        case .algorithmNotListed(let algorithm):
            Rule("KEY-8", "the key names no algorithm, so '\(algorithm)' has to be listed by whoever verifies")
        case .invalidSignature: Rule("RFC7515-5.2", "the signature does not verify")
        case .tooManyCandidates(let limit): Rule("threat-14", "more than \(limit) keys may be meant")

        case .notCompact: Rule("RFC7519-3", "a token is a compact serialization")
        case .unencodedPayload: Rule("RFC7797-7", "a token's payload is encoded")
        case .nested: Rule("RFC7519-5.2", "'cty': the payload is declared to be something else than claims")
        case .wrongKind(let expected, let found):
            Rule("RFC8725-3.11", "'typ' is \(Self.name(found)), expected '\(expected?.text ?? Self.anyKind)'")
        case .malformedClaims(let rejection): Rule("RFC7519-7.2", "the claims are malformed: \(rejection.text)")
        case .missing(let claim): Rule("RFC7519-4", "'\(claim)' is missing")
        case .wrongType(let claim, let expected, let found):
            Rule(Self.clause(of: claim), "'\(claim)' is a JSON \(found), expected: \(expected)")
        case .malformedName(let claim, let rejection):
            Rule(Self.clause(of: claim), "'\(claim)' is not a valid name: \(rejection.text)")
        case .malformedTime(let claim, let rejection): Rule("RFC7519-2", "'\(claim)' is not a time: \(rejection.text)")
        case .wrongIssuer(let expected, let found):
            Rule(
                "RFC7519-4.1.1",
                "'iss' is '\(found)', expected '\(expected.map { $0.text }.joined(separator: "' or '"))'")
        case .keyOfAnotherIssuer(let owner, let found):
            Rule("RFC8725-3.8", "'iss' is '\(found)', but the key belongs to '\(owner)'")
        case .keyWithoutOwner: Rule("RFC8725-3.8", "'iss' cannot be checked: the key belongs to no issuer")
        case .wrongAudience(let expected, let alone, let found):
            Rule(
                "RFC7519-4.1.3",
                "'aud' is '\(found.joined(separator: "', '"))', expected \(Self.readers(expected, alone))")
        case .emptyAudience: Rule("RFC7519-4.1.3", "'aud' is an empty list")
        case .wrongSubject(let expected, let found):
            Rule("RFC7519-4.1.2", "'sub' is '\(found)', expected '\(expected)'")
        case .expired(let at, let now): Rule("RFC7519-4.1.4", "'exp' is \(at.number), now is \(now.number)")
        case .notYetValid(let from, let now): Rule("RFC7519-4.1.5", "'nbf' is \(from.number), now is \(now.number)")
        case .issuedInTheFuture(let at, let now):
            Rule("RFC7519-4.1.6", "'iat' is \(at.number), now is \(now.number)")
        case .tooOld(let issued, let now):
            Rule("RFC7519-4.1.6", "'iat' is \(issued.number), too long before now, \(now.number)")

        case .malformedConfirmation(let rejection):
            Rule("RFC7800-3.1", "the confirmation is malformed: \(rejection.text)")
        case .confirmationKey(let rejection):
            Rule("RFC7800-3.2", "the confirmation's key is refused: \(rejection.text)")
        case .ambiguousConfirmation(let one, let other):
            Rule("RFC7800-3.1", "the confirmation has both '\(one)' and '\(other)'")
        case .unknownConfirmation:
            Rule("RFC7800-3.1", "the confirmation names no key in a way that is known here")
        case .malformedConfirmationID(let rejection):
            Rule("RFC7800-3.4", "the confirmation's 'kid' is not a valid name: \(rejection.text)")
        case .malformedThumbprint:
            Rule("RFC9449-6.1", "the confirmation's thumbprint is not a SHA-256 digest in Base64url")
        }
    }

    /// Whether no key vouches for the content; which of the reasons it was is not for the sender to know (threat 39).
    package var isUnverified: Bool {
        switch self {
        case .algorithmNotAccepted, .unknownKey, .algorithmNotOfKey, .algorithmNotListed, .invalidSignature,
            .tooManyCandidates:
            true
        default: false
        }
    }

    private static let anyKind = "JWT or a kind of it"

    private static func name(_ type: JWS.ContentType?) -> String { type.map { "'\($0)'" } ?? "absent" }

    /// The clause that defines a claim.
    private static func clause(of claim: JSON.Name) -> String {
        switch claim {
        case "iss": "RFC7519-4.1.1"
        case "sub": "RFC7519-4.1.2"
        case "aud": "RFC7519-4.1.3"
        case "jti": "RFC7519-4.1.7"
        default: "RFC7519-2"
        }
    }

    private static func list(_ algorithms: [Algorithm]) -> String {
        algorithms.map { $0.name.text }.joined(separator: ", ")
    }

    /// The readers that a token should name, in words.
    private static func readers(_ audiences: [Audience], _ alone: Bool) -> String {
        guard !audiences.isEmpty else { return "none" }
        let names = "'" + audiences.map { $0.text }.joined(separator: "', '") + "'"
        return (audiences.count > 1 ? "one of " : "") + names + (alone ? " alone" : " among them")
    }
}
