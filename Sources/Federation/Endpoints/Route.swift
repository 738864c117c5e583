internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// One endpoint of a party, as its users see it: where it is, what it takes, which tokens open it, and who answers.
///
/// The tables ``EduIDService/routes`` and ``FederationService/routes`` are the whole wire surface of each party.
struct Route<Service>: Sendable {
    /// Reads a request, and says how to decide on it.
    typealias Handler = @Sendable (Service) -> (Call) throws(Refusal) -> Procedure
    typealias Procedure = Exchange<HTTP.Response>.Procedure

    /// Where an endpoint is: a literal is the path to it.
    enum Location: Sendable, ExpressibleByStringLiteral {
        /// Below the issuer identifier; a `*` stands for one part of the path that is not empty.
        case path([Substring])
        /// At a URL that follows from something else.
        case url(@Sendable (Service) -> WebURL?)
        /// Below such a URL, by the same rules as below the issuer identifier.
        case below(@Sendable (Service) -> WebURL, [Substring])

        init(stringLiteral path: String) { self = .path(Route.parts(path[...])) }
    }

    let location: Location
    let methods: [HTTP.Request.Method]
    /// The kinds of token that open it; none if it is open to everybody, or asks for something else.
    let kinds: [Record.Kind]
    /// How it refuses.
    let place: OAuth2Error.Place
    /// The name under which the metadata tell it.
    let name: ServerDescription.Endpoint?
    /// Whether browsers come to it, and people read how it refuses.
    fileprivate let isForBrowsers: Bool
    fileprivate let isServed: @Sendable (Service) -> Bool
    fileprivate let handler: Handler

    init(
        _ location: Location, _ methods: HTTP.Request.Method..., for kinds: [Record.Kind] = [],
        at place: OAuth2Error.Place = .authorizationServer, as name: ServerDescription.Endpoint? = nil,
        isForBrowsers: Bool = false,
        if isServed: @escaping @Sendable (Service) -> Bool = { _ in true }, by handler: @escaping Handler
    ) {
        self.location = location
        self.methods = methods
        self.kinds = kinds
        self.place = place
        self.name = name
        self.isForBrowsers = isForBrowsers
        self.isServed = isServed
        self.handler = handler
    }

    static func parts(_ path: Substring) -> [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }
}

/// A request that has found its endpoint.
struct Call: Sendable {
    let request: HTTP.Request
    /// The endpoint's URL, which proofs must name.
    let url: WebURL
    /// Which endpoint it is, as its party's table has it.
    let pattern: String
    /// What stands in the places of the `*`, decoded.
    let parameters: [String]
    let kinds: [Record.Kind]
    let place: OAuth2Error.Place
    /// Whether a browser asks, by its endpoint.
    let isBrowsers: Bool
    /// Whether the host has made sure that an administrator asks.
    let isAdministrators: Bool
    let now: Timestamp

    /// Whether a browser begins a sign-in with it.
    var isArrival: Bool { pattern.utf8.elementsEqual("authorize".utf8) && BrowserArrival.isMade(by: request) }

    /// What stands in the place of the first `*`.
    var parameter: String { parameters.first ?? "" }

    /// What the endpoint demands of whoever asks; of the kinds of token that open it perhaps only some.
    func demand(
        _ kinds: Record.Kind..., evenExpired: Bool = false, evenEnded: Bool = false, evenUnconfirmed: Bool = false
    ) -> Demand {
        Demand(
            kinds: kinds.isEmpty ? self.kinds : kinds, url: url, method: request.method, place: place,
            acceptsExpiredAccess: evenExpired, acceptsEndedGrant: evenEnded, acceptsUnconfirmed: evenUnconfirmed)
    }
}

/// A party whose endpoints stand in a table.
protocol RoutedParty: Sendable {
    var authority: Authority { get }
    static var routes: [Route<Self>] { get }
    /// What is demanded of proofs of possession.
    var proof: Possession.Policy { get }
    /// How it refuses a call.
    func refuser(for call: Call) -> Refuser<HTTP.Response>
}

extension RoutedParty {
    func refuser(for call: Call) -> Refuser<HTTP.Response> {
        Refuser(at: call.place, under: proof)
    }

    /// Begins to answer a request at the endpoint that it matches; `nil` if there is none.
    func routed(
        _ request: HTTP.Request, isAdministrators: Bool = false, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response>? {
        lazy var parts = request.parts(below: authority.base)
        var allowed: [HTTP.Request.Method] = []
        for route in Self.routes {
            guard let match = route.matches(request, self, parts) else { continue }
            guard route.methods.contains(request.method) else {
                allowed += route.methods
                continue
            }
            let call = Call(
                request: request, url: match.url, pattern: route.pattern, parameters: match.parameters,
                kinds: route.kinds, place: route.place, isBrowsers: route.isForBrowsers,
                isAdministrators: isAdministrators, now: now)
            return Exchange(refuser(for: call), at: now, chance: Chance(using: &entropy)) { () throws(Refusal) in
                try route.handler(self)(call)
            }.at(route.pattern)
        }
        return allowed.isEmpty ? nil : .fixed(.notAllowed(but: allowed), at: now)
    }

    /// The same, with 404 for a request that matches no endpoint.
    func answered(_ request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator)
        -> Exchange<HTTP.Response>
    {
        routed(request, at: now, using: &entropy) ?? .fixed(HTTP.Response(.notFound), at: now)
    }

    /// Begins what somebody wants whom the host has let in as an administrator: at the endpoints below one place, and
    /// nowhere else.
    ///
    /// - Parameter place: where these endpoints are; the request names them from there on, as `/users`.
    func administered(
        _ request: HTTP.Request, below place: WebURL, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        var request = request
        let root = place.text.utf8.last == UInt8(ascii: "/") ? String(place.text.dropLast()) : place.text
        guard case .origin(let path, let query) = request.target,
            let url = try? WebURL(parsing: root + (path.spells("/") ? "" : path) + (query.map { "?" + $0 } ?? ""))
        else { return .fixed(HTTP.Response(.notFound), at: now) }
        request.target = .absolute(url)
        return routed(request, isAdministrators: true, at: now, using: &entropy)
            ?? .fixed(HTTP.Response(.notFound), at: now)
    }

    /// The endpoint for what everybody may read, with its body or, for `HEAD`, without.
    static func publication(_ publish: @escaping @Sendable (Self) -> HTTP.Response?) -> Route<Self>.Handler {
        { party in
            { call throws(Refusal) in
                guard let published = publish(party) else { throw .failed }
                return { _ in
                    Answer(call.request.method == .head ? .init(published.status, fields: published.fields) : published)
                }
            }
        }
    }

    /// Where the endpoints are, once each: paths below the issuer identifier, paths below another URL, or a URL.
    var places: [String] {
        Self.routes.compactMap { route in
            switch route.location {
            case .path(let words), .below(_, let words): words.joined(separator: "/")
            case .url(let locate): locate(self)?.text
            }
        }.distinct
    }

    /// The endpoints that the metadata tell.
    var publishedEndpoints: [ServerDescription.Endpoint: WebURL] {
        var endpoints: [ServerDescription.Endpoint: WebURL] = [:]
        for route in Self.routes where route.isServed(self) {
            if let name = route.name { endpoints[name] = route.url(of: self) }
        }
        return endpoints
    }
}

extension Route where Service: RoutedParty {
    /// The URL of the endpoint and what stands for each `*`, if the request is for it.
    fileprivate func matches(
        _ request: HTTP.Request, _ service: Service, _ parts: @autoclosure () -> [Substring]?
    ) -> (url: WebURL, parameters: [String])? {
        switch location {
        case .url(let locate):
            guard let url = locate(service), request.isFor(url) else { return nil }
            return (url, [])
        case .path(let words): return matches(words, parts(), below: service.authority.base, service)
        case .below(let locate, let words):
            let base = locate(service)
            return matches(words, request.parts(below: base), below: base, service)
        }
    }

    private func matches(
        _ words: [Substring], _ parts: [Substring]?, below base: WebURL, _ service: Service
    ) -> (url: WebURL, parameters: [String])? {
        guard let parts, parts.count == words.count, isServed(service) else { return nil }
        var parameters: [String] = []
        for (part, word) in zip(parts, words) where !part.utf8.elementsEqual(word.utf8) || word == "*" {
            // What is no text names nobody (threat 65).
            guard word == "*", !part.isEmpty, let bytes = try? PercentEncoding.decode(part.utf8),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            parameters.append(text)
        }
        return (base.joining(parts.joined(separator: "/")), parameters)
    }

    /// What the endpoint is called: its path, or the name under which the metadata tell it.
    fileprivate var pattern: String {
        switch location {
        case .path(let words), .below(_, let words): words.joined(separator: "/")
        case .url: name?.rawValue ?? "description"
        }
    }

    fileprivate func url(of service: Service) -> WebURL? {
        switch location {
        case .url(let locate): locate(service)
        case .path(let words): service.authority.endpoint(words.joined(separator: "/"))
        case .below(let locate, let words): locate(service).joining(words.joined(separator: "/"))
        }
    }
}

extension Exchange<HTTP.Response> {
    /// An exchange that needs nothing and changes nothing.
    static func fixed(_ response: HTTP.Response, at now: Timestamp) -> Self {
        Exchange(Refuser(at: .authorizationServer, under: Possession.Policy()), at: now, chance: .unused) {
            { _ in Answer(response) }
        }
    }
}

extension WebURL {
    /// A URL below one without query; fixed words, and parts of a URL that was taken, leave it valid.
    fileprivate func joining(_ path: String) -> WebURL { (try? appending(path)) ?? self }
}

extension HTTP.Request {
    /// The parts of the path below a base, percent signs and all; `nil` if the request is for another place.
    fileprivate func parts(below base: WebURL) -> [Substring]? {
        if case .absolute(let url) = target, url.origin != base.origin { return nil }
        let root = base.path.utf8.last == UInt8(ascii: "/") ? base.path : base.path + "/"
        guard target.path.utf8.starts(with: root.utf8) else { return nil }
        return Route<Self>.parts(target.path.dropFirst(root.count))
    }

    /// Whether the request is for a URL, whose host a request in origin form leaves to the server that received it.
    func isFor(_ url: WebURL) -> Bool {
        if case .absolute(let target) = self.target, target.origin != url.origin { return false }
        return target.path.utf8.elementsEqual(url.path.utf8)
    }
}

// MARK: - Answers

extension HTTP.Response {
    /// The path is right, and the method is not.
    static func notAllowed(but methods: [HTTP.Request.Method]) -> HTTP.Response {
        var response = HTTP.Response(.methodNotAllowed)
        let allowed = methods.map { $0.text }.joined(separator: ", ")
        if let name = try? HTTP.Field.Name(parsing: "Allow") { try? response.fields.append(name, allowed) }
        return response
    }

    /// A JSON text for the one who asked, which nobody else may keep.
    static func json(_ body: [UInt8]) -> HTTP.Response {
        document(body, as: HTTP.MediaType.json.text, caching: "no-store")
    }

    /// A public document.
    static func published(_ body: [UInt8], as type: String = HTTP.MediaType.json.text) -> HTTP.Response {
        document(body, as: type, caching: "max-age=3600")
    }

    /// A key set, which is read again soon: a key that is withdrawn is good for nobody any longer than that (threat
    /// 76).
    static func published(_ keys: JWKSet) -> HTTP.Response {
        document(keys.encoded(), as: HTTP.MediaType.json.text, caching: "max-age=300")
    }

    private static func document(_ body: [UInt8], as type: String, caching: String) -> HTTP.Response {
        var response = HTTP.Response(.ok, body: body)
        // Fixed words keep the rules of fields.
        try? response.fields.append(.contentType, type)
        try? response.fields.append(.cacheControl, caching)
        return response
    }
}
