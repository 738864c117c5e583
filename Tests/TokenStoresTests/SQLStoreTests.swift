import Foundation
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

/// A store on one connection whose caller does the work of its thread, so that histories can be played to it.
final class SessionStore<Connection: SQLConnection>: SimulatedStore {
    private var post: SQLPost<Connection>
    private let make: () -> SQLPost<Connection>
    /// Why the store did not answer, if it did not.
    private(set) var failure: StoreFailure?
    /// What surrounds a purge, of which a lost answer leaves open how many records went.
    var whilePurging: (() -> Int) -> Int = { $0() }

    init(space: String, connect: @escaping @Sendable () throws(SQLFailure) -> Connection) throws(StoreFailure) {
        let schema = Schema(space: space, dialect: Connection.dialect)
        try schema.prepare(connect)
        make = {
            // Each process is a writer of its own.
            SQLPost(
                writer: "test/\(UUID())", words: Statements(schema), limits: MemoryStore.Limits(),
                patience: .seconds(10), clock: .none, connect: connect)
        }
        post = make()
    }

    func load(_ keys: [Facts.Key]) -> Facts {
        answer(Facts()) { () throws(StoreFailure) in
            try post.attempt { session throws(SessionFailure) in try session.load(keys) }
        }
    }

    func commit(_ batch: Batch) -> Batch.Outcome {
        answer(.conflict(.full, change: -1)) { () throws(StoreFailure) in try post.commit(batch) { _, _ in 0 } }
    }

    func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        whilePurging { purgeAll(at: now, keeping: retention) }
    }

    private func purgeAll(at now: Timestamp, keeping retention: Retention) -> Int {
        answer(-1) { () throws(StoreFailure) in
            var step: SQLSession<Connection>.PurgeStep? = .first
            var count = 0
            while let current = step {
                let (removed, next) = try post.attempt { session throws(SessionFailure) in
                    try session.purge(current, at: now, keeping: retention)
                }
                count += removed
                step = next
            }
            return count
        }
    }

    func restart() { post = make() }

    private func answer<Value>(_ otherwise: Value, _ body: () throws(StoreFailure) -> Value) -> Value {
        do throws(StoreFailure) { return try body() } catch {
            failure = error
            return otherwise
        }
    }
}

/// What every database has to show.
enum SQLStoreLaws<Connection: SQLConnection> {
    typealias Connect = @Sendable () throws(SQLFailure) -> Connection

    /// Tables that nothing else has.
    static func space() -> String { "t" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(20) }

    /// Every law, each on tables of its own.
    static func laws(_ connect: @escaping Connect) async -> [Violation] {
        var current = ""
        return await Conformance.violations(
            making: {
                current = space()
                return open(current, connect)
            },
            restarting: { store in
                await store.close()
                return open(current, connect)
            })
    }

    static func open(_ space: String, _ connect: @escaping Connect) -> SQLStore<Connection> {
        do throws(StoreFailure) {
            return try SQLStore(space: space, connections: 2, connect: connect)
        } catch {
            preconditionFailure(error.text)
        }
    }

    /// Random histories, each on tables of its own.
    static func histories(_ seeds: Range<UInt64>, steps: Int = 30, _ connect: @escaping Connect) -> String? {
        let simulation = Simulation(making: { () -> SessionStore<Connection> in
            guard let store = try? SessionStore(space: space(), connect: connect) else {
                preconditionFailure("no tables")
            }
            return store
        })
        return simulation.run(seeds: seeds, steps: steps)?.description
    }

    /// Every law and race between two stores on the same tables, whose connections something may befall.
    static func races(
        rounds: Int, disturbing disturb: (@Sendable () async -> Void)? = nil, _ connect: @escaping Connect
    ) async -> [Violation] {
        await Conformance.violations(
            connecting: {
                let space = space()
                return (open(space, connect), open(space, connect))
            }, rounds: rounds, disturbing: disturb)
    }
}
