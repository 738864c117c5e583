import Foundation
import TokenStores
import TokenTree
import Wire

/// A store whose processes are killed, of whatever kind.
struct CrashedStore: Sendable {
    let commit: @Sendable (Batch) async throws -> Batch.Outcome
    let has: @Sendable (String) async throws -> Bool
    let compact: @Sendable () async throws -> Void
    let close: @Sendable () async -> Void
    let tornByteCount: Int

    enum Kind: String, CaseIterable, Sendable { case journal, sqlite, postgresql }

    /// A kind of store that this program was built without, or that has no server to play with.
    struct Absence: Error, CustomStringConvertible { let description: String }

    init(_ kind: Kind, _ place: String) throws {
        switch kind {
        case .journal:
            let store = try JournalStore.open(place)
            self.init(store, tornByteCount: store.opening.tornByteCount, close: { await store.close() }) {
                try await store.compact()
            }
        case .sqlite:
            #if SQLite
            let store = try SQLStore { () throws(SQLFailure) in try SQLiteConnection(path: place) }
            self.init(store, close: { await store.close() })
            #else
            throw Absence(description: "this program was built without SQLite: swift build --traits SQLite")
            #endif
        case .postgresql:
            #if PostgreSQL
            let servers = ProcessInfo.processInfo.environment["EDUID_TEST_POSTGRESQL"] ?? ""
            let store = try SQLStore(space: place, connections: 6) { () throws(SQLFailure) in
                try PostgreSQLConnection(servers)
            }
            self.init(store, close: { await store.close() })
            #else
            throw Absence(description: "this program was built without PostgreSQL: swift build --traits PostgreSQL")
            #endif
        }
    }

    private init(
        _ store: some AsyncTokenStore, tornByteCount: Int = 0, close: @escaping @Sendable () async -> Void,
        compact: @escaping @Sendable () async throws -> Void = {}
    ) {
        commit = { try await store.commit($0) }
        has = { try await store.lineage(of: TokenID(stringLiteral: $0)) != nil }
        self.tornByteCount = tornByteCount
        self.close = close
        self.compact = compact
    }
}

// MARK: - Where it is, and what else happens to it

extension CrashedStore.Kind {
    /// A new store's place: a folder, a file, or a name space.
    func place(in folder: String) throws -> String {
        switch self {
        case .journal: return folder
        case .sqlite:
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            return folder + "/tree.sqlite"
        case .postgresql:
            guard ProcessInfo.processInfo.environment["EDUID_TEST_POSTGRESQL"] != nil else {
                throw CrashedStore.Absence(
                    description: "EDUID_TEST_POSTGRESQL names no server; '.ci/databases' starts one")
            }
            return "crash" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(16)
        }
    }

    /// A process lives so many milliseconds at most.
    var longestLife: Int { self == .journal ? 150 : 400 }

    /// What happens to the server while a process writes: one life in seven it fails over, and in another it is killed.
    func disturbance(round: Int) -> String? {
        guard self == .postgresql else { return nil }
        switch round % 7 {
        case 1: return "fail-over"
        case 2: return "restart"
        default: return nil
        }
    }
}

extension CrashedStore {
    /// Has the server disturbed by the script that started it, and gives those who write time to go on.
    static func disturb(_ what: String) {
        // Not by a `Process`, which waits until nobody has what it gave its child, a new server for example.
        _ = system("\"$EDUID_TEST_POSTGRESQL_SCRIPT\" \(what)")
        Thread.sleep(forTimeInterval: 0.5)
    }
}
