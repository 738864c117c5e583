package import Wire

/// An implementation with a rule left out, to show that the vectors notice: what the rule needs to know is taken away
/// from the parties.
package enum Breakage: String, Sendable, CaseIterable {
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
        switch self {
        case .admission, .exclusion, .introspection: replacing("party", of: given) { .object(broken($0)) }
        case .replays: forgetting("remember", given)
        case .revocations: forgetting("revoke", given)
        case .types: believing(given)
        }
    }

    /// Whether the rule decides a vector: without it another outcome is to be expected, by what the vector says of
    /// itself.
    package func concerns(_ vector: Vector) -> Bool {
        let clause = vector.expect["refusal"]?["clause"]?.string ?? ""
        func refused(for clauses: [String]) -> Bool { clauses.contains { $0.utf8.elementsEqual(clause.utf8) } }
        let isTouched = applied(to: vector.given) != vector.given
        switch self {
        case .admission, .exclusion, .introspection: return isTouched
        // The same signed text is in the store already: nothing else in these requests is at fault.
        case .replays: return refused(for: ["threat-36"]) && vector.id.hasSuffix("-replayed")
        case .revocations:
            return isTouched && (refused(for: ["TOK-1", "TOK-3", "REG-7", "AUT-1"]) || tellsRevocation(vector.expect))
        case .types: return refused(for: ["RFC8725-3.11"]) && vector.kind == .jwt
        }
    }

    private func tellsRevocation(_ expected: JSON.Object) -> Bool {
        if expected["verdicts"]?.array?.contains(where: { $0["verdict"] == "revoked" }) ?? false { return true }
        return expected["response"]?["body"] == #"{"active":false}"#
    }

    private func replacing(_ member: JSON.Name, of given: JSON.Object, _ change: (JSON.Object) -> JSON) -> JSON.Object {
        guard let value = given[member]?.object else { return given }
        var given = given
        given[member] = change(value)
        return given
    }

    /// The past without the changes of a kind.
    private func forgetting(_ verb: JSON, _ given: JSON.Object) -> JSON.Object {
        guard let past = given["store"]?.array else { return given }
        var given = given
        given["store"] = .array(
            past.map { batch in
                guard var members = batch.object, let changes = members["changes"]?.array else { return batch }
                members["changes"] = .array(changes.filter { $0["do"] != verb })
                return .object(members)
            })
        return given
    }

    /// The expectation that a token is of the type that its header names.
    private func believing(_ given: JSON.Object) -> JSON.Object {
        guard given["type"] != nil, let head = given["text"]?.string?.prefix(while: { $0 != "." }),
            let header = try? JSON(parsing: Base64URL.decode(String(head)))
        else { return given }
        var given = given
        given["type"] = header["typ"] ?? "JWT"
        return given
    }

    private func broken(_ party: JSON.Object) -> JSON.Object {
        var party = party
        var policy = party["policy"]?.object ?? [:]
        switch self {
        case .admission:
            for list in ["instances", "apps", "users"] {
                policy[JSON.Name("denied_" + list)] = nil
                policy[JSON.Name("only_" + list)] = nil
            }
        case .exclusion:
            policy["excluded_platforms"] = nil
            let versions = (party["versions"]?.array ?? []).map { version -> JSON in
                guard var members = version.object else { return version }
                members["blocked"] = nil
                return .object(members)
            }
            if party["versions"] != nil { party["versions"] = .array(versions) }
        case .introspection:
            if var trust = party["edu_id"]?.object {
                trust["introspection"] = nil
                party["edu_id"] = .object(trust)
            }
        case .replays, .revocations, .types: break
        }
        if party["policy"] != nil { party["policy"] = .object(policy) }
        return party
    }
}
