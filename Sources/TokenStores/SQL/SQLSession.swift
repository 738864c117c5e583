internal import TokenTree
internal import Wire

/// What one connection does for a store: each method is one or two round trips, and one transaction.
struct SQLSession<Connection: SQLConnection> {
    let connection: Connection
    let words: Statements
    let limits: MemoryStore.Limits
    let clock: (@Sendable () -> Timestamp)?
    /// Under which name this session's commits are counted.
    let writer: String
    /// How many there were, so that a lost answer can be found out.
    private(set) var commits: Int64 = 0

    init(
        _ connection: Connection, _ words: Statements, limits: MemoryStore.Limits,
        clock: (@Sendable () -> Timestamp)?, writer: String
    ) {
        self.connection = connection
        self.words = words
        self.limits = limits
        self.clock = clock
        self.writer = writer
    }

    static var begin: SQLStatement { SQLStatement(Connection.dialect.beginWriting) }
    static var look: SQLStatement { SQLStatement(Connection.dialect.beginReading) }
    static var end: SQLStatement { SQLStatement("COMMIT") }

    func perform(_ statements: [SQLStatement]) throws(SessionFailure) -> [[SQLRow]] {
        let rows: [[SQLRow]]
        do throws(SQLFailure) { rows = try connection.perform(statements) } catch { throw .database(error) }
        guard rows.count == statements.count else {
            throw .store(.refused(code: "", "\(rows.count) answers to \(statements.count) statements"))
        }
        return rows
    }

    /// Ends a transaction that failed; where that fails as well, there is none any more.
    func rollBack() { _ = try? connection.perform([SQLStatement("ROLLBACK")]) }

    /// The next commit will be this one of the writer.
    mutating func continues(after commits: Int64) { self.commits = commits }
}

/// Why a session did not do what it was asked for.
enum SessionFailure: Error {
    case database(SQLFailure)
    case store(StoreFailure)
}

/// Runs what reads rows, in a session.
func reading<Value>(_ body: () throws(StoreFailure) -> Value) throws(SessionFailure) -> Value {
    do throws(StoreFailure) { return try body() } catch { throw .store(error) }
}

/// What is known of a tree as a whole.
struct TreeRow {
    let marks: MemoryStore.Marks

    /// Reads it, unless another release has meanwhile made other tables of these.
    init(_ rows: [SQLRow], of words: Statements) throws(StoreFailure) {
        guard let row = rows.first else { throw .foreignRow("tree", column: 0) }
        var reader = RowReader(row, "tree")
        try StoreFailure.check(version: try reader.integer(), known: words.version)
        marks = MemoryStore.Marks(
            horizon: try reader.time(), unknownBefore: try reader.time(), unprovenBefore: try reader.time())
    }
}

// MARK: - Commit

extension SQLSession {
    /// What came of one attempt to apply a batch.
    enum Attempt {
        case applied
        case conflict(Batch.Conflict, change: Int)
        /// Something that was taken for new may not be.
        case doubtful
        /// It was to be written, and then the connection failed: only the next connection can tell.
        case uncertain(SQLFailure)
    }

    /// Looks up what a batch asks about, applies it, and writes what changed, in one transaction.
    ///
    /// Also a refusal ends with the transaction's commit, because only then what was looked up was of one state.
    ///
    /// - Parameter hopes: whether new names and keys are taken for new without a look, which nearly all are. Who looks
    ///   for what is not there is in the way of all who add something beside it; that it is there, the database tells.
    mutating func commit(
        _ batch: Batch, hoping hopes: Bool, _ shares: (ReplayKey, Timestamp) -> Int
    ) throws(SessionFailure) -> Attempt {
        let questions = hopes ? Self.questionsOfOld(batch) : WorkingSet.questions(of: batch)
        let answers = try perform(
            [Self.begin, SQLStatement(words.upkeep.marks)] + questions.map { words.statement(for: $0) })
        let outcome = try reading { () throws(StoreFailure) in
            var set = try workingSet(answers[1], questions, answers.dropFirst(2))
            for case .remember(let key, let until, _) in batch.changes {
                set.add(shares(key, until), ofOwnerOf: key, until: until)
            }
            return set.apply(batch)
        }
        switch outcome {
        case .conflict(let conflict, let index):
            _ = try perform([Self.end])
            // Something before it might have been found out, and then that is the answer.
            return hopes ? .doubtful : .conflict(conflict, change: index)
        case .write(let edits):
            let note = SQLStatement(
                words.upkeep.note, [.text(writer), .integer(commits + 1), .integer(batch.at.seconds)])
            do throws(SessionFailure) {
                _ = try perform(edits.map { words.statement(for: $0, hoping: hopes) } + [note, Self.end])
            } catch {
                switch error {
                case .database(.lost(let reason)): return .uncertain(.lost(reason))
                case .database(.taken) where hopes:
                    rollBack()
                    return .doubtful
                default: throw error
                }
            }
            commits += 1
            return .applied
        }
    }

    /// What a batch asks about that is not new by its own account.
    private static func questionsOfOld(_ batch: Batch) -> [WorkingSet.Question] {
        var new: Set<WorkingSet.Question> = []
        for change in batch.changes {
            switch change {
            case .insert(let record): new.insert(.record(record.id))
            case .remember(let key, _, _): new.insert(.replay(key))
            default: break
            }
        }
        return WorkingSet.questions(of: batch).filter { !new.contains($0) }
    }

    private func workingSet(
        _ tree: [SQLRow], _ questions: [WorkingSet.Question], _ answers: ArraySlice<[SQLRow]>
    ) throws(StoreFailure) -> WorkingSet {
        let marks = try TreeRow(tree, of: words).marks
        var set = WorkingSet(
            limits: limits, horizon: marks.horizon, unprovenBefore: marks.unprovenBefore,
            unknownBefore: marks.unknownBefore, clock: clock)
        var beside: [Lineage.Entry] = []
        for (question, rows) in zip(questions, answers) {
            switch question {
            case .record, .holder, .subject:
                for lineage in try RecordRows(rows).lineages(unprovenBefore: nil) { set.add(lineage) }
            case .beside: beside += try RecordRows(rows).alone
            case .replay(let key):
                guard let row = rows.first else { continue }
                var reader = RowReader(row, "replay")
                set.add(key, until: try reader.moment())
            case .visit(let subject, _):
                for row in rows { set.add(try Facts.Visit(row), of: subject) }
            case .message:
                switch try rows.first.map({ row throws(StoreFailure) in try MessageRow(row) }) {
                case .pending(let message)?: set.add(message)
                case .settled(let id, let settlement, let time)?: set.add(settled: id, as: settlement, at: time)
                case nil: break
                }
            }
        }
        // What stands beside another may be one of these, and is known better then.
        for entry in beside { set.add(inForce: entry) }
        return set
    }
}

extension Statements {
    func statement(for question: WorkingSet.Question) -> SQLStatement {
        switch question {
        case .record(let id): SQLStatement(records.lineage, [.text(id.text)])
        case .holder(let kind, let name): SQLStatement(records.holder, [.text(kind.description), .text(name.text)])
        case .beside(let id): SQLStatement(records.beside, [.text(id.text)])
        case .subject(let subject): SQLStatement(records.ofSubject, [.text(subject.text)])
        case .replay(let key): SQLStatement(rest.replay, [.text(key.description)])
        case .visit(let subject, let service): SQLStatement(rest.visit, [.text(subject.text), .text(service.text)])
        case .message(let id): SQLStatement(rest.message, [.text(id.text)])
        }
    }

    func statement(for edit: WorkingSet.Edit, hoping hopes: Bool = false) -> SQLStatement {
        switch edit {
        case .insert(let record):
            SQLStatement(records.insert, Lineage.Entry(record: record, fate: Record.Fate()).columns)
        case .update(let entry): SQLStatement(records.update, entry.columns)
        case .remember(let key, let until):
            SQLStatement(
                hopes ? rest.rememberNew : rest.remember,
                [.text(key.description), .time(until), .integer(until.seconds)])
        case .visit(let subject, let visit):
            SQLStatement(rest.putVisit, [.text(subject.text), .text(visit.service.text), .time(visit.last)])
        case .leave(let subject, let service): SQLStatement(rest.leave, [.text(subject.text), .text(service.text)])
        case .forget(let subject): SQLStatement(rest.forget, [.text(subject.text)])
        case .message(let message): SQLStatement(rest.putMessage, message.columns)
        case .settled(let id, let settlement, let time):
            SQLStatement(rest.putMessage, MessageRow.columns(settled: id, as: settlement, at: time))
        }
    }
}
