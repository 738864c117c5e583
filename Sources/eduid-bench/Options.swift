/// Why a command line cannot be run, with what it might have been.
struct UsageError: Error {
    let message: String
    let usage: String
}

/// What the command line asks for.
struct Options {
    var json = false
    var only: String?
    var seconds = 1.0
    var help = false

    static let usage = """
        USAGE: eduid-bench [--json] [--only <name>] [--seconds <seconds>]
               eduid-bench simulate [--histories <count>] [--seed <seed>] [--steps <steps>]
               eduid-bench footprint
               eduid-bench interactions
               eduid-bench flood
               eduid-bench logout-260000
               eduid-bench threads
               eduid-bench journal <folder> [<records>]
               eduid-bench databases <folder> [<records>]
               eduid-bench soak <folder> [journal|sqlite|postgresql] [<seconds>]

        Measures the suite's hot paths and prints the median time of one operation on a
        processor, and where somebody else does the same, how many times as long that takes
        in the same run.
        'simulate' plays histories to the token tree, 'footprint' measures memory,
        'interactions' measures what those of a device cost the services that take part,
        'flood' lets 18 million proofs come in ten minutes of a store's time,
        'logout-260000' signs a user out who was introduced 260,000 times,
        'threads' measures what two threads do with one store beside one thread,
        'journal' makes a store in a folder that is not there yet, and measures durable
        commits, a restart, and the longest commit while a snapshot is written or a purge goes
        on, 'databases' measures what a program built with --traits SQLite,PostgreSQL commits
        to them, beside the same statements by hand ('.ci/databases' starts a server for it),
        'soak' commits what soon ends for ten minutes, and fails if memory or files grow.

        OPTIONS:
          --json               One JSON object per line: name, unit, nanoseconds, spread, iterations,
                               and with a rival: rival, rivalNanoseconds, ratio.
          --only <name>        Run the benchmark of this name; a trailing '*' runs all that start alike.
          --seconds <seconds>  How long to measure each (default: 1).
          -h, --help           Show this text.

        """

    private static func misuse(_ message: String) -> UsageError { UsageError(message: message, usage: usage) }

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": json = true
            case "--only":
                guard let name = rest.popFirst() else { throw Self.misuse("Missing value for '--only <name>'") }
                only = name
            case "--seconds":
                guard let text = rest.popFirst(), let value = Double(text), value > 0, value <= 3600 else {
                    throw Self.misuse("'--seconds' takes a number above 0 and up to 3600")
                }
                seconds = value
            case "-h", "--help": help = true
            default: throw Self.misuse("Unknown option '\(argument)'")
            }
        }
    }

    /// Whether names that begin with one of these words can be selected.
    func mayConcern(_ words: [String]) -> Bool {
        guard let only else { return true }
        let wanted = only.hasSuffix("*") ? only.dropLast() : only[...]
        return words.contains { wanted.hasPrefix($0) || $0.hasPrefix(wanted) }
    }

    func selects(_ name: String) -> Bool {
        guard let only else { return true }
        return only.hasSuffix("*") ? name.hasPrefix(only.dropLast()) : name == only
    }
}
