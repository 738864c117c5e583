public import TokenTree
public import Wire

/// A store that can be made to crash, so that suites and simulations see what survives.
public protocol SimulatedStore: TokenStore where Failure == Never {
    /// Ends the store's process and starts it anew from what it had kept.
    mutating func restart()

    /// Ends the store's process while it writes the batch down, before anybody was answered: all of it is there
    /// afterwards, or nothing. Says which.
    mutating func crash(during batch: Batch) -> Bool

    /// The verdict as the store gives it by its own means.
    func verdict(of id: TokenID, at now: Timestamp) -> Verdict
}

extension SimulatedStore {
    /// Commits, then restarts.
    public mutating func crash(during batch: Batch) -> Bool {
        let outcome = commit(batch)
        restart()
        return outcome == .applied
    }

    /// The verdict that follows from the facts.
    public func verdict(of id: TokenID, at now: Timestamp) -> Verdict {
        load([.record(id)]).verdict(of: id, at: now)
    }
}
