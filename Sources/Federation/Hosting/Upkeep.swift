public import TokenTree
public import Wire

/// What a timer does for a party, in bounded steps, and how far it has come: it delivers the messages that are due,
/// finds those that were never written, and removes what is dead.
public struct Upkeep: Sendable {
    /// How many messages are sent at once.
    public var messagesAtOnce = 100
    /// How long to wait before a message is sent again.
    public var backoff = OutgoingMessage.Backoff()
    /// The time between two searches for messages that were never written; each goes a page further with every tick.
    public var reconciliationInterval: Duration = .seconds(3_600)
    /// The time between two removals of what is dead.
    public var purgeInterval: Duration = .seconds(3_600)
    /// How long what is dead is kept.
    public var retention = Retention()

    private var nextReconciliation: Timestamp?
    private var nextPurge: Timestamp?
    /// The last record that a search has come to.
    private var last: TokenID?

    /// Everything is due.
    public init() {}

    /// What was done in one tick.
    public struct Report: Sendable, Equatable {
        /// How many messages their receivers confirmed.
        public internal(set) var confirmed: Int
        /// How many dead records were removed.
        public internal(set) var purged: Int

        /// Nothing was done, or this.
        package init(confirmed: Int = 0, purged: Int = 0) {
            self.confirmed = confirmed
            self.purged = purged
        }
    }

    private static func isDue(_ time: Timestamp?, at now: Timestamp) -> Bool { time.map { $0 <= now } ?? true }

    /// Notes how far a search came; one that the store was too busy for is taken up again.
    private mutating func note(_ page: Result<TokenID?, Refusal>, at now: Timestamp) {
        switch page {
        case .success(let next?): last = next
        case .success(nil): (last, nextReconciliation) = (nil, now + reconciliationInterval)
        case .failure: last = nil
        }
    }

    /// What takes a message for an attempt; what cannot be sent yet is put off all the same, so that it does not stand
    /// before what can.
    private func attempt(
        _ message: OutgoingMessage, _ delivery: Delivery?, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Batch {
        if let delivery { return Batch(at: now, [delivery.attempt]) }
        let retry = now + backoff.delay(afterAttempts: message.attempts + 1, using: &entropy)
        return Batch(at: now, [.attempt(message.id, after: message.attempts, retry: retry)])
    }

    /// Does what is due for a party.
    ///
    /// - Parameter send: sends a request to another service; `nil` if there was no answer.
    public mutating func tick<Store: TokenStore>(
        for party: some Party, in store: inout Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, send: (HTTP.Request) -> HTTP.Response?
    ) throws(Store.Failure) -> Report {
        var report = Report()
        if Self.isDue(nextReconciliation, at: now) {
            note(try store.carryOut { party.reconciliation(after: last, at: now, using: &entropy) }, at: now)
        }
        report.confirmed = try deliver(for: party, in: &store, at: now, using: &entropy, send: send)
        if Self.isDue(nextPurge, at: now) {
            report.purged = try store.purge(at: now, keeping: retention)
            nextPurge = now + purgeInterval
        }
        return report
    }

    /// Sends the messages that are due; answers how many were confirmed.
    package func deliver<Store: TokenStore>(
        for party: some Party, in store: inout Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, send: (HTTP.Request) -> HTTP.Response?
    ) throws(Store.Failure) -> Int {
        var confirmed = 0
        let due = try store.load([.outgoing(due: now, limit: messagesAtOnce)])
        for message in due.messages(due: now, limit: messagesAtOnce) {
            let delivery = party.delivery(of: message, backoff: backoff, at: now, using: &entropy)
            let outcome = try store.commit(attempt(message, delivery, at: now, using: &entropy))
            guard outcome == .applied, let delivery else { continue }
            let settlement = delivery.settlement(after: send(delivery.request))
            guard !settlement.isEmpty, try store.commit(Batch(at: now, settlement)) == .applied else { continue }
            confirmed += 1
        }
        return confirmed
    }

    /// The same for a store whose answers take time.
    ///
    /// - Parameter send: sends a request to another service; `nil` if there was no answer.
    public mutating func tick<Store: AsyncTokenStore>(
        for party: some Party, in store: Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, send: (HTTP.Request) async -> HTTP.Response?
    ) async throws(Store.Failure) -> Report {
        var report = Report()
        if Self.isDue(nextReconciliation, at: now) {
            let begin = last
            note(try await store.carryOut { party.reconciliation(after: begin, at: now, using: &entropy) }, at: now)
        }
        report.confirmed = try await deliver(for: party, in: store, at: now, using: &entropy, send: send)
        if Self.isDue(nextPurge, at: now) {
            report.purged = try await store.purge(at: now, keeping: retention)
            nextPurge = now + purgeInterval
        }
        return report
    }
    /// The same for a store whose answers take time.
    package func deliver<Store: AsyncTokenStore>(
        for party: some Party, in store: Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, send: (HTTP.Request) async -> HTTP.Response?
    ) async throws(Store.Failure) -> Int {
        var confirmed = 0
        let due = try await store.load([.outgoing(due: now, limit: messagesAtOnce)])
        for message in due.messages(due: now, limit: messagesAtOnce) {
            let delivery = party.delivery(of: message, backoff: backoff, at: now, using: &entropy)
            let outcome = try await store.commit(attempt(message, delivery, at: now, using: &entropy))
            guard outcome == .applied, let delivery else { continue }
            let settlement = delivery.settlement(after: await send(delivery.request))
            guard !settlement.isEmpty, try await store.commit(Batch(at: now, settlement)) == .applied else { continue }
            confirmed += 1
        }
        return confirmed
    }
}
