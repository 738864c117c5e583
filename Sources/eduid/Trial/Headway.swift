import FederationTesting

/// How far histories have come, as a line for a terminal that takes the place of the one before.
struct Headway {
    /// Nobody reads faster: what comes sooner is not said.
    static let pause = Duration.milliseconds(100)

    private let count: UInt64
    private var ended: UInt64 = 0
    /// Of those that run, what each said last; short ones end before they say anything.
    private var underWay: [UInt64: FederationSimulation.Progress] = [:]
    private var next: ContinuousClock.Instant?

    init(of count: UInt64) { self.count = count }

    /// The line to show when the history of a seed has come so far, where it is time for one.
    mutating func come(
        to progress: FederationSimulation.Progress, in seed: UInt64, at now: ContinuousClock.Instant
    ) -> String? {
        underWay[seed] = progress
        return line(at: now)
    }

    /// The line to show when the history of a seed has ended, where it is time for one.
    mutating func end(_ seed: UInt64, at now: ContinuousClock.Instant) -> String? {
        underWay[seed] = nil
        ended += 1
        return line(at: now)
    }

    /// The first of those that run stands for all.
    private mutating func line(at now: ContinuousClock.Instant) -> String? {
        if let next, now < next { return nil }
        next = now + Self.pause
        let first = underWay.min { $0.key < $1.key }
        guard count > 1 else { return first.map { "\($0.value)" } }
        return "\(ended) of \(count) histories" + (first.map { "; seed \($0.key): \($0.value)" } ?? "")
    }
}
