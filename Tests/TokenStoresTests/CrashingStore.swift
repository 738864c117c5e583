import Synchronization
import TestSupport
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

/// A journal store without threads on a simulated disk: its caller does the work of both.
struct CrashingStore: SimulatedStore {
    private(set) var folder: SimulatedFolder
    private(set) var ledger: Ledger
    /// Why the last restart failed, if it did.
    private(set) var damage: StoreFailure?
    private var random: SeededGenerator
    /// Journals of this length get a snapshot.
    private let leastJournal: Int

    init(seed: UInt64, leastJournal: Int = 1500) {
        random = SeededGenerator(seed: seed)
        folder = SimulatedFolder()
        self.leastJournal = leastJournal
        ledger = Self.empty()
        (ledger, damage) = Self.open(folder, leastJournal)
    }

    private static func open(_ folder: SimulatedFolder, _ leastJournal: Int) -> (Ledger, StoreFailure?) {
        do throws(StoreFailure) {
            let (found, file, _) = try Recovery.open(
                folder, as: .inPlace, limits: MemoryStore.Limits(), clock: nil)
            return (
                Ledger(
                    found, file, in: folder, limits: MemoryStore.Limits(), clock: nil, leastJournal: leastJournal), nil
            )
        } catch {
            return (empty(), error)
        }
    }

    /// What takes the place of a store that could not be read.
    private static func empty() -> Ledger {
        let folder = SimulatedFolder()
        guard
            let (found, file, _) = try? Recovery.open(folder, as: .inPlace, limits: MemoryStore.Limits(), clock: nil)
        else { preconditionFailure("an empty folder gives back no store") }
        return Ledger(found, file, in: folder, limits: MemoryStore.Limits(), clock: nil)
    }

    var tree: MemoryStore { ledger.state.withLock { $0.tree } }

    func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }

    func verdict(of id: TokenID, at now: Timestamp) -> Verdict { tree.verdict(of: id, at: now) }

    /// What the store answers to a batch, when all threads have done their work.
    func answer(to batch: Batch) -> Result<Batch.Outcome, StoreFailure>? {
        let answer = Answer<Batch.Outcome>()
        ledger.commit(batch) { answer.set($0) }
        work()
        return answer.value
    }

    /// The work of both threads, of which the keeper is late most of the time.
    func work() {
        ledger.write()
        guard folder.disk.withLock({ $0.calls % 3 == 0 }) else { return }
        ledger.keep()
        ledger.write()
    }

    mutating func commit(_ batch: Batch) -> Batch.Outcome {
        switch answer(to: batch) {
        case .success(let outcome): return outcome
        default: return .conflict(.full, change: 0)
        }
    }

    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        let answer = Answer<Int>()
        ledger.purge(at: now, keeping: retention) { answer.set($0) }
        // The second time for what waits for room.
        for _ in 0..<2 where answer.value == nil {
            ledger.keep()
            ledger.write()
        }
        return (try? answer.value?.get()) ?? -1
    }

    mutating func restart() { restart(losingPower: Bool.random(using: &random)) }

    mutating func restart(losingPower: Bool) {
        let disk = folder.disk.withLock { $0 }
        folder = SimulatedFolder(losingPower ? disk.afterPowerLoss(&random) : disk.afterKill())
        (ledger, damage) = Self.open(folder, leastJournal)
    }

    /// Ends the process at any call of the disk that the batch leads to; it is there if the chain says so.
    mutating func crash(during batch: Batch) -> Bool {
        var expected = tree
        var line: [UInt8] = []
        let outcome = expected.commit(batch, journal: &line)
        let calls = Int.random(in: 0..<8, using: &random)
        folder.disk.withLock { $0.remainingCalls = calls }
        _ = answer(to: batch)
        restart()
        return outcome == .applied && tree.head == expected.head
    }
}

/// What came back from a call that answers later.
final class Answer<Value: Sendable>: Sendable {
    private let state = Mutex<Result<Value, StoreFailure>?>(nil)

    func set(_ value: Result<Value, StoreFailure>) { state.withLock { $0 = value } }

    var value: Result<Value, StoreFailure>? { state.withLock { $0 } }
}
