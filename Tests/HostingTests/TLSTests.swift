#if Curl
import Foundation
@testable import Hosting
import RSD2
import TestSupport
import Testing
import Wire

/// Requests over TLS, against a server that shares no code with this package.
@Suite("Hosting: outgoing requests over TLS", .enabled(if: TLSServer.isPossible), .serialized)
struct TLSTests {
    private func network(
        _ server: TLSServer, _ change: (inout Network.Policy) -> Void = { _ in }
    ) -> Network {
        var policy = Network.Policy()
        policy.destinations = .anywhere
        policy.authorities = server.authorities
        policy.time = .seconds(30)
        change(&policy)
        return Network(policy: policy)
    }

    private func outcome(_ text: String, over network: Network) async throws -> String {
        let request = HTTP.Request(.get, .absolute(try WebURL(parsing: text)))
        do throws(NetworkFailure) {
            return "\(try await network.answer(to: request).status.code)"
        } catch {
            return error.rule.clause
        }
    }

    @Test("A request arrives as it was made, and its answer comes back", .proves("NET-3"), .proves("NET-4"))
    func answered() async throws {
        let server = try TLSServer()
        let url = try WebURL(parsing: server.url + "/echo?a=b")
        for (method, body) in [(HTTP.Request.Method.get, ""), (.post, "a=b&c"), (.post, ""), (.delete, "")] {
            var request = HTTP.Request(method, .absolute(url), body: Array(body.utf8))
            for (name, value) in [("DPoP", "proof"), ("Host", "evil"), ("Connection", "keep-alive"), ("X-Empty", "")] {
                try request.fields.append(HTTP.Field.Name(parsing: name), value)
            }
            let answer = try await network(server).answer(to: request)
            let told = try JSON(parsing: answer.body)
            #expect(answer.status == .ok)
            #expect(told["method"]?.string == method.text && told["path"] == "/echo?a=b", "\(told)")
            #expect(told["body"]?.string == body)
            let fields = told["fields"]?.object ?? [:]
            #expect(fields["dpop"] == "proof" && fields["x-empty"] == "" && fields["connection"] == "close", "\(told)")
            #expect(fields["host"]?.string == server.host)
            let added: Set<JSON.Name> = ["user-agent", "accept", "expect", "content-type", "accept-encoding"]
            #expect(fields.allSatisfy { !added.contains($0.name) }, "\(told)")
            #expect(answer.fields.value(of: try HTTP.Field.Name(parsing: "X-Told")).value == "yes")
        }
    }

    @Test("Who cannot show who he is gets nothing", .proves("NET-4"))
    func certificates() async throws {
        let server = try TLSServer()
        #expect(try await outcome(server.url + "/echo", over: network(server)) == "200")
        // Of an authority that nobody trusts here, and of another host.
        #expect(try await outcome(server.url + "/echo", over: network(server) { $0.authorities = nil }) == "NET-4")
        let other = server.url.replacingOccurrences(of: "localhost", with: "127.0.0.1")
        #expect(try await outcome(other + "/echo", over: network(server)) == "NET-4")
        #expect(server.paths == ["/echo"])
    }

    @Test("No address is asked that may not be", .proves("NET-5"))
    func destinations() async throws {
        let server = try TLSServer()
        let closed = network(server) { $0.destinations = .worldwide }
        #expect(try await outcome(server.url + "/echo", over: closed) == "NET-5")
        #expect(try await outcome("https://10.0.0.1/", over: closed) == "NET-5")
        #expect(try await outcome("https://[fe80::1]/", over: closed) == "NET-5")
        #expect(server.paths.isEmpty)
    }

    @Test("Redirects are answers, and what the environment says of proxies means nothing", .proves("NET-6"))
    func once() async throws {
        let server = try TLSServer()
        setenv("https_proxy", "http://127.0.0.1:1", 1)
        defer { unsetenv("https_proxy") }
        #expect(try await outcome(server.url + "/redirect", over: network(server)) == "302")
        #expect(server.paths == ["/redirect"])
    }

    @Test("Time, sizes and cancellation bound an answer", .proves("NET-2"))
    func limits() async throws {
        let server = try TLSServer()
        let exact = network(server) { $0.responseLimit = 100_000 }
        #expect(try await outcome(server.url + "/large", over: exact) == "200")
        let small = network(server) { $0.responseLimit = 99_999 }
        #expect(try await outcome(server.url + "/large", over: small) == "HTP-24")
        let hasty = network(server) { $0.time = .milliseconds(500) }
        #expect(try await outcome(server.url + "/slow", over: hasty) == "NET-2")
        let slow = HTTP.Request(.get, .absolute(try WebURL(parsing: server.url + "/slow")))
        let patient = network(server) { $0.time = .seconds(3_000) }
        let task = Task { () -> Bool in
            do throws(NetworkFailure) {
                _ = try await patient.answer(to: slow)
                return false
            } catch {
                guard case .cancelled = error else { return false }
                return true
            }
        }
        // Until it has arrived, or for as long as that may take.
        for _ in 0..<3_000 where server.paths.count(where: { $0 == "/slow" }) < 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        task.cancel()
        #expect(await task.value)
        #expect(try await outcome(server.url + "/short", over: network(server)) == "NET-1")
    }
}

/// A server of Python's, with a certificate of its own authority.
final class TLSServer {
    static let isPossible = ["/usr/bin/openssl", "/usr/bin/python3"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let folder: String
    private let process: Process
    let url: String

    var authorities: String { folder + "/authority.pem" }
    var host: String { String(url.dropFirst(8)) }

    /// The paths that were asked for.
    var paths: [String] {
        let text = (try? String(contentsOfFile: folder + "/paths", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    init() throws {
        folder = temporaryPath("tls")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let making = Process()
        making.executableURL = URL(filePath: "/bin/sh")
        making.arguments = ["-c", Self.making, folder]
        making.standardError = FileHandle.nullDevice
        try making.run()
        making.waitUntilExit()
        try #require(making.terminationStatus == 0)
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.server, folder]
        let output = Foundation.Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "https://localhost:" + line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit {
        // Threads of a pool have put off gentler signals, and what they start inherits that.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let making = """
        cd "$0" && new="openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        $new -subj /CN=authority -keyout authority.key -out authority.pem &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key.pem -out ask.pem &&
        printf 'subjectAltName=DNS:localhost\\nbasicConstraints=CA:FALSE\\n' > names &&
        openssl x509 -req -in ask.pem -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -extfile names -out own.pem
        """

    private static let server = """
        import http.server, json, ssl, sys, time
        folder = sys.argv[1]

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words): pass

            def answer(self):
                open(folder + "/paths", "a").write(self.path.split("?")[0] + "\\n")
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/slow": time.sleep(3000)
                if self.path == "/redirect":
                    self.send_response(302)
                    self.send_header("Location", "/echo")
                    told = b""
                elif self.path == "/large":
                    self.send_response(200)
                    told = b"a" * 100000
                elif self.path == "/short":
                    self.send_response(200)
                    self.send_header("Content-Length", "10")
                    self.end_headers()
                    self.wfile.write(b"abc")
                    self.close_connection = True
                    return
                else:
                    self.send_response(200)
                    self.send_header("X-Told", "yes")
                    fields = {name.lower(): value for name, value in self.headers.items()}
                    told = json.dumps({"method": self.command, "path": self.path, "fields": fields,
                                       "body": body.decode()}).encode()
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            do_GET = do_POST = do_DELETE = answer

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/own.pem", folder + "/key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
#endif
