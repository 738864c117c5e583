import Glibc
import Synchronization
import TestSupport
import Testing
@testable import Hosting
@testable import Wire

/// Serves while a test speaks to it, and ends with it.
private func serving(
    _ policy: Server.Policy = Server.Policy(), at address: Address = .version4(URI.IPv4Address(bits: 0x7f00_0001), 0),
    log: @escaping @Sendable (AccessLine) -> Void = { _ in },
    answer: @escaping Server.Answering = { request, _ in HTTP.Response(.ok, body: Array(request.target.path.utf8)) },
    _ body: @escaping @Sendable (Server, UInt16) throws -> Void
) async throws {
    let listeners = try Listener.listen(at: address)
    var policy = policy
    policy.workers = TestWorkers.shared
    let server = try Server(at: listeners, policy: policy, log: log, answer: answer)
    let running = Task(executorPreference: TestWorkers.shared) { try await server.run() }
    defer { running.cancel() }
    let port = listeners[0].port ?? 0
    try await onThread { try body(server, port) }
    server.stop()
    server.stop()
    try await running.value
}

private func get(_ path: String, closing: Bool = false) -> String {
    "GET \(path) HTTP/1.1\r\nHost: h\r\n" + (closing ? "Connection: close\r\n" : "") + "\r\n"
}

@Suite("Hosting: a server at sockets")
struct ServerTests {
    @Test("Many requests of one connection, and many connections at once") func answers() async throws {
        try await serving { _, port in
            let client = try TestClient(port)
            for number in 0..<50 {
                client.send(get("/\(number)"))
                #expect(client.receive(10).text.hasSuffix("\r\n\r\n/\(number)"))
            }
            let clients = try (0..<100).map { _ in try TestClient(port) }
            for (number, client) in clients.enumerated() { client.send(get("/\(number)", closing: true)) }
            for (number, client) in clients.enumerated() {
                let (text, isOver) = client.receive()
                #expect(text.hasSuffix("\r\n\r\n/\(number)") && isOver)
            }
        }
    }

    @Test("Who does not read holds nobody up, and gets all of it") func slowReader() async throws {
        let size = 8 << 20
        try await serving(answer: { request, _ in
            HTTP.Response(.ok, body: [UInt8](repeating: 0x78, count: request.target.path == "/large" ? size : 1))
        }) { _, port in
            let slow = try TestClient(port)
            slow.send(get("/large", closing: true))
            for _ in 0..<20 {
                let client = try TestClient(port)
                client.send(get("/", closing: true))
                #expect(client.receive().text.hasSuffix("\r\n\r\nx"))
            }
            #expect(slow.receive().text.utf8.count > size)
        }
    }

    @Test("Beyond the limit the one goes that is without a request for longest", .proves("SYS-6"))
    func limit() async throws {
        var policy = Server.Policy()
        policy.connectionLimit = 4
        try await serving(policy) { _, port in
            var clients: [TestClient] = []
            for number in 0..<4 {
                let client = try TestClient(port)
                client.send(get("/\(number)"))
                #expect(client.receive(10).text.contains("200 OK"))
                clients.append(client)
            }
            // The first one is used again, so that the second one waits for longest.
            clients[0].send(get("/again"))
            #expect(clients[0].receive(10).text.contains("/again"))
            let fifth = try TestClient(port)
            fifth.send(get("/5"))
            #expect(fifth.receive(10).text.contains("/5"))
            #expect(clients[1].isClosed)
            clients[0].send(get("/still"))
            #expect(clients[0].receive(10).text.contains("/still"))
        }
    }

    @Test("Where all have a request, the next one waits until one ends", .proves("SYS-6")) func full() async throws {
        var policy = Server.Policy()
        policy.connectionLimit = 2
        let gate = Gate()
        try await serving(
            policy,
            answer: { request, _ in
                if request.target.path == "/wait" { await gate.pass() }
                return HTTP.Response(.ok, body: Array(request.target.path.utf8))
            }
        ) { _, port in
            let busy = try (0..<2).map { _ in try TestClient(port) }
            for client in busy { client.send(get("/wait", closing: true)) }
            try gate.waiters(2)
            let late = try TestClient(port)
            late.send(get("/late", closing: true))
            usleep(50_000)
            gate.open()
            for client in busy { #expect(client.receive().text.hasSuffix("/wait")) }
            #expect(late.receive().text.hasSuffix("/late"))
        }
    }

    @Test("Answers that nobody waits for any more are bounded as well", .proves("SYS-6"))
    func searches() async throws {
        var policy = Server.Policy()
        policy.connectionLimit = 2
        policy.answerTime = .milliseconds(1)
        let gate = Gate()
        try await serving(
            policy,
            answer: { _, _ in
                await gate.pass()
                return HTTP.Response(.ok)
            }
        ) { _, port in
            for number in 1...2 {
                let client = try TestClient(port)
                client.send(get("/"))
                try gate.waiters(number)
                #expect(client.receive().text.hasPrefix("HTTP/1.1 503 "))
            }
            let third = try TestClient(port)
            third.send(get("/", closing: true))
            #expect(third.receive().text.hasPrefix("HTTP/1.1 503 "))
            #expect(gate.count == 2)
            gate.open()
        }
    }

    @Test("One peer has a quarter, unless it is trusted", .proves("SYS-6")) func share() async throws {
        var policy = Server.Policy()
        policy.connectionLimit = 8
        policy.isTrusted = { _ in false }
        try await serving(policy) { _, port in
            let clients = try (0..<3).map { _ in try TestClient(port) }
            for client in clients { client.send(get("/")) }
            #expect(clients[0].receive(10).text.contains("200 OK") && clients[1].receive(10).text.contains("200 OK"))
            #expect(clients[2].isClosed)
        }
    }

    @Test("Told to stop, it ends what has begun and takes nothing more", .proves("SYS-3")) func draining() async throws
    {
        let gate = Gate()
        let listeners = try Listener.listen(at: .version4(URI.IPv4Address(bits: 0x7f00_0001), 0))
        let port = try #require(listeners[0].port)
        var policy = Server.Policy()
        policy.workers = TestWorkers.shared
        let server = try Server(at: listeners, policy: policy) { request, _ in
            await gate.pass()
            return HTTP.Response(.ok, body: Array("done".utf8))
        }
        let running = Task(executorPreference: TestWorkers.shared) { try await server.run() }
        try await onThread {
            let (idle, busy) = (try TestClient(port), try TestClient(port))
            busy.send(get("/"))
            try gate.waiters(1)
            server.stop()
            #expect(idle.isClosed)
            gate.open()
            let (text, isOver) = busy.receive()
            #expect(text.contains("\r\nConnection: close\r\n") && text.hasSuffix("done") && isOver)
        }
        try await running.value
    }

    @Test("Told twice, or with the task cancelled and time over, it ends at once", .proves("SYS-3"))
    func ending() async throws {
        let gate = Gate()
        try await serving(answer: { _, _ in
            await gate.pass()
            return HTTP.Response(.ok)
        }) { server, port in
            let client = try TestClient(port)
            client.send(get("/"))
            try gate.waiters(1)
            server.stop()
            server.stop()
            #expect(client.isClosed)
        }
        var policy = Server.Policy()
        policy.drainTime = .milliseconds(300)
        policy.workers = TestWorkers.shared
        let listeners = try Listener.listen(at: .version4(URI.IPv4Address(bits: 0x7f00_0001), 0))
        let server = try Server(at: listeners, policy: policy) { _, _ in
            await gate.pass()
            return HTTP.Response(.ok)
        }
        let running = Task(executorPreference: TestWorkers.shared) { try await server.run() }
        let port = try #require(listeners[0].port)
        try await onThread {
            let client = try TestClient(port)
            client.send(get("/"))
            try gate.waiters(2)
            running.cancel()
            #expect(client.isClosed)
        }
        try await running.value
        gate.open()
    }

    @Test("The log, signs of life, and the server as a whole") func hooks() async throws {
        let lines = Mutex<[AccessLine]>([])
        let pulses = Mutex(0)
        var policy = Server.Policy()
        policy.pulse = Server.Pulse(every: .milliseconds(1)) { pulses.withLock { $0 += 1 } }
        try await serving(policy, log: { line in lines.withLock { $0.append(line) } }) { _, port in
            let client = try TestClient(port)
            client.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n" + get("/x") + "bad\r\n")
            let text = client.receive().text
            #expect(text.hasPrefix("HTTP/1.1 204 No Content\r\n") && text.contains("HTTP/1.1 400 "))
        }
        let told = lines.withLock { $0.map { "\($0.request ?? "-") \($0.status) \($0.rule ?? "")" } }
        #expect(told == ["OPTIONS * 204 ", "GET /x 200 ", "- 400 HTP-5"])
        #expect(pulses.withLock { $0 } > 0)
    }

    @Test("The same by the call that every system has") func polling() async throws {
        try await Self.serve(waitingWith: ListPolling())
    }

    @Test("What is told too late of a connection means nothing to the next one with its number")
    func late() async throws {
        try await Self.serve(waitingWith: LatePolling())
    }

    private static func serve(waitingWith readiness: some Readiness) async throws {
        let listeners = try Listener.listen(at: .version4(URI.IPv4Address(bits: 0x7f00_0001), 0))
        let port = try #require(listeners[0].port)
        let mailbox = try Mailbox()
        var policy = Server.Policy()
        policy.workers = TestWorkers.shared
        let loop = Loop(
            listeners, policy: policy, mailbox: mailbox, readiness: readiness, log: { _ in }
        ) { request, _ in HTTP.Response(.ok, body: Array(request.target.path.utf8)) }
        let serving = Task(executorPreference: TestWorkers.shared) {
            var loop = loop
            loop.run()
        }
        try await onThread {
            let clients = try (0..<20).map { _ in try TestClient(port) }
            for (number, client) in clients.enumerated() { client.send(get("/\(number)", closing: number % 2 == 0)) }
            for (number, client) in clients.enumerated() {
                #expect(client.receive(10).text.hasSuffix("/\(number)"))
            }
            mailbox.post(.drain)
        }
        await serving.value
    }
}

/// Tells of each connection what was true of an earlier one with its number as well.
private struct LatePolling: Readiness {
    private var base = ListPolling()

    mutating func add(_ socket: Int32, _ interest: Interest, token: UInt64) {
        base.add(socket, interest, token: token)
    }

    mutating func change(_ socket: Int32, _ interest: Interest, token: UInt64) {
        base.change(socket, interest, token: token)
    }

    mutating func remove(_ socket: Int32) { base.remove(socket) }

    mutating func wait(_ milliseconds: Int32, _ tell: (UInt64, Interest) -> Void) {
        base.wait(milliseconds) { token, interest in
            if token >> 32 != 0 { tell(token | 1 << 60, [.reading, .loss]) }
            tell(token, interest)
        }
    }
}

/// Lets requests wait until it is opened.
private final class Gate: Sendable {
    private let state = Mutex<(waiters: [CheckedContinuation<Void, Never>], count: Int, isOpen: Bool)>(([], 0, false))

    func pass() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                state.count += 1
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    var count: Int { state.withLock { $0.count } }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until so many have come.
    func waiters(_ count: Int) throws {
        for _ in 0..<2_000 where state.withLock({ $0.count }) < count { usleep(5_000) }
        try #require(state.withLock { $0.count } >= count)
    }
}
