import Foundation

/// A piece of code, with the line on which it begins and its text without common indentation.
struct Example: Equatable {
    var line: Int
    var imports: [String]
    var body: [String]

    init(line: Int, lines: [Substring]) {
        self.line = line
        let filled = lines.filter { !$0.allSatisfy(\.isWhitespace) }
        let indentation = filled.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        let flush = lines.map { String($0.dropFirst(indentation)) }
        imports = flush.filter { $0.hasPrefix("import ") }
        body = Array(flush.filter { !$0.hasPrefix("import ") }.drop { $0.isEmpty })
        while body.last?.isEmpty == true { body.removeLast() }
    }
}

/// The blocks of a Markdown file that are fenced as `swift`.
func swiftBlocks(in file: SourceFile) -> [Example] {
    var blocks: [Example] = []
    var opening: (line: Int, isSwift: Bool)?
    var collected: [Substring] = []
    for (number, line) in file.lines.enumerated() {
        guard line.drop(while: { $0 == " " }).hasPrefix("```") else {
            collected.append(line)
            continue
        }
        if let fence = opening {
            if fence.isSwift { blocks.append(Example(line: fence.line, lines: collected)) }
            opening = nil
        } else {
            opening = (number + 1, line.drop { $0 == " " || $0 == "`" }.lowercased().hasPrefix("swift"))
        }
        collected = []
    }
    return blocks
}

/// The regions of a test file between the lines `// example: NAME` and `// end of example`.
func testedExamples(in file: SourceFile) -> [Example] {
    var examples: [Example] = []
    var start: Int?
    let lines = file.lines
    for (number, line) in lines.enumerated() {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("// example: ") {
            start = number + 1
        } else if text == "// end of example", let first = start {
            examples.append(Example(line: first, lines: Array(lines[first..<number])))
            start = nil
        }
    }
    return examples
}

/// Swift examples in the documentation that neither a test nor the program compiles and runs as they stand.
///
/// The lines of an example that import a module are looked for anywhere in the test file; all others must be one of its
/// marked regions.
func exampleViolations(documents: [SourceFile], tests: [SourceFile]) -> [Violation] {
    let tested = tests.map { file in (imports: Set(file.lines.map(String.init)), regions: testedExamples(in: file)) }
    return documents.flatMap { document in
        swiftBlocks(in: document).filter { block in
            !tested.contains { file in
                file.regions.contains { $0.body == block.body } && block.imports.allSatisfy(file.imports.contains)
            }
        }.map {
            Violation(
                path: document.path, line: $0.line, rule: "stands between no '// example:' markers of a test file")
        }
    }
}

/// Relative links of a Markdown file that lead nowhere.
func linkViolations(in file: SourceFile, exists: (String) -> Bool) -> [Violation] {
    file.lines.enumerated().flatMap { number, line in
        line.components(separatedBy: "](").dropFirst().compactMap { rest in
            let target = rest.prefix { $0 != ")" && $0 != "#" }
            guard !target.isEmpty, !target.contains("://"), !exists(String(target)) else { return nil }
            return Violation(path: file.path, line: number + 1, rule: "links to '\(target)', which is not there")
        }
    }
}

/// Paths of this repository that a Markdown file names in code quotes, and that lead nowhere.
func pathViolations(in file: SourceFile, exists: (String) -> Bool) -> [Violation] {
    file.lines.enumerated().flatMap { number, line in
        line.split(separator: "`").map(String.init)
            .filter { part in
                ["Sources/", "Tests/", "Fixtures/", ".ci/"].contains { part.hasPrefix($0) } && !part.contains(" ")
                    && !exists(part)
            }
            .map { Violation(path: file.path, line: number + 1, rule: "names '\($0)', which is not there") }
    }
}

/// What is wrong with the table under the heading `Conformance` of an article, whose lines lead from a standard to
/// type, tests and vectors.
///
/// - Parameter holds: whether a file of vectors has some of a kind.
func conformanceViolations(in file: SourceFile, holds: (_ path: String, _ kind: String) -> Bool) -> [Violation] {
    let lines = file.lines.enumerated().drop { $0.element != "## Conformance" }.dropFirst().prefix {
        !$0.element.hasPrefix("## ")
    }
    let rows = lines.filter { $0.element.hasPrefix("| ") }.dropFirst(2)
    guard !rows.isEmpty else { return [Violation(path: file.path, line: 1, rule: "has no table of conformance")] }
    return rows.flatMap { number, line -> [Violation] in
        func violation(_ rule: String) -> Violation { Violation(path: file.path, line: number + 1, rule: rule) }
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4, cells[1].hasPrefix("``"), cells[2].hasPrefix("`Tests/") else {
            return [violation("does not lead from a section to a type, its tests and vectors")]
        }
        let names = cells[3].split(separator: "`").map(String.init).filter { !$0.hasPrefix(":") && !$0.hasPrefix(",") }
        guard let path = names.first, names.count > 1 else { return [violation("names no kind of vectors")] }
        return names.dropFirst().filter { !holds(path, $0) }.map {
            violation("there are no vectors of the kind '\($0)' in \(path)")
        }
    }
}
