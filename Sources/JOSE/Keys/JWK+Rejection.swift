public import PureCrypto
public import Wire

extension JWK {
    /// Why a text is no key.
    ///
    /// No case carries key material.
    public enum Rejection: Error, Equatable, Sendable {
        /// Not JSON, or a member that is missing or of the wrong type.
        case malformed(JSON.Rejection)
        /// A member is not canonical Base64url.
        case malformedBase64URL(JSON.Name, SyntaxError)
        /// A member has the wrong number of bytes.
        case wrongLength(JSON.Name, expected: Int, found: Int)
        /// An integer is empty, zero or begins with a zero byte.
        case notMinimal(JSON.Name)
        /// The public key is none by the rules of its curve.
        case invalidPoint(Curve25519.Signing.Rejection)
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
        /// The key names an algorithm for keys of another type.
        case otherAlgorithm(Algorithm, KeyType)
        /// The key's name breaks a rule for names.
        case malformedID(SyntaxError)
        /// An operation is listed twice.
        case repeatedOperation(KeyOperation)
        /// The key's use excludes an operation that it lists.
        case inconsistentUse(KeyUse, KeyOperation)
        /// The key is well-formed, but nothing can be done with it here.
        case unusable(KeyRejection)

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .malformed(let rejection): rejection.clause
            case .malformedBase64URL: "RFC7515-2"
            case .wrongLength, .noSecret: "RFC8037-2"
            case .notMinimal: "RFC7518-2"
            case .invalidPoint(let rejection): rejection.clause
            case .mismatchedPair: "threat-8"
            case .secretMember: "RFC7517-9.2"
            case .emptySecret: "RFC7518-6.4.1"
            case .unsecuredAlgorithm: "threat-1"
            case .otherAlgorithm: "RFC7517-4.4"
            case .malformedID: "RFC7517-4.5"
            case .repeatedOperation, .inconsistentUse: "RFC7517-4.3"
            case .unusable(let rejection): rejection.clause
            }
        }
    }
}

extension JWK.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .malformed(let rejection): "the key is malformed: \(rejection)"
        case .malformedBase64URL(let name, let rejection): "'\(name)' is not Base64url: \(rejection)"
        case .wrongLength(let name, let expected, let found): "'\(name)' has \(found) bytes, expected \(expected)"
        case .notMinimal(let name): "'\(name)' is not an integer in its shortest form"
        case .invalidPoint(let rejection): rejection.description
        case .mismatchedPair: "the public key 'x' does not belong to the private key 'd'"
        case .secretMember(let name): "a public key must not have the secret member '\(name)'"
        case .noSecret: "a private key must have its secret"
        case .emptySecret: "the secret is empty"
        case .unsecuredAlgorithm: "the key names the algorithm 'none'"
        case .otherAlgorithm(let algorithm, let type):
            "the algorithm '\(algorithm)' is not one for keys of the type '\(type)'"
        case .malformedID(let rejection): "'kid' is no name: \(rejection)"
        case .repeatedOperation(let operation): "'key_ops' lists '\(operation)' twice"
        case .inconsistentUse(let use, let operation): "the use '\(use)' excludes the operation '\(operation)'"
        case .unusable(let rejection): rejection.description
        }
    }
}
