import Federation
import Foundation
import Hosting
import JOSE
import OAuth2Grants
import RSD2
import TokenStores
import TokenTree
import Wire

extension Running {
    private static let offline = Option(name: "offline", abstract: "Ask nobody over the network.")

    static let check = Command(
        name: "check", abstract: "Tell everything that is wrong with a party before it is run.", arguments: [folder],
        options: [offline, .output],
        discussion: """
            Configuration, keys and who can read them, description, accounts, services, versions,
            the store, whether the sockets are free, whether the other parties and the party's own
            URL can be reached over TLS, and whether this machine's clock agrees with theirs.
            Nothing is changed.

            As JSON: findings, an array of objects with about, is ('fine', 'doubtful' or 'wrong')
            and says.

            Exit status: 0 if nothing is wrong.
            """
    ) { (invocation, console) throws(Failure) in
        let folder = try invocation.required(folder)
        try console.meet()
        var findings = Findings()
        do throws(Failure) {
            let configuration = try Configuration(in: folder, from: console)
            findings.add(.fine, Configuration.fileName, "\(configuration.issuer)")
            findings.look(at: configuration, console)
            if !invocation.has(offline) {
                let found = Waiting.value { await Findings.ofNetwork(configuration) }
                findings.all += (found ?? Findings()).all
            }
        } catch {
            findings.add(.wrong, Configuration.fileName, "\(error)")
        }
        if invocation.isForPrograms {
            console.report(["findings": .array(findings.all.map { .object($0.members) })])
        } else {
            for finding in findings.all { console.say(finding.line, as: finding.style) }
        }
        let count = findings.all.count { $0.grade == .wrong }
        if count > 0 { throw .refused("\(count) of \(findings.all.count) things are wrong") }
    }
}

/// What a check found (OPS-4).
struct Findings {
    enum Grade: String {
        case fine, doubtful, wrong
    }

    struct Finding {
        let grade: Grade
        let subject: String
        let words: String

        var members: JSON.Object {
            ["about": .string(subject), "is": .string(grade.rawValue), "says": .string(words)]
        }

        var line: String {
            let mark =
                switch grade {
                case .fine: "fine      "
                case .doubtful: "doubtful  "
                case .wrong: "wrong     "
                }
            return mark + subject + ": " + words
        }

        var style: Console.Style {
            switch grade {
            case .fine: .plain
            case .doubtful: .strong
            case .wrong: .bad
            }
        }
    }

    var all: [Finding] = []

    mutating func add(_ grade: Grade, _ subject: String, _ words: String) {
        all.append(Finding(grade: grade, subject: subject, words: words))
    }

    /// Notes what comes of a step, or why it failed.
    private mutating func trying(_ subject: String, _ step: () throws(Failure) -> String) {
        do throws(Failure) { add(.fine, subject, try step()) } catch { add(.wrong, subject, "\(error)") }
    }
}

// MARK: - What lies in the folder

extension Findings {
    fileprivate mutating func look(at configuration: Configuration, _ console: Console) {
        trying("keys") { () throws(Failure) in
            let keys = try configuration.authorityKeys(console)
            let authority = try Failure.refusing("the keys", try Authority(configuration.issuer, keys: keys))
            let names = authority.publicKeys.keys.compactMap { $0.id?.text }
            return "signs with \(names.first ?? "?"), publishes \(names.count)"
        }
        switch configuration.role {
        case .service(let service):
            trying("description") { () throws(Failure) in
                let party = try service.party(configuration, console)
                let names = party.document.apis.map { $0.name.text }
                return "offers \(names.joined(separator: ", "))"
            }
            for deviation in (try? service.deviations(console)) ?? [] { add(.doubtful, "description", deviation) }
        case .eduID(let eduID):
            trying("services") { () throws(Failure) in "\(try eduID.index(console).listings.count) are listed" }
            // Behind a web server everybody has its address.
            if eduID.pages != nil, !configuration.listening.http.isEmpty, configuration.listening.forwarding == .ignored
            {
                add(
                    .doubtful, "pages",
                    "failed sign-ins are not counted by address, as 'forwarded' below 'listen' does not name the web "
                        + "server in front")
            }
            trying("accounts") { () throws(Failure) in
                _ = try Logins(eduID.accounts)
                return "can be read"
            }
            if let provider = eduID.provider {
                trying("provider") { () throws(Failure) in
                    _ = try provider.provider(for: configuration, console)
                    let (callback, logout) = provider.places(below: configuration.base)
                    return "\(provider.issuer) has to know \(callback) and, to tell who signs out, \(logout)"
                }
            }
            trying("versions") { () throws(Failure) in
                let party = try eduID.party(
                    configuration, knowing: ServiceDirectory(), users: UserDirectory(), console)
                return "\(party.versions.count) are registered"
            }
        }
        trying("store") { () throws(Failure) in try configuration.lookAtStore() }
        if configuration.listening.isByCGI { lookAtTimers(of: configuration, at: console.now) }
        lookAtSockets(configuration)
        if configuration.isLocal {
            add(.doubtful, "issuer", "plain HTTP is for trials on this machine; nobody else can take part")
        }
    }

    /// Whether somebody does what timers do, where no process of the party's own could (CGI-5).
    private mutating func lookAtTimers(of configuration: Configuration, at now: Timestamp) {
        add(.fine, "listen", "a web server starts a process for each request")
        guard let tree = try? configuration.store.contents().tree else { return }
        let due = now + .seconds(-3_600)
        let late = tree.load([.outgoing(due: due, limit: 1_000)]).messages(due: due, limit: 1_000).count
        if late > 0 {
            add(
                .doubtful, "timers",
                "\(late) messages to other services have been due for an hour; a line for 'cron' does what timers do: "
                    + "eduid init '\(configuration.folder)' --print cgi")
        }
    }

    /// Whether the sockets are free; who runs the party now has them.
    private mutating func lookAtSockets(_ configuration: Configuration) {
        let listening = configuration.listening
        for address in listening.http + listening.scgi + listening.guarding {
            do throws(HostingFailure) {
                _ = try Listener.listen(at: address)
                add(.fine, "listen", "\(address) is free")
            } catch {
                if case .taken = error {
                    add(.doubtful, "listen", "something listens at \(address); well if that is this party at work")
                } else {
                    add(.wrong, "listen", "\(error)")
                }
            }
        }
    }
}

extension Configuration.Service {
    /// What the description says in a way that readers have to guess at.
    fileprivate func deviations(_ console: Console) throws(Failure) -> [String] {
        let bytes = try console.read(description, limit: 1 << 20)
        let reading = try Failure.refusing(
            "the description", try ServiceDescription.reading(bytes.span, as: .json))
        return reading.deviations.map { "\($0)" }
    }
}

extension Configuration {
    fileprivate func lookAtStore() throws(Failure) -> String {
        if let path = store.path, !FileManager.default.fileExists(atPath: path) {
            return "'\(path)' is made at the start"
        }
        do throws(StoreFailure) {
            return "\(try store.contents().tree.count) records in '\(store.name)'"
        } catch {
            throw .refused("\(error)")
        }
    }
}

// MARK: - What others say

extension Findings {
    /// The most seconds by which clocks may differ before tokens are refused.
    private static let clockTolerance: Int64 = 30

    /// Asks the party's own URL, and the parties that it depends on.
    fileprivate static func ofNetwork(_ configuration: Configuration) async -> Findings {
        var findings = Findings()
        let network = configuration.network
        let metadata = "\(configuration.base.origin)/.well-known/oauth-authorization-server\(configuration.base.path)"
        await findings.ask(metadata, as: "own URL", isNeeded: false, over: network)
        switch configuration.role {
        case .service(let service):
            await findings.ask(service.eduID.text + "/jwks", as: "edu-ID service", isNeeded: true, over: network)
        case .eduID(let eduID):
            if let place = eduID.provider?.description {
                await findings.ask(place, as: "provider", isNeeded: true, over: network)
            }
            for listing in (try? eduID.index(.system()))?.listings ?? [] {
                let place = ServiceList.location(for: listing.service)?.text ?? listing.service.identity
                await findings.ask(place, as: "service", isNeeded: false, over: network)
            }
        }
        return findings
    }

    private mutating func ask(
        _ text: String, as subject: String, isNeeded: Bool, over network: Network
    ) async {
        let grade = isNeeded ? Grade.wrong : .doubtful
        guard let url = try? WebURL(parsing: text) else { return add(grade, subject, "'\(text)' is no URL") }
        do throws(NetworkFailure) {
            let response = try await network.answer(to: HTTP.Request(.get, .absolute(url)))
            guard response.status == .ok else {
                return add(grade, subject, "\(text) answers \(response.status)")
            }
            add(.fine, subject, "\(text) answers")
            lookAtClock(response, of: text)
        } catch {
            add(grade, subject, "\(text): \(error)")
        }
    }

    private mutating func lookAtClock(_ response: HTTP.Response, of text: String) {
        let now = systemTime()
        guard case .once(let date) = response.fields.value(of: .date),
            let time = try? Timestamp(httpDate: date, at: now)
        else { return }
        let difference = abs(time.seconds - now.seconds)
        if difference > Self.clockTolerance {
            add(.wrong, "clock", "this machine and \(text) differ by \(difference) seconds; set both by NTP")
        }
    }
}
