package import Wire

/// An implementation with a rule left out, to show that the vectors notice: what the rule needs to know is taken away from the parties.
package enum Breakage: String, Sendable, CaseIterable {
    /// Services admit everybody.
    case admission
    /// Versions and platforms that were shut out in the registry are let in.
    case exclusion
    /// What must not pass twice is forgotten.
    case replays
    /// Services believe assertions without asking the edu-ID service.
    case introspection

    /// What the broken implementation makes of what it is given.
    package func applied(to given: JSON.Object) -> JSON.Object {
        var given = given
        switch self {
        case .replays:
            let store = (given["store"]?.array ?? []).map { batch -> JSON in
                guard var members = batch.object, let changes = members["changes"]?.array else { return batch }
                members["changes"] = .array(changes.filter { $0["do"] != "remember" })
                return .object(members)
            }
            if given["store"] != nil { given["store"] = .array(store) }
        case .admission, .exclusion, .introspection:
            if let party = given["party"]?.object { given["party"] = .object(broken(party)) }
        }
        return given
    }

    /// Whether what the rule needs to know is in a vector.
    package func concerns(_ vector: Vector) -> Bool {
        switch self {
        case .replays:
            // The same signed text is in the store already: nothing else in these requests is at fault.
            return vector.expect["refusal"]?["clause"] == "threat-36" && vector.id.hasSuffix("-replayed")
        case .admission, .exclusion, .introspection:
            guard let party = vector.given["party"]?.object else { return false }
            return broken(party) != party
        }
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
        case .replays: break
        }
        if party["policy"] != nil { party["policy"] = .object(policy) }
        return party
    }
}
