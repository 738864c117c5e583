/// A type as its file declares it.
struct TypeHome: Hashable {
    var name: String
    var path: String
    var isPublic: Bool
    var isAtTop: Bool
}

/// Words of code with a capital; what is interpolated into a text does not count.
private func typeNames(in file: SourceFile) -> Set<String> {
    var depth = 0
    var names: Set<String> = []
    for token in file.tokens {
        if token.kind == .literal {
            if token.text.hasPrefix(")") { depth -= 1 }
            if token.text.hasSuffix("\\(") || token.text.hasSuffix("#(") { depth += 1 }
        } else if depth == 0, token.kind == .word, token.text.first?.isUppercase == true {
            names.insert(token.text)
        }
    }
    return names
}

/// The types that a file declares, nested ones included.
func typeHomes(in file: SourceFile) -> [TypeHome] {
    let kinds: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
    let tokens = file.tokens
    var depth = 0
    var access = ""
    return tokens.indices.compactMap { index in
        let token = tokens[index]
        if token.startsLine { access = "" }
        if token.kind == .symbol, token.text == "{" { depth += 1 }
        if token.kind == .symbol, token.text == "}" { depth -= 1 }
        if ["public", "open", "package", "private", "fileprivate", "internal"].contains(token.text) {
            access = token.text
        }
        guard token.kind == .word, kinds.contains(token.text), index + 1 < tokens.count else { return nil }
        let name = tokens[index + 1]
        guard name.kind == .word, name.text.first?.isUppercase == true else { return nil }
        return TypeHome(
            name: name.text, path: file.path, isPublic: access == "public" || access == "open", isAtTop: depth == 0)
    }
}

/// The folder of a file below `Sources`.
private func folder(of path: String) -> String {
    path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
}

/// Folders of one module that lean on each other in a circle, with what each leans on: a file leans on the folder in
/// which a type lives that it names, if the type is declared in one file only.
func circlesOfFolders(in files: [SourceFile]) -> [Violation] {
    let homes = Dictionary(grouping: files.flatMap(typeHomes), by: \.name).mapValues { Set($0.map(\.path)) }
    let modules = Dictionary(files.map { ($0.path, $0.module) }) { first, _ in first }
    var leans: [String: [String: String]] = [:]
    for file in files {
        for name in typeNames(in: file) {
            guard let home = homes[name], home.count == 1, let path = home.first, modules[path] == file.module,
                folder(of: path) != folder(of: file.path)
            else { continue }
            leans[folder(of: file.path), default: [:]][folder(of: path)] = "\(file.path) names \(name)"
        }
    }
    func reached(from start: String) -> Set<String> {
        var found: Set<String> = []
        var open = [start]
        while let next = open.popLast() {
            for other in (leans[next] ?? [:]).keys where found.insert(other).inserted { open.append(other) }
        }
        return found
    }
    let reach = leans.keys.reduce(into: [String: Set<String>]()) { $0[$1] = reached(from: $1) }
    return reach.keys.sorted().flatMap { one in
        (leans[one] ?? [:]).sorted { $0.key < $1.key }.filter { reach[$0.key]?.contains(one) ?? false }.map {
            Violation(path: "Sources/" + one, line: 1, rule: "is in a circle with '\($0.key)': \($0.value)")
        }
    }
}

/// Types that are named like their module, and public nouns at the top of several modules.
func clashingNames(in files: [SourceFile]) -> [Violation] {
    let homes = files.flatMap { file in typeHomes(in: file).map { (file.module, $0) } }
    let namesakes = homes.filter { $0.0 == $0.1.name }.map {
        Violation(path: $0.1.path, line: 1, rule: "declares '\($0.1.name)', which is its module's name")
    }
    let nouns = Dictionary(grouping: homes.filter { $0.1.isPublic && $0.1.isAtTop }, by: \.1.name)
    let shared = nouns.filter { Set($0.value.map(\.0)).count > 1 }.sorted { $0.key < $1.key }.flatMap { noun in
        noun.value.map { Violation(path: $0.1.path, line: 1, rule: "'\(noun.key)' is public in another module too") }
    }
    return namesakes + shared
}
