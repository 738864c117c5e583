import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

@Suite("STO: purges of a journal store", .proves("STO-5"))
struct JournalPurgeTests {
    private let retention = Retention(explained: .zero, settled: .zero)

    /// Every other one ends soon.
    private static func batch(_ number: Int) -> Batch {
        let short = Record(
            id: TokenID(stringLiteral: "short-\(number)"), kind: .assertion, parent: nil, issued: at(0),
            subject: Record.Subject(stringLiteral: "person-\(number)"), accessExpiry: at(10))
        return Batch(at: at(0), [.insert(short), .insert(.sample("long-\(number)"))])
    }

    private func fill(_ store: CrashingStore, _ count: Int) {
        for number in 0..<count { #expect(store.answer(to: Self.batch(number)) == .success(.applied)) }
    }

    private func purge(_ store: CrashingStore, working: Bool = true) -> Result<Int, StoreFailure>? {
        let answer = Answer<Int>()
        store.ledger.purge(at: at(20), keeping: retention) { answer.set($0) }
        for _ in 0..<3 where working {
            store.ledger.keep()
            store.ledger.write()
        }
        return answer.value
    }

    @Test("Others have their turn between slices, and what was removed is gone from memory and from the files")
    func beside() async throws {
        let count = 3_000
        let store = CrashingStore(seed: 1, leastJournal: 1 << 30)
        let ledger = store.ledger
        for number in 0..<count { ledger.commit(Self.batch(number)) { _ in } }
        store.work()
        try Worker.start(waitingFor: ledger.writer) { ledger.write() }
        try Worker.start(waitingFor: ledger.keeper) { ledger.keep() }
        let removed = Answer<Int>()
        ledger.purge(at: at(20), keeping: retention) { removed.set($0) }
        var number = count
        // While it goes on, others commit; afterwards the tree is built anew beside them, and a snapshot written.
        while removed.value == nil || ledger.state.withLock({ $0.since != nil || $0.tree.isWasteful }) {
            let outcome = await withCheckedContinuation { continuation in
                ledger.commit(Self.batch(number)) { continuation.resume(returning: $0) }
            }
            #expect(outcome == .success(.applied))
            number += 1
        }
        #expect((count...number).contains(try #require(try removed.value?.get())))
        #expect(number > count)
        // A second one takes what came while the first was under way.
        let rest = Answer<Int>()
        ledger.purge(at: at(20), keeping: retention) { rest.set($0) }
        await withCheckedContinuation { continuation in ledger.close { continuation.resume() } }
        for bell in [ledger.writer, ledger.keeper] { bell.ring(.end) }
        let tree = store.tree
        #expect(tree.placeCount - tree.count <= 2 * (number - count) && tree.textByteCount < 300 * number)
        var again = store
        again.restart(losingPower: true)
        #expect(again.damage == nil && again.tree.head == tree.head && again.tree.count == tree.count)
    }

    @Test("What was removed is in no file any more", .proves("threat-75")) func files() throws {
        let store = CrashingStore(seed: 2, leastJournal: 1 << 30)
        fill(store, 40)
        func isNamed(_ text: String) -> Bool {
            store.folder.disk.withLock { disk in
                disk.names.values.contains { disk.files[$0]?.current.contains(Array(text.utf8)) ?? false }
            }
        }
        #expect(isNamed("person-17") && isNamed("short-17"))
        #expect(purge(store) == .success(40))
        #expect(!isNamed("person-17") && !isNamed("short-17") && isNamed("long-17"))
        // And in memory neither: the tree was built anew.
        #expect(store.tree.placeCount == 40 && !store.tree.isWasteful)
        #expect(store.ledger.state.withLock { $0.since == nil && $0.purges.isEmpty })
    }

    @Test("What is committed while the tree is built anew is in the new one", arguments: [3, 300])
    func renewal(count: Int) throws {
        var store = CrashingStore(seed: 5, leastJournal: 1 << 30)
        fill(store, 40)
        store.ledger.state.withLock { $0.isRenewalDue = true }
        let start = try #require(store.ledger.beginRenewal())
        #expect(store.ledger.beginRenewal() == nil)
        for number in 40..<40 + count { #expect(store.answer(to: Self.batch(number)) == .success(.applied)) }
        let head = store.tree.head
        store.ledger.catchUp(start.renewed())
        #expect(store.tree.head == head && store.tree.count == 80 + 2 * count)
        #expect(store.ledger.state.withLock { $0.since == nil })
        #expect(store.answer(to: Self.batch(0)) == .success(.conflict(.taken("short-0"), change: 0)))
        // Files that were read again meanwhile have another tree, which stays.
        store.ledger.state.withLock { $0.isRenewalDue = true }
        let late = try #require(store.ledger.beginRenewal())
        #expect(store.answer(to: Self.batch(999)) == .success(.applied))
        store.ledger.state.withLock { $0.since = nil }
        store.ledger.catchUp(late)
        #expect(store.tree.lineage(of: "short-999") != nil)
        store.restart(losingPower: true)
        #expect(store.tree.count == 82 + 2 * count)
    }

    /// Whatever call of the disk is the last: only what could go is gone, and the next purge takes the rest.
    @Test("A crash at any call of a purge loses nothing that stays", arguments: [false, true])
    func everyCall(losesPower: Bool) {
        var call = 0
        var isOver = false
        while !isOver {
            var store = CrashingStore(seed: UInt64(call), leastJournal: 1 << 30)
            fill(store, 200)
            store.folder.disk.withLock { [call] in $0.remainingCalls = call }
            isOver = purge(store) == .success(200) && store.folder.disk.withLock { ($0.remainingCalls ?? 0) > 0 }
            store.restart(losingPower: losesPower)
            #expect(store.damage == nil, "after \(call) calls: \(store.damage?.text ?? "")")
            #expect((200...400).contains(store.tree.count), "after \(call) calls")
            #expect(store.tree.lineage(of: "long-199") != nil, "after \(call) calls")
            #expect(purge(store) == .success(store.tree.count - 200) || store.tree.count == 200)
            store.restart(losingPower: true)
            #expect(store.damage == nil && store.tree.count == 200, "after \(call) calls")
            call += 1
        }
        #expect(call > 8)
    }

    @Test("Without room nothing is removed; a disk that fails leaves it uncertain; afterwards it goes on")
    func failures() {
        var store = CrashingStore(seed: 3, leastJournal: 1 << 30)
        fill(store, 300)
        store.ledger.state.withLock { $0.room = 100 }
        store.folder.disk.withLock { $0.capacity = 0 }
        #expect(purge(store) == .failure(.full(path: "/simulated")) && store.tree.count == 600)
        store.folder.disk.withLock { ($0.capacity, $0.breaksSync) = (.max, true) }
        let broken = StoreFailure.failed(call: "fsync", path: "/simulated", code: 5)
        #expect(purge(store) == .failure(.uncertain(broken.text)))
        #expect(purge(store) == .failure(broken))
        store.folder.disk.withLock { $0.breaksSync = false }
        store.ledger.write()
        #expect(store.tree.count == 600)
        #expect(purge(store) == .success(300))
        store.restart(losingPower: true)
        #expect(store.tree.count == 300)
    }

    @Test("Files that were read again in the middle end a purge, and one that is asked for when the store closes")
    func interruptions() {
        let store = CrashingStore(seed: 4, leastJournal: 1 << 30)
        fill(store, 10)
        let answers = (0..<2).map { _ in Answer<Int>() }
        store.ledger.purge(at: at(20), keeping: retention) { answers[0].set($0) }
        store.ledger.state.withLock { $0.rereadings += 1 }
        store.ledger.keep()
        guard case .failure(.uncertain) = answers[0].value else {
            Issue.record("\(String(describing: answers[0].value))")
            return
        }
        store.ledger.purge(at: at(20), keeping: retention) { answers[1].set($0) }
        store.ledger.close {}
        store.ledger.keep()
        #expect(answers[1].value == .failure(.closed) && store.tree.count == 20)
    }
}
