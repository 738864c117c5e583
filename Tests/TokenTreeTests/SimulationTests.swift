import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("TOK: simulated histories", .proves("TOK-1"), .proves("TOK-3"), .proves("TOK-8"), .proves("threat-31"))
struct SimulationTests {
    private func run<Store: SimulatedStore>(_ seeds: Range<UInt64>, steps: Int, making make: @escaping () -> Store) {
        let failure = Simulation(making: make).run(seeds: seeds, steps: steps)
        #expect(failure == nil, Comment(rawValue: failure?.description ?? ""))
    }

    @Test(arguments: 0..<9) func theTreeAgreesWithTheModel(part: UInt64) {
        run(part * 1000..<(part + 1) * 1000, steps: 9) { DurableTree(journaling: false) }
    }

    @Test func theJournaledTreeAgreesWithTheModel() {
        run(9000..<10_000, steps: 12) { DurableTree() }
    }
}
