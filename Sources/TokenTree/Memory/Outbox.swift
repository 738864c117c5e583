import Wire

/// The messages on their way, in the order in which they are due, and the names of those that arrived.
struct Outbox: Sendable {
    private(set) var pending: [OutgoingMessage.ID: OutgoingMessage] = [:]
    private(set) var settled: [OutgoingMessage.ID: Settled] = [:]
    private var queue = DueQueue()
    /// The names of those that arrived, by when that was.
    private var past = DueQueue()
    /// How many are on their way about a record.
    private var subjects: [TokenID: Int] = [:]

    struct Settled: Sendable {
        let settlement: OutgoingMessage.Settlement
        let at: Timestamp
    }

    /// All that is known of a name: enough to put it back as it was.
    struct State: Sendable {
        var pending: OutgoingMessage?
        var settled: Settled?
    }

    subscript(id: OutgoingMessage.ID) -> State {
        get { State(pending: pending[id], settled: settled[id]) }
        set {
            if let old = pending[id] {
                queue.remove(DueQueue.Entry(time: old.due, id: id))
                count(old.about, by: -1)
            }
            if let new = newValue.pending {
                queue.insert(DueQueue.Entry(time: new.due, id: id))
                count(new.about, by: 1)
            }
            if let old = settled[id] { past.remove(DueQueue.Entry(time: old.at, id: id)) }
            if let new = newValue.settled { past.insert(DueQueue.Entry(time: new.at, id: id)) }
            pending[id] = newValue.pending
            settled[id] = newValue.settled
        }
    }

    /// Whether there may be any message that is about a record.
    var isAboutRecords: Bool { !subjects.isEmpty }

    /// Whether a message on its way is about a record.
    func isAbout(_ record: TokenID) -> Bool { subjects[record] != nil }

    private mutating func count(_ subject: TokenID?, by difference: Int) {
        guard let subject else { return }
        let count = subjects[subject, default: 0] + difference
        subjects[subject] = count > 0 ? count : nil
    }

    func due(_ time: Timestamp, limit: Int) -> [OutgoingMessage] {
        queue.first(limit, due: time).compactMap { pending[$0] }
    }

    /// Forgets so many names of what was settled before a time, if there are any, and says how many those were.
    mutating func forget(_ most: Int, settledBefore time: Timestamp) -> Int {
        let names = past.first(most, due: time).filter { settled[$0].map { $0.at < time } ?? false }
        for name in names { self[name] = State(pending: pending[name]) }
        return names.count
    }
}
