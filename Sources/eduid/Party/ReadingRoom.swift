import Federation
import JOSE
import TokenTree
import Wire

/// A small protocol behind the tokens of a service, for whoever tries a federation: `org.example.reading` lists what
/// somebody has to read.
struct ReadingRoom: Sendable {
    /// The protocol's name.
    static let protocolName = "org.example.reading"
    /// Where it lies below a service.
    static let link = "api/reading"

    private let base: WebURL

    /// The protocol of a service with this URL.
    init(_ base: WebURL) { self.base = base }

    /// Answers requests to the protocol, for those whose tokens allow it; `nil` for every other request.
    func answer<Store: AsyncTokenStore>(
        _ request: HTTP.Request, at host: PartyHost<FederationService, Store>
    ) async -> HTTP.Response? {
        let path = request.target.path
        guard path.spells("/\(Self.link)/list"),
            let url = try? WebURL(parsing: base.origin.text + path)
        else { return nil }
        guard let outcome = try? await host.access(for: request, to: url) else {
            return HTTP.Response(.serviceUnavailable)
        }
        switch outcome {
        case .refused(let response): return response
        case .granted(let access):
            guard request.method == .get else { return HTTP.Response(.methodNotAllowed) }
            let list: JSON = [
                "reader": access.profile["given_name"] ?? .string(access.subject.text),
                "app": access.app.map { .string($0.text) } ?? .null,
                "papers": .array(Self.papers.map { .string($0) }),
            ]
            var response = HTTP.Response(.ok, body: list.encoded() + [0x0a])
            try? response.fields.append(.contentType, "application/json")
            return response
        }
    }

    private static let papers = [
        "Diffie, Hellman: New Directions in Cryptography", "Saltzer, Schroeder: The Protection of Information",
        "Hardy: The Confused Deputy",
    ]
}
