package import Wire

extension Vector {
    /// How an answer is compared with what is expected.
    package enum Comparison: String, Sendable, CaseIterable {
        /// Member by member: for implementations that draw their random bytes as the vectors' README says.
        case exact
        /// What anybody can see who has drawn other random bytes, keeps other records and has other names for rules.
        case meaning
    }

    /// What became of a vector.
    package enum Result: Sendable, Equatable {
        case passed
        /// The members that are not as expected.
        case failed([String])
        /// The implementation does not serve vectors of this kind.
        case unsupported
    }

    /// What goes to an implementation, which must not know what is expected: a line of the testkit protocol.
    package var question: JSON { ["id": .string(id), "kind": .string(kind.rawValue), "given": .object(given)] }

    /// Compares an implementation's answer with what is expected.
    package func result(of answer: JSON, by comparison: Comparison) -> Result {
        if answer["unsupported"] == true { return .unsupported }
        guard let answer = answer.object, answer["error"] == nil else { return .failed(["an error in the place of an answer"]) }
        let (expected, found) = comparison == .exact ? (expect, answer) : (meaning(of: expect), meaning(of: answer))
        var names = expected.map { $0.name }
        for member in found where !names.contains(member.name) { names.append(member.name) }
        let different = names.filter { expected[$0] != found[$0] }
        return different.isEmpty ? .passed : .failed(different.map { $0.text })
    }
}

// MARK: - Meaning

extension Vector {
    /// Whether the answer is yes, and as much of the rest as follows from the standards and the README alone.
    ///
    /// Of a refusal that is the error on the wire. What a party changes in its store, and what it asks others with tokens of its own, is its affair.
    private func meaning(of outcome: JSON.Object) -> JSON.Object {
        var members: JSON.Object = ["accepted": .bool(outcome["refusal"] == nil)]
        members["status"] = outcome["response"]?["status"]
        if let refusal = outcome["refusal"] {
            members["error"] = refusal["error"]
            return members
        }
        switch kind {
        case .exchange:
            members["body"] = (outcome["response"]?["body"]?.string).flatMap { try? JSON(parsing: $0) }?.object.map { Self.names(of: $0) }
        case .delivery:
            members["url"] = outcome["request"]?["url"]
        case .protocolResponse:
            members["services"] = outcome["services"]
        default:
            let internals: [JSON.Name] = ["changes", "attempt", "response"]
            for member in outcome where !internals.contains(member.name) { members[member.name] = member.value }
        }
        return members
    }

    private static func names(of object: JSON.Object) -> JSON { .array(object.map { $0.name }.sorted().map { .string($0.text) }) }
}
