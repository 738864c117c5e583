public import JOSE
public import Wire

extension AppRequestToken {
    /// Why a request token of S1 is refused: a case for each line of the checklist.
    public enum Rejection: Error, Equatable, Sendable {
        /// The payload is kept elsewhere.
        case detachedPayload
        /// The algorithm is `none`.
        case unsecured
        /// The header brings a key along, or says where to find one.
        case keyBroughtAlong(JSON.Name)
        /// The client does not say with which key it signs.
        case missingKeyID
        /// No version has a key of this name.
        case unknownKey(KeyID)
        /// The version at hand is not the one that the token names.
        case keyOfAnotherVersion(expected: KeyID, found: KeyID)
        /// The key is for other algorithms.
        case algorithm(found: Algorithm, pinned: [Algorithm])
        /// The signature is not by the stored key.
        case invalidSignature
        /// A claim is not there.
        case missing(JSON.Name)
        /// A claim is no string.
        case wrongType(JSON.Name, found: JSON.Kind)
        /// A claim is empty.
        case empty(JSON.Name)
        /// A claim breaks a rule for names.
        case malformed(JSON.Name, SyntaxError)
        /// The token is by another app.
        case issuer(expected: Issuer, found: String)
        /// The instance is not named by a UUID.
        case subjectIsNoUUID
        /// The token names several audiences.
        case severalAudiences(Int)
        /// The token is for another service.
        case audience(expected: Issuer, found: String)
        /// The version has been shut out.
        case blockedVersion
        /// The token breaks a rule that all tokens share.
        case token(TokenRejection)
    }
}

extension AppRequestToken.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .detachedPayload: "the payload is detached"
        case .unsecured: "the algorithm is 'none'"
        case .keyBroughtAlong(let name): "the header brings a key along ('\(name)')"
        case .missingKeyID: "'kid' is missing"
        case .unknownKey(let id): "no key is registered as '\(id)'"
        case .keyOfAnotherVersion(let expected, let found): "'kid' is '\(found)', the version's key is '\(expected)'"
        case .algorithm(let found, let pinned):
            "the algorithm is '\(found)', the key is for \(pinned.map { $0.name.text }.joined(separator: ", "))"
        case .invalidSignature: "the signature does not verify"
        case .missing(let name): "'\(name)' is missing"
        case .wrongType(let name, let found): "'\(name)' has a \(found), expected a string"
        case .empty(let name): "'\(name)' is empty"
        case .malformed(let name, let rejection): "'\(name)': \(rejection)"
        case .issuer(let expected, let found): "'iss' is '\(found)', expected '\(expected)'"
        case .subjectIsNoUUID: "'sub' is not a UUID"
        case .severalAudiences(let count): "'aud' names \(count) audiences, exactly one is allowed"
        case .audience(let expected, let found): "'aud' is '\(found)', expected '\(expected)'"
        case .blockedVersion: "this version of the app is no longer admitted"
        case .token(let rejection): rejection.description
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .detachedPayload: "REQ-1"
        case .unsecured: "REQ-2"
        case .missingKeyID, .unknownKey: "REQ-3"
        case .keyOfAnotherVersion, .algorithm: "REQ-4"
        case .missing("device_id"), .missing("device_type"), .missing("os_version"): "REG-2"
        case .wrongType("device_id", _), .wrongType("device_type", _), .wrongType("os_version", _): "REG-2"
        case .empty("device_id"), .empty("device_type"), .empty("os_version"): "REG-2"
        case .missing, .wrongType, .empty: "REQ-6"
        case .malformed(_, let rejection): rejection.clause
        case .issuer: "REQ-9"
        case .subjectIsNoUUID: "REQ-10"
        case .severalAudiences, .audience: "REQ-11"
        case .keyBroughtAlong, .invalidSignature: "REQ-14"
        case .blockedVersion: "REG-4"
        case .token(.token(.expired)), .token(.token(.notYetValid)): "REQ-8"
        case .token(let rejection): rejection.clause
        }
    }

    /// What the app is told: which rule it broke, but for what is wrong about keys and signatures one answer (threat
    /// 39).
    public var refusal: OAuth2Error {
        switch self {
        case .unknownKey, .keyOfAnotherVersion, .algorithm, .invalidSignature: .unverified(.invalidClient, Self.subject)
        case .blockedVersion: OAuth2Error(.unauthorizedClient, "\(self) (\(clause))")
        case .token(let rejection): rejection.refusal(.invalidClient, Self.subject)
        case .detachedPayload, .unsecured, .keyBroughtAlong, .missingKeyID, .missing, .wrongType, .empty, .malformed,
            .issuer,
            .subjectIsNoUUID, .severalAudiences, .audience:
            OAuth2Error(.invalidClient, "\(Self.subject): \(self) (\(clause))")
        }
    }

    private static let subject = "the app's request token"
}
