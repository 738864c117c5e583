import TestSupport
import Testing
@testable import Wire

/// Answers of other services, read as strictly as requests.
@Suite("HTTP/1.1: answers")
struct AnswerReaderTests {
    /// What is read of a text in pieces of a size, and then of the end of the stream.
    private func read(
        _ text: String, to method: HTTP.Request.Method = .get, pieces size: Int = .max, limits: HTTP1.Limits = .init()
    ) -> HTTP1.AnswerReader.Event {
        var reader = HTTP1.AnswerReader(to: method, limits: limits)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size == .max ? rest.count : size)
            let event = reader.take(piece.span)
            if event != .needsMore { return event }
        }
        return reader.end()
    }

    private func outcome(_ event: HTTP1.AnswerReader.Event) -> String {
        switch event {
        case .needsMore: "more"
        case .answer(let answer): "\(answer.status.code) \(String(decoding: answer.body, as: UTF8.self))"
        case .refusal(let refusal): refusal.rule.clause
        }
    }

    @Test(
        "An answer is what its fields say, however it is cut", .proves("NET-1"),
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello"),
            ("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "200 "),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n",
                "200 hello"
            ),
            ("HTTP/1.0 404 Not Found\r\n\r\nuntil the end", "404 until the end"),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "204 "),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304 "),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", "200 a"
            ),
            ("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "302 "),
        ])
    func taken(text: String, expected: String) {
        for size in [.max, 1, 2, 3, 7] {
            #expect(outcome(read(text, pieces: size)) == expected, "\(size)")
        }
    }

    @Test(
        "Whatever is not that is refused by its rule", .proves("NET-1"),
        arguments: [
            ("", "NET-1"), ("HTTP/1.1 200", "NET-1"), ("HTTP/1.1 200\r\n\r\n", "NET-1"),
            ("HTTP/2.0 200 OK\r\n\r\n", "NET-1"), ("HTTP/1.1  200 OK\r\n\r\n", "NET-1"),
            ("http/1.1 200 OK\r\n\r\n", "NET-1"), ("HTTP/1.1 2000 OK\r\n\r\n", "NET-1"),
            ("HTTP/1.1 20x OK\r\n\r\n", "NET-1"), ("HTTP/1.1 600 OK\r\n\r\n", "NET-1"),
            ("HTTP/1.1 099 OK\r\n\r\n", "NET-1"), ("HTTP/1.1 200 O\u{1}K\r\n\r\n", "NET-1"),
            ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "NET-1"), ("\r\nHTTP/1.1 200 OK\r\n\r\n", "NET-1"),
            ("HTTP/1.1 200 OK\n\n", "HTP-2"), ("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", "HTP-3"),
            ("HTTP/1.1 200 OK\r\n A: b\r\n\r\n", "HTP-9"), ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTP-11"),
            ("HTTP/1.1 200 OK\r\nA b\r\n\r\n", "HTP-10"), ("HTTP/1.1 200 OK\r\nA: \u{1}\r\n\r\n", "HTP-12"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", "HTP-15"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "HTP-15"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTP-16"),
            ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTP-16"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", "HTP-17"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "HTP-18"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "HTP-20"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "NET-1"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "NET-1"),
        ])
    func refused(text: String, expected: String) {
        for size in [.max, 1, 3] { #expect(outcome(read(text, pieces: size)) == expected, "\(size)") }
    }

    @Test("To HEAD there is no body, whatever the fields say", .proves("NET-1"))
    func head() {
        #expect(outcome(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: .head)) == "200 ")
        #expect(outcome(read("HTTP/1.1 200 OK\r\n\r\n", to: .head)) == "200 ")
    }

    @Test("What is equal to a limit passes, and one more does not", .proves("NET-2"))
    func limits() {
        var limits = HTTP1.Limits()
        limits.body = 5
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ] {
            #expect(outcome(read(text, limits: limits)) == "200 hello")
            limits.body = 4
            for size in [.max, 1] { #expect(outcome(read(text, pieces: size, limits: limits)) == "HTP-24") }
            limits.body = 5
        }
        let interim = "HTTP/1.1 100 Continue\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        #expect(outcome(read(String(repeating: interim, count: 8) + final)) == "200 ")
        #expect(outcome(read(String(repeating: interim, count: 9) + final)) == "NET-2")
    }

    @Test("After a refusal nothing is taken any more", .proves("NET-1"))
    func refusedForEver() {
        var reader = HTTP1.AnswerReader(to: .get)
        let refusal = reader.take(Array("HTTP/1.1 200\r\n".utf8).span)
        #expect(reader.take(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8).span) == refusal)
        #expect(reader.end() == refusal)
    }

    @Test("A request is written so that the strict reader takes it for the same", .proves("NET-3"))
    func requests() throws {
        for (text, method, body, path, host) in [
            ("http://localhost:8081/a/b?c=d", HTTP.Request.Method.get, "", "/a/b?c=d", "localhost:8081"),
            ("http://localhost", .post, "", "/", "localhost"),
            ("http://127.0.0.1:80/x", .post, "a=b", "/x", "127.0.0.1"),
            ("http://[::1]:1/", .delete, "", "/", "[::1]:1"),
        ] {
            let url = try WebURL(parsing: text)
            var request = HTTP.Request(method, .absolute(url), body: Array(body.utf8))
            for (name, value) in [
                ("DPoP", "x"), ("Host", "evil"), ("Content-Length", "9"), ("Connection", "keep-alive"),
                ("transfer-encoding", "chunked"),
            ] {
                try request.fields.append(HTTP.Field.Name(parsing: name), value)
            }
            var bytes: [UInt8] = []
            HTTP1.append(request, to: url, to: &bytes)
            var reader = HTTP1.Reader()
            var (taken, event) = reader.take(bytes.span)
            guard case .head(let head) = event else { throw TestFailure() }
            #expect(head.targetText == path)
            #expect(head.fields.value(of: .host).value == host)
            #expect(head.fields.value(of: .dpop).value == "x")
            #expect(!head.isPersistent)
            (taken, event) = reader.take(bytes.span.extracting(taken..<bytes.count))
            guard case .request(_, let read) = event else { throw TestFailure() }
            #expect(read == Array(body.utf8))
        }
    }

    private struct TestFailure: Error {}
}
