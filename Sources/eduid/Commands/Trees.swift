import TokenStores
import TokenTree
import Wire

/// Explaining why a token of a token tree is alive or dead.
enum Trees {
    static let command = Command(name: "tree", abstract: "Explain the tokens of a token tree.", subcommands: [explain])

    private static let file = Argument(
        name: "file", kind: .file,
        abstract: "The tree's snapshot, which journal lines may follow ('-' for standard input), or a store's folder.")
    private static let token = Argument(
        name: "token", kind: .text, abstract: "The name of the token's record, which is no secret.")
    private static let journal = Option(
        name: "journal", value: "file", abstract: "A journal behind the snapshot, where it is a file of its own.",
        kind: .file, isRepeated: true)
    private static let head = Option(
        name: "head", value: "hash", abstract: "Where the journal's chain must end, as the journal writes it.")

    private static let explain = Command(
        name: "explain", abstract: "Show each ground that a token stands on, and whether it may be used.",
        arguments: [file, token], options: [journal, head, .at, .output],
        discussion: """
            Every line of the files is checked: the seal over the snapshot, the chain over the
            journal, and that every step could be taken. A last line that was cut off is left out.

            As JSON: at, live, verdict, and grounds, an array from the token to its root of objects
            with id, kind, own (the verdict of the record by itself), issued, and where the record
            has them holder, subject, audience, scope, expires (the access) and ends (the grant,
            with all that stands on it).
            """
    ) { (invocation, console) throws(Failure) in
        let (name, restored) = (try invocation.required(token), try restore(invocation, console))
        let id = try Failure.refusing("no record can have this name", try TokenID(parsing: name))
        guard let lineage = restored.tree.lineage(of: id) else {
            throw .refused("there is no record '\(id)' among the \(restored.tree.count) of the tree")
        }
        if restored.tornByteCount > 0 {
            console.complain(
                "Note: the last \(restored.tornByteCount) bytes are a line that was cut off; they do not count")
        }
        let now = try invocation.time(on: console)
        if invocation.isForPrograms {
            console.report(report(lineage, at: now))
        } else {
            show(lineage, at: now, &console)
        }
    }

    /// Enough for a tree of millions of records.
    private static let treeLimit = 4 << 30

    private static func restore(_ invocation: Invocation, _ console: Console) throws(Failure)
        -> (tree: MemoryStore, tornByteCount: Int)
    {
        var expected: Fingerprint?
        if let text = invocation[head] {
            expected = (try? Base64URL.decode(text)).flatMap { Fingerprint(bytes: $0) }
            guard expected != nil else { throw Invocation.invalid(text, head, "expected 32 bytes in Base64url") }
        }
        if let found = try inFolder(try invocation.required(file), expected) { return found }
        var restoration = MemoryStore.Restoration()
        for path in [try invocation.required(file)] + invocation.all(journal) {
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

    /// What a record says of itself, in the order in which people ask.
    private static func particulars(_ record: Record) -> [(name: JSON.Name, text: String)] {
        let all: [(JSON.Name, String?)] = [
            ("holder", record.holder?.text), ("subject", record.subject?.text), ("audience", record.audience?.text),
            ("scope", record.scope?.text), ("issued", record.issued.description),
            ("expires", record.accessExpiry?.description),
            ("ends", record.end?.description),
        ]
        return all.compactMap { name, text in text.map { (name, $0) } }
    }

    private static func report(_ lineage: Lineage, at now: Timestamp) -> JSON.Object {
        let grounds = zip(lineage.ownVerdicts(at: now), lineage.entries).map { own, entry in
            var object: JSON.Object = [
                "id": .string(entry.record.id.text), "kind": .string(entry.record.kind.description),
            ]
            object["own"] = .string(own.description)
            for (name, text) in particulars(entry.record) { object[name] = .string(text) }
            return JSON.object(object)
        }
        let verdict = lineage.verdict(at: now)
        return [
            "at": .string(now.description), "live": .bool(verdict.isLive), "verdict": .string(verdict.description),
            "grounds": .array(grounds),
        ]
    }

    private static func show(_ lineage: Lineage, at now: Timestamp, _ console: inout Console) {
        for (depth, (own, entry)) in zip(lineage.ownVerdicts(at: now), lineage.entries).enumerated() {
            let named = "\(entry.record.kind) '\(entry.record.id)'"
            console.say(depth == 0 ? named : "which stands on \(named)", as: .strong)
            for (name, text) in particulars(entry.record) { console.say("    \(name): \(text)") }
            console.say("    by itself: \(own)", as: own.isLive ? .plain : .bad)
        }
        let verdict = lineage.verdict(at: now)
        console.say("\nAt \(now): \(verdict)", as: verdict.isLive ? .good : .bad)
        console.say(reason(verdict, of: lineage.record.id))
    }

    private static func reason(_ verdict: Verdict, of own: TokenID) -> String {
        switch verdict {
        case .live: return "It may be used: neither it nor anything that it stands on has ended."
        case .consumed: return "It was redeemed, which can be done once."
        case .unconfirmed:
            return "The tree was restored without its latest lines, and nobody has confirmed the record since."
        case .unknown: return "There is no such record."
        case .expired(let by, _, let ends):
            switch ends {
            case .access: return "Its access time is over; a refresh token may renew it, because the grant lives."
            case .grant:
                return by == own
                    ? "Its own time is over." : "It ended with '\(by)', which it stands on."
            }
        case .revoked(let by, _, _):
            return by == own ? "It was revoked itself." : "It died with '\(by)', which it stands on."
        }
    }
}
