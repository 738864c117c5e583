internal import Synchronization
public import Wire

/// The time of a machine by which a store forgets and removes, also when the machine's clock is set wrong while the
/// process is at work.
///
/// It follows the machine's clock back at once, and ahead at most twice as fast as time passes: who sets the clock two
/// days ahead and corrects that within an hour has moved this one ahead by an hour. So nothing that lives is removed,
/// and proofs are refused as too late for no longer than the clock was wrong. A clock that was rightly set ahead is
/// caught up with; until then things are remembered for longer.
public final class SteadyClock: Sendable {
    private let machine: @Sendable () -> Timestamp
    private let stopwatch: @Sendable () -> Duration
    /// When both were in step last.
    private let mark: Mutex<(time: Timestamp, passed: Duration)>

    /// Begins with what the machine's clock says.
    ///
    /// - Parameter machine: the clock of the machine.
    public convenience init(following machine: @escaping @Sendable () -> Timestamp) {
        let begin = ContinuousClock.now
        self.init(following: machine) { begin.duration(to: .now) }
    }

    /// - Parameter stopwatch: tells how much time has passed, whatever becomes of the machine's clock.
    init(following machine: @escaping @Sendable () -> Timestamp, stopwatch: @escaping @Sendable () -> Duration) {
        (self.machine, self.stopwatch) = (machine, stopwatch)
        mark = Mutex((machine(), stopwatch()))
    }

    /// The time now.
    public var now: Timestamp {
        let (told, passed) = (machine(), stopwatch())
        return mark.withLock { mark in
            let most = mark.time + (passed - mark.passed) * 2
            if told > most { return most }
            mark = (told, passed)
            return told
        }
    }
}
