import TestSupport
import Testing
import Wire

/// What a connection's bytes give first, read in pieces of one length: a request or a refusal.
private func first(
    _ text: [UInt8], piece: Int = .max, _ limits: HTTP1.Limits = HTTP1.Limits()
) -> (event: HTTP1.Event?, consumed: Int) {
    var reader = HTTP1.Reader(limits: limits)
    var at = 0
    while true {
        let end = at + min(piece, text.count - at)
        let (taken, event) = reader.take(text.span.extracting(at..<end))
        at += taken
        switch event {
        case .needsMore: if at == text.count { return (reader.end().map { .refusal($0) }, at) }
        case .head: continue
        case .request, .refusal: return (event, at)
        }
    }
}

private func refusal(_ text: String, _ limits: HTTP1.Limits = HTTP1.Limits()) -> String? {
    guard case .refusal(let refusal) = first(Array(text.utf8), limits).event else { return nil }
    return "\(refusal.clause) \(refusal.status)"
}

extension HTTP1.Event {
    fileprivate var request: (head: HTTP1.Head, body: [UInt8])? {
        guard case .request(let head, let body) = self else { return nil }
        return (head, body)
    }
}

@Suite("RFC 9112: reading requests")
struct HTTP1ReaderTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: h\r\n"
    private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

    @Test(
        "§2.2 to §3: one fault of a request line each",
        .proves("HTP-2"), .proves("HTP-3"), .proves("HTP-4"), .proves("HTP-5"), .proves("HTP-6"), .proves("HTP-7"),
        .proves("HTP-8"),
        arguments: [
            ("GET / HTTP/1.1\nHost: h\r\n\r\n", "HTP-2 400"), ("GET / HTTP/1.1\rHost: h\r\n\r\n", "HTP-3 400"),
            ("\r\n\r\n\(get)\r\n", "HTP-4 400"), ("GET  / HTTP/1.1\r\n", "HTP-5 400"), ("GET /\r\n", "HTP-5 400"),
            (" GET / HTTP/1.1\r\n", "HTP-5 400"), ("GET\t/ HTTP/1.1\r\n", "HTP-5 400"),
            ("GET / HTTP/1.1 \r\n", "HTP-5 400"), ("G:T / HTTP/1.1\r\n", "HTP-5 400"),
            (String(repeating: "A", count: 33) + " / HTTP/1.1\r\n", "HTP-6 400"),
            ("GET a HTTP/1.1\r\n", "HTP-7 400"), ("GET /%2 HTTP/1.1\r\n", "HTP-7 400"),
            ("GET /#a HTTP/1.1\r\n", "HTP-7 400"), ("GET /é HTTP/1.1\r\n", "HTP-7 400"),
            ("GET /\" HTTP/1.1\r\n", "HTP-7 400"), ("GET * HTTP/1.1\r\n", "HTP-7 400"),
            ("GET http://u@h/ HTTP/1.1\r\n", "HTP-7 400"), ("GET ftp://h/ HTTP/1.1\r\n", "HTP-7 400"),
            ("CONNECT h HTTP/1.1\r\nHost: h\r\n\r\n", "HTP-7 400"),
            ("CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", "HTP-7 501"), ("GET / http/1.1\r\n", "HTP-8 400"),
            ("GET / HTTP/1.10\r\n", "HTP-8 400"), ("PRI * HTTP/2.0\r\n", "HTP-8 505"),
            ("GET / HTTP/2.0\r\n", "HTP-8 505"),
        ])
    func requestLine(text: String, expected: String) {
        #expect(refusal(text) == expected)
    }

    @Test(
        "§5 and §6: one fault of a head each",
        .proves("HTP-9"), .proves("HTP-10"), .proves("HTP-11"), .proves("HTP-12"), .proves("HTP-13"), .proves("HTP-15"),
        .proves("HTP-16"), .proves("HTP-17"),
        arguments: [
            ("GET / HTTP/1.1\r\n Host: h\r\n\r\n", "HTP-9 400"), (get + "a : b\r\n\r\n", "HTP-10 400"),
            (get + "a\r\n\r\n", "HTP-10 400"), (get + ": b\r\n\r\n", "HTP-10 400"),
            (get + "a: b\r\n c\r\n\r\n", "HTP-11 400"), (get + "a: b\r\n\tc\r\n\r\n", "HTP-11 400"),
            (get + "a: \u{0}\r\n\r\n", "HTP-12 400"), (get + "a: \u{7f}\r\n\r\n", "HTP-12 400"),
            ("GET / HTTP/1.1\r\n\r\n", "HTP-13 400"), (get + "Host: h\r\n\r\n", "HTP-13 400"),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", "HTP-13 400"), ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", "HTP-13 400"),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "HTP-13 400"),
            ("GET / HTTP/1.1\r\nHost: [fe80::1%25a]\r\n\r\n", "HTP-13 400"),
            ("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", "HTP-13 400"),
            (post + "Content-Length: 5, 5\r\n\r\n", "HTP-15 400"), (post + "Content-Length: +5\r\n\r\n", "HTP-15 400"),
            (post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", "HTP-15 400"),
            (post + "Content-Length: 18446744073709551616\r\n\r\n", "HTP-15 400"),
            (post + "Transfer-Encoding: gzip\r\n\r\n", "HTP-16 501"),
            (post + "Transfer-Encoding: chunked, chunked\r\n\r\n", "HTP-16 400"),
            (post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "HTP-16 400"),
            ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "HTP-16 400"),
            (post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", "HTP-17 400"),
            (get + "Expect: other\r\n\r\n", "HTP-26 417"),
        ])
    func head(text: String, expected: String) {
        #expect(refusal(text) == expected)
    }

    @Test(
        "§7.1: one fault of a chunked body each", .proves("HTP-18"), .proves("HTP-19"), .proves("HTP-20"),
        .proves("HTP-21"),
        arguments: [
            ("\r\n", "HTP-18 400"), ("+1\r\n", "HTP-18 400"), (" 1\r\n", "HTP-18 400"),
            ("10000000000000000\r\n", "HTP-18 400"), ("1 \r\n", "HTP-19 400"), ("0x1\r\n", "HTP-19 400"),
            ("1;\r\n", "HTP-19 400"), ("1;a=\r\n", "HTP-19 400"), ("1;a=\"b\r\n", "HTP-19 400"),
            ("1\r\nab\r\n", "HTP-20 400"), ("1\r\na\n", "HTP-20 400"), ("1\r\na\rb", "HTP-20 400"),
            ("0\r\na : b\r\n\r\n", "HTP-10 400"), ("0\r\na: b\r\n c\r\n\r\n", "HTP-11 400"), ("1\n", "HTP-2 400"),
        ])
    func chunks(text: String, expected: String) {
        #expect(refusal(Self.chunked + text) == expected)
    }

    @Test(
        "§6.3: the bodies, with what follows left alone", .proves("HTP-15"), .proves("HTP-16"), .proves("HTP-19"),
        .proves("HTP-21"), .proves("HTP-22"))
    func bodies() throws {
        for (text, body) in [
            (Self.get + "\r\n", ""), (Self.post + "\r\n", ""), (Self.get + "Content-Length: 02\r\n\r\nab", "ab"),
            (Self.chunked + "1;a;b=c;d=\"\\\"\"\r\na\r\n0\r\nContent-Length: 9\r\n\r\n", "a"),
            (Self.chunked.replacing("chunked", with: "CHUNKED") + "0A\r\n0123456789\r\n00\r\n\r\n", "0123456789"),
        ] {
            let (event, consumed) = first(Array((text + "GET ").utf8))
            let request = try #require(event?.request)
            #expect(String(decoding: request.body, as: UTF8.self) == body)
            #expect(consumed == text.utf8.count)
            #expect(request.head.fields.values(of: .contentType).isEmpty)
        }
    }

    @Test("§9.3: which requests leave the connection open", .proves("HTP-23"))
    func persistence() throws {
        for (text, expected) in [
            (Self.get, true), (Self.get + "Connection: a, CLOSE\r\n", false),
            (Self.get + "Connection: closed\r\n", true),
            (Self.get + "Connection: \"close\"\r\n", true), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n", false),
            (Self.get + "Proxy-Connection: close\r\n", true),
        ] {
            #expect(first(Array((text + "\r\n").utf8)).event?.request?.head.isPersistent == expected)
        }
        var limits = HTTP1.Limits()
        limits.requests = 1
        #expect(first(Array((Self.get + "\r\n").utf8), limits).event?.request?.head.isPersistent == false)
    }

    @Test("HTP-24: what is equal to a limit passes", .proves("HTP-24"))
    func limits() {
        let text = Self.chunked + "1;a\r\nb\r\n0\r\n\r\n"
        for (path, passing, expected) in [
            (\.startLine, 15, "HTP-24 414"), (\.fieldLine, 26, "HTP-24 431"), (\.fields, 2, "HTP-24 431"),
            (\.head, 56, "HTP-24 431"), (\.chunkLine, 3, "HTP-24 400"), (\.body, 1, "HTP-24 413"),
        ] as [(WritableKeyPath<HTTP1.Limits, Int>, Int, String)] {
            var limits = HTTP1.Limits()
            limits[keyPath: path] = passing
            #expect(refusal(text, limits) == nil)
            limits[keyPath: path] -= 1
            #expect(refusal(text, limits) == expected)
        }
        var limits = HTTP1.Limits()
        limits.body = 3
        #expect(refusal(Self.post + "Content-Length: 4\r\n\r\n", limits) == "HTP-24 413")
    }

    @Test("RFC 9110 §7.2 and §10.1.1: authority and expectation", .proves("HTP-14"), .proves("HTP-26"))
    func headValues() throws {
        func head(_ text: String) throws -> HTTP1.Head {
            try #require(first(Array(text.utf8)).event?.request).head
        }
        let relative = try head("GET / HTTP/1.1\r\nHost: A.Example:81\r\n\r\n")
        #expect(relative.authority?.host == "a.example")
        #expect(relative.authority?.port == 81)
        #expect(try head("GET https://b.example/ HTTP/1.1\r\nHost: a\r\n\r\n").authority?.host == "b.example")
        #expect(try head("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").target == .server)
        #expect(try head(Self.post + "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\na").awaitsContinue)
        #expect(try !head(Self.post + "Expect: 100-continue\r\n\r\n").awaitsContinue)
        let old = "POST / HTTP/1.0\r\nExpect: x\r\nContent-Length: 1\r\n\r\na"
        #expect(try !head(old).awaitsContinue)
    }

    @Test("§8: a stream that ends inside a message", .proves("HTP-27"))
    func ends() {
        let text = Array((Self.chunked + "1\r\na\r\n0\r\n\r\n").utf8)
        #expect(first([]).event == nil)
        for count in 1..<text.count {
            guard case .refusal(let refusal)? = first(Array(text.prefix(count))).event else {
                Issue.record("\(count) bytes are taken for a whole message")
                continue
            }
            #expect(refusal.clause == "HTP-27")
        }
    }

    @Test(
        "HTP-1: the cuts make no difference, and nothing follows a refusal", .proves("HTP-1"), .proves("HTP-25"),
        .proves("HTP-30"))
    func cuts() throws {
        var random = SeededGenerator(seed: 9112)
        let text = Array(("\r\n" + Self.chunked + "3;a=\"b\"\r\nabc\r\n0\r\nx: y\r\n\r\n").utf8)
        for _ in 0..<2000 {
            var bytes = text
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] =
                    [0x0d, 0x0a, 0x20, 0x3a, 0x30, 0x61, 0xff]
                    .randomElement(using: &random) ?? 0
            }
            let whole = first(bytes)
            for piece in [1, Int.random(in: 2...20, using: &random)] {
                let cut = first(bytes, piece: piece)
                #expect(cut.event == whole.event)
                #expect(cut.consumed == whole.consumed)
            }
        }
        var reader = HTTP1.Reader()
        _ = reader.take([0x0a].span)
        #expect(reader.take(text.span).taken == 0)
        let twice = Array((Self.get + "a: 1\r\nA: 2\r\n\r\n").utf8)
        let fields = try #require(first(twice).event?.request).head.fields
        #expect(fields.values(of: try HTTP.Field.Name(parsing: "a")) == ["1", "2"])
    }
}
