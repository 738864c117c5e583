import TestSupport
import Testing
@testable import Hosting
@testable import Wire

/// A connection without a socket, at times that a test chooses.
private struct Line {
    var connection: Connection
    private(set) var asked: [Connection.Asked] = []
    private let start = ContinuousClock().now
    private(set) var second = 0.0

    init(_ policy: Server.Policy = Server.Policy()) {
        connection = Connection(of: .localSocket, policy: policy, at: Self.moment(start, 0))
    }

    private static func moment(_ start: ContinuousClock.Instant, _ second: Double) -> Moment {
        Moment(instant: start + .milliseconds(Int(second * 1000)), time: Timestamp(seconds: 1_000), date: "now")
    }

    var now: Moment { Self.moment(start, second) }

    mutating func pass(_ seconds: Double) {
        second += seconds
        connection.expire(at: now)
    }

    mutating func send(_ text: String) {
        if let asked = connection.take(Array(text.utf8).span, at: now) { self.asked.append(asked) }
    }

    mutating func answer(_ body: String) {
        connection.answer(HTTP.Response(.ok, body: Array(body.utf8)), at: now)
    }

    /// Everything that was written, as it is taken by the socket.
    mutating func received() -> String {
        let bytes = connection.output[connection.sent...]
        let text = String(decoding: bytes, as: UTF8.self)
        if let asked = connection.wrote(bytes.count, at: now) { self.asked.append(asked) }
        return text
    }
}

@Suite("Hosting: one connection")
struct ConnectionTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let last = "GET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

    @Test("Requests are answered one at a time, in order, whatever came with them", .proves("HTP-25"))
    func pipelining() {
        var line = Line()
        line.send(Self.get + Self.last + "GET /c HTTP/1.1\r\n")
        #expect(line.asked.map { $0.head.targetText } == ["/a"])
        #expect(!line.connection.interest.contains(.reading))
        line.answer("1")
        #expect(line.received().hasSuffix("\r\n\r\n1"))
        #expect(line.asked.map { $0.head.targetText } == ["/a", "/b"])
        line.answer("2")
        let closing = line.received()
        #expect(closing.contains("\r\nConnection: close\r\n") && closing.hasSuffix("2"))
        // What stood behind the last request is dropped.
        #expect(line.asked.count == 2 && line.connection.isLingering)
    }

    @Test("Nothing is read while an answer is not taken", .proves("HTP-25")) func backPressure() {
        var line = Line()
        line.send(Self.get)
        line.answer("1")
        #expect(line.connection.interest == .writing && !line.connection.isIdle)
        let count = line.connection.output.count
        _ = line.connection.wrote(count - 1, at: line.now)
        #expect(line.connection.interest == .writing)
        _ = line.connection.wrote(1, at: line.now)
        #expect(line.connection.interest == .reading && line.connection.isIdle && line.connection.output.isEmpty)
    }

    @Test("However its bytes come", .proves("HTP-1")) func pieces() {
        var line = Line()
        for byte in Self.get { line.send(String(byte)) }
        line.answer("1")
        #expect(line.asked.count == 1 && line.received().hasSuffix("1") && line.connection.isIdle)
    }

    @Test("A client that waits to go on is told so once, after the head", .proves("HTP-26")) func continuing() {
        var line = Line()
        line.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(line.received() == "HTTP/1.1 100 Continue\r\n\r\n" && line.asked.isEmpty)
        line.send("x")
        #expect(line.received().isEmpty)
        line.send("y")
        #expect(line.asked.first?.body == Array("xy".utf8))
        // A body that is there already needs no word.
        var other = Line()
        other.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nx")
        #expect(other.received().isEmpty && other.asked.count == 1)
        var refused = Line()
        refused.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: more\r\n\r\n")
        #expect(refused.received().hasPrefix("HTTP/1.1 417 ") && refused.connection.isLingering)
    }

    @Test("Requests that are meant for others", .proves("HTP-14"), .proves("SYS-8")) func authorities() {
        var policy = Server.Policy()
        policy.authorities = ["id.example", "localhost:8080"]
        for (host, status) in [
            ("id.example", "200"), ("ID.example", "200"), ("localhost:8080", "200"), ("localhost", "421"),
            ("id.example:8080", "421"), ("evil.example", "421"),
        ] {
            var line = Line(policy)
            line.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            line.answer("")
            #expect(line.received().hasPrefix("HTTP/1.1 \(status) "), "\(host)")
        }
        // A URL counts before the field, and HTTP/1.0 need not say whom it means.
        var whole = Line(policy)
        whole.send("GET http://evil.example/ HTTP/1.1\r\nHost: id.example\r\n\r\n")
        #expect(whole.received().hasPrefix("HTTP/1.1 421 ") && whole.asked.isEmpty)
        var old = Line(policy)
        old.send("GET / HTTP/1.0\r\n\r\n")
        #expect(old.received().hasPrefix("HTTP/1.1 421 "))
    }

    @Test("Each part has its time, which no byte prolongs", .proves("HTP-27")) func deadlines() {
        var idle = Line()
        idle.pass(59.9)
        #expect(!idle.connection.isOver)
        idle.pass(0.1)
        #expect(idle.connection.isOver && idle.received().isEmpty)

        var head = Line()
        for byte in Self.get.prefix(9) {
            head.send(String(byte))
            head.pass(1)
        }
        #expect(head.received().isEmpty)
        head.pass(1)
        #expect(head.received().hasPrefix("HTTP/1.1 408 "))

        var body = Line()
        body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\n")
        for _ in 0..<29 {
            body.send("x")
            body.pass(1)
        }
        #expect(body.received().isEmpty)
        body.pass(1)
        #expect(body.received().hasPrefix("HTTP/1.1 408 "))

        var slow = Line()
        slow.send(Self.get)
        slow.pass(30)
        #expect(slow.received().hasPrefix("HTTP/1.1 503 "))
        slow.answer("late")
        #expect(slow.received().isEmpty && slow.connection.isLingering)

        var deaf = Line()
        deaf.send(Self.get)
        deaf.answer(String(repeating: "x", count: 1 << 20))
        for _ in 0..<30 {
            _ = deaf.connection.wrote(1, at: deaf.now)
            deaf.pass(1)
        }
        #expect(deaf.connection.isOver)
    }

    @Test("The end of the stream between requests and inside of one", .proves("HTP-27")) func ends() {
        var between = Line()
        between.send(Self.get)
        between.answer("1")
        _ = between.received()
        between.connection.end(at: between.now)
        #expect(between.connection.isOver)

        var inside = Line()
        inside.send("GET / HT")
        inside.connection.end(at: inside.now)
        #expect(inside.received().hasPrefix("HTTP/1.1 408 ") && inside.connection.isOver)

        // Who has sent everything may still wait for the answer.
        var waiting = Line()
        waiting.send(Self.get)
        waiting.connection.end(at: waiting.now)
        #expect(!waiting.connection.isOver)
        waiting.answer("1")
        #expect(waiting.received().contains("\r\nConnection: close\r\n") && waiting.connection.isOver)
    }

    @Test("Upgrades are ignored", .proves("HTP-28")) func upgrades() {
        var line = Line()
        line.send(
            "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMA\r\n\r\n"
        )
        line.answer("1")
        #expect(line.received().hasPrefix("HTTP/1.1 200 OK\r\n") && line.connection.isIdle)
    }

    @Test("After a refusal: one answer without the request in it, then silence", .proves("HTP-29"), .proves("HTP-35"))
    func refusals() {
        var line = Line()
        line.send("GET /secret HTTP/1.1\r\nHost : h\r\n\r\n" + Self.get)
        let answer = line.received()
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.contains("\r\nConnection: close\r\n"))
        #expect(!answer.contains("secret") && line.asked.isEmpty && line.connection.isLingering)
        #expect(line.connection.takeLines().map { $0.rule } == ["HTP-10"])
        line.send(Self.get)
        #expect(line.asked.isEmpty && line.received().isEmpty && !line.connection.isOver)
        line.send(String(repeating: "x", count: 65_536))
        #expect(line.connection.isOver)
        var other = Line()
        other.send("\r\n\r\n")
        _ = other.received()
        other.pass(1.9)
        #expect(!other.connection.isOver)
        other.pass(0.1)
        #expect(other.connection.isOver)
    }

    @Test("What has begun ends before the connection does", .proves("SYS-3")) func draining() {
        var idle = Line()
        idle.connection.drain()
        #expect(idle.connection.isOver)
        var reading = Line()
        reading.send("GET / HTTP/1.1\r\n")
        reading.connection.drain()
        reading.send("Host: h\r\n\r\n")
        reading.answer("1")
        #expect(reading.received().contains("\r\nConnection: close\r\n") && reading.connection.isLingering)
        var answering = Line()
        answering.send(Self.get)
        answering.connection.drain()
        answering.answer("1")
        #expect(answering.received().contains("\r\nConnection: close\r\n"))
    }

    @Test("A line for each answer, without what may be secret", .proves("SYS-10")) func lines() {
        var line = Line()
        line.send("GET /a?token=secret HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer secret\r\n\r\n")
        line.answer("1234")
        #expect(line.connection.takeLines().map { $0.description } == ["1970-01-01T00:16:40Z unix GET /a 200 4"])
        #expect(line.connection.takeLines().isEmpty)
    }

    @Test("Whom a request comes from, only trusted proxies say", .proves("FWD-1"), .proves("FWD-7")) func clients()
        throws
    {
        let request = "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\n\r\n"
        var ignoring = Line()
        ignoring.send(request)
        #expect(ignoring.asked.first?.client.description == "unix" && ignoring.asked.first?.client.scheme == .http)
        var policy = Server.Policy()
        policy.forwarding = try #require(HTTP.Forwarding(trusting: [.localSocket], family: .customary))
        var believing = Line(policy)
        believing.send(request)
        #expect(believing.asked.first?.client.description == "192.0.2.7")
        #expect(believing.asked.first?.client.scheme == .https)
        var malformed = Line(policy)
        malformed.send("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.7.1\r\n\r\n")
        #expect(malformed.received().hasPrefix("HTTP/1.1 400 ") && malformed.asked.isEmpty)
    }

    @Test("SCGI: one request, the web server's word, one answer", .proves("SCG-9"), .proves("SCG-11")) func gateway() {
        var policy = Server.Policy()
        policy.dialect = .scgi
        let pairs = [
            "CONTENT_LENGTH", "2", "SCGI", "1", "REQUEST_METHOD", "POST", "REQUEST_URI", "/token", "REMOTE_ADDR",
            "203.0.113.7", "HTTPS", "on",
        ]
        let block = pairs.map { $0 + "\u{0}" }.joined()
        var line = Line(policy)
        line.send("\(block.utf8.count):\(block),xy" + "more")
        #expect(line.asked.first?.client.description == "203.0.113.7" && line.asked.first?.body == Array("xy".utf8))
        line.answer("done")
        let answer = line.received()
        #expect(
            answer.hasPrefix("Status: 200 OK\r\n") && answer.hasSuffix("\r\n\r\ndone") && line.connection.isLingering)
        var refused = Line(policy)
        refused.send("GET / HTTP/1.1\r\n")
        #expect(refused.received().hasPrefix("Status: 400 Bad Request\r\n"))
        var cut = Line(policy)
        cut.send("70:")
        cut.connection.end(at: cut.now)
        #expect(cut.received().hasPrefix("Status: 408 ") && cut.connection.isOver)
    }
}
