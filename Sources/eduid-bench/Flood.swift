import Foundation
import TokenTree
import Wire

/// Ten minutes of store time in which 30,000 proofs come every second, each to be remembered until it is too old to be
/// taken: whether the store goes on taking them, and what each costs (threat 62).
enum Flood {
    private static let rate = 30_000
    private static let seconds: Int64 = 600
    private static let holders = 10_000

    /// Plays it; the exit status.
    static func run(_ say: (String) -> Void) -> Int32 {
        let names = (0..<holders).map { "holder-\($0)" }
        let start = Timestamp(seconds: 1_800_000_000)
        var store = MemoryStore()
        var number = 0
        func proof(_ number: Int) -> ReplayKey { ReplayKey("proof", names[number % holders], "\(number)") }
        let before = clock()
        for second in 0..<seconds {
            let now = start + .seconds(second)
            for _ in 0..<rate {
                let outcome = store.commit(Batch(at: now, [.remember(proof(number), until: now + .seconds(61))]))
                guard outcome == .applied else {
                    say("Proof \(number) in second \(second) was refused: \(outcome)\n")
                    return EXIT_FAILURE
                }
                number += 1
            }
        }
        let spent = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        let end = start + .seconds(seconds - 1)
        let each = Int(spent * 1e9 / Double(number))
        say("\(number) proofs, \(rate) in each of \(seconds) seconds of the store's time\n")
        say("\(each) ns of CPU time each, \(store.rememberedKeys) remembered in the end\n")
        let again = store.commit(Batch(at: end, [.remember(proof(number - 1), until: end + .seconds(61))]))
        let other = store.commit(Batch(at: end, [.remember(ReplayKey("proof", "other", "1"), until: end)]))
        guard again != .applied, other == .applied else {
            say("A proof that came twice was taken, or another holder's first was not.\n")
            return EXIT_FAILURE
        }
        return EXIT_SUCCESS
    }
}
