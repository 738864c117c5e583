import TestSupport
import Testing
import Wire

@testable import TokenTree

@Suite("TOK: the tree's memory")
struct MemoryTests {
    @Test func theIndexFindsWhatWasAddedAndNothingElse() {
        var generator = SeededGenerator(seed: 13)
        var index = HashIndex()
        var model: [UInt32: UInt32] = [:]
        for _ in 0..<4000 {
            // Few hashes, so that runs grow long and removals have to close holes.
            let reference = UInt32(truncatingIfNeeded: generator.next() % 300)
            let hash = reference % 7 << 24 | reference % 5
            if let known = model[reference] {
                index.remove(reference, hash: known)
                model[reference] = nil
            } else {
                index.insert(reference, hash: hash)
                model[reference] = hash
            }
            let probe = UInt32(truncatingIfNeeded: generator.next() % 300)
            let found = index.first(hash: probe % 7 << 24 | probe % 5) { $0 == probe }
            #expect((found != nil) == (model[probe] != nil))
        }
    }

    @Test func theArenaGivesBackWhatItHolds() {
        var arena = Arena()
        var generator = SeededGenerator(seed: 17)
        var runs: [(reference: UInt32, run: [UInt8], link: UInt32)] = []
        for _ in 0..<60 {
            let run = generator.bytes(Int(generator.next() % 5000))
            let link = UInt32(truncatingIfNeeded: generator.next())
            runs.append((arena.append(run.span, link: link), run, link))
        }
        let end = arena.end
        for _ in 0..<40 { _ = arena.append(generator.bytes(4000).span, link: 0) }
        arena.truncate(to: end)
        #expect(arena.end == end)
        runs.append((arena.append([1, 2].span, link: 9), [1, 2], 9))
        arena.setLink(of: runs[0].reference, to: 77)
        runs[0].link = 77
        for (reference, run, link) in runs {
            #expect(arena.withRun(reference) { span in span.indices.map { span[$0] } } == run)
            #expect(arena.link(of: reference) == link)
            let longer = run + [0]
            let (holdsIt, holdsMore) = (arena.holds(reference, run.span), arena.holds(reference, longer.span))
            #expect(holdsIt && !holdsMore)
        }
        let longest = [UInt8](repeating: 7, count: Arena.longestRun)
        let reference = arena.append(longest.span, link: 0)
        let holdsLongest = arena.holds(reference, longest.span)
        #expect(holdsLongest)
    }

    @Test func piecesGrowAndShrink() {
        var numbers = Chunked<Int>()
        for number in 0..<2000 { numbers.append(number) }
        let copy = numbers
        for _ in 0..<1500 { numbers.removeLast() }
        numbers.append(-1)
        numbers[3] = -3
        #expect(numbers.count == 501 && numbers[500] == -1 && numbers[3] == -3 && numbers[499] == 499)
        #expect(copy.count == 2000 && copy[3] == 3 && copy[1999] == 1999)
    }

    @Test(.proves("threat-14")) func boundsAreKept() {
        var shallow = MemoryStore(limits: MemoryStore.Limits(depth: 2, records: 3, recordBytes: 40))
        #expect(
            shallow.apply(0, .insert(.sample("v", .versionKey)), .insert(.sample("c", .client, on: "v"))) == .applied)
        #expect(shallow.apply(0, .insert(.sample("p", .personal, on: "c"))).conflict == .tooDeep("p", limit: 2))
        let wide = Record.sample("w", .versionKey, attributes: ["name": .string(String(repeating: "x", count: 40))])
        #expect(shallow.apply(0, .insert(wide)).conflict == .tooLarge("w", limit: 40))
        #expect(shallow.apply(0, .describe("c", wide.attributes)).conflict == .tooLarge("c", limit: 40))
        #expect(shallow.apply(0, .insert(.sample("w", .versionKey))) == .applied)
        #expect(shallow.apply(0, .insert(.sample("u", .versionKey))).conflict == .full)
    }

    @Test(.proves("threat-78")) func aLockIsHeldUpByNoOther() {
        var store = MemoryStore()
        func lock(_ id: TokenID, _ name: Record.Holder, _ subject: Record.Subject) -> Change {
            .insert(Record(id: id, kind: .lock, parent: nil, issued: .epoch, holder: name, subject: subject))
        }
        #expect(store.commit(Batch(at: .epoch, [lock("one", "user", "user")])) == .applied)
        // The app of a user who is locked is locked beside.
        #expect(store.commit(Batch(at: .epoch, [lock("two", "app", "user")])) == .applied)
        #expect(
            store.commit(Batch(at: .epoch, [lock("three", "app", "another")]))
                == .conflict(.occupied(by: "two"), change: 0))
    }

    @Test func textsAreKeptOnce() {
        var tree = MemoryStore()
        for number in 0..<1000 {
            _ = tree.apply(
                0,
                .insert(.sample(name("v\(number)"), .assertion, holder: "the same holder", subject: "the same subject"))
            )
        }
        #expect(tree.page(of: .subject(name("the same subject"), .assertion), limit: 2000)?.lineages.count == 1000)
        let text = String(decoding: tree.snapshot().encoded(), as: UTF8.self)
        #expect(text.split(separator: "\n").count { $0.hasPrefix(#"{"text":"#) } == 2)
    }

    @Test func pagesGoOnWhileTheTreeChanges() throws {
        var tree = MemoryStore(sixLevels)
        for number in 0..<25 {
            _ = tree.apply(0, .insert(.sample(name("a\(number)"), .app, on: "service", subject: "anna")))
        }
        for selection in [Facts.Selection.all(.app), .under("client", .app), .subject(name("anna"), .app)] {
            var seen: [TokenID] = []
            var last: TokenID?
            repeat {
                let page = try #require(tree.page(of: selection, after: last, limit: 4))
                seen += page.lineages.map(\.record.id)
                last = page.next
                _ = tree.apply(1, .insert(.sample(name("n\(tree.count)"), .app, on: "service", subject: "anna")))
                _ = tree.purge(at: at(10), keeping: Retention(explained: .zero))
            } while last != nil && seen.count < 200
            let old = seen.filter { $0 == "app" || $0.text.hasPrefix("a") }
            #expect(Set(old).count == 26 && Set(seen).count == seen.count, "\(selection): \(seen)")
        }
    }
}
