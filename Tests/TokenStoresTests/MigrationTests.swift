#if SQLite || PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import Wire

/// What a database has to show when a later release finds the tables of an earlier one.
struct MigrationLaws<Connection: SQLConnection> {
    typealias Connect = @Sendable () throws(SQLFailure) -> Connection

    let connect: Connect
    private let space = SQLStoreLaws<Connection>.space()

    /// Steps as a release might have them, none of which can be played twice.
    static var steps: [Schema.Step] {
        [
            { schema in
                [
                    "ALTER TABLE \(schema.space)_record ADD COLUMN note TEXT",
                    "UPDATE \(schema.space)_record SET note = kind",
                    "CREATE INDEX \(schema.space)_record_note ON \(schema.space)_record (note)",
                ]
            },
            { schema in
                [
                    "CREATE TABLE \(schema.space)_extra (name \(schema.dialect.text) PRIMARY KEY)",
                    "INSERT INTO \(schema.space)_extra (name) SELECT id FROM \(schema.space)_record",
                ]
            },
        ]
    }

    private func open<Other: SQLConnection>(
        version: Int, _ connect: @escaping @Sendable () throws(SQLFailure) -> Other
    ) throws(StoreFailure) -> SQLStore<Other> {
        let schema = Schema(
            space: space, dialect: Connection.dialect, steps: [Schema.Step](Self.steps.prefix(version - 1)))
        return try SQLStore(schema, connections: 1, patience: .seconds(5), connect: connect)
    }

    private func ask(_ text: String) throws -> [SQLRow] {
        let rows = try connect().perform([SQLStatement(text.replacing("SPACE", with: space))])
        return rows[0]
    }

    private func version() throws -> SQLValue? { try ask("SELECT version FROM SPACE_tree").first?.first }

    /// A tree of the first version with five records.
    private func old() async throws -> SQLStore<Connection> {
        let store = try open(version: 1, connect)
        let records = (0..<5).map { Change.insert(.sample("key-\($0)")) }
        #expect(try await store.commit(Batch(at: at(0), records)) == .applied)
        return store
    }

    private func expectNew(_ store: SQLStore<some SQLConnection>, extra: Int64) async throws {
        #expect(try version() == .integer(3))
        #expect(try ask("SELECT COUNT(*) FROM SPACE_extra") == [[.integer(extra)]])
        #expect(try ask("SELECT COUNT(*) FROM SPACE_record WHERE note = 'versionKey'") == [[.integer(extra)]])
        #expect(try await store.export().count == Int(extra))
        #expect(try await store.commit(Batch(at: at(1), [.revoke("key-3", .user)])) == .applied)
        #expect(try await store.lineage(of: "key-3")?.entries[0].fate.revocation?.at == at(1))
    }

    private func expectOld() async throws {
        #expect(try version() == .integer(1))
        #expect(throws: SQLFailure.self) { try ask("SELECT note FROM SPACE_record") }
        #expect(throws: SQLFailure.self) { try ask("SELECT name FROM SPACE_extra") }
        let store = try open(version: 1, connect)
        #expect(try await store.export().count == 5)
        await store.close()
    }

    func migrates() async throws {
        try await old().close()
        let store = try open(version: 3, connect)
        try await expectNew(store, extra: 5)
        await store.close()
        try await open(version: 3, connect).close()
        #expect(throws: StoreFailure.later(version: 3, known: 2)) { try open(version: 2, connect) }
        #expect(try version() == .integer(3))
    }

    func oneStep() async throws {
        try await old().close()
        try await open(version: 2, connect).close()
        #expect(try version() == .integer(2))
        #expect(throws: SQLFailure.self) { try ask("SELECT name FROM SPACE_extra") }
        try await expectNew(try open(version: 3, connect), extra: 5)
    }

    func fresh() async throws {
        let store = try open(version: 3, connect)
        #expect(try version() == .integer(3))
        #expect(try ask("SELECT COUNT(*) FROM SPACE_extra") == [[.integer(0)]])
        #expect(try await store.commit(Batch(at: at(0), [.insert(.sample("key"))])) == .applied)
    }

    /// Who runs already finds out at the next call, before it reads or writes what it does not know.
    func running() async throws {
        let store = try await old()
        let later = try open(version: 3, connect)
        let failure = StoreFailure.later(version: 3, known: 1)
        let batch = Batch(at: at(1), [.revoke("key-3", .user)])
        await #expect(throws: failure) { try await store.commit(batch) }
        await #expect(throws: failure) { try await store.lineage(of: "key-1") }
        await #expect(throws: failure) { try await store.export() }
        await #expect(throws: failure) { try await store.purge(at: at(2), keeping: Retention()) }
        try await expectNew(later, extra: 5)
        // An old backup was put back under a store that runs.
        _ = try ask("UPDATE SPACE_tree SET version = 1")
        await #expect(throws: StoreFailure.earlier(version: 1, known: 3)) { try await later.lineage(of: "key-1") }
        let again = Batch(at: at(2), [.revoke("key-4", .user)])
        await #expect(throws: StoreFailure.earlier(version: 1, known: 3)) { try await later.commit(again) }
    }

    /// Whatever statement is the last: the tables stay those of the old version, and can be migrated afterwards.
    func cuts() async throws {
        try await old().close()
        var place = 0
        while true {
            let (connect, count) = (connect, place)
            do throws(StoreFailure) {
                let store = try open(version: 3) { () throws(SQLFailure) in
                    CutConnection(try connect(), after: count)
                }
                await store.close()
                break
            } catch {
                guard case .unreachable = error else { throw error }
            }
            // The commit itself may have been performed, and only its answer lost.
            if try version() == .integer(3) { break }
            try await expectOld()
            place += 1
        }
        // The version, the start, its reservation, five statements, the version anew, and the end.
        #expect(place == 10)
        try await expectNew(try open(version: 3, connect), extra: 5)
    }

    /// A step that the database refuses leaves everything as it was.
    func refusal() async throws {
        try await old().close()
        let steps = Self.steps + [{ _ in ["CREATE TABLE nonsense ("] }]
        let schema = Schema(space: space, dialect: Connection.dialect, steps: steps)
        do throws(StoreFailure) {
            _ = try SQLStore(schema, connect: connect)
            Issue.record("it is not refused")
        } catch {
            guard case .refused = error else { throw error }
        }
        try await expectOld()
    }

    /// Many find the old tables at once: each step is played once, and all of them go on.
    func atOnce() async throws {
        try await old().close()
        let failures = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do throws(StoreFailure) {
                        let store = try open(version: 3, connect)
                        await store.close()
                        return nil
                    } catch { return "\(error)" }
                }
            }
            return await group.reduce(into: [String]()) { if let failure = $1 { $0.append(failure) } }
        }
        #expect(failures == [])
        try await expectNew(try open(version: 3, connect), extra: 5)
    }
}

/// A connection that performs so many statements, and is lost then with what it had not committed.
private final class CutConnection<Connection: SQLConnection>: SQLConnection {
    static var dialect: SQLDialect { Connection.dialect }

    private var connection: Connection?
    private var left: Int

    init(_ connection: Connection, after count: Int) {
        self.connection = connection
        left = count
    }

    func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]] {
        var rows: [[SQLRow]] = []
        for statement in statements {
            guard left > 0, let connection else {
                connection = nil
                throw .lost("after so many statements")
            }
            left -= 1
            rows += try connection.perform([statement])
        }
        return rows
    }
}
#endif

#if SQLite
@Suite("STO: newer tables of SQLite", .proves("STO-4")) final class SQLiteMigrationTests: Sendable {
    private let path = FileManager.default.temporaryDirectory.appending(path: "migration-\(UUID()).sqlite").path

    deinit { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }

    private var laws: MigrationLaws<SQLiteConnection> {
        MigrationLaws { [path] () throws(SQLFailure) in try SQLiteConnection(path: path) }
    }

    @Test("Older tables are made newer") func migrates() async throws { try await laws.migrates() }
    @Test("Steps that were played are not played again") func oneStep() async throws { try await laws.oneStep() }
    @Test("New tables are of the newest version") func fresh() async throws { try await laws.fresh() }
    @Test("Who runs notices that the tables became others") func running() async throws { try await laws.running() }
    @Test("A migration that is cut off has not begun") func cuts() async throws { try await laws.cuts() }
    @Test("A migration that is refused has not begun") func refusal() async throws { try await laws.refusal() }
    @Test("Many migrate at once, and one of them does it") func atOnce() async throws { try await laws.atOnce() }

    /// What is in the files at a moment is what a loss of power leaves there.
    @Test("What lies on the disk in the middle of a migration is the old tables") func images() throws {
        let schema = Schema(space: "eduid", dialect: SQLiteConnection.dialect, steps: [])
        let newer = Schema(
            space: "eduid", dialect: SQLiteConnection.dialect, steps: MigrationLaws<SQLiteConnection>.steps)
        try schema.prepare { () throws(SQLFailure) in try SQLiteConnection(path: path) }
        let connection = try SQLiteConnection(path: path)
        // More than the library keeps in memory, so that pages of the migration lie in the log before its end.
        let insertion = "INSERT INTO eduid_record (id, kind, issued, attributes) VALUES ($1, 'lock', '1', $2)"
        let attributes = #"{"a":"\#(String(repeating: "x", count: 3000))"}"#
        _ = try connection.perform(
            [SQLStatement("BEGIN")]
                + (0..<2000).map { SQLStatement(insertion, [.text("r-\($0)"), .text(attributes)]) }
                + [SQLStatement("COMMIT"), SQLStatement("PRAGMA cache_size = 10")])
        let statements = [SQLStatement("BEGIN IMMEDIATE")] + newer.migration(from: 1)
        let image = path + ".image"
        func removeImage() {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: image + suffix) }
        }
        defer { removeImage() }
        for (number, statement) in statements.enumerated() {
            _ = try connection.perform([statement])
            removeImage()
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: image + suffix)
            }
            let found = try SQLiteConnection(path: image).perform([
                SQLStatement("SELECT version FROM eduid_tree"),
                SQLStatement("SELECT COUNT(*) FROM pragma_table_info('eduid_record') WHERE name = 'note'"),
                SQLStatement("SELECT COUNT(*) FROM eduid_record"), SQLStatement("PRAGMA integrity_check"),
            ])
            #expect(
                found == [[[.integer(1)]], [[.integer(0)]], [[.integer(2000)]], [[.text("ok")]]], "after \(number)")
        }
        _ = try connection.perform([SQLStatement("COMMIT")])
        #expect(try connection.perform([newer.question]) == [[[.integer(3)]]])
    }

    /// What the first release made is in databases of operators: what is to be otherwise is a step.
    @Test("The tables of the first version stay what they were") func first() {
        let schema = Schema(space: "eduid", dialect: SQLiteConnection.dialect, steps: [])
        let text = schema.creation.map(\.text).joined(separator: ";\n")
        #expect(Fingerprint(of: [UInt8](text.utf8)).description == "hKybucE8y3OcxMiX0bJjQCkIqaXz9kk-lP_6e4sgbAg")
    }
}
#endif

#if PostgreSQL
@Suite("STO: newer tables of PostgreSQL", .proves("STO-4"), .enabled(if: postgreSQL != nil))
struct PostgreSQLMigrationTests {
    private let laws = MigrationLaws { () throws(SQLFailure) in try PostgreSQLConnection(postgreSQL ?? "") }

    @Test("Older tables are made newer") func migrates() async throws { try await laws.migrates() }
    @Test("Steps that were played are not played again") func oneStep() async throws { try await laws.oneStep() }
    @Test("New tables are of the newest version") func fresh() async throws { try await laws.fresh() }
    @Test("Who runs notices that the tables became others") func running() async throws { try await laws.running() }
    @Test("A migration that is cut off has not begun") func cuts() async throws { try await laws.cuts() }
    @Test("A migration that is refused has not begun") func refusal() async throws { try await laws.refusal() }
    @Test("Many migrate at once, and one of them does it") func atOnce() async throws { try await laws.atOnce() }
}
#endif
