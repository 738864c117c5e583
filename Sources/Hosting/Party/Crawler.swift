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
        var directory = ServiceDirectory()
        /// The services that could not be read the last time.
        var failing: Set<ServiceURL> = []
        var isTicking = false

        init(_ policy: Crawl.Policy, _ known: [Crawl.Known]) {
            crawl = Crawl(policy: policy, knowing: known)
            for known in known {
                directory.apply(.found(known.service, known.description))
                if known.failures > 0 { failing.insert(known.service) }
            }
        }
    }

    /// The most requests of one tick.
    private static let requestsAtOnce = 64

    /// Begins with what was known before.
    ///
    /// - Parameter network: sends a request as a `PartyHost` has it sent.
    public init(
        policy: Crawl.Policy = Crawl.Policy(), knowing known: [Crawl.Known] = [],
        network: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?
    ) {
        state = Mutex(State(policy, known))
        self.network = network
    }

    /// The descriptions that are known.
    public var directory: ServiceDirectory { state.withLock { $0.directory } }

    /// What is known, to begin with it after a restart.
    public var known: [Crawl.Known] { state.withLock { $0.crawl.known } }

    /// Has the next tick ask all services, also those that would be asked later.
    public func startOver() {
        state.withLock { $0.crawl = Crawl(policy: $0.crawl.policy, knowing: $0.crawl.known) }
    }

    /// What came of a tick.
    public struct Report: Sendable {
        /// The services whose descriptions were found, have changed, or are given up.
        public internal(set) var changed: [ServiceURL] = []
        /// The services that could not be read, with the reason.
        public internal(set) var failed: [(service: ServiceURL, reason: Crawl.Failure)] = []
        /// Whether something else is ``Crawler/known`` now than before, and is to be kept for a restart.
        public internal(set) var hasNews = false
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
            case .found(let service, _), .changed(let service, _), .gone(let service):
                report.changed.append(service)
                report.hasNews = true
                failing.remove(service)
            case .unchanged(let service):
                if failing.remove(service) != nil { report.hasNews = true }
            case .failed(let service, let reason, _):
                report.failed.append((service, reason))
                guard directory[service] != nil else { continue }
                report.hasNews = true
                failing.insert(service)
            }
        }
    }
}
