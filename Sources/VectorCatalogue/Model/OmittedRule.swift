package import Wire

/// An implementation with a rule left out, to show that the vectors notice: what the rule needs to know is taken away
/// from the parties.
package enum OmittedRule: String, Sendable, CaseIterable {
    /// Services admit everybody.
    case admission
    /// Versions and platforms that were shut out in the registry are let in.
    case exclusion
    /// What must not pass twice is forgotten.
    case replays
    /// Services believe assertions without asking the edu-ID service.
    case introspection
    /// What was revoked is forgotten.
    case revocations
    /// A token is taken for whatever its own header says that it is.
    case types

    /// What the broken implementation makes of what it is given.
    package func applied(to given: JSON.Object) -> JSON.Object {
        let given = JSON.object(given)
        let changed =
            switch self {
            case .admission: given.editing("party") { $0.editing("policy") { $0.without(Self.lists) } }
            case .exclusion:
                given.editing("party") { party in
                    party.editing("policy") { $0.without(["excluded_platforms"]) }
                        .editingEach("versions") { $0.without(["blocked"]) }
                }
            case .introspection: given.editing("party") { $0.editing("edu_id") { $0.without(["introspection"]) } }
            case .replays: given.forgetting("remember")
            case .revocations: given.forgetting("revoke")
            case .types: given.believing
            }
        return changed.object ?? [:]
    }

    private static let lists: [JSON.Name] = [
        "denied_instances", "only_instances", "denied_apps", "only_apps", "denied_users", "only_users",
    ]

    /// Whether the rule decides a vector: without it another outcome is to be expected, by what the vector says of
    /// itself.
    package func concerns(_ vector: Vector) -> Bool {
        let clause = vector.expect["refusal"]?["clause"]?.string ?? ""
        func refused(for clauses: [String]) -> Bool { clauses.contains { $0.utf8.elementsEqual(clause.utf8) } }
        let isTouched = applied(to: vector.given) != vector.given
        switch self {
        case .admission, .exclusion, .introspection: return isTouched
        // The same signed text is in the store already: nothing else in these requests is at fault.
        case .replays:
            return refused(for: ["threat-36"]) && vector.id.hasSuffix("-replayed") || vector.id == "1/same-statement"
                || refused(for: ["threat-74"])
        case .revocations:
            // Only what has ended may begin anew without a proof, or be ended again without a change.
            // A lock that was lifted is in force again, and what it ended is not over.
            let isOver = [
                "1/again-after-end", "1/same-statement", "10/sign-out-again", "5/taken-back", "10/unlocked",
                "10/locked-token", "10/locked-other", "10/locked-otherwise", "journeys/ended-13", "journeys/offline-11",
                "journeys/back-08", "journeys/back-09", "journeys/back-11", "journeys/handed-on-07",
                "2/stepup-signed-out", "2/stepup-code-signed-out", "2/stepup-locked", "10/expelled-again",
                "10/everything-again", "10/everything-behind", "10/person-again",
                "2/arrival-superseded", "2/return-ended",
            ]
            return isTouched
                && (isOver.contains(vector.id) || refused(for: ["TOK-1", "TOK-3", "REG-7", "AUT-1"])
                    || tellsRevocation(vector.expect))
        case .types: return refused(for: ["RFC8725-3.11"]) && vector.kind == .jwt
        }
    }

    private func tellsRevocation(_ expected: JSON.Object) -> Bool {
        if expected["verdicts"]?.array?.contains(where: { $0["verdict"] == "revoked" }) ?? false { return true }
        return expected["response"]?["body"] == #"{"active":false}"#
    }
}

extension JSON {
    /// The same with one of its members changed, if it is there.
    fileprivate func editing(_ member: JSON.Name, _ edit: (JSON) -> JSON) -> JSON {
        guard var members = object, let value = members[member] else { return self }
        members[member] = edit(value)
        return .object(members)
    }

    fileprivate func editingEach(_ member: JSON.Name, _ edit: (JSON) -> JSON) -> JSON {
        editing(member) { .array(($0.array ?? []).map(edit)) }
    }

    fileprivate func without(_ names: [JSON.Name]) -> JSON {
        guard var members = object else { return self }
        for name in names { members[name] = nil }
        return .object(members)
    }

    /// The past without the changes of a kind.
    fileprivate func forgetting(_ verb: JSON) -> JSON {
        editingEach("store") { $0.editing("changes") { .array(($0.array ?? []).filter { $0["do"] != verb }) } }
    }

    /// The expectation that a token is of the type that its header names.
    fileprivate var believing: JSON {
        guard let head = self["text"]?.string?.prefix(while: { $0 != "." }),
            let header = try? JSON(parsing: Base64URL.decode(String(head)))
        else { return self }
        return editing("type") { _ in header["typ"] ?? "JWT" }
    }
}
