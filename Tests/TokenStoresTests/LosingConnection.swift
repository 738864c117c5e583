import Synchronization
import TestSupport
@testable import TokenStores

/// A connection that is lost now and then: before what it was asked for was done, or after that and before the answer.
final class LosingConnection<Connection: SQLConnection>: SQLConnection {
    static var dialect: SQLDialect { Connection.dialect }

    private let connection: Connection
    private let losses: Losses
    private var isLost = false

    init(_ connection: Connection, _ losses: Losses) {
        self.connection = connection
        self.losses = losses
    }

    func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]] {
        if isLost { throw .lost("it was lost before") }
        switch losses.next() {
        case .none: return try connection.perform(statements)
        case .before:
            isLost = true
            throw .lost("before it was done")
        case .after:
            isLost = true
            _ = try connection.perform(statements)
            throw .lost("after it was done")
        }
    }
}

/// When connections are lost.
final class Losses: Sendable {
    enum Moment { case none, before, after }

    private let state: Mutex<(random: SeededGenerator, rate: Int, isOn: Bool, count: Int)>

    /// One call of so many is lost.
    init(seed: UInt64, oneOf rate: Int) { state = Mutex((SeededGenerator(seed: seed), rate, false, 0)) }

    /// How many there were.
    var count: Int { state.withLock { $0.count } }

    func set(_ isOn: Bool) { state.withLock { $0.isOn = isOn } }

    fileprivate func next() -> Moment {
        state.withLock { state in
            guard state.isOn, Int.random(in: 0..<state.rate, using: &state.random) == 0 else { return .none }
            state.count += 1
            return Bool.random(using: &state.random) ? .before : .after
        }
    }
}

/// A connection whose calls are counted.
final class CountingConnection<Connection: SQLConnection>: SQLConnection {
    static var dialect: SQLDialect { Connection.dialect }

    private let connection: Connection
    private let counter: CallCounter

    init(_ connection: Connection, _ counter: CallCounter) {
        self.connection = connection
        self.counter = counter
    }

    func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]] {
        counter.calls.withLock { $0 += 1 }
        return try connection.perform(statements)
    }
}

/// How often connections were asked for something.
final class CallCounter: Sendable { let calls = Mutex(0) }

/// A connection whose calls are written down.
final class LoggingConnection<Connection: SQLConnection>: SQLConnection {
    static var dialect: SQLDialect { Connection.dialect }

    private let connection: Connection
    private let log: StatementLog

    init(_ connection: Connection, _ log: StatementLog) {
        self.connection = connection
        self.log = log
    }

    func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]] {
        log.calls.withLock { $0.append(statements) }
        return try connection.perform(statements)
    }
}

/// What connections were asked for.
final class StatementLog: Sendable { let calls = Mutex<[[SQLStatement]]>([]) }

/// Something that is so or not.
final class Flag: Sendable { let value = Mutex(false) }
