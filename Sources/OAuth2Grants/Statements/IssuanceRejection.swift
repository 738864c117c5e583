public import JOSE
public import Wire

/// Why nothing was signed, and no version registered: what this side's own keys, claims and versions break.
public enum IssuanceRejection: BrokenRule {
    /// The key cannot sign.
    case signing(SigningKey.Rejection)
    /// The key has no name, by which the reader could find it.
    case namelessKey
    /// The caller's claims would replace one that makes the statement what it is.
    case reservedClaim(JSON.Name)
    /// The statement would be longer than any reader takes.
    case tooLong(length: Int, limit: Int)
    /// The presenter's key cannot be written into the statement.
    case key(JWK.Rejection)
    /// Two versions of the app whose keys have one name.
    case sharedKeyID(KeyID)
    /// Two versions of the app, named here by their keys' names, that have one key.
    case sharedKey(KeyID, KeyID)

    /// The rule that was broken, with what was expected and found.
    public var rule: Rule {
        switch self {
        case .signing(let inner): Rule(inner.clause, inner.text)
        case .namelessKey: Rule("RFC7515-4.1.4", "the key has no 'kid'")
        case .reservedClaim(let name): Rule("threat-50", "the claim '\(name)' is not the caller's to set")
        case .tooLong(let length, let limit):
            Rule("threat-14", "a statement of \(length) bytes, at most \(limit) are read")
        case .key(let inner): Rule(inner.clause, inner.text)
        case .sharedKeyID(let id): Rule("REQ-4", "two versions have keys with the name '\(id)'")
        case .sharedKey(let one, let other): Rule("REQ-4", "the versions '\(one)' and '\(other)' have the same key")
        }
    }
}
