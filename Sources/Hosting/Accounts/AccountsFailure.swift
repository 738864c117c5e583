internal import TokenStores
public import Wire

/// Why accounts are not read or changed; every case says what helps.
public enum AccountsFailure: BrokenRule {
    /// The file cannot be read or written.
    case file(path: String, words: String)
    /// Others can read the file.
    case notPrivate(path: String)
    /// A line is none of such a file.
    case malformed(line: Int, words: String)
    /// There is an account of this name already.
    case taken(name: String)
    /// There is no account of this name.
    case unknown(name: String)
    /// The account has one-time codes, which would be lost.
    case hasCodes(name: String)
    /// The account has no one-time codes.
    case hasNoCodes(name: String)
    /// An authenticator app cannot show codes under such a name.
    case issuer(String, limit: Int)
    /// The number of rounds is outside of its bounds.
    case rounds(Int)

    /// The rule.
    public var rule: Rule {
        switch self {
        case .file(let path, let words): Rule("OPS-1", "'\(path)': \(words)")
        case .notPrivate(let path): Rule("OPS-1", "others can read '\(path)'; run: chmod 600 '\(path)'")
        case .malformed(let line, let words): Rule("OPS-1", "line \(line) of the accounts \(words)")
        case .taken(let name): Rule("OPS-1", "there is an account of the name '\(name)' already")
        case .unknown(let name): Rule("OPS-1", "there is no account of the name '\(name)'")
        case .hasCodes(let name): Rule("OPS-19", "'\(name)' has one-time codes already; remove them first")
        case .hasNoCodes(let name): Rule("OPS-19", "'\(name)' has no one-time codes")
        case .issuer(let name, let limit):
            Rule(
                "OPS-19",
                "an authenticator app shows codes under a name of 1 to \(limit) bytes without a colon and without what "
                    + "is not seen, and not under '\(name)'")
        case .rounds(let count):
            Rule(
                "OPS-2",
                "passwords are hashed in \(PasswordHash.roundBounds.lowerBound) to "
                    + "\(PasswordHash.roundBounds.upperBound) rounds, and not in \(count)")
        }
    }
}
