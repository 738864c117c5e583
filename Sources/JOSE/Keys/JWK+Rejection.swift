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
        /// A coordinate or a private key does not have the length of its curve.
        case wrongCoordinateLength(JSON.Name, ECDSACurve, found: Int)
        /// An integer is empty, zero or begins with a zero byte.
        case notMinimal(JSON.Name)
        /// The key breaks a rule of its curve, Ed25519.
        case invalidKey(Curve25519.Signing.Rejection)
        /// The key breaks a rule of its curve, one of NIST.
        case invalidCurveKey(ECDSARejection)
        /// The key breaks a rule for keys of RSA.
        case invalidRSAKey(RSA.Signing.Rejection)
        /// A private key of RSA, which is not taken in any form.
        case privateRSAKey
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
        /// The key is good for several algorithms and names none, and it is to sign.
        case undecidedAlgorithm(KeyType)
        /// The key is shorter than its algorithm's hash.
        case secretTooShort(Algorithm, bytes: Int, least: Int)

        /// The text does not begin or end with the boundary of such a key.
        case noBoundary(label: String)
        /// The document is another one than the one that is wanted, by the label that it has or would have.
        case otherDocument(found: String, expected: String)
        /// Headers stand before the text, as an encrypted key has them.
        case documentHeader
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
        /// An integer is negative, or not in its shortest form.
        case malformedInteger(offset: Int)
        /// The document names another algorithm or curve than those that are taken here.
        case otherKeyAlgorithm(found: String, expected: String)
        /// The algorithm does not have the parameters that it demands.
        case wrongParameters(of: String)
        /// The curve is described, implied or left out, where it must be named.
        case unnamedCurve
        /// The key inside of the document names another curve than the document.
        case otherCurve(found: ECDSACurve, expected: ECDSACurve)
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
        case .wrongCoordinateLength("d", let curve, let found):
            Rule("RFC7518-6.2.2.1", "'d' has \(found) bytes, on \(curve) it has \(curve.coordinateLength)")
        case .wrongCoordinateLength(let name, let curve, let found):
            Rule("RFC7518-6.2.1.2", "'\(name)' has \(found) bytes, on \(curve) it has \(curve.coordinateLength)")
        case .notMinimal(let name): Rule("RFC7518-2", "'\(name)' is not an integer in its shortest form")
        case .invalidKey(let rejection): Rule(rejection.clause, rejection.text)
        case .invalidCurveKey(let rejection): Rule(rejection.clause, rejection.text)
        case .invalidRSAKey(let rejection): Rule(rejection.clause, rejection.text)
        case .privateRSAKey:
            Rule("KEY-5", "private keys of RSA are not taken in any form: whoever holds one signs with it by a Signer")
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
        case .undecidedAlgorithm(let type):
            Rule("KEY-8", "a key of the type '\(type)' serves several algorithms; name the one it signs with in 'alg'")
        case .secretTooShort(let algorithm, let bytes, let least):
            Rule("RFC7518-3.2", "\(algorithm) takes a key of \(least) bytes at least, not \(bytes)")
        case .noBoundary(let label):
            Rule("RFC7468-2", "the text is not enclosed in the boundaries of a '\(label)'")
        case .otherDocument(let found, let expected):
            Rule("KEY-11", "the document is a '\(found)', expected a '\(expected)'\(Self.advice(on: found))")
        case .documentHeader:
            Rule("KEY-11", "the text has headers, as an encrypted key has; decrypt it, and write it without them")
        case .malformedBase64: Rule("RFC7468-2", "the text between the boundaries is not Base64")
        case .truncated: Rule("KEY-11", "the document ends too early")
        case .unexpectedTag(let offset, let expected, let found):
            Rule("KEY-11", "tag 0x\(Self.hex(found)) at byte \(offset), expected 0x\(Self.hex(expected))")
        case .unreasonableLength(let offset):
            Rule("KEY-11", "a length at byte \(offset) is not in its shortest form")
        case .trailingBytes(let offset): Rule("KEY-11", "bytes are left over from byte \(offset)")
        case .malformedInteger(let offset):
            Rule("KEY-11", "the integer at byte \(offset) is negative or not in its shortest form")
        case .otherKeyAlgorithm(let found, let expected):
            Rule("KEY-11", "the key is one of \(found), expected \(expected)")
        case .wrongParameters(let algorithm):
            Rule("RFC8017-A.1", "the parameters of \(algorithm) must be NULL")
        case .unnamedCurve: Rule("RFC5480-2.1.1", "the curve must be named, not described or left out")
        case .otherCurve(let found, let expected):
            Rule("KEY-11", "the key inside is one of \(found), the document of \(expected)")
        case .unknownVersion: Rule("RFC5958-2", "the version does not go with the content")
        case .unusedBits: Rule("KEY-11", "the bit string has unused bits")
        case .malformedSet(let rejection): Rule("RFC7517-5", "the key set is malformed: \(rejection.text)")
        case .tooManyKeys(let found, let limit):
            Rule("threat-14", "\(found) keys in the set, at most \(limit) allowed")
        case .noUsableKey(let reasons): Rule("RFC7517-5", "none of the set's \(reasons.count) keys can be used")
        }
    }

    /// What to do with a document that is another one than the one that is wanted.
    private static func advice(on label: String) -> String {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE", "CERTIFICATE REQUEST",
            "NEW CERTIFICATE REQUEST":
            "; take the public key out of it first"
        case "ENCRYPTED PRIVATE KEY": "; decrypt it first"
        case "OPENSSH PRIVATE KEY", "DSA PRIVATE KEY": "; write it as PKCS #8 first"
        case "RSA PUBLIC KEY": "; write it as SubjectPublicKeyInfo first"
        case "EC PARAMETERS": "; leave that block out, the key names its curve"
        default: ""
        }
    }

    private static func hex(_ byte: UInt8) -> String { String(byte, radix: 16) }
}
