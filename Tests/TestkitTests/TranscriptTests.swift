import Foundation
import Testing

/// The tool as another team meets it: a process, its arguments, its streams and its exit status.
@Suite("Testkit protocol: the command")
struct TranscriptTests {
    private struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    /// The tool lies beside the test bundle that the package manager built.
    private static let tool: URL? = {
        let candidates =
            [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
            .compactMap { $0 } + CommandLine.arguments.map { URL(filePath: $0).deletingLastPathComponent() }
        return candidates.map { $0.appending(path: "eduid-testkit") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }()

    private func run(_ arguments: [String], input: [UInt8] = []) throws -> Run {
        let process = Process()
        let tool: URL = try #require(Self.tool, "the product eduid-testkit lies not beside the tests")
        process.executableURL = tool
        process.arguments = arguments
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input))
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    @Test("answers come line by line, in order, whatever the lines hold") func lines() throws {
        let input =
            Array(#"{"id":"1","text":"AA"}"#.utf8) + [0x0a, 0xff, 0xfe, 0x0a, 0x0a]
            + Array(#"{"id":"2","text":"A"}"#.utf8)
        let run = try run(["b64url-decode"], input: input)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(run.status == 0)
        #expect(lines.count == 5)
        #expect(lines.first == #"{"ok":true,"hex":"00"}"#)
        #expect(lines[1].hasPrefix(#"{"error":"#))
        #expect(lines[2].hasPrefix(#"{"error":"#))
        #expect(lines[3] == "false")
    }

    @Test("no input, no answer") func empty() throws {
        let run = try run(["hash"])
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
    }

    @Test("an unknown operation answers each line") func unknownOperation() throws {
        let run = try run(["no-such-op"], input: Array("{}\n{}\n".utf8))
        #expect(run.status == 0)
        #expect(run.output == "{\"unsupported\":true}\n{\"unsupported\":true}\n")
    }

    @Test("--ops lists what is served, --help explains") func listing() throws {
        let operations = try run(["--ops"])
        #expect(operations.status == 0)
        #expect(operations.output.split(separator: "\n").contains("hash-monte"))
        let help = try run(["--help"])
        #expect(help.status == 0)
        #expect(help.output.hasPrefix("USAGE: eduid-testkit"))
        #expect(help.errors.isEmpty)
    }

    @Test("--storm is repeatable and counts what it threw") func storm() throws {
        let run = try run(["--storm", "20", "7"])
        #expect(run.status == 0)
        #expect(run.output.hasSuffix(" inputs, no trap\n"))
        #expect(try self.run(["--storm", "20", "7"]).output == run.output)
    }

    @Test(
        "usage errors go to standard error with status 64",
        arguments: [[], ["hash", "hmac"], ["--no-such-option"], [""], ["--storm"], ["--storm", "0"]])
    func usage(arguments: [String]) throws {
        let run = try run(arguments)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("Error: "))
    }
}
