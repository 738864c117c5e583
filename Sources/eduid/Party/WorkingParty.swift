import Federation
import Foundation
import Hosting
import JOSE
import RSD2
import Synchronization
import TokenStores
import TokenTree
import Wire

/// A party at its sockets, with its store, its network and its timers, as its folder says.
final class WorkingParty<Served: Party, Store: AsyncTokenStore>: Sendable {
    /// Answers what is not the party's own to answer; `nil` for what is nobody's.
    typealias Application = @Sendable (HTTP.Request, HTTP.Client) async -> HTTP.Response?

    let host: PartyHost<Served, Store>
    private let configuration: Configuration
    private let servers: [Server]
    private let books: Books
    private let duties: [@Sendable () async -> Void]
    private let close: @Sendable () async -> Void

    /// Opens the sockets of a party.
    ///
    /// - Parameters:
    ///   - premises: what the party is given from outside.
    ///   - books: where it is written down what happens.
    ///   - errands: what operators can have done at once.
    ///   - duties: what is done every few seconds beside the host's own.
    ///   - close: closes the store.
    init(
        _ host: PartyHost<Served, Store>, of configuration: Configuration, at premises: Premises,
        keeping books: Books, errands: BackOffice<Served, Store>.Errands = [:],
        guarding: (@Sendable (HTTP.Request) async -> HTTP.Response)? = nil, application: Application? = nil,
        duties: [@Sendable () async -> Void], close: @escaping @Sendable () async -> Void
    ) throws(Failure) {
        (self.host, self.configuration, self.duties, self.close) = (host, configuration, duties, close)
        self.books = books
        let office = BackOffice(host, counting: books.metrics, errands: errands, clock: systemTime)
        let answer: Server.Answering = { request, client in
            if let answer = await application?(request, client) { return answer }
            return await host.response(to: request) { books.note($0) }
        }
        var servers: [Server] = []
        for purpose in Premises.Purpose.allCases {
            let listeners: [Listener]
            do throws(Failure) {
                listeners = try premises.listeners(for: purpose, of: configuration)
            } catch {
                // Where nobody asked for it, a party works without: in a folder that it cannot write to, or a deep one.
                guard purpose == .operating, !configuration.listening.namesOperating else { throw error }
                books.say("there is no socket for operators, name one as 'admin' below 'listen': \(error)")
                continue
            }
            if listeners.isEmpty { continue }
            let policy = Self.policy(for: purpose, of: configuration, at: premises)
            let found: Server.Answering
            switch purpose {
            case .http, .scgi: found = answer
            case .guarding:
                guard let guarding else { continue }
                found = { question, _ in await guarding(question) }
            case .operating: found = { request, _ in await office.response(to: request) }
            case .monitoring: found = { request, _ in await office.vitalSigns(for: request) }
            }
            do throws(HostingFailure) {
                servers.append(
                    try Server(at: listeners, policy: policy, log: { books.note($0, at: purpose) }, answer: found))
            } catch {
                throw .refused("\(error)")
            }
        }
        self.servers = servers
    }

    private static func policy(
        for purpose: Premises.Purpose, of configuration: Configuration, at premises: Premises
    ) -> Server.Policy {
        var policy = Server.Policy()
        policy.connectionLimit = configuration.listening.connections
        policy.forwarding = configuration.listening.forwarding
        policy.pulse = premises.pulse
        switch purpose {
        case .http:
            policy.authorities = configuration.ownHosts
        case .scgi:
            policy.dialect = .scgi
            policy.origin = configuration.base
        case .guarding, .operating, .monitoring: break
        }
        return policy
    }

    /// Works until it is told to stop, and what has begun has ended.
    func run() async -> Failure? {
        let duties = Task { [self] in await carryOutDuties() }
        let failure = await withTaskGroup(of: Failure?.self) { group in
            for server in servers {
                group.addTask {
                    do throws(HostingFailure) {
                        try await server.run()
                        return nil
                    } catch {
                        return .refused("\(error)")
                    }
                }
            }
            var first: Failure?
            for await failure in group {
                if first == nil, let failure {
                    first = failure
                    stop()
                }
            }
            return first
        }
        duties.cancel()
        await duties.value
        await close()
        return failure
    }

    /// Takes no further connections, and lets what has begun end; told again, it ends at once (SYS-3).
    func stop() { for server in servers { server.stop() } }

    /// What timers do, until there is no more work.
    private func carryOutDuties() async {
        while !Task.isCancelled {
            do {
                let report = try await host.tick()
                books.metrics.note(report, at: systemTime())
                for message in report.deadLetters {
                    books.say("\(message.destination.text) has not confirmed message \(message.id.text) for a week")
                }
            } catch {
                books.note(error)
            }
            for duty in duties { await duty() }
            try? await Task.sleep(for: configuration.pause)
        }
    }
}

extension Configuration {
    /// The time between two rounds of what timers do: where everything is on one machine nobody has to be spared.
    var pause: Duration { isLocal ? .seconds(1) : .seconds(5) }

    /// The hosts that requests may be meant for, with their ports.
    var ownHosts: Set<String> {
        let port = base.port.map { ":\($0)" } ?? ""
        // Web servers in front may leave out the port, which is theirs.
        var hosts: Set<String> = [base.host.text + port, base.host.text]
        // Whoever looks at a trial with a browser types one of these (SYS-8).
        if isLocal { hosts.formUnion(["localhost\(port)", "127.0.0.1\(port)", "[::1]\(port)"]) }
        return hosts
    }
}
