public import Wire

/// Where records live: looks up facts, applies batches.
///
/// ``MemoryStore`` is one in memory; a host brings others.
///
/// A database looks up what a ``WorkingSet`` asks, and writes what that gives back, in one transaction per batch that
/// excludes other writers of the same records. `TokenTreeTesting` holds the laws that every store must keep, as a
/// suite.
public protocol TokenStore {
    /// How the store itself can fail; what was committed then is uncertain, and must be found out by loading.
    associatedtype Failure: Error

    /// Answers each of the keys, from one state of the store.
    func load(_ keys: [Facts.Key]) throws(Failure) -> Facts

    /// The record of a name with all it stands on.
    func lineage(of id: TokenID) throws(Failure) -> Lineage?

    /// The record of a name as a check of access reads it at a time: one look-up, which comes with every request.
    func grant(of id: TokenID, at now: Timestamp) throws(Failure) -> Grant?

    /// Applies the batch wholly or not at all. When this returns ``Batch/Outcome/applied``, the changes survive a
    /// crash.
    mutating func commit(_ batch: Batch) throws(Failure) -> Batch.Outcome

    /// Removes what is dead and past any use, and says how many records that were; no verdict turns to another one than
    /// "unknown" by it.
    mutating func purge(at now: Timestamp, keeping retention: Retention) throws(Failure) -> Int
}

extension TokenStore {
    /// The record of a name with all it stands on.
    public func lineage(of id: TokenID) throws(Failure) -> Lineage? { try load([.record(id)]).lineage(of: id) }

    /// What the record's lineage says.
    public func grant(of id: TokenID, at now: Timestamp) throws(Failure) -> Grant? {
        try lineage(of: id).map { Grant($0, at: now) }
    }
}

#if !hasFeature(Embedded)
/// The same contract for a store whose answers take time, such as a database behind a connection; all who wait for it
/// share it.
public protocol AsyncTokenStore: Sendable {
    /// How the store itself can fail; what was committed then is uncertain, and must be found out by loading.
    associatedtype Failure: Error

    /// Answers each of the keys, from one state of the store.
    func load(_ keys: [Facts.Key]) async throws(Failure) -> Facts

    /// The record of a name with all it stands on.
    func lineage(of id: TokenID) async throws(Failure) -> Lineage?

    /// The record of a name as a check of access reads it at a time: one look-up, which comes with every request.
    func grant(of id: TokenID, at now: Timestamp) async throws(Failure) -> Grant?

    /// Applies the batch wholly or not at all. When this returns ``Batch/Outcome/applied``, the changes survive a
    /// crash.
    func commit(_ batch: Batch) async throws(Failure) -> Batch.Outcome

    /// Removes what is dead and past any use, and says how many records that were; no verdict turns to another one than
    /// "unknown" by it.
    func purge(at now: Timestamp, keeping retention: Retention) async throws(Failure) -> Int
}

extension AsyncTokenStore {
    /// The record of a name with all it stands on.
    public func lineage(of id: TokenID) async throws(Failure) -> Lineage? {
        try await load([.record(id)]).lineage(of: id)
    }

    /// What the record's lineage says.
    public func grant(of id: TokenID, at now: Timestamp) async throws(Failure) -> Grant? {
        try await lineage(of: id).map { Grant($0, at: now) }
    }
}
#endif

/// How long a store keeps what nobody can use any more, so that it can still be explained.
public struct Retention: Sendable, Hashable {
    /// The time from a record's end to its removal.
    public let explained: Duration
    /// The time from a message's settlement to its removal; until then the same message is not sent again.
    public let settled: Duration

    /// Keeps ended records, and settled messages, for these times.
    public init(explained: Duration = .seconds(30 * 86_400), settled: Duration = .seconds(30 * 86_400)) {
        self.explained = explained
        self.settled = settled
    }
}
