package import Wire

extension Vector {
    /// How an answer is compared with what is expected.
    package enum Comparison: String, Sendable, CaseIterable {
        /// Member by member: for implementations that draw their random bytes as the vectors' README says.
        case exact
        /// Whether it was accepted, the status, the error and the names of the members: for all others.
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
        let (expected, found) = comparison == .exact ? (expect, answer) : (Self.meaning(of: expect), Self.meaning(of: answer))
        var names = expected.map { $0.name }
        for member in found where !names.contains(member.name) { names.append(member.name) }
        let different = names.filter { expected[$0] != found[$0] }
        return different.isEmpty ? .passed : .failed(different.map { $0.text })
    }

    private static func meaning(of outcome: JSON.Object) -> JSON.Object {
        var members: JSON.Object = ["accepted": .bool(outcome["refusal"] == nil)]
        members["error"] = outcome["refusal"]?["error"]
        members["status"] = outcome["response"]?["status"]
        for name in ["checked", "granted", "document", "endpoint", "accepted", "services", "screens"] as [JSON.Name] {
            if name != "accepted", let value = outcome[name] { members[name] = value }
        }
        if let granted = outcome["granted"]?.object { members["granted"] = Self.names(of: granted) }
        guard outcome["refusal"] == nil, let body = outcome["response"]?["body"]?.string else { return members }
        if let object = (try? JSON(parsing: body))?.object { members["body"] = Self.names(of: object) }
        return members
    }

    private static func names(of object: JSON.Object) -> JSON { .array(object.map { $0.name }.sorted().map { .string($0.text) }) }
}
