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
        try SQLPool.prepare(Schema(space: space, dialect: Connection.dialect), connect)
        make = {
            // Each process is a writer of its own.
            SQLPost(
                writer: "test/\(UUID())", words: Statements(space: space), limits: MemoryStore.Limits(),
                patience: .seconds(10), clock: nil, connect: connect)
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
    static func laws(_ connect: @escaping Connect) async throws -> [Violation] {
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

    /// Several stores on the same tables spend, renew, and remember the same at once: each once.
    static func contention(_ connect: @escaping Connect) async throws {
        let space = space()
        let stores = (0..<2).map { _ in open(space, connect) }
        let key = Record.sample("key")
        #expect(try await stores[0].commit(Batch(at: at(0), [.insert(key)])) == .applied)
        for round in 0..<6 {
            let assertion = Record(
                id: TokenID(stringLiteral: "assertion-\(round)"), kind: .assertion, parent: "key", issued: at(0),
                accessExpiry: at(300))
            #expect(try await stores[0].commit(Batch(at: at(0), [.insert(assertion)])) == .applied)
            let outcomes = try await withThrowingTaskGroup(of: Batch.Outcome.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let service = Record(
                            id: TokenID(stringLiteral: "service-\(round)-\(number)"), kind: .service,
                            parent: assertion.id, issued: at(1))
                        return try await stores[number % 2].commit(
                            Batch(at: at(1), [.consume(assertion.id), .insert(service)]))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .applied } == 1)
            #expect(outcomes.count { $0 == .conflict(.consumed(assertion.id, at: at(1)), change: 0) } == 5)
        }
        for store in stores { await store.close() }
        await #expect(throws: StoreFailure.closed) { try await stores[0].load([]) }
    }
}
