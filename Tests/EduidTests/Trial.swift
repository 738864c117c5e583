import Foundation
import Synchronization
import Testing

/// A federation as `eduid up` runs it, in a folder of its own, with its phone and its reader.
final class RunningTrial {
    let folder: URL
    private(set) var serving: Process
    private let port: Int

    /// What a process says, line by line.
    final class Lines: Sendable {
        private let content = Mutex<[String]>([])

        var all: [String] { content.withLock { $0 } }

        init(_ pipe: Pipe) {
            let handle = pipe.fileHandleForReading
            Thread.detachNewThread {
                var rest = ""
                while true {
                    let piece = handle.availableData
                    if piece.isEmpty { break }
                    rest += String(decoding: piece, as: UTF8.self)
                    var lines = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                    rest = lines.removeLast()
                    self.content.withLock { $0 += lines }
                }
            }
        }

        /// Waits until so many lines were said; a minute at most.
        func wait(for count: Int) -> [String] {
            for _ in 0..<6_000 where all.count < count { usleep(10_000) }
            return all
        }

        /// Waits until a line was said that has these words; a minute at most.
        func waits(for words: String) -> Bool {
            for _ in 0..<6_000 {
                if all.contains(where: { $0.contains(words) }) { return true }
                usleep(10_000)
            }
            return false
        }
    }

    private let words: [String]

    /// Begins at ports that are free, with options of the command.
    init(_ words: String...) throws {
        self.words = words
        signal(SIGPIPE, SIG_IGN)
        // Paths of sockets are short.
        folder = URL(filePath: "/tmp/eduid-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for _ in 0..<20 {
            let port = 20_000 + 5 * Int.random(in: 0..<6_000)
            let (process, lines) = try Self.start(["up", "--port", "\(port)"] + words, in: folder)
            if lines.waits(for: "Ctrl-C ends") {
                (serving, self.port) = (process, port)
                return
            }
            process.terminate()
            process.waitUntilExit()
            try? FileManager.default.removeItem(at: folder.appending(path: ".eduid"))
        }
        throw CocoaError(.executableLoad)
    }

    deinit {
        end()
        try? FileManager.default.removeItem(at: folder)
    }

    var state: URL { folder.appending(path: ".eduid") }

    func url(of offset: Int) -> String { "http://localhost:\(port + offset)/" }

    /// Ends the federation as a signal does that cannot be caught.
    func kill() {
        Foundation.kill(serving.processIdentifier, SIGKILL)
        serving.waitUntilExit()
    }

    /// Ends the federation as somebody at the terminal does; the exit status.
    @discardableResult
    func end() -> Int32 {
        if serving.isRunning { serving.interrupt() }
        serving.waitUntilExit()
        return serving.terminationStatus
    }

    /// Begins again where it was.
    func begin() throws {
        let (process, lines) = try Self.start(["up", "--port", "\(port)"] + words, in: folder)
        serving = process
        try #require(lines.waits(for: "Ctrl-C ends"), "\(lines.all)")
    }

    /// The password of a person.
    func password(of name: String) throws -> String {
        let text = try String(contentsOf: state.appending(path: "people"), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
        return String(line.dropFirst(name.count + 1))
    }

    private static func program() throws -> URL {
        try #require(ProcessTests.program, "the product eduid lies not beside the tests")
    }

    /// What came of a command that ends by itself, with all that it said.
    static func finished(_ words: [String], in folder: URL) throws -> (status: Int32, output: String) {
        let (process, lines) = try start(words, in: folder)
        process.waitUntilExit()
        // The last line may still be on its way.
        usleep(50_000)
        return (process.terminationStatus, lines.all.joined(separator: "\n"))
    }

    /// Starts the program, which says what it does.
    static func start(_ words: [String], in folder: URL) throws -> (process: Process, lines: Lines) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = try program()
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let lines = Lines(output)
        try process.run()
        return (process, lines)
    }

    /// Starts the phone's extension.
    func answering(_ words: String...) throws -> (process: Process, lines: Lines) {
        let (process, lines) = try Self.start(["phone", "answer"] + words, in: folder)
        try #require(lines.waits(for: "Waiting for apps"), "\(lines.all)")
        return (process, lines)
    }

    /// Runs the program to its end.
    @discardableResult
    func run(_ words: String..., input: String = "") throws -> (status: Int32, output: String) {
        try run(words, input: input)
    }

    /// The same for words that were split before.
    func run(_ words: [String], input: String) throws -> (status: Int32, output: String) {
        let (process, output, typed) = (Process(), Pipe(), Pipe())
        process.executableURL = try Self.program()
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardInput = typed
        process.standardOutput = output
        process.standardError = output
        try process.run()
        typed.fileHandleForWriting.write(Data(input.utf8))
        try typed.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    /// Signs a person in at the phone.
    func signIn(_ name: String = "ada") throws {
        let done = try run("phone", "sign-in", name, input: try password(of: name) + "\n")
        try #require(done.status == 0, "\(done.output)")
    }
}
