public import Wire

/// Changes that a store applies wholly or not at all, in their order, each seeing what the ones before it did.
public struct Batch: Sendable, Hashable, CustomStringConvertible {
    /// When the decision was made; conditions are checked, and marks set, at this time.
    public let at: Timestamp
    /// What is to change.
    public var changes: [Change]

    /// A batch decided at a time.
    public init(at: Timestamp, _ changes: [Change]) {
        self.at = at
        self.changes = changes
    }

    /// The changes in order, without any secret.
    public var description: String { changes.reduce("at \(at):") { "\($0) \($1);" } }

    /// What a store says to a batch.
    public enum Outcome: Sendable, Hashable {
        /// All of it holds, from now on and across restarts.
        case applied
        /// The condition of the change at this position did not hold, and nothing changed: load the facts again and
        /// decide anew.
        case conflict(Conflict, change: Int)
    }
}
