/// What the program says about its commands.
extension Command {
    /// The line that says how the command is called.
    static func usage(of path: [Command]) -> String {
        guard let command = path.last else { return "" }
        var words = path.map(\.name)
        if command.run == nil {
            words.append("<subcommand>")
        } else {
            // `--help` goes without saying.
            words += command.options.map(\.usage) + command.arguments.map(\.usage)
        }
        return words.joined(separator: " ")
    }

    /// The whole help of a command.
    static func manual(of path: [Command]) -> String {
        guard let command = path.last else { return "" }
        var sections = ["OVERVIEW: " + wrapped(command.abstract, indentation: 4, first: 10)]
        sections += paragraphs(of: command.discussion)
        sections.append("USAGE: " + wrapped(usage(of: path), indentation: 4, first: 7))
        sections.append(
            list(
                "ARGUMENTS",
                command.arguments.map { ("<\($0.name)>", $0.abstract + note(choices: $0.kind.choices, fallback: nil)) })
        )
        sections.append(
            list(
                "OPTIONS",
                command.allOptions.map { option in
                    let text = (option.short.map { "-\($0), " } ?? "") + option.signature
                    return (
                        text,
                        option.abstract
                            + note(choices: option.kind.choices, fallback: option.fallback)
                    )
                }))
        sections.append(list("SUBCOMMANDS", command.subcommands.map { ($0.name, $0.abstract) }))
        if command.run == nil {
            let words = ["help"] + path.dropFirst().map(\.name)
            sections.append("  See '\(path[0].name) \(words.joined(separator: " ")) <subcommand>' for detailed help.")
        }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static func note(choices: [String], fallback: String?) -> String {
        var notes: [String] = []
        if !choices.isEmpty { notes.append("values: " + choices.joined(separator: ", ")) }
        if let fallback { notes.append("default: " + fallback) }
        return notes.isEmpty ? "" : " (" + notes.joined(separator: "; ") + ")"
    }

    /// The paragraphs of a text, which blank lines part; how their lines are broken in the source does not count.
    private static func paragraphs(of text: String) -> [String] {
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { paragraphs.append([]) } else { paragraphs[paragraphs.count - 1].append(line) }
        }
        return paragraphs.filter { !$0.isEmpty }.map { wrapped($0.joined(separator: " "), indentation: 0, first: 0) }
    }

    private static let column = 26

    private static func list(_ title: String, _ rows: [(name: String, text: String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let lines = rows.map { row in
            let name = "  " + row.name
            let text = wrapped(row.text, indentation: column, first: column)
            let gap =
                name.count + 1 < column
                ? String(repeating: " ", count: column - name.count) : "\n" + String(repeating: " ", count: column)
            return name + gap + text
        }
        return title + ":\n" + lines.joined(separator: "\n")
    }

    /// A text broken at spaces outside of brackets before column 80, whose first line begins at a column.
    private static func wrapped(_ text: String, indentation: Int, first: Int) -> String {
        var lines: [String] = []
        var line = ""
        var room = 80 - first
        for word in words(of: text) {
            if !line.isEmpty, line.count + 1 + word.count > room {
                lines.append(line)
                line = ""
                room = 80 - indentation
            }
            line += line.isEmpty ? word : " " + word
        }
        return (lines + [line]).joined(separator: "\n" + String(repeating: " ", count: indentation))
    }

    /// The words of a text; what stands in square brackets is one.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isBracketed = false
        for character in text {
            if character == "[" { isBracketed = true }
            if character == "]" { isBracketed = false }
            if character == " ", !isBracketed {
                words.append(word)
                word = ""
            } else {
                word.append(character)
            }
        }
        return words + [word]
    }
}
