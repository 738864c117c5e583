public import Wire

/// What a store knows about the keys it was asked for; a decision is made from facts and nothing else.
///
/// What was not asked for is absent like what does not exist, so that a forgotten question leads to a refusal. Facts
/// may be outdated when a batch arrives: its conditions decide, not the facts.
public struct Facts: Sendable {
    private var answers: [Key: Answer] = [:]

    /// No facts yet.
    public init() {}

    /// What a host's store must be able to look up: five exact look-ups, three lists.
    public enum Key: Sendable, Hashable {
        /// A record and all it stands on, by its name.
        case record(TokenID)
        /// The record in force for a holder, and all it stands on: the unrevoked or barred one of a version key or
        /// client.
        case holder(Record.Kind, Record.Holder)
        /// Until when a key is remembered.
        case replay(ReplayKey)
        /// The services that a user used.
        case services(Record.Subject)
        /// A message that is on its way.
        case message(OutgoingMessage.ID)
        /// Records in a stable order, a page at a time.
        case records(Selection, after: TokenID?, limit: Int)
        /// Messages that are due, the longest due first.
        case outgoing(due: Timestamp, limit: Int)
    }

    /// Which records a list holds.
    public enum Selection: Sendable, Hashable {
        /// All records of a kind: the versions, the instances.
        case all(Record.Kind)
        /// A user's records of a kind, the newest first; his or her personal records lead to the instances.
        case subject(Record.Subject, Record.Kind)
        /// All records of a kind that stand on a record, directly or not; of those on one ground the newest first.
        case under(TokenID, Record.Kind)
    }

    /// A part of a list.
    public struct Page: Sendable, Hashable {
        /// The records, each with all it stands on, in the order of the list.
        public let lineages: [Lineage]
        /// The last record of this page where more may follow it: ask for what comes after.
        public let next: TokenID?

        /// A part of a list, and where it goes on.
        public init(lineages: [Lineage], next: TokenID?) {
            self.lineages = lineages
            self.next = next
        }
    }

    /// That a user used a service.
    public struct Visit: Sendable, Hashable {
        /// The service.
        public let service: Record.Audience
        /// When it was used last.
        public let last: Timestamp

        /// A use at a time.
        public init(service: Record.Audience, last: Timestamp) {
            self.service = service
            self.last = last
        }
    }

    /// What a store answers to one key; the case belongs to the key's.
    public enum Answer: Sendable, Hashable {
        /// To a record's or holder's key: the lineage, if there is such a record.
        case lineage(Lineage?)
        /// To a replay key: until when it is remembered, if it is.
        case remembered(until: Timestamp?)
        /// To a subject: the services in an order that does not change by itself.
        case visits([Visit])
        /// To a message's name: the message, if it is on its way.
        case message(OutgoingMessage?)
        /// To a selection: a page; `nil` if the record to begin after is not known (any more), so that the list has to
        /// be begun anew.
        case page(Page?)
        /// To a time: the messages due.
        case messages([OutgoingMessage])
    }
}

extension Facts {
    /// The answer to a key, as the store gave it.
    public subscript(key: Key) -> Answer? {
        get { answers[key] }
        set { answers[key] = newValue }
    }

    /// Adds what another look-up found; for the same key the later answer counts.
    package mutating func merge(_ other: Facts) {
        for (key, answer) in other.answers { answers[key] = answer }
    }

    /// The record of a name, with all it stands on.
    public func lineage(of id: TokenID) -> Lineage? {
        guard case .lineage(let lineage) = answers[.record(id)] else { return nil }
        return lineage
    }

    /// The record in force for a holder, with all it stands on.
    package func lineage(of kind: Record.Kind, heldBy holder: Record.Holder) -> Lineage? {
        guard case .lineage(let lineage) = answers[.holder(kind, holder)] else { return nil }
        return lineage
    }

    /// What may be said of a name at a time.
    package func verdict(of id: TokenID, at now: Timestamp) -> Verdict {
        lineage(of: id)?.verdict(at: now) ?? .unknown
    }

    /// Whether a key is remembered at a time; that it is not yet does not spare the change that remembers it.
    package func remembers(_ key: ReplayKey, at now: Timestamp) -> Bool {
        guard case .remembered(let until?) = answers[.replay(key)] else { return false }
        return now < until
    }

    /// The services that a user used.
    package func visits(of subject: Record.Subject) -> [Visit] {
        guard case .visits(let visits) = answers[.services(subject)] else { return [] }
        return visits
    }

    /// A message that is on its way.
    package func message(_ id: OutgoingMessage.ID) -> OutgoingMessage? {
        guard case .message(let message) = answers[.message(id)] else { return nil }
        return message
    }

    /// A page of a list; `nil` if the list has to be begun anew.
    public func page(of selection: Selection, after last: TokenID? = nil, limit: Int) -> Page? {
        guard case .page(let page) = answers[.records(selection, after: last, limit: limit)] else { return nil }
        return page
    }

    /// The messages that are due.
    package func messages(due time: Timestamp, limit: Int) -> [OutgoingMessage] {
        guard case .messages(let messages) = answers[.outgoing(due: time, limit: limit)] else { return [] }
        return messages
    }
}
