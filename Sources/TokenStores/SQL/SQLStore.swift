internal import Synchronization
public import TokenTree
public import Wire

/// A tree in the tables of a database, for any number of processes at a time.
///
/// The database orders all that happens at once: each commit is one serializable transaction, which looks up what the
/// batch asks about, has the tree's own rules decide, and writes what changed. Each call takes one of the store's
/// connections, which wait on threads of their own.
///
/// ```swift
/// let store = try SQLStore { () throws(SQLFailure) in try SQLiteConnection(path: path) }
/// ```
public final class SQLStore<Connection: SQLConnection>: AsyncTokenStore {
    private let pool: SQLPool<Connection>
    private let progress = Mutex(Freshness())
    private let shares = Mutex(KeyShares())

    /// Opens the tree of a name space; its tables are made if they are not there, and made newer if an earlier release
    /// made them.
    ///
    /// - Parameters:
    ///   - space: what the names of all tables begin with, so that several parties can share a database.
    ///   - connections: how many are held at most.
    ///   - limits: what one batch and one record may have; of how many records there are, the database is the bound.
    ///   - patience: how long a call waits for a database that cannot be reached.
    ///   - clock: whose time counts.
    ///   - connect: makes a connection.
    public convenience init(
        space: String = "eduid", connections: Int = 4, limits: MemoryStore.Limits = MemoryStore.Limits(),
        patience: Duration = .seconds(10), clock: StoreClock = .none,
        connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        guard Schema.isSpace(space) else { throw .notASpace(space) }
        try self.init(
            Schema(space: space, dialect: Connection.dialect), connections: connections, limits: limits,
            patience: patience, clock: clock, connect: connect)
    }

    init(
        _ schema: Schema, connections: Int = 4, limits: MemoryStore.Limits = MemoryStore.Limits(),
        patience: Duration = .seconds(10), clock: StoreClock = .none,
        connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        try schema.prepare(connect)
        pool = try SQLPool(
            count: max(1, connections), words: Statements(schema), limits: limits, patience: patience, clock: clock,
            connect: connect)
    }

    deinit { pool.dismiss() }

    /// Makes the tables of a name space, or makes older ones newer, and does nothing where there is nothing to do.
    ///
    /// Opening a store does the same. This is for whoever gives the right to it to another user, or has tables so large
    /// that it takes longer than a connection of the store is patient.
    public static func prepare(
        space: String = "eduid", connect: () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        guard Schema.isSpace(space) else { throw .notASpace(space) }
        try Schema(space: space, dialect: Connection.dialect).prepare(connect)
    }

    /// What the tables of a name space hold, for whoever only looks at them.
    public static func inspect(
        space: String = "eduid", limits: MemoryStore.Limits = MemoryStore.Limits(),
        connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) -> MemoryStore {
        guard Schema.isSpace(space) else { throw .notASpace(space) }
        let schema = Schema(space: space, dialect: Connection.dialect)
        var post = SQLPost(
            writer: "", words: Statements(schema), limits: limits, patience: .seconds(5), clock: .none,
            connect: connect)
        return try post.attempt { session throws(SessionFailure) in
            let found = try session.perform([schema.question])[0].first?.first?.integer ?? .max
            // Before anything is asked that tables of another version cannot answer.
            try reading { () throws(StoreFailure) in try StoreFailure.check(version: found, known: schema.version) }
            return try session.export()
        }
    }

    /// Answers each of the keys, from one state of the database and in one round trip.
    public func load(_ keys: [Facts.Key]) async throws(StoreFailure) -> Facts {
        try await pool.run { post throws(StoreFailure) in
            try post.attempt { session throws(SessionFailure) in try session.load(keys) }
        }
    }

    /// Applies the batch wholly or not at all, and answers when the database has it.
    public func commit(_ batch: Batch) async throws(StoreFailure) -> Batch.Outcome {
        // How many keys an owner has is counted where they come in: only a flood has that many.
        let counted: @Sendable (ReplayKey, Timestamp) -> Int = { [self] key, until in
            shares.withLock { $0.count(of: key, until: until) }
        }
        let (outcome, writer, commits) = try await pool.run { post throws(StoreFailure) in
            (try post.commit(batch, counted), post.writer, post.commits)
        }
        if case .applied = outcome {
            progress.withLock { $0.note(commits, of: writer) }
            shares.withLock { shares in
                for case .remember(let key, let until, _) in batch.changes {
                    shares.add(key, until: until, at: batch.at)
                }
            }
        }
        return outcome
    }

    /// What this store has committed so far: who has this asks replicas for answers that are at least as fresh.
    ///
    /// It costs no question to the database.
    public var freshness: Freshness { progress.withLock { $0 } }

    /// Removes what is dead and past any use, in steps between which others come to their turn, and says how many
    /// records that were.
    public func purge(at now: Timestamp, keeping retention: Retention) async throws(StoreFailure) -> Int {
        var step: SQLSession<Connection>.PurgeStep? = .first
        var count = 0
        while let current = step {
            let (removed, next) = try await pool.run { post throws(StoreFailure) in
                try post.attempt { session throws(SessionFailure) in
                    try session.purge(current, at: now, keeping: retention)
                }
            }
            count += removed
            step = next
        }
        return count
    }

    /// All there is, as a tree in memory: for a backup, for another kind of store, or to look at.
    public func export() async throws(StoreFailure) -> MemoryStore {
        try await pool.run { post throws(StoreFailure) in
            try post.attempt { session throws(SessionFailure) in try session.export() }
        }
    }

    /// Fills the tables, which are empty, with a tree from elsewhere.
    ///
    /// What that tree does not know for certain, this one does not either: a copy that may lack something is restored
    /// as such before.
    public func fill(with tree: MemoryStore) async throws(StoreFailure) {
        try await pool.run { post throws(StoreFailure) in
            try post.attempt { session throws(SessionFailure) in try session.fill(with: tree) }
        }
    }

    /// Ends the store's connections when all is answered that was asked before.
    public func close() async { await pool.close() }
}

/// How many keys each owner has that end within the same 64 seconds, as far as they came in here.
struct KeyShares {
    private var slices: [Int64: [UInt64: Int]] = [:]

    private static func slice(_ time: Timestamp) -> Int64 { time.seconds >> 6 }

    func count(of key: ReplayKey, until: Timestamp) -> Int { slices[Self.slice(until)]?[key.owner] ?? 0 }

    mutating func add(_ key: ReplayKey, until: Timestamp, at now: Timestamp) {
        guard key.owner != 0 else { return }
        if slices[Self.slice(until)] == nil { slices = slices.filter { $0.key >= Self.slice(now) } }
        slices[Self.slice(until), default: [:]][key.owner, default: 0] += 1
    }
}
