public import Wire

extension Crawl {
    /// What a crawl knows of a service, for one that goes on in its place after a restart.
    public struct Known: Sendable {
        /// The URL by which the federation knows the service.
        public let service: ServiceURL
        /// The last good document.
        public let description: ServiceDescription
        /// Where it is published.
        public let location: WebURL
        /// Where it came from, maybe behind redirects.
        public let origin: WebURL
        /// How often in a row the service could not be read since; a thousand times is often enough.
        public let failures: Int

        private static let mostFailures = 1_000

        /// Something known, as it was written down.
        public init(
            _ service: ServiceURL, _ description: ServiceDescription, at location: WebURL, from origin: WebURL,
            failures: Int
        ) {
            (self.service, self.description, self.location) = (service, description, location)
            (self.origin, self.failures) = (origin, min(max(failures, 0), Self.mostFailures))
        }

        /// Whether it may be used of a service that the index lists so: the document, the places where it lies and
        /// those where it has tokens taken are the service's (threat 52).
        public func stands(as listing: Listing, _ policy: Policy) -> Bool {
            let document = CrawlSite.Document(self)
            return listing.service == service && CrawlSite.owns(document, as: listing, policy)
        }
    }

    /// A crawl that goes on with what another one knew.
    public init(policy: Policy = Policy(), knowing known: [Known]) {
        self.init(policy: policy)
        for known in known { memory[known.service] = known }
    }

    /// What is known of the services that have a document.
    public var known: [Known] {
        (numbers.values.compactMap { sites[$0].known } + memory.values).sorted { $0.service < $1.service }
    }
}

extension CrawlSite {
    fileprivate var known: Crawl.Known? {
        document.map {
            Crawl.Known(listing.service, $0.description, at: $0.url, from: $0.origin, failures: failures)
        }
    }

    /// A service of which something is known from before.
    init(listing: Crawl.Listing, timeToLive: Int64, knowing known: Crawl.Known?) {
        (self.listing, self.timeToLive) = (listing, timeToLive)
        guard let known else { return }
        (document, failures) = (Document(known), known.failures)
    }
}

extension CrawlSite.Document {
    /// A document that is known from before: nothing tells whether a body is the same, or asks for it conditionally.
    fileprivate init(_ known: Crawl.Known) {
        self.init(
            url: known.location, origin: known.origin, description: known.description, fingerprint: nil,
            validators: Validators())
    }
}
