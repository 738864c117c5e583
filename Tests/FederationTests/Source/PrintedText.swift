import Testing

/// A passage of a source document, word for word, from which tests take what it prints.
///
/// Of the five documents four print something that is sent, stored or called: the service architecture (S0), the
/// request tokens (S1) and the iOS architecture (S3) beside this file, the integration layer (S2) in `NAILTests`. The
/// user experience (S4) prints no message; its screens are in `AuthorizationModeTests` and `EduIDModeTests`.
struct PrintedText {
    let text: String

    init(_ text: String) { self.text = text }

    /// The contents of the passages that are set as code, without their fences.
    var blocks: [String] {
        text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .map { $0.element.hasPrefix("json\n") ? String($0.element.dropFirst("json\n".count)) : String($0.element) }
    }

    /// The points of a list, without their marks.
    var points: [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("* ") }.map { String($0.dropFirst(2)) }
    }

    /// The rows of a table without its head, as the texts of their cells.
    var rows: [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.split(separator: "|").map { cell in
                let words = cell.split(separator: " ").joined(separator: " ")
                return words.hasPrefix("```") ? String(words.dropFirst(3).dropLast(3)) : words
            }
        }
    }
}
