import Federation
import FederationTesting
import Foundation
import JOSE
import OAuth2Grants
import PureCrypto
import Synchronization
import TokenTree
import Wire

/// What two threads do together with one service and one store of a million tokens, beside one thread by itself.
///
/// The store is shared by a lock, as ``SharedStore`` does it. The time is that of the clock on the wall, so that the
/// figures mean something on a machine that does nothing else.
enum TwoThreads {
    /// How often each number of threads works, in turn.
    private static let rounds = 7
    private static let accesses = 10_000
    private static let redemptions = 1_500

    /// What a thread has done: how long it took, and its longest step.
    private struct Work {
        var seconds = 0.0
        var longest = 0.0
    }

    /// Measures and says it; the exit status.
    static func run(_ say: (String) -> Void) throws -> Int32 {
        let busy = BusyService.shared
        let (service, url, now, keys) = (busy.service, busy.url, busy.now, busy.keys)
        let shelf = Shelf(busy.surrenderStore())
        let share = rounds * 3
        let requests = busy.edwards.some(share * accesses).chunks(of: accesses)
        compare("access", accesses, say) { turn, _ in
            var store = SharedShelf(shelf: shelf)
            return { step in
                let request = requests[turn][step]
                let outcome = service.access(for: request, to: url, in: &store, at: now)
                guard case .granted = outcome else { preconditionFailure("access was refused") }
            }
        }
        let redeemed = try busy.redemptions(share * redemptions).chunks(of: redemptions)
        compare("redeem", redemptions, say) { turn, seed in
            var store = SharedShelf(shelf: shelf)
            var entropy = SimulatedFederation.Entropy(seed: seed)
            return { step in
                let request = redeemed[turn][step]
                let response = store.carryOut(
                    { service.exchange(for: request, at: now, using: &entropy) },
                    lookUp: { if case .keys(let question) = $0 { keys.result(of: question) } else { $0.nothing } })
                guard response.status == .ok else { preconditionFailure("the assertion was refused") }
            }
        }
        return EXIT_SUCCESS
    }

    /// Lets one thread work and then two, several times.
    private static func compare(
        _ title: String, _ steps: Int, _ say: (String) -> Void,
        _ worker: @escaping @Sendable (_ turn: Int, _ seed: UInt64) -> (_ step: Int) -> Void
    ) {
        var (single, double, longest): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0..<rounds {
            let alone = together([round * 3], steps, worker)
            let both = together([round * 3 + 1, round * 3 + 2], steps, worker)
            single.append(Double(steps) / alone.seconds)
            double.append(Double(2 * steps) / both.seconds)
            longest.append(max(alone.longest, both.longest))
        }
        let (one, two) = (single.sorted()[rounds / 2], double.sorted()[rounds / 2])
        say(
            String(
                format: "%@: %.0f a second by one thread, %.0f by two: %.2f times; longest step %.2f ms "
                    + "(median of the rounds), %.2f ms (of all)\n", title, one, two, two / one,
                longest.sorted()[rounds / 2] * 1e3, (longest.max() ?? 0) * 1e3))
    }

    private static func together(
        _ turns: [Int], _ steps: Int, _ worker: @escaping @Sendable (Int, UInt64) -> (Int) -> Void
    ) -> Work {
        let longest = Mutex(0.0)
        let clock = ContinuousClock()
        let began = clock.now
        DispatchQueue.concurrentPerform(iterations: turns.count) { place in
            let work = worker(turns[place], UInt64(turns[place]) + 1)
            var slowest = Duration.zero
            var last = clock.now
            for step in 0..<steps {
                work(step)
                let now = clock.now
                slowest = max(slowest, now - last)
                last = now
            }
            longest.withLock { $0 = max($0, slowest.inSeconds) }
        }
        return Work(seconds: (clock.now - began).inSeconds, longest: longest.withLock { $0 })
    }
}

/// A store that several threads use, each call of which has it for itself.
private final class Shelf: Sendable {
    let base: Mutex<MemoryStore>

    init(_ base: MemoryStore) { self.base = Mutex(base) }
}

private struct SharedShelf: TokenStore {
    let shelf: Shelf

    func load(_ keys: [Facts.Key]) -> Facts { shelf.base.withLock { $0.load(keys) } }
    func lineage(of id: TokenID) -> Lineage? { shelf.base.withLock { $0.lineage(of: id) } }
    func grant(of id: TokenID, at now: Timestamp) -> Grant? { shelf.base.withLock { $0.grant(of: id, at: now) } }
    mutating func commit(_ batch: Batch) -> Batch.Outcome { shelf.base.withLock { $0.commit(batch) } }
    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        shelf.base.withLock { $0.purge(at: now, keeping: retention) }
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
