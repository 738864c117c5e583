public import Wire

extension JWS.Unverified {
    /// The three parts of a compact serialization.
    public enum Part: String, Sendable {
        /// The protected header.
        case header
        /// The payload.
        case payload
        /// The signature.
        case signature
    }

    /// Why a text is not signed content.
    public enum Rejection: Error, Equatable, Sendable {
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

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .tooLarge, .tooManySignatures: "threat-14"
            case .wrongPartCount: "RFC7515-7.1"
            case .malformedBase64URL: "RFC7515-2"
            case .malformedHeader(.duplicateName): "RFC7515-4"
            case .malformedHeader: "RFC7515-4.1"
            case .malformedSerialization: "RFC7515-7.2"
            case .mixedSerializations: "RFC7515-7.2.2"
            case .unsecured: "threat-1"
            case .emptySignature: "threat-5"
            case .repeatedParameter: "RFC7515-7.2.1"
            case .unprotected("b64"): "RFC7797-3"
            case .unprotected("crit"): "RFC7515-4.1.11"
            case .unprotected: "RFC7515-10.7"
            case .malformedKeyID: "RFC7515-4.1.4"
            case .encrypted: "RFC7516-9"
            case .embeddedKey: "threat-9"
            case .emptyCritical, .repeatedCritical, .standardCritical, .absentCritical, .criticalNotUnderstood:
                "RFC7515-4.1.11"
            case .encodingNotCritical: "RFC7797-6"
            case .payloadNotDetached: "RFC7515-F"
            case .payloadInTwoForms: "RFC7797-3"
            case .unprintablePayload: "RFC7797-5.2"
            }
        }
    }
}

extension JWS.Unverified.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .tooLarge(let size, let limit): "\(size) bytes, at most \(limit) allowed"
        case .wrongPartCount(5): "five parts: encrypted, not signed"
        case .wrongPartCount(let count): "\(count) parts, expected 3"
        case .malformedBase64URL(let part, let rejection): "the \(part.rawValue) is not Base64url: \(rejection)"
        case .malformedHeader(let rejection): "the header is malformed: \(rejection)"
        case .malformedSerialization(let rejection): "the serialization is malformed: \(rejection)"
        case .mixedSerializations(let name): "'\(name)' beside 'signatures'"
        case .tooManySignatures(let found, let limit): "\(found) signatures, at most \(limit) allowed"
        case .unsecured: "the algorithm is 'none'"
        case .emptySignature: "the signature is empty"
        case .repeatedParameter(let name): "'\(name)' stands in the protected and in the unprotected header"
        case .unprotected(let name): "'\(name)' is not protected"
        case .malformedKeyID(let rejection): "'kid' is no name: \(rejection)"
        case .encrypted(let name): "'\(name)' belongs to encrypted content"
        case .embeddedKey(let name): "the header brings a key along ('\(name)')"
        case .emptyCritical: "'crit' is empty"
        case .repeatedCritical(let name): "'crit' lists '\(name)' twice"
        case .standardCritical(let name): "'crit' lists '\(name)', which is not an extension"
        case .absentCritical(let name): "'crit' lists '\(name)', which is not in the protected header"
        case .criticalNotUnderstood(let name): "the critical extension '\(name)' is not understood here"
        case .encodingNotCritical: "'b64' is not listed in 'crit'"
        case .payloadNotDetached: "a payload is in the text and beside it"
        case .payloadInTwoForms: "the signatures disagree on 'b64'"
        case .unprintablePayload(let offset): "the unencoded payload has an unprintable byte at offset \(offset)"
        }
    }
}
