public import Wire

extension JWT.Validated {
    /// Why verified content is not believed as a token.
    ///
    /// What was found is the token's own text, which is no secret of the reader's.
    public enum Rejection: Error, Equatable, Sendable {
        /// Tokens are compact serializations.
        case notCompact
        /// Tokens have encoded payloads.
        case unencodedPayload
        /// The payload is another token, not claims.
        case nested
        /// The token is of another kind.
        case wrongKind(expected: ContentType?, found: ContentType?)
        /// The claims are not a JSON object.
        case malformed(JSON.Rejection)
        /// A claim is not there.
        case missing(JSON.Name)
        /// A claim has a value of another type.
        case wrongType(JSON.Name, expected: JSON.Kind, found: JSON.Kind)
        /// A name in a claim breaks a rule for names.
        case malformedName(JSON.Name, SyntaxError)
        /// A time in a claim is no time from 1970 to 9999.
        case malformedTime(JSON.Name, SyntaxError)
        /// The token is by somebody else.
        case wrongIssuer(expected: [Issuer], found: String)
        /// The key that verified the token belongs to another issuer than the token names.
        case keyOfAnotherIssuer(owner: Issuer, found: String)
        /// The key that verified the token belongs to nobody, where its owner was to decide.
        case keyWithoutOwner
        /// The token is for somebody else, or not for this reader alone.
        case wrongAudience(expected: JWT.Expectation.Audiences, found: [String])
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

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .notCompact: "RFC7519-3"
            case .unencodedPayload: "RFC7797-7"
            case .nested: "RFC7519-5.2"
            case .wrongKind: "RFC8725-3.11"
            case .malformed: "RFC7519-7.2"
            case .missing: "RFC7519-4"
            case .wrongType("iss", _, _), .malformedName("iss", _): "RFC7519-4.1.1"
            case .wrongType("sub", _, _), .malformedName("sub", _): "RFC7519-4.1.2"
            case .wrongType("aud", _, _), .malformedName("aud", _): "RFC7519-4.1.3"
            case .wrongType("jti", _, _), .malformedName("jti", _): "RFC7519-4.1.7"
            case .wrongType, .malformedName, .malformedTime: "RFC7519-2"
            case .wrongIssuer: "RFC7519-4.1.1"
            case .keyOfAnotherIssuer, .keyWithoutOwner: "RFC8725-3.8"
            case .wrongAudience, .emptyAudience: "RFC7519-4.1.3"
            case .wrongSubject: "RFC7519-4.1.2"
            case .expired: "RFC7519-4.1.4"
            case .notYetValid: "RFC7519-4.1.5"
            case .issuedInTheFuture, .tooOld: "RFC7519-4.1.6"
            }
        }
    }
}

extension JWT.Validated.Rejection: CustomStringConvertible {
    /// The rule that was broken, with the claim, what was expected and what was found.
    public var description: String {
        switch self {
        case .notCompact: "a token is a compact serialization"
        case .unencodedPayload: "a token's payload is encoded"
        case .nested: "'cty': the payload is declared to be something else than claims"
        case .wrongKind(let expected, let found):
            "'typ' is \(found.map { "'\($0)'" } ?? "absent"), expected '\(expected?.text ?? "JWT or a kind of it")'"
        case .malformed(let rejection): "the claims are malformed: \(rejection)"
        case .missing(let claim): "'\(claim)' is missing"
        case .wrongType(let claim, let expected, let found): "'\(claim)' has a \(found), expected a \(expected)"
        case .malformedName(let claim, let rejection): "'\(claim)' is no name: \(rejection)"
        case .malformedTime(let claim, let rejection): "'\(claim)' is no time: \(rejection)"
        case .wrongIssuer(let expected, let found):
            "'iss' is '\(found)', expected '\(expected.map { $0.text }.joined(separator: "' or '"))'"
        case .keyOfAnotherIssuer(let owner, let found): "'iss' is '\(found)', but the key belongs to '\(owner)'"
        case .keyWithoutOwner: "'iss' cannot be checked: the key belongs to no issuer"
        case .wrongAudience(let expected, let found):
            "'aud' is '\(found.joined(separator: "', '"))', expected \(expected)"
        case .emptyAudience: "'aud' is an empty list"
        case .wrongSubject(let expected, let found): "'sub' is '\(found)', expected '\(expected)'"
        case .expired(let at, let now): "'exp' is \(at.number), now is \(now.number)"
        case .notYetValid(let from, let now): "'nbf' is \(from.number), now is \(now.number)"
        case .issuedInTheFuture(let at, let now): "'iat' is \(at.number), now is \(now.number)"
        case .tooOld(let issued, let now): "'iat' is \(issued.number), too long before now, \(now.number)"
        }
    }
}

extension JWT.Expectation.Audiences: CustomStringConvertible {
    /// The audience in words.
    public var description: String {
        switch self {
        case .only(let audience): "'\(audience)' alone"
        case .onlyOneOf(let audiences): "one of '\(audiences.map { $0.text }.joined(separator: "', '"))' alone"
        case .including(let audience): "'\(audience)' among them"
        case .unnamed: "none"
        case .unchecked: "any"
        }
    }
}
