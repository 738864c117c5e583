internal import Synchronization
public import TokenTree
public import Wire

/// A store that answers at once, shared by all who would wait for one: each call has it for itself.
public final class SharedStore<Base: TokenStore & Sendable>: AsyncTokenStore {
    private let base: Mutex<Base>

    /// Shares a store.
    public init(_ base: Base) { self.base = Mutex(base) }

    /// A copy of the store as it is now.
    public var contents: Base { base.withLock { $0 } }

    /// Answers each of the keys, from one state of the store.
    public func load(_ keys: [Facts.Key]) throws(Base.Failure) -> Facts {
        try base.withLock { store throws(Base.Failure) in try store.load(keys) }
    }

    /// The record of a name with all it stands on.
    public func lineage(of id: TokenID) throws(Base.Failure) -> Lineage? {
        try base.withLock { store throws(Base.Failure) in try store.lineage(of: id) }
    }

    /// The record of a name as a check of access reads it.
    public func grant(of id: TokenID, at now: Timestamp) throws(Base.Failure) -> Grant? {
        try base.withLock { store throws(Base.Failure) in try store.grant(of: id, at: now) }
    }

    /// Applies the batch wholly or not at all.
    public func commit(_ batch: Batch) throws(Base.Failure) -> Batch.Outcome {
        try base.withLock { store throws(Base.Failure) in try store.commit(batch) }
    }

    /// Removes what is dead and past any use, and says how many records that were.
    public func purge(at now: Timestamp, keeping retention: Retention) throws(Base.Failure) -> Int {
        try base.withLock { store throws(Base.Failure) in try store.purge(at: now, keeping: retention) }
    }
}
