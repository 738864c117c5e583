import FederationTesting
import Testing

@testable import eduid

/// What a terminal shows while histories run.
@Suite("Command line: how far histories have come")
struct HeadwayTests {
    private let start = ContinuousClock.now

    /// Seconds after the start.
    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("A single history says what it has come to, and nothing of seeds and counts")
    func single() {
        var headway = Headway(of: 1)
        #expect(headway.come(to: .steps(100, of: 200), in: 7, at: at(0)) == "step 100 of 200")
        #expect(headway.come(to: .phones(100, of: 1_000), in: 7, at: at(1)) == "the end: phone 100 of 1000")
        #expect(
            headway.come(to: .shrinking(try: 3, left: 9, of: 60), in: 7, at: at(2))
                == "try 3 to shrink it: 9 of 60 steps left")
        #expect(headway.end(7, at: at(3)) == nil)
    }

    @Test("Of several it says how many have ended, and where the first of those that run is")
    func several() {
        var headway = Headway(of: 3)
        #expect(headway.come(to: .steps(100, of: 200), in: 2, at: at(0)) == "0 of 3 histories; seed 2: step 100 of 200")
        #expect(headway.come(to: .steps(200, of: 200), in: 1, at: at(1)) == "0 of 3 histories; seed 1: step 200 of 200")
        #expect(headway.come(to: .steps(200, of: 200), in: 2, at: at(2)) == "0 of 3 histories; seed 1: step 200 of 200")
        #expect(headway.end(1, at: at(3)) == "1 of 3 histories; seed 2: step 200 of 200")
        #expect(headway.end(2, at: at(4)) == "2 of 3 histories")
        #expect(headway.end(3, at: at(5)) == "3 of 3 histories")
    }

    @Test("What comes too soon is not said, and counts")
    func tooSoon() {
        var headway = Headway(of: 100)
        #expect(headway.end(1, at: start) == "1 of 100 histories")
        #expect(headway.end(2, at: start + Headway.pause - .nanoseconds(1)) == nil)
        #expect(headway.end(3, at: start + Headway.pause) == "3 of 100 histories")
        #expect(headway.end(4, at: start + Headway.pause * 2 - .nanoseconds(1)) == nil)
    }
}
