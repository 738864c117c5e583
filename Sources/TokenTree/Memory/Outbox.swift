import Wire

/// The messages on their way, in the order in which they are due, and the names of those that arrived.
struct Outbox: Sendable {
    private(set) var pending: [OutgoingMessage.ID: OutgoingMessage] = [:]
    private(set) var settled: [OutgoingMessage.ID: Settled] = [:]
    private var queue: [Due] = []

    struct Settled: Sendable {
        let settlement: OutgoingMessage.Settlement
        let at: Timestamp
    }

    private struct Due: Comparable, Sendable {
        let time: Timestamp
        let id: OutgoingMessage.ID

        static func < (one: Due, other: Due) -> Bool {
            one.time != other.time ? one.time < other.time : one.id < other.id
        }
    }

    /// All that is known of a name: enough to put it back as it was.
    struct State: Sendable {
        var pending: OutgoingMessage?
        var settled: Settled?
    }

    subscript(id: OutgoingMessage.ID) -> State {
        get { State(pending: pending[id], settled: settled[id]) }
        set {
            if let old = pending[id] { unqueue(Due(time: old.due, id: id)) }
            if let new = newValue.pending { enqueue(Due(time: new.due, id: id)) }
            pending[id] = newValue.pending
            settled[id] = newValue.settled
        }
    }

    func due(_ time: Timestamp, limit: Int) -> [OutgoingMessage] {
        queue.prefix(max(0, limit)).prefix { $0.time <= time }.compactMap { pending[$0.id] }
    }

    /// Forgets the names of what was settled before a time.
    mutating func forget(settledBefore time: Timestamp) {
        settled = settled.filter { $0.value.at >= time }
    }

    private func position(of due: Due) -> Int {
        var low = 0
        var high = queue.count
        while low < high {
            let middle = (low + high) / 2
            if queue[middle] < due { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func enqueue(_ due: Due) {
        queue.insert(due, at: position(of: due))
    }

    private mutating func unqueue(_ due: Due) {
        let position = position(of: due)
        if position < queue.count, queue[position].id == due.id { queue.remove(at: position) }
    }
}
