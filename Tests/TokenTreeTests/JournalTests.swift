import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("TOK-8: the journal")
struct JournalTests {
    private var tree = MemoryStore()
    private var disk: [UInt8]
    private var lengths: [Int] = []

    init() {
        disk = tree.snapshot().encoded()
        write(0, .insert(.sample("version-0", .versionKey, holder: "kid-0")))
        write(1, .revoke("version-0", .administrator))
        write(2, .insert(.sample("other", .versionKey)))
    }

    private mutating func write(_ seconds: Int64, _ change: Change) {
        lengths.append(disk.count)
        #expect(tree.commit(Batch(at: at(seconds), [change]), journal: &disk) == .applied)
    }

    private func rejection(_ text: [UInt8], expecting head: Fingerprint? = nil) -> MemoryStore.Restoration.Rejection? {
        do throws(MemoryStore.Restoration.Rejection) {
            var restoration = MemoryStore.Restoration()
            try restoration.read(text)
            if let head { _ = try restoration.finish(expecting: head) } else { _ = try restoration.inspected() }
            return nil
        } catch {
            return error
        }
    }

    private func line(_ number: Int) -> [UInt8] {
        [UInt8](disk[lengths[number]..<(number + 1 < lengths.count ? lengths[number + 1] : disk.count)])
    }

    @Test(.proves("TOK-8")) mutating func theChainCanBeFollowedByAnybody() {
        // Computed with Python's hashlib from the texts, beginning with the SHA-256 of "swift-eduid token tree 1".
        let first =
            #"{"version":4,"head":"gQL8t3KqZXKOlrSo9jHTytK_22f-qvkD_l0cSHyieXw","batch":"#
            + #"{"at":1800000000,"changes":[{"do":"insert","#
            + #""record":{"id":"version-0","kind":"versionKey","holder":"kid-0","issued":1800000000}}]}}"# + "\n"
        #expect(String(decoding: line(0), as: UTF8.self) == first)
        #expect(String(decoding: line(1), as: UTF8.self).contains("FZjCuROONLqjLYhs7lVKR8yUrIhQd2_aHQQVz311Czg"))
        #expect(MemoryStore().head.description == "5j7ZGILrugNUkFo6tpekoRVyFBMnO74H44lMVCtFG2g")
    }

    @Test(.proves("TOK-8")) mutating func whatWasWrittenIsReadBack() throws {
        _ = tree.purge(at: at(50), keeping: Retention(explained: .zero), journal: &disk)
        var restoration = MemoryStore.Restoration()
        try restoration.read(disk)
        let restored = try restoration.finish(expecting: tree.head)
        #expect(restored.tornByteCount == 0)
        #expect(restored.tree.verdict(of: "version-0", at: at(60)) == .unknown)
        #expect(restored.tree.verdict(of: "other", at: at(60)) == .live)
        #expect(restored.tree.snapshot().encoded() == tree.snapshot().encoded())
    }

    @Test(.proves("TOK-8")) mutating func historyCannotBeRewritten() {
        let start = [UInt8](disk[..<lengths[0]])
        #expect(rejection(start + line(0) + line(1) + line(2)) == nil)
        // A line left out, two exchanged, one twice, one altered.
        #expect(rejection(start + line(0) + line(2)) == .brokenChain(line: 4))
        #expect(rejection(start + line(1) + line(0)) == .brokenChain(line: 3))
        #expect(rejection(start + line(0) + line(0)) == .brokenChain(line: 4))
        let altered = String(decoding: line(1), as: UTF8.self).replacing("administrator", with: "user")
        #expect(rejection(start + line(0) + [UInt8](altered.utf8) + line(2)) == .brokenChain(line: 4))
        // The last lines left out: only who kept the head elsewhere can tell.
        #expect(rejection(start + line(0)) == nil)
        guard case .otherHead(tree.head, _) = rejection(start + line(0), expecting: tree.head) else {
            Issue.record("a journal without its last lines passed for whole")
            return
        }
    }

    @Test(.proves("threat-32")) mutating func aLineCutOffByACrashIsLeftOut() throws {
        for count in 1..<line(2).count {
            var restoration = MemoryStore.Restoration()
            try restoration.read([UInt8](disk.dropLast(count)))
            let restored = try restoration.inspected()
            #expect(restored.tornByteCount == line(2).count - count)
            #expect(
                restored.tree.verdict(of: "version-0", at: at(5))
                    == .revoked(by: "version-0", at: at(1), reason: .administrator))
            #expect(restored.tree.verdict(of: "other", at: at(5)) == .unknown)
        }
    }

    @Test(.proves("threat-32")) mutating func whatWasNotJournaledIsNoticed() {
        #expect(tree.apply(3, .revoke("other", .user)) == .applied)
        write(4, .touch("other"))
        #expect(rejection(disk) == .brokenChain(line: 6))
        // A snapshot closes the gap.
        disk = tree.snapshot().encoded()
        lengths = []
        write(5, .touch("other"))
        #expect(rejection(disk, expecting: tree.head) == nil)
    }

    @Test mutating func aRefusedBatchIsNotWritten() {
        let before = (disk, tree.head)
        let outcome = tree.commit(Batch(at: at(3), [.touch("nobody")]), journal: &disk)
        #expect(outcome == .conflict(.unknown("nobody"), change: 0))
        #expect(disk == before.0 && tree.head == before.1)
    }

    /// A journal that somebody made up, with a chain that fits.
    @Test mutating func aBatchThatCannotBeAppliedIsRefused() {
        let batch = Batch(at: at(3), [.touch("nobody")]).encoded()
        let head = Fingerprint(of: tree.head.bytes + batch)
        let line = [UInt8](#"{"head":"\#(head)","batch":"#.utf8) + batch + [UInt8]("}\n".utf8)
        #expect(
            rejection(disk + line) == .impossible(line: 6, .unknown("nobody")))
        #expect(rejection(disk + [UInt8]("{\"head\":\"\(head)\"}\n".utf8)) == .foreign(line: 6))
    }
}
