public import OAuth2Grants
public import TokenTree
public import Wire

/// The accounts of an edu-ID service as a file has them: a line of JSON for each, behind one that says so.
///
/// A value: whoever changes it writes it whole. People are known by a subject that is made once and never told from
/// their name, so that a name can change hands.
public struct AccountFile: Sendable {
    private var accounts: [Account] = []
    private var places: [UserName: Int] = [:]
    private var subjects: [Record.Subject: Int] = [:]
    /// The most rounds that a password has, or the usual ones; kept, because to look for it would take longer the more
    /// people there are, and only where somebody is not there.
    private(set) var mostRounds = PasswordHash.usualRounds

    /// A person with a login.
    public struct Account: Sendable {
        /// What the person types as name.
        public let name: UserName
        /// Under which name the edu-ID service knows the person.
        public let subject: Record.Subject
        /// The person's attributes by their OpenID Connect names.
        public internal(set) var profile: JSON.Object
        /// Whether the login is shut out.
        public internal(set) var isDisabled = false
        var password: PasswordHash
        var codes: OneTimeCodes?

        /// Whether an authenticator app makes codes for the person.
        package var hasCodes: Bool { codes != nil }

        /// What that app shows at a time; `nil` for who has none.
        package func code(at now: Timestamp) -> String? {
            codes.map { String(decoding: $0.code(of: $0.step(at: now)), as: UTF8.self) }
        }
    }

    /// Nobody.
    public init() {}

    /// The accounts in their order.
    public var all: [Account] { accounts }
}

// MARK: - Changes

extension AccountFile {
    /// The account of a name, which is compared byte by byte.
    public subscript(name: UserName) -> Account? { places[name].map { accounts[$0] } }

    /// The account of a person.
    subscript(subject: Record.Subject) -> Account? { subjects[subject].map { accounts[$0] } }

    /// Adds an account, whose subject is made for it.
    ///
    /// - Parameter rounds: how often the password is hashed, which is what each login costs.
    public mutating func add(
        _ name: UserName, password: Secret.Password, profile: JSON.Object = JSON.Object(), rounds: Int = 210_000,
        using entropy: inout some RandomNumberGenerator
    ) throws(AccountsFailure) {
        guard self[name] == nil else { throw .taken(name: name.text) }
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &entropy) }
        guard let subject = try? Record.Subject(parsing: Base64URL.encode(bytes)) else { throw .taken(name: name.text) }
        let hash = try PasswordHash(of: password, rounds: rounds, using: &entropy)
        append(Account(name: name, subject: subject, profile: profile, password: hash))
    }

    private mutating func append(_ account: Account) {
        mostRounds = accounts.isEmpty ? account.password.rounds : max(mostRounds, account.password.rounds)
        places[account.name] = accounts.count
        subjects[account.subject] = accounts.count
        accounts.append(account)
    }

    /// Gives an account another password.
    public mutating func setPassword(
        _ password: Secret.Password, of name: UserName, rounds: Int = 210_000,
        using entropy: inout some RandomNumberGenerator
    ) throws(AccountsFailure) {
        let place = try place(of: name)
        accounts[place].password = try PasswordHash(of: password, rounds: rounds, using: &entropy)
        mostRounds = accounts.reduce(rounds) { max($0, $1.password.rounds) }
    }

    /// Gives an account another profile.
    public mutating func setProfile(_ profile: JSON.Object, of name: UserName) throws(AccountsFailure) {
        accounts[try place(of: name)].profile = profile
    }

    /// Gives an account one-time codes, if it has none.
    package mutating func addCodes(_ codes: OneTimeCodes, to name: UserName) throws(AccountsFailure) {
        let place = try place(of: name)
        guard !accounts[place].hasCodes else { throw .hasCodes(name: name.text) }
        accounts[place].codes = codes
    }

    /// Takes the one-time codes of an account away.
    package mutating func removeCodes(of name: UserName) throws(AccountsFailure) {
        let place = try place(of: name)
        guard accounts[place].hasCodes else { throw .hasNoCodes(name: name.text) }
        accounts[place].codes = nil
    }

    /// Shuts a login out, or lets it in again; what the person was given stands, and is ended by an administrator.
    public mutating func setDisabled(_ isDisabled: Bool, _ name: UserName) throws(AccountsFailure) {
        accounts[try place(of: name)].isDisabled = isDisabled
    }

    /// Removes an account.
    public mutating func remove(_ name: UserName) throws(AccountsFailure) {
        var rest = accounts
        rest.remove(at: try place(of: name))
        (accounts, places, subjects, mostRounds) = ([], [:], [:], PasswordHash.usualRounds)
        for account in rest { append(account) }
    }

    private func place(of name: UserName) throws(AccountsFailure) -> Int {
        guard let place = places[name] else { throw .unknown(name: name.text) }
        return place
    }
}

// MARK: - As text

extension AccountFile {
    private static let head = #"{"accounts":1}"#
    /// Enough for a large university.
    static let sizeLimit = 256 << 20
    private static let lineLimits = JSON.Limits(size: 64 << 10, depth: 8)

    /// The file.
    public func serialized() -> [UInt8] {
        var bytes = Array((Self.head + "\n").utf8)
        for account in accounts { bytes += JSON.object(account.members).encoded() + [0x0a] }
        return bytes
    }

    /// Reads a file, all or nothing.
    public init(parsing bytes: [UInt8]) throws(AccountsFailure) {
        guard bytes.count <= Self.sizeLimit else {
            throw .malformed(line: 1, words: "begins a file of more than \(Self.sizeLimit >> 20) MiB")
        }
        var number = 0
        for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
            number += 1
            if number == 1 {
                guard line.elementsEqual(Self.head.utf8) else {
                    throw .malformed(line: 1, words: "is not '\(Self.head)'; make the file with 'eduid account add'")
                }
                continue
            }
            if line.isEmpty { continue }
            let account = try Self.account(Array(line), number)
            guard self[account.name] == nil else {
                throw .malformed(line: number, words: "has the name '\(account.name.text)', which stands above already")
            }
            guard subjects[account.subject] == nil else {
                throw .malformed(line: number, words: "has a subject that stands above already")
            }
            append(account)
        }
    }

    private static func account(_ line: [UInt8], _ number: Int) throws(AccountsFailure) -> Account {
        guard let members = (try? JSON(parsing: line, limits: lineLimits))?.object else {
            throw .malformed(line: number, words: "is no JSON object")
        }
        let known: Set<JSON.Name> = ["name", "subject", "password", "otp", "profile", "disabled"]
        if let stranger = members.first(where: { !known.contains($0.name) }) {
            throw .malformed(line: number, words: "has a member '\(stranger.name.text)' that means nothing")
        }
        guard let name = members["name"]?.string.flatMap({ try? UserName(parsing: $0) }) else {
            throw .malformed(line: number, words: "has no 'name'")
        }
        guard let subject = members["subject"]?.string.flatMap({ try? Record.Subject(parsing: $0) }) else {
            throw .malformed(line: number, words: "has no 'subject'")
        }
        guard let password = PasswordHash(members["password"]) else {
            throw .malformed(line: number, words: "has no 'password' of PBKDF2-HMAC-SHA-512")
        }
        var account = Account(
            name: name, subject: subject, profile: members["profile"]?.object ?? JSON.Object(), password: password)
        if let otp = members["otp"] {
            account.codes = OneTimeCodes(otp)
            guard account.hasCodes else { throw .malformed(line: number, words: "has an 'otp' that makes no codes") }
        }
        switch members["disabled"] {
        case nil: break
        case .bool(let isDisabled)?: account.isDisabled = isDisabled
        default: throw .malformed(line: number, words: "has a 'disabled' that is neither true nor false")
        }
        if let profile = members["profile"], profile.object == nil {
            throw .malformed(line: number, words: "has a 'profile' without members")
        }
        return account
    }
}

extension AccountFile.Account {
    fileprivate var members: JSON.Object {
        var members: JSON.Object = [
            "name": .string(name.text), "subject": .string(subject.text), "password": password.json,
            "profile": .object(profile),
        ]
        if let codes { members["otp"] = codes.json }
        if isDisabled { members["disabled"] = true }
        return members
    }
}
