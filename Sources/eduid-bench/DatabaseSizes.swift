import Foundation
import TokenStores
import TokenTree

extension Databases {
    /// What a record needs on a disk, and how many are looked up in a second: users with an instance, two services and
    /// four apps each.
    func sizes(_ records: Int, _ say: (String) -> Void) async throws {
        let tree = tokenTreeOfSize(records)
        let apps = tree.page(of: .all(.app), limit: 4_000)?.lineages.map(\.record.id) ?? []
        let text = tree.snapshot().reduce(0) { $0 + $1.count }
        say("\(tree.count) records of users: \(text / tree.count) bytes each in a snapshot\n")
        #if SQLite
        let path = folder + "/sizes-\(records).sqlite"
        let files = try SQLStore { () throws(SQLFailure) in try SQLiteConnection(path: path) }
        try await files.fill(with: tree)
        let rate = try await lookUps(of: apps, in: files)
        await files.close()
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        say("SQLite: \((size?.intValue ?? 0) / tree.count) bytes each, \(rate) look-ups a second\n")
        #endif
        #if PostgreSQL
        guard let servers = ProcessInfo.processInfo.environment["EDUID_TEST_POSTGRESQL"] else { return }
        let space = "size\(UInt32.random(in: .min ... .max))"
        let store = try SQLStore(space: space, connections: 16) { () throws(SQLFailure) in
            try PostgreSQLConnection(servers)
        }
        try await store.fill(with: tree)
        let served = try await lookUps(of: apps, in: store)
        await store.close()
        let byteCount = try Self.tableByteCount(of: space, PostgreSQLConnection(servers))
        say("PostgreSQL: \(byteCount / tree.count) bytes each, \(served) look-ups a second\n")
        #endif
    }

    #if PostgreSQL
    /// What the tables of a name space take on the server's disk, with their indices.
    static func tableByteCount(of space: String, _ connection: PostgreSQLConnection) throws(SQLFailure) -> Int {
        let answer = try connection.perform([
            SQLStatement(
                "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
                    + "WHERE relkind = 'r' AND starts_with(relname::text, $1)", [.text(space)])
        ])
        guard case .integer(let byteCount)? = answer.first?.first?.first else { return 0 }
        return Int(byteCount)
    }
    #endif

    /// How many records a second are found with all they stand on.
    private func lookUps(of ids: [TokenID], in store: SQLStore<some SQLConnection>) async throws -> Int {
        Int(
            try await rate(ids.count) { number in
                guard try await store.lineage(of: ids[number])?.entries.count == 6 else { throw StoreFailure.closed }
            })
    }
}
