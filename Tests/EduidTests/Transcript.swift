/// A session at the command line as a text.
///
/// A line `$ eduid …` is a command, `<` its standard input; then come `>` standard output, `!` standard error, `+` a
/// file that it wrote with `|` its content, and `=` the exit status where it is not 0. Files stay until the end of the
/// session.
struct Transcript {
    struct Step {
        /// Comments and blank lines before the command.
        var preamble: [String] = []
        var command: String
        var input: [String] = []
        var answer: [String] = []
    }

    var steps: [Step] = []
    private var closing: [String] = []

    init(parsing text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            switch line.first {
            case "$":
                steps.append(Step(preamble: closing, command: String(line.dropFirst(2))))
                closing = []
            case "<": edit { $0.input.append(String(line.dropFirst(2))) }
            case ">", "!", "+", "|", "=": edit { $0.answer.append(line) }
            default: closing.append(line)
            }
        }
    }

    private mutating func edit(_ change: (inout Step) -> Void) {
        if !steps.isEmpty { change(&steps[steps.count - 1]) }
    }

    var text: String {
        let lines = steps.flatMap { step in
            step.preamble + ["$ " + step.command] + step.input.map { Self.marked("<", $0) } + step.answer
        }
        return (lines + closing).joined(separator: "\n")
    }

    /// The same session with the answers of the program as it is.
    func played() -> Transcript {
        let world = World()
        var copy = self
        for index in steps.indices {
            let before = world.files
            let answer = world.run(
                Self.words(steps[index].command), input: steps[index].input.flatMap { Array($0.utf8) + [0x0a] })
            var lines = Self.lines(answer.output, ">") + Self.lines(answer.errors, "!")
            for (path, file) in world.files.sorted(by: { $0.key < $1.key }) where before[path] != file {
                lines += ["+ \(path), \(file.isSecret ? "secret" : "shared")"] + Self.lines(file.bytes, "|")
            }
            if answer.status != 0 { lines.append("= \(answer.status)") }
            copy.steps[index].answer = lines
        }
        return copy
    }

    private static func marked(_ mark: String, _ line: String) -> String { line.isEmpty ? mark : mark + " " + line }

    private static func lines(_ bytes: [UInt8], _ mark: String) -> [String] {
        guard !bytes.isEmpty else { return [] }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return [mark + " bytes: " + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()]
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { marked(mark, String($0)) }
        if text.hasSuffix("\n") { lines.removeLast() } else { lines[lines.count - 1] += " (no line end)" }
        return lines
    }

    /// The words behind `eduid`; quotes keep spaces together.
    static func words(_ command: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in command {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return Array((words + [word].compactMap { $0 }).dropFirst())
    }
}
