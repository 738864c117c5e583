public import Wire

/// The part of a store that a batch asks about, with the tree's own rules: a store on a database fills it, applies the
/// batch to it, and writes down what changed.
///
/// ```swift
/// var set = WorkingSet(horizon: horizon, unprovenBefore: unprovenBefore)
/// for question in WorkingSet.questions(of: batch) { /* look it up, and `add` what is there */ }
/// switch set.apply(batch) {
/// case .write(let edits): // write all of them, in the transaction that looked up
/// case .conflict(let conflict, let index): // nothing changes
/// }
/// ```
/// So the store loads and saves rows and knows no rule. What it must promise is that the rows are of one state, and
/// that nobody else has changed them, nor added others that would have answered, when its transaction ends.
public struct WorkingSet: ~Copyable {
    private var contents: Contents
    private let clock: (@Sendable () -> Timestamp)?
    /// The records as they were loaded, by name.
    private var loaded: [TokenID: Lineage.Entry] = [:]

    /// An empty set, of a store that knows this of its whole.
    ///
    /// - Parameters:
    ///   - limits: what one batch and one record may have; how many records there are is the store's matter.
    ///   - horizon: the latest time until which a key that was forgotten had been remembered.
    ///   - unprovenBefore: when the store was restored without proof that nothing is missing.
    ///   - unknownBefore: of the time before this it is not known for certain which keys were remembered.
    ///   - clock: tells the time of this store's host.
    public init(
        limits: MemoryStore.Limits = MemoryStore.Limits(), horizon: Timestamp? = nil, unprovenBefore: Timestamp? = nil,
        unknownBefore: Timestamp? = nil, clock: (@Sendable () -> Timestamp)? = nil
    ) {
        contents = Contents(limits: limits)
        contents.unprovenBefore = unprovenBefore
        if let unknownBefore { contents.replays.startAnew(at: unknownBefore) }
        contents.replays.horizon = horizon
        self.clock = clock
    }

    /// What has to be looked up before a batch is applied; to each there is a method that takes what was found.
    public enum Question: Sendable, Hashable {
        /// The record of a name, with all it stands on.
        case record(TokenID)
        /// The record in force for a holder.
        case holder(Record.Kind, Record.Holder)
        /// What is in force beside a record: of its kind for its holder, and locks on its holder and subject.
        case beside(TokenID)
        /// All records of a subject, each with all it stands on.
        case subject(Record.Subject)
        /// Until when a key is remembered.
        case replay(ReplayKey)
        /// When a subject used a service last.
        case visit(Record.Subject, Record.Audience)
        /// A message on its way, or that it was settled.
        case message(OutgoingMessage.ID)
    }

    /// What has changed, and is to be written.
    public enum Edit: Sendable, Hashable {
        /// A record that is new.
        case insert(Record)
        /// A record that is there already.
        case update(Lineage.Entry)
        /// A key, in the place of what was known of it.
        case remember(ReplayKey, until: Timestamp)
        /// The last use of a service, in the place of an earlier one.
        case visit(Record.Subject, Facts.Visit)
        /// No use of a service.
        case leave(Record.Subject, Record.Audience)
        /// No use of any service; comes before the uses that there are nevertheless.
        case forget(Record.Subject)
        /// A message on its way, in the place of what was known of it.
        case message(OutgoingMessage)
        /// That a message was settled, in its place.
        case settled(OutgoingMessage.ID, OutgoingMessage.Settlement, at: Timestamp)
    }

    /// What comes of a batch.
    public enum Outcome: Sendable, Hashable {
        /// It is applied as soon as all of this is written.
        case write([Edit])
        /// The condition of the change at this position did not hold, and nothing is to be written.
        case conflict(Batch.Conflict, change: Int)
    }
}

// MARK: - What was found

extension WorkingSet {
    /// Takes a record with all it stands on.
    public mutating func add(_ lineage: Lineage) {
        var parent = Contents.none
        for entry in lineage.entries.reversed() { parent = add(entry, on: parent) }
    }

    /// Takes a record that is in force, without what it stands on.
    ///
    /// It stands in the way of others and is not itself what they ask for. Of what is known by its lineage it changes
    /// nothing, so it comes after all lineages.
    public mutating func add(inForce entry: Lineage.Entry) { _ = add(entry, on: Contents.none) }

    private mutating func add(_ entry: Lineage.Entry, on parent: UInt32) -> UInt32 {
        if let slot = contents.slot(of: entry.record.id) { return slot }
        loaded[entry.record.id] = entry
        return contents.take(entry, on: parent)
    }

    /// Takes until when a key is remembered.
    public mutating func add(_ key: ReplayKey, until: Timestamp) { contents.replays.remember(key, until: until) }

    /// Takes how many keys of the same owner are remembered that end at about the same time.
    ///
    /// A store that cannot count them bounds them otherwise.
    package mutating func add(_ count: Int, ofOwnerOf key: ReplayKey, until: Timestamp) {
        contents.replays.add(share: count, ofOwnerOf: key, until: until)
    }

    /// Takes when a subject used a service last.
    public mutating func add(_ visit: Facts.Visit, of subject: Record.Subject) { contents.take(visit, of: subject) }

    /// Takes a message that is on its way.
    public mutating func add(_ message: OutgoingMessage) { contents.take(message) }

    /// Takes that a message on its way is about a record, where nothing else of it is asked.
    public mutating func add(awaited id: TokenID) {
        let message = OutgoingMessage(
            id: OutgoingMessage.ID(id), destination: "anyone", about: id, body: JSON.Object(), due: .epoch)
        add(message)
    }

    /// Takes that a message was settled.
    public mutating func add(
        settled id: OutgoingMessage.ID, as settlement: OutgoingMessage.Settlement, at time: Timestamp
    ) {
        contents.take(settled: id, as: settlement, at: time)
    }
}

// MARK: - What comes of it

extension WorkingSet {
    /// What a batch asks about, each question once.
    public static func questions(of batch: Batch) -> [Question] {
        var seen: Set<Question> = []
        return batch.changes.flatMap(questions(of:)).filter { seen.insert($0).inserted }
    }

    private static func questions(of change: Change) -> [Question] {
        switch change {
        case .insert(let record):
            var questions = [Question.record(record.id)]
            if let parent = record.parent { questions.append(.record(parent)) }
            if let holder = record.holder {
                if record.kind.isKnownByHolder { questions.append(.holder(record.kind, holder)) }
                questions.append(.holder(.lock, holder))
            }
            if let subject = record.subject { questions.append(.holder(.lock, Record.Holder(subject))) }
            return questions
        case .revoke(let id, _), .rotate(let id, _, _, _): return [.record(id), .beside(id)]
        case .consume(let id), .describe(let id, _, _), .confirm(let id), .touch(let id): return [.record(id)]
        case .reground(let id, let from, let onto): return [.record(id), .record(from), .record(onto)]
        case .visit(let subject, let service), .leave(let subject, let service): return [.visit(subject, service)]
        case .forget(let subject): return [.subject(subject)]
        case .remember(let key, _, _): return [.replay(key)]
        case .enqueue(let message): return [.message(message.id)]
        case .attempt(let id, _, _), .settle(let id, _): return [.message(id)]
        }
    }

    /// Applies a batch of whose questions all answers were added, wholly or not at all.
    public consuming func apply(_ batch: Batch) -> Outcome {
        let correction = MemoryStore.correction(of: batch.at, clock)
        switch contents.apply(batch, forgettingAt: correction) {
        case .conflict(let conflict, let index): return .conflict(conflict, change: index)
        case .applied: return .write(edits(of: batch))
        }
    }

    private func edits(of batch: Batch) -> [Edit] {
        var forgotten: [Edit] = []
        var edits: [Edit] = []
        var seen: Set<Question> = []
        for change in batch.changes {
            if case .forget(let subject) = change {
                forgotten.append(.forget(subject))
                for id in loaded.keys.sorted() where loaded[id]?.record.subject == subject {
                    if seen.insert(.record(id)).inserted { edits += self.edits(of: id) }
                }
            }
            for question in Self.questions(of: change) where seen.insert(question).inserted {
                switch question {
                case .record(let id): edits += self.edits(of: id)
                case .replay(let key):
                    if let until = contents.replays[key] { edits.append(.remember(key, until: until)) }
                case .visit(let subject, let service): edits.append(edit(of: subject, service))
                case .message(let id): edits += self.edits(of: id)
                case .holder, .beside, .subject: break
                }
            }
        }
        return forgotten + edits
    }

    /// What is to be written of a record, if it has changed.
    private func edits(of id: TokenID) -> [Edit] {
        guard let entry = contents.lineage(of: id)?.entry else { return [] }
        guard let before = loaded[id] else {
            return [.insert(entry.record)] + (entry.fate == Record.Fate() ? [] : [.update(entry)])
        }
        return before == entry ? [] : [.update(entry)]
    }

    private func edit(of subject: Record.Subject, _ service: Record.Audience) -> Edit {
        guard case .visits(let visits) = contents.answer(to: .services(subject)),
            let visit = visits.first(where: { $0.service == service })
        else { return .leave(subject, service) }
        return .visit(subject, visit)
    }

    private func edits(of id: OutgoingMessage.ID) -> [Edit] {
        let state = contents.outbox[id]
        if let message = state.pending { return [.message(message)] }
        return state.settled.map { [.settled(id, $0.settlement, at: $0.at)] } ?? []
    }
}

// MARK: - Purge

extension WorkingSet {
    /// Which of the records that were added are dead and past any use, those first that stand on others.
    ///
    /// Of each, the lineage was added, and the messages on their way that are about one of that. What stands on a
    /// record and was not added keeps it all the same: the store looks when it removes.
    public consuming func removable(at now: Timestamp, keeping retention: Retention) -> [TokenID] {
        var purge = MemoryStore.Purge(at: MemoryStore.correction(of: now, clock) ?? now, keeping: retention)
        var removable: [TokenID] = []
        while !purge.isOver { removable += contents.advance(&purge).records }
        return removable
    }

    /// Keys are forgotten that were to be remembered until before this, when it is that time.
    package static func forgetting(at now: Timestamp) -> Timestamp { now - ReplayMemory.skew }
}
