internal import Wire

/// All vectors, made from the situations, chapter by chapter.
package struct Catalogue: Sendable {
    /// The vectors, each with an id of its own.
    package private(set) var vectors: [Vector] = []
    /// Where the parties did something else than the situation says; without any the vectors are good.
    package private(set) var contradictions: [String] = []
    private(set) var chapter = Chapter.hashing

    /// Makes all vectors.
    package init() throws {
        for (chapter, add) in Self.chapters {
            self.chapter = chapter
            try add(&self)
        }
    }

    private static let chapters: [(Chapter, @Sendable (inout Catalogue) throws -> Void)] = [
        (.hashing, { $0.addHashing() }), (.formats, { $0.addFormats() }), (.tokens, { $0.addTokens() }),
        (.descriptions, { $0.addDescriptions() }), (.tree, { $0.addTrees() }), (.messages, { $0.addMessages() }),
        (.app, { $0.addApps() }), (.publication, { try $0.addPublications() }),
        (.registration, { try $0.addRegistrations() }), (.authentication, { try $0.addAuthentications() }),
        (.discovery, { try $0.addDiscoveries() }), (.introduction, { try $0.addIntroductions() }),
        (.redemption, { try $0.addRedemptions() }), (.verification, { try $0.addVerifications() }),
        (.device, { $0.addDevices() }), (.appAuthorization, { try $0.addAppAuthorizations() }),
        (.use, { try $0.addUses() }), (.revocation, { try $0.addRevocations() }),
        (.journeys, { try $0.addJourneys() }),
    ]

    /// The files of the vectors.
    package var files: [VectorFile] {
        Chapter.allCases.map { chapter in VectorFile(chapter, vectors.filter { $0.chapter == chapter }) }
    }

    // MARK: Situations

    /// The chance of a vector of this chapter.
    func chance(of name: String) -> JSON { World.entropy("\(chapter.rawValue)/\(name)") }

    /// A situation that differs from the others of its table by one value; it is refused where something is named that
    /// it breaks.
    typealias Row<Value> = (name: String, title: String, proves: [String], refusal: Expected?, value: Value)

    /// A table of situations of one kind; what is given follows from the value of each.
    mutating func add<Value>(
        _ kind: Vector.Kind, _ prefix: String, _ rows: [Row<Value>], _ given: (Value) -> JSON.Object
    ) {
        for row in rows {
            add(prefix + row.name, row.title, row.proves, kind, given(row.value), expecting: row.refusal)
        }
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
package func joined(_ parts: String...) -> String { parts.joined() }
