/// All that a store says to a database about one tree.
///
/// A statement's text does not depend on its values, so that it is prepared once. Parameters come first in their order.
struct Statements {
    /// The state of the tree as a whole.
    let tree: String

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

    let replay: String
    let visit: String
    let visits: String
    let message: String
    let due: String

    let insert: String
    let update: String
    let remove: String
    let remember: String
    let putVisit: String
    let leave: String
    let forget: String
    let putMessage: String

    let forgetKeys: String
    let setHorizon: String
    let forgetSettled: String
    let note: String
    let findOut: String
    let forgetWriters: String

    let allRecords: String
    let allReplays: String
    let allVisits: String
    let allMessages: String
    let setMarks: String

    /// The columns of a record in the order in which rows are read.
    static let columns = [
        "id", "kind", "parent", "holder", "subject", "audience", "scope", "bound_key", "issued", "access_expiry",
        "final_expiry", "generation", "secret_hash", "salt", "rotated", "attributes", "revoked", "reason", "consumed",
        "last_use", "confirmed",
    ]

    init(space: String) {
        let record = "\(space)_record"
        tree = "SELECT horizon, unknown_before, unproven_before FROM \(space)_tree"
        let of = { (alias: String) in Self.columns.map { "\(alias).\($0)" }.joined(separator: ", ") }
        let newestOfAll = "9223372036854775807"
        let isInForce = "(o.revoked IS NULL OR o.reason = 'barred')"
        let isNamed = "o.kind IN ('versionKey', 'client', 'lock')"

        // The depth ends what a damaged table could make endless.
        let walk = { (seed: String) in
            """
            WITH RECURSIVE ground AS (
              SELECT 0 AS depth, o.seq, \(of("o")) FROM \(record) o WHERE \(seed)
              UNION ALL
              SELECT g.depth + 1, r.seq, \(of("r")) FROM \(record) r JOIN ground g ON r.id = g.parent
               WHERE g.depth < 64)
            SELECT depth, seq, \(Self.columns.joined(separator: ", ")) FROM ground ORDER BY depth
            """
        }
        lineage = walk("o.id = $1")
        holder = walk("o.kind = $1 AND o.holder = $2 AND \(isNamed) AND \(isInForce)")
        beside = """
            SELECT 0, o.seq, \(of("o")) FROM \(record) r JOIN \(record) o ON o.kind = r.kind AND o.holder = r.holder
             WHERE r.id = $1 AND \(isNamed) AND \(isInForce)
            UNION ALL
            SELECT 0, o.seq, \(of("o")) FROM \(record) r JOIN \(record) o ON o.holder = r.holder
             WHERE r.id = $1 AND o.kind = 'lock' AND \(isInForce)
            UNION ALL
            SELECT 0, o.seq, \(of("o")) FROM \(record) r JOIN \(record) o ON o.holder = r.subject
             WHERE r.id = $1 AND o.kind = 'lock' AND \(isInForce)
            """

        // Each name once, because records of a page have most of their grounds in common.
        let grounds = """
            ground AS (
              SELECT 0 AS depth, id, parent FROM page
              UNION
              SELECT 1, r.id, r.parent FROM \(record) r JOIN ground g ON r.id = g.parent)
            """
        let rows = "SELECT g.depth, r.seq, \(of("r")) FROM ground g JOIN \(record) r ON r.id = g.id"
        let paged = { (page: String) in "WITH RECURSIVE \(page),\n\(grounds)\n\(rows)" }
        let page = { (condition: String) in "page AS (SELECT o.id, o.parent FROM \(record) o WHERE \(condition))" }
        let seq = { (name: String, otherwise: String) in
            "COALESCE((SELECT a.seq FROM \(record) a WHERE a.id = \(name)), \(otherwise))"
        }
        ofSubject = paged(page("o.subject = $1"))
        pageOfKind = paged(
            page("o.kind = $1 AND o.seq > \(seq("$2", "0")) ORDER BY o.seq LIMIT $3"))
        pageOfSubject = paged(
            page("o.subject = $1 AND o.kind = $2 AND o.seq < \(seq("$3", newestOfAll)) ORDER BY o.seq DESC LIMIT $4"))
        pageBelow = paged(
            """
            below AS (
              SELECT b.id, b.parent, b.seq, b.kind FROM \(record) b WHERE b.parent = $1
              UNION
              SELECT b.id, b.parent, b.seq, b.kind FROM \(record) b JOIN below p ON b.parent = p.id),
            page AS (SELECT o.id, o.parent FROM below o WHERE o.kind = $2 AND o.seq > \(seq("$3", "0"))
              ORDER BY o.seq LIMIT $4)
            """)
        newest = paged(page("o.seq < $1 ORDER BY o.seq DESC LIMIT $2"))
        newestKeys = paged(page("o.kind = 'versionKey' AND o.seq < $1 ORDER BY o.seq DESC LIMIT $2"))
        awaited = """
            WITH RECURSIVE \(page("o.id = $1")),
            \(grounds)
            SELECT DISTINCT g.id FROM ground g JOIN \(space)_message m ON m.about = g.id WHERE m.settlement IS NULL
            """

        replay = "SELECT until FROM \(space)_replay WHERE name = $1"
        visit = "SELECT service, last FROM \(space)_visit WHERE subject = $1 AND service = $2"
        visits = "SELECT service, last FROM \(space)_visit WHERE subject = $1 ORDER BY service"
        let messageColumns = "id, destination, about, body, due, attempts, tried, settlement, settled"
        message = "SELECT \(messageColumns) FROM \(space)_message WHERE id = $1"
        due = """
            SELECT \(messageColumns) FROM \(space)_message
             WHERE (due_second, due_nanosecond) <= ($1, $2) ORDER BY due_second, due_nanosecond, id LIMIT $3
            """

        let places = Self.columns.indices.map { "$\($0 + 1)" }
        insert = "INSERT INTO \(record) (\(Self.columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
        // The name comes first and stays.
        update = "UPDATE \(record) SET "
            + zip(Self.columns, places).dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ")
            + " WHERE id = $1"
        remove = """
            DELETE FROM \(record) WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM \(record) c WHERE c.parent = $1)
            RETURNING id
            """
        remember = """
            INSERT INTO \(space)_replay (name, until, until_second) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET until = excluded.until, until_second = excluded.until_second
            """
        putVisit = """
            INSERT INTO \(space)_visit (subject, service, last) VALUES ($1, $2, $3)
            ON CONFLICT (subject, service) DO UPDATE SET last = excluded.last
            """
        leave = "DELETE FROM \(space)_visit WHERE subject = $1 AND service = $2"
        forget = "DELETE FROM \(space)_visit WHERE subject = $1"
        let put = "destination about body due due_second due_nanosecond attempts tried settlement settled settled_second"
            .split(separator: " ").map(String.init)
        putMessage = """
            INSERT INTO \(space)_message (id, \(put.joined(separator: ", ")))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT (id) DO UPDATE SET \(put.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """

        forgetKeys = """
            DELETE FROM \(space)_replay WHERE name IN (
              SELECT name FROM \(space)_replay WHERE until_second < $1 ORDER BY until_second LIMIT $2)
            RETURNING until
            """
        setHorizon = "UPDATE \(space)_tree SET horizon = $1"
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
        forgetWriters = "DELETE FROM \(space)_writer WHERE last_second < $1"

        allRecords = "SELECT 0, o.seq, \(of("o")) FROM \(record) o WHERE o.seq > $1 ORDER BY o.seq LIMIT $2"
        allReplays = """
            SELECT name, until FROM \(space)_replay
             WHERE (name, until) > ($1, $2) ORDER BY name, until LIMIT $3
            """
        allVisits = """
            SELECT subject, service, last FROM \(space)_visit
             WHERE (subject, service) > ($1, $2) ORDER BY subject, service LIMIT $3
            """
        allMessages = "SELECT \(messageColumns) FROM \(space)_message WHERE id > $1 ORDER BY id LIMIT $2"
        setMarks = "UPDATE \(space)_tree SET horizon = $1, unknown_before = $2, unproven_before = $3"
    }
}
