import Glibc
import TestSupport
import Testing
import Wire

@testable import Hosting

/// One request by CGI/1.1: from the environment and standard input to standard output.
@Suite("CGI: one process, one request", .proves("CGI-5"))
struct GatewayTests {
    private static let environment = [
        "GATEWAY_INTERFACE=CGI/1.1", "SERVER_PROTOCOL=HTTP/1.1", "REQUEST_METHOD=POST", "REQUEST_URI=/token?a",
        "CONTENT_LENGTH=5", "CONTENT_TYPE=text/plain", "HTTP_HOST=id.example", "REMOTE_ADDR=192.0.2.1", "HTTPS=on",
    ]

    private static func bytes(_ environment: [String]) -> [[UInt8]] { environment.map { Array($0.utf8) } }

    private static func environment(without name: String, and others: String...) -> [String] {
        environment.filter { !$0.hasPrefix(name + "=") } + others
    }

    /// Two ends of a pipe, which are closed with this.
    private final class Pipe {
        private(set) var reading: Int32
        private(set) var writing: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            (reading, writing) = (ends[0], ends[1])
        }

        deinit { for number in [reading, writing] where number >= 0 { close(number) } }

        func write(_ text: String) { _ = Glibc.write(writing, text, text.utf8.count) }

        func endWriting() {
            close(writing)
            writing = -1
        }

        /// What can be read by now.
        func read() -> String {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(reading, &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    private struct Served {
        let isWritten: Bool
        let answer: String
        let lines: [String]
        /// What of the input nobody read.
        let rest: String
    }

    /// Serves a request; of an input that goes on, the end is left open.
    private func serve(
        _ environment: [[UInt8]], input text: String = "a=b&c", endingInput ends: Bool = true,
        policy: Server.Policy = Server.Policy(),
        _ answer: @escaping Server.Answering = { request, client in
            let words = "\(request.method.text) \(request.target.path) \(client) "
            return HTTP.Response(.ok, body: Array(words.utf8) + request.body)
        }
    ) async throws -> Served {
        let (input, output) = (Pipe(), Pipe())
        input.write(text)
        if ends { input.endWriting() }
        let gateway = try #require(
            Gateway(environment: environment, input: input.reading, output: output.writing))
        var lines: [String] = []
        let isWritten = await gateway.serve(policy: policy, log: { lines.append("\($0)") }, answer: answer)
        output.endWriting()
        let rest = ends ? input.read() : ""
        return Served(isWritten: isWritten, answer: output.read(), lines: lines, rest: rest)
    }

    @Test("The request is answered, with the body that was told and no byte more", .proves("CGI-1"), .proves("CGI-3"))
    func answered() async throws {
        let served = try await serve(Self.bytes(Self.environment), input: "a=b&cREST")
        #expect(served.isWritten)
        #expect(
            served.answer
                == "Status: 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 27\r\n\r\n"
                + "POST /token 192.0.2.1 a=b&c")
        #expect(served.rest == "REST")
        #expect(served.lines.count == 1 && served.lines[0].hasSuffix(" 192.0.2.1 POST /token 200 27"))
    }

    @Test("Without a web server there is nothing to answer, whatever else the environment says", .proves("CGI-2"))
    func elsewhere() {
        let others = Self.environment(without: "GATEWAY_INTERFACE", and: "HTTP_GATEWAY_INTERFACE=CGI/1.1")
        for environment in [[], Self.bytes(others)] {
            let gateway = Gateway(environment: environment, input: 0, output: 1)
            #expect(gateway == nil)
        }
        let own = Gateway()
        #expect(own == nil)
    }

    @Test("What cannot be read is refused before anybody is asked", .proves("CGI-2"), .proves("CGI-4"))
    func refused() async throws {
        var policy = Server.Policy()
        policy.authorities = ["id.example"]
        let cases: [(environment: [[UInt8]], status: String, rule: String)] = [
            (Self.bytes(Self.environment(without: "SERVER_PROTOCOL")), "400", "CGI-2"),
            (Self.bytes(Self.environment(without: "", and: "HTTP_HOST=id.example")), "400", "SCG-5"),
            (Self.bytes(Self.environment) + [Array("HTTP_X=".utf8) + [0xff]], "400", "SCG-8"),
            (Self.bytes(Self.environment(without: "HTTP_HOST", and: "HTTP_HOST=evil.example")), "421", "HTP-14"),
            (Self.bytes(Self.environment(without: "CONTENT_LENGTH", and: "CONTENT_LENGTH=6")), "408", "SCG-9"),
        ]
        for (environment, status, rule) in cases {
            let served = try await serve(environment, policy: policy) { _, _ in
                Issue.record("somebody was asked: \(rule)")
                return HTTP.Response(.ok)
            }
            #expect(served.answer.hasPrefix("Status: \(status) "), "\(rule): \(served.answer)")
            #expect(served.lines.count == 1 && served.lines[0].hasSuffix(" \(rule)"), "\(served.lines)")
        }
    }

    @Test("Nobody is waited for without end") func slow() async throws {
        var policy = Server.Policy()
        policy.bodyTime = .milliseconds(50)
        policy.answerTime = .milliseconds(50)
        let body = try await serve(Self.bytes(Self.environment), input: "a=b", endingInput: false, policy: policy)
        #expect(body.answer.hasPrefix("Status: 408 "))
        let answer = try await serve(Self.bytes(Self.environment), policy: policy) { _, _ in
            try? await Task.sleep(for: .seconds(86_400))
            return HTTP.Response(.ok)
        }
        #expect(answer.answer.hasPrefix("Status: 503 ") && answer.lines[0].hasSuffix(" SYS-5"))
    }

    @Test("The server as a whole is told of, and paths of answers are made absolute") func others() async throws {
        let whole = Self.environment(without: "REQUEST_METHOD", and: "REQUEST_METHOD=OPTIONS")
            .map { $0.hasPrefix("REQUEST_URI=") ? "REQUEST_URI=*" : $0 }
        #expect(try await serve(Self.bytes(whole)).answer.hasPrefix("Status: 204 "))
        var policy = Server.Policy()
        policy.origin = try WebURL(parsing: "https://id.example")
        let served = try await serve(Self.bytes(Self.environment), policy: policy) { _, _ in
            var response = HTTP.Response(.found)
            try? response.fields.append(.location, "/account")
            return response
        }
        #expect(served.answer.contains("Location: https://id.example/account\r\n"), "\(served.answer)")
    }

    @Test("Where nothing can be answered that is said, and an answer that nobody takes is told")
    func failing() async throws {
        let output = Pipe()
        let gateway = try #require(
            Gateway(environment: Self.bytes(Self.environment), input: -1, output: output.writing))
        #expect(gateway.fail())
        #expect(output.read().hasPrefix("Status: 500 Internal Server Error\r\n"))
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let unread = try #require(Gateway(environment: Self.bytes(Self.environment), input: -1, output: full))
        #expect(!unread.fail())
    }
}
