internal import TokenTree
public import Wire

/// Whose time counts where decisions of several hosts meet: by it a store forgets what must not pass again, and removes
/// what is dead, however far ahead the clock of the host is that asks for it.
public enum StoreClock: Sendable {
    /// The time of each decision itself; for hosts whose clocks are right.
    case none
    /// The time of this host, or whatever else tells it.
    case host(@Sendable () -> Timestamp)
    /// The time of the database, which is one for all hosts: no clock of theirs can harm what others stored.
    case database

    /// What tells the time to the session of a connection: the database is asked once, and the time since then counted.
    func told<Connection: SQLConnection>(
        over connection: Connection
    ) throws(SQLFailure) -> (@Sendable () -> Timestamp)? {
        switch self {
        case .none: return nil
        case .host(let time): return time
        case .database:
            guard let question = Connection.dialect.time,
                let seconds = try connection.perform([SQLStatement(question)]).first?.first?.first?.integer
            else { return nil }
            let (time, asked) = (Timestamp(seconds: seconds), ContinuousClock.now)
            return { time + asked.duration(to: .now) }
        }
    }
}
