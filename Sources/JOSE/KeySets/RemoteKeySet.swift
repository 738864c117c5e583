public import Wire

/// The key set of one issuer as a host has it at a time: a state that changes by what the host reports, and answers
/// what to do.
///
/// Nothing is fetched here and no clock is read. Before verifying, the host asks ``decision(for:at:)``; after fetching,
/// it reports ``received(_:caching:at:)`` or ``failed(at:)``; it verifies with ``ring``.
public struct RemoteKeySet: Sendable {
    /// How a host keeps another party's key set that it fetches: how long it is believed, and how often it may be asked
    /// for.
    public struct Policy: Hashable, Sendable {
        /// How long a set is fresh where the response does not say.
        public var lifetime: Duration = .seconds(600)
        /// How long a set is fresh at least, whatever the response says, so that a careless server is not asked for
        /// every token.
        public var shortestLifetime: Duration = .seconds(60)
        /// How long a set is fresh at most, whatever the response says, so that a revoked key is dropped some time.
        public var longestLifetime: Duration = .seconds(86_400)
        /// How long after an attempt the next one waits when a token names an unknown key: forged tokens must not make
        /// a host flood another.
        public var cooldown: Duration = .seconds(30)
        /// How long a set that is no longer fresh still serves while it cannot be fetched anew.
        public var staleIfError: Duration = .seconds(86_400)
        /// How long a key that has vanished from the set still serves for tokens signed shortly before.
        public var overlap: Duration = .seconds(300)
        /// The bounds on the set.
        public var limits = JWKSet.Limits()

        /// The standard policy.
        public init() {}
    }

    /// What the host should do about a token before verifying it.
    public enum Decision: Hashable, Sendable {
        /// Verify with what is there.
        case verify
        /// Verify with what is there, and fetch the set when convenient: it is no longer fresh.
        case verifyAndFetch
        /// Fetch the set first: there is none yet, or it lacks the key.
        case fetch
        /// Refuse the token: its key is unknown, or there are no keys, and asking again so soon would not be right.
        case refuse(until: Timestamp)
    }

    /// Whose keys these are.
    public let issuer: Issuer
    /// How the set is kept.
    package let policy: Policy
    /// The keys to verify with: those of the set, then those that have vanished from it lately.
    public var ring: KeyRing
    /// The same keys, ready for readers that cannot change the ring.
    package private(set) var prepared: [VerificationKey] = []
    /// The keys of the set that are not used, and why.
    package private(set) var refused: [JWKSet.Refused] = []
    /// The keys that their owner has withdrawn, and since when what they signed does not count: no later set brings one
    /// of them back (threat 76).
    public private(set) var withdrawn: [KeyID: Timestamp] = [:]

    private var current: [VerificationKey] = []
    private var retired: [(key: VerificationKey, until: Timestamp)] = []
    private var freshUntil: Timestamp?
    private var lastAttempt: Timestamp?

    /// No keys yet.
    public init(of issuer: Issuer, policy: Policy = Policy()) {
        self.issuer = issuer
        self.policy = policy
        ring = KeyRing([])
    }

    // MARK: What to do

    /// What to do about a token that names this key, or none.
    public mutating func decision(for id: KeyID?, at now: Timestamp) -> Decision {
        forget(at: now)
        guard let freshUntil else { return fetchUnlessCooling(at: now) }
        let name = id.map { JSON.Name($0.text) }
        let isKnown = ring.keys.contains { $0.isNamed(name) }
        guard isKnown else { return fetchUnlessCooling(at: now) }
        if now < freshUntil { return .verify }
        return isCooling(at: now) ? .verify : .verifyAndFetch
    }

    private func fetchUnlessCooling(at now: Timestamp) -> Decision {
        guard let lastAttempt, isCooling(at: now) else { return .fetch }
        return .refuse(until: lastAttempt + policy.cooldown)
    }

    /// Whether the last attempt was so recent that no other may follow.
    ///
    /// A clock that was set back does not prolong the wait.
    private func isCooling(at now: Timestamp) -> Bool {
        guard let lastAttempt, now >= lastAttempt else { return false }
        return now < lastAttempt + policy.cooldown
    }

    // MARK: What happened

    /// Notes that the host begins to fetch the set, so that it is not told to do so again at once.
    public mutating func began(at now: Timestamp) { lastAttempt = now }

    /// Notes that the set could not be fetched: what is there serves on for a while.
    public mutating func failed(at now: Timestamp) { lastAttempt = now }

    /// Takes the body of a successful response, with its `Cache-Control` where it had one.
    ///
    /// A body that is not a key set, or holds no key that can be used, counts as a failure and changes no keys: an
    /// issuer without keys could not be told from one that is broken.
    public mutating func received(
        _ body: some Collection<UInt8>, caching cacheControl: String?, at now: Timestamp
    )
        throws(JWK.Rejection)
    {
        lastAttempt = now
        let set = try JWKSet(parsing: body, of: issuer, limits: policy.limits)
        let withdrawn = set.withdrawn(beside: withdrawn)
        let keys = set.keys.filter { !$0.isAmong(withdrawn) }
        self.withdrawn = withdrawn
        guard !keys.isEmpty else {
            // What is said to be withdrawn is, whatever else the set lacks.
            current.removeAll { $0.isAmong(withdrawn) }
            retired.removeAll { $0.key.isAmong(withdrawn) }
            renewRing()
            throw .noUsableKey(set.refused.map { $0.reason })
        }

        forget(at: now)
        let vanished = current.filter { old in !keys.contains { $0.isSame(as: old) } }
        retired.removeAll { old in keys.contains { $0.isSame(as: old.key) } }
        retired += vanished.map { ($0, now + policy.overlap) }
        retired.removeAll { $0.key.isAmong(withdrawn) || now >= $0.until }
        current = keys
        refused = set.refused
        // What cannot be read makes the answer stale (RFC 9111 §4.2.1).
        let stated = cacheControl.map { (try? HTTP.CacheControl(parsing: $0)).map { $0.lifetime } ?? .zero } ?? nil
        let lifetime = stated ?? policy.lifetime
        freshUntil = now + min(max(lifetime, policy.shortestLifetime), policy.longestLifetime)
        renewRing()
    }

    /// Drops vanished keys whose time is over, and all keys once they are stale beyond what the policy grants.
    private mutating func forget(at now: Timestamp) {
        let kept = retired.filter { now < $0.until }
        let isTooStale = freshUntil.map { now >= $0 + policy.staleIfError } ?? false
        guard kept.count != retired.count || (isTooStale && !current.isEmpty) else { return }
        retired = kept
        if isTooStale {
            current = []
            retired = []
            freshUntil = nil
        }
        renewRing()
    }

    private mutating func renewRing() {
        let former = Array(zip(ring.keys, prepared))
        ring = KeyRing(current + retired.map { $0.key })
        // A key that stays is not prepared anew.
        prepared = ring.keys.map { key in former.first { $0.0.isSame(as: key) }?.1 ?? key.prepared() }
    }
}

extension JWKSet {
    /// The keys that are known to be withdrawn with those that the set says are, and since when: the earlier of two
    /// times counts.
    fileprivate func withdrawn(beside known: [KeyID: Timestamp]) -> [KeyID: Timestamp] {
        var withdrawn = known
        for key in members {
            guard let id = key.id, let since = key.attributes.withdrawal?.since else { continue }
            withdrawn[id] = min(withdrawn[id] ?? since, since)
        }
        return withdrawn
    }
}

extension VerificationKey {
    fileprivate func isAmong(_ withdrawn: [KeyID: Timestamp]) -> Bool { id.map { withdrawn[$0] != nil } ?? false }

    /// Whether both have the same name, algorithms and, where it can be told, material.
    func isSame(as other: VerificationKey) -> Bool {
        guard id == other.id, algorithms == other.algorithms else { return false }
        switch (mechanism, other.mechanism) {
        case (.ed25519(let key), .ed25519(let old)): return key == old
        case (.preparedEd25519(let key), .preparedEd25519(let old)): return key == old
        default: return false
        }
    }
}
