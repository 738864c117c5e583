internal import TokenTree

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

    package mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

extension History {
    /// The history of a seed, of so many steps: records grow on each other, die, and are tried afterwards.
    public init(seed: UInt64, steps count: Int) {
        var growth = Growth(chance: SeededSequence(seed: seed))
        if count > 0, growth.chance.chance(90) { growth.branch() }
        while growth.steps.count < count { growth.step() }
        self.init(growth.steps)
    }
}

/// A history while chance makes it up.
private struct Growth {
    var chance: SeededSequence
    /// What the records would be if nothing were refused.
    var kinds: [Record.Kind] = []
    var steps: [Step] = []

    mutating func branch() {
        steps.append(Step(.branch))
        kinds = [.versionKey, .client, .personal, .assertion, .service, .app]
    }

    mutating func step() {
        switch kinds.count < 6 ? 0 : chance.below(100) {
        case ..<34: issue()
        case ..<42: add(.revoke, some { _ in true }, chance.below(9))
        case ..<48:
            let ground = some(\.isRedeemable)
            let isAssertion = kinds.indices.contains(ground) && kinds[ground] == .assertion
            let kind: Record.Kind = isAssertion ? .service : chance.chance(50) ? .personal : .app
            add(.redeem, ground, kinds.count, Int(kind.rawValue))
            kinds.append(kind)
        case ..<60: add(.refresh, renewable(), chance.chance(60) ? 0 : chance.below(3), chance.below(3))
        case ..<63: add(.refreshTwice, renewable(), chance.below(2), chance.below(2))
        case ..<67: add(.refreshLate, renewable(), some { _ in true })
        case ..<71:
            let kind = Record.Kind.allCases[1 + chance.below(5)]
            add(.issueLate, kinds.count, Int(kind.rawValue), some { kind.mayStand(on: $0) }, some { _ in true })
            kinds.append(kind)
        case ..<74: add(.reground, some { $0 == .client }, some { $0 == .versionKey })
        case ..<79: add(.see, chance.below(3), chance.below(200))
        case ..<81: add(.enqueue, chance.below(4), some { _ in true })
        case ..<83: add(.deliver, chance.below(2))
        case ..<85: add(.use, some { _ in true }, chance.below(3))
        case ..<86: add(.describe, some { _ in true }, chance.below(3))
        case ..<88: add(.fail, some { _ in true }, some { $0 == .versionKey }, chance.below(3))
        case ..<92: add(.wait, 1 + chance.below(chance.chance(20) ? 700 : 90))
        case ..<96: add(.crash)
        case ..<98: add(.crashDuring, some { _ in true })
        default: add(.purge, chance.below(3) * 100)
        }
    }

    private mutating func issue() {
        let level = chance.below(100)
        let levels: [(below: Int, kind: Record.Kind)] = [
            (8, .versionKey), (22, .client), (38, .personal), (43, .affiliation), (58, .assertion), (74, .service),
            (92, .app),
        ]
        let kind =
            kinds.count < 6 ? Record.Kind.allCases[kinds.count] : levels.first { level < $0.below }?.kind ?? .code
        let number = chance.chance(3) ? chance.below(kinds.count + 1) : kinds.count
        let isRoot = kind == .versionKey || kind == .assertion && chance.chance(15)
        let parent = isRoot ? -1 : some { kind.mayStand(on: $0) }
        let isRenewable = !kind.isRedeemable && !kind.isKnownByHolder && chance.chance(70)
        let holder = chance.chance(60) ? chance.below(4) : -1
        let access = life(isRenewable ? 80 : 25, 300)
        add(.issue, number, Int(kind.rawValue), parent, holder, access, life(15, 600), isRenewable ? 1 : 0)
        if number == kinds.count { kinds.append(kind) }
    }

    private mutating func add(_ verb: Step.Verb, _ arguments: Int...) {
        steps.append(Step(verb, arguments: arguments))
    }

    /// The number of a record of such a kind; rarely of any at all, to see it refused.
    private mutating func some(_ fits: (Record.Kind) -> Bool) -> Int {
        let fitting = kinds.indices.filter { fits(kinds[$0]) }
        if fitting.isEmpty || chance.chance(6) { return chance.below(kinds.count + 1) }
        // The younger half is chosen more often, so that branches become long.
        let half = chance.chance(60) ? fitting.count / 2 : 0
        return fitting[half + chance.below(fitting.count - half)]
    }

    private mutating func renewable() -> Int { some { !$0.isRedeemable } }

    private mutating func life(_ percent: Int, _ longest: Int) -> Int {
        chance.chance(percent) ? chance.below(longest) : -1
    }
}
