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
        guard let answer = answer.object, answer["error"] == nil else {
            return .failed(["an error in the place of an answer"])
        }
        let (expected, found) = comparison == .exact ? (expect, answer) : (meaning(of: expect), meaning(of: answer))
        var names = expected.map { $0.name }
        for member in found where !names.contains(member.name) { names.append(member.name) }
        let different = names.filter { !Self.isAlike(expected[$0], found[$0]) }
        return different.isEmpty ? .passed : .failed(different.map { $0.text })
    }
}

// MARK: - Values

extension Vector {
    /// Whether two values are the same to whoever knows JSON: the order of members means nothing, nor in which of its
    /// forms a number is written.
    private static func isAlike(_ one: JSON?, _ other: JSON?) -> Bool {
        switch (one, other) {
        case (.object(let one)?, .object(let other)?):
            one.count == other.count && one.allSatisfy { isAlike($0.value, other[$0.name]) }
        case (.array(let one)?, .array(let other)?):
            one.count == other.count && zip(one, other).allSatisfy { isAlike($0, $1) }
        case (.number(let one)?, .number(let other)?):
            one == other || Decimal(one).map { $0 == Decimal(other) } ?? false
        default: one == other
        }
    }

    /// A number as its digits without zeros at either end, and the power of ten behind the last one.
    private struct Decimal: Equatable {
        var isNegative = false
        var digits: [UInt8] = []
        var power = 0

        /// Nothing where the exponent is beyond all computing.
        init?(_ number: JSON.Number) {
            var isFraction = false
            var rest = Array(number.text.utf8)[...]
            if rest.first == UInt8(ascii: "-") { (isNegative, rest) = (true, rest.dropFirst()) }
            while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
                rest.removeFirst()
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else {
                    digits.append(byte)
                    power -= isFraction ? 1 : 0
                }
            }
            if !rest.isEmpty {
                guard let exponent = Int(String(decoding: rest.dropFirst(), as: UTF8.self)) else { return nil }
                power &+= exponent
            }
            let zero = UInt8(ascii: "0")
            while digits.last == zero {
                digits.removeLast()
                power &+= 1
            }
            digits = Array(digits.drop { $0 == zero })
            if digits.isEmpty { (isNegative, power) = (false, 0) }
        }
    }
}

// MARK: - Meaning

extension Vector {
    /// Whether the answer is yes, and as much of the rest as follows from the standards and the README alone.
    ///
    /// Of a refusal that is the error on the wire. What a party changes in its store, and what it asks others with
    /// tokens of its own, is its affair.
    private func meaning(of outcome: JSON.Object) -> JSON.Object {
        var members: JSON.Object = ["accepted": .bool(outcome["refusal"] == nil)]
        members["status"] = outcome["response"]?["status"]
        if let refusal = outcome["refusal"] {
            members["error"] = refusal["error"]
            return members
        }
        switch kind {
        case .exchange:
            members["body"] = (outcome["response"]?["body"]?.string).flatMap { try? JSON(parsing: $0) }?.object.map {
                Self.names(of: $0)
            }
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

    private static func names(of object: JSON.Object) -> JSON {
        .array(object.map { $0.name }.sorted().map { .string($0.text) })
    }
}
