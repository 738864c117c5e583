import Foundation
import Hosting
import Wire

/// A party at its sockets, with its timers, until it is told to stop.
final class WorkingParty: Sendable {
    private let party: OpenParty
    private let servers: [Server]
    private let pause: Duration

    /// Opens the store and the sockets of the party that a folder describes.
    ///
    /// - Parameters:
    ///   - premises: what the party is given from outside.
    ///   - offersReading: whether a service offers a protocol of its own to try things with.
    init(
        _ configuration: Configuration, at premises: Premises, offeringReading offersReading: Bool = false,
        _ console: Console
    ) throws(Failure) {
        let books = try Books(of: configuration, telling: premises.say)
        let party = try OpenParty(
            configuration, lasting: true, keeping: books, offeringReading: offersReading, console)
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
            guard !listeners.isEmpty, let answer = party.answering(purpose) else { continue }
            let policy = Self.policy(for: purpose, of: configuration, at: premises)
            do throws(HostingFailure) {
                servers.append(
                    try Server(at: listeners, policy: policy, log: { books.note($0, at: purpose) }, answer: answer))
            } catch {
                throw .refused("\(error)")
            }
        }
        guard !servers.isEmpty else { throw .refused("there is no address to work at in '\(configuration.folder)'") }
        (self.party, self.servers, pause) = (party, servers, configuration.pause)
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

    /// Works until it is told to stop, and what has begun has ended; answers why it could not go on.
    func run() async -> Failure? {
        let duties = Task { [self] in
            await withDiscardingTaskGroup { group in
                for duty in party.duties {
                    group.addTask {
                        while !Task.isCancelled {
                            await duty()
                            try? await Task.sleep(for: self.pause)
                        }
                    }
                }
            }
        }
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
        await party.close()
        return failure
    }

    /// Takes no further connections, and lets what has begun end; told again, it ends at once (SYS-3).
    func stop() { for server in servers { server.stop() } }

    /// Reads the folder anew, all or nothing; answers why the old configuration stands (SYS-4).
    func reload() -> Failure? { party.reload() }
}

extension OpenParty {
    /// What answers at sockets for a purpose; `nil` where the party has no use for them.
    fileprivate func answering(_ purpose: Premises.Purpose) -> Server.Answering? {
        switch purpose {
        case .http, .scgi: return answer
        case .guarding:
            guard let guarding else { return nil }
            return { question, _ in await guarding(question) }
        case .operating: return { request, _ in await operate(request) }
        case .monitoring: return { request, _ in await vitalSigns(request) }
        }
    }
}

extension Configuration {
    /// The time between two rounds of what timers do: where everything is on one machine nobody has to be spared.
    fileprivate var pause: Duration { isLocal ? .seconds(1) : .seconds(5) }

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
