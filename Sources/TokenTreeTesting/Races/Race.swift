#if !hasFeature(Embedded)
internal import TokenTree
internal import Wire

/// One law about those who meet: what is there, what several of them do at once, and what is asked afterwards.
///
/// Nothing here says what has to come of it. What the store answered, and what it holds in the end, has to be what the
/// model says of the same acts in one order, one after the other.
struct Race: Sendable {
    let name: String
    let clause: String
    /// What is there when they meet.
    let ground: [Batch]
    /// What each of them does, in this order.
    let sessions: [[Act]]
    /// What happens when all of them were answered, one after the other and by both connections in turn.
    let sequel: [Act]
    /// What both connections are asked in the end.
    let keys: [Facts.Key]

    init(
        _ name: String, _ clause: String, from ground: [Batch], _ sessions: [Act]..., then sequel: [Act] = [],
        asking keys: [Facts.Key]
    ) {
        self.init(name, clause, from: ground, sessions: sessions, then: sequel, asking: keys)
    }

    init(
        _ name: String, _ clause: String, from ground: [Batch], sessions: [[Act]], then sequel: [Act] = [],
        asking keys: [Facts.Key]
    ) {
        self.name = name
        self.clause = clause
        self.ground = ground
        self.sessions = sessions
        self.sequel = sequel
        self.keys = keys
    }

    /// Something that is done to a store, as one step.
    enum Act: Sendable, Hashable {
        case commit(Batch)
        case load([Facts.Key])
        case purge(Timestamp, Retention)
    }

    /// What the store said to it.
    enum Answer: Sendable, Hashable {
        case outcome(Batch.Outcome)
        case facts([Facts.Answer?])
        /// How many records a purge removed, if no answer can have been lost that said so.
        case removed(Int?)
        /// The store failed: it may have been done or not.
        case uncertain
    }

    /// An act with its answer.
    struct Event: Sendable, Hashable {
        let act: Act
        let answer: Answer
    }
}

// MARK: - What happens

extension Race {
    /// What befalls connections while they are used.
    typealias Disturbance = @Sendable () async -> Void

    /// Runs the race on a store of its own, and says how it went wrong if it did.
    ///
    /// What disturbs comes before they meet, while they do so, and before what is asked afterwards.
    func run<Store: AsyncTokenStore>(
        on stores: (Store, Store), round: Int, disturbing disturb: Disturbance?
    ) async -> (evidence: String?, failed: Bool) {
        for batch in ground {
            let answer = await Act.commit(batch).done(to: stores.0)
            guard answer == .outcome(.applied) else { return ("before the race, \(batch) \(answer)", false) }
        }
        await disturb?()
        let meeting = await meet(stores, round: round, disturbing: disturb)
        await disturb?()
        var isFirst = round % 2 == 0
        var after: [Event] = []
        for act in sequel {
            let answer = await act.done(to: isFirst ? stores.0 : stores.1)
            after.append(Event(act: act, answer: answer.known(disturb == nil)))
            isFirst.toggle()
        }
        let states = (await Act.load(keys).done(to: stores.0), await Act.load(keys).done(to: stores.1))
        if after.contains(where: { $0.answer == .uncertain }) || states.0 == .uncertain || states.1 == .uncertain {
            return ("the store failed when nobody else used it", false)
        }
        guard states.0 == states.1 else {
            return ("one connection says \(states.0), the other one \(states.1)", false)
        }
        let ending = after + [Event(act: .load(keys), answer: states.0)]
        let failures = meeting.joined().count { $0.answer == .uncertain }
        // Each failure doubles what may have happened.
        guard failures <= 3 else { return (nil, true) }
        var search = Search(ending: ending)
        let isExplained = search.explains(meeting, from: model())
        return (isExplained ? nil : evidence(of: meeting, search), failures > 0)
    }

    /// Lets the sessions run at the same time, each on one of both connections; who starts first differs by round.
    private func meet<Store: AsyncTokenStore>(
        _ stores: (Store, Store), round: Int, disturbing disturb: Disturbance?
    ) async -> [[Event]] {
        await withTaskGroup(of: (Int, [Event])?.self) { group in
            if let disturb {
                group.addTask {
                    await disturb()
                    return nil
                }
            }
            for turn in sessions.indices {
                let index = (turn + round) % sessions.count
                let store = (index + round / 2) % 2 == 0 ? stores.0 : stores.1
                let acts = sessions[index]
                group.addTask {
                    var events: [Event] = []
                    for act in acts {
                        let answer = await act.done(to: store)
                        events.append(Event(act: act, answer: answer.known(disturb == nil)))
                    }
                    return (index, events)
                }
            }
            var events = [[Event]](repeating: [], count: sessions.count)
            for await case (let index, let session)? in group { events[index] = session }
            return events
        }
    }

    /// The model of what is there when they meet.
    private func model() -> PlainStore {
        let model = PlainStore()
        for batch in ground { _ = model.commit(batch) }
        return model
    }

    private func evidence(of meeting: [[Event]], _ search: Search) -> String {
        let told = meeting.enumerated().map { index, session in
            "(\(index + 1)) " + session.map(\.description).joined(separator: ", then ")
        }
        let why = search.nearest.map { "; the order that comes nearest differs in this: \($0)" } ?? ""
        return told.joined(separator: "; ") + "; no order of them explains that" + why
    }
}

extension Race.Act {
    /// What a store says to it.
    fileprivate func done<Store: AsyncTokenStore>(to store: Store) async -> Race.Answer {
        do throws(Store.Failure) {
            switch self {
            case .commit(let batch): return .outcome(try await store.commit(batch))
            case .load(let keys): return .facts(of: try await store.load(keys), keys)
            case .purge(let now, let retention): return .removed(try await store.purge(at: now, keeping: retention))
            }
        } catch {
            return .uncertain
        }
    }

    /// What the model says to it.
    fileprivate func done(to model: PlainStore) -> Race.Answer {
        switch self {
        case .commit(let batch): .outcome(model.commit(batch))
        case .load(let keys): .facts(of: model.load(keys), keys)
        case .purge(let now, let retention): .removed(model.purge(at: now, keeping: retention))
        }
    }
}

extension Race.Answer {
    /// The same, or what is left of it where an answer may have been lost: who purges again finds less to remove.
    fileprivate func known(_ isWhole: Bool) -> Race.Answer {
        if case .removed = self, !isWhole { .removed(nil) } else { self }
    }

    /// Whether the model's answer is what a store said.
    fileprivate func agrees(with said: Race.Answer) -> Bool {
        if case (.removed, .removed(nil)) = (self, said) { true } else { self == said }
    }

    /// What was found, without the order in which a store lists it.
    fileprivate static func facts(of facts: Facts, _ keys: [Facts.Key]) -> Race.Answer {
        .facts(
            keys.map { key in
                switch facts[key] {
                case .page(let page?):
                    .page(Facts.Page(lineages: page.lineages.sorted { $0.record.id < $1.record.id }, next: nil))
                case .visits(let visits): .visits(visits.sorted { $0.service < $1.service })
                case .messages(let messages): .messages(messages.sorted { $0.id < $1.id })
                case let answer: answer
                }
            })
    }
}

// MARK: - What explains it

/// Looks for an order in which the model says the same as the store did.
private struct Search {
    /// What happened when all had been answered; the last of it is what was found in the end.
    let ending: [Race.Event]
    /// The first difference of the order that came furthest.
    private(set) var nearest: String?
    private var reached = -1
    /// What leads nowhere, so that orders which come to the same are followed once.
    private var exhausted: Set<Node> = []

    init(ending: [Race.Event]) { self.ending = ending }

    /// What is left to be explained, and what is there by then.
    private struct Node: Hashable {
        let sessions: [[Race.Event]]
        let entries: [TokenID: Lineage.Entry]
        let order: [TokenID]
        let remembered: [ReplayKey: Timestamp]
        let visits: [Record.Subject: Set<Facts.Visit>]
        let pending: [OutgoingMessage.ID: OutgoingMessage]
        let settled: [OutgoingMessage.ID: Timestamp]
    }

    /// Whether the sessions' events, each session's in its order, are what the model says in some order of them.
    mutating func explains(_ sessions: [[Race.Event]], from model: PlainStore) -> Bool {
        var sessions = sessions
        // What was refused, or only looked, changes nothing: where the model says the same, it may as well come now.
        while let index = sessions.firstIndex(where: { $0.first.map { isIdle($0, in: model) } ?? false }) {
            sessions[index].removeFirst()
        }
        let node = Node(
            sessions: sessions, entries: model.entries, order: model.order, remembered: model.remembered,
            visits: model.visits.mapValues { Set($0) }, pending: model.pending, settled: model.settled)
        guard exhausted.insert(node).inserted else { return false }
        if sessions.allSatisfy(\.isEmpty) { return endsWell(model) }
        for index in sessions.indices {
            guard let event = sessions[index].first else { continue }
            var rest = sessions
            rest[index].removeFirst()
            let next = model.copy()
            let answer = event.act.done(to: next)
            if event.answer == .uncertain {
                if explains(rest, from: next) || explains(rest, from: model) { return true }
            } else if answer.agrees(with: event.answer) {
                if explains(rest, from: next) { return true }
            } else {
                note(event, answer, depth: -rest.joined().count - 1)
            }
        }
        return false
    }

    private func isIdle(_ event: Race.Event, in model: PlainStore) -> Bool {
        switch event.answer {
        case .facts, .outcome(.conflict): event.act.done(to: model.copy()) == event.answer
        case .outcome(.applied), .removed, .uncertain: false
        }
    }

    private mutating func endsWell(_ model: PlainStore) -> Bool {
        let model = model.copy()
        for (depth, event) in ending.enumerated() {
            let answer = event.act.done(to: model)
            guard !answer.agrees(with: event.answer) else { continue }
            note(event, answer, depth: depth)
            return false
        }
        return true
    }

    private mutating func note(_ event: Race.Event, _ expected: Race.Answer, depth: Int) {
        // Depths below zero count what is left of the meeting.
        guard nearest == nil || depth > reached else { return }
        reached = depth
        nearest = "\(event.act) \(event.answer.difference(from: expected, event.act))"
    }
}

// MARK: - In words

extension Race.Event: CustomStringConvertible {
    var description: String { "\(act) \(answer)" }
}

extension Race.Act: CustomStringConvertible {
    var description: String {
        switch self {
        case .commit(let batch): "\(batch)"
        case .load(let keys): "load \(keys.count) keys:"
        case .purge(let now, _): "purge at \(now):"
        }
    }
}

extension Race.Answer: CustomStringConvertible {
    var description: String {
        switch self {
        case .outcome(.applied): "applied"
        case .outcome(.conflict(let conflict, let change)): "refused at change \(change), \(conflict)"
        case .facts(let answers): "\(answers.compactMap { $0?.brief })"
        case .removed(let count): "\(count.map(String.init) ?? "some") removed"
        case .uncertain: "the store failed"
        }
    }

    /// What is different, and of facts nothing else.
    fileprivate func difference(from expected: Race.Answer, _ act: Race.Act) -> String {
        guard case .load(let keys) = act, case .facts(let found) = self, case .facts(let wanted) = expected else {
            return "\(self), expected: \(expected)"
        }
        for (key, (found, wanted)) in zip(keys, zip(found, wanted)) where found != wanted {
            guard case .lineage(let one?) = found, case .lineage(let other?) = wanted else {
                return "\(key): \(found?.brief ?? "no answer"), expected: \(wanted?.brief ?? "no answer")"
            }
            for (entry, right) in zip(one.entries, other.entries) where entry != right {
                return "\(key): \(entry), expected: \(right)"
            }
        }
        return "in number"
    }
}

extension Facts.Answer {
    /// The names of what was found.
    fileprivate var brief: String {
        switch self {
        case .lineage(nil), .page(nil), .message(nil), .remembered(until: nil): "nothing"
        case .lineage(let lineage?): lineage.entries.map(\.record.id.text).joined(separator: " on ")
        case .page(let page?): "\(page.lineages.map(\.record.id))"
        case .remembered(let until?): "remembered until \(until)"
        case .message(let message?): "\(message.id) after \(message.attempts)"
        case .messages(let messages): "\(messages.map(\.id))"
        case .visits(let visits): "\(visits.map { "\($0.service) at \($0.last)" })"
        }
    }
}
#endif
