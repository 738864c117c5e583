#if SQLite
internal import CSQLite

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A connection to a database of SQLite in a file, which several processes of one machine may have open.
///
/// What was committed survives a loss of power: the database keeps a write-ahead log and synchronizes it at each
/// commit.
public final class SQLiteConnection: SQLConnection {
    /// A writer takes the whole database before it reads anything.
    public static let dialect = SQLDialect(
        beginWriting: "BEGIN IMMEDIATE", beginReading: "BEGIN", serial: "INTEGER PRIMARY KEY", text: "TEXT",
        time: "SELECT CAST(strftime('%s', 'now') AS INTEGER)")

    private let database: OpaquePointer
    /// The statements that were prepared, by their texts.
    private var prepared: [String: OpaquePointer] = [:]

    /// Bound: a store has a few dozen texts; when there are more, all are prepared anew.
    private static let mostPrepared = 128

    /// Opens the database in a file.
    ///
    /// - Parameters:
    ///   - creating: whether the file is made, for its owner alone, if it is not there.
    ///   - patience: how long another connection is waited for.
    public init(path: String, creating: Bool = true, patience: Duration = .seconds(5)) throws(SQLFailure) {
        if creating { Self.create(path) }
        var opened: OpaquePointer?
        let creation = creating ? SQLITE_OPEN_CREATE : 0
        let flags = SQLITE_OPEN_READWRITE | creation | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close_v2(opened) }
            throw SQLFailure(code, of: opened)
        }
        database = opened
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, patience.milliseconds)
        // The library falls back to reading where it may not write.
        if sqlite3_db_readonly(opened, "main") == 1 {
            let isForbidden = access(path, W_OK) != 0 && errno != EROFS
            throw isForbidden ? .notPermitted("\(path) may not be written") : .readOnly("\(path) can only be read")
        }
        try configure(patience: patience)
    }

    deinit {
        forget()
        sqlite3_close_v2(database)
    }

    /// Makes the file for its owner alone; the library would ask the mask of the process.
    ///
    /// What fails here, fails again when the database is opened, and is told there.
    private static func create(_ path: String) {
        guard path != ":memory:" else { return }
        #if canImport(Darwin)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        #else
        // No descriptor is opened: to close one would drop the locks of this process's other connections.
        _ = mknod(path, S_IFREG | 0o600, 0)
        #endif
    }

    private func configure(patience: Duration) throws(SQLFailure) {
        try writeAhead(until: ContinuousClock.now + patience)
        // On Darwin, a plain synchronization leaves the data in the disk's own memory. What is erased is overwritten.
        let settings = [
            "synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "trusted_schema = OFF",
            "secure_delete = ON",
        ]
        for setting in settings { _ = try perform(SQLStatement("PRAGMA \(setting)")) }
    }

    /// Turns to a write-ahead log; when two connections do so at once, the library does not wait for either.
    private func writeAhead(until deadline: ContinuousClock.Instant) throws(SQLFailure) {
        let wanted: [SQLRow] = [[.text("wal")]]
        while true {
            do throws(SQLFailure) {
                // Who only asks needs no lock that excludes others.
                if try perform(SQLStatement("PRAGMA journal_mode")) == wanted { return }
                if try perform(SQLStatement("PRAGMA journal_mode = WAL")) == wanted { return }
                throw SQLFailure.refused(code: "wal", "this database cannot keep a write-ahead log; put it into a file")
            } catch .conflicting(let reason) {
                guard ContinuousClock.now < deadline else { throw .conflicting(reason) }
                usleep(5000)
            }
        }
    }

    /// Performs statements, until one fails.
    public func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]] {
        var results: [[SQLRow]] = []
        for statement in statements { results.append(try perform(statement)) }
        return results
    }

    private func perform(_ statement: SQLStatement) throws(SQLFailure) -> [SQLRow] {
        // A failure may have ended the transaction already.
        if statement.text == "ROLLBACK", sqlite3_get_autocommit(database) != 0 { return [] }
        let handle = try prepare(statement.text)
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        try bind(statement.parameters, to: handle)
        var rows: [SQLRow] = []
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw SQLFailure(code, of: database) }
            rows.append(try row(of: handle))
        }
    }
}

// MARK: - Statements

extension SQLiteConnection {
    private func prepare(_ text: String) throws(SQLFailure) -> OpaquePointer {
        if let handle = prepared[text] { return handle }
        if prepared.count >= Self.mostPrepared { forget() }
        var text = text
        var handle: OpaquePointer?
        let (code, isWhole) = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    database, bytes.baseAddress, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &handle, &tail)
                return (code, tail == bytes.baseAddress.map { $0 + bytes.count })
            }
        }
        guard code == SQLITE_OK else { throw SQLFailure(code, of: database) }
        guard isWhole, let handle else {
            sqlite3_finalize(handle)
            throw .refused(code: String(SQLITE_ERROR), "one statement is performed at a time")
        }
        prepared[text] = handle
        return handle
    }

    private func forget() {
        for handle in prepared.values { sqlite3_finalize(handle) }
        prepared = [:]
    }

    private func bind(_ parameters: [SQLValue], to handle: OpaquePointer) throws(SQLFailure) {
        guard Int(sqlite3_bind_parameter_count(handle)) == parameters.count else {
            throw .refused(code: String(SQLITE_RANGE), "the statement has another number of parameters")
        }
        for (place, value) in parameters.enumerated() {
            let index = sqlite3_bind_parameter_index(handle, "$\(place + 1)")
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let number): sqlite3_bind_int64(handle, index, number)
                case .text(let text): Self.bind(text, to: handle, at: index)
                }
            guard code == SQLITE_OK else { throw SQLFailure(code, of: database) }
        }
    }

    private static func bind(_ text: String, to handle: OpaquePointer, at index: Int32) -> Int32 {
        // `SQLITE_TRANSIENT`, which the language does not import: the library takes a copy.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // An empty string may have no address, and none would be taken for no value.
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return sqlite3_bind_text(handle, index, "", 0, copying)
                }
                return sqlite3_bind_text64(
                    handle, index, start, sqlite3_uint64(bytes.count), copying, UInt8(SQLITE_UTF8))
            }
        }
    }

    private func row(of handle: OpaquePointer) throws(SQLFailure) -> SQLRow {
        var row: SQLRow = []
        for column in 0..<sqlite3_column_count(handle) {
            switch sqlite3_column_type(handle, column) {
            case SQLITE_NULL: row.append(.null)
            case SQLITE_INTEGER: row.append(.integer(sqlite3_column_int64(handle, column)))
            case SQLITE_TEXT:
                // The text first: its conversion decides about the number of bytes.
                guard let start = sqlite3_column_text(handle, column) else {
                    throw SQLFailure(SQLITE_NOMEM, of: database)
                }
                let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
                row.append(.text(try SQLFailure.text(of: bytes)))
            default:
                throw .refused(code: String(SQLITE_MISMATCH), "a column has a value that is neither number nor text")
            }
        }
        return row
    }
}

extension SQLFailure {
    /// What the library said to a call that failed just now.
    fileprivate init(_ code: Int32, of database: OpaquePointer?) {
        // Misuse is told by the call's own answer alone.
        let exact = database.map { sqlite3_extended_errcode($0) } ?? SQLITE_OK
        let code = exact == SQLITE_OK ? code : exact
        let message = String(cString: database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        let system = database.map { sqlite3_system_errno($0) } ?? 0
        // A primary code stands in the low byte, what it is more exactly above it.
        self =
            switch (code & 0xff, code >> 8) {
            case (SQLITE_BUSY, _), (SQLITE_LOCKED, _): .conflicting(message)
            // A primary key, a unique column, and a row's own number, that another one has.
            case (SQLITE_CONSTRAINT, 6), (SQLITE_CONSTRAINT, 8), (SQLITE_CONSTRAINT, 10): .taken(message)
            case (SQLITE_FULL, _): .full(message)
            // The file is not where it was opened.
            case (SQLITE_READONLY, 4): .lost(message)
            case (SQLITE_READONLY, _): .readOnly(message)
            case (SQLITE_PERM, _), (SQLITE_AUTH, _): .notPermitted(message)
            case (SQLITE_CANTOPEN, _), (SQLITE_IOERR, _):
                switch system {
                case ENOSPC, EDQUOT: .full(message)
                case EACCES, EPERM: .notPermitted(message)
                case EROFS: .readOnly(message)
                default: .lost(message)
                }
            case (SQLITE_INTERRUPT, _): .slow(message)
            default: .refused(code: String(code), message)
            }
    }
}
#endif
