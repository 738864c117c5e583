import Foundation
import Synchronization
import Wire

/// How much a line matters to whoever runs a party; the numbers are those of syslog.
enum LogLevel: Int, Comparable, Sendable {
    /// Something is lost or does not work.
    case error = 3
    /// Something should be looked after.
    case warning = 4
    /// The party begins, or reads its folder anew.
    case notice = 5
    /// A request was answered or refused.
    case info = 6
    /// Another party was asked, or a timer did something.
    case debug = 7

    static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }

    /// The levels by the words of configurations.
    static let words: [String: LogLevel] = [
        "error": .error, "warning": .warning, "notice": .notice, "info": .info, "debug": .debug,
    ]
}

/// The lines that a running party writes for whoever runs it, each whole, whichever thread it comes from: about
/// requests to standard output, and what somebody should know to standard error.
final class Lines: Sendable {
    private let most: LogLevel
    /// Where lines about requests go.
    private let output: Int32
    private let turn = Mutex(())
    /// Whether the system's journal reads the lines, which takes the level at the beginning of each.
    private let isForJournal: Bool

    /// - Parameter output: where lines about requests go.
    init(upTo most: LogLevel, output: Int32 = STDOUT_FILENO) {
        (self.most, self.output) = (most, output)
        var status = stat()
        let told = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        isForJournal = fstat(STDERR_FILENO, &status) == 0 && told?.spells("\(status.st_dev):\(status.st_ino)") == true
    }

    /// Writes a line, if lines of its level are written.
    func write(_ line: String, as level: LogLevel) {
        guard level <= most else { return }
        let bytes = Array(((isForJournal ? "<\(level.rawValue)>" : "") + Console.harmless(line) + "\n").utf8)
        let stream = level < .info ? STDERR_FILENO : output
        // Bound: who does not read on is not waited for twice.
        turn.withLock { _ in _ = bytes.withUnsafeBytes { Foundation.write(stream, $0.baseAddress, $0.count) } }
    }
}
