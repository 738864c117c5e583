/// How long a file may be before it has to say why.
let longestFile = 500

/// Files over the limit without a reason, and reasons that are no longer needed.
func lengthViolations(in file: SourceFile) -> [Violation] {
    let lines = file.lines
    let count = lines.last?.isEmpty == true ? lines.count - 1 : lines.count
    let marker = "// Longer than \(longestFile) lines: "
    let reason = lines.prefix(3).first { $0.hasPrefix(marker) }?.dropFirst(marker.count)
    if count > longestFile, (reason ?? "").count < 20 {
        let rule = "has \(count) lines; split it, or begin with '\(marker)' and the reason"
        return [Violation(path: file.path, line: count, rule: rule)]
    }
    if count <= longestFile, reason != nil {
        return [Violation(path: file.path, line: 1, rule: "has \(count) lines and needs no reason to be longer")]
    }
    return []
}

/// Names at the top of the repository that do not belong there; dot files are free.
func strangers(among names: [String]) -> [String] {
    names.filter { !$0.hasPrefix(".") && !["Package.swift", "Sources", "Tests", "Fixtures", "README.md"].contains($0) }
}

/// Parts of names that say nothing about the thing they name.
private let hollowWords = ["Manager", "Helper", "Util", "Impl", "Info"]

/// Types and functions of the libraries with hollow names, and types that repeat the name of their module.
func namingViolations(in file: SourceFile) -> [Violation] {
    guard House.libraries[file.module] != nil else { return [] }
    let tokens = file.tokens
    let kinds: Set<String> = ["struct", "enum", "class", "protocol", "typealias"]
    return tokens.indices.dropFirst().compactMap { index in
        let (keyword, name) = (tokens[index - 1].text, tokens[index])
        guard name.kind == .word else { return nil }
        if kinds.contains(keyword),
            let word = hollowWords.first(where: { name.text.hasSuffix($0) || name.text.hasSuffix($0 + "s") })
        {
            return Violation(path: file.path, line: name.line, rule: "'\(name.text)' is named '\(word)'")
        }
        // A federation service is what its source calls a party, and a state of the layer is told from others by its name.
        let given = ["NAILState", "FederationService"]
        if kinds.contains(keyword), name.text.hasPrefix(file.module), !given.contains(name.text) {
            return Violation(path: file.path, line: name.line, rule: "'\(name.text)' repeats the name of its module")
        }
        // The NAIL interface alone uses its source's own method names.
        if keyword == "func", name.text.hasPrefix("get"), name.text.dropFirst(3).first?.isUppercase == true,
            file.module != "NAIL"
        {
            return Violation(path: file.path, line: name.line, rule: "'\(name.text)' begins with 'get'")
        }
        return nil
    }
}
