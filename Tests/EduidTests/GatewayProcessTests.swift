#if SQLite
import Foundation
import TestSupport
import Testing

/// Parties without a process of their own, which a web server starts for each request.
@Suite("Command line: parties by CGI", .proves("CGI-5"), .serialized)
struct GatewayProcessTests {
    private let folder: URL

    init() throws {
        folder = URL(filePath: "/tmp/eduid-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs the program, in an environment of its own where one is given.
    private func run(_ words: [String], _ environment: [String: String]? = nil) throws -> Run {
        let (process, stdout, stderr) = (Process(), Pipe(), Pipe())
        process.executableURL = ProcessTests.program
        process.arguments = words
        process.currentDirectoryURL = folder
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    private func run(_ words: String...) throws -> Run { try run(words) }

    /// Asks as a web server does, with words of a client's on the command line.
    private func ask(_ path: String, _ words: [String] = [], of party: String? = "moodle") throws -> Run {
        var environment = [
            "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1", "REQUEST_METHOD": "GET",
            "REQUEST_URI": path, "HTTP_HOST": "moodle.example.edu",
        ]
        if let party { environment["EDUID_FOLDER"] = folder.appending(path: party).path }
        return try run(words, environment)
    }

    private func makeService(listening place: String = "cgi") throws {
        let made = try run(
            "init", "moodle", "--role", "service", "--issuer", "https://moodle.example.edu", "--edu-id",
            "https://eduid.example.ch", "--name", "Moodle", "--protocol", "org.moodle.mobile=api", "--listen", place)
        try #require(made.status == 0, "\(made.errors)")
    }

    private func change(_ found: String, _ written: String) throws {
        let file = folder.appending(path: "moodle/eduid.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try #require(text.contains(found), "\(found)")
        try text.replacingOccurrences(of: found, with: written).write(to: file, atomically: false, encoding: .utf8)
    }

    @Test("A request is answered, whatever a client has the web server put on the command line")
    func answered() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        for words in [[], ["--version"], ["admin", "user", "list", "moodle"], ["init", "other"]] {
            let answer = try ask("/oauth/jwks", words)
            #expect(answer.status == 0 && answer.errors.isEmpty, "\(words): \(answer.errors)")
            #expect(answer.output.hasPrefix("Status: 200 OK\r\nContent-Type: application/json\r\n"), "\(words)")
            #expect(answer.output.contains("\r\n\r\n{\"keys\":["), "\(words): \(answer.output)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["moodle"])
        #expect(try ask("/nowhere").output.hasPrefix("Status: 404 "))
    }

    @Test("Between two processes, what was stored lives in the store alone") func lasting() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        #expect(try run("admin", "app", "lock", "moodle", "com.example.reader", "--reason", "lost").status == 0)
        #expect(try run("admin", "app", "list", "moodle", "--locked").output.contains("com.example.reader"))
        #expect(try run("admin", "status", "moodle").output.contains("The party answers."))
        let due = try run("admin", "run", "moodle", "due")
        #expect(due.status == 0 && due.output == "due is done.\n", "\(due.errors)")
        let copied = try run("admin", "backup", "moodle", "copy")
        #expect(copied.output.hasPrefix("1 records are in 'copy'."), "\(copied.output)\(copied.errors)")
        let full = try run("admin", "restore", "moodle", "copy")
        #expect(full.status == 1 && full.errors.contains("there are records already"), "\(full.errors)")
        let checked = try run("check", "moodle", "--offline")
        #expect(checked.status == 0 && checked.output.contains("starts a process for each request"))
        #expect(!checked.output.contains("timers"), "\(checked.output)")
    }

    @Test("What is wrong is told where web servers write it, and nothing of it to the client")
    func broken() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func expect(_ words: String, of party: String? = "moodle") throws {
            let answer = try ask("/oauth/jwks", of: party)
            #expect(answer.status == 0)
            #expect(answer.errors.contains(words), "\(answer.errors)")
            #expect(answer.output.hasPrefix("Status: 500 "), "\(answer.output)")
            #expect(answer.output.hasSuffix("\r\n\r\nInternal Server Error\n"), "\(answer.output)")
        }
        try makeService()
        try expect("no 'EDUID_FOLDER' names the party", of: nil)
        try expect("cannot read", of: "absent")
        let key = folder.appending(path: "moodle/signing.jwk").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let exposed = try ask("/oauth/jwks")
        #expect(exposed.output.hasPrefix("Status: 500 ") && exposed.errors.contains("run: chmod 600"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try change("store: sqlite:store.sqlite", "store: journal:store")
        try expect("'store' is a journal, which one process has at a time")
        #expect(try run("check", "moodle", "--offline").output.contains("by CGI each request has a process"))
        try change("  cgi: true", "  http: loopback:8080")
        try expect("has to say 'cgi: true'")
        #expect(try run("init", "moodle", "--print", "cgi").errors.contains("has to say 'cgi: true'"))
    }

    @Test("An edu-ID service that asks a program about people needs a process") func logins() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try run(
            "init", "moodle", "--role", "edu-id", "--issuer", "https://eduid.example.ch", "--listen", "cgi")
        try #require(made.status == 0, "\(made.errors)")
        try change("accounts: accounts", "login: {command: /bin/true}")
        let checked = try run("check", "moodle", "--offline")
        #expect(checked.status == 1 && checked.output.contains("'login' needs a process"), "\(checked.output)")
    }

    @Test("What is printed starts the program for the party, and nginx is none that does") func neighbours() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        let program = try run("init", "moodle", "--print", "cgi").output
        let path = folder.appending(path: "moodle").path
        #expect(program.contains("EDUID_FOLDER='\(path)'\n") && program.contains("admin run '\(path)' due\n"))
        #expect(!program.contains("crawl") && !program.contains("$@"))
        for name in ["lighttpd", "apache"] {
            let printed = try run("init", "moodle", "--print", name).output
            #expect(printed.contains("/usr/lib/cgi-bin/moodle.example.edu.cgi"), "\(printed)")
            #expect(!printed.contains("127.0.0.1"), "\(printed)")
        }
        #expect(try run("init", "moodle", "--print", "nginx").errors.contains("nginx starts no programs"))
    }
}
#endif
