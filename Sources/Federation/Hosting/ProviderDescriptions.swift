internal import JOSE
internal import OAuth2Grants
public import Wire

/// The descriptions of OpenID providers, read where they lie and kept between requests (OIC-10).
///
/// ``PartyHost`` has them. A host of another kind keeps one value, and asks it first about every request to another
/// service (``Lookup/answer(_:)``).
public struct ProviderDescriptions: Sendable {
    private var kept: [WebURL: Entry] = [:]

    private struct Entry: Sendable {
        /// The description that was read last.
        var response: HTTP.Response?
        var read: Timestamp?
        var attempted: Timestamp
        var isPending = true
    }

    /// How long a description serves before it is read anew.
    static let lifetime: Duration = .seconds(3_600)
    /// How long it serves while it cannot be.
    static let staleIfError: Duration = .seconds(86_400)
    /// How long nobody is asked who just did not answer.
    static let cooldown: Duration = .seconds(60)

    /// Nothing has been read.
    public init() {}

    /// What to do about a request to another service.
    public enum Step: Sendable, Equatable {
        /// It asks for no description: send it, and give the answer to whoever asked.
        case pass
        /// Send it, and call ``take(_:for:at:)`` with what comes.
        case send
        /// Answer it so; `nil` for no answer.
        case serve(HTTP.Response?)
    }

    /// What to do about a request to another service.
    public mutating func step(for request: HTTP.Request, at now: Timestamp) -> Step {
        guard let url = Self.place(of: request) else { return .pass }
        guard let entry = kept[url] else {
            // More providers than anybody has; their descriptions are then read each time.
            guard kept.count < 64 else { return .pass }
            kept[url] = Entry(attempted: now)
            return .send
        }
        // A clock that was set back makes nothing younger.
        let age = entry.read.map { now - $0 }
        if let age, .zero <= age, age < Self.lifetime { return .serve(entry.response) }
        let serves = age.map { .zero <= $0 && $0 < Self.lifetime + Self.staleIfError } ?? false
        let isCooling = entry.attempted <= now && now < entry.attempted + Self.cooldown
        // Whoever comes while nothing was ever read asks by himself rather than go away.
        if isCooling, serves || !entry.isPending { return .serve(serves ? entry.response : nil) }
        kept[url]?.attempted = now
        kept[url]?.isPending = true
        return .send
    }

    /// Takes what came for a request that was to be sent, and says what to answer: anything but a description leaves
    /// what is there.
    public mutating func take(
        _ response: HTTP.Response?, for request: HTTP.Request, at now: Timestamp
    ) -> HTTP.Response? {
        guard let url = Self.place(of: request), var entry = kept[url] else { return response }
        entry.isPending = false
        if let response, Self.describes(response, url) {
            entry.response = response
            entry.read = now
        }
        kept[url] = entry
        guard let read = entry.read, now - read < Self.lifetime + Self.staleIfError else { return response }
        return entry.response
    }

    /// Where a request asks for a description; `nil` if it asks for something else.
    private static func place(of request: HTTP.Request) -> WebURL? {
        guard request.method == .get, case .absolute(let url) = request.target,
            url.path.utf8.reversed().starts(with: "/.well-known/openid-configuration".utf8.reversed())
        else { return nil }
        return url
    }

    /// Whether an answer describes a provider whose description lies there.
    private static func describes(_ response: HTTP.Response, _ place: WebURL) -> Bool {
        guard response.body.count <= 65_536, let name = try? JSON(parsing: response.body)["issuer"]?.string,
            let issuer = try? Issuer(parsing: name),
            (try? OpenID.ProviderDescription(of: issuer, parsing: response)) != nil
        else { return false }
        return (try? OpenID.ProviderDescription.location(of: issuer)) == place
    }
}
