import Federation
import Foundation
import Hosting
import Wire

/// What administrators do at a party of theirs, over the socket in its folder.
enum Administering {
    static let command = Command(
        name: "admin", abstract: "Administrate a party of yours: people, apps, versions, services, keys, backups.",
        discussion: """
            The party is named by its folder, and is asked over the socket 'admin.socket' in it,
            which only its owner can use; no token is needed. Of a party that answers by CGI, no
            process is at work: the command does it itself, for the owner of the folder. What a
            command ends, ends with all that stands on it, at other services too.
            """,
        subcommands: [
            status, users, apps, instances, VersionCommands.command, ServiceCommands.command, message,
            KeyRotation.command,
            run, explain, BackupCommands.backup, BackupCommands.restore,
        ])

    static let reason = Option(
        name: "reason", value: "words", abstract: "Why, which is kept with what ends, and listed.")

    // MARK: status

    private static let status = Command(
        name: "status", abstract: "Show whether a party is at work, and what waits.",
        arguments: [Running.folder], options: [.output],
        discussion: "As JSON: ready, waiting, and waits_a_week, numbers of messages to other services."
    ) { (invocation, console) throws(Failure) in
        let office = try Office(invocation, console)
        let isReady = (try? office.ask(.get, ["ready"])) != nil
        let messages = try office.messages()
        let late = messages.count { $0["waits-a-week"]?.bool == true }
        if invocation.isForPrograms {
            return console.report([
                "ready": .bool(isReady), "waiting": .number(JSON.Number(messages.count)),
                "waits_a_week": .number(JSON.Number(late)),
            ])
        }
        console.say(isReady ? "The party answers." : "The party cannot answer: its store does not.")
        console.say("Messages to other services that are not confirmed: \(messages.count), for a week: \(late).")
    }

    // MARK: people

    private static let user = Subject(
        list: "users",
        argument: Argument(
            name: "user", kind: .text, abstract: "The name under which the party knows somebody, as the list shows it.")
    )
    private static let locked = Option(name: "locked", abstract: "Who is locked alone.")
    private static let search = Option(
        name: "search", value: "words", abstract: "Who has this name at an edu-ID service, or signs in by it.")

    private static let users = Command(
        name: "user", abstract: "People: list, sign out, lock, unlock, erase.",
        subcommands: [
            Command(
                name: "list", abstract: "Show whom the party knows.", arguments: [Running.folder],
                options: [locked, search, .output],
                discussion: "As JSON: users, an array of objects as the endpoint 'admin/users' lists them."
            ) { (invocation, console) throws(Failure) in
                var details: [HTTP.Form.Pair] = []
                if invocation.has(locked) { details.append(.init("locked", "true")) }
                if let words = invocation[search] { details.append(.init("name", words)) }
                let list = try Office(invocation, console).list(["users"], details)
                console.show(list, named: "users", invocation)
            },
            changing("sign-out", "End all that somebody was given.", user, .delete, "is signed out everywhere"),
            changing(
                "lock", "End all that somebody was given, and shut the person out.", user, .post, "is locked",
                if: { (name, office) throws(Failure) in try office.checkKnown(name) }),
            changing(
                "unlock", "Let somebody in again.", user, .post, "is not locked any more", takingReason: false),
            changing(
                "erase", "End all that somebody was given, and forget what is kept about the person.", user, .delete,
                at: "data", "is forgotten; backups keep what they had until they are removed", takingReason: false),
            expel,
        ])

    private static let affiliation = Argument(
        name: "affiliation", kind: .text, abstract: "As what somebody belongs where, such as 'staff@example.edu'.")

    private static let expel = Command(
        name: "expel", abstract: "End what somebody was given as a member of an institution, and nothing else.",
        arguments: [Running.folder, user.argument, affiliation], options: [reason],
        discussion: """
            Where the party's own accounts say that somebody belongs there, take it out of the
            profile first; what a provider said at a sign-in is taken out with this.
            """
    ) { (invocation, console) throws(Failure) in
        let (office, name) = (try Office(invocation, console), try invocation.required(user.argument))
        let text = try invocation.required(affiliation)
        let word = Base64URL.encode(Array(text.utf8))
        try office.insist(.delete, ["admin", "users", name, "affiliations", word], remark(invocation))
        console.say("'\(name)' is introduced as '\(text)' no more.")
    }

    /// What is changed by name: where it stands below 'admin', and how it is called.
    struct Subject: Sendable {
        let list: String
        let argument: Argument
        var words: @Sendable (String) -> String = { "'\($0)'" }
    }

    /// A command that changes what has a name, in steps where that is much.
    ///
    /// - Parameter place: where it is asked for, below the name; of what is posted, the command's own name.
    static func changing(
        _ word: String, _ abstract: String, _ subject: Subject, _ method: HTTP.Request.Method, at place: String? = nil,
        _ outcome: String, takingReason takesReason: Bool = true,
        if check: @escaping @Sendable (String, Office) throws(Failure) -> Void = { _, _ in }
    ) -> Command {
        let rest = place ?? (method == .post ? word : nil)
        return Command(
            name: word, abstract: abstract, arguments: [Running.folder, subject.argument],
            options: takesReason ? [reason] : []
        ) { (invocation, console) throws(Failure) in
            let (office, name) = (try Office(invocation, console), try invocation.required(subject.argument))
            try check(name, office)
            try office.insist(
                method, ["admin", subject.list, name] + (rest.map { [$0] } ?? []), takesReason ? remark(invocation) : []
            )
            console.say("\(subject.words(name)) \(outcome).")
        }
    }

    static func remark(_ invocation: Invocation) -> [HTTP.Form.Pair] {
        invocation[reason].map { [HTTP.Form.Pair("reason", $0)] } ?? []
    }

    // MARK: apps and instances

    private static let app = Subject(
        list: "apps",
        argument: Argument(name: "app", kind: .text, abstract: "The name of an app, as the list shows it."))
    private static let instance = Subject(
        list: "instances",
        argument: Argument(name: "instance", kind: .text, abstract: "The name of an instance, as the list shows it."))

    private static let apps = Command(
        name: "app", abstract: "Apps at a service: list, end, lock, unlock.",
        subcommands: [
            listing("apps", "Show the apps that have tokens.", options: [locked]),
            changing("end", "End what an app was given, whoever gave it.", app, .delete, "has no tokens any more"),
            changing("lock", "Let an app in no more; what it has stays until it is ended.", app, .post, "is locked"),
            changing("unlock", "Let an app in again.", app, .post, "is not locked any more", takingReason: false),
        ])

    private static let instances = Command(
        name: "instance", abstract: "Copies of the edu-ID app: list, reject.",
        subcommands: [
            listing("instances", "Show the copies of the app that are registered."),
            changing("reject", "Shut a copy of the app out for good.", instance, .delete, "is shut out"),
        ])

    /// A command that shows a list of the party's.
    static func listing(_ name: String, _ abstract: String, options: [Option] = []) -> Command {
        Command(
            name: "list", abstract: abstract, arguments: [Running.folder], options: options + [.output],
            discussion: "As JSON: \(name), an array of objects as the endpoint 'admin/\(name)' lists them."
        ) { (invocation, console) throws(Failure) in
            let details = options.filter { invocation.has($0) }.map { HTTP.Form.Pair($0.name, "true") }
            console.show(try Office(invocation, console).list([name], details), named: JSON.Name(name), invocation)
        }
    }

    // MARK: messages

    private static let message = Command(
        name: "message", abstract: "Messages to other services: list, send.",
        subcommands: [
            Command(
                name: "list", abstract: "Show what other services have not confirmed, the longest due first.",
                arguments: [Running.folder], options: [.output],
                discussion: """
                    As JSON: messages, an array of objects with id, to, attempts, due, tried, and
                    waits-a-week for those that were tried in vain for seven days.
                    """
            ) { (invocation, console) throws(Failure) in
                console.show(try Office(invocation, console).messages(), named: "messages", invocation)
            },
            Command(
                name: "send", abstract: "Send them now.", arguments: [Running.folder]
            ) { (invocation, console) throws(Failure) in
                let office = try Office(invocation, console)
                var (count, last) = (0, 0)
                // So many at a time as one round of the timer sends; who does not confirm is asked once.
                repeat {
                    last = try office.run("delivery")["confirmed"]?.number?.integer(as: Int.self) ?? 0
                    count += last
                } while last >= 100
                console.say("\(count) are confirmed, \(try office.messages().count) wait.")
            },
        ])

    // MARK: what timers do

    private static let errand = Argument(
        name: "what", kind: .choice(["due", "crawl", "delivery", "reconciliation", "purge", "compaction", "reload"]),
        abstract: "What is done.")

    private static let run = Command(
        name: "run",
        abstract: "Have done at once what timers do, or what is due of it.",
        arguments: [Running.folder, errand],
        discussion: """
            due does what is due by now, and no more; crawl reads the descriptions of all services
            anew; delivery sends what other services have not confirmed; reconciliation looks for
            what they should have been told; purge removes what is dead; compaction rids the files
            of a journal of what was removed; reload reads the folder anew, like SIGHUP.
            """
    ) { (invocation, console) throws(Failure) in
        let (office, name) = (try Office(invocation, console), try invocation.required(errand))
        let told = try office.run(name)
        let counts = ["confirmed", "purged"].compactMap { word in
            told[JSON.Name(word)]?.number.flatMap { $0.text.spells("0") ? nil : "\(word) \($0.text)" }
        }
        console.say("\(name) is done" + (counts.isEmpty ? "." : ": \(counts.joined(separator: ", "))."))
    }

    // MARK: explain

    private static let record = Argument(
        name: "record", kind: .text, abstract: "The name of a record, as audit records have it.")

    private static let explain = Command(
        name: "explain", abstract: "Show what a record stands on, and whether it may be used.",
        arguments: [Running.folder, record], options: [.at, .output],
        discussion: "The store is read, whether the party is at work or not; see 'eduid tree explain'."
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        let tree = try Trees.contents(of: configuration.store).tree
        try Trees.explainRecord(try invocation.required(record), in: tree, invocation, &console)
    }
}

extension Office {
    /// The messages that other services have not confirmed.
    func messages() throws(Failure) -> [JSON.Object] {
        let body = try ask(.get, ["messages"]).body
        return ((try? JSON(parsing: body))?["messages"]?.array ?? []).compactMap { $0.object }
    }

    /// Has something done at once; answers what the party tells about it.
    @discardableResult
    func run(_ name: String) throws(Failure) -> JSON.Object {
        let body = try ask(.post, ["run", name]).body
        return (try? JSON(parsing: body))?.object ?? JSON.Object()
    }

    /// Makes sure that a name is one under which somebody is known, and not one by which somebody signs in: a lock on
    /// that would shut nobody out.
    func checkKnown(_ name: String) throws(Failure) {
        let found = try list(["users"], [.init("name", name)]).compactMap { $0["user"]?.string }
        if found.contains(where: { $0.spells(name) }) { return }
        let all = try list(["users"]).compactMap { $0["user"]?.string }
        if all.contains(where: { $0.spells(name) }) { return }
        let meant = found.isEmpty ? "" : "; by these words there is: \(found.joined(separator: ", "))"
        throw .refused(
            "nobody is known under the name '\(name)'\(meant). See: eduid admin user list FOLDER --search WORDS")
    }

    /// Asks until all is done: of much, a part is done at a time, and the answer may say where the next one begins.
    func insist(_ method: HTTP.Request.Method, _ place: [String], _ details: [HTTP.Form.Pair]) throws(Failure) {
        var last: [HTTP.Form.Pair] = []
        while true {
            let response = try ask(method, place, details + last)
            guard response.status.code == 202 else { return }
            last = response.nextPlace.map { [HTTP.Form.Pair("after", $0)] } ?? []
        }
    }
}
