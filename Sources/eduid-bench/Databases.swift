import Dispatch
import Foundation
import Synchronization
import TokenStores
import TokenTree
import Wire

/// What stores on databases commit in a second, beside the same statements without a store.
struct Databases {
    let folder: String
    /// How many records are looked up in.
    let records: Int
    private static let start = Timestamp(seconds: 1_800_000_000)
    private static let writers = 16

    /// `FOLDER [RECORDS]`: where files may be made, and how many records are looked up in.
    init(_ arguments: ArraySlice<String>) throws(UsageError) {
        guard let folder = arguments.first, arguments.count <= 2,
            let records = arguments.count == 2 ? arguments.last.flatMap(Int.init) : 100_000,
            (1_000...10_000_000).contains(records)
        else {
            throw UsageError(
                message: "'databases' takes a folder, and a number of records from 1000 if you like",
                usage: Options.usage)
        }
        self.folder = folder
        self.records = records
    }

    /// Plays it; the exit status.
    func run(_ say: @escaping @Sendable (String) -> Void) -> Int32 {
        exitStatus(say) {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await files(say)
            try await servers(say)
            try await sizes(records, say)
            return true
        }
    }

    /// The same change to a journal, to SQLite by hand, and to a store on SQLite, all on one file system.
    private func files(_ say: (String) -> Void) async throws {
        #if SQLite
        let journal = try JournalStore.open(folder + "/journal")
        let rate = try await self.rate(2_000) { number in _ = try await journal.commit(Self.insertion(number)) }
        await journal.close()
        let connection = try SQLiteConnection(path: folder + "/hand.sqlite")
        _ = try connection.perform([
            SQLStatement(
                "CREATE TABLE record (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, kind TEXT, holder TEXT, issued TEXT)"),
            SQLStatement("CREATE UNIQUE INDEX holder ON record (kind, holder)"),
        ])
        var byHand = (rate: 0.0, writers: 0)
        for writers in [1, 4, 16] {
            let rate = try self.byHand(writers)
            if rate > byHand.rate { byHand = (rate, writers) }
        }
        let store = try SQLStore { [folder] () throws(SQLFailure) in
            try SQLiteConnection(path: folder + "/tree.sqlite")
        }
        let stored = try await self.rate(500) { number in _ = try await store.commit(Self.insertion(number)) }
        await store.close()
        say(
            "journal store, \(Self.writers) writers: \(Int(rate)) durable commits a second, "
                + "\(tenths(rate / byHand.rate)) times SQLite by hand "
                + "(\(Int(byHand.rate)), its best of 1, 4 and 16 writers, with \(byHand.writers))\n"
                + "store on SQLite, \(Self.writers) writers: \(Int(stored)) durable commits a second\n")
        #else
        say("without the trait SQLite, nothing is compared with it\n")
        #endif
    }

    #if SQLite
    /// How many transactions a second threads commit with a connection each.
    private func byHand(_ writers: Int) throws -> Double {
        let failure = Mutex<SQLFailure?>(nil)
        let (count, before) = (480, DispatchTime.now())
        DispatchQueue.concurrentPerform(iterations: writers) { [folder] writer in
            do throws(SQLFailure) {
                let connection = try SQLiteConnection(path: folder + "/hand.sqlite")
                for number in stride(from: writer, to: count, by: writers) {
                    let name = "\(writers)-\(number)"
                    _ = try connection.perform([
                        SQLStatement("BEGIN IMMEDIATE"),
                        SQLStatement(
                            "INSERT INTO record (id, kind, holder, issued) VALUES ($1, $2, $3, $4)",
                            [.text("token-\(name)"), .text("versionKey"), .text("holder-\(name)"), .text("1")]),
                        SQLStatement("COMMIT"),
                    ])
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return Double(count) / (Double(DispatchTime.now().uptimeNanoseconds - before.uptimeNanoseconds) / 1e9)
    }
    #endif

    private static func insertion(_ number: Int) -> Batch {
        Batch(
            at: start,
            [
                .insert(
                    Record(
                        id: TokenID(stringLiteral: "token-\(number)"), kind: .versionKey, parent: nil, issued: start,
                        holder: Record.Holder(stringLiteral: "holder-\(number)")))
            ])
    }

    /// How many calls a second come back, of so many by sixteen callers of which each waits for its own.
    func rate(_ count: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async throws -> Double {
        let before = DispatchTime.now()
        try await withThrowingTaskGroup { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    for number in stride(from: writer, to: count, by: Self.writers) { try await call(number) }
                }
            }
            try await group.waitForAll()
        }
        return Double(count) / (Double(DispatchTime.now().uptimeNanoseconds - before.uptimeNanoseconds) / 1e9)
    }

    private func tenths(_ value: Double) -> String { String(format: "%.1f", value) }

    // MARK: PostgreSQL

    /// Step (5) as a store on PostgreSQL commits it, and the very same statements by `pgbench`.
    private func servers(_ say: (String) -> Void) async throws {
        #if PostgreSQL
        guard let servers = ProcessInfo.processInfo.environment["EDUID_TEST_POSTGRESQL"] else {
            return say("without EDUID_TEST_POSTGRESQL, no server is asked\n")
        }
        let log = Log()
        let space = "bench\(UInt32.random(in: .min ... .max))"
        let store = try SQLStore(space: space, connections: Self.writers) { () throws(SQLFailure) in
            Recorder(try PostgreSQLConnection(servers), log)
        }
        let count = 6_000
        for first in stride(from: 0, to: count, by: 500) {
            let assertions = (first..<first + 500).map { number in
                Change.insert(
                    Record(
                        id: TokenID(stringLiteral: "assertion-\(Self.word(number))"), kind: .assertion, parent: "key",
                        issued: Self.start, subject: Record.Subject(stringLiteral: "user-\(Self.word(number))"),
                        accessExpiry: Self.start + .seconds(300)))
            }
            let key = Change.insert(Record(id: "key", kind: .versionKey, parent: nil, issued: Self.start))
            _ = try await store.commit(Batch(at: Self.start, (first == 0 ? [key] : []) + assertions))
        }
        log.statements.withLock { $0 = [] }
        _ = try await store.commit(Self.redemption(0))
        let statements = log.statements.withLock { $0 }
        // In tables that are all but empty, everybody is in everybody's way.
        _ = try await self.rate(1_984) { _ = try await store.commit(Self.redemption($0 + 16)) }
        let rate = try await self.rate(2_000) { _ = try await store.commit(Self.redemption($0 + 2_000)) }
        await store.close()
        let script = folder + "/redeem.sql"
        try Self.script(statements, from: 4_000).write(toFile: script, atomically: true, encoding: .utf8)
        let output = try Self.output(
            of: "pgbench",
            ["-n", "-M", "prepared", "-f", script, "-c", "16", "-j", "2", "-t", "120", "-D", "n=0", servers])
        guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("tps = ") }),
            let byHand = Double(line.dropFirst(6).prefix { $0 != " " })
        else {
            return say("store on PostgreSQL: \(Int(rate)) redemptions a second; pgbench says \(output)\n")
        }
        say(
            "store on PostgreSQL, \(Self.writers) writers: \(Int(rate)) redemptions a second, "
                + "\(tenths(rate / byHand)) times the \(Int(byHand)) of pgbench with the same \(statements.count) "
                + "statements\n")
        #else
        say("without the trait PostgreSQL, nothing is compared with it\n")
        #endif
    }

    /// Names lie anywhere in the order of all names, as random ones do.
    private static func word(_ number: Int) -> Int { number * 2_654_435_761 % 4_294_967_296 }

    /// The service redeems an assertion once, and gives a grant for it.
    private static func redemption(_ number: Int) -> Batch {
        let assertion = TokenID(stringLiteral: "assertion-\(Self.word(number))")
        let grant = Record(
            id: TokenID(stringLiteral: "service-\(Self.word(number))"), kind: .service, parent: assertion,
            issued: start,
            holder: Record.Holder(stringLiteral: "instance-\(Self.word(number))"),
            subject: Record.Subject(stringLiteral: "user-\(Self.word(number))"), accessExpiry: start + .seconds(600),
            refresh: Record.Refresh(
                generation: 0, hash: Fingerprint(of: [1]), salt: Fingerprint(of: [2]), rotated: nil))
        return Batch(
            at: start,
            [
                .remember(ReplayKey("proof", "instance-\(Self.word(number))", "one"), until: start + .seconds(120)),
                .consume(assertion), .insert(grant),
            ])
    }

    /// Statements as `pgbench` has them: what bears the number of the redemption does so there.
    private static func script(_ statements: [SQLStatement], from first: Int) -> String {
        var text =
            "\\set n :n + 1\n\\set m \(first) + :client_id * 120 + :n - 1\n"
            + "\\set w (:m * 2654435761) % 4294967296\n"
        for statement in statements {
            var line = statement.text.split(separator: "\n").joined(separator: " ")
            for (place, value) in statement.parameters.enumerated().reversed() {
                line = line.replacingOccurrences(of: "$\(place + 1)", with: literal(value))
            }
            text += line + ";\n"
        }
        return text
    }

    private static func literal(_ value: SQLValue) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let number): return "\(number)"
        case .text(let text):
            guard text.hasSuffix("-0") else {
                // A key that is remembered, or a writer's name: no two transactions may have the same.
                let isOwn = text.count == 22 || text.contains("/")
                return isOwn ? "('\(text)' || CAST(:w AS TEXT))" : "'\(text)'"
            }
            return "('\(text.dropLast())' || CAST(:w AS TEXT))"
        }
    }

    private static func output(of program: String, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

/// The statements that went through a connection.
private final class Log: Sendable { let statements = Mutex<[SQLStatement]>([]) }

/// A connection whose statements are written down.
private final class Recorder<Connection: SQLConnection>: SQLConnection {
    static var dialect: SQLDialect { Connection.dialect }

    private let connection: Connection
    private let log: Log

    init(_ connection: Connection, _ log: Log) {
        self.connection = connection
        self.log = log
    }

    func perform(_ statements: [SQLStatement]) throws(SQLFailure) -> [[SQLRow]] {
        log.statements.withLock { $0 += statements }
        return try connection.perform(statements)
    }
}
