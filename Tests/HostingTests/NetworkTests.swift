import Glibc
@testable import Hosting
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenStores
import Wire

/// Requests to other services, of this machine.
@Suite("Hosting: outgoing requests")
struct NetworkTests {
    private func network(_ change: (inout Network.Policy) -> Void = { _ in }) -> Network {
        var policy = Network.Policy()
        policy.destinations = .anywhere
        // The other side may be a task, which waits for its turn when hundreds of tests run.
        policy.time = .seconds(10_000)
        change(&policy)
        return Network(policy: policy)
    }

    private func request(_ text: String, _ method: HTTP.Request.Method = .get) throws -> HTTP.Request {
        HTTP.Request(method, .absolute(try WebURL(parsing: text)))
    }

    /// Why a request has no answer: the rule.
    private func clause(of text: String, over network: Network) async throws -> String {
        let request = try request(text)
        do throws(NetworkFailure) {
            let answer = try await network.answer(to: request)
            return "\(answer.status.code)"
        } catch {
            return error.rule.clause
        }
    }

    /// Whatever a test sends as the answer to whatever comes, once for each connection.
    private final class Other: Sendable {
        let listener: Listener
        private let isOver = Mutex(false)
        private let heard = Mutex<[String]>([])

        var port: UInt16 { listener.port ?? 0 }
        var requests: [String] { heard.withLock { $0 } }

        init(_ answer: @escaping @Sendable (Int32) -> Void) throws {
            listener = try #require(try Listener.listen(at: .version4(URI.IPv4Address(bits: 0x7f00_0001), 0)).first)
            let code = OwnThread.start { [self] in
                while !isOver.withLock({ $0 }) {
                    var place = pollfd(fd: listener.socket.number, events: Int16(POLLIN), revents: 0)
                    guard poll(&place, 1, 50) > 0, case .connection(let socket, _) = listener.accept() else { continue }
                    _ = fcntl(socket.number, F_SETFL, 0)
                    var patience = timeval(tv_sec: 0, tv_usec: 200_000)
                    setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    let count = recv(socket.number, &buffer, buffer.count, 0)
                    if count > 0 { heard.withLock { $0.append(String(decoding: buffer[..<count], as: UTF8.self)) } }
                    answer(socket.number)
                }
            }
            precondition(code == 0)
        }

        func end() { isOver.withLock { $0 = true } }
    }

    private static func say(_ text: String, to socket: Int32) {
        _ = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    @Test("A request gets the answer that a server of this package gives", .proves("NET-3"))
    func answered() async throws {
        var policy = Server.Policy()
        policy.workers = TestWorkers.shared
        let listeners = try Listener.listen(at: .loopback(0))
        let server = try Server(at: listeners, policy: policy) { request, _ in
            HTTP.Response(.ok, body: Array("\(request.method.text) \(request.target.path)".utf8) + request.body)
        }
        let work = Task { try await server.run() }
        let port = listeners[0].port ?? 0
        for host in ["localhost", "127.0.0.1"] {
            var request = try request("http://\(host):\(port)/a", .post)
            request.body = [UInt8](repeating: 0x62, count: 500_000)
            let answer = try await network().answer(to: request)
            #expect(answer.status == .ok && answer.body.count == 500_007, "\(answer)")
        }
        server.stop()
        try await work.value
    }

    @Test(
        "What is not loopback is asked over TLS alone, and what is may be closed as well", .proves("NET-4"),
        .proves("NET-5"))
    func destinations() async throws {
        for text in ["http://192.0.2.1/", "http://example.org/", "http://[2001:db8::1]/", "http://localhost.example/"] {
            #expect(try await clause(of: text, over: network()) == "NET-4", "\(text)")
        }
        #if !Curl
        #expect(try await clause(of: "https://example.org/", over: network()) == "NET-4")
        #endif
        for text in ["http://localhost:1/", "http://127.0.0.1:1/", "http://127.1.2.3:1/", "http://[::1]:1/"] {
            #expect(try await clause(of: text, over: network { $0.destinations = .worldwide }) == "NET-5", "\(text)")
            #expect(try await clause(of: text, over: network()) == "NET-3", "\(text)")
        }
        let pathOnly = HTTP.Request(.get, try HTTP.Request.Target(parsing: "/a"))
        await #expect(throws: NetworkFailure.self) { try await network().answer(to: pathOnly) }
        #expect(await network().send(pathOnly) == nil)
    }

    @Test("Redirects are answers, and nothing is sent twice", .proves("NET-6"))
    func once() async throws {
        let other = try Other { Self.say("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", to: $0) }
        defer { other.end() }
        #expect(await network().send(try request("http://127.0.0.1:\(other.port)/a"))?.status.code == 302)
        #expect(other.requests.count == 1)
        let mute = try Other { _ in }
        defer { mute.end() }
        #expect(try await clause(of: "http://127.0.0.1:\(mute.port)/a", over: network()) == "NET-1")
        #expect(mute.requests.count == 1)
    }

    @Test("Whoever is silent, drips, says too much or breaks the rules is not waited for", .proves("NET-2"))
    func unruly() async throws {
        let silent = try Other { _ in sleep(2) }
        let endless = try Other { socket in
            for _ in 0..<400 { Self.say(String(repeating: "a", count: 8_192), to: socket) }
        }
        let drip = try Other { socket in
            for _ in 0..<40 {
                Self.say("H", to: socket)
                usleep(50_000)
            }
        }
        let large = try Other { socket in
            let body = String(repeating: "a", count: 2_000)
            Self.say("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + body, to: socket)
        }
        defer { for other in [silent, endless, drip, large] { other.end() } }
        let hasty = network { $0.time = .milliseconds(400) }
        #expect(try await clause(of: "http://127.0.0.1:\(silent.port)/", over: hasty) == "NET-2")
        #expect(try await clause(of: "http://127.0.0.1:\(endless.port)/", over: network()) == "HTP-24")
        #expect(try await clause(of: "http://127.0.0.1:\(drip.port)/", over: hasty) == "NET-2")
        let small = network { $0.responseLimit = 1_999 }
        #expect(try await clause(of: "http://127.0.0.1:\(large.port)/", over: small) == "HTP-24")
        let exact = network { $0.responseLimit = 2_000 }
        #expect(await exact.send(try request("http://127.0.0.1:\(large.port)/"))?.body.count == 2_000)
    }

    @Test("So many calls are made at a time, so many wait, and the next one is refused at once", .proves("NET-2"))
    func turns() async throws {
        let slow = try Other { socket in
            usleep(300_000)
            Self.say("HTTP/1.1 204 No Content\r\n\r\n", to: socket)
        }
        defer { slow.end() }
        let narrow = network { ($0.callLimit, $0.waitingLimit) = (1, 1) }
        let url = "http://127.0.0.1:\(slow.port)/"
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<6 { group.addTask { (try? await self.clause(of: url, over: narrow)) ?? "" } }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == "204" } >= 2, "\(outcomes)")
        #expect(outcomes.allSatisfy { $0 == "204" || $0 == "NET-2" }, "\(outcomes)")
        #expect(try await clause(of: url, over: narrow) == "204")
    }

    @Test("Whoever is cancelled does not wait for the answer", .proves("NET-2"))
    func cancelled() async throws {
        let silent = try Other { _ in sleep(3) }
        defer { silent.end() }
        let request = try request("http://127.0.0.1:\(silent.port)/")
        let network = network { $0.time = .seconds(3_000) }
        let task = Task { () -> Bool in
            do throws(NetworkFailure) {
                _ = try await network.answer(to: request)
                return false
            } catch {
                guard case .cancelled = error else { return false }
                return true
            }
        }
        task.cancel()
        #expect(await task.value)
    }
}
