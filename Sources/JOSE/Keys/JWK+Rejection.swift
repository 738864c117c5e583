public import PureCrypto
public import Wire

extension JWK {
    /// Why a key, a key's document or a set of keys is not taken, or a key cannot be used for what was asked.
    ///
    /// No case carries key material.
    public enum Rejection: BrokenRule {
        /// Not JSON, or a member that is missing or of the wrong type.
        case malformed(JSON.Rejection)
        /// A member is not canonical Base64url.
        case malformedBase64URL(JSON.Name, SyntaxError)
        /// A member has the wrong number of bytes.
        case wrongLength(JSON.Name, expected: Int, found: Int)
        /// An integer is empty, zero or begins with a zero byte.
        case notMinimal(JSON.Name)
        /// The key breaks a rule of its curve.
        case invalidKey(Curve25519.Signing.Rejection)
        /// The public key does not belong to the private one.
        case mismatchedPair
        /// A secret stands where only public keys may.
        case secretMember(JSON.Name)
        /// A private key without its secret.
        case noSecret
        /// The secret is empty.
        case emptySecret
        /// The key names the algorithm `none`.
        case unsecuredAlgorithm
        /// The key's name breaks a rule for names.
        case malformedID(SyntaxError)
        /// An operation is listed twice.
        case repeatedOperation(Operation)
        /// The key's use excludes an operation that it lists.
        case inconsistentUse(Use, Operation)

        /// This module does not compute with keys of this type, or on this curve.
        case unsupportedType(KeyType)
        /// The key was withdrawn by its owner.
        case withdrawn
        /// The key is meant for something else than signatures.
        case otherUse(found: Use)
        /// The key lists what may be done with it, and this is not listed.
        case operationNotAllowed(Operation)
        /// The algorithm is not one for keys of this type.
        case otherAlgorithm(Algorithm, KeyType)
        /// The key is shorter than its algorithm's hash.
        case secretTooShort(Algorithm, bytes: Int, least: Int)

        /// The text does not begin or end with the boundary of such a key.
        case noBoundary(label: String)
        /// The text between the boundaries is not Base64 in lines.
        case malformedBase64
        /// The document ends within a value.
        case truncated
        /// A value of another type stands here.
        case unexpectedTag(offset: Int, expected: UInt8, found: UInt8)
        /// A length that is not in its shortest form, or far too large.
        case unreasonableLength(offset: Int)
        /// Bytes are left over.
        case trailingBytes(offset: Int)
        /// The document names another algorithm than Ed25519, or gives it parameters.
        case otherKeyAlgorithm
        /// The version is not one that goes with the content.
        case unknownVersion
        /// Bits are left over in a bit string.
        case unusedBits

        /// A set that is not JSON, or has no array of keys.
        case malformedSet(JSON.Rejection)
        /// More keys in a set than the limit.
        case tooManyKeys(found: Int, limit: Int)
        /// No key of the set can be used, each for its reason.
        case noUsableKey([Rejection])
    }
}

extension JWK.Rejection {
    /// The rule that was broken.
    public var rule: Rule {
        switch self {
        case .malformed(let rejection): Rule(rejection.clause, "the key is malformed: \(rejection.text)")
        case .malformedBase64URL(let name, let rejection):
            Rule("RFC7515-2", "'\(name)' is not Base64url: \(rejection.text)")
        case .wrongLength(let name, let expected, let found):
            Rule("RFC8037-2", "'\(name)' has \(found) bytes, expected \(expected)")
        case .notMinimal(let name): Rule("RFC7518-2", "'\(name)' is not an integer in its shortest form")
        case .invalidKey(let rejection): Rule(rejection.clause, rejection.text)
        case .mismatchedPair: Rule("threat-8", "the public key does not belong to the private key")
        case .secretMember(let name): Rule("RFC7517-9.2", "a public key must not have the secret member '\(name)'")
        case .noSecret: Rule("RFC8037-2", "a private key must have its secret")
        case .emptySecret: Rule("RFC7518-6.4.1", "the secret is empty")
        case .unsecuredAlgorithm: Rule("threat-1", "the key names the algorithm 'none'")
        case .malformedID(let rejection): Rule("RFC7517-4.5", "'kid' is not a valid name: \(rejection.text)")
        case .repeatedOperation(let operation): Rule("RFC7517-4.3", "'key_ops' lists '\(operation)' twice")
        case .inconsistentUse(let use, let operation):
            Rule("RFC7517-4.3", "the use '\(use)' excludes the operation '\(operation)'")
        case .unsupportedType(let type):
            Rule("RFC7517-4.1", "keys of the type '\(type)' with this curve are not computed with here")
        case .withdrawn: Rule("threat-76", "the key was withdrawn by its owner")
        case .otherUse(let found): Rule("RFC7517-4.2", "the key's use is '\(found)', expected 'sig'")
        case .operationNotAllowed(let operation):
            Rule("RFC7517-4.3", "the key's operations do not include '\(operation)'")
        case .otherAlgorithm(let algorithm, let type):
            Rule("RFC7517-4.4", "the algorithm '\(algorithm)' is not one for keys of the type '\(type)'")
        case .secretTooShort(let algorithm, let bytes, let least):
            Rule("RFC7518-3.2", "\(algorithm) takes a key of \(least) bytes at least, not \(bytes)")
        case .noBoundary(let label):
            Rule("RFC7468-2", "the text is not enclosed in the boundaries of a '\(label)'")
        case .malformedBase64: Rule("RFC7468-2", "the text between the boundaries is not Base64")
        case .truncated: Rule("RFC8410-7", "the document ends too early")
        case .unexpectedTag(let offset, let expected, let found):
            Rule("RFC8410-7", "tag 0x\(Self.hex(found)) at byte \(offset), expected 0x\(Self.hex(expected))")
        case .unreasonableLength(let offset):
            Rule("RFC8410-7", "a length at byte \(offset) is not in its shortest form")
        case .trailingBytes(let offset): Rule("RFC8410-7", "bytes are left over from byte \(offset)")
        case .otherKeyAlgorithm: Rule("RFC8410-3", "the key is not one of Ed25519")
        case .unknownVersion: Rule("RFC5958-2", "the version does not go with the content")
        case .unusedBits: Rule("RFC8410-7", "the bit string has unused bits")
        case .malformedSet(let rejection): Rule("RFC7517-5", "the key set is malformed: \(rejection.text)")
        case .tooManyKeys(let found, let limit):
            Rule("threat-14", "\(found) keys in the set, at most \(limit) allowed")
        case .noUsableKey(let reasons): Rule("RFC7517-5", "none of the set's \(reasons.count) keys can be used")
        }
    }

    private static func hex(_ byte: UInt8) -> String { String(byte, radix: 16) }
}
