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
            Only its owner can read the file. The head that is printed names the state that was
            copied: at 'restore' it proves that nothing is missing as long as nothing was written
            afterwards, as where the party was stopped before. A database has none. Keys, secrets,
            accounts and the configuration are files of the folder: copy them once, and keep them
            apart.

            What was erased after the copy was made is still in it: remove copies when they are old.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        let tree = try Trees.contents(of: configuration.store).tree
        var bytes: [UInt8] = []
        for piece in tree.snapshot() { bytes += piece }
        try console.store(bytes, path, .secret, invocation.has(.force))
        let head = tree.head == chainless ? "It has no head, as it is a database's." : "Its head: \(tree.head)"
        console.say("\(tree.count) records are in '\(path)'. \(head)")
    }

    /// The head of what was never written line by line, which is the same for all.
    private static let chainless = MemoryStore().head

    static let restore = Command(
        name: "restore", abstract: "Fill the empty store of a party from a copy.", arguments: [Running.folder, file],
        options: [Trees.head],
        discussion: """
            The party is not at work meanwhile. Without the head that the last state had, be it the
            copy's or a later one, nobody knows what was ended after the copy was made; then what was
            given before opens nothing until whoever has it signs in again, or confirms it otherwise.
            An edu-ID service does not know either whom it has introduced since: withdraw each key
            that has signed since then, so that services end that ('eduid admin key withdraw --help').
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        // By CGI no process is at work that could know another store.
        if !configuration.listening.isByCGI, try Office(of: configuration).isOpen {
            throw .refused("the party is at work; stop it first")
        }
        let expected = try Trees.head(of: invocation)
        guard expected != chainless else {
            throw .refused("'--head' names no state: a copy of a database has no head; restore it without one")
        }
        let bytes = try console.read(path, limit: 4 << 30)
        let restored = try tree(in: bytes, of: path, expected, at: console.now)
        try fill(configuration.store, with: restored)
        console.say("\(restored.count) records are restored.")
        guard expected == nil else { return }
        console.say("Without proof: what was given before has to be confirmed.", as: .strong)
        guard case .eduID = configuration.role else { return }
        console.say(
            """
            Services still go by what it does not know any more: whom it has introduced since the copy was made. End
            that everywhere: 'eduid admin key prepare', 'rotate', and 'withdraw' each key that has signed since then.
            """)
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

    private static func fill(_ place: StorePlace, with tree: MemoryStore) throws(Failure) {
        let failure: StoreFailure?? = Waiting.value {
            do throws(StoreFailure) {
                try await place.fill(with: tree)
                return nil
            } catch {
                return error
            }
        }
        if let failure = failure ?? nil { throw .refused("the store: \(failure)") }
    }
}
