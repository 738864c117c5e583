import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("TOK: simulated histories", .proves("TOK-1"), .proves("TOK-3"), .proves("TOK-8"), .proves("threat-31"))
struct SimulationTests {
    @Test(arguments: 0..<10) func theTreeAgreesWithTheModelInEveryHistory(part: UInt64) {
        let failure = Simulation { DurableTree() }.run(seeds: part * 1000..<(part + 1) * 1000, steps: 24)
        #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
    }
}
