import TokenStores
import TokenTree
import Wire

/// Copies of a party's store, and what is made from one (OPS-14).
enum BackupCommands {
    private static let file = Argument(name: "file", kind: .destination, abstract: "The file of the copy.")

    static let backup = Command(
        name: "backup", abstract: "Copy a party's store into a file, whether the party is at work or not.",
        arguments: [Running.folder, file], options: [.force],
        discussion: """
            Only its owner can read the file. Its last state is named by the head that is printed:
            'restore' takes it as proof that nothing is missing. Keys, secrets, accounts and the
            configuration are files of the folder: copy them once, and keep them apart.

            What was erased after the copy was made is still in it: remove copies when they are old.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        let (place, space) = configuration.store.words
        let tree = try Trees.tree(at: place, space: space)
        var bytes: [UInt8] = []
        for piece in tree.snapshot() { bytes += piece }
        try console.store(bytes, path, .secret, invocation.has(.force))
        console.say("\(tree.count) records are in '\(path)'. Its head: \(tree.head)")
    }

    static let restore = Command(
        name: "restore", abstract: "Fill the empty store of a party from a copy.", arguments: [Running.folder, file],
        options: [Trees.head],
        discussion: """
            The party is not at work meanwhile. Without the head that the last state had, nobody
            knows what was ended after the copy was made; then what was given before opens nothing
            until whoever has it signs in again, or confirms it otherwise.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        guard try !Office(of: configuration).isOpen else { throw .refused("the party is at work; stop it first") }
        let expected = try Trees.head(of: invocation)
        let bytes = try console.read(path, limit: 4 << 30)
        let restored = try tree(in: bytes, of: path, expected, at: console.now)
        try configuration.store.fill(with: restored)
        console.say("\(restored.count) records are restored.")
        if expected == nil { console.say("Without proof: what was given before has to be confirmed.", as: .strong) }
    }

    private static func tree(
        in bytes: [UInt8], of path: String, _ head: Fingerprint?, at now: Timestamp
    ) throws(Failure) -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try Failure.refusing("the copy in '\(path)' is refused", try restoration.read(bytes))
        do throws(MemoryStore.Restoration.Rejection) {
            if let head { return try restoration.finish(expecting: head).tree }
            var line: [UInt8] = []
            return try restoration.finish(unprovenAt: now, journal: &line).tree
        } catch {
            throw .refused("the copy in '\(path)' is refused", error, error.clause)
        }
    }
}

extension Configuration.StorePlace {
    /// As 'eduid tree' names it, with the name space.
    var words: (place: String, space: String) {
        switch self {
        case .journal(let path): (path, "eduid")
        case .sqlite(let path, let space): ("sqlite:" + path, space)
        case .postgreSQL(let words, let space): (words.hasPrefix("postgresql:") ? words : "postgresql:" + words, space)
        }
    }

    /// Fills the store, which is empty, with a tree from a copy.
    fileprivate func fill(with tree: MemoryStore) throws(Failure) {
        switch self {
        case .journal(let path):
            try filling { () async throws(StoreFailure) in try JournalStore.fill(path, with: tree) }
        case .sqlite(let path, let space):
            #if SQLite
            try filling { () async throws(StoreFailure) in
                let store = try SQLStore(space: space) { () throws(SQLFailure) in try SQLiteConnection(path: path) }
                try await store.fill(with: tree)
                await store.close()
            }
            #else
            throw .withoutTrait("SQLite", for: path, space)
            #endif
        case .postgreSQL(let words, let space):
            #if PostgreSQL
            try filling { () async throws(StoreFailure) in
                let store = try SQLStore(space: space) { () throws(SQLFailure) in try PostgreSQLConnection(words) }
                try await store.fill(with: tree)
                await store.close()
            }
            #else
            throw .withoutTrait("PostgreSQL", for: words, space)
            #endif
        }
    }

    private func filling(
        _ fill: @escaping @Sendable () async throws(StoreFailure) -> Void
    ) throws(Failure) {
        let failure: StoreFailure?? = Waiting.value {
            do throws(StoreFailure) {
                try await fill()
                return nil
            } catch {
                return error
            }
        }
        if let failure = failure ?? nil { throw .refused("the store: \(failure)") }
    }
}
