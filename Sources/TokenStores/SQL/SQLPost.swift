internal import TokenTree
internal import Wire
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One thread's place at the database: connects when it has to, tries again what others were in the way of, and finds
/// out what became of a commit whose answer was lost.
struct SQLPost<Connection: SQLConnection> {
    let writer: String
    let words: Statements
    let limits: MemoryStore.Limits
    let patience: Duration
    let clock: StoreClock
    let connect: @Sendable () throws(SQLFailure) -> Connection
    private var session: SQLSession<Connection>?
    /// How many commits of this writer the tables know of.
    private(set) var commits: Int64 = 0

    init(
        writer: String, words: Statements, limits: MemoryStore.Limits, patience: Duration,
        clock: StoreClock, connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) {
        self.writer = writer
        self.words = words
        self.limits = limits
        self.patience = patience
        self.clock = clock
        self.connect = connect
    }

    /// Gives up the connection.
    mutating func hangUp() { session = nil }

    // MARK: What is asked

    /// Does what can be done again without harm.
    mutating func attempt<Value>(
        _ body: (SQLSession<Connection>) throws(SessionFailure) -> Value
    ) throws(StoreFailure) -> Value {
        let deadline = ContinuousClock.now + patience
        var attempt = 1
        while true {
            do throws(SessionFailure) {
                return try body(try connected(until: deadline))
            } catch {
                try recover(from: error, attempt, until: deadline)
                attempt += 1
            }
        }
    }

    /// Applies a batch once, whatever becomes of the connection.
    mutating func commit(
        _ batch: Batch, _ shares: (ReplayKey, Timestamp) -> Int
    ) throws(StoreFailure) -> Batch.Outcome {
        let deadline = ContinuousClock.now + patience
        var attempt = 1
        var hopes = true
        while true {
            do throws(SessionFailure) {
                switch try commitOnce(batch, hoping: hopes, shares, until: deadline) {
                case .applied: return .applied
                case .doubtful: hopes = false
                case .conflict(let conflict, let index): return .conflict(conflict, change: index)
                case .uncertain(let failure): if try hasCommitted(losing: failure) { return .applied }
                }
            } catch {
                try recover(from: error, attempt, until: deadline)
            }
            attempt += 1
        }
    }

    /// One attempt, after which nobody else has the session: what it left open ends with it.
    private mutating func commitOnce(
        _ batch: Batch, hoping hopes: Bool, _ shares: (ReplayKey, Timestamp) -> Int,
        until deadline: ContinuousClock.Instant
    ) throws(SessionFailure) -> SQLSession<Connection>.Attempt {
        var session = try connected(until: deadline)
        let outcome = try session.commit(batch, hoping: hopes, shares)
        commits = session.commits
        self.session = session
        return outcome
    }

    // MARK: What can go wrong

    /// The session there is, or a new one.
    private mutating func connected(until deadline: ContinuousClock.Instant) throws(SessionFailure) -> SQLSession<
        Connection
    > {
        if let session { return session }
        while true {
            do throws(SQLFailure) {
                let connection = try connect()
                var session = SQLSession(
                    connection, words, limits: limits, clock: try clock.told(over: connection), writer: writer)
                session.continues(after: commits)
                self.session = session
                return session
            } catch {
                guard case .lost = error, ContinuousClock.now < deadline else { throw .database(error) }
                pause(.milliseconds(100))
            }
        }
    }

    /// Prepares another attempt, or says why there is none.
    private mutating func recover(
        from failure: SessionFailure, _ attempt: Int, until deadline: ContinuousClock.Instant
    ) throws(StoreFailure) {
        switch failure {
        case .store(let failure):
            session?.rollBack()
            throw failure
        case .database(.conflicting(let reason)), .database(.taken(let reason)):
            session?.rollBack()
            guard ContinuousClock.now < deadline else { throw StoreFailure(.conflicting(reason), after: attempt) }
            pause(backoff(attempt))
        case .database(.lost(let reason)):
            session = nil
            guard ContinuousClock.now < deadline else { throw .unreachable(reason) }
        case .database(let failure):
            session?.rollBack()
            throw StoreFailure(failure, after: attempt)
        }
    }

    /// Whether the commit whose answer was lost is there.
    ///
    /// Each commit counts itself in its writer's row. To write that row as it is waits for a transaction that still
    /// runs, and tells of one that has ended.
    private mutating func hasCommitted(losing failure: SQLFailure) throws(SessionFailure) -> Bool {
        session = nil
        let deadline = ContinuousClock.now + patience
        var attempt = 0
        while true {
            do throws(SessionFailure) {
                let session = try connected(until: deadline)
                let rows = try session.perform([SQLStatement(words.upkeep.findOut, [.text(writer)])])
                // A writer without a row has never committed.
                let found = rows[0].first?.first?.integer ?? 0
                let isThere = found > commits
                commits = max(found, commits)
                self.session?.continues(after: commits)
                return isThere
            } catch {
                attempt += 1
                switch error {
                case .database(.lost) where ContinuousClock.now < deadline: session = nil
                case .database(.conflicting) where ContinuousClock.now < deadline:
                    session?.rollBack()
                    pause(backoff(attempt))
                default:
                    session = nil
                    throw .store(.uncertain("\(failure), and then \(error)"))
                }
            }
        }
    }

    /// How long to wait after so many attempts in whose way others were: longer each time, and for each writer
    /// differently, so that they do not meet again.
    private func backoff(_ attempt: Int) -> Duration {
        let longest = 100 << min(attempt, 8)
        let share = writer.utf8.reduce(attempt) { ($0 &* 31 &+ Int($1)) & 0xffff } % 64
        return .microseconds(longest / 4 + longest * share / 64)
    }

    private func pause(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
