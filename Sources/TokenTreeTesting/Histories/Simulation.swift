internal import TokenTree
internal import Wire

/// Plays histories to a store with the model beside it, and checks after every step that both say the same and the laws
/// hold.
public struct Simulation<Store: SimulatedStore> {
    private let make: () -> Store

    /// Simulates fresh stores.
    public init(making make: @escaping () -> Store) {
        self.make = make
    }

    /// Where a history goes wrong.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The seed whose history failed.
        public let seed: UInt64
        /// The shortest part of it that was found to fail.
        public let history: History
        /// What happened then.
        public let violation: Violation

        /// All it takes to play it again.
        public var description: String { "seed \(seed), shrunk to:\n\(history)\n\(violation)" }
    }

    /// Plays the histories of seeds, and stops at the first that fails, shrunk to what it takes.
    public func run(seeds: Range<UInt64>, steps: Int = 40) -> Failure? {
        for seed in seeds {
            let history = History(seed: seed, steps: steps)
            guard let violation = play(history) else { continue }
            let (shrunk, last) = shrink(history, failing: violation)
            return Failure(seed: seed, history: shrunk, violation: last)
        }
        return nil
    }

    /// Plays one history, and says where it goes wrong.
    public func play(_ history: History) -> Violation? {
        var comparison = Comparison(store: make())
        var place = 0
        do throws(Difference) {
            for step in history.steps {
                try comparison.perform(step)
                place += 1
            }
            try comparison.checkAll()
            return nil
        } catch {
            return Violation(
                law: "a store says what the model says", clause: "TOK-8", step: place, evidence: error.evidence)
        }
    }

    /// Leaves out parts, large ones first, as long as what is left still fails.
    private func shrink(_ history: History, failing violation: Violation) -> (History, Violation) {
        var best = (history: History([Step](history.steps.prefix(violation.step + 1))), violation: violation)
        if play(best.history) == nil { best.history = history }
        var size = max(1, best.history.steps.count / 2)
        while size > 0 {
            var start = 0
            var isShorter = false
            while start < best.history.steps.count {
                var steps = best.history.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if let violation = play(History(steps)) {
                    best = (History(steps), violation)
                    isShorter = true
                } else {
                    start += size
                }
            }
            if !isShorter { size /= 2 }
        }
        return best
    }
}
