internal import Wire

/// All vectors, made from the situations, chapter by chapter.
package struct Catalogue: Sendable {
    /// The vectors, each with an id of its own.
    package private(set) var vectors: [Vector] = []
    /// Where the parties did something else than the situation says; without any the vectors are good.
    package private(set) var contradictions: [String] = []
    private(set) var chapter = Chapter.hashing

    /// Makes all vectors.
    package init() throws(Vector.Rejection) {
        for chapter in Chapter.allCases {
            self.chapter = chapter
            try addSituations()
        }
    }

    private mutating func addSituations() throws(Vector.Rejection) {
        switch chapter {
        case .hashing: addHashing()
        case .formats: addFormats()
        case .tokens: addTokens()
        case .descriptions: addDescriptions()
        case .tree: addTrees()
        case .messages: addMessages()
        case .app: addApps()
        case .publication: try addPublications()
        case .registration: try addRegistrations()
        case .authentication: try addAuthentications()
        case .discovery: try addDiscoveries()
        case .introduction: try addIntroductions()
        case .redemption: try addRedemptions()
        case .verification: try addVerifications()
        case .device: addDevices()
        case .appAuthorization: try addAppAuthorizations()
        case .use: try addUses()
        case .revocation: try addRevocations()
        }
    }

    /// The files of the vectors.
    package var files: [VectorFile] {
        Chapter.allCases.map { chapter in VectorFile(chapter, vectors.filter { $0.chapter == chapter }) }
    }

    // MARK: Situations

    /// The chance of a vector of this chapter.
    func chance(of name: String) -> JSON { World.entropy("\(chapter.rawValue)/\(name)") }

    /// A situation of any kind.
    mutating func add(
        _ name: String, _ title: String, _ proves: [String], _ kind: Vector.Kind, _ given: JSON.Object,
        expecting expected: Expected?
    ) {
        let id = "\(chapter.rawValue)/\(name)"
        if vectors.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
            contradictions.append("\(id): the name is taken")
        }
        do throws(Vector.Rejection) {
            let outcome = try Reference.outcome(of: kind, given)
            let refusal = outcome["refusal"]
            let found = refusal.map { "\($0["error"]?.string ?? "-") \($0["clause"]?.string ?? "-")" }
            let wanted = expected.map { "\($0.error ?? "-") \($0.clause)" }
            if JSON.Name(found ?? "yes") != JSON.Name(wanted ?? "yes") {
                contradictions.append("\(id): expected \(wanted ?? "yes"), found \(found ?? "yes")")
            }
            vectors.append(
                Vector(id, chapter, title, proves: Self.once(proves), kind: kind, given: given, expect: outcome))
        } catch {
            contradictions.append("\(id): \(error)")
        }
    }

    private static func once(_ names: [String]) -> [String] {
        var found: [JSON.Name] = []
        for name in names.map({ JSON.Name($0) }) where !found.contains(name) { found.append(name) }
        return found.map { $0.text }
    }
}

/// A text of several lines of source.
func joined(_ parts: String...) -> String { parts.joined() }
