extension FederationSimulation {
    /// What histories reached: a run says what it did not reach, so that nobody takes it for more than it is.
    public struct Coverage: Sendable, Hashable {
        /// How often each step happened.
        public private(set) var steps: [Step.Verb: Int] = [:]
        /// How often each fault struck.
        public private(set) var faults: [Fault: Int] = [:]
        /// How often parties refused, by the clause of the rule.
        public private(set) var refusals: [String: Int] = [:]
        /// How many messages about ends were confirmed.
        public internal(set) var confirmed = 0
        /// How many dead records were removed.
        public internal(set) var purged = 0
        /// How much time passed in histories, their ends among them.
        public internal(set) var time = Duration.zero
        /// How much still worked at the end of histories.
        public internal(set) var alive = 0

        /// Nothing so far.
        public init() {}

        mutating func count(_ verb: Step.Verb) { steps[verb, default: 0] += 1 }
        mutating func count(_ fault: Fault) { faults[fault, default: 0] += 1 }
        mutating func count(refusal clause: String) { refusals[clause, default: 0] += 1 }

        /// Adds what other histories reached.
        public mutating func add(_ other: Coverage) {
            steps.merge(other.steps) { $0 + $1 }
            faults.merge(other.faults) { $0 + $1 }
            refusals.merge(other.refusals) { $0 + $1 }
            confirmed += other.confirmed
            purged += other.purged
            alive += other.alive
            time += other.time
        }

        /// What never happened, of all that happens to federations of that size.
        public func unreached(in size: Size) -> [String] {
            Step.Verb.allCases.filter { steps[$0] == nil }.map { "step \($0)" }
                + Fault.allCases.filter { faults[$0] == nil && $0.happens(in: size) }.map { "fault '\($0)'" }
                + (confirmed == 0 ? ["a confirmed message"] : []) + (purged == 0 ? ["a purge"] : [])
                + (alive == 0 ? ["something that works at the end"] : [])
        }
    }
}
