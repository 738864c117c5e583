#if PostgreSQL
import Glibc
import TestSupport
import Testing
import TokenStores

/// The connection string of a database that these tests may use; `.ci/databases` makes one.
private let database = getenv("EDUID_TEST_POSTGRESQL").map { String(cString: $0) }

@Suite(
    "STO: a connection to PostgreSQL", .serialized, .enabled(if: database != nil), .proves("STO-4"), .proves("STO-7"),
    .proves("STO-8"))
struct PostgreSQLConnectionTests {
    private static func open(
        _ addition: String = "", patience: Duration = .seconds(10)
    ) throws(SQLFailure) -> PostgreSQLConnection {
        try PostgreSQLConnection(
            "\(database ?? "") \(addition)", patience: patience)
    }

    /// The failure that opening meets.
    private static func failure(opening addition: String) -> SQLFailure? {
        do throws(SQLFailure) {
            _ = try open(addition)
            return nil
        } catch {
            return error
        }
    }

    private static func failure(_ connection: PostgreSQLConnection, _ texts: String...) -> SQLFailure? {
        do throws(SQLFailure) {
            _ = try connection.perform(texts.map { SQLStatement($0) })
            return nil
        } catch {
            return error
        }
    }

    private let laws = SQLConnectionLaws { try Self.open() }

    @Test("Values come back as they went in") func values() throws { try laws.values() }
    @Test("Rows are numbered in their order") func serials() throws { try laws.serials() }
    @Test("Texts compare as bytes") func bytes() throws { try laws.bytes() }
    @Test("Much is performed at once") func bulk() throws { try laws.bulk() }
    @Test("Many texts are prepared") func manyTexts() throws { try laws.manyTexts() }
    @Test("What fails ends what follows") func failures() throws { try laws.failures() }
    @Test("What is no statement is refused") func refusals() throws { try laws.refusals() }
    @Test("A reader sees one state") func snapshots() throws { try laws.snapshots() }
    @Test("Of two writers in each other's way one fails") func writeSkew() throws { try laws.writeSkew() }

    @Test("A zero byte is refused, not cut off") func zero() throws {
        let connection = try Self.open()
        let statement = SQLStatement("SELECT $1", [.text("a\0b")])
        guard case .refused = SQLConnectionLaws.failure(connection, statement) else { return #expect(Bool(false)) }
        #expect(try connection.perform([SQLStatement("SELECT 1")]) == [[[.integer(1)]]])
    }

    @Test("Every session is strict and patient for so long") func settings() throws {
        let connection = try Self.open("options='-c synchronous_commit=local'", patience: .milliseconds(4500))
        let expected = [
            ("default_transaction_isolation", "serializable"), ("synchronous_commit", "on"),
            ("statement_timeout", "4500ms"), ("idle_in_transaction_session_timeout", "4500ms"),
            ("client_encoding", "UTF8"), ("application_name", "eduid"),
        ]
        for (name, value) in expected {
            #expect(try connection.perform([SQLStatement("SHOW \(name)")]) == [[[.text(value)]]], "\(name)")
        }
        let named = try Self.open("application_name=mine options='-c synchronous_commit=remote_apply'")
        #expect(try named.perform([SQLStatement("SHOW application_name")]) == [[[.text("mine")]]])
        #expect(try named.perform([SQLStatement("SHOW synchronous_commit")]) == [[[.text("remote_apply")]]])
    }

    @Test("A transaction that failed is not committed by its commit") func commitOfFailed() throws {
        let connection = try Self.open()
        #expect(Self.failure(connection, "BEGIN", "SELECT 1 / 0") != nil)
        guard case .refused(let code, _) = Self.failure(connection, "COMMIT") else { return #expect(Bool(false)) }
        #expect(code == "25P02")
    }

    @Test("What fails only at the end of the call, fails the call") func deferred() throws {
        let connection = try Self.open()
        _ = try connection.perform([
            SQLStatement("DROP TABLE IF EXISTS t"),
            SQLStatement("CREATE TABLE t (n BIGINT UNIQUE DEFERRABLE INITIALLY DEFERRED)"),
        ])
        let insertion = "INSERT INTO t VALUES (1)"
        for texts in [[insertion, insertion], ["BEGIN", insertion, insertion, "COMMIT"]] {
            do throws(SQLFailure) {
                _ = try connection.perform(texts.map { SQLStatement($0) })
                Issue.record("not refused: \(texts)")
            } catch {
                guard case .taken = error else { return #expect(Bool(false), "\(error)") }
            }
        }
        #expect(try connection.perform([SQLStatement("SELECT COUNT(*) FROM t")]) == [[[.integer(0)]]])
    }

    @Test(
        "States of SQL are told apart",
        arguments: [
            "40001", "40P01", "23505", "55P03", "57014", "53100", "25006", "42501", "28000", "08006", "40003", "22012",
        ])
    func states(state: String) throws {
        let connection = try Self.open()
        let failure = Self.failure(connection, "DO $$ BEGIN RAISE EXCEPTION 'said' USING ERRCODE = '\(state)'; END $$")
        let expected: SQLFailure =
            switch state {
            case "57014": .slow("said")
            case "53100": .full("said")
            case "25006": .readOnly("said")
            case "42501", "28000": .notPermitted("said")
            case "08006", "40003": .lost("said")
            case "22012": .refused(code: "22012", "said")
            case "23505": .taken("said")
            default: .conflicting("said")
            }
        #expect(failure == expected)
    }

    @Test("A reader changes nothing") func readOnly() throws {
        let connection = try Self.open()
        let begin = PostgreSQLConnection.dialect.beginReading
        guard case .readOnly = Self.failure(connection, begin, "CREATE TABLE never (n BIGINT)") else {
            return #expect(Bool(false))
        }
        _ = try connection.perform([SQLStatement("ROLLBACK")])
    }

    @Test("A session that is ended is lost, and stays so") func terminated() throws {
        let (connection, other) = (try Self.open(), try Self.open())
        let answer = try connection.perform([SQLStatement("BEGIN"), SQLStatement("SELECT pg_backend_pid()")])
        let process = try #require(answer.last?.first)
        let ending = SQLStatement("SELECT pg_terminate_backend($1)", process)
        #expect(try other.perform([ending]) == [[[.text("t")]]])
        for _ in 0..<2 {
            guard case .lost = Self.failure(connection, "COMMIT") else { return #expect(Bool(false)) }
        }
    }

    @Test("Who is too slow is stopped, and may go on") func slow() throws {
        let connection = try Self.open(patience: .milliseconds(300))
        guard case .slow = Self.failure(connection, "BEGIN", "SELECT pg_sleep(5)") else { return #expect(Bool(false)) }
        #expect(try connection.perform([SQLStatement("ROLLBACK"), SQLStatement("SELECT 1")]).last == [[.integer(1)]])
        // Each statement has time, all together have not: here the client is the one who stops them.
        let nap = "SELECT pg_sleep(0.2)"
        guard case .slow = Self.failure(connection, "BEGIN", nap, nap, nap, nap) else { return #expect(Bool(false)) }
        #expect(try connection.perform([SQLStatement("ROLLBACK"), SQLStatement("SELECT 1")]).last == [[.integer(1)]])
    }

    @Test("A commit that is not answered is uncertain") func uncertain() throws {
        let connection = try Self.open(patience: .milliseconds(300))
        let nap = "SELECT pg_sleep(0.25)"
        let naps = [String](repeating: nap, count: 8)
        do throws(SQLFailure) {
            _ = try connection.perform((["BEGIN"] + naps + ["COMMIT"]).map { SQLStatement($0) })
            Issue.record("answered")
        } catch {
            guard case .lost = error else { return #expect(Bool(false), "\(error)") }
        }
        // Its late answers are no one's.
        guard case .lost = Self.failure(connection, "SELECT 1") else { return #expect(Bool(false)) }
    }

    @Test("A transaction that is left open ends by itself") func idle() throws {
        let connection = try Self.open(patience: .milliseconds(200))
        _ = try connection.perform([SQLStatement("BEGIN")])
        usleep(600_000)
        guard case .lost = Self.failure(connection, "COMMIT") else { return #expect(Bool(false)) }
    }

    @Test("A commit that its replica did not confirm is not stored") func unconfirmed() throws {
        let connection = try Self.open()
        // What a server says whose wait for a replica is cancelled; here a trigger says it when the commit comes.
        _ = try connection.perform([
            SQLStatement("DROP TABLE IF EXISTS t"), SQLStatement("CREATE TABLE t (n BIGINT)"),
            SQLStatement(
                "CREATE OR REPLACE FUNCTION warn() RETURNS TRIGGER LANGUAGE plpgsql AS "
                    + "$$ BEGIN RAISE WARNING 'unconfirmed'; RETURN NULL; END $$"),
            SQLStatement(
                "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED "
                    + "FOR EACH ROW EXECUTE FUNCTION warn()"),
        ])
        let insertion = "INSERT INTO t VALUES (1)"
        for texts in [["BEGIN", insertion, "COMMIT"], [insertion]] {
            do throws(SQLFailure) {
                _ = try connection.perform(texts.map { SQLStatement($0) })
                Issue.record("answered: \(texts)")
            } catch {
                guard case .lost = error else { return #expect(Bool(false), "\(error)") }
            }
        }
        // A warning in the middle is none about the commit.
        _ = try connection.perform([
            SQLStatement("BEGIN"), SQLStatement("DO $$ BEGIN RAISE WARNING 'said'; END $$"), SQLStatement("COMMIT"),
        ])
    }

    @Test("What cannot be opened says why") func unopenable() throws {
        guard case .lost = Self.failure(opening: "host=/tmp/nowhere") else { return #expect(Bool(false)) }
        guard case .lost = Self.failure(opening: "dbname=nothing") else { return #expect(Bool(false)) }
        let connection = try Self.open()
        _ = try connection.perform([SQLStatement("DROP DATABASE IF EXISTS latin")])
        _ = try connection.perform([
            SQLStatement("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
        ])
        guard case .refused(let code, _) = Self.failure(opening: "dbname=latin") else { return #expect(Bool(false)) }
        #expect(code == "encoding")
        _ = try connection.perform([SQLStatement("DROP DATABASE latin")])
    }
}
#endif
