import TestSupport
import Testing
import Wire

/// A request by SCGI, of pairs as they are given and a body.
private func netstring(_ pairs: [(String, String)], body: String = "") -> [UInt8] {
    let block: [UInt8] = pairs.flatMap { pair in Array(pair.0.utf8) + [0] + Array(pair.1.utf8) + [0] }
    return Array("\(block.count):".utf8) + block + Array(("," + body).utf8)
}

private func read(
    _ bytes: [UInt8], piece: Int = .max, _ limits: HTTP1.Limits = HTTP1.Limits()
) -> (event: HTTP1.Event?, consumed: Int) {
    var reader = CGI.SCGIReader(limits: limits)
    var at = 0
    while true {
        let (taken, event) = reader.take(bytes.span.extracting(at..<at + min(piece, bytes.count - at)))
        at += taken
        switch event {
        case .needsMore: if at == bytes.count { return (reader.end().map { .refusal($0) }, at) }
        case .head: continue
        case .request, .refusal: return (event, at)
        }
    }
}

private func refusal(_ bytes: [UInt8], _ limits: HTTP1.Limits = HTTP1.Limits()) -> String? {
    guard case .refusal(let refusal) = read(bytes, limits).event else { return nil }
    return "\(refusal.clause) \(refusal.status)"
}

private let usual = [
    ("CONTENT_LENGTH", "0"), ("SCGI", "1"), ("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/a?b=c"),
]

/// The usual variables, of which some have other values or go, and some come behind.
private func variables(_ others: [(String, String?)]) -> [(String, String)] {
    var pairs: [(String, String)] = usual
    for (name, value) in others {
        let place = pairs.firstIndex { $0.0 == name }
        switch (place, value) {
        case (let place?, let value?): pairs[place].1 = value
        case (let place?, nil): pairs.remove(at: place)
        case (nil, let value?): pairs.append((name, value))
        case (nil, nil): break
        }
    }
    return pairs
}

@Suite("SCGI and CGI: reading requests")
struct CGITests {
    private func head(_ others: [(String, String?)]) throws -> HTTP1.Head {
        guard case .request(let head, _) = read(netstring(variables(others))).event else {
            throw SyntaxError.empty(.fieldValue)
        }
        return head
    }

    @Test("The netstring", .proves("SCG-1"), .proves("SCG-9"), .proves("SCG-10"))
    func netstrings() {
        for text in ["01:", " 1:", "1 :", ":", "-1:", "+1:", "1111111111111:", "1;", "a", "\u{0}"] {
            #expect(refusal(Array(text.utf8)) == "SCG-1 400", "\(text)")
        }
        #expect(refusal(Array("999999999999:".utf8)) == "SCG-10 431")
        var bytes = netstring(usual)
        bytes[bytes.count - 1] = UInt8(ascii: ";")
        #expect(refusal(bytes) == "SCG-1 400")
        #expect(refusal(Array(netstring(variables([("CONTENT_LENGTH", "2")]), body: "x"))) == "SCG-9 408")
        #expect(read([]).event == nil)
        for count in 1..<netstring(usual).count {
            #expect(refusal(Array(netstring(usual)[..<count])) == "SCG-9 408")
        }
    }

    @Test(
        "One fault of the variables each",
        .proves("SCG-2"), .proves("SCG-3"), .proves("SCG-4"), .proves("SCG-5"), .proves("SCG-6"), .proves("SCG-7"),
        .proves("SCG-8"),
        arguments: [
            ([("", "x")], "SCG-2 400"), ([("CONTENT_LENGTH", "")], "SCG-3 400"),
            ([("CONTENT_LENGTH", "1.0")], "SCG-3 400"), ([("CONTENT_LENGTH", "-1")], "SCG-3 400"),
            ([("CONTENT_LENGTH", "18446744073709551616")], "SCG-3 400"), ([("CONTENT_LENGTH", nil)], "SCG-3 400"),
            ([("SCGI", "2")], "SCG-4 400"), ([("SCGI", nil)], "SCG-4 400"), ([("REQUEST_METHOD", "")], "SCG-6 400"),
            ([("REQUEST_METHOD", "G T")], "SCG-6 400"), ([("REQUEST_METHOD", nil)], "SCG-6 400"),
            ([("REQUEST_METHOD", String(repeating: "A", count: 33))], "SCG-6 400"),
            ([("REQUEST_URI", "")], "SCG-7 400"), ([("REQUEST_URI", "a")], "SCG-7 400"),
            ([("REQUEST_URI", "/%2")], "SCG-7 400"), ([("REQUEST_URI", "*")], "SCG-7 400"),
            ([("REQUEST_URI", nil)], "SCG-7 400"), ([("REQUEST_URI", nil), ("PATH_INFO", "a")], "SCG-7 400"),
            ([("HTTP_A", "b\nc")], "SCG-8 400"), ([("HTTP_A", "\u{7f}")], "SCG-8 400"),
            ([("HTTP_A B", "c")], "SCG-8 400"), ([("HTTP_HOST", "a@b")], "HTP-13 400"),
        ] as [([(String, String?)], String)])
    func variableFaults(others: [(String, String?)], expected: String) {
        #expect(refusal(netstring(variables(others))) == expected)
    }

    @Test("Names come once, in pairs", .proves("SCG-2"), .proves("SCG-3"), .proves("SCG-5")) func pairs() {
        #expect(refusal(netstring(usual + [("X", "1"), ("X", "1")])) == "SCG-5 400")
        #expect(refusal(netstring([usual[1], usual[0]] + usual[2...])) == "SCG-3 400")
        #expect(refusal(Array("6:CONTEN,".utf8)) == "SCG-2 400")
        #expect(refusal(Array("2:A\u{0},".utf8)) == "SCG-2 400")
        #expect(refusal(Array("0:,".utf8)) == "SCG-3 400")
    }

    @Test("What is equal to a limit passes", .proves("SCG-10")) func limits() {
        let bytes = netstring(variables([("CONTENT_LENGTH", "3")]), body: "abc")
        var limits = HTTP1.Limits()
        limits.fields = 4
        limits.body = 3
        limits.head = bytes.count - 3 - 4
        guard case .request(_, let body)? = read(bytes, limits).event else {
            Issue.record("not read")
            return
        }
        #expect(body == Array("abc".utf8))
        let least: [(WritableKeyPath<HTTP1.Limits, Int>, String)] = [
            (\.fields, "SCG-10 431"), (\.body, "SCG-10 413"), (\.head, "SCG-10 431"),
        ]
        for (path, expected) in least {
            var less = limits
            less[keyPath: path] -= 1
            #expect(refusal(bytes, less) == expected)
        }
    }

    @Test("However the bytes are cut, and whatever follows", .proves("SCG-9")) func cuts() {
        let pairs = variables([("CONTENT_LENGTH", "5"), ("HTTP_X_Y", "z"), ("REQUEST_METHOD", "GET")])
        let bytes = netstring(pairs, body: "hello")
        let whole = read(bytes)
        guard case .request(let head, let body)? = whole.event else {
            Issue.record("not read")
            return
        }
        #expect(head.targetText == "/a?b=c" && body == Array("hello".utf8) && !head.isPersistent)
        for piece in 1...bytes.count { #expect(read(bytes, piece: piece).event == whole.event) }
        let longer = read(bytes + Array("more".utf8))
        #expect(longer.event == whole.event && longer.consumed == bytes.count)
    }

    @Test("The target", .proves("SCG-7")) func targets() throws {
        #expect(try head([("REQUEST_URI", "//a/%2F/../b?%3f")]).targetText == "//a/%2F/../b?%3f")
        #expect(try head([("REQUEST_METHOD", "OPTIONS"), ("REQUEST_URI", "*")]).targetText == "*")
        #expect(try head([("QUERY_STRING", "x"), ("SCRIPT_NAME", "/y")]).targetText == "/a?b=c")
        #expect(
            try head([("REQUEST_URI", nil), ("SCRIPT_NAME", "/a b"), ("PATH_INFO", "/%ä"), ("QUERY_STRING", "q=%20")])
                .targetText == "/a%20b/%25%C3%A4?q=%20")
        let whole = try head([("REQUEST_URI", "https://h:8443/x"), ("HTTP_HOST", "other")])
        #expect(whole.authority?.host == "h" && whole.authority?.port == 8443)
    }

    @Test("The fields, and whom the web server speaks for", .proves("SCG-8"), .proves("FWD-7")) func fields() throws {
        let head = try head([
            ("CONTENT_TYPE", "text/plain"), ("HTTP_X_FORWARDED_FOR", "192.0.2.1"), ("HTTP_HOST", "id.example:443"),
            ("HTTP_CONTENT_LENGTH", "9"), ("HTTP_CONTENT_TYPE", "a"), ("HTTP_TRANSFER_ENCODING", "chunked"),
            ("HTTP_PROXY", "http://evil"), ("HTTP_", "x"), ("HTTP_EMPTY", ""), ("SERVER_NAME", "other"),
            ("REMOTE_ADDR", "203.0.113.7"), ("HTTPS", "on"),
        ])
        #expect(
            head.fields.map { "\($0.name.text)=\($0.value)" }
                == ["content-type=text/plain", "x-forwarded-for=192.0.2.1", "host=id.example:443", "empty="])
        #expect(head.authority?.host == "id.example" && head.authority?.port == 443)
        #expect(head.client?.description == "203.0.113.7" && head.client?.scheme == .https)
        #expect(try self.head([("CONTENT_TYPE", "")]).fields.isEmpty)
        #expect(try self.head([("REQUEST_SCHEME", "https")]).client?.scheme == .https)
        #expect(try self.head([("REMOTE_ADDR", "2001:db8::1")]).client?.description == "2001:db8::1")
        let bare = try self.head([("HTTPS", "off")]).client
        #expect(bare?.name == .unknown && bare?.scheme == .http)
    }
}

@Suite("CGI/1.1, and answers to web servers")
struct CGIAnswerTests {
    private static let environment = [
        "GATEWAY_INTERFACE=CGI/1.1", "SERVER_PROTOCOL=HTTP/1.1", "REQUEST_METHOD=POST", "SCRIPT_NAME=/cgi-bin/eduid",
        "PATH_INFO=/token", "CONTENT_LENGTH=7", "CONTENT_TYPE=a/b", "HTTP_X=y=z", "odd",
    ]

    private func request(_ environment: [String]) throws(HTTP1.Refusal) -> (head: HTTP1.Head, bodyLength: Int) {
        try CGI.request(from: environment.map { Array($0.utf8) })
    }

    private func refusal(_ environment: [String]) -> String? {
        do {
            _ = try request(environment)
            return nil
        } catch { return error.clause }
    }

    @Test("§4.1: the environment", .proves("CGI-1"), .proves("CGI-2"), .proves("CGI-4")) func environments() throws {
        let (head, length) = try request(Self.environment)
        #expect(head.method == .post && head.targetText == "/cgi-bin/eduid/token" && length == 7)
        #expect(head.fields.map { "\($0.name.text)=\($0.value)" } == ["content-type=a/b", "x=y=z"])
        for value in ["", nil] as [String?] {
            let others = Self.environment.filter { !$0.hasPrefix("CONTENT_LENGTH") }
            #expect(try request(others + (value.map { ["CONTENT_LENGTH=" + $0] } ?? [])).bodyLength == 0)
        }
        #expect(refusal(Array(Self.environment.dropFirst())) == "CGI-2")
        #expect(refusal(["GATEWAY_INTERFACE=CGI/1.2"] + Self.environment.dropFirst()) == "CGI-2")
        #expect(
            refusal(Self.environment.filter { !$0.hasPrefix("SERVER_P") } + ["SERVER_PROTOCOL=INCLUDED"]) == "CGI-2")
        #expect(refusal(Self.environment + ["HTTP_X=1"]) == "SCG-5")
        // Of bytes that are no text nothing is made that was not sent.
        let bytes = Self.environment.map { Array($0.utf8) } + [Array("HTTP_Y=".utf8) + [0xff]]
        #expect(throws: HTTP1.Refusal.self) { try CGI.request(from: bytes) }
        #expect(refusal(Self.environment + ["LONG=" + String(repeating: "x", count: 65_536)]) == "SCG-10")
    }

    private func written(
        _ status: Int, _ fields: [(String, String)] = [], body: String = "", to method: HTTP.Request.Method = .get,
        origin: WebURL? = nil
    ) throws -> String {
        var all = HTTP.Fields()
        for (name, value) in fields { try all.append(HTTP.Field.Name(parsing: Array(name.utf8).span), value) }
        let response = HTTP.Response(try #require(HTTP.Response.Status(status)), fields: all, body: Array(body.utf8))
        var output: [UInt8] = []
        CGI.append(response, to: method, origin: origin, output: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("RFC 3875 §6.3: the answer", .proves("SCG-11"), .proves("CGI-3")) func answers() throws {
        #expect(
            try written(200, [("content-type", "text/plain")], body: "hi")
                == "Status: 200 OK\r\ncontent-type: text/plain\r\nContent-Length: 2\r\n\r\nhi")
        #expect(
            try written(200, body: "hi")
                == "Status: 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 2\r\n\r\nhi")
        #expect(try written(204, body: "x") == "Status: 204 No Content\r\nContent-Length: 0\r\n\r\n")
        #expect(
            try written(200, [("content-type", "a/b")], body: "x", to: .head).hasSuffix("Content-Length: 1\r\n\r\n"))
        for name in [
            "Connection", "Transfer-Encoding", "Date", "Content-Length", "X-Accel-Redirect", "X-Sendfile",
            "X-Sendfile2",
            "Status", "x-lighttpd-send-file",
        ] {
            #expect(try written(200, [(name, "1")]) == "Status: 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(try written(101).hasPrefix("Status: 500 "))
    }

    @Test("A path as Location would start another request here", .proves("SCG-11")) func locations() throws {
        let origin = try WebURL(parsing: "https://id.example/base")
        for (location, expected) in [
            ("https://a.example/x", "https://a.example/x"), ("app:done", "app:done"),
            ("/x?y", "https://id.example/x?y"),
            ("//b.example/", "https://b.example/"),
        ] {
            #expect(
                try written(302, [("Location", location)], origin: origin).contains("\r\nLocation: \(expected)\r\n"))
        }
        #expect(try written(302, [("Location", "/x")]).hasPrefix("Status: 500 "))
    }
}
