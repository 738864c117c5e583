/// A line of the catalogue of threats: an attack that was published, and what holds against it.
struct Threat: Equatable {
    var id: String
    var attack: String
    var defence: String
    var state: Requirement.State
}

/// The threats of a catalogue, and its lines that are not well formed, out of order, or put off without a reason.
func threats(in file: SourceFile) -> (threats: [Threat], violations: [Violation]) {
    var threats: [Threat] = []
    var violations: [Violation] = []
    for (number, line) in file.lines.enumerated() where !line.isEmpty {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        func refuse(_ rule: String) { violations.append(Violation(path: file.path, line: number + 1, rule: rule)) }
        if number == 0 {
            if columns != ["id", "part", "attack", "defence", "state"] {
                refuse("the heading is not 'id part attack defence state'")
            }
        } else if columns.count != 5 || columns.contains(where: { $0.isEmpty }) {
            refuse("has no five filled columns")
        } else if columns[0] != "threat-\(number)" {
            refuse("'\(columns[0])' stands in the place of 'threat-\(number)'")
        } else if let state = Requirement.State(rawValue: columns[4]) {
            if state != .implemented, !columns[3].contains("\(state) because ") {
                refuse("'\(columns[0])' is \(state) without a reason")
            }
            threats.append(Threat(id: columns[0], attack: columns[2], defence: columns[3], state: state))
        } else {
            refuse("'\(columns[4])' is not a state")
        }
    }
    return (threats, violations)
}

/// Where a text refers to threats by number: as `threat-9`, as `threat 9` across the end of a line of a comment too,
/// and as `threats 8, 9 and 10`.
func threatMentions(in text: String) -> [(id: String, line: Int)] {
    let reference = #/\b[Tt]hreats?(?:-|[\s/]+)(\d+(?:(?:,\s+|\s+and\s+)\d+)*)(?![\d\w])/#
    return text.matches(of: reference).flatMap { match in
        let line = text[..<match.range.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
        return match.1.split { !$0.isNumber }.map { ("threat-\($0)", line) }
    }
}

/// Numbers of threats that the catalogue does not hold, and threats that no source or no test refers to.
func threatViolations(
    threats: [Threat], sources: [SourceFile], tests: [SourceFile], catalogue path: String
) -> [Violation] {
    let ids = Set(threats.map(\.id))
    var violations: [Violation] = []
    func mentioned(in files: [SourceFile]) -> Set<String> {
        var found: Set<String> = []
        for file in files {
            for mention in threatMentions(in: file.text) where !found.contains(mention.id) {
                if ids.contains(mention.id) {
                    found.insert(mention.id)
                } else {
                    let rule = "'\(mention.id)' is not in the catalogue of threats"
                    violations.append(Violation(path: file.path, line: mention.line, rule: rule))
                }
            }
        }
        return found
    }
    let (named, proved) = (mentioned(in: sources), mentioned(in: tests))
    for (number, threat) in threats.enumerated() where threat.state == .implemented {
        for (place, found) in [("Sources", named), ("Tests", proved)] where !found.contains(threat.id) {
            violations.append(
                Violation(path: path, line: number + 2, rule: "\(threat.id) is named nowhere in \(place)"))
        }
    }
    return violations
}
