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
        case .rounds(let count):
            Rule(
                "OPS-2",
                "passwords are hashed in \(PasswordHash.roundBounds.lowerBound) to "
                    + "\(PasswordHash.roundBounds.upperBound) rounds, and not in \(count)")
        }
    }
}
