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
        self.verb = verb
        self.arguments = arguments
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

    subscript(position: Int) -> Int {
        arguments.indices.contains(position) ? arguments[position] : 0
    }
}

/// What happens to a store from its beginning, step by step.
public struct History: Sendable, Hashable, CustomStringConvertible {
    /// The steps in order.
    public let steps: [Step]

    /// A history of steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Reads a history as it is described, one step a line; nothing if a line is no step.
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
    public var description: String {
        steps.map(\.description).joined(separator: "\n")
    }
}

// MARK: - Chance

/// SplitMix64: a sequence that belongs to its seed; never a source of keys.
public struct SeededSequence: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next word.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

extension History {
    /// The history of a seed, of so many steps: records grow on each other, die, and are tried afterwards.
    public init(seed: UInt64, steps count: Int) {
        var chance = SeededSequence(seed: seed)
        var kinds: [Record.Kind] = []
        var steps: [Step] = []

        func some(_ fits: (Record.Kind) -> Bool) -> Int {
            let fitting = kinds.indices.filter { fits(kinds[$0]) }
            // Rarely anything at all, to see it refused.
            if fitting.isEmpty || chance.chance(6) { return chance.below(kinds.count + 1) }
            // The younger half is chosen more often, so that branches become long.
            let half = chance.chance(60) ? fitting.count / 2 : 0
            return fitting[half + chance.below(fitting.count - half)]
        }

        func life(_ percent: Int, _ longest: Int) -> Int { chance.chance(percent) ? chance.below(longest) : -1 }

        func issue() {
            let level = chance.below(100)
            let kind: Record.Kind =
                kinds.count < 6
                ? Record.Kind.allCases[min(kinds.count, 5)]
                : level < 8
                    ? .versionKey
                    : level < 22
                        ? .client
                        : level < 40
                            ? .personal
                            : level < 58
                                ? .assertion
                                : level < 74
                                    ? .service
                                    : level < 92
                                        ? .app : .code
            let number = chance.chance(3) ? chance.below(kinds.count + 1) : kinds.count
            let isRoot = kind == .versionKey || kind == .assertion && chance.chance(15)
            let parent = isRoot ? -1 : some { kind.mayStand(on: $0) }
            let isRenewable = !kind.isRedeemable && !kind.isKnownByHolder && chance.chance(70)
            steps.append(
                Step(
                    .issue, number, Int(kind.rawValue), parent, chance.chance(60) ? chance.below(4) : -1,
                    life(isRenewable ? 80 : 25, 300),
                    life(15, 600), isRenewable ? 1 : 0))
            if number == kinds.count { kinds.append(kind) }
        }

        if count > 0, chance.chance(90) {
            steps.append(Step(.branch))
            kinds = [.versionKey, .client, .personal, .assertion, .service, .app]
        }
        while steps.count < count {
            switch kinds.count < 6 ? 0 : chance.below(100) {
            case ..<34: issue()
            case ..<42: steps.append(Step(.revoke, some { _ in true }, chance.below(9)))
            case ..<48:
                let ground = some(\.isRedeemable)
                let kind: Record.Kind =
                    kinds.indices.contains(ground) && kinds[ground] == .assertion
                    ? .service : chance.chance(50) ? .personal : .app
                steps.append(Step(.redeem, ground, kinds.count, Int(kind.rawValue)))
                kinds.append(kind)
            case ..<60:
                steps.append(
                    Step(.refresh, some { !$0.isRedeemable }, chance.chance(60) ? 0 : chance.below(3), chance.below(3)))
            case ..<63: steps.append(Step(.refreshTwice, some { !$0.isRedeemable }, chance.below(2), chance.below(2)))
            case ..<67: steps.append(Step(.refreshLate, some { !$0.isRedeemable }, some { _ in true }))
            case ..<71:
                let kind = Record.Kind.allCases[1 + chance.below(5)]
                steps.append(
                    Step(
                        .issueLate, kinds.count, Int(kind.rawValue), some { kind.mayStand(on: $0) }, some { _ in true })
                )
                kinds.append(kind)
            case ..<74: steps.append(Step(.reground, some { $0 == .client }, some { $0 == .versionKey }))
            case ..<79: steps.append(Step(.see, chance.below(3), chance.below(200)))
            case ..<81: steps.append(Step(.enqueue, chance.below(4), some { _ in true }))
            case ..<83: steps.append(Step(.deliver, chance.below(2)))
            case ..<85: steps.append(Step(.use, some { _ in true }, chance.below(3)))
            case ..<86: steps.append(Step(.describe, some { _ in true }, chance.below(3)))
            case ..<88: steps.append(Step(.fail, some { _ in true }, some { $0 == .versionKey }, chance.below(3)))
            case ..<92: steps.append(Step(.wait, 1 + chance.below(chance.chance(20) ? 700 : 90)))
            case ..<96: steps.append(Step(.crash))
            case ..<98: steps.append(Step(.crashDuring, some { _ in true }))
            default: steps.append(Step(.purge, chance.below(3) * 100))
            }
        }
        self.steps = steps
    }
}
