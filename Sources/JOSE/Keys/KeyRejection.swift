/// Why a key cannot be used for what was asked.
public enum KeyRejection: Error, Equatable, Sendable {
    /// The key's type, or its curve, is none that this module computes with.
    case unsupportedType(KeyType)
    /// The key is meant for something else than signatures.
    case otherUse(found: KeyUse)
    /// The key lists what may be done with it, and this is not listed.
    case operationNotAllowed(KeyOperation)
    /// The algorithm is not one for keys of this type.
    case otherAlgorithm(Algorithm, KeyType)
    /// The key is shorter than its algorithm's hash.
    case secretTooShort(Algorithm, bytes: Int, least: Int)

    /// The clause that states the rule.
    public var clause: String {
        switch self {
        case .unsupportedType: "RFC7517-4.1"
        case .otherUse: "RFC7517-4.2"
        case .operationNotAllowed: "RFC7517-4.3"
        case .otherAlgorithm: "RFC7517-4.4"
        case .secretTooShort: "RFC7518-3.2"
        }
    }
}

extension KeyRejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .unsupportedType(let type): "keys of the type '\(type)' with this curve are not computed with here"
        case .otherUse(let found): "the key's use is '\(found)', expected 'sig'"
        case .operationNotAllowed(let operation): "the key's operations do not include '\(operation)'"
        case .otherAlgorithm(let algorithm, let type):
            "the algorithm '\(algorithm)' is not one for keys of the type '\(type)'"
        case .secretTooShort(let algorithm, let bytes, let least):
            "\(algorithm) takes a key of \(least) bytes at least, not \(bytes)"
        }
    }
}
