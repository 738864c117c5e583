/// A command as a value: what it is called, what it takes and what it does.
///
/// Parsing, help, usage lines and completions are all made from these values, so that none of them can say something
/// that the others do not.
struct Command: Sendable {
    typealias Run = @Sendable (Invocation, inout Console) throws(Failure) -> Void

    let name: String
    /// One line, as it stands in the list of commands.
    let abstract: String
    var arguments: [Argument] = []
    var options: [Option] = []
    /// What else the help says, in paragraphs that blank lines part.
    var discussion = ""
    /// The version of the program, `nil` for a command below it.
    var version: String?
    var subcommands: [Command] = []
    /// `nil` for a group, which only shows its subcommands.
    var run: Run?

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
    let abstract: String
    var arity = Arity.one

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
    let name: String
    var short: Character?
    /// What the value is called, `nil` for a flag.
    var value: String?
    let abstract: String
    var kind = ValueKind.text
    /// What holds where the option is not given, for the help.
    var fallback: String?
    var isRequired = false
    var isRepeated = false

    static let help = Option(name: "help", short: "h", abstract: "Show help information.")
    static let version = Option(name: "version", abstract: "Show the version.")

    /// The option in all its forms: `-o`, `--out`.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }

    /// `--out <file>`.
    var signature: String { "--" + name + (value.map { " <\($0)>" } ?? "") }

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
