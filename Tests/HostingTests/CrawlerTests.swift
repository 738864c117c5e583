import Federation
import FederationTesting
@testable import Hosting
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

/// What is known of a federation's services between starts.
@Suite("A crawler at work")
struct CrawlerTests {
    /// A network with the services of a simulated federation, which can be cut, and a clock.
    private final class Net: Sendable {
        struct State {
            var parties: Parties
            var isCut = false
            var asked = 0
        }

        let state: Mutex<State>

        init() throws { state = Mutex(State(parties: try Parties(seed: 52))) }

        var listings: [Crawl.Listing] { state.withLock { $0.parties.federation.eduID.index.listings } }

        func send(_ request: HTTP.Request) -> HTTP.Response? {
            state.withLock { state in
                state.asked += 1
                return state.isCut ? nil : state.parties.federation.send(request)
            }
        }

        func mend() { state.withLock { $0.isCut = false } }

        func cut() { state.withLock { $0.isCut = true } }

        var now: Timestamp { state.withLock { $0.parties.federation.now } }

        func wait(_ time: Duration) { state.withLock { $0.parties.federation.wait(time) } }
    }

    private func crawler(
        _ net: Net, knowing known: [Crawl.Known] = []
    ) -> Crawler { Crawler(knowing: known) { net.send($0) } }

    /// What a crawler has read before nobody answers any more.
    private func readBeforeCut(_ net: Net) async -> [Crawl.Known] {
        let crawler = crawler(net)
        _ = await crawler.tick(for: net.listings) { net.now }
        net.cut()
        return crawler.known
    }

    @Test("All services of the index are found, and asked again when they say so", .proves("NET-7"))
    func found() async throws {
        let net = try Net()
        let crawler = crawler(net)
        let report = await crawler.tick(for: net.listings) { net.now }
        #expect(report.changed.count == 2)
        #expect(report.failed.isEmpty)
        #expect(crawler.directory.count == 2)
        let asked = net.state.withLock { $0.asked }
        #expect(await crawler.tick(for: net.listings) { net.now }.changed.isEmpty)
        #expect(net.state.withLock { $0.asked } == asked)
        net.wait(.seconds(3_601))
        #expect(await crawler.tick(for: net.listings) { net.now }.changed.isEmpty)
        #expect(net.state.withLock { $0.asked } > asked)
    }

    @Test("What was known before a restart is known after it, and not for ever", .proves("NET-8"))
    func restarted() async throws {
        let net = try Net()
        var crawler = crawler(net, knowing: await readBeforeCut(net))
        #expect(crawler.directory.count == 2)
        let patience = Crawl.Policy().patience
        for round in 1...patience {
            // A process for each of them.
            crawler = self.crawler(net, knowing: crawler.known)
            let report = await crawler.tick(for: net.listings) { net.now }
            #expect(report.failed.count == 2 && report.hasNews, "\(round)")
            #expect(crawler.directory.count == (round < patience ? 2 : 0), "\(round)")
        }
        #expect(await !crawler.tick(for: net.listings) { net.now }.hasNews)
    }

    @Test("Who answers again is read as often as ever, also by the next process", .proves("NET-8"))
    func recovered() async throws {
        let net = try Net()
        let first = crawler(net)
        #expect(await first.tick(for: net.listings) { net.now }.hasNews)
        net.cut()
        let second = crawler(net, knowing: first.known)
        _ = await second.tick(for: net.listings) { net.now }
        #expect(second.known.map(\.failures) == [1, 1])
        net.mend()
        let third = crawler(net, knowing: second.known)
        let report = await third.tick(for: net.listings) { net.now }
        #expect(report.changed.isEmpty && report.hasNews && third.known.map(\.failures) == [0, 0])
        #expect(await !crawler(net, knowing: third.known).tick(for: net.listings) { net.now }.hasNews)
    }

    @Test("What was known of a service that is listed no more is forgotten at once", .proves("NET-8"))
    func left() async throws {
        let net = try Net()
        let second = crawler(net, knowing: await readBeforeCut(net))
        let rest = Array(net.listings.dropFirst())
        let report = await second.tick(for: rest) { net.now }
        #expect(report.changed == [net.listings[0].service])
        #expect(second.directory.entries.map { $0.service } == rest.map { $0.service })
    }

    @Test("What was known of a host that is allowed no more is forgotten at once", .proves("threat-52"))
    func hostWithdrawn() async throws {
        let net = try Net()
        let all = await readBeforeCut(net)
        let (service, login) = (net.listings[0].service, try WebURL(parsing: "https://login.example.ch/oauth"))
        let known = try #require(all.first { $0.service == service })
        let rest = all.filter { $0.service != service }
        var moved = known.description
        let oauth2 = try ProtocolName(parsing: "org.ietf.oauth2")
        moved[oauth2] = ServiceDescription.API(oauth2, link: login.text)
        // What takes tokens there, what lies there, and what came from there.
        for (document, location, origin) in [
            (moved, known.location, known.origin), (known.description, login, known.origin),
            (known.description, known.location, login),
        ] {
            let other = Crawl.Known(service, document, at: location, from: origin, failures: 0)
            let second = crawler(net, knowing: [other] + rest)
            let allowing = [Crawl.Listing(service, allowedHosts: [login.host])] + net.listings.dropFirst()
            #expect(await second.tick(for: allowing) { net.now }.changed.isEmpty)
            let third = crawler(net, knowing: second.known)
            #expect(await third.tick(for: net.listings) { net.now }.changed == [service])
            #expect(third.directory.entries.map { $0.service } == net.listings.dropFirst().map { $0.service })
            #expect(await second.tick(for: net.listings) { net.now }.changed == [service])
            #expect(second.directory.entries.map { $0.service } == net.listings.dropFirst().map { $0.service })
        }
    }

    @Test("Who begins anew forgets a service that is listed no more, and one that does not answer", .proves("NET-8"))
    func startedOver() async throws {
        let net = try Net()
        let crawler = crawler(net)
        _ = await crawler.tick(for: net.listings) { net.now }
        let rest = Array(net.listings.dropFirst())
        crawler.startOver()
        let report = await crawler.tick(for: rest) { net.now }
        #expect(report.changed.contains(net.listings[0].service))
        #expect(crawler.directory.entries.map { $0.service } == rest.map { $0.service })
        net.cut()
        crawler.startOver()
        for _ in 1...Crawl.Policy().patience {
            #expect(crawler.directory.count == 1)
            _ = await crawler.tick(for: rest) { net.now }
            net.wait(.seconds(86_400))
        }
        #expect(crawler.directory.isEmpty)
    }
}
