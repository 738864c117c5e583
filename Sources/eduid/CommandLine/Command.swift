/// A command as a value: what it is called, what it takes and what it does.
///
/// Parsing, help, usage lines and completions are all made from these values, so that none of them can say something
/// that the others do not.
struct Command: Sendable {
    typealias Run = @Sendable (Invocation, inout Console) throws(Failure) -> Void

    let name: String
    /// One line, as it stands in the list of commands.
    let abstract: String
    /// What else the help says, in paragraphs that blank lines part.
    let discussion: String
    let arguments: [Argument]
    let options: [Option]
    let subcommands: [Command]
    /// The version of the program, `nil` for a command below it.
    let version: String?
    /// `nil` for a group, which only shows its subcommands.
    let run: Run?

    /// A command that does something.
    init(
        _ name: String, _ abstract: String, arguments: [Argument] = [], options: [Option] = [], discussion: String = "",
        run: @escaping Run
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        subcommands = []
        version = nil
        self.run = run
    }

    /// A group of commands.
    init(
        _ name: String, _ abstract: String, discussion: String = "", version: String? = nil, subcommands: [Command]
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        arguments = []
        options = []
        self.subcommands = subcommands
        self.version = version
        run = nil
    }

    func subcommand(_ name: String) -> Command? {
        subcommands.first { $0.name.spells(name) }
    }

    /// What the command takes, with what every command takes; the program alone shows its version.
    var allOptions: [Option] { (version == nil ? [] : [.version]) + options + [.help] }
}

/// What a word of the command line stands for.
enum ValueKind: Sendable {
    case text
    /// A path, or `-` for standard input.
    case file
    /// A path that is written to.
    case destination
    /// One of these words.
    case choice([String])

    var choices: [String] {
        if case .choice(let words) = self { words } else { [] }
    }
}

/// A word that is told from others by its place.
struct Argument: Sendable {
    enum Arity: Sendable {
        case one, optional, many, any
    }

    let name: String
    let kind: ValueKind
    let arity: Arity
    let abstract: String

    init(_ name: String, _ kind: ValueKind, _ abstract: String, _ arity: Arity = .one) {
        self.name = name
        self.kind = kind
        self.arity = arity
        self.abstract = abstract
    }

    var isRequired: Bool { arity == .one || arity == .many }
    var isRepeated: Bool { arity == .many || arity == .any }

    /// `<file> ...`, in brackets where it may be left out.
    var usage: String {
        let text = "<\(name)>" + (isRepeated ? " ..." : "")
        return isRequired ? text : "[\(text)]"
    }
}

/// A word that begins with a dash, and the value behind it.
struct Option: Sendable {
    struct Value: Sendable {
        let name: String
        let kind: ValueKind
        /// What holds where the option is not given, for the help.
        let fallback: String?
    }

    let name: String
    let short: Character?
    /// `nil` for a flag.
    let value: Value?
    let isRequired: Bool
    let isRepeated: Bool
    let abstract: String

    /// An option with a value.
    init(
        _ name: String, short: Character? = nil, _ valueName: String, _ abstract: String, _ kind: ValueKind = .text,
        fallback: String? = nil, isRequired: Bool = false, isRepeated: Bool = false
    ) {
        self.name = name
        self.short = short
        value = Value(name: valueName, kind: kind, fallback: fallback)
        self.isRequired = isRequired
        self.isRepeated = isRepeated
        self.abstract = abstract
    }

    /// A flag.
    init(flag name: String, short: Character? = nil, _ abstract: String) {
        self.name = name
        self.short = short
        value = nil
        isRequired = false
        isRepeated = false
        self.abstract = abstract
    }

    static let help = Option(flag: "help", short: "h", "Show help information.")
    static let version = Option(flag: "version", "Show the version.")

    /// The option in all its forms: `-o`, `--out`.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }

    /// `--out <file>`.
    var signature: String { "--" + name + (value.map { " <\($0.name)>" } ?? "") }

    /// The signature, in brackets where the option may be left out.
    var usage: String {
        let text = signature + (isRepeated ? " ..." : "")
        return isRequired ? text : "[\(text)]"
    }
}

extension String {
    /// Whether both consist of the same bytes.
    ///
    /// `==` takes texts for equal that only look the same.
    func spells(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
