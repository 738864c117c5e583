import Foundation
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

@Suite("STO: the journal store on a disk", .proves("STO-1"), .proves("STO-3"), .proves("STO-10"))
struct JournalStoreTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID())").path

    private func batch(_ number: Int) -> Batch { Batch(at: at(Int64(number)), [.insert(.sample("record-\(number)"))]) }

    @Test("All laws hold, across restarts") func laws() async throws {
        var number = 0
        let violations = await Conformance.violations(
            making: {
                number += 1
                return opened("\(path)-\(number)")
            },
            restarting: { store in
                await store.close()
                return opened("\(path)-\(number)")
            })
        #expect(violations.isEmpty, "\(violations)")
        for number in 1...number { try FileManager.default.removeItem(atPath: "\(path)-\(number)") }
    }

    @Test("What two tasks do at once is explained by an order", .proves("STO-7")) func races() async throws {
        var number = 0
        let violations = await Conformance.violations(
            connecting: {
                number += 1
                let store = opened("\(path)-race-\(number)")
                return (store, store)
            }, rounds: 4)
        for violation in violations { Issue.record("\(violation)") }
        for number in 1...number { try? FileManager.default.removeItem(atPath: "\(path)-race-\(number)") }
    }

    private func opened(_ path: String) -> JournalStore {
        do { return try JournalStore.open(path) } catch { preconditionFailure("\(error)") }
    }

    @Test("A second opener is told who has the store; when that is gone, it may") func lock() async throws {
        let store = try JournalStore.open(path)
        let held = StoreFailure.held(path: path, process: Int(ProcessInfo.processInfo.processIdentifier))
        #expect(throws: held) { try JournalStore.open(path) }
        await store.close()
        await #expect(throws: StoreFailure.closed) { try await store.commit(batch(1)) }
        let again = try JournalStore.open(path)
        #expect(!again.opening.isNew)
        await again.close()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("Many writers commit at once, and a snapshot is written beside them") func concurrency() async throws {
        let store = try JournalStore.open(path)
        try await withThrowingTaskGroup { group in
            for writer in 0..<16 {
                group.addTask {
                    for number in 0..<20 {
                        #expect(try await store.commit(batch(writer * 100 + number)) == .applied)
                        if writer == 3, number == 7 { try await store.compact() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let head = store.head
        await store.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(names) == ["lock", "snapshot-2", "journal-2"])
        let again = try JournalStore.open(path, as: .proven(head))
        #expect(again.opening == JournalStore.Opening(records: 320, tornByteCount: 0, isNew: false))
        await again.close()
        try FileManager.default.removeItem(atPath: path)
    }

    /// The seconds themselves are measured by `eduid-bench journal`.
    @Test("Four times as many records take four times as long to read back", .proves("STO-6"))
    func restart() async throws {
        func seconds(_ count: Int) async throws -> Double {
            let path = path + "-\(count)"
            let store = try JournalStore.open(path)
            for first in stride(from: 0, to: count, by: 500) {
                let changes = (first..<first + 500).map { Change.insert(.sample("record-\($0)")) }
                _ = try await store.commit(Batch(at: at(0), changes))
            }
            try await store.compact()
            await store.close()
            var shortest = Double.infinity
            for _ in 0..<3 {
                let start = threadTime()
                let found = try JournalStore.inspect(path).tree.count
                shortest = min(shortest, threadTime() - start)
                #expect(found == count)
            }
            try FileManager.default.removeItem(atPath: path)
            return shortest
        }
        let ratio = try await seconds(8_000) / seconds(2_000)
        #expect(ratio < 8, "quadratic would be 16")
    }

    /// How long this thread has had a processor.
    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("A copy is refused where its end is known, and unconfirmed where nobody knows it") func copies() async throws
    {
        let store = try JournalStore.open(path)
        _ = try await store.commit(batch(1))
        await store.close()
        let copy = path + "-copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let again = try JournalStore.open(path)
        _ = try await again.commit(batch(2))
        let head = again.head
        await again.close()

        #expect(throws: StoreFailure.self) { try JournalStore.open(copy, as: .proven(head)) }
        let restored = try JournalStore.open(copy, as: .copy(at: at(10)))
        _ = try await restored.commit(batch(3))
        await restored.close()
        let later = try JournalStore.open(copy)
        #expect(later.snapshot().encoded().contains(Array(#""unproven""#.utf8)))
        await later.close()
        for path in [path, copy] { try FileManager.default.removeItem(atPath: path) }
    }

    @Test("Who closes a store while a snapshot is asked for gets both answers") func closing() async throws {
        let store = try JournalStore.open(path)
        async let compaction: Void = store.compact()
        async let commit = store.commit(batch(1))
        await store.close()
        _ = try? await compaction
        if (try? await commit) == .applied { #expect(try JournalStore.inspect(path).tree.count == 1) }
        await store.close()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("Who closes a second time cuts nothing off what another one has written") func closingTwice() async throws {
        let store = try JournalStore.open(path)
        _ = try await store.commit(batch(1))
        await store.close()
        let other = try JournalStore.open(path)
        _ = try await other.commit(batch(2))
        await store.close()
        #expect(try JournalStore.inspect(path).tree.count == 2)
        #expect(throws: StoreFailure.self) { try JournalStore.open(path) }
        await other.close()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("A store that nobody closed is written to its end, and free then") func forgotten() async throws {
        var store: JournalStore? = try JournalStore.open(path)
        _ = try await store?.commit(batch(1))
        store = nil
        for _ in 0..<200 {
            if let again = try? JournalStore.open(path) {
                #expect(again.opening.records == 1)
                await again.close()
                return try FileManager.default.removeItem(atPath: path)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the folder is still held")
    }

    @Test("Who only looks needs no lock, and changes nothing", .proves("STO-11")) func inspection() async throws {
        let store = try JournalStore.open(path)
        _ = try await store.commit(batch(1))
        let found = try JournalStore.inspect(path, as: .proven(store.head))
        #expect(found.tree.lineage(of: "record-1") != nil && found.tornByteCount == 0)
        #expect(throws: StoreFailure.self) { try JournalStore.inspect(path, as: .proven(MemoryStore().head)) }
        await store.close()
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: StoreFailure.gone(path: path)) { try JournalStore.inspect(path) }
    }

    @Test("The example of the documentation") func example() async throws {
        let batch = batch(1)
        // example: a journal store
        let store = try JournalStore.open(path)
        if store.opening.tornByteCount > 0 { print("\(store.opening.tornByteCount) bytes were torn by a crash") }
        switch try await store.commit(batch) {
        case .applied: print("durable, as \(store.head)")
        case .conflict(let conflict, _): print("decide again: \(conflict)")
        }
        await store.close()
        // end of example
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("Who may not use a folder is told so") func failures() throws {
        #expect(throws: StoreFailure.gone(path: path + "/a/b")) { try JournalStore.open(path + "/a/b") }
        try Data().write(to: URL(filePath: path))
        #expect(throws: StoreFailure.gone(path: path)) { try JournalStore.open(path) }
        try FileManager.default.removeItem(atPath: path)
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        String(decoding: self, as: UTF8.self).contains(String(decoding: part, as: UTF8.self))
    }
}
