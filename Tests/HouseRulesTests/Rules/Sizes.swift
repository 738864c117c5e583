/// How wide a line may be, and how long a function without its tables.
let widestLine = 120
let longestFunction = 60

func wideLines(in file: SourceFile) -> [Violation] {
    file.lines.enumerated().filter { $0.element.utf8.count > widestLine && $0.element.count > widestLine }.map {
        Violation(path: file.path, line: $0.offset + 1, rule: "has \($0.element.count) columns")
    }
}

/// Functions, initializers and subscripts that are too long; the rows of tables, which are literals in square brackets
/// over several lines, do not count.
func longFunctions(in file: SourceFile) -> [Violation] {
    let tokens = file.tokens
    return tokens.indices.compactMap { start in
        let token = tokens[start]
        guard token.kind == .word, ["func", "init", "subscript"].contains(token.text), start + 1 < tokens.count,
            start == 0 || tokens[start - 1].text != "."
        else { return nil }
        var (depth, brackets) = (0, 0)
        var rows = 0
        var opening: (line: Int, level: Int)?
        for index in tokens.indices[(start + 1)...] {
            let token = tokens[index]
            guard token.kind == .symbol else {
                // A requirement without a body ends where the next declaration begins.
                if depth == 0, brackets == 0, token.startsLine, ["func", "var", "case"].contains(token.text) {
                    return nil
                }
                continue
            }
            switch token.text {
            case "[", "(":
                if opening == nil, depth > 0, token.text == "[" { opening = (token.line, brackets) }
                brackets += 1
            case "]", ")":
                brackets -= 1
                if let first = opening, brackets == first.level {
                    rows += max(0, token.line - first.line - 1)
                    opening = nil
                }
                if brackets < 0 { return nil }
            case "{":
                if brackets == 0 { depth += 1 }
            case "}":
                if brackets == 0 { depth -= 1 }
                guard depth <= 0, brackets == 0 else { continue }
                let length = token.line - tokens[start].line - rows
                guard depth == 0, length > longestFunction else { return nil }
                return Violation(path: file.path, line: tokens[start].line, rule: "has \(length) lines beside tables")
            default: break
            }
        }
        return nil
    }
}

/// Where an error is caught only to throw another one.
func mappingCatches(in file: SourceFile) -> [Violation] {
    let tokens = file.tokens
    return tokens.indices.dropLast(2).compactMap { index in
        guard tokens[index].text == "catch", tokens[index + 1].text == "{", tokens[index + 2].text == "throw" else {
            return nil
        }
        return Violation(path: file.path, line: tokens[index].line, rule: "maps an error by hand")
    }
}
