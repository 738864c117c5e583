internal import Wire

/// All vectors, made from the situations in the order of the interactions.
package struct Catalogue: Sendable {
    /// The vectors, each with an id of its own.
    package private(set) var vectors: [Vector] = []
    /// Where the parties did something else than the situation says; without any the vectors are good.
    package private(set) var contradictions: [String] = []
    private var interaction = Interaction.publication

    /// Makes all vectors.
    package init() throws(Malformed) {
        interaction = .publication
        try addPublications()
        addDocuments()
        interaction = .registration
        try addRegistrations()
        interaction = .authentication
        try addAuthentications()
        interaction = .discovery
        try addDiscoveries()
        interaction = .introduction
        try addIntroductions()
        interaction = .redemption
        try addRedemptions()
        interaction = .verification
        try addVerifications()
        interaction = .device
        addDevices()
        interaction = .appAuthorization
        try addAppAuthorizations()
        interaction = .use
        try addUses()
        interaction = .revocation
        try addRevocations()
    }

    /// The version of the vectors: it changes when they do, with a line in the changelog of their README.
    package static let version = 1

    // MARK: Situations

    /// A situation in which the party says yes.
    mutating func accept(
        _ name: String, _ title: String, _ proves: [String], _ stage: Stage, _ role: Stage.Role, _ request: JSON,
        kind: Vector.Kind = .exchange,
        answer: JSON? = nil
    ) {
        var given = stage.given(role, request, entropy: "\(interaction.rawValue)/\(name)")
        given["answer"] = answer
        add(name, title, proves, kind, given, expecting: nil)
    }

    /// A situation in which the party says no, with this error on the wire for the breach of this clause.
    mutating func refuse(
        _ name: String, _ title: String, _ proves: [String], _ error: String?, _ clause: String, _ stage: Stage, _ role: Stage.Role,
        _ request: JSON, kind: Vector.Kind = .exchange, answer: JSON? = nil
    ) {
        var given = stage.given(role, request, entropy: "\(interaction.rawValue)/\(name)")
        given["answer"] = answer
        add(name, title, proves, kind, given, expecting: Expected(error: error, clause: clause))
    }

    /// How a party says no.
    struct Expected {
        let error: String?
        let clause: String
    }

    /// A situation of any kind.
    mutating func add(
        _ name: String, _ title: String, _ proves: [String], _ kind: Vector.Kind, _ given: JSON.Object, expecting expected: Expected?
    ) {
        let id = "\(interaction.rawValue)/\(name)"
        if vectors.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) { contradictions.append("\(id): the name is taken") }
        do throws(Malformed) {
            let outcome = try Performance.outcome(of: kind, given)
            let refusal = outcome["refusal"]
            let found = refusal.map { "\($0["error"]?.string ?? "-") \($0["clause"]?.string ?? "-")" }
            let wanted = expected.map { "\($0.error ?? "-") \($0.clause)" }
            if JSON.Name(found ?? "yes") != JSON.Name(wanted ?? "yes") {
                contradictions.append("\(id): expected \(wanted ?? "yes"), found \(found ?? "yes")")
            }
            vectors.append(Vector(id, interaction, title, proves: proves, kind: kind, given: given, expect: outcome))
        } catch {
            contradictions.append("\(id): \(error)")
        }
    }
}
