internal import PureCrypto
internal import Wire

/// Lets histories happen to whole federations, and checks after each that what must hold does.
///
/// Everything in a federation is the code that hosts run; chance, time and faults follow from a history alone, so that
/// what fails once fails again, on every machine.
public struct FederationSimulation: Sendable {
    private let size: Size
    private let cast: Cast

    /// How large a federation is.
    public struct Size: Sendable, Hashable {
        /// How many services it has.
        public var services = 3
        /// How many phones there are.
        public var phones = 2
        /// How many people.
        public var people = 3
        /// How many processes answer for the edu-ID service.
        public var eduIDProcesses = 2

        /// A small one.
        public init() {}
    }

    /// What history broke a law.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// What must hold.
        public let law: String
        /// What does not.
        public let evidence: String
        /// After how many steps that was seen.
        public let step: Int

        /// The law and what was seen.
        public var description: String { "\(law): \(evidence) (step \(step))" }
    }

    /// A history that broke a law.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The seed that it followed from.
        public let seed: UInt64
        /// The shortest part of it that was found to fail.
        public let history: History
        /// What happened then.
        public let violation: Violation

        /// That a history, which a seed made or somebody wrote, broke a law.
        public init(seed: UInt64, history: History, violation: Violation) {
            (self.seed, self.history, self.violation) = (seed, history, violation)
        }

        /// All it takes to play it again.
        public var description: String { "seed \(seed), shrunk to:\n\(history)\n\(violation)" }
    }

    /// What a history was like.
    public struct Played: Sendable {
        /// Which law it broke, if it broke one.
        public let violation: Violation?
        /// What it reached.
        public let coverage: Coverage
        /// What went over the wire, all of it, as one hash.
        public let digest: [UInt8]
        /// What happened, line by line; empty unless it was asked for.
        public let story: [String]
    }

    /// How far a history has come.
    public enum Progress: Sendable, Hashable, CustomStringConvertible {
        /// So many of its steps have happened.
        case steps(Int, of: Int)
        /// All steps have, and so many phones have been looked at.
        case phones(Int, of: Int)
        /// It broke a law, and is tried without some of its steps; so many of them are left so far.
        case shrinking(try: Int, left: Int, of: Int)

        /// In words.
        public var description: String {
            switch self {
            case .steps(let done, let all): "step \(done) of \(all)"
            case .phones(let done, let all): "the end: phone \(done) of \(all)"
            case .shrinking(let number, let left, let all): "try \(number) to shrink it: \(left) of \(all) steps left"
            }
        }
    }

    /// Simulates federations of a size.
    public init(_ size: Size = Size()) throws(SimulationError) {
        self.size = size
        do { cast = try Cast(services: size.services, people: size.people) } catch { throw SimulationError() }
    }

    /// Lets one history happen.
    ///
    /// - Parameters:
    ///   - seed: where names, keys and tokens come from.
    ///   - hear: is told now and then how far it has come.
    public func play(
        _ history: History, seed: UInt64, telling isTelling: Bool = false, hearing hear: ((Progress) -> Void)? = nil
    ) -> Played {
        let world = World(cast, seed: seed, size: size, telling: isTelling)
        world.hear = hear
        let violation = world.play(history)
        return Played(
            violation: violation, coverage: world.coverage, digest: world.digest, story: world.story)
    }

    /// Lets the history of a seed happen, over so many days where it says so.
    public func play(
        seed: UInt64, steps: Int, days: Int? = nil, hearing hear: ((Progress) -> Void)? = nil
    ) -> Played {
        play(History(seed: seed, steps: steps, size: size, days: days), seed: seed, hearing: hear)
    }

    /// What went over the wire in several histories, as one hash.
    public static func digest(of digests: [[UInt8]]) -> [UInt8] {
        Array(SHA256.hash(data: digests.reduce(into: []) { $0 += $1 }))
    }

    /// The shortest part of a history that still breaks a law: what comes after that is left out, and then parts, large
    /// ones first.
    ///
    /// - Parameters:
    ///   - tries: how many parts are played at most.
    ///   - hear: is told before each of them how far this has come.
    public func shrunk(
        _ history: History, seed: UInt64, tries: Int = .max, hearing hear: ((Progress) -> Void)? = nil
    ) -> Failure? {
        guard let first = play(history, seed: seed).violation else { return nil }
        var best = (history: History([Step](history.steps.prefix(first.step))), violation: first)
        var size = max(1, best.history.steps.count / 2)
        var triesLeft = tries
        while size > 0, triesLeft > 0 {
            var start = 0
            var isShorter = false
            while start < best.history.steps.count, triesLeft > 0 {
                triesLeft -= 1
                hear?(.shrinking(try: tries - triesLeft, left: best.history.steps.count, of: history.steps.count))
                var steps = best.history.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                // The same law, so that what is found is not lost for something else.
                if let violation = play(History(steps), seed: seed).violation, violation.law == first.law {
                    best = (History(steps), violation)
                    isShorter = true
                } else {
                    start += size
                }
            }
            if !isShorter { size /= 2 }
        }
        return Failure(seed: seed, history: best.history, violation: best.violation)
    }
}
