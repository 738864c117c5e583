import Federation
import FederationTesting
import Synchronization
import Testing
import TokenTree
import Wire

/// In the place of a database: a tree, behind an actor.
actor Database: AsyncTokenStore {
    typealias Failure = any Error
    private var tree: MemoryStore
    private(set) var conflicts = 0
    private(set) var purges = 0

    init(_ tree: MemoryStore = MemoryStore()) { self.tree = tree }

    func load(_ keys: [Facts.Key]) throws -> Facts { tree.load(keys) }

    func commit(_ batch: Batch) throws -> Batch.Outcome {
        let outcome = tree.commit(batch)
        if outcome != .applied { conflicts += 1 }
        return outcome
    }

    func purge(at now: Timestamp, keeping retention: Retention) throws -> Int {
        purges += 1
        return tree.purge(at: now, keeping: retention)
    }
}

/// A store in front of which another machine was faster, once.
struct RivalStore: TokenStore {
    var tree = MemoryStore()
    var rival: Batch?
    private(set) var conflicts = 0

    func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }

    mutating func commit(_ batch: Batch) -> Batch.Outcome {
        if let rival { #expect(tree.commit(rival) == .applied) }
        rival = nil
        let outcome = tree.commit(batch)
        if outcome != .applied { conflicts += 1 }
        return outcome
    }

    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        tree.purge(at: now, keeping: retention)
    }
}

/// The services of a federation, for requests at the same time.
actor Network {
    var federation: SimulatedFederation
    init(_ federation: SimulatedFederation) { self.federation = federation }
    private var isCut = false
    func cut(_ isCut: Bool) { self.isCut = isCut }
    func send(_ request: HTTP.Request) -> HTTP.Response? { isCut ? nil : federation.send(request) }
}

/// A time that is moved by hand.
final class TestClock: Sendable {
    private let time: Mutex<Timestamp>
    init(_ now: Timestamp) { time = Mutex(now) }
    var now: Timestamp {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

/// What a host noted.
final class Notes: Sendable {
    private let records = Mutex<[AuditRecord]>([])
    func add(_ record: AuditRecord) { records.withLock { $0.append(record) } }
    var all: [AuditRecord] { records.withLock { $0 } }
}
