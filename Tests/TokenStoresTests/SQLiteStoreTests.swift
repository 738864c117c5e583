#if SQLite
import Foundation
import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

@Suite("STO: SQLite", .proves("STO-3"), .proves("STO-7"), .proves("STO-8"), .proves("STO-12"))
final class SQLiteStoreTests: Sendable {
    private let path = FileManager.default.temporaryDirectory.appending(path: "tree-\(UUID()).sqlite").path

    deinit {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private var connect: SQLStoreLaws<SQLiteConnection>.Connect {
        { [path] () throws(SQLFailure) in try SQLiteConnection(path: path) }
    }

    @Test("It keeps every law, also across restarts") func laws() async {
        for violation in await SQLStoreLaws.laws(connect) { Issue.record("\(violation)") }
    }

    @Test("It says what the model says, in random histories") func histories() {
        let failure = SQLStoreLaws.histories(0..<12, connect)
        #expect(failure == nil, Comment(rawValue: failure ?? ""))
    }

    @Test("What two stores on the same tables do at once is explained by an order") func races() async {
        func open(_ space: String) -> SQLStore<SQLiteConnection> { SQLStoreLaws.open(space, connect) }
        // example: laws for a connection of one's own
        var number = 0
        let violations = await Conformance.violations(
            connecting: {
                number += 1
                return (open("laws\(number)"), open("laws\(number)"))
            }, rounds: 4)
        for violation in violations { print(violation) }
        // end of example
        #expect(violations.isEmpty)
    }

    @Test("That is so as well where connections are lost before they meet, while they do, and after it")
    func disturbedRaces() async {
        let (losses, connect) = (Losses(seed: 3, oneOf: 3), connect)
        let violations = await SQLStoreLaws.races(
            rounds: 3,
            disturbing: {
                losses.set(true)
                try? await Task.sleep(for: .milliseconds(8))
                losses.set(false)
            }, { () throws(SQLFailure) in LosingConnection(try connect(), losses) })
        for violation in violations { Issue.record("\(violation)") }
        #expect(losses.count > 5)
    }

    @Test("Connections that are lost anywhere change nothing of what comes", .proves("STO-4"))
    func losses() throws {
        for seed in 0..<8 as Range<UInt64> {
            let losses = Losses(seed: seed, oneOf: 6)
            let connect = connect
            let simulation = Simulation(making: { () -> SessionStore<LosingConnection<SQLiteConnection>> in
                losses.set(false)
                defer { losses.set(true) }
                guard
                    let store = try? SessionStore(
                        space: SQLStoreLaws<SQLiteConnection>.space(),
                        connect: { () throws(SQLFailure) in LosingConnection(try connect(), losses) })
                else { preconditionFailure("no tables") }
                store.whilePurging = { purge in
                    losses.set(false)
                    defer { losses.set(true) }
                    return purge()
                }
                return store
            })
            // Another history would lose other calls, so that none is sought that is shorter.
            let violation = simulation.play(History(seed: seed, steps: 40))
            #expect(violation == nil, Comment(rawValue: violation?.description ?? ""))
            #expect(losses.count > 10)
        }
    }

    @Test("What cannot be found out is said to be uncertain", .proves("STO-4")) func uncertain() throws {
        let losses = Losses(seed: 1, oneOf: 1)
        let connect = connect
        let schema = Schema(space: SQLStoreLaws<SQLiteConnection>.space(), dialect: SQLiteConnection.dialect)
        var post = SQLPost<LosingConnection<SQLiteConnection>>(
            writer: "test", words: Statements(schema), limits: MemoryStore.Limits(),
            patience: .milliseconds(20), clock: .none,
            connect: { () throws(SQLFailure) in LosingConnection(try connect(), losses) })
        try schema.prepare(connect)
        losses.set(true)
        // Nothing was looked up, so nothing was written.
        do throws(StoreFailure) {
            _ = try post.commit(Batch(at: at(0), [.insert(.sample("key"))])) { _, _ in 0 }
            Issue.record("it is answered without an answer")
        } catch {
            guard case .unreachable = error else { throw error }
        }
    }

    @Test("Trees of other name spaces are other trees", .proves("STO-12")) func spaces() async throws {
        let (one, other) = (SQLStoreLaws.open("one", connect), SQLStoreLaws.open("other", connect))
        #expect(try await one.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
        #expect(try await other.lineage(of: "key") == nil)
        #expect(try await other.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
        for name in ["", "One", "1one", "one-two", "one\"", String(repeating: "a", count: 33)] {
            #expect(throws: StoreFailure.notASpace(name)) { try SQLStore(space: name, connect: connect) }
        }
    }

    @Test("Tables of a later version are refused, and rows that nobody wrote here", .proves("STO-4"))
    func foreign() async throws {
        let store = SQLStoreLaws.open("eduid", connect)
        #expect(try await store.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
        let connection = try connect()
        for (column, value) in [("kind", "'king'"), ("issued", "'noon'"), ("parent", "'nobody'"), ("revoked", "'1'")] {
            _ = try connection.perform([
                SQLStatement("BEGIN"), SQLStatement("UPDATE eduid_record SET \(column) = \(value)"),
                SQLStatement("COMMIT"),
            ])
            do {
                _ = try await store.lineage(of: "key")
                Issue.record("\(column) may be \(value)")
            } catch {
                guard case .foreignRow = error else { throw error }
            }
            let issued = at(0).seconds
            _ = try connection.perform([
                SQLStatement(
                    "UPDATE eduid_record SET kind = 'versionKey', parent = NULL, issued = '\(issued)', revoked = NULL")
            ])
        }
        #expect(try await store.lineage(of: "key") != nil)
        _ = try connection.perform([SQLStatement("UPDATE eduid_tree SET version = 2")])
        #expect(throws: StoreFailure.later(version: 2, known: 1)) { try SQLStore(connect: connect) }
        #expect(throws: StoreFailure.later(version: 2, known: 1)) { try SQLStore.inspect(connect: connect) }
    }

    @Test("A tree moves to a database and back with all that it knows", .proves("STO-10")) func moves() async throws {
        let history = MemoryStore.busy
        let store = SQLStoreLaws.open("eduid", connect)
        try await store.fill(with: history)
        let back = try await store.export()
        for id in ["key-1", "key-2", "client-1", "personal-1"] as [TokenID] {
            #expect(back.lineage(of: id) == history.lineage(of: id))
        }
        // The order of records may be another one where an instance has moved; of the rest it may not.
        #expect(back.rest == history.rest)
        #expect(back.rest.count == 4)
        #expect(try SQLStore.inspect(connect: connect).count == history.count)
        await #expect(throws: StoreFailure.notEmpty) { try await store.fill(with: history) }
        // What is not known for certain is not known here either.
        let key = ReplayKey("moved", "one")
        let outcome = try await store.commit(Batch(at: at(100), [.remember(key, until: at(200))]))
        #expect(outcome == .conflict(.unproven(key, before: at(90)), change: 0))
        #expect(try await store.lineage(of: "client-1")?.verdict(at: at(100)) == .unconfirmed(before: at(90)))
    }

    @Test("A copy that may lack something is taken out, and put back as such", .proves("STO-10"))
    func restored() async throws {
        let (store, empty, now) = (SQLStoreLaws.open("one", connect), SQLStoreLaws.open("two", connect), at(90))
        let inserts: [Change] = [
            .insert(.sample("key")), .insert(Record(id: "client", kind: .client, parent: "key", issued: at(0))),
        ]
        #expect(try await store.commit(Batch(at: at(0), inserts)) == .applied)
        // example: a database that was restored
        var restoration = MemoryStore.Restoration()
        try restoration.read(try await store.export().snapshot().encoded())
        var line: [UInt8] = []
        let tree = try restoration.finish(unprovenAt: now, journal: &line).tree
        try await empty.fill(with: tree)
        // end of example
        #expect(try await empty.lineage(of: "client")?.verdict(at: at(91)) == .unconfirmed(before: at(90)))
    }

    @Test("No clock of a host harms what others stored, where the database's counts", .proves("threat-66"))
    func clocks() async throws {
        let harm = try await SharedClock(space: "eduid", connect: connect).harm(by: .database)
        #expect(harm.removed == 0 && !harm.isTooLate)
    }

    @Test("A purge goes on where its slice ends", .proves("STO-5")) func purge() async throws {
        let store = SQLStoreLaws.open("eduid", connect)
        var changes: [Change] = [.insert(.sample("key"))]
        for number in 0..<700 {
            changes.append(
                .insert(
                    Record(
                        id: TokenID(stringLiteral: "client-\(number)"), kind: .client, parent: "key", issued: at(0),
                        finalExpiry: number % 2 == 0 ? at(10) : nil)))
            changes.append(.remember(ReplayKey("purge", "\(number)"), until: at(number % 2 == 0 ? 10 : 1_000_000)))
        }
        #expect(try await store.commit(Batch(at: at(0), changes)) == .applied)
        let retention = Retention(explained: .seconds(100), settled: .seconds(100))
        #expect(try await store.purge(at: at(109), keeping: retention) == 0)
        #expect(try await store.purge(at: at(110), keeping: retention) == 350)
        let tree = try await store.export()
        #expect(tree.count == 351)
        #expect(tree.rememberedKeys == 350)
        // A decision from before what was forgotten is too late.
        let late = try await store.commit(Batch(at: at(5), [.remember(ReplayKey("purge", "0"), until: at(10))]))
        #expect(late == .conflict(.forgotten(horizon: at(10)), change: 0))
        // Of a host whose clock is far ahead, a store that knows its own time forgets nothing.
        let careful = try SQLStore(clock: .host { at(120) }, connect: connect)
        #expect(try await careful.purge(at: at(2_000_000), keeping: retention) == 0)
        #expect(try await careful.export().rememberedKeys == 350)
        // Nor does one that goes by the database's clock, whether that is before these times or after them.
        let shared = try SQLStore(clock: .database, connect: connect)
        #expect(try await shared.purge(at: at(110), keeping: retention) == 0)
        #expect(try await shared.export().rememberedKeys == 350)
    }

    @Test("A look-up is one round trip, a commit two, and a refusal five", .proves("STO-9")) func roundTrips() throws {
        let counter = CallCounter()
        let connect = connect
        let store = try SessionStore(
            space: "eduid",
            connect: { () throws(SQLFailure) in CountingConnection(try connect(), counter) })
        func calls() -> Int {
            counter.calls.withLock { calls in
                defer { calls = 0 }
                return calls
            }
        }
        _ = (store.load([]), calls())
        let inserts = (0..<100).map { Change.insert(.sample("key-\($0)")) }
        #expect(store.commit(Batch(at: at(0), inserts)) == .applied)
        #expect(calls() == 2)
        // What is not new after all is told by the database, after which it is rolled back and looked up.
        #expect(store.commit(Batch(at: at(0), inserts)) == .conflict(.taken("key-0"), change: 0))
        #expect(calls() == 5)
        #expect(store.lineage(of: "key-1") != nil)
        #expect(calls() == 1)
        let keys: [Facts.Key] = [
            .record("key-1"), .holder(.client, "one"), .replay(ReplayKey("a", "b")), .services("anna"), .message("m"),
            .records(.all(.versionKey), after: "key-3", limit: 5), .outgoing(due: at(0), limit: 3),
        ]
        #expect(store.load(keys).page(of: .all(.versionKey), after: "key-3", limit: 5) != nil)
        #expect(calls() == 1)
    }

    @Test("One owner's keys are bounded, others' are not in their way", .proves("threat-54")) func flood() async throws
    {
        let store = try SQLStore(limits: MemoryStore.Limits(replayKeysOfOwner: 3), connect: connect)
        for number in 0..<3 {
            let key = ReplayKey("flood", "one", "\(number)")
            #expect(try await store.commit(Batch(at: at(0), [.remember(key, until: at(60))])) == .applied)
        }
        let more = Batch(at: at(0), [.remember(ReplayKey("flood", "one", "3"), until: at(60))])
        #expect(try await store.commit(more) == .conflict(.memoryFull(limit: 3), change: 0))
        let other = Batch(at: at(0), [.remember(ReplayKey("flood", "other", "3"), until: at(60))])
        #expect(try await store.commit(other) == .applied)
    }
}

extension MemoryStore {
    /// The lines of a snapshot that tell of no record.
    fileprivate var rest: [String] {
        String(decoding: snapshot().encoded(), as: UTF8.self).split(separator: "\n").map(String.init).filter { line in
            ["replay", "visit", "message", "settled"].contains { line.hasPrefix("{\"\($0)\":{") }
        }
    }

    /// A tree with something of everything, restored without proof.
    fileprivate static var busy: MemoryStore {
        var tree = MemoryStore()
        let refresh = Record.Refresh(
            generation: 3, hash: Fingerprint(of: [1]), salt: Fingerprint(of: [2]), rotated: at(1))
        let client = Record(
            id: "client-1", kind: .client, parent: "key-1", issued: at(1), holder: "instance",
            attributes: ["device": ["name": "Anna's \u{1F4F1}", "odd": .number(JSON.Number(15))]])
        let personal = Record(
            id: "personal-1", kind: .personal, parent: "client-1",
            issued: Timestamp(seconds: 1_800_000_000, nanoseconds: 5),
            subject: "anna", audience: "service", scope: "one two", boundKey: "key", accessExpiry: at(600),
            finalExpiry: .distantFuture, refresh: refresh)
        let message = OutgoingMessage(
            id: "m-1", destination: "service", about: "personal-1", body: ["a": .array([.null, true])], due: at(3),
            attempts: 2, tried: at(2))
        let settled = OutgoingMessage(id: "m-2", destination: "service", about: nil, body: [:], due: at(3))
        _ = tree.commit(
            Batch(
                at: at(1),
                [
                    .insert(Record(id: "key-1", kind: .versionKey, parent: nil, issued: at(0), holder: "one")),
                    .insert(client), .insert(personal),
                    .insert(Record(id: "key-2", kind: .versionKey, parent: nil, issued: at(0), holder: "two")),
                    .reground("client-1", from: "key-1", onto: "key-2"), .touch("personal-1"),
                    .revoke("key-1", .barred),
                    .remember(ReplayKey("busy", "one"), until: at(500)), .visit("anna", "service"), .enqueue(message),
                    .enqueue(settled), .settle("m-2", .abandoned),
                ]))
        var restoration = MemoryStore.Restoration()
        var line: [UInt8] = []
        guard (try? restoration.read(tree.snapshot().encoded())) != nil,
            let restored = try? restoration.finish(unprovenAt: at(90), journal: &line)
        else { preconditionFailure("a snapshot cannot be read") }
        return restored.tree
    }
}
#endif
