import Foundation
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

@testable import eduid

/// The recipe for Linux at work: the edu-ID app and a third-party app as two processes, with a local socket between
/// them.
@Suite("Command line: two apps on a device", .serialized)
final class DeviceTests {
    private let folder: URL
    private let serving: Process
    private let input = Pipe()
    private let lines: Lines

    /// What a process says, line by line.
    private final class Lines: Sendable {
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

        /// Waits until so many lines were said; half a minute at most.
        func wait(for count: Int) -> [String] {
            for _ in 0..<3_000 where all.count < count { usleep(10_000) }
            return all
        }
    }

    private static func program() throws -> URL {
        try #require(ProcessTests.program, "the product eduid lies not beside the tests")
    }

    /// The edu-ID app as a process that says what it does.
    private static func serve(
        in folder: URL, _ words: [String], _ input: Pipe
    ) throws -> (process: Process, lines: Lines) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = try program()
        process.arguments =
            ["device", "serve", "apps", "--app", "com.example.reader=public.jwk", "--seed", "17"] + words
        process.currentDirectoryURL = folder
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        let lines = Lines(output)
        try process.run()
        return (process, lines)
    }

    /// A key for Reader, whose public half the edu-ID app knows.
    init() throws {
        // Paths of sockets are short.
        folder = URL(filePath: "/tmp/eduid-\(UInt32.random(in: 0...(.max)))")
        let apps = folder.appending(path: "apps")
        try FileManager.default.createDirectory(at: apps, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: apps.path)
        signal(SIGPIPE, SIG_IGN)
        for words in [["generate", "-o", "reader.jwk"], ["public", "reader.jwk", "-o", "public.jwk"]] {
            let made = try Self.run(["key"] + words, in: folder)
            try #require(made.status == 0, "\(made.output)")
        }
        (serving, lines) = try Self.serve(in: folder, [], input)
        let first = try #require(lines.wait(for: 1).first)
        try #require(first == "The edu-ID app answers in 'apps'; Ada is signed in.", "\(first)")
    }

    deinit {
        try? input.fileHandleForWriting.close()
        serving.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ words: [String], in folder: URL) throws -> (status: Int32, output: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = try program()
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private func ask(_ words: String...) throws -> (status: Int32, output: String) {
        try Self.run(["device", "ask", "apps"] + words, in: folder)
    }

    private var channel: String { Device.channel(in: folder.appending(path: "apps").path) }

    /// What the edu-ID app answers to these bytes, from this process; empty where it hangs up.
    private func answer(to bytes: [UInt8]) throws -> [UInt8]? {
        let connection = try #require(LocalConnection(to: channel))
        connection.send(bytes, within: .seconds(5))
        return connection.receive(atMost: 1 << 20, within: .seconds(10))
    }

    private func request(of id: String = "com.example.reader") throws -> ProtocolRequest {
        try ProtocolRequest(
            from: ClientID(parsing: "device-7"), of: BundleID(parsing: id), named: AppName(parsing: "Reader"),
            for: [ProtocolName(parsing: "org.ieee.papi")])
    }

    private func signed(_ request: ProtocolRequest) throws -> ProtocolRequest {
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "reader.jwk")))
        var entropy = SystemRandomNumberGenerator()
        return try request.signed(
            with: SigningKey(JWK.Private(parsing: bytes)), at: Device.now, using: &entropy)
    }

    // MARK: granted

    @Test(
        "A request is signed, checked, answered and used, between two processes", .proves("NIF-1"), .proves("NIF-3"),
        .proves("NIF-5"), .proves("NIF-7"))
    func granted() throws {
        let asked = try ask("--key", "reader.jwk", "--state", "state")
        #expect(asked.status == 0, "\(asked.output)")
        #expect(asked.output.contains("University of Alpha <https://alpha.example.ch/>: 200 "))
        #expect(asked.output.contains("University of Beta <https://beta.example.ch/>: 200 "))
        #expect(asked.output.contains(#""app":"com.example.reader","given_name":"Ada""#))
        #expect(
            lines.wait(for: 2).last
                == "Reader (com.example.reader, verified) is granted: University of Alpha, University of Beta")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "state").path)
        #expect(mode[.posixPermissions] as? Int == 0o600)
        // Another process begins with what is kept, and nobody is asked.
        let again = try ask("--key", "reader.jwk", "--state", "state")
        #expect(again.status == 0 && again.output.hasPrefix("2 services are kept\n"), "\(again.output)")
        #expect(lines.all.count == 2)
    }

    @Test(
        "What a federation does not know any more is refused, renewed in vain, and asked for again", .proves("NIF-9"),
        .proves("NIF-12"))
    func askedAgain() throws {
        #expect(try ask("--key", "reader.jwk", "--state", "state", "--single").status == 0)
        // The edu-ID app ends, and with it all that was given; another one begins, with the same names.
        try input.fileHandleForWriting.close()
        serving.waitUntilExit()
        #expect(serving.terminationStatus == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "apps").path).isEmpty)
        let input = Pipe()
        let (process, lines) = try Self.serve(in: folder, [], input)
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        _ = lines.wait(for: 1)
        let again = try ask("--key", "reader.jwk", "--state", "state")
        #expect(again.status == 0, "\(again.output)")
        #expect(again.output.contains("the edu-ID app is asked again\n"), "\(again.output)")
        #expect(again.output.contains("University of Alpha <https://alpha.example.ch/>: 200 "))
    }

    // MARK: refused

    @Test(
        "Whoever is not the app, or asks twice, gets no answer", .proves("threat-47"), .proves("threat-58"))
    func noAnswer() throws {
        // Of an app that is known, without its signature, or with a stranger's.
        #expect(try answer(to: request().encoded()) == [])
        let stranger = try ask("--key", "public.jwk")
        #expect(stranger.status == 1 && stranger.output == "Error: 'public.jwk' has no private key\n")
        #expect(try Self.run(["key", "generate", "-o", "other.jwk"], in: folder).status == 0)
        let forged = try ask("--key", "other.jwk")
        #expect(forged.status == 1 && forged.output == "Error: the authorizing app did not answer (NIF-1)\n")
        // Once is answered, twice is not.
        let request = try signed(request()).encoded()
        let granted = try #require(try answer(to: request))
        #expect(try ProtocolResponse(parsing: granted).documents.count == 2)
        #expect(try answer(to: request) == [])
        for garbage in ["", "{}", "[]", "\u{0}", #"{"client_id":"#] {
            #expect(try answer(to: Array(garbage.utf8)) == [])
        }
        let said = lines.wait(for: 10)
        #expect(said.count == 10 && said.dropFirst().filter { $0.hasPrefix("no answer: ") }.count == 8, "\(said)")
        // And it goes on.
        #expect(try ask("--key", "reader.jwk").status == 0)
    }

    @Test("Whoever hangs up, is silent or talks for ever holds nobody up")
    func unruly() throws {
        // Hangs up at once, and after a word.
        _ = try #require(LocalConnection(to: channel))
        try #require(LocalConnection(to: channel)).send([UInt8(ascii: "{")], within: .seconds(1))
        // Does not wait for the answer.
        let question = try signed(request()).encoded()
        try #require(LocalConnection(to: channel)).send(question, within: .seconds(1))
        // Says more than a request has, without an end: it is hung up on, and cannot even send all of it.
        let endless = [UInt8](repeating: UInt8(ascii: " "), count: 8 << 20)
        let begun = ContinuousClock.now
        let talker = try #require(LocalConnection(to: channel))
        #expect(talker.send(endless, within: .seconds(20)) == false)
        // Says nothing, and does not end.
        let silent = try #require(LocalConnection(to: channel))
        let answer = silent.receive(atMost: 1, within: .seconds(20))
        #expect(answer == [])
        // Says a little all the time: it is the message that has two seconds, not each of its bytes.
        let descriptor = LocalAddress.socket()
        try #require(LocalAddress.with(channel) { connect(descriptor, $0, $1) } == 0)
        var drops = 0
        while drops < 300, write(descriptor, " ", 1) == 1 {
            usleep(100_000)
            drops += 1
        }
        close(descriptor)
        #expect(drops < 300)
        #expect(ContinuousClock.now - begun < .seconds(60))
        #expect(try ask("--key", "reader.jwk").status == 0)
        #expect(lines.wait(for: 8).filter { $0.hasSuffix("too long, or did not end") }.count == 3, "\(lines.all)")
    }

    @Test("A person who declines gives nothing, not even a reason", .proves("APP-1"))
    func declined() throws {
        let input = Pipe()
        let other = folder.appending(path: "other")
        try FileManager.default.createDirectory(
            at: other.appending(path: "apps"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(
            at: folder.appending(path: "public.jwk"), to: other.appending(path: "public.jwk"))
        let (process, lines) = try Self.serve(in: other, ["--decline"], input)
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        _ = lines.wait(for: 1)
        let asked = try Self.run(["device", "ask", "apps", "--key", "../reader.jwk"], in: other)
        #expect(asked.status == 1 && asked.output == "Error: nothing was granted\n", "\(asked.output)")
        #expect(lines.wait(for: 2).last == "Reader (com.example.reader, verified) is granted nothing")
    }

    // MARK: the folder

    @Test("The socket is the user's alone, and nobody takes the place of who listens")
    func places() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: channel)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(LocalListener(at: channel) == nil)
        #expect(try ask("--key", "reader.jwk").status == 0)
        // A folder that others can enter, one that is not there, and a file in the place of the socket.
        let open = folder.appending(path: "open")
        try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: open.path)
        #expect(LocalListener(at: Device.channel(in: open.path)) == nil)
        #expect(LocalListener(at: Device.channel(in: folder.path + "/absent")) == nil)
        let taken = folder.appending(path: "apps/taken").path
        try Data("mine".utf8).write(to: URL(filePath: taken))
        #expect(LocalListener(at: taken) == nil)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
        #expect(LocalListener(at: folder.path + "/apps/" + String(repeating: "a", count: 200)) == nil)
        let refused = try Self.run(["device", "serve", "open"], in: folder)
        #expect(refused.status == 1)
        #expect(
            refused.output
                == "Error: cannot listen in 'open': it has to be a folder of yours alone (mode 700), and unused\n")
        // Nobody listens where nobody is.
        #expect(try Self.run(["device", "ask", "open"], in: folder).output.contains("did not answer"))
    }

    @Test("An answer without an end ends at its bound")
    func endlessAnswers() throws {
        let path = folder.appending(path: "apps/liar").path
        let listener = try #require(LocalListener(at: path))
        Thread.detachNewThread {
            for _ in 0..<200 {
                guard let connection = listener.accept() else {
                    usleep(10_000)
                    continue
                }
                connection.send([UInt8](repeating: 0x20, count: 4 << 20), within: .seconds(5))
            }
        }
        let connection = try #require(LocalConnection(to: path))
        #expect(connection.receive(atMost: LocalMessage.limit, within: .seconds(5)) == nil)
    }

    @Test("A message between the processes is the one that was sent, or none")
    func messages() throws {
        var request = HTTP.Request(.post, .absolute(try WebURL(parsing: "https://alpha.example.ch/oauth/token")))
        try request.fields.append(.authorization, "Bearer a.b.c")
        request.body = Array("grant_type=refresh_token".utf8)
        let bytes = try #require(LocalMessage.encoded(request))
        let received = try #require(LocalMessage.request(bytes))
        #expect(LocalMessage.encoded(received) == bytes && received.body == request.body)
        let response = HTTP.Response(.unauthorized, fields: request.fields, body: [0, 255])
        let answered = try #require(LocalMessage.response(LocalMessage.encoded(response)))
        #expect(answered.status == .unauthorized && answered.body == [0, 255])
        for length in 0..<bytes.count { #expect(LocalMessage.request(Array(bytes.prefix(length))) == nil) }
        for text in [
            "null", "[]", #"{"status":99}"#, #"{"status":200,"fields":[["a"]],"body":""}"#, #"{"status":200}"#,
        ] {
            #expect(LocalMessage.response(Array(text.utf8)) == nil)
        }
    }
}
