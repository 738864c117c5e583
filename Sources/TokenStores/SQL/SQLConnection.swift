/// A connection to a database that speaks SQL: all that a ``SQLStore`` needs of one.
///
/// One thread uses a connection at a time.
public protocol SQLConnection: AnyObject, SendableMetatype {
    /// What this database says in words of its own.
    static var dialect: SQLDialect { get }

    /// Performs statements in their order, and answers with the rows of each; where a network lies between, in one
    /// round trip.
    ///
    /// When one fails, none after it is performed; a transaction that was open then is rolled back by the next
    /// statement, which is `ROLLBACK`.
    func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]]
}

/// A statement with the values of its parameters, which stand in it as `$1`, `$2` and so on, first in that order.
public struct SQLStatement: Sendable, Hashable {
    /// The statement; one text is prepared once for a connection.
    public let text: String
    /// The values of its parameters.
    public let parameters: [SQLValue]

    /// A statement with values.
    public init(_ text: String, _ parameters: [SQLValue] = []) {
        self.text = text
        self.parameters = parameters
    }
}

/// A value in a row or statement.
public enum SQLValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// A whole number.
    case integer(Int64)
    /// A text, which is compared byte by byte.
    case text(String)
}

/// The values of a row in the order of its columns.
public typealias SQLRow = [SQLValue]

/// Where databases differ.
public struct SQLDialect: Sendable, Hashable {
    /// Begins a transaction that excludes every other one whose result would depend on the order of the two.
    public let beginWriting: String
    /// Begins a transaction that sees one state and changes nothing.
    public let beginReading: String
    /// The type of a primary key that numbers rows in the order in which they are added.
    public let serial: String
    /// The type of texts that are compared byte by byte.
    public let text: String
    /// What ends the definition of a table whose rows change after they were added, so that there is room for that.
    public let changing: String
    /// Asks for the time of the database, in whole seconds since 1970; `nil` where it has none of its own.
    public let time: String?

    /// The words of a database.
    public init(
        beginWriting: String, beginReading: String, serial: String, text: String, changing: String = "",
        time: String? = nil
    ) {
        self.beginWriting = beginWriting
        self.beginReading = beginReading
        self.serial = serial
        self.text = text
        self.changing = changing
        self.time = time
    }
}

/// Why a database did not perform statements.
public enum SQLFailure: Error, Hashable {
    /// Another transaction was in the way, so that nothing of this one remains; it may be tried again.
    case conflicting(String)
    /// There is a row of the same name already; nothing of the transaction remains.
    case taken(String)
    /// The connection is lost or could not be made; what had been asked for last is uncertain.
    case lost(String)
    /// It took longer than the connection allows; nothing of the transaction remains.
    case slow(String)
    /// There is no room for what was to be written; nothing of the transaction remains.
    case full(String)
    /// The database takes no changes.
    case readOnly(String)
    /// The user of the connection may not do that.
    case notPermitted(String)
    /// The database refused for another reason, which it names by a code and in words.
    case refused(code: String, String)
}

extension SQLFailure {
    /// A text that a database gave back.
    static func text(of bytes: UnsafeBufferPointer<UInt8>) throws(SQLFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .refused(code: "utf-8", "a text in the database is not UTF-8; restore a backup")
        }
        return text
    }
}

extension Duration {
    /// As C libraries count time, at least one and at most some weeks.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        let milliseconds = min(max(seconds, 0), 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
        return Int32(clamping: max(milliseconds, 1))
    }
}
