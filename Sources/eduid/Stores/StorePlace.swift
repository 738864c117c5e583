import Foundation
import Hosting
import TokenStores
import TokenTree
import Wire

/// Where a party has its records: a folder of its own, or a name space in a database.
enum StorePlace: Sendable {
    case journal(String)
    case sqlite(String, space: String)
    case postgreSQL(String, space: String)

    /// Reads `journal:FOLDER`, `sqlite:FILE` or `postgresql:CONNECTION`; `nil` for everything else.
    ///
    /// - Parameter place: where a path leads to.
    init?(_ text: String, space: String, at place: (String) -> String = { $0 }) {
        func rest(_ kind: String) -> String? { text.hasPrefix(kind) ? String(text.dropFirst(kind.count)) : nil }
        if let folder = rest("journal:") {
            self = .journal(place(folder))
        } else if let file = rest("sqlite:") {
            self = .sqlite(place(file), space: space)
        } else if let words = rest("postgresql:") {
            self = .postgreSQL(words.hasPrefix("//") ? text : words, space: space)
        } else {
            return nil
        }
    }

    /// The folder or the file; `nil` for what is on a server.
    var path: String? {
        switch self {
        case .journal(let path), .sqlite(let path, _): path
        case .postgreSQL: nil
        }
    }

    /// What it is called in messages.
    var name: String {
        switch self {
        case .journal(let path): path
        case .sqlite(_, let space), .postgreSQL(_, let space): space
        }
    }

    /// Whether several processes can have it open.
    var isShared: Bool { if case .journal = self { false } else { true } }
}

/// A store that is closed when its party has ended.
protocol ClosableStore: AsyncTokenStore {
    func close() async
    /// Rids the store's files of what is removed; answers why that was not done.
    func condense() async -> String?
}

extension JournalStore: ClosableStore {
    func condense() async -> String? {
        do throws(StoreFailure) {
            try await compact()
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension SQLStore: ClosableStore {
    func condense() async -> String? { "the database does that by itself, or by its own command, VACUUM" }
}

// MARK: - Opening

extension StorePlace {
    /// Opens the store, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - connections: how many are held at most, where it is a database.
    ///   - say: hears what its operator should know.
    func open(
        connections: Int = 4, telling say: (String) -> Void = { _ in }
    ) throws(StoreFailure) -> any ClosableStore {
        guard case .journal(let path) = self else { return try database.open(connections) }
        let store = try JournalStore.open(path, clock: Self.time)
        if store.opening.tornByteCount > 0 {
            say("\(store.opening.tornByteCount) bytes that a crash had torn were cut from '\(path)'")
        }
        return store
    }

    /// What is in the store, for whoever only looks at it, also while a party is at work on it.
    ///
    /// - Parameter provenance: whether a journal holds all that there was.
    func contents(
        as provenance: Provenance = .inPlace
    ) throws(StoreFailure) -> (tree: MemoryStore, tornByteCount: Int) {
        guard case .journal(let path) = self else { return (try database.look(), 0) }
        return try JournalStore.inspect(path, as: provenance)
    }

    /// Fills the store, which is empty, with a tree from a copy.
    func fill(with tree: MemoryStore) async throws(StoreFailure) {
        guard case .journal(let path) = self else { return try await database.fill(tree) }
        try JournalStore.fill(path, with: tree)
    }

    /// The time by which a store on this machine forgets and removes.
    private static var time: @Sendable () -> Timestamp {
        let clock = SteadyClock(following: systemTime)
        return { clock.now }
    }

    /// The database; of each kind, the program knows one only where it was built with that trait.
    private var database: Database {
        get throws(StoreFailure) {
            switch self {
            #if SQLite
            case .sqlite(let path, let space):
                return Database(space, .host(Self.time)) { (creating) throws(SQLFailure) in
                    try SQLiteConnection(path: path, creating: creating)
                }
            #else
            case .sqlite: throw .withoutTrait("SQLite")
            #endif
            #if PostgreSQL
            case .postgreSQL(let words, let space):
                return Database(space, .database) { (_) throws(SQLFailure) in try PostgreSQLConnection(words) }
            #else
            case .postgreSQL: throw .withoutTrait("PostgreSQL")
            #endif
            case .journal(let path): throw .gone(path: path)
            }
        }
    }
}

/// A database of whatever kind, and what is done with one.
private struct Database {
    let open: (_ connections: Int) throws(StoreFailure) -> any ClosableStore
    let look: () throws(StoreFailure) -> MemoryStore
    let fill: (MemoryStore) async throws(StoreFailure) -> Void

    /// - Parameter connect: connects to it, and makes it if it is not there and may be made.
    init<Connection: SQLConnection>(
        _ space: String, _ clock: StoreClock,
        _ connect: @escaping @Sendable (_ creating: Bool) throws(SQLFailure) -> Connection
    ) {
        let store = { (connections: Int) throws(StoreFailure) in
            try SQLStore(space: space, connections: connections, clock: clock) { () throws(SQLFailure) in
                try connect(true)
            }
        }
        open = { (connections) throws(StoreFailure) in try store(connections) }
        look = { () throws(StoreFailure) in
            try SQLStore.inspect(space: space) { () throws(SQLFailure) in try connect(false) }
        }
        fill = { (tree) async throws(StoreFailure) in
            let empty = try store(1)
            try await empty.fill(with: tree)
            await empty.close()
        }
    }
}

extension StoreFailure {
    fileprivate static func withoutTrait(_ name: String) -> StoreFailure {
        .refused(code: "traits", "this program was built without \(name): swift build --traits \(name)")
    }
}

/// What time it is.
@Sendable func systemTime() -> Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }
