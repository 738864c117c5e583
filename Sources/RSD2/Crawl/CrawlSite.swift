import Wire

/// What the crawl knows of one service.
struct CrawlSite: Sendable {
    var listing: Crawl.Listing
    /// Set anew for each service that takes the place, and when the index allows it other hosts, so that late outcomes
    /// of what was before find nobody.
    var generation: UInt64 = 0
    var timeToLive: Int64
    var failures = 0
    var document: Document?
    /// What `services.txt` and the page said last.
    var list = Source()
    var page = Source()
    /// The round that is under way.
    var round: Round?
    /// Where a redirect has led the round's step.
    var redirected: WebURL?

    struct Document: Sendable {
        let url: WebURL
        /// Where it came from, maybe behind redirects.
        var origin: WebURL
        let description: ServiceDescription
        let fingerprint: Fingerprint?
        var validators: Validators
    }

    struct Source: Sendable {
        var publications: [Publication] = []
        var validators = Validators()
    }

    /// One walk from `services.txt` to a document.
    struct Round: Sendable {
        var step: Step
        var redirects = 0
        /// The documents to try when this one fails.
        var candidates: [Publication] = []
    }

    enum Step: Sendable {
        case list
        case page
        case document(Publication)
    }

    /// Drops a document that is not the service's any more by what the index says now; says whether there was one.
    mutating func dropForeignDocument(_ policy: Crawl.Policy) -> Bool {
        guard let document, !Self.owns(document, as: listing, policy) else { return false }
        self.document = nil
        return true
    }

    static func owns(_ document: Document, as listing: Crawl.Listing, _ policy: Crawl.Policy) -> Bool {
        guard [document.url, document.origin].allSatisfy({ listing.permits($0, policy) }) else { return false }
        let owned = try? document.description.published(for: listing.service, allowedHosts: listing.allowedHosts)
        return owned != nil
    }

    /// What makes a request for the step conditional.
    func validators(for step: Step) -> Validators {
        switch step {
        case .list: list.validators
        case .page: page.validators
        case .document(let publication):
            document.flatMap { $0.url == publication.url ? $0.validators : nil } ?? Validators()
        }
    }
}

extension Crawl.Listing {
    /// The host alone, unless the index allows others; `https`, or the scheme that the index itself names; the
    /// service's port or the default.
    func permits(_ url: WebURL, _ policy: Crawl.Policy) -> Bool {
        guard service.owns(url.host, besides: allowedHosts) else { return false }
        guard url.scheme == .https || url.scheme == service.url.scheme else { return false }
        return policy.destinations.permits(url, namedBy: service.url)
    }
}

/// What a server gave to ask conditionally with (RFC 9110 §8.8), sent back as it came.
struct Validators: Sendable {
    var entityTag: String?
    var lastModified: String?

    init() {}

    init(_ response: HTTP.Response) {
        func value(_ name: String) -> String? {
            guard let name = try? HTTP.Field.Name(parsing: name),
                case .once(let value) = response.fields.value(of: name)
            else { return nil }
            return value
        }
        entityTag = value("ETag")
        lastModified = value("Last-Modified")
    }
}

/// Tells whether a body is the one read before: 128 bits of FNV-1a, and the length.
///
/// No cryptographic hash, and none is needed: whoever constructs two documents with one fingerprint hides a change of
/// his own document from the federation, which he could do by not publishing it.
struct Fingerprint: Sendable, Equatable {
    let length: Int
    let hash: UInt128

    init(_ bytes: [UInt8]) {
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in bytes {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        self.hash = hash
        length = bytes.count
    }
}

/// What is due, earliest first: a binary heap.
struct DueQueue: Sendable {
    struct Item: Sendable {
        let time: Timestamp
        let number: Int
        let generation: UInt64

        /// What was listed first comes first if the times are the same.
        func precedes(_ other: Item) -> Bool {
            time == other.time ? generation < other.generation : time < other.time
        }
    }

    private var items: [Item] = []

    var first: Item? { items.first }

    mutating func removeAll(where isOver: (Item) -> Bool) {
        guard items.contains(where: isOver) else { return }
        let rest = items.filter { !isOver($0) }
        items = []
        for item in rest { insert(item) }
    }

    mutating func insert(_ item: Item) {
        items.append(item)
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard items[child].precedes(items[parent]) else { return }
            items.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() -> Item? {
        guard let first = items.first else { return nil }
        let last = items.removeLast()
        guard !items.isEmpty else { return first }
        items[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && items[child].precedes(items[least]) {
                least = child
            }
            guard least != parent else { return first }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
