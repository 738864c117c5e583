public import JOSE
internal import TokenTree
public import Wire

/// The key sets of the parties that a host trusts, read from where they are published and kept between requests (threat
/// 76).
///
/// ``PartyHost`` has them. A host of another kind keeps one value for each party that it lets work, and answers
/// ``Lookup/keys(_:)`` from it.
public struct KeySets: Sendable {
    private var sets: [Issuer: Entry] = [:]
    private let policy: RemoteKeySet.Policy

    private struct Entry: Sendable {
        var url: WebURL
        var policy: RemoteKeySet.Policy?
        var set: RemoteKeySet
    }

    /// Nothing has been read.
    public init(policy: RemoteKeySet.Policy = RemoteKeySet.Policy()) { self.policy = policy }

    /// Whether a lookup can be answered from what is there.
    mutating func serves(_ lookup: Lookup.Keys, at now: Timestamp) -> Bool {
        var entry = entry(for: lookup)
        switch entry.set.decision(for: lookup.id, at: now) {
        case .verify, .verifyAndFetch: return !lookup.isAnew
        case .fetch, .refuse: return false
        }
    }

    /// What has to be asked before a lookup can be answered; `nil` if what is there does.
    ///
    /// Whoever gets a request sends it, without following redirects, and calls ``take(_:for:at:)``.
    public mutating func request(for lookup: Lookup.Keys, at now: Timestamp) -> HTTP.Request? {
        var entry = entry(for: lookup)
        let isNeeded = lookup.isAnew || entry.set.decision(for: lookup.id, at: now) == .fetch
        if isNeeded { entry.set.began(at: now) }
        sets[lookup.issuer] = entry
        return isNeeded ? HTTP.Request(.get, .absolute(lookup.url)) : nil
    }

    /// The sets that serve, and should be read again when there is time for it.
    public mutating func due(at now: Timestamp) -> [Lookup.Keys] {
        var due: [Lookup.Keys] = []
        for (issuer, entry) in sets {
            var set = entry.set
            guard set.decision(for: nil, at: now) == .verifyAndFetch else { continue }
            due.append(Lookup.Keys(issuer: issuer, url: entry.url, id: nil, isAnew: true, policy: entry.policy))
        }
        return due.sorted { $0.issuer < $1.issuer }
    }

    /// Takes the answer to a request for keys; anything but a key set leaves what is there.
    public mutating func take(_ response: HTTP.Response?, for lookup: Lookup.Keys, at now: Timestamp) {
        var entry = entry(for: lookup)
        if let response, response.status == .ok {
            var caching: String?
            if case .once(let text) = response.fields.value(of: .cacheControl) { caching = text }
            // What is not a key set counts as a failed attempt.
            try? entry.set.received(response.body, caching: caching, at: now)
        } else {
            entry.set.failed(at: now)
        }
        sets[lookup.issuer] = entry
    }

    /// What is known.
    public func result(of lookup: Lookup.Keys) -> Lookup.Result { .keys(sets[lookup.issuer]?.set) }

    /// Answers a lookup, asking if that is needed, or if what is there is no longer fresh: for hosts that do one thing
    /// at a time.
    ///
    /// - Parameter send: sends a request to another service; `nil` if there was no answer.
    public mutating func answer(
        _ lookup: Lookup.Keys, at now: Timestamp, send: (HTTP.Request) -> HTTP.Response?
    ) -> Lookup.Result {
        if let request = request(for: lookup, at: now) {
            take(send(request), for: lookup, at: now)
        } else {
            for stale in due(at: now) where stale.issuer == lookup.issuer {
                if let request = request(for: stale, at: now) { take(send(request), for: stale, at: now) }
            }
        }
        return result(of: lookup)
    }

    /// What is kept for an issuer; keys that were read elsewhere say nothing about those at another URL.
    private func entry(for lookup: Lookup.Keys) -> Entry {
        if let known = sets[lookup.issuer], known.url == lookup.url, known.policy == lookup.policy { return known }
        return Entry(
            url: lookup.url, policy: lookup.policy,
            set: RemoteKeySet(of: lookup.issuer, policy: lookup.policy ?? policy))
    }
}
