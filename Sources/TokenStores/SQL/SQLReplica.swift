internal import Synchronization
public import TokenTree
public import Wire

/// A copy of a tree's tables that follows them, and answers what is at least as fresh as some commits.
///
/// Whether it has those commits is asked in the very state that answers, and in the same round trip. So a replica whose
/// following has stopped, or that follows a server which is no longer the primary, never gives an old answer: it gives
/// none.
///
/// ```swift
/// let replica = try SQLReplica { () throws(SQLFailure) in
///     try PostgreSQLConnection("host=db2,db3 dbname=eduid target_session_attrs=standby")
/// }
/// let facts = try await replica.load([.record(id)], atLeast: freshness)
/// ```
public final class SQLReplica<Connection: SQLConnection>: Sendable {
    private let pool: SQLPool<Connection>
    /// Until when nobody is made to wait for a replica that was not reached.
    private let rest = Mutex<ContinuousClock.Instant?>(nil)
    private let restTime: Duration

    /// Reads the tree of a name space, whose tables are there already.
    ///
    /// - Parameters:
    ///   - space: what the names of all tables begin with.
    ///   - connections: how many are held at most.
    ///   - patience: how long a call waits for a replica that cannot be reached, while the primary could be asked.
    ///   - rest: how long nobody is made to wait for one that was not reached.
    ///   - connect: makes a connection.
    public convenience init(
        space: String = "eduid", connections: Int = 4, patience: Duration = .seconds(1),
        rest: Duration = .seconds(5), connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        guard Schema.isSpace(space) else { throw .notASpace(space) }
        let schema = Schema(space: space, dialect: Connection.dialect)
        try self.init(schema, connections: connections, patience: patience, rest: rest, connect: connect)
    }

    init(
        _ schema: Schema, connections: Int, patience: Duration, rest: Duration,
        connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        restTime = rest
        let words = Statements(schema)
        var post = SQLPost(
            writer: "", words: words, limits: MemoryStore.Limits(), patience: patience, clock: .none, connect: connect)
        _ = try post.attempt { session throws(SessionFailure) in try session.load([]) }
        pool = try SQLPool(
            count: max(1, connections), words: words, limits: MemoryStore.Limits(), patience: patience, clock: .none,
            connect: connect)
    }

    deinit { pool.dismiss() }

    /// Answers each of the keys from one state that has the commits; none where it lacks one, so that the primary has
    /// to be asked.
    public func load(_ keys: [Facts.Key], atLeast freshness: Freshness) async throws(StoreFailure) -> Facts? {
        let now = ContinuousClock.now
        if let end = rest.withLock({ $0 }), now < end { throw .unreachable("the replica was not reached just now") }
        do throws(StoreFailure) {
            return try await pool.run { post throws(StoreFailure) in
                try post.attempt { session throws(SessionFailure) in
                    try session.load(keys, after: freshness.writers)
                }
            }
        } catch {
            if case .unreachable = error { rest.withLock { $0 = .now + restTime } }
            throw error
        }
    }

    /// Ends the replica's connections when all is answered that was asked before.
    public func close() async { await pool.close() }
}

/// A store whose look-ups a replica answers as long as it is fresh enough, and the primary from then on.
///
/// It is made for one request, and costs nothing: once the primary had to answer, it answers the rest as well, so that
/// nothing that was seen once is unseen by a later look.
public final class ReplicatedStore<Primary: SQLConnection, Replica: SQLConnection>: AsyncTokenStore {
    private let primary: SQLStore<Primary>
    private let replica: SQLReplica<Replica>
    /// What the replica must have, as long as it is asked.
    private let wanted: Mutex<Freshness?>

    /// Look-ups by a replica, all else by the primary; without a freshness, look-ups as well.
    public init(_ primary: SQLStore<Primary>, _ replica: SQLReplica<Replica>, atLeast freshness: Freshness?) {
        self.primary = primary
        self.replica = replica
        wanted = Mutex(freshness)
    }

    /// Answers each of the keys from one state, which is at least as fresh as was asked for.
    public func load(_ keys: [Facts.Key]) async throws(StoreFailure) -> Facts {
        if let freshness = wanted.withLock({ $0 }) {
            // Whatever is wrong with a replica, the primary can answer.
            if let facts = try? await replica.load(keys, atLeast: freshness) { return facts }
            wanted.withLock { $0 = nil }
        }
        return try await primary.load(keys)
    }

    /// Applies the batch by the primary; what is looked up after that knows of it.
    public func commit(_ batch: Batch) async throws(StoreFailure) -> Batch.Outcome {
        let outcome: Batch.Outcome
        do throws(StoreFailure) {
            outcome = try await primary.commit(batch)
        } catch {
            // Whether it was stored is not known, so that no replica can be asked to have it.
            wanted.withLock { $0 = nil }
            throw error
        }
        wanted.withLock { wanted in
            // Why a change was refused only the primary is sure to know.
            guard outcome == .applied else { return wanted = nil }
            wanted?.merge(primary.freshness)
        }
        return outcome
    }

    /// Has the primary remove what is dead and past any use.
    public func purge(at now: Timestamp, keeping retention: Retention) async throws(StoreFailure) -> Int {
        wanted.withLock { $0 = nil }
        return try await primary.purge(at: now, keeping: retention)
    }
}
