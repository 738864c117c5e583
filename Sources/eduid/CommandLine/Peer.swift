import Foundation
import Wire

/// Another implementation: a command that reads a line and writes a line, by the testkit protocol.
final class Peer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer: [UInt8] = []

    /// The longest answer that is read.
    private static let answerLimit = 16 << 20

    /// Starts a command of the shell with the name of the operation behind it.
    init(_ command: String) throws(Failure) {
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command + " vector"]
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { throw .refused("cannot start '\(command)'") }
    }

    /// Sends one line and waits for the answer to it.
    func answer(to question: JSON) throws(Failure) -> JSON {
        let line = Array((question.encodedString() + "\n").utf8)
        do { try input.fileHandleForWriting.write(contentsOf: line) } catch {
            throw .refused("the command ended before its input did")
        }
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let bytes = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                do throws(JSON.Rejection) { return try JSON(parsing: bytes) } catch {
                    return ["error": .string("no JSON: \(error)")]
                }
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw .refused("the command ended before its input did") }
            buffer += more
            guard buffer.count <= Self.answerLimit else {
                throw .refused("the command's answer has more than \(Self.answerLimit) bytes")
            }
        }
    }

    /// Tells the command that there is nothing more.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
