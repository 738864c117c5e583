#if SQLite
import Glibc
import Synchronization
import TestSupport
import Testing
import TokenStores

@Suite("STO: a connection to SQLite", .proves("STO-4"), .proves("STO-7"), .proves("STO-8"))
struct SQLiteConnectionTests {
    /// A folder for one database, removed at the end.
    private final class Place {
        let folder: String
        var path: String { folder + "/tree" }

        init() {
            var template = Array("/tmp/sqlite-XXXXXX".utf8CString)
            folder = String(cString: mkdtemp(&template))
        }

        deinit {
            for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
            rmdir(folder)
        }

        func open(patience: Duration = .milliseconds(20)) throws(SQLFailure) -> SQLiteConnection {
            try SQLiteConnection(path: path, patience: patience)
        }
    }

    /// The failure that opening meets.
    private static func failure(opening path: String) -> SQLFailure? {
        do throws(SQLFailure) {
            _ = try SQLiteConnection(path: path)
            return nil
        } catch {
            return error
        }
    }

    private let place = Place()
    private var laws: SQLConnectionLaws<SQLiteConnection> { SQLConnectionLaws { [place] in try place.open() } }

    @Test("Values come back as they went in") func values() throws { try laws.values() }
    @Test("Rows are numbered in their order") func serials() throws { try laws.serials() }
    @Test("Texts compare as bytes") func bytes() throws { try laws.bytes() }
    @Test("Much is performed at once") func bulk() throws { try laws.bulk() }
    @Test("Many texts are prepared") func manyTexts() throws { try laws.manyTexts() }
    @Test("What fails ends what follows") func failures() throws { try laws.failures() }
    @Test("What is no statement is refused") func refusals() throws { try laws.refusals() }
    @Test("A reader sees one state") func snapshots() throws { try laws.snapshots() }
    @Test("Of two writers in each other's way one fails") func writeSkew() throws { try laws.writeSkew() }

    @Test("A text keeps a zero byte") func zero() throws {
        let connection = try place.open()
        let answers = try connection.perform([
            SQLStatement("CREATE TABLE t (k TEXT PRIMARY KEY)"),
            SQLStatement("INSERT INTO t VALUES ($1), ($2)", [.text("a"), .text("a\0b")]),
            SQLStatement("SELECT k FROM t ORDER BY k"),
        ])
        #expect(answers.last == [[.text("a")], [.text("a\0b")]])
    }

    @Test("Parameters go by their numbers") func order() throws {
        let connection = try place.open()
        let answers = try connection.perform([SQLStatement("SELECT $1, $2, $1", [.integer(1), .text("2")])])
        #expect(answers == [[[.integer(1), .text("2"), .integer(1)]]])
        guard case .refused = SQLConnectionLaws.failure(connection, SQLStatement("SELECT $2", [.null])) else {
            return #expect(Bool(false))
        }
    }

    @Test("What no store wrote is refused", arguments: ["x'ff'", "1.5", "CAST(x'ff' AS TEXT)"])
    func foreign(value: String) throws {
        let connection = try place.open()
        guard case .refused = SQLConnectionLaws.failure(connection, SQLStatement("SELECT \(value)")) else {
            return #expect(Bool(false))
        }
        #expect(try connection.perform([SQLStatement("SELECT 1")]) == [[[.integer(1)]]])
    }

    @Test("The file is its owner's, survives a loss of power and trusts no schema") func settings() throws {
        let connection = try place.open()
        let names = ["journal_mode", "synchronous", "trusted_schema"]
        let answers = try connection.perform(names.map { SQLStatement("PRAGMA \($0)") })
        #expect(answers == [[[.text("wal")]], [[.integer(2)]], [[.integer(0)]]])
        _ = try connection.perform([SQLStatement("CREATE TABLE t (k TEXT)")])
        for ending in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(stat(place.path + ending, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(ending)")
        }
    }

    @Test("A writer waits for another one no longer than its patience") func patience() throws {
        let (first, second) = (try place.open(), try place.open(patience: .milliseconds(100)))
        let begin = SQLStatement(SQLiteConnection.dialect.beginWriting)
        _ = try first.perform([begin])
        var failure: SQLFailure?
        let time = ContinuousClock().measure { failure = SQLConnectionLaws.failure(second, begin) }
        guard case .conflicting = failure else { return #expect(Bool(false)) }
        #expect(time >= .milliseconds(90))
        _ = try first.perform([SQLStatement("ROLLBACK")])
        _ = try second.perform([begin, SQLStatement("COMMIT")])
    }

    @Test("Many may open a new database at once") func together() async throws {
        let path = place.path
        try await withThrowingTaskGroup { group in
            for number in 0..<8 as Range<Int64> {
                group.addTask {
                    let connection = try SQLiteConnection(path: path)
                    _ = try connection.perform([
                        SQLStatement("BEGIN IMMEDIATE"), SQLStatement("CREATE TABLE IF NOT EXISTS t (n BIGINT)"),
                        SQLStatement("INSERT INTO t VALUES ($1)", [.integer(number)]), SQLStatement("COMMIT"),
                    ])
                }
            }
            try await group.waitForAll()
        }
        #expect(try place.open().perform([SQLStatement("SELECT COUNT(*) FROM t")]) == [[[.integer(8)]]])
    }

    @Test("What cannot be opened says why") func unopenable() throws {
        guard case .lost = Self.failure(opening: "/tmp/nowhere/tree") else {
            return #expect(Bool(false))
        }
        guard case .refused = Self.failure(opening: ":memory:") else {
            return #expect(Bool(false))
        }
        let file = open(place.path, O_CREAT | O_WRONLY, 0o600)
        let words = [UInt8](repeating: 0x78, count: 4096)
        #expect(write(file, words, words.count) == words.count)
        close(file)
        guard case .refused(let code, _) = Self.failure(opening: place.path) else { return #expect(Bool(false)) }
        #expect(code == "26")
    }

    @Test("A full disk leaves nothing of a transaction") func full() throws {
        let connection = try place.open()
        let row = SQLStatement("INSERT INTO t VALUES ($1)", [.text(String(repeating: "x", count: 100_000))])
        _ = try connection.perform([SQLStatement("CREATE TABLE t (k TEXT)"), SQLStatement("PRAGMA max_page_count = 8")])
        let begin = SQLStatement(SQLiteConnection.dialect.beginWriting)
        guard case .full = SQLConnectionLaws.failure(connection, begin, row, SQLStatement("COMMIT")) else {
            return #expect(Bool(false))
        }
        _ = try connection.perform([SQLStatement("ROLLBACK")])
        #expect(try connection.perform([SQLStatement("SELECT COUNT(*) FROM t")]) == [[[.integer(0)]]])
    }

    @Test("A database that only reads takes no changes") func readOnly() throws {
        let connection = try place.open()
        _ = try connection.perform([SQLStatement("PRAGMA query_only = ON")])
        guard case .readOnly = SQLConnectionLaws.failure(connection, SQLStatement("CREATE TABLE t (k TEXT)")) else {
            return #expect(Bool(false))
        }
    }
}
#endif
