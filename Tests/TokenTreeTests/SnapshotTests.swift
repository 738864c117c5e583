import PureCrypto
import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("TOK-8: snapshot and restoration")
struct SnapshotTests {
    /// A tree with something of everything in it.
    private func filled() -> MemoryStore {
        var entropy = SeededGenerator(seed: 21)
        var tree = MemoryStore(sixLevels)
        _ = tree.apply(
            1, .insert(.sample("newer", .versionKey, holder: "kid2")), .consume("assertion"),
            .insert(
                .sample(
                    "renewable", .app, on: "service", access: 9,
                    refresh: Record.Refresh.issued(for: "renewable", using: &entropy).refresh))
        )
        _ = tree.apply(
            2, .reground("client", from: "version", onto: "newer"), .revoke("app", .misused), .touch("service"),
            .describe("client", ["n": "\"\\\n"]))
        _ = tree.apply(
            3, .visit(name("anna"), name("s2")), .visit(name("anna"), name("s1")), .visit(name("ben"), name("s1")),
            .remember(ReplayKey("t", "1"), until: at(50)), .remember(ReplayKey("t", "2"), until: at(60)))
        for number in 0..<3 {
            _ = tree.apply(
                4,
                .enqueue(
                    OutgoingMessage(
                        id: name("m\(number)"), destination: name("s1"), about: "app", body: [:], due: at(Int64(number))
                    )))
        }
        _ = tree.apply(5, .attempt(name("m1"), after: 0, retry: at(40)), .settle(name("m2"), .abandoned))
        return tree
    }

    private func restored(_ text: [UInt8], pieces: Int = 1, expecting head: Fingerprint? = nil) throws(MemoryStore
        .Restoration.Rejection) -> MemoryStore
    {
        var restoration = MemoryStore.Restoration()
        let size = max(1, (text.count + pieces - 1) / pieces)
        for start in stride(from: 0, to: text.count, by: size) {
            try restoration.read([UInt8](text[start..<min(start + size, text.count)]))
        }
        guard let head else { return try restoration.inspected().tree }
        return try restoration.finish(expecting: head).tree
    }

    @Test(.proves("TOK-8")) func whatIsReadBackWritesTheSameAgain() throws {
        let tree = filled()
        let text = tree.snapshot().encoded()
        for pieces in [1, 2, 7, text.count] {
            let again = try restored(text, pieces: pieces, expecting: tree.head)
            #expect(again.snapshot().encoded() == text)
            #expect(again.count == tree.count)
        }
    }

    @Test(.proves("TOK-8")) func whatIsReadBackAnswersTheSame() throws {
        let tree = filled()
        let again = try restored(tree.snapshot().encoded())
        for id in sixLevels.map(\.id) + ["newer", "renewable"] {
            #expect(again.lineage(of: id) == tree.lineage(of: id))
            #expect(again.verdict(of: id, at: at(10)) == tree.verdict(of: id, at: at(10)))
        }
        for key in [
            Facts.Key.replay(ReplayKey("t", "1")), .services(name("anna")), .message(name("m1")),
            .outgoing(due: at(99), limit: 9),
            .holder(.client, name("instance")), .holder(.versionKey, name("kid")),
            .records(.all(.app), after: nil, limit: 9),
        ] {
            #expect(again.load([key])[key] == tree.load([key])[key])
        }
        #expect(
            again.verdict(of: "renewable", at: at(10))
                == .expired(by: "renewable", at: at(9), ends: .access))
    }

    @Test func aCopyStaysAsItWas() {
        var tree = filled()
        let copy = tree
        let before = copy.snapshot().encoded()
        _ = tree.apply(9, .revoke("newer", .administrator), .insert(.sample("later", .versionKey)))
        #expect(copy.snapshot().encoded() == before)
        #expect(copy.verdict(of: "service", at: at(10)) == .live)
        #expect(tree.verdict(of: "service", at: at(10)) == .revoked(by: "newer", at: at(9), reason: .administrator))
    }

    @Test(.proves("threat-32")) func aRefusedBatchLeavesNoTrace() {
        var generator = SeededGenerator(seed: 5)
        let steps: [Change] = [
            .insert(.sample("x", .personal, on: "client", holder: "h", subject: "carl", attributes: ["new": true])),
            .insert(.sample("y", .client, on: "newer", holder: "other")), .revoke("y", .barred),
            .revoke("service", .user),
            .revoke("newer", .administrator), .consume("x"), .reground("client", from: "newer", onto: "version"),
            .describe("client", [:]),
            .describe("client", ["other": 1]), .touch("app"), .visit(name("anna"), name("s9")),
            .visit(name("dora"), name("s1")),
            .remember(ReplayKey("t", "3"), until: at(70)), .remember(ReplayKey("t", "1"), until: at(90)),
            .enqueue(OutgoingMessage(id: name("m9"), destination: name("s1"), about: nil, body: [:], due: at(1))),
            .attempt(name("m0"), after: 0, retry: at(80)), .settle(name("m0"), .delivered),
            .settle(name("m9"), .delivered),
            .insert(.sample("version2", .versionKey, holder: "kid3")), .insert(.sample("app2", .app, on: "service")),
        ]
        let start = filled()
        let before = start.snapshot().encoded()
        var refused = 0
        for seed in 0..<150 {
            var tree = start
            var changes = (0..<1 + Int(generator.next() % 9)).map { _ in
                steps[Int(generator.next() % UInt64(steps.count))]
            }
            changes.append(.touch("nobody"))
            guard case .conflict = tree.commit(Batch(at: at(55), changes)) else {
                Issue.record("applied \(changes)")
                continue
            }
            refused += 1
            #expect(tree.snapshot().encoded() == before, "round \(seed): \(changes)")
            for key in [
                Facts.Key.holder(.client, name("instance")), .holder(.versionKey, name("kid2")),
                .holder(.versionKey, name("kid")),
            ] {
                #expect(tree.load([key])[key] == start.load([key])[key], "round \(seed): \(changes)")
            }
            // And the tree is sound: what was refused can be done.
            #expect(tree.apply(56, .insert(.sample("x", .personal, on: "client"))) == .applied, "round \(seed)")
            #expect(tree.page(of: .under("newer", .personal), limit: 9)?.lineages.count == 2)
        }
        #expect(refused == 150)
    }

    // MARK: Tampering

    @Test(.proves("TOK-8")) func everyAlteredByteIsNoticed() {
        let text = filled().snapshot().encoded()
        for offset in stride(from: 0, to: text.count, by: 3) {
            var altered = text
            altered[offset] ^= 0x01
            #expect(throws: MemoryStore.Restoration.Rejection.self, "byte \(offset)") { _ = try restored(altered) }
        }
    }

    @Test(.proves("threat-49")) func whatIsCutOffIsRefused() throws {
        let text = filled().snapshot().encoded()
        for count in stride(from: 0, to: text.count - 1, by: 5) {
            #expect(throws: MemoryStore.Restoration.Rejection.self) { _ = try restored([UInt8](text.prefix(count))) }
        }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        let unsealed = lines.dropLast().reduce(into: [UInt8]()) { $0 += $1 + [UInt8(ascii: "\n")] }
        #expect(throws: MemoryStore.Restoration.Rejection.truncated(line: lines.count - 1)) {
            _ = try restored(unsealed)
        }
    }

    /// Lines under a seal that fits, as whoever can write the file can make them.
    private func sealed(_ lines: [String]) -> [UInt8] {
        let text = [UInt8](lines.map { $0 + "\n" }.joined().utf8)
        return text + [UInt8](#"{"seal":"\#(Fingerprint(of: text))"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    private let head = #"{"tokentree":1,"head":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","records":RECORDS}"#

    private func rejection(records: Int, _ lines: String...) -> MemoryStore.Restoration.Rejection? {
        do throws(MemoryStore.Restoration.Rejection) {
            _ = try restored(sealed([head.replacing("RECORDS", with: "\(records)")] + lines))
            return nil
        } catch {
            return error
        }
    }

    @Test(.proves("TOK-1")) func anImpossibleTreeIsRefusedThoughItsSealFits() {
        let version = #"{"record":"v","kind":"versionKey","holder":0,"issued":1}"#
        let kid = #"{"text":"kid"}"#
        #expect(rejection(records: 1, kid, version) == nil)
        #expect(rejection(records: 2, kid, version) == .miscounted(expected: 2, found: 1))
        #expect(rejection(records: 1, version) == .misnumbered(line: 2, number: 0))
        #expect(rejection(records: 2, kid, version, version) == .impossible(line: 4, .taken("v")))
        #expect(
            rejection(records: 2, kid, version, #"{"record":"w","kind":"versionKey","holder":0,"issued":1}"#)
                == .impossible(line: 4, .occupied(by: "v")))
        #expect(
            rejection(records: 1, #"{"record":"a","kind":"app","issued":1}"#)
                == .impossible(line: 2, .groundless("a", .app)))
        #expect(
            rejection(records: 2, kid, version, #"{"record":"a","kind":"app","parent":0,"issued":1}"#)
                == .impossible(line: 4, .unfit("a", .app, on: .versionKey)))
        // A record that stands on itself, or on one that comes later.
        #expect(
            rejection(records: 1, #"{"record":"a","kind":"app","parent":0,"issued":1}"#)
                == .misnumbered(line: 2, number: 0))
        // A client may stand on a later version key, but on nothing else.
        #expect(rejection(records: 2, #"{"record":"c","kind":"client","parent":1,"issued":1}"#, kid, version) == nil)
        #expect(
            rejection(
                records: 2, #"{"record":"c","kind":"client","parent":1,"issued":1}"#,
                #"{"record":"a","kind":"assertion","issued":1}"#)
                == .impossible(line: 4, .unfit("c", .client, on: .assertion)))
        #expect(
            rejection(records: 1, #"{"record":"c","kind":"client","parent":0,"issued":1}"#)
                == .impossible(line: 3, .unfit("c", .client, on: .client)))
        #expect(
            rejection(records: 1, #"{"record":"c","kind":"client","parent":9,"issued":1}"#)
                == .misnumbered(line: 3, number: 9))
        // A text that is no name.
        #expect(rejection(records: 1, #"{"text":""}"#, version) == .misnumbered(line: 3, number: 0))
        #expect(rejection(records: 0, #"{"what":1}"#) == .foreign(line: 2))
        #expect(
            rejection(records: 0, "[]")
                == .malformed(line: 2, .json(.mismatch(at: "$", expected: .object, found: .array))))
        #expect(rejection(records: 0, "{") != nil)
    }

    @Test(.proves("threat-49")) func anotherVersionIsNamed() {
        let text = sealed([head.replacing("RECORDS", with: "0").replacing(":1,", with: ":5,")])
        #expect(throws: MemoryStore.Restoration.Rejection.unsupportedVersion(5)) { _ = try restored(text) }
    }

    @Test func mutatedSnapshotsNeverTrap() {
        var generator = SeededGenerator(seed: 41)
        let lines = filled().snapshot().encoded().split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        for _ in 0..<150 {
            var lines = [String](lines.dropLast())
            let victim = Int(generator.next() % UInt64(lines.count))
            var bytes = [UInt8](lines[victim].utf8)
            for _ in 0...generator.next() % 2 {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(ascii: "0") + UInt8(generator.next() % 10)
            }
            lines[victim] = String(decoding: bytes, as: UTF8.self)
            if generator.next() % 4 == 0 { lines.swapAt(victim, Int(generator.next() % UInt64(lines.count))) }
            guard let tree = try? restored(sealed(lines)) else { continue }
            for id in sixLevels.map(\.id) { _ = tree.verdict(of: id, at: at(10)) }
            for kind in Record.Kind.allCases { _ = tree.page(of: .under("version", kind), limit: 100) }
        }
    }
}
