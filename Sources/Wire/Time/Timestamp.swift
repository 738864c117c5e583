/// A point in time: seconds since 1970-01-01T00:00:00Z without leap seconds, exact to the nanosecond.
///
/// Sums saturate at the ends of the range and never trap, so that "now plus a lifetime" needs no care about overflow.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible, Parsable {
    /// The whole seconds, rounded down.
    public let seconds: Int64
    /// What is added to the whole seconds: less than a thousand million.
    public let nanoseconds: UInt32

    /// A point on a whole second.
    public init(seconds: Int64) {
        self.seconds = seconds
        nanoseconds = 0
    }

    /// A point some nanoseconds after a whole second; a thousand million of them or more are carried over.
    public init(seconds: Int64, nanoseconds: UInt32) {
        let (sum, overflow) = seconds.addingReportingOverflow(Int64(nanoseconds / Self.billion))
        self.seconds = overflow ? .max : sum
        self.nanoseconds = overflow ? Self.billion - 1 : nanoseconds % Self.billion
    }

    /// 1970-01-01T00:00:00Z.
    public static let epoch = Timestamp(seconds: 0)
    /// The earliest point there is.
    public static let distantPast = Timestamp(seconds: .min)
    /// The latest point there is.
    public static let distantFuture = Timestamp(seconds: .max, nanoseconds: billion - 1)

    static let billion: UInt32 = 1_000_000_000

    /// Whether one point is before the other.
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}

// MARK: - Arithmetic

extension Timestamp {
    /// The point after a duration, rounded down to the nanosecond; beyond the range, its nearest end.
    public static func + (point: Timestamp, duration: Duration) -> Timestamp {
        let total = point.sinceEpoch + clamped(duration)
        guard total >= distantPast.sinceEpoch else { return distantPast }
        guard total <= distantFuture.sinceEpoch else { return distantFuture }
        let (seconds, attoseconds) = total.components
        let isBefore = attoseconds < 0
        let rest = (isBefore ? attoseconds + 1_000_000_000_000_000_000 : attoseconds) / 1_000_000_000
        return Timestamp(seconds: isBefore ? seconds - 1 : seconds, nanoseconds: UInt32(truncatingIfNeeded: rest))
    }

    /// The point before a duration, rounded down to the nanosecond; beyond the range, its nearest end.
    public static func - (point: Timestamp, duration: Duration) -> Timestamp {
        point + (.zero - clamped(duration))
    }

    /// How long after another point this one is; negative where it is before.
    public static func - (one: Timestamp, other: Timestamp) -> Duration {
        one.sinceEpoch - other.sinceEpoch
    }

    private var sinceEpoch: Duration { .seconds(seconds) + .nanoseconds(nanoseconds) }

    /// Longer durations than from one end of the range to the other change nothing, and `Duration` itself would
    /// overflow.
    private static func clamped(_ duration: Duration) -> Duration {
        let longest: Duration = .seconds(Int64.max) + .seconds(Int64.max) + .seconds(2)
        return min(max(duration, .zero - longest), longest)
    }
}
