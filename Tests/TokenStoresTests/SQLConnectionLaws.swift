#if SQLite || PostgreSQL
import Testing
import TokenStores

/// What a store expects of every connection; each law has the database for itself.
struct SQLConnectionLaws<Connection: SQLConnection> {
    let open: () throws -> Connection

    /// Texts that a database could take for one another: by case, by form, by space, or because they are long.
    static var texts: [String] {
        [
            "", " ", "a", "A", "a ", "a  ", " a", "å", "a\u{30a}", "Å", "ß", "ss", "ﬁ", "fi", "1", "1.0", "01", "-",
            "\t", "\n", "'", "\"", "\\", "$1", "?", "NULL", "\u{1}", "\u{7f}", "\u{80}", "\u{feff}a", "\u{ffff}", "😀",
            "\u{10ffff}", String(repeating: "x", count: 2500) + "1", String(repeating: "x", count: 2500) + "2",
        ]
    }

    private func table(_ columns: String) throws -> Connection {
        let connection = try open()
        _ = try connection.perform([
            SQLStatement("DROP TABLE IF EXISTS t"), SQLStatement("CREATE TABLE t (\(columns))"),
        ])
        return connection
    }

    private static var keyed: String { "k \(Connection.dialect.text) PRIMARY KEY, n BIGINT" }
    private static var insertion: String { "INSERT INTO t VALUES ($1, $2)" }
    private static func inserting(_ key: String, _ number: Int64) -> SQLStatement {
        SQLStatement(insertion, [.text(key), .integer(number)])
    }
    private static var begin: SQLStatement { SQLStatement(Connection.dialect.beginWriting) }
    private static var commit: SQLStatement { SQLStatement("COMMIT") }
    private static var rollback: SQLStatement { SQLStatement("ROLLBACK") }
    private static var count: SQLStatement { SQLStatement("SELECT COUNT(*) FROM t") }

    /// The failure that statements meet.
    static func failure(_ connection: Connection, _ statements: SQLStatement...) -> SQLFailure? {
        do throws(SQLFailure) {
            _ = try connection.perform(statements)
            return nil
        } catch {
            return error
        }
    }

    func values() throws {
        let connection = try table("\(Self.keyed), s \(Connection.dialect.text)")
        let insertion = "INSERT INTO t VALUES ($1, $2, $3)"
        let rows: [SQLRow] = [
            [.text("a"), .integer(.max), .text("")], [.text("b"), .integer(.min), .null],
            [.text("c"), .null, .text("0")],
        ]
        var answers = try connection.perform(rows.map { SQLStatement(insertion, $0) })
        #expect(answers == [[], [], []])
        let all = SQLStatement("SELECT k, n, s FROM t ORDER BY k")
        let one = SQLStatement("SELECT n FROM t WHERE k = $1", [.text("a")])
        answers = try connection.perform([all, one, SQLStatement("DELETE FROM t WHERE k <> $1", [.text("c")]), all])
        #expect(answers == [rows, [[.integer(.max)]], [], [rows[2]]])
        #expect(try connection.perform([]) == [])
    }

    func serials() throws {
        let connection = try table("i \(Connection.dialect.serial), n BIGINT")
        let insertion = SQLStatement("INSERT INTO t (n) VALUES ($1)", [.integer(7)])
        let order = SQLStatement("SELECT i FROM t ORDER BY i")
        let answers = try connection.perform([insertion, insertion, order])
        #expect(answers.last == [[.integer(1)], [.integer(2)]])
    }

    /// Compared, ordered and kept apart as bytes.
    func bytes() throws {
        let connection = try table(Self.keyed)
        let texts = Self.texts
        for (number, text) in texts.enumerated() {
            _ = try connection.perform([Self.inserting(text, Int64(number))])
        }
        for (number, text) in texts.enumerated() {
            let found = try connection.perform([SQLStatement("SELECT n, k FROM t WHERE k = $1", [.text(text)])])
            #expect(found == [[[.integer(Int64(number)), .text(text)]]])
            let back = try connection.perform([SQLStatement("SELECT k FROM t WHERE n = $1", [.integer(Int64(number))])])
            // Swift takes canonically equivalent texts for one.
            guard case .text(let text) = back.first?.first?.first else { return #expect(Bool(false)) }
            #expect(Array(text.utf8) == Array(texts[number].utf8))
        }
        let sorted = texts.indices.sorted { texts[$0].utf8.lexicographicallyPrecedes(texts[$1].utf8) }
        let ordered = try connection.perform([SQLStatement("SELECT n FROM t ORDER BY k")])
        #expect(ordered == [sorted.map { [.integer(Int64($0))] }])
    }

    /// More, in one call, than the buffers between two processes hold.
    func bulk() throws {
        let connection = try table(Self.keyed)
        let long = String(repeating: "äöü", count: 5000)
        let insertions = (0..<200 as Range<Int64>).map { Self.inserting("\($0) \(long)", $0) }
        let look = SQLStatement("SELECT k FROM t WHERE k = $1", [.text("7 \(long)")])
        let looks = [SQLStatement](repeating: look, count: 200)
        let answers = try connection.perform([Self.begin] + insertions + looks + [Self.commit, Self.count])
        #expect(answers.suffix(202).prefix(200).allSatisfy { $0 == [[.text("7 \(long)")]] })
        #expect(answers.last == [[.integer(200)]])
    }

    /// More texts than are kept prepared.
    func manyTexts() throws {
        let connection = try table(Self.keyed)
        for round in 0..<2 {
            for number in 0..<300 as Range<Int64> {
                let answer = try connection.perform([SQLStatement("SELECT \(number), $1", [.text("x")])])
                #expect(answer == [[[.integer(number), .text("x")]]], "round \(round)")
            }
        }
    }

    /// The first failure counts, nothing after it is performed, and the transaction stays open for its end.
    func failures() throws {
        let connection = try table(Self.keyed)
        let failure = Self.failure(
            connection, Self.begin, Self.inserting("a", 1), Self.inserting("a", 2), Self.inserting("b", 3), Self.commit)
        guard case .taken = failure else { return #expect(Bool(false), "\(failure as Any)") }
        _ = try connection.perform([Self.rollback])
        #expect(try connection.perform([Self.count]) == [[[.integer(0)]]])
        // Where no transaction is open, its end is no failure.
        _ = try connection.perform([Self.rollback, Self.rollback])

        _ = try connection.perform([Self.begin, Self.inserting("a", 1)])
        guard case .refused = Self.failure(connection, SQLStatement("SELECT nothing FROM t")) else {
            return #expect(Bool(false))
        }
        _ = try connection.perform([Self.rollback])
        #expect(try connection.perform([Self.count]) == [[[.integer(0)]]])
    }

    func refusals() throws {
        let connection = try table("k \(Connection.dialect.text) NOT NULL, n BIGINT")
        let refused = [
            SQLStatement("SELEC 1"), SQLStatement(""), SQLStatement("SELECT 1; SELECT 2"),
            SQLStatement(Self.insertion, [.text("a")]),
            SQLStatement(Self.insertion, [.text("a"), .integer(1), .integer(2)]),
            SQLStatement(Self.insertion, [.null, .integer(1)]),
        ]
        for statement in refused {
            guard case .refused = Self.failure(connection, statement) else {
                Issue.record("not refused: \(statement)")
                continue
            }
        }
        #expect(try connection.perform([Self.count]) == [[[.integer(0)]]])
    }

    /// Who reads sees one state to the end.
    func snapshots() throws {
        let (reader, writer) = (try table(Self.keyed), try open())
        let begin = SQLStatement(Connection.dialect.beginReading)
        #expect(try reader.perform([begin, Self.count]).last == [[.integer(0)]])
        _ = try writer.perform([Self.begin, Self.inserting("a", 1), Self.commit])
        #expect(try reader.perform([Self.count]) == [[[.integer(0)]]])
        _ = try reader.perform([Self.commit])
        #expect(try reader.perform([Self.count]) == [[[.integer(1)]]])
    }

    /// Two that each read what the other one changes: one of them is in conflict, and nothing of it remains.
    func writeSkew() throws {
        let (first, second) = (try table(Self.keyed), try open())
        var failures: [SQLFailure] = []
        func attempt(_ connection: Connection, _ statements: SQLStatement...) {
            do throws(SQLFailure) { _ = try connection.perform(statements) } catch {
                failures.append(error)
                _ = try? connection.perform([Self.rollback])
            }
        }
        attempt(first, Self.begin, Self.count)
        attempt(second, Self.begin, Self.count)
        attempt(first, Self.inserting("a", 1))
        if failures.isEmpty { attempt(second, Self.inserting("b", 2)) }
        attempt(first, Self.commit)
        if failures.isEmpty { attempt(second, Self.commit) }
        guard failures.count == 1, case .conflicting = failures[0] else { return #expect(Bool(false), "\(failures)") }
        #expect(try second.perform([Self.count]) == [[[.integer(1)]]])
    }
}
#endif
