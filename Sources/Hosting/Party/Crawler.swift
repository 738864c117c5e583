public import RSD2
internal import Synchronization
public import Wire

/// Keeps the descriptions of a federation's services known: asks the services that are due, and tells what has changed
/// (NET-7).
///
/// What was known before a restart stays until a service tells something else, leaves the index, is not allowed a host
/// any more that it takes tokens at, or has not answered as often as the policy is patient (NET-8).
public final class Crawler: Sendable {
    private let state: Mutex<State>
    private let network: @Sendable (HTTP.Request) async -> HTTP.Response?

    fileprivate struct State {
        var crawl: Crawl
        var directory: ServiceDirectory
        /// Services that are known from before, with how often they have not answered since.
        var failures: [ServiceURL: Int] = [:]
        var isTicking = false
    }

    /// The most requests of one tick.
    private static let requestsAtOnce = 64

    /// Begins with what was known before.
    ///
    /// - Parameter network: sends a request as a `PartyHost` has it sent.
    public init(
        policy: Crawl.Policy = Crawl.Policy(), knowing directory: ServiceDirectory = ServiceDirectory(),
        network: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?
    ) {
        var state = State(crawl: Crawl(policy: policy), directory: directory)
        state.startOver()
        self.state = Mutex(state)
        self.network = network
    }

    /// The descriptions that are known.
    public var directory: ServiceDirectory { state.withLock { $0.directory } }

    /// Has the next tick ask all services, also those that would be asked later.
    public func startOver() { state.withLock { $0.startOver() } }

    /// What came of a tick.
    public struct Report: Sendable {
        /// The services whose descriptions were found, have changed, or are given up.
        public internal(set) var changed: [ServiceURL] = []
        /// The services that could not be read, with the reason.
        public internal(set) var failed: [(service: ServiceURL, reason: Crawl.Failure)] = []
    }

    /// Asks the services of an index that are due, each at most once for each part of its publication; a call while
    /// another one is at work does nothing.
    public func tick(
        for listings: [Crawl.Listing], clock: @Sendable () -> Timestamp
    ) async -> Report {
        var report = Report()
        let isFirst = state.withLock { state in
            if state.isTicking { return false }
            state.isTicking = true
            state.note(state.crawl.setIndex(listings, at: clock()), in: &report)
            state.forget(allBut: listings, in: &report)
            return true
        }
        guard isFirst else { return report }
        defer { state.withLock { $0.isTicking = false } }
        while true {
            let requests = state.withLock { state in
                let work = state.crawl.requests(at: clock(), limit: Self.requestsAtOnce)
                state.note(work.events, in: &report)
                return work.requests
            }
            if requests.isEmpty { return report }
            await withTaskGroup(of: (UInt64, Crawl.Outcome).self) { group in
                for request in requests {
                    group.addTask { [network] in
                        (request.id, await network(request.http).map { .response($0) } ?? .failure)
                    }
                }
                for await (id, outcome) in group {
                    state.withLock { state in
                        state.note(state.crawl.receive(outcome, for: id, at: clock()), in: &report)
                    }
                }
            }
        }
    }
}

extension Crawler.State {
    fileprivate mutating func note(_ events: [Crawl.Event], in report: inout Crawler.Report) {
        for event in events {
            directory.apply(event)
            switch event {
            case .found(let service, _):
                failures[service] = nil
                report.changed.append(service)
            case .changed(let service, _), .gone(let service): report.changed.append(service)
            case .unchanged: break
            case .failed(let service, let reason, _):
                report.failed.append((service, reason))
                guard let count = failures[service] else { continue }
                failures[service] = count + 1
                if count + 1 >= crawl.policy.patience, giveUp(service) { report.changed.append(service) }
            }
        }
    }

    /// Begins another crawl, of which what is known is from before.
    fileprivate mutating func startOver() {
        crawl = Crawl(policy: crawl.policy)
        for entry in directory.entries where failures[entry.service] == nil { failures[entry.service] = 0 }
    }

    /// Forgets what is known of services that are no longer listed, and what is known from before and is not theirs any
    /// more; the crawl sees to what it has read itself.
    fileprivate mutating func forget(allBut listings: [Crawl.Listing], in report: inout Crawler.Report) {
        let listed = Dictionary(
            listings.map { ($0.service, $0.allowedHosts) }, uniquingKeysWith: { first, _ in first })
        for entry in directory.entries {
            let service = entry.service
            if let hosts = listed[service] {
                guard failures[service] != nil else { continue }
                if (try? entry.description.published(for: service, allowedHosts: hosts)) != nil { continue }
            }
            if giveUp(service) { report.changed.append(service) }
        }
    }

    private mutating func giveUp(_ service: ServiceURL) -> Bool {
        failures[service] = nil
        return directory.remove(service)
    }
}
