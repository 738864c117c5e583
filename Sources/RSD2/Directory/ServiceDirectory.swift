public import Wire

/// The documents of a federation's services, found by the protocols that they offer, by service, and by what people
/// type.
///
/// A value: a copy stays as it is while the original is updated. A change touches the postings of the one document and
/// nothing else, as long as the directory has one owner.
public struct ServiceDirectory: Sendable {
    /// A service with its document, shared and never changed.
    public final class Entry: Sendable {
        /// The URL by which the federation knows the service.
        public let service: ServiceURL
        /// The name by which people know it.
        public let displayName: String
        /// Its document.
        public let description: ServiceDescription
        /// What people's words are looked for in.
        let searchText: [UInt8]
        /// How many bytes the document has in an answer.
        let length: Int

        init(_ service: ServiceURL, _ displayName: String, _ description: ServiceDescription) {
            self.service = service
            self.displayName = displayName
            self.description = description
            searchText = SearchText.folded(displayName + " " + service.url.host.text)
            length = description.withoutAuthorization.encoded().count
        }
    }

    private var slots: [Entry?] = []
    private var vacant: [UInt32] = []
    private var numbers: [ServiceURL: UInt32] = [:]
    private var protocols = PostingLists<ProtocolName>()
    private var trigrams = PostingLists<UInt32>()

    /// An empty directory.
    public init() {}

    /// How many services there are.
    public var count: Int { numbers.count }

    /// Whether there is no service.
    public var isEmpty: Bool { numbers.isEmpty }

    /// All services, in no order that means anything.
    public var entries: [Entry] { slots.compactMap { $0 } }

    /// The service that the federation knows by a URL.
    public subscript(service: ServiceURL) -> Entry? {
        numbers[service].flatMap { slots[Int($0)] }
    }

    // MARK: changes

    /// Puts in a service's document, in the place of an earlier one, unless it is another service's (threat 52); the
    /// display name is the engine's if the federation gives none.
    public mutating func update(
        _ service: ServiceURL, _ description: ServiceDescription, displayName: String? = nil,
        allowedHosts: [WebURL.Host] = []
    ) throws(ServiceDescription.Rejection) {
        put(service, try description.published(for: service, allowedHosts: allowedHosts), displayName: displayName)
    }

    /// Puts in a document that a crawl has checked.
    mutating func put(_ service: ServiceURL, _ description: ServiceDescription, displayName: String?) {
        let entry = Entry(service, displayName ?? description.engineName ?? service.url.host.text, description)
        let number = numbers[service] ?? vacant.popLast() ?? UInt32(truncatingIfNeeded: slots.count)
        if Int(number) == slots.count { slots.append(nil) }
        index(number, from: slots[Int(number)], to: entry)
        slots[Int(number)] = entry
        numbers[service] = number
    }

    /// Takes out a service; answers whether it was there.
    @discardableResult
    public mutating func remove(_ service: ServiceURL) -> Bool {
        guard let number = numbers.removeValue(forKey: service) else { return false }
        index(number, from: slots[Int(number)], to: nil)
        slots[Int(number)] = nil
        vacant.append(number)
        return true
    }

    private mutating func index(_ number: UInt32, from old: Entry?, to new: Entry?) {
        protocols.move(number, from: old.map(Self.names) ?? [], to: new.map(Self.names) ?? [])
        guard old?.searchText != new?.searchText else { return }
        trigrams.move(
            number, from: SearchText.trigrams(old?.searchText ?? []), to: SearchText.trigrams(new?.searchText ?? []))
    }

    /// The names under which a service is found: none without `org.ietf.oauth2`, so that no query need look for it.
    private static func names(_ entry: Entry) -> Set<ProtocolName> {
        let names = entry.description.apis.map { $0.name }
        return names.contains { $0.isOAuth2 } ? Set(names) : []
    }

    // MARK: queries

    /// The services that offer all of the protocols, and `org.ietf.oauth2` besides (DSC-1, DSC-6, DSC-7), in no order
    /// that means anything (DSC-4); an empty answer is one too (DSC-3).
    ///
    /// Takes time in proportion to the rarest protocol's posting, at worst to the number of services divided by 64.
    public func services(offering names: [ProtocolName]) throws(FormatRejection) -> [Entry] {
        try DiscoveryQuery.check(count: names.count)
        var postings: [PostingList] = []
        postings.reserveCapacity(names.count)
        for name in names {
            guard let posting = protocols[name] else { return [] }
            postings.append(posting)
        }
        return entries(PostingList.common(postings))
    }

    /// The services that are known of those asked for, each once (DSC-2).
    public func services(at urls: [ServiceURL]) -> [Entry] {
        var seen: Set<UInt32> = []
        return urls.compactMap { url in
            guard let number = numbers[url], seen.insert(number).inserted else { return nil }
            return slots[Int(number)]
        }
    }

    /// The services that answer a query.
    public func services(matching query: DiscoveryQuery) throws(FormatRejection) -> [Entry] {
        switch query {
        case .protocols(let names): try services(offering: names)
        case .services(let urls): services(at: urls)
        }
    }

    /// The most bytes of an answer: whoever asks takes as many, and has as many values of JSON room.
    public static let answerLimit = 4 << 20

    /// The most documents of an answer, which leave room in an app's store for what it holds elsewhere.
    package static let documentLimit = 4_000

    /// The answer to a query as a JSON array of documents, without any tokens.
    ///
    /// Where more is found than fits, the longest documents are left out, so that nobody keeps others from being found
    /// (threat 43).
    public func answer(to query: DiscoveryQuery) throws(FormatRejection) -> [UInt8] {
        try answer(to: query, within: Self.answerLimit, documents: Self.documentLimit)
    }

    func answer(
        to query: DiscoveryQuery, within bytes: Int, documents count: Int
    ) throws(FormatRejection) -> [UInt8] {
        let found = Self.fitting(try services(matching: query), within: bytes, documents: count)
        return JSON.encodedArray { array in
            for entry in found { array.element(entry.description.withoutAuthorization.json) }
        }
    }

    /// Those entries that fit, in their order.
    private static func fitting(_ entries: [Entry], within bytes: Int, documents count: Int) -> [Entry] {
        // Brackets around the whole, and commas between documents.
        guard entries.count > count || entries.reduce(1, { $0 + $1.length + 1 }) > bytes else { return entries }
        let order = entries.indices.sorted { (entries[$0].length, $0) < (entries[$1].length, $1) }
        var room = bytes - 1
        let kept = order.prefix(count).prefix { position in
            room -= entries[position].length + 1
            return room >= 0
        }
        return kept.sorted().map { entries[$0] }
    }

    /// The services whose display name or host has all the words of a text, wherever they stand in it, in any case; at
    /// most so many.
    ///
    /// Words of three letters and more are looked up; shorter ones alone walk through the directory until enough
    /// services are found.
    public func search(_ text: String, limit: Int = 50) -> [Entry] {
        let words = SearchText.words(text)
        guard !words.isEmpty, limit > 0 else { return [] }
        var postings: [PostingList] = []
        for trigram in words.reduce(into: Set(), { $0.formUnion(SearchText.trigrams($1)) }) {
            guard let posting = trigrams[trigram] else { return [] }
            postings.append(posting)
        }
        var found: [Entry] = []
        func take(_ entry: Entry) -> Bool {
            if words.allSatisfy({ SearchText.contains($0, in: entry.searchText) }) { found.append(entry) }
            return found.count < limit
        }
        if postings.isEmpty {
            for case let entry? in slots where !take(entry) { break }
        } else {
            for number in PostingList.common(postings) {
                guard let entry = slots[Int(number)] else { continue }
                if !take(entry) { break }
            }
        }
        return found
    }

    private func entries(_ numbers: [UInt32]) -> [Entry] {
        var found: [Entry] = []
        found.reserveCapacity(numbers.count)
        for number in numbers {
            if let entry = slots[Int(number)] { found.append(entry) }
        }
        return found
    }
}

/// Postings by key.
///
/// A key whose posting has become empty keeps its place: the names of protocols come back.
private struct PostingLists<Key: Hashable & Sendable>: Sendable {
    private var positions: [Key: Int] = [:]
    private var postings: [PostingList] = []

    subscript(key: Key) -> PostingList? {
        guard let position = positions[key], postings[position].count > 0 else { return nil }
        return postings[position]
    }

    /// Puts a number into the lists of the new keys, and takes it out of those of the old keys that are not new.
    mutating func move(_ number: UInt32, from old: Set<Key>, to new: Set<Key>) {
        for key in old.subtracting(new) {
            if let position = positions[key] { postings[position].remove(number) }
        }
        for key in new.subtracting(old) {
            if positions[key] == nil {
                positions[key] = postings.count
                postings.append(PostingList())
            }
            if let position = positions[key] { postings[position].insert(number) }
        }
    }
}
