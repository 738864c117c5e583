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
        let (place, expected) = (try invocation.required(store), try head(of: invocation))
        if let database = StorePlace(place, space: invocation[space] ?? "eduid"), database.isShared {
            return try contents(of: database)
        }
        if let found = try inFolder(place, expected) { return found }
        var restoration = MemoryStore.Restoration()
        for path in [place] + invocation.all(journal) {
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

    /// The tree of a store that is there.
    static func contents(of place: StorePlace) throws(Failure) -> (tree: MemoryStore, tornByteCount: Int) {
        do throws(StoreFailure) {
            return try place.contents()
        } catch {
            throw .refused("the store in \(Console.name(of: place.name)) is refused", "\(error)", error.clause)
        }
    }

    /// The tree of a store's folder; `nil` for what is no folder.
    private static func inFolder(
        _ path: String, _ head: Fingerprint?
    ) throws(Failure) -> (tree: MemoryStore, tornByteCount: Int)? {
        do throws(StoreFailure) {
            return try StorePlace.journal(path).contents(as: head.map(Provenance.proven) ?? .inPlace)
        } catch {
            if case .gone(path) = error { return nil }
            throw .refused("the store in \(Console.name(of: path)) is refused", "\(error)", error.clause)
        }
    }
}
