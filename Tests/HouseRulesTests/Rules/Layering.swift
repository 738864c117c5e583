/// The layers of the package: which module may import which.
enum House {
    /// Every library module with all that it may import, the standard library aside.
    static let libraries: [String: Set<String>] = [
        "PureCrypto": [],
        "Wire": [],
        "JOSE": ["PureCrypto", "Wire"],
        "RSD2": ["Wire"],
        "TokenTree": ["PureCrypto", "Wire"],
        "TokenTreeTesting": ["TokenTree", "Wire"],
        // `PureCrypto` for the hashes of PKCE and DPoP, and to compare secrets.
        "OAuth2Grants": ["JOSE", "PureCrypto", "Wire"],
        // `Synchronization` for the locks of the suite: in the shared façade that the NAIL interface demands, and in hosts
        // and the memory of holders' keys, which many requests share;
        // `PureCrypto` for the key pair that an app has its tokens bound to, and for the digest of a serialized state.
        "NAIL": ["JOSE", "OAuth2Grants", "PureCrypto", "RSD2", "Synchronization", "Wire"],
        "FederationTesting": ["Federation", "JOSE", "NAIL", "OAuth2Grants", "PureCrypto", "RSD2", "TokenTree", "Wire"],
        // No products: what they have is for the package's own programs and tests.
        "JOSETesting": ["JOSE", "PureCrypto", "Wire"],
        "VectorCatalogue": [
            "Federation", "JOSE", "JOSETesting", "NAIL", "OAuth2Grants", "PureCrypto", "RSD2", "Synchronization",
            "TokenTree", "Wire",
        ],
        "Federation": [
            "JOSE", "NAIL", "OAuth2Grants", "PureCrypto", "RSD2", "Synchronization", "TokenTree", "Wire",
        ],
    ]

    /// The programs: the only modules with input, output, clocks, entropy and platform libraries.
    ///
    /// No module imports a program.
    static let programs: Set<String> = ["eduid", "eduid-testkit", "eduid-bench", "constant-time-probe"]

    /// Modules that lead out of the house: they call what the system has, and only programs and other such
    /// modules import them.
    ///
    /// What is not the C library's is behind a trait.
    static let doors: [String: Set<String>] = [
        "Hosting": [
            "CCurl", "CEventPolling", "Darwin", "Federation", "Glibc", "JOSE", "Musl", "OAuth2Grants", "PureCrypto",
            "RSD2",
            "Synchronization", "TokenStores", "TokenTree", "Wire",
        ],
        "PKCS11": ["CPKCS11", "Glibc", "JOSE", "PureCrypto", "Synchronization", "Wire"],
        "TokenStores": [
            "CPostgreSQL", "CSQLite", "Darwin", "Glibc", "Musl", "Synchronization", "TokenTree", "Wire",
        ],
    ]

    /// What the system has, by its headers alone, behind the same traits.
    static let systemLibraries: Set<String> = ["CCurl", "CEventPolling", "CPKCS11", "CPostgreSQL", "CSQLite"]

    /// The rows of the house from the ground up; a module may import only from rows below its own.
    static let rows: [Set<String>] = [
        ["PureCrypto", "Wire"], ["JOSE", "RSD2", "TokenTree"], ["JOSETesting", "TokenTreeTesting"], ["OAuth2Grants"],
        ["NAIL"],
        ["Federation"],
        ["FederationTesting", "VectorCatalogue"],
    ]
}

/// A module's imports, as the file spells them.
private func imports(in file: SourceFile) -> [(module: String, attributes: [String], line: Int)] {
    let tokens = file.tokens
    return tokens.indices.compactMap { index in
        guard tokens[index].text == "import", tokens[index].kind == .word, index + 1 < tokens.count else { return nil }
        var start = index
        while start > 0, tokens[start - 1].line == tokens[index].line, !tokens[start].startsLine { start -= 1 }
        let kinds: Set<String> = ["struct", "enum", "class", "protocol", "func", "var", "let", "typealias"]
        let name = kinds.contains(tokens[index + 1].text) && index + 2 < tokens.count ? index + 2 : index + 1
        return (tokens[name].text, tokens[start..<index].map(\.text), tokens[index].line)
    }
}

/// Imports that the layers do not allow.
func layeringViolations(in file: SourceFile) -> [Violation] {
    guard let allowed = House.libraries[file.module] ?? House.doors[file.module] else {
        guard House.programs.contains(file.module) else {
            return [Violation(path: file.path, line: 1, rule: "'\(file.module)' is no module of the house")]
        }
        return imports(in: file).filter { House.programs.contains($0.module) }
            .map { Violation(path: file.path, line: $0.line, rule: "imports the program '\($0.module)'") }
    }
    return imports(in: file).flatMap { found in
        var violations: [Violation] = []
        if !allowed.contains(found.module) {
            violations.append(
                Violation(path: file.path, line: found.line, rule: "\(file.module) may not import '\(found.module)'"))
        }
        for attribute in found.attributes where attribute.hasPrefix("_") || attribute == "testable" {
            violations.append(Violation(path: file.path, line: found.line, rule: "import carries '@\(attribute)'"))
        }
        return violations
    }
}

/// A target as the manifest declares it.
private struct ManifestTarget {
    var kind: String
    var name = ""
    var dependencies: [String] = []
    var hasRules = false
    var line: Int
}

private func unquoted(_ literal: String) -> String {
    String(literal.drop { $0 == "\"" }.prefix { $0 != "\"" })
}

private func targets(of manifest: SourceFile) -> [ManifestTarget] {
    let tokens = manifest.tokens
    var targets: [ManifestTarget] = []
    var index = 1
    while index + 1 < tokens.count {
        let word = tokens[index].text
        let opens =
            (word.lowercased().hasSuffix("target") || word == "systemLibrary") && tokens[index - 1].text == "."
            && tokens[index + 1].text == "("
        index += 1
        guard opens else { continue }
        var target = ManifestTarget(kind: word, line: tokens[index].line)
        var depth = 0
        var label = ""
        repeat {
            let token = tokens[index]
            if token.text == "(" || token.text == "[" { depth += 1 }
            if token.text == ")" || token.text == "]" { depth -= 1 }
            let isLabel = token.kind == .word && index + 1 < tokens.count && tokens[index + 1].text == ":"
            if isLabel, depth == 1 { label = token.text }
            if token.kind == .literal, label == "name" { target.name = unquoted(token.text) }
            // The names of traits stand in a condition.
            if token.kind == .literal, label == "dependencies", tokens[index - 2].text != "traits" {
                if tokens[index - 1].text != "[" || depth < 4 { target.dependencies.append(unquoted(token.text)) }
            }
            if label == "swiftSettings", token.text == "rules" { target.hasRules = true }
            index += 1
        } while depth > 0 && index < tokens.count
        targets.append(target)
    }
    return targets
}

/// What the manifest may not say: foreign code, unsafe flags, a target outside the layers, a target without the common
/// rules.
func manifestViolations(in manifest: SourceFile, folders: Set<String>) -> [Violation] {
    var violations: [Violation] = []
    let forbidden: Set<String> = [
        "unsafeFlags", "binaryTarget", "plugin", "macro", "cSettings", "cxxSettings", "linkerSettings",
        "package",
    ]
    let tokens = manifest.tokens
    for index in tokens.indices.dropLast() where forbidden.contains(tokens[index].text) {
        guard ["(", ":"].contains(tokens[index + 1].text) else { continue }
        violations.append(
            Violation(path: manifest.path, line: tokens[index].line, rule: "declares '\(tokens[index].text)'"))
    }
    let found = targets(of: manifest)
    for target in found {
        if target.kind == "systemLibrary" {
            if !House.systemLibraries.contains(target.name) {
                violations.append(
                    Violation(
                        path: manifest.path, line: target.line, rule: "'\(target.name)' is no door of the house"))
            }
            continue
        }
        if !target.hasRules {
            violations.append(
                Violation(path: manifest.path, line: target.line, rule: "'\(target.name)' lacks the common settings"))
        }
        guard let allowed = House.libraries[target.name] ?? House.doors[target.name] else {
            if target.kind == "executableTarget", !House.programs.contains(target.name) {
                violations.append(
                    Violation(
                        path: manifest.path, line: target.line, rule: "'\(target.name)' is no program of the house"))
            }
            continue
        }
        for dependency in target.dependencies where !allowed.contains(dependency) {
            let rule = "'\(target.name)' may not depend on '\(dependency)'"
            violations.append(Violation(path: manifest.path, line: target.line, rule: rule))
        }
    }
    let names = Set(found.map(\.name))
    for folder in folders.subtracting(names).sorted() {
        violations.append(
            Violation(path: manifest.path, line: 1, rule: "has no target for the folder Sources/\(folder)"))
    }
    return violations
}

/// Imports of the package's own modules that the importing target does not declare; the build may find them by luck of
/// its order.
func undeclaredImports(in files: [SourceFile], manifest: SourceFile) -> [Violation] {
    func imported(_ target: String) -> String { target.replacing("-", with: "_") }
    let found = targets(of: manifest)
    let own = Set(found.map { imported($0.name) })
    return files.flatMap { file in
        let declared = Set(found.first { $0.name == file.module }?.dependencies.map(imported) ?? [])
        return imports(in: file).filter { own.contains($0.module) && !declared.contains($0.module) }
            .map {
                Violation(
                    path: file.path, line: $0.line,
                    rule: "'\(file.module)' does not declare its dependency '\($0.module)'")
            }
    }
}
