import Federation
import FederationTesting
import Foundation
import Hosting
import JOSE
import OAuth2Grants
import Synchronization
import Wire

/// The provider of a trial, whose people say who they are by a click.
final class ProviderDesk: Sendable {
    private let provider: Mutex<SimulatedProvider>

    init(_ provider: SimulatedProvider) { self.provider = Mutex(provider) }

    func answer(to request: HTTP.Request) -> HTTP.Response {
        provider.withLock { provider in
            var entropy = SystemRandomNumberGenerator()
            return provider.answer(to: request, at: systemTime(), using: &entropy)
        }
    }
}

extension Trial {
    private static let client = "eduid"

    /// What the edu-ID service is told of the provider beside it.
    func provider() throws(Failure) -> ProviderSettings {
        try Failure.refusing(
            "the trial",
            ProviderSettings(
                at: try Issuer(parsing: "http://localhost:\(port + 3)"), as: try ClientID(parsing: Self.client),
                signingBy: [.edDSA]))
    }

    /// Serves the provider for as long as the process runs.
    func openProvider(_ console: inout Console) throws(Failure) {
        let settings = try provider()
        var provider: SimulatedProvider
        do {
            let home = try WebURL(parsing: "http://localhost:\(port)")
            provider = try SimulatedProvider(
                settings.issuer, client: ClientID(parsing: Self.client),
                answeredAt: WebURL(parsing: settings.places(below: home).callback), using: &console.entropy)
        } catch {
            throw .refused("the provider: \(error)")
        }
        provider.people = Self.people.map { name, given, family in
            SimulatedProvider.Person(
                name,
                claims: [
                    "name": .string("\(given) \(family)"), "given_name": .string(given),
                    "email": .string("\(name)@example.ch"),
                ])
        }
        let desk = ProviderDesk(provider)
        let server = try Failure.refusing(
            "the provider",
            try Server(at: Listener.listen(at: .loopback(port + 3))) { request, _ in desk.answer(to: request) })
        Task { try? await server.run() }
    }
}
