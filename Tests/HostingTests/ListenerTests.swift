import Glibc
import TestSupport
import Testing
@testable import Hosting
import Wire

@Suite("Hosting: where to listen")
struct ListenerTests {
    @Test("Addresses as they are written", .proves("SYS-8")) func addresses() throws {
        for text in ["loopback:0", "127.0.0.1:8080", "[::1]:80", "0.0.0.0:1", "[2001:db8::1]:65535", "unix:/run/eduid"]
        {
            #expect(Address(text)?.description == text)
        }
        for text in [
            "", "8080", ":8080", "loopback", "loopback:", "loopback:65536", "loopback:-1", "loopback:+1", "loopback:01",
            "localhost:80", "::1:80", "[::1]", "127.0.0.1", "127.1:80", "unix:run", "unix:", "unix:/a\u{0}b",
        ] {
            #expect(Address(text) == nil, "\(text)")
        }
        let locals = ["loopback:1", "127.9.9.9:1", "[::1]:1", "unix:/a"].compactMap { Address($0) }
        #expect(locals.count == 4 && locals.allSatisfy { $0.isLocal })
        #expect(["0.0.0.0:1", "[::]:1", "192.0.2.1:1"].compactMap { Address($0) }.allSatisfy { !$0.isLocal })
    }

    @Test("Loopback means both versions, at one port", .proves("SYS-8")) func loopback() throws {
        let listeners = try Listener.listen(at: .loopback(0))
        #expect(listeners.allSatisfy { $0.isLocal && $0.port == listeners[0].port })
        #expect(throws: HostingFailure.taken(address: "127.0.0.1:\(listeners[0].port ?? 0)")) {
            try Listener.listen(at: .version4(URI.IPv4Address(bits: 0x7f00_0001), listeners[0].port ?? 0))
        }
    }

    @Test("The path of a server that has stopped is gone, whoever still has its listener", .proves("SYS-7"))
    func pathOfStopped() async throws {
        let path = temporaryPath("stopped")
        let listeners = try Listener.listen(at: .path(path))
        var policy = Server.Policy()
        policy.workers = TestWorkers.shared
        let server = try Server(at: listeners, policy: policy) { _, _ in HTTP.Response(.ok) }
        let work = Task { try await server.run() }
        var status = stat()
        #expect(lstat(path, &status) == 0)
        server.stop()
        try await work.value
        #expect(lstat(path, &status) != 0 && listeners.count == 1)
        // It removes no path that another one has since.
        let next = try Listener.listen(at: .path(path))
        listeners[0].withdraw()
        #expect(lstat(path, &status) == 0 && next.count == 1)
    }

    @Test("A path: owner and group, no rubbish, nothing of others", .proves("SYS-7")) func paths() throws {
        let path = temporaryPath("socket")
        var listeners = try Listener.listen(at: .path(path))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
        #expect(listeners[0].port == nil)
        #expect(throws: HostingFailure.taken(address: "unix:" + path)) { try Listener.listen(at: .path(path)) }
        listeners = []
        #expect(lstat(path, &status) != 0)

        // What a process left that has ended is removed, what is no socket is not.
        let name = try #require(SocketName(path: path))
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(name.with { bind(number, $0, $1) } == 0)
        close(number)
        listeners = try Listener.listen(at: .path(path))
        #expect(throws: Never.self) { try TestClient(name) }
        listeners = []
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: HostingFailure.notASocket(path: path)) { try Listener.listen(at: .path(path)) }
        #expect(lstat(path, &status) == 0)
        unlink(path)

        let long = "/tmp/" + String(repeating: "x", count: 103)
        #expect(throws: HostingFailure.pathTooLong(long)) { try Listener.listen(at: .path(long)) }
        #expect(throws: HostingFailure.self) { try Listener.listen(at: .path("/nowhere/socket")) }
    }

    @Test("SCGI believes whoever connects, and so is local", .proves("SCG-12")) func gateways() throws {
        var policy = Server.Policy()
        policy.dialect = .scgi
        let open = try Listener.listen(at: .version4(URI.IPv4Address(bits: 0), 0))
        #expect(throws: HostingFailure.publicSCGI(address: "0.0.0.0:0")) {
            try Server(at: open, policy: policy) { _, _ in HTTP.Response(.ok) }
        }
        let local = try Listener.listen(at: .loopback(0))
        #expect(throws: Never.self) { try Server(at: local, policy: policy) { _, _ in HTTP.Response(.ok) } }
    }
}

@Suite("Hosting: the service manager")
struct ServiceManagerTests {
    private func manager(_ environment: [String: String]) throws -> ServiceManager {
        try ServiceManager(environment: { environment[$0] }, process: 42)
    }

    @Test("Only what is meant for this process, and listens, is taken over", .proves("SYS-1")) func activation() throws
    {
        #expect(try manager([:]).listeners.isEmpty)
        #expect(try manager(["LISTEN_PID": "41", "LISTEN_FDS": "1"]).listeners.isEmpty)
        #expect(try manager(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).listeners.isEmpty)
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let name = SocketName(URI.IPv4Address(bits: 0x7f00_0001), 0)
        #expect(name.with { bind(number, $0, $1) } == 0)
        #expect(throws: HostingFailure.notListening(descriptor: number)) { try Listener(inherited: number) }
        #expect(listen(number, 1) == 0)
        let listener = try Listener(inherited: number)
        #expect(listener.isLocal && listener.port != nil && fcntl(number, F_GETFD) == FD_CLOEXEC)
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(throws: HostingFailure.notListening(descriptor: file)) { try Listener(inherited: file) }
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(datagrams) }
        #expect(throws: HostingFailure.notListening(descriptor: datagrams)) { try Listener(inherited: datagrams) }
    }

    @Test("It hears how far the process is", .proves("SYS-2"), arguments: [false, true])
    func notification(isAbstract: Bool) throws {
        let path = (isAbstract ? "@" : "") + temporaryPath("notify")
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer {
            close(receiver)
            unlink(path)
        }
        let name = try #require(SocketName(path: path))
        try #require(name.with { bind(receiver, $0, $1) } == 0)
        let manager = try manager(["NOTIFY_SOCKET": path])
        func heard() -> String {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
        let states: [(ServiceManager.State, String)] = [
            (.ready, "READY=1"), (.stopping, "STOPPING=1"), (.alive, "WATCHDOG=1"),
            (.status("two\nlines"), "STATUS=two lines"),
        ]
        for (state, words) in states {
            manager.tell(state)
            #expect(heard() == words)
        }
        manager.tell(.reloading)
        let reloading = heard()
        let time = reloading.dropFirst("RELOADING=1\nMONOTONIC_USEC=".count)
        #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") && Int64(time) != nil)
        // Nobody listens: nothing is waited for, and nothing happens.
        try self.manager(["NOTIFY_SOCKET": "relative"]).tell(.ready)
        try self.manager(["NOTIFY_SOCKET": temporaryPath("nobody")]).tell(.ready)
        #expect(heard().isEmpty)
    }

    @Test("Signs of life twice as often as it wants them", .proves("SYS-2")) func heartbeat() throws {
        #expect(try manager(["WATCHDOG_USEC": "3000000"]).heartbeat == .milliseconds(1_500))
        #expect(try manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"]).heartbeat == .milliseconds(1_500))
        #expect(try manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "43"]).heartbeat == nil)
        #expect(try manager(["WATCHDOG_USEC": "0"]).heartbeat == nil)
        #expect(try manager([:]).heartbeat == nil)
    }

    @Test("Signals are heard, and end nothing by themselves", .proves("SYS-4")) func signals() async throws {
        let signals = try Signal.heard()
        #expect(throws: HostingFailure.self) { try Signal.heard() }
        kill(getpid(), SIGHUP)
        kill(getpid(), SIGPIPE)
        kill(getpid(), SIGTERM)
        var heard: [Signal] = []
        for await signal in signals {
            heard.append(signal)
            if heard.count == 2 { break }
        }
        #expect(Set(heard) == [.reload, .stop])
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
        signal(SIGHUP, SIG_DFL)
    }
}
