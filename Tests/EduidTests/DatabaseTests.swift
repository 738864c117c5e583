#if SQLite
import Foundation
import TestSupport
import Testing
import TokenStores
import TokenTree
import Wire

@Suite("Command line: trees in databases", .proves("STO-11"))
struct DatabaseTests {
    @Test("What looks into trees looks into databases, and changes nothing") func tree() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tree-\(UUID()).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let store = try SQLStore(space: "one") { () throws(SQLFailure) in try SQLiteConnection(path: path) }
        let key = Record(id: "key", kind: .versionKey, parent: nil, issued: World.now)
        let client = Record(id: "client", kind: .client, parent: "key", issued: World.now, holder: "instance")
        let outcome = try await store.commit(
            Batch(at: World.now, [.insert(key), .insert(client), .revoke("key", .administrator)]))
        #expect(outcome == .applied)

        let world = World()
        let place = ["sqlite:" + path, "--space", "one"]
        #expect(world.run(["tree", "explain"] + place + ["client"]).text.contains("It died with 'key'"))
        let listed = world.run(["tree", "list"] + place).text
        #expect(listed.split(separator: "\n").map { $0.split(separator: " ").first } == ["key", "client"])
        #expect(world.run(["tree", "verify"] + place).text.contains("All of it could be read: 2 records."))
        let other = world.run(["tree", "verify", "sqlite:" + path])
        #expect(other.status == 1)
        #expect(String(decoding: other.errors, as: UTF8.self).contains("no such table"))
        #expect(world.run(["tree", "verify", "sqlite:\(path)-none"]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: path + "-none"))
        await store.close()
    }
}
#endif
