public import Wire

/// The RSD discovery: which requests to make next so that the documents of a federation's services stay known, and what
/// has changed.
///
/// A pure state machine. The host asks ``requests(at:limit:)`` for work, performs it without credentials and without
/// following redirects, asks the policy's ``Destinations`` about each address before it connects, and hands every
/// outcome to ``receive(_:for:at:)``.
///
/// Each service is asked for its `services.txt`, then for the links of its page, then for its document in the binding
/// that is read best. What was read before is asked for conditionally. A service that fails keeps its last good
/// document until it has failed often enough.
public struct Crawl: Sendable {
    /// A service as the federation's index knows it (RSD-1).
    public struct Listing: Sendable {
        /// The URL by which the federation knows the service.
        public let service: ServiceURL
        /// Hosts besides the service's own that its documents may lie on.
        public let allowedHosts: [WebURL.Host]

        /// A service whose documents lie on its own host or on the allowed ones.
        public init(_ service: ServiceURL, allowedHosts: [WebURL.Host] = []) {
            self.service = service
            self.allowedHosts = allowedHosts
        }

        fileprivate func allowsOtherHosts(than other: Listing) -> Bool {
            // The usual case first: nothing has changed.
            allowedHosts != other.allowedHosts && Set(allowedHosts) != Set(other.allowedHosts)
        }
    }

    /// A request to make.
    ///
    /// It carries no credentials, and its host must not add any.
    public struct Request: Sendable {
        /// Names the request when its outcome comes in.
        public let id: UInt64
        /// The service that it is made for.
        public let service: ServiceURL
        /// What to send, without following redirects.
        public let http: HTTP.Request
        /// The URL, again as a value.
        public let url: WebURL
        /// The most bytes of a body to read.
        public let byteLimit: Int
    }

    /// What became of a request.
    public enum Outcome: Sendable {
        /// An answer, whatever its status.
        case response(HTTP.Response)
        /// No answer: no connection, no address that is permitted, a body over the limit, a time-out.
        case failure
    }

    /// What the crawl has found out.
    public enum Event: Sendable {
        /// A document of a service that had none.
        case found(ServiceURL, ServiceDescription)
        /// Another document than before.
        case changed(ServiceURL, ServiceDescription)
        /// The same document as before.
        case unchanged(ServiceURL)
        /// No document this time; the last good one stands.
        case failed(ServiceURL, Failure, retry: Timestamp)
        /// The document is given up: the service failed too often, or has left the index, or the index does not allow a
        /// host any more that the document needs.
        case gone(ServiceURL)
    }

    /// Why a service could not be read.
    public enum Failure: Equatable, Sendable, CustomStringConvertible {
        /// There was no answer.
        case noAnswer
        /// The server answered with a status that brings no document.
        case status(Int)
        /// The body is longer than the limit.
        case tooLong(limit: Int)
        /// Neither `services.txt` nor the page names a document that may be followed.
        case nothingPublished
        /// A redirect leads to a place that may not be followed, to no URL, or on and on.
        case redirect
        /// None of the documents could be read; this is the reason of the last one.
        case unreadable(ServiceDescription.Rejection)

        /// The reason in words.
        public var description: String {
            switch self {
            case .noAnswer: "no answer"
            case .status(let code): "status \(code)"
            case .tooLong(let limit): "a body of more than \(limit) bytes (threat-43)"
            case .nothingPublished: "no document is published (RSD-2)"
            case .redirect: "a redirect that may not be followed (threat-42)"
            case .unreadable(let rejection): rejection.description
            }
        }
    }

    /// How often, how long and how much.
    public struct Policy: Sendable {
        /// After how many seconds a service is looked at again, if it does not say.
        public var timeToLive: Int64 = 6 * 3600
        /// The bounds of what a service may say about that.
        public var timesToLive: ClosedRange<Int64> = 900...(7 * 86_400)
        /// The pause after the first failure; it doubles with each further one.
        public var firstPause: Int64 = 300
        /// The longest pause.
        public var longestPause: Int64 = 86_400
        /// After how many failures in a row a document is given up.
        public var patience = 5
        /// The most requests at once to one host.
        public var requestsPerHost = 1
        /// After how many seconds a request without outcome has failed.
        public var requestTimeout: Int64 = 120
        /// The most redirects in a row.
        public var redirects = 3
        /// The most documents of one service that are tried.
        public var candidates = 4
        /// The bounds of a document.
        public var limits = ServiceDescription.Limits()
        /// Where requests may go.
        public var destinations = Destinations.worldwide

        /// Bounds that are kind to small servers.
        public init() {}
    }

    /// How often, how long and how much.
    public let policy: Policy

    var sites: [CrawlSite] = []
    var numbers: [ServiceURL: Int] = [:]
    var vacant: [Int] = []
    var due = DueQueue()
    var inFlight: [UInt64: InFlight] = [:]
    /// Hosts with requests under way, and the sites that wait for them.
    var busy: [String: (count: Int, waiting: DueQueue)] = [:]
    var deadlines = DueQueue()
    var nextID: UInt64 = 1
    var generation: UInt64 = 0
    /// What is known from before, until the index is there.
    var memory: [ServiceURL: Known] = [:]

    struct InFlight: Sendable {
        let site: Int
        let generation: UInt64
        let host: String
    }

    /// A crawl of no services yet.
    public init(policy: Policy = Policy()) {
        self.policy = policy
    }

    /// Takes the federation's index: new services are due at once, and so are those that are allowed other hosts than
    /// before; those that are no longer listed are forgotten, and documents that are not the service's any more.
    public mutating func setIndex(_ listings: [Listing], at now: Timestamp) -> [Event] {
        var events: [Event] = []
        var listed: Set<ServiceURL> = []
        for listing in listings where listed.insert(listing.service).inserted {
            if let number = numbers[listing.service] {
                let former = sites[number].listing
                sites[number].listing = listing
                guard former.allowsOtherHosts(than: listing) else { continue }
                if sites[number].dropForeignDocument(policy) { events.append(.gone(listing.service)) }
                begin(number, at: now)
                continue
            }
            let known = memory.removeValue(forKey: listing.service)
            var site = CrawlSite(listing: listing, timeToLive: policy.timeToLive, knowing: known)
            if site.dropForeignDocument(policy) { events.append(.gone(listing.service)) }
            let number = vacant.popLast() ?? sites.count
            if number == sites.count { sites.append(site) } else { sites[number] = site }
            numbers[listing.service] = number
            begin(number, at: now)
        }
        events += memory.keys.sorted().map { .gone($0) }
        memory = [:]
        for (service, number) in numbers where !listed.contains(service) {
            if sites[number].document != nil { events.append(.gone(service)) }
            // Whatever still refers to the site is out of date by its generation.
            sites[number].generation = 0
            sites[number].document = nil
            numbers[service] = nil
            vacant.append(number)
        }
        due.removeAll { sites[$0.number].generation != $0.generation }
        return events
    }

    /// Looks at a service anew; what was under way for the place is out of date by its generation.
    private mutating func begin(_ number: Int, at now: Timestamp) {
        generation += 1
        sites[number].generation = generation
        sites[number].round = nil
        sites[number].redirected = nil
        due.insert(DueQueue.Item(time: now, number: number, generation: generation))
    }

    /// When there is work again, unless an outcome comes in before.
    public var nextWork: Timestamp? {
        [due.first, deadlines.first].compactMap { $0?.time }.min()
    }

    /// How many requests wait for their outcome.
    public var requestsUnderWay: Int { inFlight.count }

    /// The last good document of a service.
    public func document(of service: ServiceURL) -> ServiceDescription? {
        numbers[service].flatMap { sites[$0].document?.description }
    }
}

extension ServiceDirectory {
    /// Takes over what a crawl has found out.
    public mutating func apply(_ event: Crawl.Event, displayName: String? = nil) {
        switch event {
        case .found(let service, let description), .changed(let service, let description):
            put(service, description, displayName: displayName)
        case .gone(let service): remove(service)
        case .unchanged, .failed: break
        }
    }
}
