import Foundation

extension Command {
    /// Does what the words ask for, and answers the exit status.
    func execute(_ words: [String], on console: inout Console) -> Int32 {
        var path = [self]
        var rest = words[...]
        while let word = rest.first, let next = path[path.count - 1].subcommand(word) {
            path.append(next)
            rest.removeFirst()
        }
        do throws(Failure) {
            try Self.perform(rest, path, &console)
            guard console.isBroken else { return EXIT_SUCCESS }
            console.complain("Error: cannot write to standard output", as: .bad)
            return EXIT_FAILURE
        } catch {
            switch error {
            case .refused(let message):
                console.complain("Error: " + message, as: .bad)
                return EXIT_FAILURE
            case .misuse(let message):
                console.complain("Error: " + message, as: .bad)
                console.complain("Usage: \(Self.usage(of: path))")
                console.complain("  See '\(path.map(\.name).joined(separator: " ")) --help' for more information.")
                return EX_USAGE
            }
        }
    }

    private static func perform(_ words: ArraySlice<String>, _ path: [Command], _ console: inout Console)
        throws(Failure)
    {
        let options = words.prefix { !$0.spells("--") }
        if options.contains(where: { word in Option.help.spellings.contains { $0.spells(word) } }) {
            console.write(manual(of: path))
            return
        }
        let command = path[path.count - 1]
        guard let run = command.run else {
            try show(words, path, &console)
            return
        }
        try run(try Invocation(words, to: path), &console)
    }

    /// What a group answers: its help, or what is wrong with the word that is none of its commands.
    private static func show(_ words: ArraySlice<String>, _ path: [Command], _ console: inout Console) throws(Failure) {
        guard let word = words.first else {
            console.write(manual(of: path))
            return
        }
        let command = path[path.count - 1]
        if let version = command.version, word.spells("--version") {
            guard words.count == 1 else { throw .misuse("Unexpected argument '\(words[words.startIndex + 1])'") }
            console.write(version + "\n")
            return
        }
        let isOption = word.utf8.first == UInt8(ascii: "-")
        throw isOption
            ? Invocation.unknown(option: word, among: command.allOptions)
            : Invocation.unknown(command: word, among: command.subcommands)
    }
}

// MARK: - Commands about commands

extension Command {
    private static let command = Argument(
        name: "command", kind: .text, abstract: "The command, such as 'key public'.", arity: .any)

    /// Shows the help of a command.
    static let help = Command(name: "help", abstract: "Show help for a command.", arguments: [command]) {
        (invocation, console) throws(Failure) in
        var path = [invocation.path[0]]
        for word in invocation.all(command) {
            let group = path[path.count - 1]
            guard let next = group.subcommand(word) else {
                throw Invocation.unknown(command: word, among: group.subcommands)
            }
            path.append(next)
        }
        console.write(manual(of: path))
    }

    private static let shell = Argument(name: "shell", kind: .choice(["bash", "zsh", "fish"]), abstract: "The shell.")

    /// Prints a completion script.
    static let completions = Command(
        name: "completions", abstract: "Print the script by which a shell completes commands.", arguments: [shell],
        discussion: """
            bash reads it from ~/.local/share/bash-completion/completions/eduid, zsh from a file
            named _eduid in a folder of $fpath, fish from ~/.config/fish/completions/eduid.fish.
            """
    ) { (invocation, console) throws(Failure) in
        let completion = Completion(of: invocation.path[0])
        switch try invocation.required(shell) {
        case "zsh": console.write(completion.zsh)
        case "fish": console.write(completion.fish)
        default: console.write(completion.bash)
        }
    }
}
