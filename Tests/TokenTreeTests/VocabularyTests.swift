import TestSupport
import Testing
import TokenTree
import Wire

@Suite("TOK: the vocabulary")
struct VocabularyTests {
    @Test(.proves("threat-35")) func kindsStandOnTheLevelAboveAndNoCircleIsPossible() {
        let levels: [Record.Kind] = [.versionKey, .client, .personal, .assertion, .service, .app]
        for (ground, kind) in zip(levels, levels.dropFirst()) { #expect(kind.mayStand(on: ground)) }
        // Codes taken out, because what stands on one must fit what the code stands on: whoever stands on another,
        // directly or not, is never stood on by it; apps on apps aside.
        let kinds = Record.Kind.allCases.filter { $0 != .code }
        var reach: [Record.Kind: Set<Record.Kind>] = [:]
        for kind in kinds { reach[kind] = Set(kinds.filter { kind.mayStand(on: $0) && $0 != kind }) }
        for _ in kinds {
            for (kind, grounds) in reach { reach[kind] = grounds.reduce(grounds) { $0.union(reach[$1] ?? []) } }
        }
        for (kind, grounds) in reach { #expect(!grounds.contains(kind), "\(kind) stands on itself") }
        #expect(Record.Kind.allCases.filter(\.mayBeRoot) == [.versionKey, .assertion, .lock])
        #expect(Record.Kind.allCases.filter { $0.mayStand(on: $0) } == [.app])
    }

    @Test(.proves("TOK-2")) func aGrantEndsWithItsExpiryUnlessItCanBeRenewed() {
        let refresh = Record.Refresh(generation: 0, hash: Fingerprint(of: []), salt: Fingerprint(of: []), rotated: nil)
        #expect(Record.sample("a", .service, access: 10).end == at(10))
        #expect(Record.sample("a", .service, access: 10, final: 5).end == at(5))
        #expect(Record.sample("a", .service, access: 10, refresh: refresh).end == nil)
        #expect(Record.sample("a", .service, access: 10, final: 50, refresh: refresh).end == at(50))
        #expect(Record.sample("a", .service).end == nil)
    }

    @Test(.proves("AST-3")) func anAssertionsExpiryIsNotItsGrantsEnd() {
        #expect(Record.sample("a", .assertion, access: 10).end == nil)
        #expect(Record.sample("a", .code, access: 10, final: 60).end == at(60))
    }

    @Test(.proves("threat-36")) func replayKeysAreHalfAHashOverUnambiguousParts() {
        // Computed with Python's hashlib over the lengths (8 bytes each) and texts.
        #expect(ReplayKey("test", "a", "bc").description == "jIJowXoaY3GF0LX40pfD6w")
        let keys = [
            ReplayKey("test", "a", "bc"), ReplayKey("test", "ab", "c"), ReplayKey("test", "abc"),
            ReplayKey("testa", "bc"),
            ReplayKey("test", "a", "bc", ""),
        ]
        #expect(Set(keys).count == keys.count)
        // Canonically equivalent, but other bytes.
        #expect(ReplayKey("test", "é") != ReplayKey("test", "e\u{301}"))
    }

    @Test func delaysDoubleUpToTheLongestAndVaryByAQuarter() {
        var entropy = SeededGenerator(seed: 1)
        let backoff = OutgoingMessage.Backoff(first: .seconds(30), longest: .seconds(600))
        for (attempts, full) in [
            (1, 30), (2, 60), (3, 120), (5, 480), (6, 600), (60, 600), (.max, 600), (0, 30), (.min, 30),
        ] {
            for _ in 0..<20 {
                let delay = backoff.delay(afterAttempts: attempts, using: &entropy)
                #expect(delay <= .seconds(full) && delay >= .seconds(full) * 0.75, "\(attempts) attempts: \(delay)")
            }
        }
        let hasty = OutgoingMessage.Backoff(first: .zero, longest: .seconds(-5))
        #expect(hasty.delay(afterAttempts: 9, using: &entropy) > .zero)
    }

    @Test(.proves("threat-22")) func nothingThatIsPrintedHoldsASecret() throws {
        var entropy = SeededGenerator(seed: 1)
        let issued = Record.Refresh.issued(for: "app", using: &entropy)
        let text = issued.token.encoded()
        let change = Change.insert(.sample("app", .app, on: "service", refresh: issued.refresh))
        #expect(issued.token.description == "refresh token of app, generation 0")
        #expect(String(reflecting: issued.token) == issued.token.description)
        #expect(change.description == "insert app app on service")
        let stored = Batch(at: at(0), [change]).encoded()
        let secret = text.prefix { $0 != "." }.dropFirst(27)
        #expect(!String(decoding: stored, as: UTF8.self).contains(secret))
    }

    @Test(.proves("threat-17")) func namesAreComparedAsBytes() {
        var tree = MemoryStore()
        #expect(tree.apply(0, .insert(.sample("caf\u{e9}", .versionKey))) == .applied)
        #expect(tree.verdict(of: "cafe\u{301}", at: at(0)) == .unknown)
        #expect(tree.apply(0, .insert(.sample("cafe\u{301}", .versionKey))) == .applied)
    }
}
