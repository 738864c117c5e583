import Foundation

/// What a person types.
enum Typing {
    /// A line, asked for where somebody sits at a terminal.
    static func line(_ question: String) -> String {
        if isatty(STDIN_FILENO) == 1 { show(question) }
        return readLine() ?? ""
    }

    /// A line that is not shown while it is typed.
    static func secret(_ question: String) -> String {
        var former = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &former) == 0 else { return readLine() ?? "" }
        var silent = former
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
            show("\n")
        }
        return line(question)
    }

    private static func show(_ words: String) {
        _ = Array(words.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
