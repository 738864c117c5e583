import Wire

/// The messages on their way, in the order in which they are due, and the names of those that arrived.
struct Outbox: Sendable {
    private(set) var pending: [OutgoingMessage.ID: OutgoingMessage] = [:]
    private(set) var settled: [OutgoingMessage.ID: Settled] = [:]
    private var queue = DueQueue()

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
            if let old = pending[id] { queue.remove(DueQueue.Entry(time: old.due, id: id)) }
            if let new = newValue.pending { queue.insert(DueQueue.Entry(time: new.due, id: id)) }
            pending[id] = newValue.pending
            settled[id] = newValue.settled
        }
    }

    func due(_ time: Timestamp, limit: Int) -> [OutgoingMessage] {
        queue.first(limit, due: time).compactMap { pending[$0] }
    }

    /// Forgets the names of what was settled before a time.
    mutating func forget(settledBefore time: Timestamp) {
        settled = settled.filter { $0.value.at >= time }
    }
}
