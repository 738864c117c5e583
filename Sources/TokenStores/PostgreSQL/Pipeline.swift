#if PostgreSQL
internal import CPostgreSQL

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Statements that go to the server together, and the answers to them: one round trip.
struct Pipeline {
    /// The rows of the statements that were performed.
    private(set) var rows: [[SQLRow]] = []
    /// What the first statement that failed failed with.
    private(set) var failure: SQLFailure?
    /// The names of statements that the server prepared meanwhile, by their texts.
    private(set) var prepared: [String: String] = [:]

    /// What an answer is expected to.
    private enum Request {
        case preparation(text: String, name: String)
        case statement(isCommit: Bool)
    }

    private let connection: OpaquePointer
    private let statements: [(text: String, parameters: Parameters)]
    private let warning: UnsafeMutablePointer<Bool>
    private let patience: Duration
    private let mayCommit: Bool
    private var requests: [Request] = []
    private var deadline: ContinuousClock.Instant
    private var isOverdue = false

    /// Statements to be performed; nothing is sent yet.
    init(
        _ statements: [SQLStatement], on connection: OpaquePointer, warning: UnsafeMutablePointer<Bool>,
        patience: Duration
    ) throws(SQLFailure) {
        self.connection = connection
        self.warning = warning
        self.patience = patience
        self.statements = try statements.map { statement throws(SQLFailure) in
            (statement.text, try Parameters(statement.parameters))
        }
        let isInTransaction =
            PQtransactionStatus(connection) != PQTRANS_IDLE || statements.first?.text.hasPrefix("BEGIN") == true
        mayCommit = !isInTransaction || statements.contains { $0.text == "COMMIT" }
        deadline = ContinuousClock.now + patience
    }

    /// Values as the library wants them: texts that end with a zero.
    private struct Parameters {
        private var text: [CChar] = [0]
        private var starts: [Int?] = []

        init(_ values: [SQLValue]) throws(SQLFailure) {
            for value in values {
                switch value {
                case .null: starts.append(nil)
                case .integer(let number): starts.append(text.append(terminated: String(number)))
                case .text(let words):
                    guard !words.utf8.contains(0) else {
                        throw .refused(code: "22021", "a text with a zero byte cannot be stored")
                    }
                    starts.append(text.append(terminated: words))
                }
            }
        }

        func send<Answer>(_ call: (Int32, [UnsafePointer<CChar>?]) -> Answer) -> Answer {
            text.withUnsafeBufferPointer { text in
                call(
                    Int32(clamping: starts.count),
                    starts.map { start in
                        guard let start, let first = text.baseAddress else { return nil }
                        return first + start
                    })
            }
        }
    }
}

// MARK: - Sending

extension Pipeline {
    /// Puts all statements on their way; those that are new to the server are prepared first, if there is room.
    mutating func send(preparing known: [String: String], room: Int) throws(SQLFailure) {
        var names = known
        for (text, parameters) in statements {
            if names[text] == nil, names.count - known.count < room {
                let name = "s\(names.count)"
                try check(PQsendPrepare(connection, name, text, 0, nil))
                requests.append(.preparation(text: text, name: name))
                names[text] = name
            }
            let sent =
                if let name = names[text] {
                    parameters.send { PQsendQueryPrepared(connection, name, $0, $1, nil, nil, 0) }
                } else {
                    parameters.send { PQsendQueryParams(connection, text, $0, nil, $1, nil, nil, 0) }
                }
            try check(sent)
            requests.append(.statement(isCommit: text == "COMMIT"))
        }
        try check(PQpipelineSync(connection))
    }

    private func check(_ result: Int32) throws(SQLFailure) {
        guard result == 1 else { throw .lost(SQLFailure.message(of: connection)) }
    }
}

// MARK: - Receiving

extension Pipeline {
    /// Takes the answers to all that was sent, up to the point where both sides agree again.
    mutating func receive() throws(SQLFailure) {
        for request in requests {
            warning.pointee = false
            while let result = try next() {
                defer { PQclear(result) }
                take(result, to: request)
            }
            if case .statement(true) = request { checkCommit() }
        }
        while true {
            guard let result = try next() else {
                guard PQstatus(connection) == CONNECTION_OK else { break }
                continue
            }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
            failure = failure ?? SQLFailure(result, on: connection)
        }
        // Without a transaction of their own, statements are committed only here.
        if PQtransactionStatus(connection) == PQTRANS_IDLE { checkCommit() }
        guard PQstatus(connection) == CONNECTION_OK else {
            throw failure ?? .lost(SQLFailure.message(of: connection))
        }
    }

    private mutating func take(_ result: OpaquePointer, to request: Request) {
        switch (PQresultStatus(result), request) {
        case (PGRES_COMMAND_OK, .preparation(let text, let name)): prepared[text] = name
        case (PGRES_TUPLES_OK, .statement):
            do throws(SQLFailure) { rows.append(try Self.rows(of: result)) } catch { failure = failure ?? error }
        case (PGRES_COMMAND_OK, .statement(let isCommit)):
            // A transaction in which something failed is rolled back by its commit, without a failure.
            if isCommit, PQcmdStatus(result).map({ String(cString: $0) }) == "ROLLBACK" {
                failure = failure ?? .refused(code: "25P02", "a transaction that failed cannot be committed")
            }
            rows.append([])
        case (PGRES_PIPELINE_ABORTED, _): break
        default: failure = failure ?? SQLFailure(result, on: connection)
        }
    }

    /// Whether a commit was completed here, but its replica not waited for: it may be lost with this server.
    private mutating func checkCommit() {
        guard warning.pointee else { return }
        failure = failure ?? .lost("the commit may not have reached the replica")
    }

    private static func rows(of result: OpaquePointer) throws(SQLFailure) -> [SQLRow] {
        let columns = PQnfields(result)
        let isNumber = (0..<columns).map { [20, 21, 23].contains(PQftype(result, $0)) }
        var rows: [SQLRow] = []
        rows.reserveCapacity(Int(PQntuples(result)))
        for number in 0..<PQntuples(result) {
            var row: SQLRow = []
            for column in 0..<columns {
                guard PQgetisnull(result, number, column) == 0, let start = PQgetvalue(result, number, column) else {
                    row.append(.null)
                    continue
                }
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, number, column)))
                let text = try bytes.withMemoryRebound(to: UInt8.self) { bytes throws(SQLFailure) in
                    try SQLFailure.text(of: bytes)
                }
                row.append(isNumber[Int(column)] ? Int64(text).map { .integer($0) } ?? .text(text) : .text(text))
            }
            rows.append(row)
        }
        return rows
    }

    /// The next answer, or none where those to a request end.
    private mutating func next() throws(SQLFailure) -> OpaquePointer? {
        while true {
            let left = PQflush(connection)
            if PQisBusy(connection) == 0 { return PQgetResult(connection) }
            guard left >= 0 else { throw .lost(SQLFailure.message(of: connection)) }
            try wait(forWriting: left == 1)
            guard PQconsumeInput(connection) == 1 else { throw .lost(SQLFailure.message(of: connection)) }
        }
    }

    /// Waits until the server says something, or takes more where there is more for it.
    private mutating func wait(forWriting isWriting: Bool) throws(SQLFailure) {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else {
                try hurry()
                continue
            }
            var place = pollfd(
                fd: PQsocket(connection), events: Int16(isWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
            if poll(&place, 1, left.milliseconds) > 0 { return }
        }
    }

    /// What is done once the patience is at its end: the server is asked to stop, and has a second to say that it did.
    ///
    /// A commit is left alone: were its wait for the replica stopped, others would see what may yet be lost.
    private mutating func hurry() throws(SQLFailure) {
        guard !isOverdue else { throw .lost("the database did not answer within \(patience)") }
        isOverdue = true
        deadline = ContinuousClock.now + .seconds(1)
        guard !mayCommit, let handle = PQgetCancel(connection) else { return }
        defer { PQfreeCancel(handle) }
        var words = [CChar](repeating: 0, count: 256)
        _ = PQcancel(handle, &words, Int32(words.count))
    }
}
#endif
