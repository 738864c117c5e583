public import Wire

/// Changes that a store applies wholly or not at all, in their order, each seeing what the ones before it did.
public struct Batch: Sendable, Hashable {
    /// When the decision was made; conditions are checked, and marks set, at this time.
    public let at: Timestamp
    /// What is to change.
    public var changes: [Change]

    /// A batch decided at a time.
    public init(at: Timestamp, _ changes: [Change]) {
        self.at = at
        self.changes = changes
    }
}

extension Batch: CustomStringConvertible {
    /// The changes in order, without any secret.
    public var description: String {
        var text = "at \(at):"
        for change in changes { text += " \(change);" }
        return text
    }
}

extension Batch {
    /// What a store says to a batch.
    public enum Outcome: Sendable, Hashable {
        /// All of it holds, from now on and across restarts.
        case applied
        /// Nothing changed; load the facts again and decide anew.
        case conflict(Conflict)
    }

    /// Which condition of a batch did not hold.
    public struct Conflict: Sendable, Hashable, CustomStringConvertible {
        /// The position of the change in the batch.
        public let index: Int
        /// What stood against it.
        public let breach: Breach

        /// A conflict at a position.
        public init(index: Int, breach: Breach) {
            self.index = index
            self.breach = breach
        }

        /// The position and what stood against the change.
        public var description: String { "change \(index): \(breach)" }
    }
}
