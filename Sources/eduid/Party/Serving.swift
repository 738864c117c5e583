import Foundation
import Hosting
import Wire

/// Running a party of the federation.
enum Running {
    static let folder = Argument(
        name: "folder", kind: .text, abstract: "The folder of the party, as 'eduid init' makes it.")

    private static let quiet = Option(name: "quiet", abstract: "Do not print a line for each request.")

    static let serve = Command(
        name: "serve", abstract: "Run a service or an edu-ID service.", arguments: [folder], options: [quiet],
        discussion: """
            Everything is said in 'eduid.yaml' in the folder; 'eduid check' tells what is wrong
            with it. In front stands a web server that has the TLS: 'eduid init --print nginx'
            and its like print what belongs into its configuration.

            Each request is a line on standard output: time, client, method, path, status, bytes,
            and the rule by which it was refused before anybody read it. 'log' in the folder's
            configuration says how much is written; with --quiet it is not more than notices.

            SIGHUP has the folder read anew, all or nothing; sockets and the store stay, and a
            change of role, issuer, destinations, authorities, audit, or of whether pages are
            shown is refused: it takes a restart. SIGTERM and SIGINT let what has begun end within
            20 seconds; a second one ends it at once. Sockets of systemd are taken over by their
            names, 'http', 'scgi' and 'guard', and systemd hears when the party is ready.

            Exit status: 0 if it ended because it was told to.
            """
    ) { (invocation, console) throws(Failure) in
        let folder = try invocation.required(folder)
        try console.meet()
        let configuration = try Configuration(in: folder, from: console)
        let (manager, signals) = try Failure.refusing(
            "the process", (manager: try ServiceManager(), signals: try Signal.heard()))
        let lines = Lines(upTo: invocation.has(quiet) ? .notice : .debug)
        var premises = Premises(say: { lines.write($0, as: $1) })
        premises.inherited = manager.listeners
        premises.pulse = manager.heartbeat.map { interval in
            Server.Pulse(every: interval) { manager.tell(.alive) }
        }
        let party = try WorkingParty(configuration, at: premises, console)
        lines.write("\(configuration.issuer) is ready", as: .notice)
        manager.tell(.ready)
        if let failure = Waiting.value({ await work([party], hearing: signals, telling: manager, lines) }) ?? nil {
            throw failure
        }
    }

    /// Lets parties work until a signal ends them, or one of them cannot go on.
    static func work(
        _ parties: [WorkingParty], hearing signals: AsyncStream<Signal>, telling manager: ServiceManager?,
        _ lines: Lines
    ) async -> Failure? {
        let hearing = Task {
            for await signal in signals {
                switch signal {
                case .stop:
                    manager?.tell(.stopping)
                    for party in parties { party.stop() }
                case .reload:
                    manager?.tell(.reloading)
                    let failures = parties.compactMap { $0.reload() }
                    for failure in failures { lines.write("the old configuration stands: \(failure)", as: .warning) }
                    if failures.isEmpty { lines.write("the folder was read anew", as: .notice) }
                    manager?.tell(.status(failures.isEmpty ? "read anew" : "the old configuration stands"))
                    manager?.tell(.ready)
                }
            }
        }
        defer { hearing.cancel() }
        return await withTaskGroup(of: Failure?.self) { group in
            for party in parties { group.addTask { await party.run() } }
            var first: Failure?
            for await failure in group where first == nil && failure != nil {
                first = failure
                for party in parties { party.stop() }
            }
            return first
        }
    }
}
