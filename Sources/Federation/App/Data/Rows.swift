public import OAuth2Grants
public import RSD2
public import Wire

// MARK: - EduidConfiguration

/// A row of `EduidConfiguration` (DAT-2): a setting of the app or its user.
public struct Setting: RelationRow {
    /// What the setting is called (`cfg_name`); the key.
    public let name: Name
    /// What it is set to (`cfg_value`).
    public let value: String

    /// The name of a setting.
    public typealias Name = Identifier<NameKind>

    /// Names a setting.
    public enum NameKind: IdentifierKind {}

    /// Sets a name to a value.
    public init(_ name: Name, to value: String) {
        self.name = name
        self.value = value
    }

    /// The name.
    public var key: Name { name }

    /// Whether name and value have the same bytes.
    public static func == (one: Setting, other: Setting) -> Bool {
        one.name == other.name && one.value.utf8.elementsEqual(other.value.utf8)
    }
}

// MARK: - Protocols

/// A row of `Protocols` (DAT-2): which protocols apps have requested of a service, whose description `UserServices`
/// keeps.
///
/// The source's key allows a service one row. Where several protocols were requested, its one field `protocol_id` lists
/// them, one in a line; line ends are no part of names.
public struct RequestedProtocols: RelationRow {
    /// The service (`baseurl`); the key.
    public let baseURL: ServiceURL
    /// What was requested of it (`protocol_id`), sorted, each once, at least one.
    public let names: [ProtocolName]

    /// Notes what was requested of a service.
    public init(_ names: some Sequence<ProtocolName>, of baseURL: ServiceURL) throws(RowRejection) {
        let sorted = names.sorted()
        guard !sorted.isEmpty else { throw .nothingRequested }
        for (name, next) in zip(sorted, sorted.dropFirst()) where name == next { throw .repeatedProtocol(name) }
        self.baseURL = baseURL
        self.names = sorted
    }

    /// The service.
    public var key: ServiceURL { baseURL }
}

// MARK: - Tokens

/// A row of `Tokens` (DAT-2): a token with whom it speaks for, where it is good, and of what type it is.
///
/// Its description shows no token.
public struct StoredToken: RelationRow {
    /// Whom, where and what; all three together are the key.
    public let key: Key
    /// The token itself (`token`).
    public let token: TokenText

    /// What tells tokens apart.
    public struct Key: Hashable, Comparable, Sendable {
        /// Whom the token speaks for (`subject`).
        public let subject: Subject
        /// Where it is good (`target`).
        public let target: Target
        /// What it is (`type`).
        public let type: Kind

        /// Names a token.
        public init(subject: Subject, target: Target, type: Kind) {
            self.subject = subject
            self.target = target
            self.type = type
        }

        /// Whether one comes before the other: by subject, then by target, then by type, byte by byte.
        public static func < (one: Key, other: Key) -> Bool {
            if one.subject != other.subject { return one.subject < other.subject }
            return one.target == other.target ? one.type < other.type : one.target < other.target
        }
    }

    /// Whom a token speaks for: the instance, or its user.
    public typealias Subject = Identifier<SubjectKind>

    /// Names a subject.
    public enum SubjectKind: IdentifierKind {}

    /// Where a token is good: the name or URL of its audience.
    public typealias Target = Identifier<TargetKind>

    /// Names an audience.
    public enum TargetKind: IdentifierKind {}

    /// What a token is; the list is open.
    public typealias Kind = Identifier<TypeKind>

    /// Names a kind of token.
    public enum TypeKind: IdentifierKind {}

    /// Keeps a token under its key.
    public init(_ token: TokenText, as key: Key) {
        self.key = key
        self.token = token
    }
}

/// What the relation `Tokens` keeps as a token: a text that only its user understands, be it a token alone or all that
/// an issuer answered.
public typealias TokenText = Secret.Text<StoredToken.TextKind>

extension StoredToken {
    /// The kind of ``TokenText``.
    public enum TextKind: Secret.Kind {
        /// What messages call it.
        public static var title: String { "stored token" }
        /// A token may be of 16 KiB, and an answer has two.
        public static var lengths: ClosedRange<Int> { 1...65_536 }
        /// An issuer's answer has characters that a token alone has not.
        public static var alphabet: Secret.Alphabet { .typed }
    }
}

extension StoredToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key, without the token.
    public var description: String { "\(key.type) of \(key.subject) for \(key.target) (redacted)" }

    /// The same: a debugger's output ends up in logs.
    public var debugDescription: String { description }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
