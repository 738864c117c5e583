import TokenStores
import TokenTree
import Wire

// Where a tree is, and how it is read from there without changing anything.

extension Trees {
    /// Enough for a tree of millions of records.
    private static let treeLimit = 4 << 30

    static func restore(_ invocation: Invocation, _ console: Console) throws(Failure)
        -> (tree: MemoryStore, tornByteCount: Int)
    {
        let expected = try head(of: invocation)
        if let tree = try inDatabase(try invocation.required(store), invocation[space] ?? "eduid") { return (tree, 0) }
        if let found = try inFolder(try invocation.required(store), expected) { return found }
        var restoration = MemoryStore.Restoration()
        for path in [try invocation.required(store)] + invocation.all(journal) {
            let bytes = try console.read(path, limit: treeLimit)
            try Failure.refusing("the tree in \(Console.name(of: path)) is refused", try restoration.read(bytes))
        }
        do throws(MemoryStore.Restoration.Rejection) {
            let restored: MemoryStore.Restoration.Restored
            if let expected {
                restored = try restoration.finish(expecting: expected)
            } else {
                restored = try restoration.inspected()
            }
            return (restored.tree, restored.tornByteCount)
        } catch {
            throw .refused("the tree is refused", error, error.clause)
        }
    }

    /// Where the chain must end, if the command line says that.
    static func head(of invocation: Invocation) throws(Failure) -> Fingerprint? {
        guard let text = invocation[head] else { return nil }
        guard let head = (try? Base64URL.decode(text)).flatMap({ Fingerprint(bytes: $0) }) else {
            throw Invocation.invalid(text, head, "expected 32 bytes in Base64url")
        }
        return head
    }

    /// The tree of a store that is a folder or a database.
    static func tree(at place: String, space: String) throws(Failure) -> MemoryStore {
        if let tree = try inDatabase(place, space) { return tree }
        guard let found = try inFolder(place, nil) else { throw .refused("there is no store in '\(place)'") }
        return found.tree
    }

    /// The tree of a store's folder; `nil` for what is no folder.
    private static func inFolder(
        _ path: String, _ head: Fingerprint?
    ) throws(Failure) -> (tree: MemoryStore, tornByteCount: Int)? {
        do throws(StoreFailure) {
            return try JournalStore.inspect(path, as: head.map(Provenance.proven) ?? .inPlace)
        } catch {
            if case .gone(path) = error { return nil }
            throw .refused("the store in \(Console.name(of: path)) is refused", "\(error)", error.clause)
        }
    }

    /// The tree of a database; `nil` for what names none.
    private static func inDatabase(_ place: String, _ space: String) throws(Failure) -> MemoryStore? {
        do throws(StoreFailure) {
            if place.hasPrefix("sqlite:") {
                #if SQLite
                let path = String(place.dropFirst(7))
                return try SQLStore.inspect(space: space) { () throws(SQLFailure) in
                    try SQLiteConnection(path: path, creating: false)
                }
                #else
                throw .refused(code: "traits", "this program was built without SQLite: swift run --traits SQLite eduid")
                #endif
            }
            if place.hasPrefix("postgresql:") {
                #if PostgreSQL
                let string = place.hasPrefix("postgresql://") ? place : String(place.dropFirst(11))
                return try SQLStore.inspect(space: space) { () throws(SQLFailure) in
                    try PostgreSQLConnection(string)
                }
                #else
                throw .refused(
                    code: "traits", "this program was built without PostgreSQL: swift run --traits PostgreSQL eduid")
                #endif
            }
            return nil
        } catch {
            throw .refused("the tree in the database is refused", "\(error)", error.clause)
        }
    }
}
