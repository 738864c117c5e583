internal import Wire

/// All vectors, made from the situations, chapter by chapter.
package struct Catalogue: Sendable {
    /// The vectors, each with an id of its own.
    package private(set) var vectors: [Vector] = []
    /// Where the parties did something else than the situation says; without any the vectors are good.
    package private(set) var contradictions: [String] = []
    private var chapter = Chapter.hashing

    /// Makes all vectors.
    package init() throws(Malformed) {
        for chapter in Chapter.allCases {
            self.chapter = chapter
            try addSituations()
        }
    }

    private mutating func addSituations() throws(Malformed) {
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

    /// The version of the vectors: it changes when they do, with a line in the changelog of their README.
    package static let version = 2

    // MARK: Situations

    /// A situation in which the party says yes.
    mutating func accept(
        _ name: String, _ title: String, _ proves: [String], _ stage: Stage, _ role: Stage.Role, _ request: JSON,
        kind: Vector.Kind = .exchange,
        answer: JSON? = nil
    ) {
        var given = stage.given(role, request, entropy: "\(chapter.rawValue)/\(name)")
        given["answer"] = answer
        add(name, title, proves, kind, given, expecting: nil)
    }

    /// A situation in which the party says no, with this error on the wire for the breach of this clause.
    mutating func refuse(
        _ name: String, _ title: String, _ proves: [String], _ error: String?, _ clause: String, _ stage: Stage,
        _ role: Stage.Role,
        _ request: JSON, kind: Vector.Kind = .exchange, answer: JSON? = nil
    ) {
        var given = stage.given(role, request, entropy: "\(chapter.rawValue)/\(name)")
        given["answer"] = answer
        add(name, title, proves, kind, given, expecting: Expected(error: error, clause: clause))
    }

    /// The chance of a vector of this chapter.
    func chance(of name: String) -> JSON { Stage.entropy("\(chapter.rawValue)/\(name)") }

    /// How a party says no.
    struct Expected {
        let error: String?
        let clause: String
    }

    /// A situation of any kind.
    mutating func add(
        _ name: String, _ title: String, _ proves: [String], _ kind: Vector.Kind, _ given: JSON.Object,
        expecting expected: Expected?
    ) {
        let id = "\(chapter.rawValue)/\(name)"
        if vectors.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
            contradictions.append("\(id): the name is taken")
        }
        do throws(Malformed) {
            let outcome = try Performer.outcome(of: kind, given)
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
