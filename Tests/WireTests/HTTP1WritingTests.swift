import TestSupport
import Testing
@testable import Wire

@Suite("RFC 9112: writing answers")
struct HTTP1WritingTests {
    private static let date = "Tue, 15 Nov 1994 08:12:31 GMT"

    private func written(
        _ status: Int, _ fields: [(String, String)] = [], body: String = "", to method: HTTP.Request.Method? = .get,
        date: String? = date, isClosing: Bool = false
    ) throws -> String {
        var all = HTTP.Fields()
        for (name, value) in fields { try all.append(HTTP.Field.Name(parsing: Array(name.utf8).span), value) }
        let response = HTTP.Response(try #require(HTTP.Response.Status(status)), fields: all, body: Array(body.utf8))
        var output = Array("before".utf8)
        HTTP1.append(response, to: method, date: date, isClosing: isClosing, to: &output)
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasPrefix("before"))
        return String(text.dropFirst("before".count))
    }

    @Test("§4: status, reason, fields, body", .proves("HTP-31"), .proves("HTP-34")) func answers() throws {
        #expect(
            try written(200, [("Content-Type", "text/plain"), ("X", "ä")], body: "hello")
                == "HTTP/1.1 200 OK\r\nDate: \(Self.date)\r\nContent-Type: text/plain\r\nX: ä\r\nContent-Length: 5\r\n\r\nhello"
        )
        #expect(try written(299, date: nil) == "HTTP/1.1 299 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(try written(418).hasPrefix("HTTP/1.1 418 Client Error\r\n"))
        #expect(try written(599).hasPrefix("HTTP/1.1 599 Server Error\r\n"))
    }

    @Test("What would begin another field or end the head is not written", .proves("HTP-31")) func splitting() throws {
        for name in ["a\r\nb", "a b", "", "a:"] {
            var fields = HTTP.Fields()
            try fields.append(HTTP.Field(HTTP.Field.Name(text: name), "v"))
            var output: [UInt8] = []
            HTTP1.append(HTTP.Response(.ok, fields: fields), to: .get, date: nil, isClosing: false, to: &output)
            #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test("The framing is not the handler's", .proves("HTP-32")) func framing() throws {
        for name in ["Content-Length", "transfer-encoding", "CONNECTION", "Date"] {
            #expect(
                try written(200, [(name, "1"), ("a", "b")], body: "xy", date: nil)
                    == "HTTP/1.1 200 OK\r\na: b\r\nContent-Length: 2\r\n\r\nxy")
        }
    }

    @Test("RFC 9110 §§6.4.1, 8.6, 9.3.2: answers without a body", .proves("HTP-33")) func bodyless() throws {
        #expect(try written(204, body: "x", date: nil) == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(try written(304, body: "x", date: nil) == "HTTP/1.1 304 Not Modified\r\n\r\n")
        #expect(try written(205, body: "x", date: nil) == "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n")
        #expect(try written(200, body: "xyz", to: .head, date: nil) == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
        // Whoever gets an interim answer waits for the final one.
        #expect(try written(103, date: nil).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        var output: [UInt8] = []
        HTTP1.appendContinue(to: &output)
        #expect(output == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }

    @Test("§9.6: the last answer says so", .proves("HTP-35")) func closing() throws {
        #expect(try written(200, date: nil, isClosing: true).contains("\r\nConnection: close\r\n"))
        #expect(try !written(200, date: nil).contains("Connection"))
    }

    @Test("A server's own words", .proves("HTP-36")) func refusals() throws {
        for (code, words) in [
            (400, "Bad Request"), (408, "Request Timeout"), (413, "Content Too Large"), (414, "URI Too Long"),
            (417, "Expectation Failed"), (421, "Misdirected Request"), (431, "Request Header Fields Too Large"),
            (501, "Not Implemented"), (503, "Service Unavailable"), (505, "HTTP Version Not Supported"),
        ] {
            let answer = HTTP1.answer(refusing: try #require(HTTP.Response.Status(code)))
            #expect(answer.body == Array((words + "\n").utf8))
            #expect(answer.fields.values(of: .contentType) == ["text/plain; charset=utf-8"])
            #expect(answer.fields.values(of: .cacheControl) == ["no-store"])
            #expect(answer.fields.values(of: .retryAfter) == (code == 503 ? ["1"] : []))
        }
    }
}
