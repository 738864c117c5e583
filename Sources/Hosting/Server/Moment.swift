#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Wire

/// A time in the forms that a server needs.
struct Moment {
    /// What deadlines are counted in, whatever becomes of the clock on the wall.
    let instant: ContinuousClock.Instant
    /// What the log says.
    let time: Timestamp
    /// What answers say.
    let date: String?
}

extension Timestamp {
    /// What the machine's clock says.
    static var onTheWall: Timestamp {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return Timestamp(seconds: Int64(wall.tv_sec))
    }
}

/// Tells the time, and writes each second out once.
struct MomentClock {
    private let clock = ContinuousClock()
    private var date: (second: Int64, text: String?)?

    mutating func now() -> Moment {
        let time = Timestamp.onTheWall
        if date?.second != time.seconds { date = (time.seconds, try? time.httpDate()) }
        return Moment(instant: clock.now, time: time, date: date?.text)
    }
}
