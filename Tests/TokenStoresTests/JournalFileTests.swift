import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import Wire

@Suite("STO: what a journal's file gives back", .proves("STO-2"))
struct JournalFileTests {
    @Test("The checksum is that of ISO 3309") func checksum() {
        // The check value of the catalogue of parametrised CRC algorithms, and what Python's `zlib.crc32` says.
        #expect(Checksum.of(Array("123456789".utf8)) == 0xcbf4_3926)
        #expect(Checksum.of([]) == 0)
        #expect(Checksum.of(Array("The quick brown fox jumps over the lazy dog".utf8)) == 0x414f_a339)
    }

    @Test("A group's line says length and checksum") func header() throws {
        let group = Group(of: Array("123456789".utf8))
        let text = #"{"group":9,"crc":"cbf43926"}"# + "\n"
        #expect(String(decoding: group.header, as: UTF8.self) == text)
        let read = try #require(Group.read(group.header))
        #expect(read.length == text.utf8.count && read.group.holds(Array("123456789".utf8)))
        #expect(!read.group.holds(Array("12345678".utf8)))
        #expect(!read.group.holds(Array("123456780".utf8)))
    }

    @Test(
        "What is no line about a group is not taken for one",
        arguments: [
            "", #"{"group":9,"crc":"cbf43926"}"#, #"{"group":9.5,"crc":"cbf43926"}"# + "\n",
            #"{"group":-9,"crc":"cbf43926"}"# + "\n", #"{"group":9,"crc":"cbf4392"}"# + "\n",
            #"{"group":9}"# + "\n", #"{"group":"9","crc":"cbf43926"}"# + "\n",
            String(repeating: " ", count: 96) + #"{"group":9,"crc":"cbf43926"}"# + "\n",
        ])
    func noHeader(text: String) {
        #expect(Group.read(Array(text.utf8)) == nil)
    }

    /// A store with three groups, and where they begin in its journal.
    private func filled() -> (store: CrashingStore, journal: [UInt8], starts: [Int]) {
        let store = CrashingStore(seed: 1)
        var starts: [Int] = []
        for number in 0..<3 {
            starts.append(store.ledger.state.withLock { $0.file.byteCount })
            _ = store.answer(to: Batch(at: at(0), [.insert(.sample("record-\(number)"))]))
        }
        let end = store.ledger.state.withLock { $0.file.byteCount }
        return (store, Array(content(of: "journal-1", store.folder).prefix(end)), starts + [end])
    }

    private func content(of name: String, _ folder: SimulatedFolder) -> [UInt8] {
        folder.disk.withLock { disk in disk.names[name].flatMap { disk.files[$0]?.current } ?? [] }
    }

    private func opened(
        _ store: CrashingStore, _ name: String, _ bytes: [UInt8]
    ) -> Result<Recovery, StoreFailure> {
        let folder = SimulatedFolder(store.folder.disk.withLock { $0 })
        folder.disk.withLock { disk in
            if let number = disk.names[name] { disk.files[number]?.current = bytes }
        }
        return Result { () throws(StoreFailure) in
            try Recovery.open(folder, as: .inPlace, limits: MemoryStore.Limits(), clock: nil).0
        }
    }

    @Test("A journal that ends anywhere gives back all groups that are whole") func lengths() throws {
        let (store, journal, starts) = filled()
        for length in 0...journal.count {
            let whole = starts.dropFirst().count { $0 <= length }
            let recovered = try opened(store, "journal-1", Array(journal.prefix(length))).get()
            #expect(recovered.tree.count == whole)
            #expect(recovered.tornByteCount == length - starts[whole])
            let zeros = try opened(store, "journal-1", journal.prefix(length) + [UInt8](repeating: 0, count: 300)).get()
            #expect(zeros.tree.count == whole)
        }
    }

    @Test("A changed byte in the last group is torn, one before it is damage") func changedBytes() throws {
        let (store, journal, starts) = filled()
        for index in journal.indices {
            var bytes = journal
            bytes[index] ^= 0x10
            let recovered = opened(store, "journal-1", bytes)
            let group = starts.dropFirst().count { $0 <= index }
            if group == 2 {
                #expect(try recovered.get().tree.count == 2)
            } else {
                let offset = starts[group]
                #expect(
                    recovered.failure == .damaged(path: "/simulated/journal-1", offset: offset), "byte \(index)")
            }
        }
    }

    @Test("A group that is whole and does not continue the chain is refused, not cut off") func otherChain() {
        let (store, journal, starts) = filled()
        let without = Array(journal[starts[0]..<starts[1]] + journal[starts[2]...])
        #expect(
            opened(store, "journal-1", without).failure
                == .unreadable(path: "/simulated/journal-1", .brokenChain(line: 4)))
    }

    @Test("A missing file is told by its name") func missing() {
        let (store, _, _) = filled()
        func recovered(_ change: (inout SimulatedFolder.Disk) -> Void) -> StoreFailure? {
            var disk = store.folder.disk.withLock { $0 }
            change(&disk)
            return Result { () throws(StoreFailure) in
                try Recovery.open(
                    SimulatedFolder(disk), as: .inPlace, limits: MemoryStore.Limits(), clock: nil)
            }.failure
        }
        #expect(recovered { $0.names["snapshot-1"] = nil } == .missing(path: "/simulated/snapshot-1"))
        #expect(recovered { $0.names["journal-1"] = nil } == .missing(path: "/simulated/journal-1"))
        #expect(
            recovered { disk in
                disk.names["journal-3"] = disk.names["journal-1"]
            } == .missing(path: "/simulated/journal-2"))
    }

    @Test("A journal with a group shows that the one before it had been durable") func tornBefore() {
        let (store, journal, starts) = filled()
        let next = Group(of: Array("{}\n".utf8)).header + Array("{}\n".utf8)
        func recovered(_ later: [UInt8]) -> StoreFailure? {
            let folder = SimulatedFolder(store.folder.disk.withLock { $0 })
            folder.disk.withLock { disk in
                if let number = disk.names["journal-1"] { disk.files[number]?.current = Array(journal.dropLast(5)) }
                disk.names["journal-2"] = 99
                disk.files[99] = SimulatedFolder.Disk.Content(current: later, durable: later)
            }
            return Result { () throws(StoreFailure) in
                try Recovery.open(folder, as: .inPlace, limits: MemoryStore.Limits(), clock: nil)
            }.failure
        }
        #expect(recovered(next) == .damaged(path: "/simulated/journal-1", offset: starts[2]))
        #expect(recovered([]) == nil)
        #expect(recovered([UInt8](repeating: 0, count: 512)) == nil)
    }

    @Test("A damaged snapshot is refused") func snapshot() {
        let (store, _, _) = filled()
        var bytes = content(of: "snapshot-1", store.folder)
        bytes[20] ^= 1
        guard case .unreadable("/simulated/snapshot-1", _) = opened(store, "snapshot-1", bytes).failure else {
            Issue.record("a damaged snapshot was read")
            return
        }
        #expect(
            opened(store, "snapshot-1", Array(bytes.prefix(10))).failure
                == .unreadable(path: "/simulated/snapshot-1", .truncated(line: 0)))
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
