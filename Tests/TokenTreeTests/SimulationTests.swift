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

    // MARK: What it must find

    private func failure(of make: @escaping () -> PlainStore) throws -> Simulation<PlainStore>.Failure {
        try #require(Simulation(making: make).run(seeds: 0..<3000, steps: 14))
    }

    private func replays(_ failure: Simulation<PlainStore>.Failure, on make: @escaping () -> PlainStore) -> Bool {
        guard let history = History(parsing: failure.history.description) else { return false }
        return Simulation(making: make).play(history) == failure.violation
            && Simulation { PlainStore() }.play(history) == nil
    }

    @Test(.proves("TOK-1")) func aCascadeThatStopsOneLevelEarlyIsFound() throws {
        let failure = try failure(of: { CascadeStopsEarly() })
        #expect(failure.history.steps.count <= 3, "\(failure)")
        #expect(replays(failure, on: { CascadeStopsEarly() }), "\(failure)")
    }

    @Test(.proves("TOK-3")) func aRefreshThatDoesNotCheckTheAncestorsIsFound() throws {
        let failure = try failure(of: { RefreshIgnoresAncestors() })
        #expect(failure.history.steps.count <= 2, "\(failure)")
        #expect(replays(failure, on: { RefreshIgnoresAncestors() }), "\(failure)")
    }

    @Test(.proves("threat-36")) func aReplayKeyThatIsForgottenOnRestoreIsFound() throws {
        let failure = try failure(of: { ForgetsWhatWasSeen() })
        #expect(failure.history.steps.count == 2, "\(failure)")
        #expect(replays(failure, on: { ForgetsWhatWasSeen() }), "\(failure)")
    }

    @Test(arguments: 0..<5) func otherDefectsAreFoundToo(number: Int) throws {
        let broken: [() -> PlainStore] = [
            { AppliesByHalves() }, { InsertsUnderTheDead() }, { ForgetsRevocations() }, { PurgesTooEarly() },
            { ForgetsMessages() },
        ]
        let failure = try failure(of: broken[number])
        #expect(replays(failure, on: broken[number]), "\(failure)")
    }

    @Test func histories() throws {
        #expect(History(seed: 5, steps: 30) == History(seed: 5, steps: 30))
        #expect(History(seed: 5, steps: 30) != History(seed: 6, steps: 30))
        let history = History(seed: 7, steps: 200)
        #expect(history.steps.count == 200)
        #expect(History(parsing: history.description) == history)
        #expect(History(parsing: "issue one") == nil)
        #expect(History(parsing: "invent 1") == nil)
        #expect(Set(history.steps.map(\.verb)).count > 12)
    }
}
