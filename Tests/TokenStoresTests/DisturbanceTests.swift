import Synchronization
import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

/// A store in memory one of whose answers can be lost, after which it either finds out or does the same once more.
private final class RepeatingStore: AsyncTokenStore {
    private let tree = Mutex(MemoryStore())
    let isCut = Mutex(false)
    private let findsOut: Bool

    init(findsOut: Bool) { self.findsOut = findsOut }

    func load(_ keys: [Facts.Key]) async throws(StoreLost) -> Facts { tree.withLock { $0.load(keys) } }

    func commit(_ batch: Batch) async throws(StoreLost) -> Batch.Outcome {
        let isLost = isCut.withLock { isCut in
            defer { isCut = false }
            return isCut
        }
        let outcome = tree.withLock { $0.commit(batch) }
        return isLost && !findsOut ? tree.withLock { $0.commit(batch) } : outcome
    }

    func purge(at now: Timestamp, keeping retention: Retention) async throws(StoreLost) -> Int {
        tree.withLock { $0.purge(at: now, keeping: retention) }
    }
}

private struct StoreLost: Error {}

@Suite("STO: races after a loss", .proves("STO-7")) struct DisturbanceTests {
    private static func violations(findingOut: Bool) async -> (violations: [Violation], disturbances: Int) {
        let current = Mutex<RepeatingStore?>(nil)
        let count = Mutex(0)
        let violations = await Conformance.violations(
            connecting: {
                let store = RepeatingStore(findsOut: findingOut)
                current.withLock { $0 = store }
                return (store, store)
            }, rounds: 2,
            disturbing: {
                count.withLock { $0 += 1 }
                current.withLock { $0 }?.isCut.withLock { $0 = true }
            })
        return (violations, count.withLock { $0 })
    }

    @Test("A store that does again what it may have done is caught") func repeating() async {
        let (violations, _) = await Self.violations(findingOut: false)
        #expect(violations.contains { $0.law == "of two who redeem an assertion at once, one does" })
        #expect(violations.count > 3)
    }

    @Test("One that finds out is not, and every race was disturbed three times a round") func findingOut() async {
        let (violations, disturbances) = await Self.violations(findingOut: true)
        #expect(violations.isEmpty, "\(violations)")
        #expect(disturbances > 60 && disturbances % 6 == 0, "\(disturbances)")
    }
}
