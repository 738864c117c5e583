import Federation
import Hosting
import TokenStores
import TokenTree
import Wire

/// What the documentation shows, compiled: it listens at ports that a machine has once, and hears of signals that end
/// tests.
enum HostingExamples {
    static func serve() async throws {
        // example: a server
        let server = try Server(at: Listener.listen(at: .loopback(8080))) { request, client in
            HTTP.Response(.ok, body: Array("Hello, \(client)\n".utf8))
        }
        try await server.run()
        // end of example
    }

    static func serveBehindWebServer() async throws {
        // example: a server behind a web server
        var policy = Server.Policy()
        policy.dialect = .scgi
        policy.origin = try WebURL(parsing: "https://id.example.edu")
        let gateway = try Server(at: Listener.listen(at: .path("/run/eduid/scgi")), policy: policy) { request, client in
            HTTP.Response(.noContent)
        }
        // end of example
        try await gateway.run()
    }

    static func serveParty(
        keys: Authority.Keys, store: JournalStore, clock: @escaping @Sendable () -> Timestamp
    ) async throws {
        // example: a party at a server
        let accounts = try Accounts(at: "/etc/eduid/accounts")
        let network = Network()
        let service = try EduIDService("https://id.example.edu", keys: keys, users: accounts.directory)
        let host = EduIDService.Host(service, in: store, clock: clock, network: { await network.send($0) })
        let front = try Server(at: Listener.listen(at: .loopback(8080))) { request, client in
            await host.response(to: request)
        }
        // end of example
        try await front.run()
    }

    static func servePages(
        _ host: EduIDService.Host<JournalStore>, issuer: WebURL, clock: @escaping @Sendable () -> Timestamp
    ) async throws {
        // example: pages at a server
        let pages = Pages(host, at: issuer, PageSettings(named: "Swiss edu-ID"), clock: clock)
        let open = try Server(at: Listener.listen(at: .loopback(8080))) { request, client in
            if let page = await pages.response(to: request, from: client) { return page }
            return await host.response(to: request)
        }
        // end of example
        try await open.run()
    }

    static func serveUnderManager() async throws {
        // example: a process under a service manager
        let manager = try ServiceManager()
        let inherited = manager.listeners.map { $0.listener }
        let own = try inherited.isEmpty ? Listener.listen(at: .loopback(8080)) : inherited
        let service = try Server(at: own) { request, client in HTTP.Response(.ok) }
        let signals = try Signal.heard()
        let work = Task { try await service.run() }
        manager.tell(.ready)
        for await signal in signals where signal == .stop {
            manager.tell(.stopping)
            service.stop()
            break
        }
        try await work.value
        // end of example
    }
}
