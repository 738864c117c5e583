import Foundation
import JOSE
import VectorCatalogue
import Wire

// Options that several commands share, and what their values mean.

extension Option {
    static let output = Option(
        name: "output", value: "format", abstract: "What the answer is written for.", kind: .choice(["text", "json"]),
        fallback: "text")
    static let out = Option(
        name: "out", short: "o", value: "file", abstract: "Write to a new file instead of standard output.",
        kind: .destination)
    static let force = Option(name: "force", abstract: "Replace the file if it exists.")
    static let at = Option(
        name: "at", value: "time",
        abstract: "The time to judge by: seconds since 1970, or as in 2027-01-31T12:00:00Z (default: now).")
}

extension Invocation {
    /// Whether the answer is for programs.
    var isForPrograms: Bool { self[.output]?.spells("json") ?? false }

    /// The time to judge by.
    func time(on console: Console) throws(Failure) -> Timestamp {
        try time(of: .at, on: console)
    }

    /// The time that an option says, or else the time that it is.
    func time(of option: Option, on console: Console) throws(Failure) -> Timestamp {
        guard let text = self[option] else { return console.now }
        if let time = try? Timestamp(parsing: text) { return time }
        // Beyond the year 9999 nothing has this form, so that the seconds fit.
        if let date = try? Date(text, strategy: .iso8601) {
            return Timestamp(seconds: Int64(date.timeIntervalSince1970))
        }
        throw Self.invalid(text, option, "expected seconds since 1970, or a time such as 2027-01-31T12:00:00Z")
    }

    /// The value of an option as whole seconds.
    func seconds(_ option: Option) throws(Failure) -> Duration? {
        guard let text = self[option] else { return nil }
        // More seconds than a thousand years have are a slip of the keyboard.
        guard let seconds = Int64(text), 0...31_556_952_000 ~= seconds else {
            throw Self.invalid(text, option, "expected a number of seconds")
        }
        return .seconds(seconds)
    }

    /// The value of an option as a name.
    func identifier<Kind>(_ option: Option, _ text: String) throws(Failure) -> Identifier<Kind> {
        try wrapping(
            { (error: SyntaxError) in Self.invalid(text, option, error.description) }, try Identifier(parsing: text))
    }

    /// Writes a document to where the options say.
    func deliver(_ bytes: [UInt8], _ protection: Console.Protection, to console: inout Console) throws(Failure) {
        if let path = self[.out], !path.spells("-") {
            try console.store(bytes, path, protection, has(.force))
        } else if has(.force) {
            throw .misuse("'--force' goes with '--out <file>'")
        } else {
            console.write(bytes)
        }
    }
}

extension Failure {
    /// A refusal with the clause behind it.
    static func refused(_ what: String, _ reason: some CustomStringConvertible, _ clause: String) -> Failure {
        // Some modules name the clause in their descriptions already.
        let text = reason.description
        return .refused(text.contains("(\(clause))") ? "\(what): \(text)" : "\(what): \(text) (\(clause))")
    }

    /// What comes of a call, or the refusal that tells what failed, why, and by which clause.
    static func refusing<Value>(
        _ what: @autoclosure () -> String, _ call: @autoclosure () throws -> Value
    ) throws(Failure) -> Value {
        do { return try call() } catch { throw .refused(what(), "\(error)", Reference.clause(of: error)) }
    }
}
