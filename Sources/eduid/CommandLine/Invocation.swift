/// Why a command did not do what it was asked for.
enum Failure: Error, Equatable {
    /// The words of the command line are not what the command takes: exit status 64, with the usage line.
    case misuse(String)
    /// The command ran, and the answer is no: exit status 1.
    case refused(String)
}

/// The words of a command line, sorted into what its command takes.
struct Invocation {
    /// The command with all above it, the program first.
    let path: [Command]
    private var positional: [[String]]
    private var optional: [(option: String, value: String)] = []

    var command: Command { path[path.count - 1] }

    /// The value of an option, or what holds where it is not given.
    subscript(option: Option) -> String? { all(option).last ?? option.fallback }

    /// All values of an option that may be repeated.
    func all(_ option: Option) -> [String] {
        optional.filter { $0.option.spells(option.name) }.map(\.value)
    }

    func has(_ flag: Option) -> Bool { !all(flag).isEmpty }

    /// All words that stand for an argument.
    func all(_ argument: Argument) -> [String] {
        zip(command.arguments, positional).first { $0.0.name.spells(argument.name) }?.1 ?? []
    }

    /// The word that stands for an argument.
    func required(_ argument: Argument) throws(Failure) -> String {
        guard let word = all(argument).first else { throw .misuse("Missing expected argument '<\(argument.name)>'") }
        return word
    }

    /// The value of an option that must be given.
    func required(_ option: Option) throws(Failure) -> String {
        guard let value = self[option] else { throw .misuse("Missing expected option '\(option.signature)'") }
        return value
    }

    /// A value that the option cannot have, though its form was right.
    static func invalid(_ value: String, _ option: Option, _ reason: String) -> Failure {
        .misuse("The value '\(value)' is invalid for '\(option.signature)': \(reason)")
    }
}

// MARK: - Parsing

extension Invocation {
    /// Sorts the words behind the command's name.
    init(_ words: ArraySlice<String>, to path: [Command]) throws(Failure) {
        self.path = path
        positional = Array(repeating: [], count: path.last?.arguments.count ?? 0)
        var rest = words
        var loose: [String] = []
        while let word = rest.popFirst() {
            if word.spells("--") {
                loose += rest
                break
            }
            if word.utf8.first != UInt8(ascii: "-") || word.spells("-") || isName(word) {
                loose.append(word)
            } else {
                try take(word, &rest)
            }
        }
        try place(loose)
        for option in command.options where option.isRequired { _ = try required(option) }
        try checkStandardInput()
    }

    /// Takes an option, with its value in the same word or in the next one.
    private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(Failure) {
        let equals = word.utf8.starts(with: "--".utf8) ? word.firstIndex(of: "=") : nil
        let name = String(word[..<(equals ?? word.endIndex)])
        guard let option = command.allOptions.first(where: { $0.spellings.contains { $0.spells(name) } }) else {
            let hint = takesNames ? ". A name that begins like that goes behind '--'" : ""
            throw Self.unknown(option: name, among: command.allOptions, or: hint)
        }
        var value = ""
        if let valueName = option.value {
            if let equals {
                value = String(word[word.index(after: equals)...])
            } else if let next = rest.first, !isOption(next) {
                value = rest.removeFirst()
            } else {
                throw .misuse("Missing value for '\(name) <\(valueName)>'")
            }
            try Self.check(value, option.kind, for: option.signature)
        } else if equals != nil {
            throw .misuse("The option '\(name)' does not take a value")
        }
        guard option.isRepeated || !has(option) else {
            throw .misuse("The option '\(option.signature)' is given more than once")
        }
        optional.append((option.name, value))
    }

    /// Whether a word is an option rather than the value of one: with two dashes in any case, because it may be spelled
    /// wrongly, and with one if the command has it; hashes and names may begin with that.
    private func isOption(_ word: String) -> Bool {
        word.utf8.starts(with: "--".utf8)
            || command.allOptions.contains { option in option.spellings.contains { $0.spells(word) } }
    }

    /// Whether a word is an argument although it begins with a dash: names that were drawn by chance may.
    ///
    /// One that comes near an option is that option, spelled wrongly.
    private func isName(_ word: String) -> Bool {
        takesNames && word.utf8.count > 2 && !isOption(word)
            && Self.suggestion(for: word, among: command.allOptions.flatMap(\.spellings)).isEmpty
    }

    private var takesNames: Bool {
        command.arguments.contains { if case .text = $0.kind { true } else { false } }
    }

    /// Gives each argument its words; those that may be left out or repeated leave enough for those behind them.
    private mutating func place(_ words: [String]) throws(Failure) {
        var rest = words[...]
        for (index, argument) in command.arguments.enumerated() {
            let reserved = command.arguments[(index + 1)...].count(where: \.isRequired)
            let available = max(argument.isRequired ? 1 : 0, rest.count - reserved)
            let taken = rest.prefix(argument.isRepeated ? available : min(1, available))
            if taken.isEmpty, argument.isRequired { throw .misuse("Missing expected argument '<\(argument.name)>'") }
            for word in taken { try Self.check(word, argument.kind, for: "<\(argument.name)>") }
            positional[index] = Array(taken)
            rest = rest.dropFirst(taken.count)
        }
        guard let first = rest.first else { return }
        throw .misuse("Unexpected argument '\(first)'")
    }

    private static func check(_ value: String, _ kind: ValueKind, for place: String) throws(Failure) {
        switch kind {
        case .text: break
        case .file, .destination:
            guard !value.isEmpty else { throw .misuse("The value '' is invalid for '\(place)': a file has a name") }
        case .choice(let words):
            guard words.contains(where: { $0.spells(value) }) else {
                throw .misuse(
                    "The value '\(value)' is invalid for '\(place)': expected one of \(words.joined(separator: ", "))")
            }
        }
    }

    /// Standard input can be read once.
    private func checkStandardInput() throws(Failure) {
        func isFile(_ kind: ValueKind) -> Bool {
            if case .file = kind { true } else { false }
        }
        let options = command.options.filter { isFile($0.kind) }.flatMap { all($0) }
        let arguments = command.arguments.filter { isFile($0.kind) }.flatMap { all($0) }
        guard (options + arguments).count(where: { $0.spells("-") }) < 2 else {
            throw .misuse("Standard input ('-') can be read only once")
        }
    }

    // MARK: suggestions

    static func unknown(option name: String, among options: [Option], or hint: String = "") -> Failure {
        let near = suggestion(for: name, among: options.flatMap(\.spellings))
        return .misuse("Unknown option '\(name)'" + (near.isEmpty ? hint : near))
    }

    static func unknown(command name: String, among commands: [Command]) -> Failure {
        .misuse("Unknown command '\(name)'" + suggestion(for: name, among: commands.map(\.name)))
    }

    /// The known word that is meant, in words, where one is near.
    static func suggestion(for word: String, among known: [String]) -> String {
        // A word that is longer than any known one by that much resembles none; the bound keeps the work small.
        guard word.count <= 40 else { return "" }
        let near = known.filter { $0.count > 2 }.map { (word: $0, distance: distance(word, $0)) }.min {
            $0.distance < $1.distance
        }
        guard let near, near.distance <= max(1, near.word.count / 3) else { return "" }
        return ". Did you mean '\(near.word)'?"
    }

    /// How many letters have to be put in, left out or replaced to make one word of the other.
    private static func distance(_ one: String, _ other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, candidate) in letters.enumerated() {
                let replaced = diagonal + (letter == candidate ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[letters.count]
    }
}
