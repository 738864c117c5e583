import TokenStores
import TokenTree
import Wire

/// Looking into token trees, whatever store they are in (STO-11).
enum Trees {
    static let command = Command(
        name: "tree", abstract: "Look into a token tree, in any store.",
        discussion: """
            A store is a journal's folder, or a file with a tree's snapshot, which journal lines may
            follow ('-' for standard input), or a database: sqlite:PATH, postgresql://HOST/NAME, or
            postgresql:CONNECTION with what libpq understands. Nothing is changed in it.
            """, subcommands: [explain, list, verify])

    static let store = Argument(
        name: "store", kind: .file,
        abstract: "A folder, a file, sqlite:PATH or postgresql:CONNECTION ('eduid tree --help').")
    private static let token = Argument(
        name: "token", kind: .text, abstract: "The name of the token's record, which is no secret.")
    static let journal = Option(
        name: "journal", value: "file", abstract: "A journal behind the snapshot, where it is a file of its own.",
        kind: .file, isRepeated: true)
    static let head = Option(
        name: "head", value: "hash", abstract: "Where the journal's chain must end, as the journal writes it.")
    static let space = Option(
        name: "space", value: "name", abstract: "What the names of a database's tables begin with (eduid).")
    private static let kind = Option(
        name: "kind", value: "kind", abstract: "Records of this kind alone: client, personal, service, app and so on.")
    private static let subject = Option(
        name: "subject", value: "name", abstract: "Records of this subject alone, the newest first.")
    private static let below = Option(
        name: "below", value: "id", abstract: "Records that stand on this one alone, directly or not.")

    private static let explain = Command(
        name: "explain", abstract: "Show each ground that a token stands on, and whether it may be used.",
        arguments: [store, token], options: [journal, head, space, .at, .output],
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
        if restored.tornByteCount > 0 {
            console.complain(
                "Note: the last \(restored.tornByteCount) bytes are a line that was cut off; they do not count")
        }
        try explainRecord(name, in: restored.tree, invocation, &console)
    }

    /// Shows what a record of a tree stands on.
    static func explainRecord(
        _ name: String, in tree: MemoryStore, _ invocation: Invocation, _ console: inout Console
    ) throws(Failure) {
        let id = try Failure.refusing("no record can have this name", try TokenID(parsing: name))
        guard let lineage = tree.lineage(of: id) else {
            throw .refused("there is no record '\(id)' among the \(tree.count) of the tree")
        }
        let now = try invocation.time(on: console)
        if invocation.isForPrograms {
            console.report(report(lineage, at: now))
        } else {
            show(lineage, at: now, &console)
        }
    }

    private static let list = Command(
        name: "list", abstract: "List the records of a tree, and whether each may be used.",
        arguments: [store], options: [kind, subject, below, journal, head, space, .at, .output],
        discussion: """
            A line has the record's name, its kind, what may be said of it, its subject and its holder,
            with two spaces between them and '-' for what there is not.

            As JSON: at, and records, an array of objects with id, kind, verdict, issued, and where
            the record has them holder, subject, audience, scope, expires and ends.
            """
    ) { (invocation, console) throws(Failure) in
        let tree = try restore(invocation, console).tree
        let now = try invocation.time(on: console)
        var rows: [JSON] = []
        for selection in try selections(invocation) {
            var last: TokenID?
            repeat {
                guard let page = tree.page(of: selection, after: last, limit: 1_000) else {
                    throw .refused("there is no record '\(invocation[below] ?? "")' in the tree")
                }
                for lineage in page.lineages {
                    let (record, verdict) = (lineage.record, lineage.verdict(at: now))
                    if invocation.isForPrograms {
                        rows.append(.object(object(of: record, "verdict", verdict)))
                    } else {
                        let columns = [
                            record.id.text, record.kind.description, verdict.description, record.subject?.text ?? "-",
                            record.holder?.text ?? "-",
                        ]
                        console.say(columns.joined(separator: "  "))
                    }
                }
                last = page.next
            } while last != nil
        }
        if invocation.isForPrograms {
            console.report(["at": .string(now.description), "records": .array(rows)])
        }
    }

    private static func selections(_ invocation: Invocation) throws(Failure) -> [Facts.Selection] {
        var kinds = Record.Kind.allCases
        if let text = invocation[kind] {
            kinds = kinds.filter { $0.description == text }
            if kinds.isEmpty {
                let words = Record.Kind.allCases.map(\.description).joined(separator: ", ")
                throw Invocation.invalid(text, kind, "expected one of \(words)")
            }
        }
        if let text = invocation[subject] {
            if invocation[below] != nil {
                throw Invocation.invalid(text, subject, "expected one of --subject and --below")
            }
            let name = try Failure.refusing("no subject can have this name", try Record.Subject(parsing: text))
            return kinds.map { .subject(name, $0) }
        }
        if let text = invocation[below] {
            let id = try Failure.refusing("no record can have this name", try TokenID(parsing: text))
            return kinds.map { .under(id, $0) }
        }
        return kinds.map { .all($0) }
    }

    private static let verify = Command(
        name: "verify", abstract: "Read all of a tree, and say what there is.",
        arguments: [store], options: [journal, head, space, .at, .output],
        discussion: """
            Of files and folders, every line is checked: seal, chain and steps. Of a database, every
            row. What is wrong is said with its place, and the exit status is 1.

            As JSON: at, records, live, kinds, an object of the number of each kind, head, and
            unproven where the tree was restored without proof that nothing is missing.
            """
    ) { (invocation, console) throws(Failure) in
        let restored = try restore(invocation, console)
        let (tree, now) = (restored.tree, try invocation.time(on: console))
        var counts: [(kind: Record.Kind, all: Int, live: Int)] = []
        for kind in Record.Kind.allCases {
            var (last, all, live): (TokenID?, Int, Int) = (nil, 0, 0)
            repeat {
                guard let page = tree.page(of: .all(kind), after: last, limit: 1_000) else { break }
                all += page.lineages.count
                live += page.lineages.count { $0.verdict(at: now).isLive }
                last = page.next
            } while last != nil
            counts.append((kind, all, live))
        }
        if invocation.isForPrograms {
            var kinds = JSON.Object()
            for count in counts { kinds[JSON.Name(count.kind.description)] = .number(JSON.Number(Int64(count.all))) }
            var report: JSON.Object = [
                "at": .string(now.description), "records": .number(JSON.Number(Int64(tree.count))),
                "live": .number(JSON.Number(Int64(counts.reduce(0) { $0 + $1.live }))), "kinds": .object(kinds),
                "head": .string(tree.head.description),
            ]
            if let time = tree.unprovenBefore { report["unproven"] = .string(time.description) }
            return console.report(report)
        }
        for count in counts where count.all > 0 {
            console.say("\(count.kind): \(count.all), of which \(count.live) may be used")
        }
        if let time = tree.unprovenBefore {
            console.say("Restored at \(time) without proof: what was issued before has to be confirmed.", as: .bad)
        }
        if restored.tornByteCount > 0 {
            console.say("The last \(restored.tornByteCount) bytes were torn by a crash; they do not count.")
        }
        console.say("All of it could be read: \(tree.count) records.", as: .good)
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

    /// A record with a verdict of this name.
    private static func object(of record: Record, _ name: JSON.Name, _ verdict: Verdict) -> JSON.Object {
        var object: JSON.Object = ["id": .string(record.id.text), "kind": .string(record.kind.description)]
        object[name] = .string(verdict.description)
        for (name, text) in particulars(record) { object[name] = .string(text) }
        return object
    }

    private static func report(_ lineage: Lineage, at now: Timestamp) -> JSON.Object {
        let grounds = zip(lineage.ownVerdicts(at: now), lineage.entries).map { own, entry in
            JSON.object(object(of: entry.record, "own", own))
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
