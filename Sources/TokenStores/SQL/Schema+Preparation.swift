internal import TokenTree
internal import Wire

extension Schema {
    /// How often others are made way for who make or change the same tables.
    private static var attempts: Int { 8 }

    /// Makes the tables where they are not there, makes tables of this version of older ones, and refuses later ones.
    ///
    /// All that changes tables is one transaction.
    func prepare<Connection: SQLConnection>(
        _ connect: () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        var attempt = 1
        do throws(SessionFailure) {
            let connection = try Self.asking { () throws(SQLFailure) in try connect() }
            while true {
                do throws(SessionFailure) { return try prepare(over: connection) } catch {
                    _ = try? connection.perform([SQLStatement("ROLLBACK")])
                    // Two processes may make the tables at once, and one of them finds them made.
                    switch error {
                    case .database(.conflicting) where attempt < Self.attempts,
                        .database(.taken) where attempt < Self.attempts:
                        attempt += 1
                    default: throw error
                    }
                }
            }
        } catch {
            switch error {
            case .store(let failure): throw failure
            case .database(let failure): throw StoreFailure(failure, after: attempt)
            }
        }
    }

    private func prepare(over connection: some SQLConnection) throws(SessionFailure) {
        let begin = SQLStatement(type(of: connection).dialect.beginWriting)
        let end = SQLStatement("COMMIT")
        let found = try? connection.perform([question]).first?.first?.first?.integer
        if found == version { return }
        if let found, found > version { throw .store(.later(version: found, known: version)) }
        let made = found == nil ? creation : []
        let answers = try Self.asking { () throws(SQLFailure) in
            try connection.perform([begin] + made + [reservation])
        }
        guard let current = answers.last?.first?.first?.integer, current > 0 else {
            throw .store(.foreignRow("tree", column: 0))
        }
        if current > version { throw .store(.later(version: current, known: version)) }
        // Somebody else may have done it in between.
        let rest = current == version ? [end] : migration(from: current) + [end]
        _ = try Self.asking { () throws(SQLFailure) in try connection.perform(rest) }
    }

    private static func asking<Value>(_ body: () throws(SQLFailure) -> Value) throws(SessionFailure) -> Value {
        do throws(SQLFailure) { return try body() } catch { throw .database(error) }
    }
}

extension StoreFailure {
    /// Refuses tables of another version than the known one.
    static func check(version: Int64, known: Int64) throws(StoreFailure) {
        if version > known { throw .later(version: version, known: known) }
        if version < known { throw .earlier(version: version, known: known) }
    }
}
