import Testing
import TokenTree
import TokenTreeTesting
import Wire

/// The examples of the documentation, run as they stand.
@Suite("TokenTree: examples") struct ExampleTests {
    @Test func aVersionIsRevoked() throws {
        let now = Timestamp(seconds: 1_800_000_000)
        // example: a version is revoked
        var tree = MemoryStore()
        let version = Record(id: try TokenID(parsing: "version-7"), kind: .versionKey, parent: nil, issued: now)
        let instance = Record(id: try TokenID(parsing: "instance-1"), kind: .client, parent: version.id, issued: now)
        let outcome = tree.commit(Batch(at: now, [.insert(version), .insert(instance)]))

        _ = tree.commit(Batch(at: now + .seconds(60), [.revoke(version.id, .administrator)]))
        let verdict = tree.verdict(of: instance.id, at: now + .seconds(61))
        // revoked with version-7 …: administrator
        // end of example
        #expect(outcome == .applied)
        #expect(verdict == .revoked(by: version.id, at: now + .seconds(60), reason: .administrator))
    }

    @Test func aTreeIsRestored() throws {
        let clock: @Sendable () -> Timestamp = { Timestamp(seconds: 1_800_000_000) }
        // example: a tree is restored
        func restored(_ disk: inout [UInt8], head: Fingerprint?, at now: Timestamp) throws -> MemoryStore {
            var restoration = MemoryStore.Restoration(clock: clock)
            try restoration.read(disk)
            if let head { return try restoration.finish(expecting: head).tree }
            var line: [UInt8] = []
            let restored = try restoration.finish(unprovenAt: now, journal: &line)
            disk.removeLast(restored.tornByteCount)
            disk += line
            return restored.tree
        }
        // end of example
        var tree = MemoryStore()
        var disk = tree.snapshot().encoded()
        let version = Record(id: "version-7", kind: .versionKey, parent: nil, issued: clock())
        #expect(tree.commit(Batch(at: clock(), [.insert(version)]), journal: &disk) == .applied)
        #expect(try restored(&disk, head: tree.head, at: clock()).unprovenBefore == nil)
        disk += Array("{".utf8)
        let marked = try restored(&disk, head: nil, at: clock())
        #expect(marked.unprovenBefore == clock())
        #expect(try restored(&disk, head: marked.head, at: clock()).unprovenBefore == clock())
    }

    @Test func theSuiteForStores() {
        // example: the suite for stores
        let violations = Conformance.violations(making: { MemoryStore() })
        for violation in violations { print(violation) }
        // end of example
        #expect(violations.isEmpty)
    }
}
