internal import TokenTree

/// Something that happens to a store; what it names by number may not exist, so that any part of a history is a
/// history.
public struct Step: Sendable, Hashable, CustomStringConvertible {
    /// What happens.
    public let verb: Verb
    /// To what, in the order that the verb states.
    public let arguments: [Int]

    /// A step with its arguments.
    public init(_ verb: Verb, _ arguments: Int...) {
        self.init(verb, arguments: arguments)
    }

    init(_ verb: Verb, arguments: [Int]) {
        self.verb = verb
        self.arguments = arguments
    }

    /// What can happen.
    ///
    /// Records, keys, messages, services and proofs are numbers; times are seconds.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        /// The six levels are issued on each other, as records 0 to 5.
        case branch
        /// A record is issued: number, kind, parent (or -1), holder (or -1), access life (or -1), final life (or -1),
        /// with a refresh token (0 or 1).
        case issue
        /// A record is revoked: number, reason.
        case revoke
        /// An assertion or code is redeemed: number, the record issued on it, its kind.
        case redeem
        /// A refresh token is presented: record, how many generations old, proof.
        case refresh
        /// Two requests with the current token meet: record, proof, proof.
        case refreshTwice
        /// A renewal is decided, then something is revoked, then the renewal arrives: record, revoked.
        case refreshLate
        /// An issue is decided, then something is revoked, then the issue arrives: number, kind, parent, revoked.
        case issueLate
        /// An instance moves to another version: record, onto.
        case reground
        /// A key is seen: key, for how long it is remembered.
        case see
        /// A message is enqueued: message, about which record.
        case enqueue
        /// The longest due message is tried: whether it arrives (0 or 1).
        case deliver
        /// A record is used at a service: record, service.
        case use
        /// An issuer changes what it keeps: record, text.
        case describe
        /// A batch that cannot be applied to its end revokes, moves, changes and adds before it fails: record, other
        /// record, key.
        case fail
        /// Time passes: seconds.
        case wait
        /// The process ends and starts anew.
        case crash
        /// The process ends while a revocation is written: record.
        case crashDuring
        /// What is dead is purged: for how long it is kept.
        case purge
    }

    /// The verb and its arguments, as ``History/init(parsing:)`` reads them.
    public var description: String {
        arguments.reduce(into: verb.rawValue) { $0 += " \($1)" }
    }

    subscript(position: Int) -> Int { arguments.indices.contains(position) ? arguments[position] : 0 }
}

/// What happens to a store from its beginning, step by step.
public struct History: Sendable, Hashable, CustomStringConvertible {
    /// The steps in order.
    public let steps: [Step]

    /// A history of steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Reads a history as it is described, one step a line; `nil` if a line is not a step.
    public init?(parsing text: String) {
        var steps: [Step] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let first = words.first, let verb = Step.Verb(rawValue: String(first)) else { return nil }
            let arguments = words.dropFirst().compactMap { Int($0) }
            guard arguments.count == words.count - 1 else { return nil }
            steps.append(Step(verb, arguments: arguments))
        }
        self.steps = steps
    }

    /// One step a line.
    public var description: String { steps.map(\.description).joined(separator: "\n") }
}
