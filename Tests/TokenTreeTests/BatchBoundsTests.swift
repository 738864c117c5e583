import TestSupport
import Testing
import Wire

@testable import TokenTree

/// What a writer accepts its reader reads.
@Suite("TOK-8: bounds of a batch")
struct BatchBoundsTests {
    private func nested(_ depth: Int) -> JSON.Object {
        var value: JSON = 1
        for _ in 1..<depth { value = ["in": value] }
        return ["in": value]
    }

    private func restore(_ disk: [UInt8]) throws(MemoryStore.Restoration.Rejection) -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(disk)
        return try restoration.inspected().tree
    }

    @Test(.proves("threat-53")) func noBatchIsLargerThanItsReaderTakes() throws {
        var tree = MemoryStore()
        var disk = tree.snapshot().encoded()
        let many = (0...(1 << 12)).map { Change.visit(name("u"), name("s\($0)")) }
        #expect(
            tree.commit(Batch(at: at(0), many), journal: &disk)
                == .conflict(.tooManyChanges(4_097, limit: 4_096), change: 4_096))
        #expect(tree.commit(Batch(at: at(0), Array(many.dropLast())), journal: &disk) == .applied)
        // Fewer changes that are longer than a line together.
        let wide: JSON.Object = ["wide": .string(String(repeating: "\u{1}", count: 5_400))]
        let heavy = (0..<2_100).map { Change.insert(.sample(name("v\($0)"), .versionKey, attributes: wide)) }
        guard
            case .conflict(.batchTooLarge(_, limit: (1 << 26) - 1_024), _) = tree.commit(
                Batch(at: at(0), heavy), journal: &disk)
        else {
            Issue.record("a line that nobody reads")
            return
        }
        #expect(tree.commit(Batch(at: at(0), Array(heavy.prefix(2_000))), journal: &disk) == .applied)
        #expect(try restore(disk).head == tree.head)
    }

    @Test(.proves("threat-53")) func attributesAreNoDeeperThanTheirReaderGoes() throws {
        var tree = MemoryStore()
        var disk = tree.snapshot().encoded()
        let deepest = Change.insert(.sample("deepest", .versionKey, attributes: nested(64)))
        #expect(tree.commit(Batch(at: at(0), [deepest]), journal: &disk) == .applied)
        let tooDeep = Change.insert(.sample("deeper", .versionKey, attributes: nested(65)))
        #expect(tree.apply(0, tooDeep).conflict == .tooNested("deeper", limit: 64))
        #expect(tree.apply(0, .describe("deepest", nested(65))).conflict == .tooNested("deepest", limit: 64))
        #expect(try restore(disk).head == tree.head)
        #expect(try restore(tree.snapshot().encoded()).lineage(of: "deepest") == tree.lineage(of: "deepest"))
    }

    @Test(.proves("threat-53")) func messagesAreBoundedLikeRecords() throws {
        var tree = MemoryStore(limits: MemoryStore.Limits(recordBytes: 100))
        func message(_ body: JSON.Object) -> Change {
            .enqueue(OutgoingMessage(id: "m", destination: "s", about: nil, body: body, due: at(0)))
        }
        let long: JSON.Object = ["token": .string(String(repeating: "x", count: 100))]
        #expect(tree.apply(0, message(long)).conflict == .messageTooLarge("m", limit: 100))
        var roomy = MemoryStore()
        #expect(roomy.apply(0, message(nested(65))).conflict == .messageTooLarge("m", limit: 1 << 15))
        var disk = roomy.snapshot().encoded()
        #expect(roomy.commit(Batch(at: at(0), [message(nested(64))]), journal: &disk) == .applied)
        #expect(try restore(disk).head == roomy.head)
    }

    @Test(.proves("threat-53")) func messagesStayInOrderHoweverManyThereAre() {
        var generator = SeededGenerator(seed: 53)
        var queue = DueQueue()
        var model: [DueQueue.Entry] = []
        for number in 0..<6_000 {
            let entry = DueQueue.Entry(time: at(Int64(generator.next() % 50)), id: name("m\(number)"))
            queue.insert(entry)
            model.append(entry)
            if generator.next() % 3 == 0 {
                let gone = model.remove(at: Int(generator.next() % UInt64(model.count)))
                queue.remove(gone)
                queue.remove(gone)
            }
        }
        model.sort()
        #expect(queue.first(.max, due: at(50)) == model.map(\.id))
        #expect(queue.first(7, due: at(50)) == model.prefix(7).map(\.id))
        #expect(queue.first(.max, due: at(20)) == model.filter { $0.time <= at(20) }.map(\.id))
        for entry in model { queue.remove(entry) }
        #expect(queue.first(.max, due: at(50)).isEmpty)
    }

    @Test(.proves("threat-55")) func whatNobodyWasToldIsKept() {
        var tree = MemoryStore(sixLevels)
        let retention = Retention(explained: .zero, settled: .zero)
        #expect(tree.apply(1, .revoke("personal", .surrendered)) == .applied)
        // The assertion was ended with its ground, and its service has not been told.
        _ = tree.purge(at: at(100), keeping: retention)
        #expect(tree.lineage(of: "assertion") != nil && tree.lineage(of: "app") == nil)
        #expect(tree.apply(100, .revoke("assertion", .administrator)) == .applied)
        _ = tree.purge(at: at(301), keeping: retention)
        #expect(tree.lineage(of: "assertion") == nil && tree.lineage(of: "personal") == nil)
        // At a service an assertion is a root, and nobody else is to be told.
        var service = MemoryStore()
        _ = service.apply(0, .insert(.sample("root", .assertion)), .revoke("root", .issuer))
        _ = service.purge(at: at(100), keeping: retention)
        #expect(service.count == 0)
    }
}
