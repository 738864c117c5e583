import Foundation
import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import Wire

@Suite("STO: how fresh an answer must be", .proves("STO-9")) struct FreshnessTests {
    @Test("The words of a freshness give it back") func words() {
        var freshness = Freshness()
        #expect(freshness.description.isEmpty)
        #expect(Freshness("") == freshness)
        freshness.note(3, of: "db1/47/18.5/0")
        freshness.note(17, of: "db1/47/18.5/2")
        freshness.note(1, of: "db2/9/20.25/11")
        #expect(freshness.description == "db1/47/18.5:0=3,2=17 db2/9/20.25:11=1")
        #expect(Freshness(freshness.description) == freshness)
    }

    @Test(
        "Other words are none",
        arguments: [
            " ", ":", "a", "a:", "a:0", "a:0=", "a:=1", "a:0=0", "a:0=-1", "a:0=+1", "a:0=01", "a:00=1", "a:0=1,",
            "a:0=1 ", "a:0=1,0=2", "a:0=1 a:0=1", "a:0=1 a:1=1", "b:0=1 a:0=1", "a:1=1,0=1", ":0=1", "ä:0=1", "a b:0=1",
            "a:0=9223372036854775808", "a:0=1:1=2", "a'--:0=1", String(repeating: "a", count: 16_384) + ":0=1",
        ])
    func otherWords(text: String) { #expect(Freshness(text) == nil) }

    @Test("Of two, what came later is asked for") func merging() {
        var one = Freshness()
        one.note(3, of: "a/0")
        one.note(2, of: "a/0")
        #expect(one.description == "a:0=3")
        var other = Freshness()
        other.note(2, of: "a/0")
        other.note(7, of: "b/1")
        other.merge(one)
        #expect(other.description == "a:0=3 b:1=7")
    }
}

#if SQLite
/// A copy of a file follows nothing: it is a replica that has stopped.
@Suite("STO: replicas in files", .proves("STO-9")) final class SQLiteReplicaTests: Sendable {
    private let path = FileManager.default.temporaryDirectory.appending(path: "replica-\(UUID()).sqlite").path
    private var copy: String { path + ".copy" }

    deinit {
        for path in [path, path + ".copy"] {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
    }

    private func open() throws -> SQLStore<SQLiteConnection> {
        try SQLStore { [path] () throws(SQLFailure) in try SQLiteConnection(path: path) }
    }

    private func openCopy() throws -> SQLReplica<SQLiteConnection> {
        try SQLReplica { [copy] () throws(SQLFailure) in try SQLiteConnection(path: copy, creating: false) }
    }

    private func makeCopy() throws {
        _ = try SQLiteConnection(path: path).perform([SQLStatement("VACUUM INTO '\(copy)'")])
    }

    /// A store whose copy knows of a key, and not that it was revoked.
    private func revoked() async throws -> (store: SQLStore<SQLiteConnection>, old: Freshness, new: Freshness) {
        let store = try open()
        #expect(store.freshness == Freshness())
        #expect(try await store.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
        let old = store.freshness
        try makeCopy()
        #expect(try await store.commit(Batch(at: at(1), [.revoke("key", .user)])) == .applied)
        return (store, old, store.freshness)
    }

    private static func isRevoked(_ facts: Facts?) -> Bool? {
        facts.flatMap { $0.lineage(of: "key") }.map { $0.entries[0].fate.revocation != nil }
    }

    @Test("A copy that has stopped answers what it has, and nothing that is newer") func stopped() async throws {
        let (store, old, new) = try await revoked()
        let replica = try openCopy()
        #expect(Self.isRevoked(try await replica.load([.record("key")], atLeast: old)) == false)
        #expect(Self.isRevoked(try await replica.load([.record("key")], atLeast: Freshness())) == false)
        #expect(try await replica.load([.record("key")], atLeast: new) == nil)
        let words = try #require(Freshness(new.description))
        #expect(try await replica.load([.record("key")], atLeast: words) == nil)
        let same = try SQLReplica { [path] () throws(SQLFailure) in try SQLiteConnection(path: path) }
        #expect(Self.isRevoked(try await same.load([.record("key")], atLeast: new)) == true)
        // Of whom nothing was ever heard, nothing has arrived.
        #expect(try await same.load([.record("key")], atLeast: try #require(Freshness("other/1/1.1:0=1"))) == nil)
        await same.close()
        await #expect(throws: StoreFailure.closed) { try await same.load([], atLeast: Freshness()) }
        await store.close()
    }

    @Test("The commits of every connection are asked for") func connections() async throws {
        let store = try open()
        #expect(try await store.commit(Batch(at: at(0), [.insert(.sample("first"))])) == .applied)
        try makeCopy()
        let replica = try openCopy()
        var token = store.freshness
        #expect(try await replica.load([], atLeast: token) != nil)
        var other = Freshness()
        for (writer, count) in token.writers { other.note(count, of: writer + "0") }
        token.merge(other)
        #expect(token.writers.count == 2)
        #expect(try await replica.load([], atLeast: token) == nil)
    }

    @Test("A request is answered by the replica as long as that is fresh enough") func view() async throws {
        let (store, old, new) = try await revoked()
        let replica = try openCopy()
        func ask(_ freshness: Freshness?) async throws -> Bool? {
            Self.isRevoked(try await ReplicatedStore(store, replica, atLeast: freshness).load([.record("key")]))
        }
        #expect(try await ask(old) == false)
        #expect(try await ask(new) == true)
        #expect(try await ask(nil) == true)

        let view = ReplicatedStore(store, replica, atLeast: old)
        #expect(Self.isRevoked(try await view.load([.record("key")])) == false)
        #expect(try await view.commit(Batch(at: at(2), [.insert(.sample("own"))])) == .applied)
        #expect(try await view.lineage(of: "own") != nil)
        #expect(Self.isRevoked(try await view.load([.record("key")])) == true)
        // Also where the replica has caught up, nothing that was seen is unseen.
        let refused = ReplicatedStore(store, replica, atLeast: old)
        let again = Batch(at: at(2), [.insert(.sample("own"))])
        #expect(try await refused.commit(again) == .conflict(.taken("own"), change: 0))
        #expect(try await refused.lineage(of: "own") != nil)
        let purged = ReplicatedStore(store, replica, atLeast: old)
        #expect(try await purged.purge(at: at(100), keeping: Retention(explained: .zero)) == 1)
        #expect(try await purged.lineage(of: "key") == nil)
        await replica.close()
        #expect(Self.isRevoked(try await ReplicatedStore(store, replica, atLeast: old).load([.record("own")])) == nil)
        #expect(try await ReplicatedStore(store, replica, atLeast: old).lineage(of: "own") != nil)
    }

    @Test("Who was answered by the primary once, is not answered by a replica after that") func forGood() async throws {
        let (store, old, new) = try await revoked()
        let log = StatementLog()
        let replica = try SQLReplica { [copy] () throws(SQLFailure) in
            LoggingConnection(try SQLiteConnection(path: copy), log)
        }
        func calls() -> Int { log.calls.withLock { $0.count } }
        for (freshness, asked) in [(old, 3), (new, 1), (nil, 0)] as [(Freshness?, Int)] {
            let before = calls()
            let view = ReplicatedStore(store, replica, atLeast: freshness)
            for _ in 0..<3 { _ = try await view.lineage(of: "key") }
            #expect(calls() - before == asked)
        }
    }

    @Test("What a process has committed, another one sees") func example() async throws {
        let (store, _, _) = try await revoked()
        let replica = try openCopy()
        // example: a request that a replica may answer
        let words = store.freshness.description
        let request = ReplicatedStore(store, replica, atLeast: Freshness(words))
        let lineage = try await request.lineage(of: "key")
        // end of example
        #expect(lineage?.entries[0].fate.revocation?.at == at(1))
    }

    @Test("It takes one round trip, in one transaction that changes nothing") func roundTrip() async throws {
        let (_, _, new) = try await revoked()
        let log = StatementLog()
        let replica = try SQLReplica { [path] () throws(SQLFailure) in
            LoggingConnection(try SQLiteConnection(path: path), log)
        }
        log.calls.withLock { $0 = [] }
        #expect(Self.isRevoked(try await replica.load([.record("key"), .services("anna")], atLeast: new)) == true)
        let calls = log.calls.withLock { $0 }
        #expect(calls.count == 1)
        #expect(calls[0].first?.text == "BEGIN")
        #expect(calls[0].last?.text == "COMMIT")
        #expect(calls[0].dropFirst().dropLast().allSatisfy { $0.text.hasPrefix("SELECT") || $0.text.hasPrefix("WITH") })
    }

    @Test("A replica that is not reached is left alone for a while", .proves("STO-4")) func unreachable() async throws {
        let (store, old, _) = try await revoked()
        let (isDown, count) = (Flag(), CallCounter())
        let replica = try SQLReplica(connections: 1, patience: .milliseconds(20), rest: .seconds(3_600)) {
            [copy] () throws(SQLFailure) in
            count.calls.withLock { $0 += 1 }
            if isDown.value.withLock({ $0 }) { throw .lost("down") }
            return try SQLiteConnection(path: copy, creating: false)
        }
        isDown.value.withLock { $0 = true }
        count.calls.withLock { $0 = 0 }
        for _ in 0..<8 {
            let view = ReplicatedStore(store, replica, atLeast: old)
            #expect(Self.isRevoked(try await view.load([.record("key")])) == true)
        }
        // Once for the first one, who is patient for a little, and not at all for the others.
        #expect((1...2).contains(count.calls.withLock { $0 }))
        await #expect(throws: StoreFailure.self) { try await replica.load([], atLeast: old) }
    }

    @Test("Tables that are not there, or of another version, are not read", .proves("STO-4")) func others() async throws
    {
        let (_, old, _) = try await revoked()
        let empty = copy + "-empty"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: empty + suffix) } }
        #expect(throws: StoreFailure.self) {
            try SQLReplica { () throws(SQLFailure) in try SQLiteConnection(path: empty) }
        }
        #expect(throws: StoreFailure.notASpace("A")) {
            try SQLReplica(space: "A") { () throws(SQLFailure) in try SQLiteConnection(path: empty) }
        }
        let replica = try openCopy()
        let connection = try SQLiteConnection(path: copy)
        _ = try connection.perform([SQLStatement("UPDATE eduid_tree SET version = 2")])
        await #expect(throws: StoreFailure.later(version: 2, known: 1)) { try await replica.load([], atLeast: old) }
    }
}
#endif

#if PostgreSQL
/// Needs a primary and a replica that follows it, between which nobody changes the roles meanwhile.
@Suite("STO: replicas of PostgreSQL", .serialized, .proves("STO-9"), .enabled(if: postgreSQL != nil))
struct PostgreSQLReplicaTests {
    private let space = SQLStoreLaws<PostgreSQLConnection>.space()

    private static func standby() throws(SQLFailure) -> PostgreSQLConnection {
        try PostgreSQLConnection((postgreSQL ?? "") + " target_session_attrs=standby")
    }

    /// Has the replica take over what its primary commits, or not.
    ///
    /// What it takes over may cancel the question itself, on a machine where that was kept waiting.
    private static func replay(_ isOn: Bool) throws {
        var attempts = 0
        while true {
            do throws(SQLFailure) {
                _ = try standby().perform([
                    SQLStatement(PostgreSQLConnection.dialect.beginReading),
                    SQLStatement("SELECT pg_wal_replay_\(isOn ? "resume" : "pause")()::text"), SQLStatement("COMMIT"),
                ])
                return
            } catch {
                attempts += 1
                guard case .conflicting = error, attempts < 100 else { throw error }
            }
        }
    }

    private func open() throws -> SQLStore<PostgreSQLConnection> {
        try SQLStore(space: space) { () throws(SQLFailure) in try PostgreSQLConnection(postgreSQL ?? "") }
    }

    /// A replica, when the tables have arrived there.
    private func openReplica() async throws -> SQLReplica<PostgreSQLConnection> {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try SQLReplica(space: space) { () throws(SQLFailure) in try Self.standby() }
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test("A replica that is stopped and goes on never gives an old answer") func pauses() async throws {
        let (store, replica) = (try open(), try await openReplica())
        defer { try? Self.replay(true) }
        var random = SeededGenerator(seed: 9)
        var (fresh, behind) = (0, 0)
        #expect(try await store.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
        for number in 0..<60 {
            if Int.random(in: 0..<4, using: &random) == 0 { try Self.replay(Bool.random(using: &random)) }
            let time = at(Int64(number))
            #expect(try await store.commit(Batch(at: time, [.touch("key")])) == .applied)
            let token = store.freshness
            if Bool.random(using: &random) { try await Task.sleep(for: .milliseconds(5)) }
            if let facts = try await replica.load([.record("key")], atLeast: token) {
                #expect(facts.lineage(of: "key")?.entries[0].fate.lastUse == time)
                fresh += 1
            } else {
                behind += 1
                let view = ReplicatedStore(store, replica, atLeast: token)
                #expect(try await view.lineage(of: "key")?.entries[0].fate.lastUse == time)
            }
        }
        #expect(fresh > 3 && behind > 3, "\(fresh) fresh, \(behind) behind")
        // Once it goes on, it comes to have everything.
        try Self.replay(true)
        let deadline = ContinuousClock.now + .seconds(20)
        while try await replica.load([], atLeast: store.freshness) == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await replica.load([], atLeast: store.freshness) != nil)
        await replica.close()
        await store.close()
    }

    @Test("Stopped, it answers what was asked before", .proves("STO-9")) func stopped() async throws {
        let (store, replica) = (try open(), try await openReplica())
        defer { try? Self.replay(true) }
        #expect(try await store.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
        let old = store.freshness
        let deadline = ContinuousClock.now + .seconds(20)
        while try await replica.load([], atLeast: old) == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        try Self.replay(false)
        #expect(try await store.commit(Batch(at: at(1), [.revoke("key", .user)])) == .applied)
        for _ in 0..<5 { #expect(try await replica.load([.record("key")], atLeast: store.freshness) == nil) }
        let facts = try await replica.load([.record("key")], atLeast: old)
        #expect(facts?.lineage(of: "key")?.entries[0].fate.revocation == nil)
        #expect(facts?.lineage(of: "key") != nil)
    }
}
#endif
