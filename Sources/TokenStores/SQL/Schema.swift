/// The tables of one tree, whose names all begin with its name space.
///
/// Times are texts of seconds since 1970, exact to the nanosecond; where rows are found by a time, its whole seconds
/// stand beside it as a number. Kinds, reasons and settlements are words, hashes Base64URL, attributes and bodies JSON.
struct Schema {
    let space: String
    let dialect: SQLDialect
    /// What makes tables of each version out of those of the version before, from the second version on.
    let steps: [Step]

    /// What has to be said to tables of a version to make the next one of them.
    typealias Step = @Sendable (Schema) -> [String]

    /// What releases have changed since the first one; a step that was released stays as it is.
    static let steps: [Step] = []

    init(space: String, dialect: SQLDialect, steps: [Step] = Schema.steps) {
        self.space = space
        self.dialect = dialect
        self.steps = steps
    }

    /// The version that is written; a later one is refused.
    var version: Int64 { Int64(steps.count) + 1 }

    /// A name that begins other names without marks of quotation, in any database.
    static func isSpace(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, (97...122).contains(first), bytes.count <= 32 else { return false }
        return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    /// Which version the tables are of.
    var question: SQLStatement { SQLStatement("SELECT version FROM \(space)_tree WHERE single = 1") }

    /// The same for whoever is about to change it: others who would wait until that has happened or not.
    var reservation: SQLStatement {
        SQLStatement("UPDATE \(space)_tree SET version = version WHERE single = 1 RETURNING version")
    }

    /// Makes tables of this version out of those of another one.
    func migration(from version: Int64) -> [SQLStatement] {
        let texts = steps.dropFirst(Int(version) - 1).flatMap { $0(self) }
        return texts.map { SQLStatement($0) } + [
            SQLStatement("UPDATE \(space)_tree SET version = $1 WHERE single = 1", [.integer(self.version)])
        ]
    }

    /// Makes the tables of the first version, where they are not there; those of later ones are made of them.
    var creation: [SQLStatement] {
        let text = dialect.text
        let tables = [
            """
            CREATE TABLE IF NOT EXISTS \(space)_tree (
              single BIGINT PRIMARY KEY, version BIGINT NOT NULL, horizon TEXT, unknown_before TEXT,
              unproven_before TEXT)
            """,
            """
            CREATE TABLE IF NOT EXISTS \(space)_record (
              seq \(dialect.serial), id \(text) NOT NULL, kind \(text) NOT NULL, parent \(text), holder \(text),
              subject \(text), audience \(text), scope \(text), bound_key \(text), issued TEXT NOT NULL,
              access_expiry TEXT, final_expiry TEXT, generation BIGINT, secret_hash TEXT, salt TEXT, rotated TEXT,
              attributes TEXT, revoked TEXT, reason TEXT, consumed TEXT, last_use TEXT, confirmed TEXT)
              \(dialect.changing)
            """,
            """
            CREATE TABLE IF NOT EXISTS \(space)_replay (
              name \(text) PRIMARY KEY, until TEXT NOT NULL, until_second BIGINT NOT NULL)
            """,
            """
            CREATE TABLE IF NOT EXISTS \(space)_visit (
              subject \(text) NOT NULL, service \(text) NOT NULL, last TEXT NOT NULL, PRIMARY KEY (subject, service))
            """,
            """
            CREATE TABLE IF NOT EXISTS \(space)_message (
              id \(text) PRIMARY KEY, destination \(text), about \(text), body TEXT, due TEXT, due_second BIGINT,
              due_nanosecond BIGINT, attempts BIGINT, tried TEXT, settlement TEXT, settled TEXT, settled_second BIGINT)
            """,
            """
            CREATE TABLE IF NOT EXISTS \(space)_writer (
              id \(text) PRIMARY KEY, commits BIGINT NOT NULL, last_second BIGINT NOT NULL)
              \(dialect.changing)
            """,
        ]
        let first = "INSERT INTO \(space)_tree (single, version) VALUES (1, 1) ON CONFLICT DO NOTHING"
        return (tables + indices + [first]).map { SQLStatement($0) }
    }

    /// Who is in force for a holder is known by the database as well, so that no two can be.
    private var indices: [String] {
        [
            "UNIQUE INDEX IF NOT EXISTS \(space)_record_id ON \(space)_record (id)",
            "INDEX IF NOT EXISTS \(space)_record_parent ON \(space)_record (parent)",
            "INDEX IF NOT EXISTS \(space)_record_kind ON \(space)_record (kind, seq)",
            "INDEX IF NOT EXISTS \(space)_record_subject ON \(space)_record (subject, seq)",
            """
            UNIQUE INDEX IF NOT EXISTS \(space)_record_holder ON \(space)_record (kind, holder)
              WHERE kind IN ('versionKey', 'client', 'lock') AND (revoked IS NULL OR reason = 'barred')
            """,
            "INDEX IF NOT EXISTS \(space)_replay_until ON \(space)_replay (until_second)",
            "INDEX IF NOT EXISTS \(space)_message_due ON \(space)_message (due_second, due_nanosecond, id)",
            "INDEX IF NOT EXISTS \(space)_message_about ON \(space)_message (about)",
            "INDEX IF NOT EXISTS \(space)_message_settled ON \(space)_message (settled_second)",
        ].map { "CREATE \($0)" }
    }
}
