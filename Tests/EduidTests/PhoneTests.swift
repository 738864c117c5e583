import Foundation
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@testable import eduid

/// A federation, an edu-ID app and a third-party app at work as processes: over HTTP between machines, and over a local
/// socket between apps.
@Suite("Command line: a federation, a phone and a reader", .serialized)
struct PhoneTests {
    private let trial: RunningTrial

    init() throws {
        trial = try RunningTrial()
        try trial.signIn()
    }

    private func request(of id: String = "com.example.reader") throws -> ProtocolRequest {
        try ProtocolRequest(
            from: ClientID(parsing: "device-7"), of: BundleID(parsing: id), named: AppName(parsing: "Reader"),
            for: [ProtocolName(parsing: "org.example.reading")])
    }

    private func signed(_ request: ProtocolRequest) throws -> ProtocolRequest {
        let bytes = [UInt8](try Data(contentsOf: trial.state.appending(path: "reader/key.jwk")))
        var entropy = SystemRandomNumberGenerator()
        return try request.signed(
            with: SigningKey(JWK.Private(parsing: bytes)), at: systemTime(), using: &entropy)
    }

    private var channel: String { trial.state.appending(path: "phone/edu-id-app").path }

    /// What the edu-ID app answers to these bytes, from this process; empty where it hangs up.
    private func answer(to bytes: [UInt8]) throws -> [UInt8]? {
        let connection = try #require(LocalConnection(to: channel))
        connection.send(bytes, within: .seconds(5))
        return connection.receive(atMost: 1 << 20, within: .seconds(10))
    }

    // MARK: granted

    @Test(
        "What a person grants opens services, stays over a restart, and ends when the person ends it", .proves("NIF-1"),
        .proves("NIF-3"), .proves("NIF-5"), .proves("NIF-7"), .proves("STO-1"), .proves("TOK-6"))
    func story() throws {
        // Nobody waits for apps: the reader starts the phone's extension, and Return is pressed.
        let asked = try trial.run("reader", "authorize", input: "\n")
        #expect(asked.status == 0, "\(asked.output)")
        #expect(asked.output.contains("Reader (com.example.reader, verified) asks for org.example.reading."))
        #expect(asked.output.contains("granted: University of Beta <\(trial.url(of: 2))>"))
        let used = try trial.run("reader", "use")
        #expect(used.status == 0, "\(used.output)")
        #expect(used.output.contains("University of Alpha <\(trial.url(of: 1))>: 200 "))
        #expect(used.output.contains(#""reader":"Ada","app":"com.example.reader""#))
        // Every party ends without notice, and goes on where it was.
        trial.kill()
        let lonely = try trial.run("reader", "use")
        #expect(lonely.status == 1 && lonely.output.contains("no answer"), "\(lonely.output)")
        try trial.begin()
        #expect(try trial.run("reader", "use").status == 0)
        // One app at one service, and then everything.
        let ended = try trial.run("phone", "end", "app", "com.example.reader", trial.url(of: 1))
        #expect(ended.status == 0, "\(ended.output)")
        let rest = try trial.run("reader", "use")
        #expect(rest.status == 1, "\(rest.output)")
        #expect(rest.output.contains("University of Beta <\(trial.url(of: 2))>: 200 "), "\(rest.output)")
        #expect(!rest.output.contains("University of Alpha <\(trial.url(of: 1))>: 200 "), "\(rest.output)")
        #expect(try trial.run("phone", "sign-out").status == 0)
        // The edu-ID service tells the services within a second or two.
        var last = ""
        for _ in 0..<60 {
            last = try trial.run("reader", "use").output
            if !last.contains(": 200 ") { break }
            usleep(500_000)
        }
        #expect(!last.contains(": 200 ") && last.contains("eduid reader authorize"), "\(last)")
        #expect(trial.end() == 0)
    }

    @Test("What is open is listed with how it is ended", .proves("USR-2"), .proves("TOK-5"))
    func listed() throws {
        try trial.run("reader", "authorize", input: "1\n")
        let text = try trial.run("phone", "list")
        let way = "end: eduid phone end app com.example.reader \(trial.url(of: 1))"
        #expect(text.output.contains(way), "\(text.output)")
        #expect(!text.output.contains("com.example.reader \(trial.url(of: 2))"))
        let list = try trial.run("phone", "list", "--output", "json")
        let members = try JSON(parsing: Array(list.output.utf8))
        #expect(members["devices"]?[0]?["this"] == true)
        #expect(members["services"]?.array?.contains { $0["apps"]?[0]?["id"] == "com.example.reader" } == true)
        #expect(try trial.run("phone", "end", "service", trial.url(of: 1)).status == 0)
        let status = try trial.run("phone", "status", "--output", "json")
        let state = try JSON(parsing: Array(status.output.utf8))
        #expect(state["signed_in"] == true && state["pending"] == 0, "\(status.output)")
        // That it was used is forgotten next, and then there is nothing.
        #expect(try trial.run("phone", "end", "service", trial.url(of: 1)).status == 0)
        let nothing = try trial.run("phone", "end", "service", trial.url(of: 1))
        #expect(nothing.status == 1 && nothing.output.contains("nothing of yours"), "\(nothing.output)")
        #expect(try trial.run("phone", "end", "everything").status == 0)
        let gone = try trial.run("phone", "list")
        #expect(gone.status == 1, "\(gone.output)")
    }

    @Test("Without a network what is over is over here, and told when there is one", .proves("UX-5"))
    func offline() throws {
        try trial.run("reader", "authorize", input: "\n")
        trial.end()
        let over = try trial.run("phone", "sign-out")
        #expect(over.status == 0 && over.output.contains("The other side is not reached"), "\(over.output)")
        let status = try trial.run("phone", "status", "--output", "json")
        #expect(status.output.contains(#""signed_in":false"#) && !status.output.contains(#""pending":0"#))
        try trial.begin()
        var told = ""
        for _ in 0..<20 {
            told = try trial.run("phone", "status", "--output", "json").output
            if told.contains(#""pending":0"#) { break }
            usleep(200_000)
        }
        #expect(told.contains(#""pending":0"#), "\(told)")
    }

    // MARK: refused

    @Test("A wrong password signs nobody in, and says so", .proves("AUT-1"))
    func wrongPassword() throws {
        let refused = try trial.run("phone", "sign-in", "ada", input: "wrong\n")
        #expect(refused.status == 1 && refused.output.hasPrefix("Error: "), "\(refused.output)")
        #expect(try trial.run("phone", "sign-in", "nobody", input: "wrong\n").status == 1)
    }

    @Test(
        "Whoever is not the app, or asks twice, gets no answer", .proves("threat-47"), .proves("threat-58"))
    func noAnswer() throws {
        let (process, lines) = try trial.answering("--accept", "all")
        defer { process.terminate() }
        // Of an app that is known, without its signature, or with a stranger's.
        #expect(try answer(to: request().encoded()) == [])
        let place = trial.state.appending(path: "reader/key.jwk")
        let own = try Data(contentsOf: place)
        #expect(try trial.run("key", "generate", "-o", place.path, "--force").status == 0)
        let forged = try trial.run("reader", "authorize")
        #expect(forged.status == 1 && forged.output == "Error: the authorizing app did not answer (NIF-1)\n")
        try own.write(to: place)
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
        #expect(try trial.run("reader", "authorize").status == 0)
    }

    @Test("Whoever hangs up, is silent or talks for ever holds nobody up")
    func unruly() throws {
        let (process, lines) = try trial.answering("--accept", "all")
        defer { process.terminate() }
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
        #expect(try trial.run("reader", "authorize").status == 0)
        #expect(lines.wait(for: 8).filter { $0.hasSuffix("too long, or did not end") }.count == 3, "\(lines.all)")
    }

    @Test("A person who declines gives nothing, not even a reason", .proves("APP-1"))
    func declined() throws {
        let typed = try trial.run("reader", "authorize", input: "n\n")
        #expect(typed.status == 1 && typed.output.hasSuffix("Error: nothing was granted\n"), "\(typed.output)")
        let (process, lines) = try trial.answering("--decline")
        defer { process.terminate() }
        let asked = try trial.run("reader", "authorize")
        #expect(asked.status == 1 && asked.output == "Error: nothing was granted\n", "\(asked.output)")
        #expect(lines.wait(for: 2).last == "Reader (com.example.reader, verified) is granted nothing")
    }

    // MARK: the folder

    @Test("The socket is the user's alone, and nobody takes the place of who listens")
    func places() throws {
        let (process, _) = try trial.answering("--accept", "all")
        defer { process.terminate() }
        let attributes = try FileManager.default.attributesOfItem(atPath: channel)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(LocalListener(at: channel) == nil)
        let second = try trial.run("phone", "answer", "--decline")
        #expect(second.status == 1 && second.output.contains("another process answers apps"), "\(second.output)")
        // A folder that others can enter, one that is not there, and a file in the place of the socket.
        let open = trial.folder.appending(path: "open")
        try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: open.path)
        #expect(LocalListener(at: open.path + "/edu-id-app") == nil)
        #expect(LocalListener(at: trial.folder.path + "/absent/edu-id-app") == nil)
        let taken = trial.state.appending(path: "phone/taken").path
        try Data("mine".utf8).write(to: URL(filePath: taken))
        #expect(LocalListener(at: taken) == nil)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
        #expect(LocalListener(at: trial.state.path + "/phone/" + String(repeating: "a", count: 200)) == nil)
    }

    @Test("A folder that others can enter, and a state that is damaged, are refused with the way on")
    func damaged() throws {
        let phone = trial.state.appending(path: "phone")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: phone.path)
        let open = try trial.run("phone", "status")
        #expect(open.status == 1 && open.output.contains("run: chmod 700"), "\(open.output)")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: phone.path)
        let state = phone.appending(path: "state")
        var bytes = try Data(contentsOf: state)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: state)
        let damaged = try trial.run("phone", "status")
        #expect(damaged.status == 1 && damaged.output.contains("is damaged; restore it"), "\(damaged.output)")
        #expect(try trial.run("phone", "status", "--folder", "absent").output.contains("there is no phone in 'absent'"))
    }

    @Test("App and extension write at once, and neither loses what the other did", .proves("DAT-4"))
    func together() throws {
        let (process, _) = try trial.answering("--accept", "all")
        defer { process.terminate() }
        for _ in 0..<3 {
            #expect(try trial.run("reader", "authorize").status == 0)
            #expect(try trial.run("phone", "end", "app", "com.example.reader", trial.url(of: 1)).status == 0)
        }
        let list = try trial.run("phone", "list")
        #expect(!list.output.contains("com.example.reader \(trial.url(of: 1))"), "\(list.output)")
        #expect(list.output.contains("com.example.reader \(trial.url(of: 2))"), "\(list.output)")
    }

    @Test("An answer without an end ends at its bound")
    func endlessAnswers() throws {
        let path = trial.state.appending(path: "phone/liar").path
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
        #expect(connection.receive(atMost: 1 << 20, within: .seconds(5)) == nil)
    }
}
