import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// The clock of a store's host, which a test sets.
private final class HostClock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ seconds: Int64) { time = Mutex(at(seconds)) }

    func set(_ seconds: Int64) { time.withLock { $0 = at(seconds) } }

    var read: @Sendable () -> Timestamp { { self.time.withLock { $0 } } }
}

/// What a batch does whose host's clock is far ahead of the store's (threat 66).
@Suite("TOK-8: clocks that differ")
struct ClockTests {
    private let year: Int64 = 365 * 86_400

    private func key(_ name: String, made: Int64? = nil) -> ReplayKey {
        var key = ReplayKey("test", name)
        key.made = made.map(at)
        return key
    }

    private func remember(_ name: String, until: Int64, made: Int64? = nil, isEnding: Bool = false) -> Change {
        .remember(key(name, made: made), until: at(until), evenWithoutRoom: isEnding)
    }

    private func restored(_ disk: [UInt8], expecting head: Fingerprint) throws -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(disk)
        return try restoration.finish(expecting: head).tree
    }

    @Test(.proves("threat-66")) func oneClockFarAheadStopsNobody() {
        let clock = HostClock(1_000)
        var (tree, alone) = (MemoryStore(clock: clock.read), MemoryStore())
        #expect(tree.apply(1_000, remember("honest-1", until: 1_061)) == .applied)
        #expect(alone.apply(1_000, remember("honest-1", until: 1_061)) == .applied)
        for number in 0..<3 {
            let ahead = remember("ahead-\(number)", until: 1_061 + year)
            #expect(tree.apply(1_000 + year, ahead) == .applied && alone.apply(1_000 + year, ahead) == .applied)
        }
        #expect(tree.apply(1_001, remember("honest-2", until: 1_062)) == .applied)
        #expect(
            tree.apply(1_002, remember("honest-1", until: 1_063)).conflict
                == .replayed(key("honest-1"), until: at(1_061)))
        // By the clocks of batches alone it would have stopped them.
        #expect(alone.apply(1_001, remember("honest-2", until: 1_062)).conflict == .forgotten(horizon: at(1_061)))
    }

    @Test(.proves("threat-66")) func tenMinutesAheadAreTaken() {
        for (ahead, horizon) in [(Int64(600), at(1_010)), (601, nil)] {
            let clock = HostClock(1_000)
            var tree = MemoryStore(clock: clock.read)
            #expect(tree.apply(1_000, remember("early", until: 1_010)) == .applied)
            #expect(tree.apply(1_000 + ahead, remember("ahead", until: 1_061 + ahead)) == .applied)
            #expect(
                tree.apply(1_005, remember("late", until: 1_066)).conflict == horizon.map { .forgotten(horizon: $0) })
        }
    }

    @Test(.proves("threat-66")) func anIdleStoreFollowsItsHost() {
        let clock = HostClock(1_000)
        var tree = MemoryStore(limits: MemoryStore.Limits(replayKeys: 3), clock: clock.read)
        for number in 0..<3 { #expect(tree.apply(1_000, remember("\(number)", until: 1_061)) == .applied) }
        #expect(tree.apply(1_000, remember("3", until: 1_061)).conflict == .memoryFull(limit: 3))
        clock.set(1_000 + year)
        #expect(tree.apply(1_000 + year, remember("3", until: 1_061 + year)) == .applied)
        #expect(tree.apply(1_000, remember("0", until: 1_061)).conflict == .forgotten(horizon: at(1_061)))
    }

    @Test(.proves("threat-66")) func aPurgeFarAheadRemovesNothingThatLives() throws {
        var tree = MemoryStore(sixLevels)
        var journal = tree.snapshot().encoded()
        var restoration = MemoryStore.Restoration(clock: HostClock(1_000).read)
        try restoration.read(journal)
        tree = try restoration.finish(expecting: tree.head).tree
        let short = Record.sample("short", .app, on: "service", access: 2_000)
        #expect(
            tree.commit(Batch(at: at(1_000), [.insert(short), remember("1", until: 1_061)]), journal: &journal)
                == .applied)
        #expect(tree.purge(at: at(1_000 + year), keeping: Retention(), journal: &journal) == 0)
        #expect(tree.verdict(of: "short", at: at(1_001)) == .live)
        #expect(tree.apply(1_001, remember("1", until: 1_062)).conflict == .replayed(key("1"), until: at(1_061)))
        var copy = tree
        #expect(copy.purge(at: at(1_000 + year), keeping: Retention()) == 0)
        #expect(try restored(journal, expecting: tree.head).verdict(of: "short", at: at(1_001)) == .live)
    }

    @Test(.proves("threat-66")) func whatTheClockBoundedIsRestoredExactly() throws {
        var tree = MemoryStore(clock: HostClock(1_000).read)
        var disk = tree.snapshot().encoded()
        func commit(_ seconds: Int64, _ change: Change) -> Batch.Outcome {
            tree.commit(Batch(at: at(seconds), [change]), journal: &disk)
        }
        #expect(commit(1_000, remember("1", until: 1_061)) == .applied)
        #expect(!String(decoding: disk, as: UTF8.self).contains("forgetting"))
        #expect(commit(1_000 + year, remember("2", until: 1_061 + year)) == .applied)
        #expect(String(decoding: disk, as: UTF8.self).contains(#""forgetting":\#(at(1_000).seconds)"#))
        // Whoever reads it has another clock, or none.
        var again = try restored(disk, expecting: tree.head)
        #expect(again.snapshot().encoded() == tree.snapshot().encoded())
        #expect(again.apply(1_001, remember("1", until: 1_062)).conflict == .replayed(key("1"), until: at(1_061)))
    }

    @Test(.proves("threat-66")) func anOperatorCanResetTheHorizon() throws {
        var tree = MemoryStore()
        var disk = tree.snapshot().encoded()
        func commit(_ seconds: Int64, _ change: Change) -> Batch.Conflict? {
            tree.commit(Batch(at: at(seconds), [change]), journal: &disk).conflict
        }
        #expect(commit(1_000, remember("1", until: 1_061, made: 1_000)) == nil)
        #expect(commit(1_000 + year, remember("2", until: 1_061 + year, made: 1_000 + year)) == nil)
        #expect(commit(1_010, remember("3", until: 1_071, made: 1_010)) == .forgotten(horizon: at(1_061)))
        tree.resetHorizon(at: at(1_011), journal: &disk)
        // What was made before, or by a clock that may be a minute ahead, may have been seen.
        #expect(commit(1_012, remember("1", until: 1_061, made: 1_000)) == .unproven(key("1"), before: at(1_011)))
        #expect(commit(1_013, remember("4", until: 1_132, made: 1_071)) == .unproven(key("4"), before: at(1_011)))
        #expect(commit(1_013, remember("4", until: 1_133, made: 1_072)) == nil)
        // Ending something works at once.
        #expect(commit(1_014, remember("5", until: 1_061, made: 1_000, isEnding: true)) == nil)
        #expect(try restored(disk, expecting: tree.head).snapshot().encoded() == tree.snapshot().encoded())
        #expect(
            try restored(tree.snapshot().encoded(), expecting: tree.head).snapshot().encoded()
                == tree.snapshot().encoded())
    }
}
