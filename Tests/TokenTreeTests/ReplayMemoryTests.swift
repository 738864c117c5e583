import TestSupport
import Testing
import Wire

@testable import TokenTree

@Suite("TOK: what must not pass again")
struct ReplayMemoryTests {
    private func key(_ number: Int, of owner: String = "anna") -> ReplayKey {
        ReplayKey("test", owner, "\(number)")
    }

    private func remember(
        _ number: Int, of owner: String = "anna", until: Int64, evenWithoutRoom: Bool = false
    ) -> Change {
        .remember(key(number, of: owner), until: at(until), evenWithoutRoom: evenWithoutRoom)
    }

    @Test(.proves("threat-36")) func whatExpiredIsForgottenInTime() {
        var tree = MemoryStore()
        var memory = ReplayMemory()
        for second in 0..<20_000 {
            let until = Int64(second) + 60
            #expect(tree.apply(Int64(second), remember(second, until: until)) == .applied)
            let shortage = memory.shortage(of: key(second), until: at(until), at: at(Int64(second)), limits: .init())
            #expect(shortage == nil)
            memory.remember(key(second), until: at(until))
        }
        // Sixty are in force, 60 s of lateness are allowed for, and slices of 64 s go as a whole.
        #expect((120...200).contains(memory.count), "\(memory.count) keys are remembered")
        // Who comes too late to know is refused.
        #expect(tree.apply(0, remember(-1, until: 60)) != .applied)
    }

    @Test(.proves("threat-14")) func aFullMemoryRefusesInsteadOfForgetting() {
        var tree = MemoryStore(limits: MemoryStore.Limits(replayKeys: 100))
        for number in 0..<100 { #expect(tree.apply(0, remember(number, until: 60)) == .applied) }
        #expect(tree.apply(1, remember(100, until: 60)).conflict == .memoryFull(limit: 100))
        #expect(tree.apply(1, remember(7, until: 60)).conflict == .replayed(key(7), until: at(60)))
        // Long after they expired there is room again.
        #expect(tree.apply(500, remember(100, until: 600)) == .applied)
        #expect(tree.apply(59, remember(7, until: 600)).conflict == .forgotten(horizon: at(60)))
    }

    @Test(.proves("threat-54")) func oneOwnerCannotTakeTheRoomOfAll() {
        var tree = MemoryStore(limits: MemoryStore.Limits(replayKeysOfOwner: 10))
        for number in 0..<10 { #expect(tree.apply(0, remember(number, of: "mallory", until: 60)) == .applied) }
        #expect(tree.apply(0, remember(10, of: "mallory", until: 60)).conflict == .memoryFull(limit: 10))
        #expect(tree.apply(0, remember(10, of: "anna", until: 60)) == .applied)
        // The next slice of time has room for the same owner.
        #expect(tree.apply(0, remember(10, of: "mallory", until: 130)) == .applied)
        // A refused batch took nothing of the share.
        let other = MemoryStore(limits: MemoryStore.Limits(replayKeysOfOwner: 1))
        for _ in 0..<3 {
            tree = other
            #expect(tree.apply(0, remember(1, until: 60), .touch("nobody")) != .applied)
            #expect(tree.apply(0, remember(1, until: 60)) == .applied)
        }
    }

    @Test(.proves("threat-54")) func endingNeedsNoRoom() {
        var tree = MemoryStore(sixLevels, limits: MemoryStore.Limits(replayKeys: 1))
        #expect(tree.apply(0, remember(0, until: 60)) == .applied)
        let ending = [remember(1, until: 60, evenWithoutRoom: true), .revoke("personal", .surrendered)]
        #expect(tree.commit(Batch(at: at(1), ending)) == .applied)
        #expect(!tree.verdict(of: "app", at: at(1)).grantLives)
        // Where there is room it is remembered like any other.
        var roomy = MemoryStore()
        #expect(roomy.apply(0, remember(1, until: 60, evenWithoutRoom: true)) == .applied)
        #expect(
            roomy.apply(1, remember(1, until: 60, evenWithoutRoom: true)).conflict
                == .replayed(key(1), until: at(60)))
    }

    /// A hundredth of 30,000 proofs a second for ten minutes, in a hundredth of the room; `eduid-bench flood` is whole.
    @Test(.proves("threat-54")) func aFloodLeavesRoomForTheNext() {
        var tree = MemoryStore(limits: MemoryStore.Limits(replayKeys: (1 << 23) / 100))
        for second in 0..<600 {
            let batches = (0..<300).map { remember(second * 300 + $0, of: "\($0)", until: Int64(second) + 61) }
            #expect(tree.commit(Batch(at: at(Int64(second)), batches)) == .applied)
        }
    }

    @Test func aRefusedBatchForgetsWhatItRemembered() {
        var generator = SeededGenerator(seed: 54)
        var memory = ReplayMemory()
        for round in 0..<300 {
            let before = (memory.ordered.map { "\($0)" }, memory.count)
            var steps: [(ReplayKey, Timestamp?)] = []
            for _ in 0..<Int(generator.next() % 6) {
                let key = key(Int(generator.next() % 40))
                steps.append((key, memory.remember(key, until: at(Int64(generator.next() % 400)))))
            }
            if round % 3 > 0 {
                for (key, old) in steps.reversed() { memory.takeBack(key, to: old) }
                #expect(memory.ordered.map { "\($0)" } == before.0 && memory.count == before.1)
            }
        }
        memory.forget(.max, at: at(10_000))
        #expect(memory.count == 0 && memory.ordered.isEmpty)
    }
}
