import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Wire

/// A place that two processes write, as a file under a lock is: what is kept is a text.
final class SharedPlace: Sendable {
    private struct Content {
        var text: String?
        var isFull = false
        var writes = 0
    }

    private let content = Mutex(Content())
    let federation: Mutex<Parties>

    init(_ parties: Parties) { federation = Mutex(parties) }

    var writes: Int { content.withLock { $0.writes } }

    /// Whether nothing can be written for now.
    func fill(_ isFull: Bool) { content.withLock { $0.isFull = isFull } }

    func kept() -> AuthorizingApp.Store? {
        content.withLock { $0.text }.flatMap { try? AuthorizingApp.Store(parsing: $0, opening: AppSample.seal) }
    }

    private func write(_ store: AuthorizingApp.Store, over revision: UInt64) -> Bool {
        content.withLock { content in
            let kept = content.text.flatMap { try? AuthorizingApp.Store(parsing: $0, opening: AppSample.seal) }
            guard !content.isFull, kept?.revision ?? 0 == revision else { return false }
            content.text = store.serialized(sealing: AppSample.seal)
            content.writes += 1
            return true
        }
    }

    /// What a process is given.
    ///
    /// - Parameter meanwhile: what happens while an answer is on its way.
    func host(
        meanwhile: @escaping @Sendable (HTTP.Request) async -> Void = { _ in }
    ) -> AuthorizingApp.Host {
        AuthorizingApp.Host(
            send: { request in
                let response = self.federation.withLock { $0.federation.send(request) }
                await meanwhile(request)
                return response
            },
            in: AuthorizingApp.Keeper(read: { self.kept() }, write: { self.write($0, over: $1) }),
            now: { self.federation.withLock { $0.federation.now } },
            entropy: { self.federation.withLock { $0.federation.entropy.next() } })
    }

    func session() -> AuthorizingApp.Session {
        federation.withLock { parties in
            AuthorizingApp.Session(parties.session.installation, with: parties.session.eduID, store: kept() ?? .init())
        }
    }

    func app(meanwhile: @escaping @Sendable (HTTP.Request) async -> Void = { _ in }) -> AuthorizingApp {
        AuthorizingApp(session(), on: host(meanwhile: meanwhile))
    }

    func part(meanwhile: @escaping @Sendable (HTTP.Request) async -> Void = { _ in }) -> AuthorizingExtension {
        AuthorizingExtension(session(), on: host(meanwhile: meanwhile))
    }

    /// An app's request, and what is chosen for it.
    func request(
        for homes: [ServiceURL]
    ) async throws -> (ProtocolRequest.Checked, AuthorizationMode.Choice) {
        let (signed, registry) = try signedRequest()
        let checked = try await part().check(signed, against: registry)
        var mode = AuthorizationMode(for: checked.request, isSignedIn: true)
        try mode.note(.found(session().knownChoices(for: checked.request)))
        if case .selection(let selection) = mode.screen {
            for candidate in selection.candidates
            where homes.contains(candidate.service) != selection.picked.contains(candidate.service) {
                let isWanted = homes.contains(candidate.service)
                try mode.take(isWanted ? .pick(candidate.service) : .unpick(candidate.service))
            }
        }
        guard case .finish(.accepted(let choice)) = try mode.take(.accept) else { throw SimulationError() }
        return (checked, choice)
    }

    func signedRequest() throws -> (ProtocolRequest, [BundleID: JWKSet]) {
        try federation.withLock { parties in
            let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: parties.federation.entropy.bytes(32))
            let key = JWK(pair.publicKey, attributes: JWK.Attributes(id: "reader-1"))
            let request = try ProtocolRequest(
                from: "reader", of: "com.example.reader", named: "Reader",
                for: [ProtocolName(parsing: Parties.protocolName)]
            ).signed(
                with: SigningKey(pair, id: "reader-1"), at: parties.federation.now,
                using: &parties.federation.entropy)
            return (request, ["com.example.reader" as BundleID: JWKSet([key])])
        }
    }
}
