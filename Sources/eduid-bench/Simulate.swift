import Foundation
import TokenTreeTesting

/// Plays histories to the token tree with a naive model beside it, as many as are asked for.
struct Simulate {
    var histories: UInt64 = 10_000
    var seed: UInt64 = 0
    var steps = 12

    static let usage = """
        USAGE: eduid-bench simulate [--histories <count>] [--seed <seed>] [--steps <steps>]

        Plays random histories to the token tree and to a naive model, compares them after every
        step and checks the laws of the tree. Prints how many held, or the shortest history that
        does not, and then exits with status 1.

        OPTIONS:
          --histories <count>  How many histories (default: 10000).
          --seed <seed>        The seed of the first; the others follow on it (default: 0).
          --steps <steps>      How many steps each has, up to 10000 (default: 12).
          -h, --help           Show this text.

        """

    private static func misuse(_ message: String) -> UsageError { UsageError(message: message, usage: usage) }

    init(_ arguments: ArraySlice<String>) throws(UsageError) {
        var rest = arguments
        while let option = rest.popFirst() {
            guard let text = rest.popFirst(), let value = UInt64(text) else {
                throw Self.misuse("'\(option)' is unknown here, or lacks a number")
            }
            switch option {
            case "--histories" where value > 0: histories = value
            case "--seed": seed = value
            case "--steps" where 1...10_000 ~= value: steps = Int(value)
            default: throw Self.misuse("'\(option)' is unknown here, or does not take \(value)")
            }
        }
        guard !seed.addingReportingOverflow(histories).overflow else {
            throw Self.misuse("there are not so many seeds from '--seed \(seed)' on")
        }
    }

    /// Plays them all, one in sixteen with a journal on disk, which takes longer; the exit status.
    func run(_ say: (String) -> Void) -> Int32 {
        let start = ContinuousClock.now
        let part: UInt64 = 16
        var next = seed
        while next < seed + histories {
            let end = min(next + part, seed + histories)
            let journaled = next..<next + 1
            let failure =
                Simulation { DurableTree() }.run(seeds: journaled, steps: steps)?.description
                ?? Simulation { DurableTree(journaling: false) }.run(seeds: journaled.upperBound..<end, steps: steps)?
                .description
            if let failure {
                say("A history of \(steps) steps broke a law: \(failure)\n")
                return EXIT_FAILURE
            }
            next = end
        }
        let seconds = (ContinuousClock.now - start).components.seconds
        say("\(histories) histories of \(steps) steps from seed \(seed) on held in \(seconds) s.\n")
        return EXIT_SUCCESS
    }
}
