/// All that a store says to a database about one tree.
///
/// A statement's text does not depend on its values, so that it is prepared once. Parameters come first in their order.
struct Statements {
    /// About records and what they stand on.
    let records: RecordStatements
    /// About what is kept beside the records.
    let rest: RestStatements
    /// About the tree as a whole.
    let upkeep: UpkeepStatements
    /// The version of the tables that all of this is said to.
    let version: Int64

    init(_ schema: Schema) {
        let space = schema.space
        version = schema.version
        records = RecordStatements(RecordTable(name: "\(space)_record"), messages: "\(space)_message")
        rest = RestStatements(space: space)
        upkeep = UpkeepStatements(space: space)
    }
}

struct RecordStatements {
    /// A record, and all it stands on after it.
    let lineage: String
    /// What is in force for a holder, and all it stands on.
    let holder: String
    /// What is in force beside a record: of its kind for its holder, and locks on its holder and subject.
    let beside: String
    /// All records of a subject, and all they stand on.
    let ofSubject: String
    /// A page of the records of a kind, and all they stand on.
    let pageOfKind: String
    /// A page of a subject's records of a kind, the newest first, and all they stand on.
    let pageOfSubject: String
    /// A page of the records of a kind below another one, and all they stand on.
    let pageBelow: String
    /// Records from the newest on, and all they stand on.
    let newest: String
    /// The same of keys of versions alone.
    let newestKeys: String
    /// Which of a record and all it stands on messages on their way are about.
    let awaited: String
    /// Records from the oldest on, alone.
    let oldest: String
    let insert: String
    let update: String
    /// Removes a record that nothing stands on.
    let remove: String

    init(_ table: RecordTable, messages: String) {
        lineage = table.walk(from: "o.id = $1")
        holder = table.walk(from: "o.kind = $1 AND o.holder = $2 AND \(table.isNamed) AND \(table.isInForce)")
        let ofItsKind = "o.kind = r.kind AND o.holder = r.holder AND \(table.isNamed)"
        beside = [ofItsKind, "o.kind = 'lock' AND o.holder = r.holder", "o.kind = 'lock' AND o.holder = r.subject"]
            .map { table.others(where: $0) }.joined(separator: "\nUNION ALL\n")

        ofSubject = table.page("o.subject = $1")
        pageOfKind = table.page("o.kind = $1 AND o.seq > \(table.seq("$2", else: "0")) ORDER BY o.seq LIMIT $3")
        // Nothing is newer.
        pageOfSubject = table.page(
            "o.subject = $1 AND o.kind = $2 AND \(table.isBefore("$3")) ORDER BY o.seq DESC LIMIT $4")
        pageBelow = table.pageBelow
        newest = table.page("o.seq < $1 ORDER BY o.seq DESC LIMIT $2")
        newestKeys = table.page("o.kind = 'versionKey' AND o.seq < $1 ORDER BY o.seq DESC LIMIT $2")
        awaited = """
            WITH RECURSIVE \(table.selected("o.id = $1")),
            \(table.grounds)
            SELECT DISTINCT g.id FROM ground g JOIN \(messages) m ON m.about = g.id WHERE m.settlement IS NULL
            """
        oldest = """
            SELECT 0, o.seq, \(table.columns(of: "o")) FROM \(table.name) o WHERE o.seq > $1 ORDER BY o.seq LIMIT $2
            """

        let columns = RecordTable.columns
        let places = columns.indices.map { "$\($0 + 1)" }
        insert = """
            INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))
            """
        // The name comes first and stays.
        let settings = zip(columns, places).dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ")
        update = "UPDATE \(table.name) SET \(settings) WHERE id = $1"
        remove = """
            DELETE FROM \(table.name) WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM \(table.name) c WHERE c.parent = $1)
            RETURNING id
            """
    }
}

/// What statements about records are made of.
struct RecordTable {
    let name: String

    /// The columns of a record in the order in which rows are read.
    static let columns = [
        "id", "kind", "parent", "holder", "subject", "audience", "scope", "bound_key", "issued", "access_expiry",
        "final_expiry", "generation", "secret_hash", "salt", "rotated", "attributes", "revoked", "reason", "consumed",
        "last_use", "confirmed",
    ]

    func columns(of alias: String) -> String { Self.columns.map { "\(alias).\($0)" }.joined(separator: ", ") }

    var isInForce: String { "(o.revoked IS NULL OR o.reason = 'barred')" }

    var isNamed: String { "o.kind IN ('versionKey', 'client', 'lock')" }

    /// The place of a record, or another where there is no such record.
    func seq(_ id: String, else place: String) -> String {
        "COALESCE((SELECT a.seq FROM \(name) a WHERE a.id = \(id)), \(place))"
    }

    /// Whether a record is older than another one; all are where there is no such record.
    func isBefore(_ id: String) -> String { "o.seq < \(seq(id, else: "9223372036854775807"))" }

    /// One record, and from it up to its root; the depth ends what a damaged table could make endless.
    func walk(from condition: String) -> String {
        """
        WITH RECURSIVE ground AS (
          SELECT 0 AS depth, o.seq, \(columns(of: "o")) FROM \(name) o WHERE \(condition)
          UNION ALL
          SELECT g.depth + 1, r.seq, \(columns(of: "r")) FROM \(name) r JOIN ground g ON r.id = g.parent
           WHERE g.depth < 64)
        SELECT depth, seq, \(Self.columns.joined(separator: ", ")) FROM ground ORDER BY depth
        """
    }

    /// Records in force that a record leads to, alone.
    func others(where condition: String) -> String {
        """
        SELECT 0, o.seq, \(columns(of: "o")) FROM \(name) r JOIN \(name) o ON \(condition)
         WHERE r.id = $1 AND \(isInForce)
        """
    }

    func selected(_ condition: String) -> String {
        "page AS (SELECT o.id, o.parent FROM \(name) o WHERE \(condition))"
    }

    /// What a page stands on, each name once, because records of a page have most of their grounds in common.
    var grounds: String {
        """
        ground AS (
          SELECT 0 AS depth, id, parent FROM page
          UNION
          SELECT 1, r.id, r.parent FROM \(name) r JOIN ground g ON r.id = g.parent)
        """
    }

    /// Records, and all they stand on.
    func page(_ condition: String) -> String { page(of: selected(condition)) }

    private func page(of expression: String) -> String {
        """
        WITH RECURSIVE \(expression),
        \(grounds)
        SELECT g.depth, r.seq, \(columns(of: "r")) FROM ground g JOIN \(name) r ON r.id = g.id
        """
    }

    /// Records of a kind below another one, and all they stand on.
    var pageBelow: String {
        page(
            of: """
                below AS (
                  SELECT b.id, b.parent, b.seq, b.kind FROM \(name) b WHERE b.parent = $1
                  UNION
                  SELECT b.id, b.parent, b.seq, b.kind FROM \(name) b JOIN below p ON b.parent = p.id),
                page AS (SELECT o.id, o.parent FROM below o
                  WHERE o.kind = $2 AND \(isBefore("$3")) ORDER BY o.seq DESC LIMIT $4)
                """)
    }
}

struct RestStatements {
    let replay: String
    let visit: String
    let visits: String
    let message: String
    let due: String

    let rememberNew: String
    let remember: String
    let putVisit: String
    let leave: String
    let forget: String
    let putMessage: String

    let allReplays: String
    let allVisits: String
    let allMessages: String

    init(space: String) {
        replay = "SELECT until FROM \(space)_replay WHERE name = $1"
        visit = "SELECT service, last FROM \(space)_visit WHERE subject = $1 AND service = $2"
        visits = "SELECT service, last FROM \(space)_visit WHERE subject = $1 ORDER BY service"
        let columns = "id, destination, about, body, due, attempts, tried, settlement, settled"
        message = "SELECT \(columns) FROM \(space)_message WHERE id = $1"
        due = """
            SELECT \(columns) FROM \(space)_message
             WHERE (due_second, due_nanosecond) <= ($1, $2) ORDER BY due_second, due_nanosecond, id LIMIT $3
            """

        rememberNew = "INSERT INTO \(space)_replay (name, until, until_second) VALUES ($1, $2, $3)"
        remember = """
            \(rememberNew)
            ON CONFLICT (name) DO UPDATE SET until = excluded.until, until_second = excluded.until_second
            """
        putVisit = """
            INSERT INTO \(space)_visit (subject, service, last) VALUES ($1, $2, $3)
            ON CONFLICT (subject, service) DO UPDATE SET last = excluded.last
            """
        leave = "DELETE FROM \(space)_visit WHERE subject = $1 AND service = $2"
        forget = "DELETE FROM \(space)_visit WHERE subject = $1"
        let put = [
            "destination", "about", "body", "due", "due_second", "due_nanosecond", "attempts", "tried", "settlement",
            "settled", "settled_second",
        ]
        putMessage = """
            INSERT INTO \(space)_message (id, \(put.joined(separator: ", ")))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT (id) DO UPDATE SET \(put.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """

        allReplays = """
            SELECT name, until FROM \(space)_replay
             WHERE (name, until) > ($1, $2) ORDER BY name, until LIMIT $3
            """
        allVisits = """
            SELECT subject, service, last FROM \(space)_visit
             WHERE (subject, service) > ($1, $2) ORDER BY subject, service LIMIT $3
            """
        allMessages = "SELECT \(columns) FROM \(space)_message WHERE id > $1 ORDER BY id LIMIT $2"
    }
}

struct UpkeepStatements {
    /// What is known of the tree as a whole.
    let marks: String
    let setMarks: String
    let setHorizon: String
    let forgetKeys: String
    let forgetSettled: String
    /// Counts a writer's commit.
    let note: String
    /// Tells how many commits of a writer there are, after those that still run.
    let findOut: String
    /// Answers with a row where a writer's commit has arrived.
    let reached: String
    let forgetWriters: String

    init(space: String) {
        marks = "SELECT version, horizon, unknown_before, unproven_before FROM \(space)_tree WHERE single = 1"
        setMarks = "UPDATE \(space)_tree SET horizon = $1, unknown_before = $2, unproven_before = $3"
        setHorizon = "UPDATE \(space)_tree SET horizon = $1"
        forgetKeys = """
            DELETE FROM \(space)_replay WHERE name IN (
              SELECT name FROM \(space)_replay WHERE until_second < $1 ORDER BY until_second LIMIT $2)
            RETURNING until
            """
        forgetSettled = """
            DELETE FROM \(space)_message WHERE id IN (
              SELECT id FROM \(space)_message WHERE settled_second < $1 ORDER BY settled_second LIMIT $2)
            RETURNING id
            """
        note = """
            INSERT INTO \(space)_writer (id, commits, last_second) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET commits = excluded.commits, last_second = excluded.last_second
            """
        findOut = "UPDATE \(space)_writer SET last_second = last_second WHERE id = $1 RETURNING commits"
        reached = "SELECT 1 FROM \(space)_writer WHERE id = $1 AND commits >= $2"
        forgetWriters = "DELETE FROM \(space)_writer WHERE last_second < $1"
    }
}
