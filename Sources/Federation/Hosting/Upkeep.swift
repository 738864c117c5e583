public import JOSE
public import TokenTree
public import Wire

/// What a timer does for a party, in bounded steps, and how far it has come: it delivers the messages that are due,
/// finds those that were never written, asks about what nobody has confirmed, and removes what is dead.
public struct Upkeep: Sendable {
    /// How many messages are sent at once.
    public var messagesAtOnce = 100
    /// How long to wait before a message is sent again.
    public var backoff = OutgoingMessage.Backoff()
    /// How many pages of 256 assertions a search for messages that were never written goes further with every tick.
    public var pagesAtOnce = 64
    /// The time between two searches through all assertions.
    public var reconciliationInterval: Duration = .seconds(3_600)
    /// The time between two removals of what is dead.
    public var purgeInterval: Duration = .seconds(3_600)
    /// How long what is dead is kept.
    public var retention = Retention()

    private var nextReconciliation: Timestamp?
    private var nextPurge: Timestamp?
    /// Whether messages are sent again before their time.
    private var delivers = false
    /// The time of the last tick.
    private var lastTick: Timestamp?
    /// The searches that are not through.
    private var searches: [Search] = []

    private struct Search: Sendable {
        /// The record that ended; `nil` for a search through all.
        let ground: TokenID?
        /// How far it has come.
        var last: TokenID?
    }

    /// How many records' ends are remembered at most; what exceeds that the search through all finds.
    private static let searchLimit = 4_096

    /// Everything is due.
    public init() {}

    /// What was done in one tick.
    public struct Report: Sendable, Equatable {
        /// How many messages their receivers confirmed.
        public internal(set) var confirmed: Int
        /// How many dead records were removed.
        public internal(set) var purged: Int

        /// The messages tried in this tick that were not confirmed for seven days: they are tried once a day, until
        /// they are (threat 60).
        public internal(set) var deadLetters: [OutgoingMessage] = []

        /// Nothing was done, or this.
        package init(confirmed: Int = 0, purged: Int = 0) {
            self.confirmed = confirmed
            self.purged = purged
        }
    }

    private static func isDue(_ time: Timestamp?, at now: Timestamp) -> Bool { time.map { $0 <= now } ?? true }

    /// What a timer does, by itself or at once when somebody wants it.
    public enum Duty: String, Sendable, Hashable, CaseIterable {
        /// Sends all messages that were not confirmed, also those that would wait for their next attempt.
        case delivery
        /// Looks through all assertions for messages that were never written.
        case reconciliation
        /// Removes what is dead.
        case purge
    }

    /// Has the next tick do what would be due later.
    public mutating func expedite(_ duty: Duty) {
        switch duty {
        case .delivery: delivers = true
        case .reconciliation: nextReconciliation = nil
        case .purge: nextPurge = nil
        }
    }

    /// Begins a tick: where the clock was ahead and has been put right, what was put off until then is due.
    private mutating func begin(at now: Timestamp) {
        if let lastTick, now < lastTick { for duty in Duty.allCases { expedite(duty) } }
        lastTick = now
    }

    /// Ends the delivery of a tick: whoever wants all sent at once means what is left as well, as long as it arrives.
    private mutating func noteDelivery(confirming count: Int) { delivers = delivers && count >= messagesAtOnce }

    /// Takes up what ended and was not told to everybody before the answer, so that the next ticks go on with it.
    public mutating func takeUp(_ record: AuditRecord) { takeUp(record.unfinished) }

    mutating func takeUp(_ grounds: [TokenID]) {
        for ground in grounds
        where searches.count < Self.searchLimit && !searches.contains(where: { $0.ground == ground }) {
            searches.append(Search(ground: ground))
        }
    }

    /// What to look through next: first what ended lately, then all if that is due.
    private mutating func nextSearch(at now: Timestamp) -> Search? {
        if searches.isEmpty, Self.isDue(nextReconciliation, at: now) {
            nextReconciliation = now + reconciliationInterval
            searches.append(Search(ground: nil))
        }
        return searches.first
    }

    /// Notes how far a search came; answers whether to go on.
    ///
    /// One that the store was too busy for begins anew with the next tick.
    private mutating func note(_ page: Result<TokenID?, Refusal>) -> Bool {
        switch page {
        case .success(let next?): searches[0].last = next
        case .success(nil): searches.removeFirst()
        case .failure: searches[0].last = nil
        }
        if case .failure = page { return false }
        return true
    }

    /// What takes a message for an attempt; what cannot be sent yet is put off all the same, so that it does not stand
    /// before what can.
    private func attempt(
        _ message: OutgoingMessage, _ delivery: Delivery?, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Batch {
        if let delivery { return Batch(at: now, [delivery.attempt]) }
        let retry = backoff.retry(of: message, at: now, using: &entropy)
        return Batch(at: now, [.attempt(message.id, after: message.attempts, retry: retry)])
    }

    /// Does what is due for a party.
    ///
    /// - Parameter sign: signs with the party's own key where that lies elsewhere; `nil` if it did not.
    /// - Parameter send: sends a request to another service; `nil` if there was no answer.
    public mutating func tick<Store: TokenStore>(
        for party: some Party, in store: inout Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, sign: (SignatureRequest) -> [UInt8]? = { _ in nil },
        send: (HTTP.Request) -> HTTP.Response?
    ) throws(Store.Failure) -> Report {
        begin(at: now)
        var report = Report()
        for _ in 0..<pagesAtOnce {
            guard let search = nextSearch(at: now) else { break }
            let page = try store.carryOut(
                { party.reconciliation(under: search.ground, after: search.last, at: now, using: &entropy) },
                lookUp: { lookup in
                    switch lookup {
                    case .answer(let question): .answer(send(question))
                    case .signature(let request): .signature(sign(request))
                    default: lookup.nothing
                    }
                })
            guard note(page) else { break }
        }
        (report.confirmed, report.deadLetters) = try deliver(
            for: party, in: &store, at: now, using: &entropy, sign: sign, send: send)
        noteDelivery(confirming: report.confirmed)
        if Self.isDue(nextPurge, at: now) {
            report.purged = try store.purge(at: now, keeping: retention)
            nextPurge = now + purgeInterval
        }
        return report
    }

    /// The messages that a tick sends, as far as it has come.
    private struct Round: Sendable {
        /// At how many places nobody may answer before the others wait for the next tick: what is signed for them is
        /// good for a minute from the beginning of this one.
        private static let silenceLimit = 4

        private(set) var confirmed = 0
        private(set) var deadLetters: [OutgoingMessage] = []
        /// Where nobody answered.
        private var silent: Set<HTTP.Request.Target> = []

        var isOver: Bool { silent.count >= Self.silenceLimit }

        /// Whether a request may be sent: whoever was silent a moment ago keeps nobody waiting who is not.
        func maySend(_ request: HTTP.Request) -> Bool { !silent.contains(request.target) }

        mutating func note(_ answer: HTTP.Response?, to request: HTTP.Request) {
            if answer == nil { silent.insert(request.target) }
        }

        mutating func noteAttempt(at message: OutgoingMessage, at now: Timestamp) {
            if message.isDeadLetter(at: now) { deadLetters.append(message) }
        }

        mutating func noteConfirmation(of message: OutgoingMessage) {
            confirmed += 1
            deadLetters.removeAll { $0.id == message.id }
        }
    }

    /// Until when a message may be due that is sent now.
    private func dueTime(at now: Timestamp) -> Timestamp { delivers ? .distantFuture : now }

    /// Sends the messages that are due; answers how many were confirmed, and which have waited too long for that.
    package func deliver<Store: TokenStore>(
        for party: some Party, in store: inout Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, sign: (SignatureRequest) -> [UInt8]? = { _ in nil },
        send: (HTTP.Request) -> HTTP.Response?
    ) throws(Store.Failure) -> (confirmed: Int, deadLetters: [OutgoingMessage]) {
        var round = Round()
        let time = dueTime(at: now)
        let due = try store.load([.outgoing(due: time, limit: messagesAtOnce)])
        for message in due.messages(due: time, limit: messagesAtOnce) {
            guard !round.isOver else { break }
            // Whoever signs is away for the others as well: each stands as it was, for the next tick.
            guard
                case .success(let prepared) = try store.carryOut(
                    { party.exchange(delivering: message, backoff: backoff, at: now, using: &entropy) },
                    lookUp: { if case .signature(let request) = $0 { .signature(sign(request)) } else { $0.nothing } })
            else { break }
            let delivery = prepared.flatMap { round.maySend($0.request) ? $0 : nil }
            let taken = attempt(message, delivery, at: now, using: &entropy)
            guard try store.commit(taken) == .applied else { continue }
            round.noteAttempt(at: message, at: now)
            guard let delivery else { continue }
            let answer = send(delivery.request)
            round.note(answer, to: delivery.request)
            var other: HTTP.Response?
            if let next = delivery.next(after: answer), round.maySend(next) {
                other = send(next)
                round.note(other, to: next)
            }
            let settlement = delivery.settlement(after: answer, and: other)
            guard !settlement.isEmpty, try store.commit(Batch(at: now, settlement)) == .applied else { continue }
            round.noteConfirmation(of: message)
        }
        return (round.confirmed, round.deadLetters)
    }

    /// The same for a store whose answers take time.
    ///
    /// - Parameter sign: signs with the party's own key where that lies elsewhere; `nil` if it did not.
    /// - Parameter send: sends a request to another service; `nil` if there was no answer.
    public mutating func tick<Store: AsyncTokenStore>(
        for party: some Party, in store: Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, sign: (SignatureRequest) async -> [UInt8]? = { _ in nil },
        send: (HTTP.Request) async -> HTTP.Response?
    ) async throws(Store.Failure) -> Report {
        begin(at: now)
        var report = Report()
        for _ in 0..<pagesAtOnce {
            guard let search = nextSearch(at: now) else { break }
            let page = try await store.carryOut(
                { party.reconciliation(under: search.ground, after: search.last, at: now, using: &entropy) },
                lookUp: { lookup in
                    switch lookup {
                    case .answer(let question): .answer(await send(question))
                    case .signature(let request): .signature(await sign(request))
                    default: lookup.nothing
                    }
                })
            guard note(page) else { break }
        }
        (report.confirmed, report.deadLetters) = try await deliver(
            for: party, in: store, at: now, using: &entropy, sign: sign, send: send)
        noteDelivery(confirming: report.confirmed)
        if Self.isDue(nextPurge, at: now) {
            report.purged = try await store.purge(at: now, keeping: retention)
            nextPurge = now + purgeInterval
        }
        return report
    }

    /// The same for a store whose answers take time.
    package func deliver<Store: AsyncTokenStore>(
        for party: some Party, in store: Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, sign: (SignatureRequest) async -> [UInt8]? = { _ in nil },
        send: (HTTP.Request) async -> HTTP.Response?
    ) async throws(Store.Failure) -> (confirmed: Int, deadLetters: [OutgoingMessage]) {
        var round = Round()
        let time = dueTime(at: now)
        let due = try await store.load([.outgoing(due: time, limit: messagesAtOnce)])
        for message in due.messages(due: time, limit: messagesAtOnce) {
            guard !round.isOver else { break }
            // Whoever signs is away for the others as well: each stands as it was, for the next tick.
            guard
                case .success(let prepared) = try await store.carryOut(
                    { party.exchange(delivering: message, backoff: backoff, at: now, using: &entropy) },
                    lookUp: {
                        if case .signature(let request) = $0 { .signature(await sign(request)) } else { $0.nothing }
                    })
            else { break }
            let delivery = prepared.flatMap { round.maySend($0.request) ? $0 : nil }
            let taken = attempt(message, delivery, at: now, using: &entropy)
            guard try await store.commit(taken) == .applied else { continue }
            round.noteAttempt(at: message, at: now)
            guard let delivery else { continue }
            let answer = await send(delivery.request)
            round.note(answer, to: delivery.request)
            var other: HTTP.Response?
            if let next = delivery.next(after: answer), round.maySend(next) {
                other = await send(next)
                round.note(other, to: next)
            }
            let settlement = delivery.settlement(after: answer, and: other)
            guard !settlement.isEmpty, try await store.commit(Batch(at: now, settlement)) == .applied else { continue }
            round.noteConfirmation(of: message)
        }
        return (round.confirmed, round.deadLetters)
    }
}
