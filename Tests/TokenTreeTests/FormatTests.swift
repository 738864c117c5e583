import Synchronization
import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

/// What is kept carries the version of its format, and every earlier version is read (threat 68).
///
/// The fixtures were written by the releases of their versions, and are never written anew.
@Suite("TOK-8: versions of the format")
struct FormatTests {
    private func restored(_ version: Int) throws -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        for part in ["snapshot", "journal"] {
            try restoration.read(try Repository.fixture("token-tree/version-\(version).\(part)"))
        }
        let head = try String(decoding: Repository.fixture("token-tree/version-\(version).head"), as: UTF8.self)
        let expected = try #require(Fingerprint(bytes: try Base64URL.decode(head.split(separator: "\n")[0].utf8)))
        return try restoration.finish(expecting: expected).tree
    }

    @Test(.proves("threat-68"), arguments: [1, 2, 3, 4]) func everyVersionIsRead(version: Int) throws {
        let tree = try restored(version)
        let lineage = try #require(tree.lineage(of: "service"))
        let names: [TokenID] = ["service", "assertion", "personal", "code", "client", "version-b"]
        #expect(lineage.entries.map(\.record.id) == names && tree.count == [1: 8, 2: 8, 3: 9, 4: 10][version])
        #expect(lineage.entries[1].fate.consumed == at(1) && lineage.entries[3].fate.consumed == at(1))
        let personal = lineage.entries[2].record
        #expect(personal.refresh?.generation == 1 && personal.refresh?.rotated == at(50))
        #expect(personal.scope == name("https://eduid.example/a https://eduid.example/b"))
        let client = lineage.entries[4]
        #expect(client.record.attributes == ["device": ["name": "Ben's"]] && client.fate.lastUse == at(1))
        #expect(client.record.boundKey == name("ed25519:AAAA") && client.record.holder == name("instance"))
        #expect(lineage.record.accessExpiry == at(3_600) && lineage.record.finalExpiry == at(7_200))
        #expect(lineage.entries[1].record.audience == name("https://service.example/"))
        #expect(tree.verdict(of: "lost", at: at(301)) == .revoked(by: "lost", at: at(1), reason: .barred))
        #expect(tree.verdict(of: "app", at: at(301)) == .unknown && tree.verdict(of: "later", at: at(301)) == .unknown)
        #expect(tree.verdict(of: "service", at: at(301)) == .live)
        try checkBeside(tree, version)
        if version == 1 {
            #expect(tree.unprovenBefore == nil && lineage.entries.allSatisfy { $0.fate.confirmed == nil })
        } else {
            #expect(tree.unprovenBefore == at(55) && client.fate.confirmed == at(56))
            #expect(lineage.entries[2].fate.confirmed == at(3))
        }
        if version >= 3 {
            let lock = tree.load([.holder(.lock, name("carl"))]).lineage(of: .lock, heldBy: name("carl"))
            #expect(lock?.record.attributes == ["reason": "lost his phone"])
            #expect(tree.load([.services(name("carl"))]).visits(of: name("carl")).map(\.service) == [name("s-2")])
        }
        if version >= 4 {
            #expect(tree.lineage(of: "short") == nil && tree.lineage(of: "long") != nil)
        }
    }

    /// What is kept beside the records.
    private func checkBeside(_ tree: MemoryStore, _ version: Int) throws {
        let keys: [Facts.Key] = [
            .services(name("anna")), .outgoing(due: at(9_999), limit: 9), .holder(.client, name("instance-2")),
        ]
        let facts = tree.load(keys)
        let services: [Record.Audience] = [name("https://service.example/"), name("https://other.example/")]
        #expect(facts.visits(of: name("anna")) == zip(services, [at(1), at(200)]).map { .init(service: $0, last: $1) })
        #expect(facts.messages(due: at(9_999), limit: 9).isEmpty)
        #expect(facts.lineage(of: .client, heldBy: name("instance-2"))?.record.id == "lost")
        var copy = tree
        for number in 1...3 {
            let message = OutgoingMessage(
                id: name("m-\(number)"), destination: name("s"), about: nil, body: [:], due: at(0))
            #expect(copy.apply(302, .enqueue(message)) == .applied)
        }
        // They were settled, and are not sent again.
        #expect(copy.load(keys).messages(due: at(9_999), limit: 9).isEmpty)
        // What was seen is forgotten, and nobody passes for whom that is too long ago.
        let seen = Change.remember(ReplayKey("proof", "anna", "2"), until: at(111))
        let forgotten = at(version < 4 ? 111 : 303)
        #expect(copy.apply(110, seen).conflict == .forgotten(horizon: forgotten))
    }

    @Test(.proves("threat-68")) func whatIsWrittenSaysItsVersion() throws {
        var tree = MemoryStore()
        var disk = tree.snapshot().encoded()
        #expect(disk.starts(with: #"{"tokentree":4,"#.utf8))
        var journal: [UInt8] = []
        let code = Change.insert(.sample("code", .assertion, access: 10))
        _ = tree.commit(Batch(at: at(0), [code]), journal: &journal)
        _ = tree.purge(at: at(10), keeping: Retention(explained: .zero), journal: &journal)
        tree.resetHorizon(at: at(2), journal: &journal)
        let lines = journal.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix(#"{"version":4,"#) })
        disk += [UInt8](lines[0].replacing(#""version":4"#, with: #""version":5"#).utf8) + [UInt8(ascii: "\n")]
        var restoration = MemoryStore.Restoration()
        #expect(throws: MemoryStore.Restoration.Rejection.unsupportedVersion(5)) { try restoration.read(disk) }
        let rejection = MemoryStore.Restoration.Rejection.unsupportedVersion(5)
        #expect(rejection.clause == "threat-68" && rejection.text.contains("release that wrote it"))
    }

    /// Random histories: a snapshot and a journal give back what they tell of, at every restart.
    @Test(.proves("threat-68"), arguments: 0..<4) func whatWasWrittenIsReadBack(part: UInt64) {
        let differences = Differences()
        let failure = Simulation { RereadTree(differences) }.run(seeds: part * 100..<(part + 1) * 100, steps: 30)
        #expect(failure == nil, Comment(rawValue: failure?.description ?? ""))
        #expect(differences.found.withLock { $0.isEmpty }, "\(differences.found.withLock { $0.first ?? "" })")
        #expect(differences.restarts.withLock { $0 } > 50)
    }
}

/// What was not read back as it was.
private final class Differences: Sendable {
    let found = Mutex<[String]>([])
    let restarts = Mutex(0)
}

/// A tree beside all that was ever written of it.
private struct RereadTree: SimulatedStore {
    private var tree = MemoryStore()
    private let start: [UInt8]
    private var journal: [UInt8] = []
    private var latest = at(0)
    private let differences: Differences

    init(_ differences: Differences) {
        start = tree.snapshot().encoded()
        self.differences = differences
    }

    func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }

    func verdict(of id: TokenID, at now: Timestamp) -> Verdict { tree.verdict(of: id, at: now) }

    mutating func commit(_ batch: Batch) -> Batch.Outcome {
        latest = max(latest, batch.at)
        return tree.commit(batch, journal: &journal)
    }

    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        latest = max(latest, now)
        return tree.purge(at: now, keeping: retention, journal: &journal)
    }

    mutating func restart() {
        differences.restarts.withLock { $0 += 1 }
        let text = tree.snapshot().encoded()
        do throws(MemoryStore.Restoration.Rejection) {
            let copied = try read(text)
            compare(copied.snapshot().encoded(), text, "snapshot")
            let replayed = try read(start + journal)
            compare(settled(replayed), settled(tree), "journal")
            tree = replayed
        } catch {
            differences.found.withLock { $0.append("\(error)") }
        }
    }

    private func read(_ text: [UInt8]) throws(MemoryStore.Restoration.Rejection) -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(text)
        return try restoration.finish(expecting: tree.head).tree
    }

    /// The text of a tree that has forgotten all that is past: a refused batch makes room too, and is not written.
    private func settled(_ tree: MemoryStore) -> [UInt8] {
        var tree = tree
        let everything: Duration = .seconds(1_000_000_000)
        _ = tree.purge(at: latest, keeping: Retention(explained: everything, settled: everything))
        return tree.snapshot().encoded()
    }

    private func compare(_ found: [UInt8], _ expected: [UInt8], _ kind: String) {
        guard found != expected else { return }
        let texts = [found, expected].map { String(decoding: $0, as: UTF8.self) }
        differences.found.withLock { $0.append("\(kind): \(texts[0])\nexpected: \(texts[1])") }
    }
}
