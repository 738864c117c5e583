/// A line of the catalogue of requirements.
struct Requirement: Equatable {
    enum State: String {
        case planned, implemented
        /// Not done, for the reason that its text gives; nothing that must be done can be declined.
        case declined
    }

    var id: String
    var level: String
    var text: String
    var source: String
    var state: State

    /// The part of the identifier before its number.
    var family: Substring { id.prefix { $0 != "-" } }
}

/// The requirements of a catalogue, and its lines that are not well formed or repeat an identifier.
func catalogue(in file: SourceFile) -> (requirements: [Requirement], violations: [Violation]) {
    var requirements: [Requirement] = []
    var violations: [Violation] = []
    var seen: Set<String> = []
    for (number, line) in file.lines.enumerated() where !line.isEmpty {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        func refuse(_ rule: String) { violations.append(Violation(path: file.path, line: number + 1, rule: rule)) }
        if number == 0 {
            if columns != ["id", "level", "text", "source", "state"] {
                refuse("the heading is not 'id level text source state'")
            }
        } else if columns.count != 5 || columns.contains(where: { $0.isEmpty }) {
            refuse("has no five filled columns")
        } else if mentions(in: columns[0], ofFamilies: nil).map(\.id) != [columns[0]] {
            refuse("'\(columns[0])' is no identifier")
        } else if !["MUST", "SHOULD", "SHOULD NOT", "MAY"].contains(columns[1]) {
            refuse("'\(columns[1])' is no level")
        } else if let state = Requirement.State(rawValue: columns[4]) {
            if !seen.insert(columns[0]).inserted { refuse("'\(columns[0])' stands twice") }
            if state == .declined, columns[1] == "MUST" { refuse("'\(columns[0])' must be done") }
            if state == .declined, !columns[2].contains("declined because ") {
                refuse("'\(columns[0])' is declined without a reason")
            }
            requirements.append(
                Requirement(id: columns[0], level: columns[1], text: columns[2], source: columns[3], state: state))
        } else {
            refuse("'\(columns[4])' is no state")
        }
    }
    return (requirements, violations)
}

/// Identifiers of the form `ABC-12` in a text, those of the given families only.
func mentions(in text: String, ofFamilies families: Set<Substring>?) -> [(id: String, line: Int)] {
    let bytes = Array(text.utf8)
    func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    func isWord(_ byte: UInt8) -> Bool {
        isCapital(byte) || isDigit(byte) || isCapital(byte & 0xdf) || byte == UInt8(ascii: "_")
    }
    var found: [(id: String, line: Int)] = []
    var line = 1
    var index = 0
    while index < bytes.count {
        if bytes[index] == UInt8(ascii: "\n") { line += 1 }
        guard isWord(bytes[index]) || bytes[index] == UInt8(ascii: "-") else {
            index += 1
            continue
        }
        let start = index
        while index < bytes.count, isWord(bytes[index]) || bytes[index] == UInt8(ascii: "-") { index += 1 }
        let parts = String(decoding: bytes[start..<index], as: UTF8.self).split(
            separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (2...3).contains(parts[0].utf8.count), parts[0].utf8.allSatisfy(isCapital) else {
            continue
        }
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(isDigit),
            families?.contains(parts[0]) ?? true
        else {
            continue
        }
        found.append((parts[0] + "-" + parts[1], line))
    }
    return found
}

/// String literals in the calls of `.proves(…)` in a test file; nil where the argument is no literal.
func proofs(in file: SourceFile) -> [(id: String?, line: Int)] {
    let tokens = file.tokens
    return tokens.indices.dropLast(3).compactMap { index in
        guard tokens[index].text == ".", tokens[index + 1].text == "proves", tokens[index + 2].text == "(" else {
            return nil
        }
        let argument = tokens[index + 3]
        return (argument.kind == .literal ? String(argument.text.dropFirst().dropLast()) : nil, argument.line)
    }
}

/// The clauses that rejections answer: the first string literal of each `Rule(…)`, and those in the body of a
/// `var clause: String`, those in the pattern of a `case` aside.
func clauses(in file: SourceFile) -> [(id: String, line: Int)] {
    let tokens = file.tokens
    var found: [(id: String, line: Int)] = []
    for index in tokens.indices.dropLast(2) where tokens[index].text == "Rule" && tokens[index + 1].text == "(" {
        let token = tokens[index + 2]
        if token.kind == .literal { found.append((String(token.text.dropFirst().dropLast()), token.line)) }
    }
    for index in tokens.indices.dropLast(5)
    where tokens[index..<index + 5].map(\.text) == ["var", "clause", ":", "String", "{"] {
        var depth = 0
        var isInPattern = false
        for token in tokens[(index + 4)...] {
            if token.text == "{" { depth += 1 }
            if token.text == "}" { depth -= 1 }
            if depth == 0 { break }
            if token.text == "case" { isInPattern = true }
            if token.text == ":" { isInPattern = false }
            if token.kind == .literal, !isInPattern {
                found.append((String(token.text.dropFirst().dropLast()), token.line))
            }
        }
    }
    return found
}

/// Standards that have a name and no number, and whose sections have.
private let namedStandards = ["HTML", "URL", "XML", "XML-NAMES", "YAML"]

/// Whether an obligation is named in a known form: an identifier of one of the catalogues, a section of a standard, or
/// the house itself.
func isKnownObligation(_ id: String, catalogue: Set<String>) -> Bool {
    if catalogue.contains(id) || id == "rsd2" || id == "house" { return true }
    let parts = id.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    if namedStandards.contains(where: { id.hasPrefix($0 + "-") && isSection(id.dropFirst($0.count + 1)) }) {
        return true
    }
    let (document, place) = (parts[0], parts[1])
    if document.hasPrefix("RFC"), let number = Int(document.dropFirst(3)) {
        return (1...9999).contains(number) && isSection(place)
    }
    // FIPS 180-4 has a hyphen of its own.
    if document.hasPrefix("FIPS"), Int(document.dropFirst(4)) != nil {
        let edition = place.split(separator: "-", maxSplits: 1)
        return Int(edition[0]) != nil && (edition.count == 1 || isSection(edition[1]))
    }
    return document == "rsd2" && !place.isEmpty
}

/// Whether a text is a section number such as `5.1.7`, `A.2` or `B`.
private func isSection(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.enumerated().allSatisfy { number, part in
        if number == 0, part.count == 1, let letter = part.first, letter.isASCII, letter.isUppercase { return true }
        return (1...3).contains(part.utf8.count)
            && part.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}

/// Breaks in the thread from a requirement through the sources to the tests.
func traceabilityViolations(
    requirements: [Requirement], threats: [Threat], sources: [SourceFile], tests: [SourceFile], catalogue path: String
) -> [Violation] {
    let ids = Set(requirements.map(\.id))
    let obligations = ids.union(threats.map(\.id))
    let families = Set(requirements.map(\.family))
    var violations: [Violation] = []
    var named: Set<String> = []
    for file in sources + tests {
        for mention in mentions(in: file.text, ofFamilies: families) {
            if !ids.contains(mention.id) {
                violations.append(
                    Violation(path: file.path, line: mention.line, rule: "'\(mention.id)' is not in the catalogue"))
            } else if file.path.hasPrefix("Sources/") {
                named.insert(mention.id)
            }
        }
        for clause in clauses(in: file) where !isKnownObligation(clause.id, catalogue: obligations) {
            violations.append(
                Violation(path: file.path, line: clause.line, rule: "'\(clause.id)' is no known form of a clause"))
        }
    }
    var proved: Set<String> = []
    for file in tests {
        for proof in proofs(in: file) {
            if let id = proof.id, isKnownObligation(id, catalogue: obligations) {
                proved.insert(id)
            } else {
                let rule = "'\(proof.id ?? "an expression")' is no known form of an obligation"
                violations.append(Violation(path: file.path, line: proof.line, rule: rule))
            }
        }
    }
    for (number, requirement) in requirements.enumerated() where requirement.state == .implemented {
        if !named.contains(requirement.id) {
            violations.append(
                Violation(path: path, line: number + 2, rule: "\(requirement.id) is named nowhere in Sources"))
        }
        if !proved.contains(requirement.id) {
            violations.append(Violation(path: path, line: number + 2, rule: "\(requirement.id) is proved by no test"))
        }
    }
    return violations
}
