/// The scripts by which shells complete the words of a command line.
struct Completion {
    /// A command with the names of all above it, the program's first.
    private struct Place {
        let words: [String]
        let command: Command

        var spaced: String { words.joined(separator: " ") }
        var function: String { "_" + words.joined(separator: "_") }
        var takesFiles: Bool { command.arguments.contains { Completion.isFile($0.kind) } }
        var choices: [String] { command.arguments.flatMap(\.kind.choices) }
        var options: [Option] { command.allOptions }
    }

    private let places: [Place]
    private let program: String

    init(of root: Command) {
        program = root.name
        places = Self.places(below: root, [])
    }

    private static func places(below command: Command, _ above: [String]) -> [Place] {
        let words = above + [command.name]
        return [Place(words: words, command: command)] + command.subcommands.flatMap { places(below: $0, words) }
    }

    private static func isFile(_ kind: ValueKind) -> Bool {
        switch kind {
        case .file, .destination: true
        case .text, .choice: false
        }
    }
}

// MARK: - bash

extension Completion {
    var bash: String {
        var descents: [String] = []
        var values: [String] = []
        var words: [String] = []
        for place in places {
            descents += place.command.subcommands.map { "\"\(place.spaced) \($0.name)\"" }
            for option in place.options {
                guard option.value != nil else { continue }
                let pattern = option.spellings.map { "\"\(place.spaced) \($0)\"" }.joined(separator: "|")
                let action =
                    Self.isFile(option.kind)
                    ? "_\(program)_files \"$current\""
                    : "COMPREPLY=($(compgen -W \"\(option.kind.choices.joined(separator: " "))\" -- \"$current\"))"
                values.append("        \(pattern)) \(action); return ;;")
            }
            let known = place.command.subcommands.map(\.name) + place.choices + place.options.flatMap(\.spellings)
            let files = place.takesFiles ? " files=1" : ""
            words.append("        \"\(place.spaced)\") words=\"\(known.joined(separator: " "))\"\(files) ;;")
        }
        return """
            # bash completion for \(program)
            _\(program)_files() {
                local IFS=$'\\n'
                COMPREPLY+=($(compgen -f -- "$1"))
            }
            _\(program)() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
                local place="\(program)" words="" files="" word
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case "$place $word" in
                    \(descents.joined(separator: "|"))) place="$place $word" ;;
                    esac
                done
                COMPREPLY=()
                case "$place $previous" in
            \(values.joined(separator: "\n"))
                esac
                case "$place" in
            \(words.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                if [[ -n $files && $current != -* ]]; then _\(program)_files "$current"; fi
            }
            complete -o filenames -F _\(program) \(program)

            """
    }
}

// MARK: - zsh

extension Completion {
    var zsh: String {
        let functions = places.map { place in
            place.command.subcommands.isEmpty ? Self.leaf(place) : Self.group(place)
        }
        return "#compdef \(program)\n\n" + functions.joined(separator: "\n") + "\ncompdef _\(program) \(program)\n"
    }

    private static func group(_ place: Place) -> String {
        let commands = place.command.subcommands.map { "        \(quoted($0.name + ":" + $0.abstract))" }
        let branches = place.command.subcommands.map { "        \($0.name)) \(place.function)_\($0.name) ;;" }
        let options = place.options.flatMap(specifications).map { " " + quoted($0) }.joined()
        return """
            \(place.function)() {
                local context state line
                local -a commands=(
            \(commands.joined(separator: "\n"))
                )
                _arguments -C\(options) '1: :->command' '*:: :->words'
                case "$state" in
                command) _describe command commands ;;
                words)
                    case "$line[1]" in
            \(branches.joined(separator: "\n"))
                    esac
                    ;;
                esac
            }

            """
    }

    private static func leaf(_ place: Place) -> String {
        let options = place.options.flatMap(specifications)
        let arguments = place.command.arguments.map { argument in
            (argument.isRepeated ? "*" : "") + ":\(argument.name):\(action(argument.kind))"
        }
        let lines = (options + arguments).map { "        " + quoted($0) }
        return "\(place.function)() {\n    _arguments -s \\\n" + lines.joined(separator: " \\\n") + "\n}\n"
    }

    private static func specifications(_ option: Option) -> [String] {
        option.spellings.map { spelling in
            let star = option.isRepeated ? "*" : ""
            let description = "[\(escaped(option.abstract))]"
            guard let value = option.value else { return star + spelling + description }
            return star + spelling + (spelling.hasPrefix("--") ? "=" : "") + description
                + ":\(value):\(action(option.kind))"
        }
    }

    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text: " "
        case .file, .destination: "_files"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

// MARK: - fish

extension Completion {
    var fish: String {
        var lines = [
            """
            # fish completion for \(program)
            function __\(program)_at
                set -l words (commandline -opc)
                set -l at
                for word in $words[2..-1]
                    if not string match -q -- '-*' $word; and contains -- "$at $word" \(groups)
                        set at "$at $word"
                    end
                end
                test "$at" = "$argv[1]"
            end
            complete -c \(program) -f
            """
        ]
        for place in places {
            let at = "-n \"__\(program)_at '\(Self.below(place.words))'\""
            for command in place.command.subcommands {
                lines.append("complete -c \(program) \(at) -a \(command.name) -d \(Self.fishQuoted(command.abstract))")
            }
            if !place.choices.isEmpty {
                lines.append("complete -c \(program) \(at) -a '\(place.choices.joined(separator: " "))'")
            }
            if place.takesFiles { lines.append("complete -c \(program) \(at) -F") }
            for option in place.options { lines.append("complete -c \(program) \(at)" + Self.fishWords(option)) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The words of each command below the program, as the script's function collects them.
    private var groups: String {
        places.dropFirst().map { "'\(Self.below($0.words))'" }.joined(separator: " ")
    }

    private static func below(_ words: [String]) -> String {
        words.dropFirst().map { " " + $0 }.joined()
    }

    private static func fishWords(_ option: Option) -> String {
        var words = " -l \(option.name)" + (option.short.map { " -s \($0)" } ?? "")
        if option.value != nil {
            words += isFile(option.kind) ? " -rF" : " -x"
            if !option.kind.choices.isEmpty { words += " -a '\(option.kind.choices.joined(separator: " "))'" }
        }
        return words + " -d " + fishQuoted(option.abstract)
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
