import Synchronization
import TestSupport
import Testing
import TokenStores
import TokenTree
import Wire

@testable import Hosting

/// A clock that a machine whose own is set wrong does not lead astray.
@Suite("The time by which a store forgets")
struct SteadyClockTests {
    /// A machine's clock, and the time that passes whatever that says.
    private final class Machine: Sendable {
        private let state = Mutex((wall: Timestamp(seconds: 1_800_000_000), passed: Duration.zero))

        var wall: Timestamp { state.withLock { $0.wall } }
        var passed: Duration { state.withLock { $0.passed } }

        func set(by seconds: Int64) { state.withLock { $0.wall = $0.wall + .seconds(seconds) } }

        func pass(_ seconds: Int64) {
            state.withLock { $0 = ($0.wall + .seconds(seconds), $0.passed + .seconds(seconds)) }
        }

        var steady: SteadyClock { SteadyClock(following: { self.wall }, stopwatch: { self.passed }) }
    }

    private let machine = Machine()

    @Test("A clock that is right is followed, and one that was set back at once") func inStep() {
        let clock = machine.steady
        machine.pass(100)
        #expect(clock.now == machine.wall)
        machine.set(by: -86_400)
        #expect(clock.now == machine.wall)
        machine.pass(5)
        #expect(clock.now == machine.wall)
    }

    @Test("One that was set ahead is caught up with, twice as fast as time passes") func ahead() {
        let clock = machine.steady
        machine.pass(10)
        let before = clock.now
        machine.set(by: 172_800)
        #expect(clock.now == before)
        machine.pass(3_600)
        #expect(clock.now == before + .seconds(7_200))
        machine.set(by: -172_800)
        #expect(clock.now == machine.wall)
        machine.set(by: 600)
        machine.pass(599)
        #expect(clock.now < machine.wall)
        machine.pass(1)
        #expect(clock.now == machine.wall)
        machine.pass(1)
        #expect(clock.now == machine.wall)
    }

    @Test("After an hour at a wrong time, a store refuses nothing of the present as too late", .proves("threat-66"))
    func store() {
        func refusal(by clock: @escaping @Sendable () -> Timestamp) -> Batch.Conflict? {
            var (store, journal) = (MemoryStore(clock: clock), [UInt8]())
            func commit(_ number: Int) -> Batch.Outcome {
                let key = ReplayKey("proof", "\(number)", "")
                let batch = Batch(at: machine.wall, [.remember(key, until: machine.wall + .seconds(120))])
                return store.commit(batch, journal: &journal)
            }
            for number in 0..<20 { #expect(commit(number) == .applied) }
            machine.set(by: 172_800)
            for number in 20..<80 {
                #expect(commit(number) == .applied)
                machine.pass(60)
            }
            machine.set(by: -172_800)
            guard case .conflict(let conflict, _) = commit(80) else { return nil }
            return conflict
        }
        let clock = machine.steady
        let steady = refusal(by: { clock.now })
        #expect(steady == nil)
        // By the machine's own clock, all would be refused for two days.
        let other = refusal(by: { [machine] in machine.wall })
        #expect(other != nil)
    }
}
