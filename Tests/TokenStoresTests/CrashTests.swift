import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

@Suite("STO: crashes", .proves("STO-1"), .proves("STO-2"), .proves("TOK-8"))
struct CrashTests {
    @Test("Random histories with kills and losses of power agree with the model", arguments: 0..<4)
    func histories(part: UInt64) {
        let seeds = part * 100..<(part + 1) * 100
        for seed in seeds {
            let failure = Simulation(making: { CrashingStore(seed: seed) }).run(seeds: seed..<seed + 1, steps: 14)
            #expect(failure == nil, Comment(rawValue: failure?.description ?? ""))
        }
    }

    private static func visit(_ number: Int) -> Batch {
        Batch(at: at(Int64(number)), [.insert(.sample("record-\(number)"))])
    }

    /// Whatever call of the disk is the last: what was acknowledged is there afterwards, in one piece, and goes on.
    @Test("A crash at any call loses nothing that was acknowledged", arguments: [false, true])
    func everyCall(losesPower: Bool) {
        for seed in 0..<3 as Range<UInt64> { everyCall(losesPower: losesPower, seed: seed << 32) }
    }

    private func everyCall(losesPower: Bool, seed: UInt64) {
        var call = 0
        var isOver = false
        while !isOver {
            var store = CrashingStore(seed: seed + UInt64(call), leastJournal: 600)
            store.folder.disk.withLock { [call] in $0.remainingCalls = call }
            var acknowledged = 0
            for number in 0..<24 {
                guard store.answer(to: Self.visit(number)) == .success(.applied) else { break }
                acknowledged = number + 1
            }
            isOver = acknowledged == 24
            store.restart(losingPower: losesPower)
            #expect(store.damage == nil, "after \(call) calls: \(store.damage?.text ?? "")")
            #expect((acknowledged...acknowledged + 1).contains(store.tree.count), "after \(call) calls")
            let next = store.tree.count
            #expect(store.answer(to: Self.visit(next)) == .success(.applied), "after \(call) calls")
            store.restart(losingPower: true)
            #expect(store.tree.count == next + 1, "after \(call) calls")
            call += 1
        }
        #expect(call > 80)
    }

    @Test("A crash after a crash: what the first one tore is not in the way") func twice() {
        let long = Batch(at: at(0), (0..<20).map { .insert(.sample("long-\($0)")) })
        for seed in 0..<100 as Range<UInt64> {
            var store = CrashingStore(seed: seed)
            #expect(store.answer(to: Self.visit(1)) == .success(.applied))
            for batch in [long, Self.visit(2)] {
                store.folder.disk.withLock { $0.remainingCalls = 1 }
                _ = store.answer(to: batch)
                store.restart(losingPower: true)
                #expect(store.damage == nil, "seed \(seed): \(store.damage?.text ?? "")")
            }
        }
    }

    @Test("All who wait together share one group", .proves("STO-1")) func groups() {
        let store = CrashingStore(seed: 1, leastJournal: 1 << 20)
        store.work()
        let before = store.folder.disk.withLock { $0.calls }
        let answers = (0..<16).map { _ in Answer<Batch.Outcome>() }
        for (number, answer) in answers.enumerated() { store.ledger.commit(Self.visit(number)) { answer.set($0) } }
        #expect(answers.allSatisfy { $0.value == nil })
        store.work()
        #expect(answers.allSatisfy { $0.value == .success(.applied) })
        // One write, one synchronization.
        #expect(store.folder.disk.withLock { $0.calls } == before + 2)
    }

    @Test("A refusal that rests on what is not durable yet waits for it") func conflicts() {
        let store = CrashingStore(seed: 1)
        store.work()
        let (first, second) = (Answer<Batch.Outcome>(), Answer<Batch.Outcome>())
        store.ledger.commit(Self.visit(1)) { first.set($0) }
        store.ledger.commit(Self.visit(1)) { second.set($0) }
        #expect(second.value == nil)
        store.work()
        #expect(second.value == .success(.conflict(.taken("record-1"), change: 0)))
    }
}

@Suite("STO: disks that fail", .proves("STO-4"))
struct FailingDiskTests {
    private func batch(_ number: Int) -> Batch { Batch(at: at(Int64(number)), [.insert(.sample("record-\(number)"))]) }

    @Test("A full disk changes nothing, and room is enough to go on") func full() {
        let store = CrashingStore(seed: 1)
        store.work()
        #expect(store.answer(to: batch(1)) == .success(.applied))
        store.ledger.state.withLock { $0.room = 100 }
        store.folder.disk.withLock { $0.capacity = 0 }
        #expect(store.answer(to: batch(2)) == .failure(.full(path: "/simulated")))
        #expect(store.tree.count == 1)
        store.folder.disk.withLock { $0.capacity = .max }
        #expect(store.answer(to: batch(2)) == .success(.applied))
    }

    @Test("A failed synchronization is uncertain, is taken back, and the store goes on when the disk does")
    func synchronization() {
        var store = CrashingStore(seed: 1)
        #expect(store.answer(to: batch(1)) == .success(.applied))
        store.folder.disk.withLock { $0.breaksSync = true }
        let broken = StoreFailure.failed(call: "fsync", path: "/simulated", code: 5)
        #expect(store.answer(to: batch(2)) == .failure(.uncertain(broken.text)))
        #expect(store.answer(to: batch(3)) == .failure(broken))
        store.folder.disk.withLock { $0.breaksSync = false }
        store.work()
        #expect(store.tree.count == 1)
        #expect(store.answer(to: batch(3)) == .success(.applied))
        store.restart(losingPower: true)
        #expect(store.tree.count == 2)
    }

    @Test("A snapshot that cannot be written is tried again, and nothing is lost meanwhile") func compaction() {
        var store = CrashingStore(seed: 1, leastJournal: 600)
        for number in 0..<40 {
            store.folder.disk.withLock { $0.capacity = number % 3 == 0 ? .max : 20_000 }
            store.ledger.state.withLock { $0.room = 1 << 20 }
            #expect(store.answer(to: batch(number)) == .success(.applied))
        }
        store.restart(losingPower: true)
        #expect(store.tree.count == 40)
    }

    @Test("Where a new file has no room the old one goes on in the room that it has, and leaves no other") func noNext()
    {
        var store = CrashingStore(seed: 1, leastJournal: 600)
        #expect(store.answer(to: batch(0)) == .success(.applied))
        store.folder.disk.withLock { $0.capacity = 20_000 }
        for number in 1..<40 { #expect(store.answer(to: batch(number)) == .success(.applied)) }
        #expect(store.folder.disk.withLock { $0.names.keys.filter { $0.hasPrefix("journal") }.count } == 1)
        store.folder.disk.withLock { $0.capacity = .max }
        for number in 40..<80 { #expect(store.answer(to: batch(number)) == .success(.applied)) }
        #expect(store.folder.disk.withLock { !$0.names.keys.contains("journal-1") })
        store.restart(losingPower: true)
        #expect(store.tree.count == 80)
    }
}

func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + seconds) }

extension Record {
    static func sample(_ text: String) -> Record {
        Record(id: TokenID(stringLiteral: text), kind: .versionKey, parent: nil, issued: at(0))
    }
}
