public import Federation
internal import OAuth2Grants
public import TokenTree
public import Wire

/// Says to a web server which requests to pages of its own it may answer, so that what stands behind it, a learning
/// platform or plain files, is open to the tokens of a federation.
///
/// For each request the web server asks first, as nginx does by `auth_request`: with 204 it goes on, and has who asks
/// in the fields of the answer (OPS-5); 401 and 403 it gives to the client (OPS-7). Only the web server may be able to
/// ask: it is believed about what was requested (OPS-6).
public struct Guard<Store: AsyncTokenStore>: Sendable {
    private let host: PartyHost<FederationService, Store>
    private let origin: WebURL

    /// Guards what lies at an origin.
    ///
    /// - Parameter origin: the service's own, whatever a request says about the host that it was made to.
    public init(_ host: PartyHost<FederationService, Store>, at origin: WebURL) {
        (self.host, self.origin) = (host, origin)
    }

    /// Answers the question about a request.
    ///
    /// - Parameter question: has the fields of the request that was made, and in `X-Original-Method` and
    ///   `X-Original-URI` its method and target; without these two, its own are meant.
    /// - Parameter failed: hears why the store failed.
    public func response(
        to question: HTTP.Request, failed: @Sendable (Store.Failure) -> Void = { _ in }
    ) async -> HTTP.Response {
        guard let (request, url) = meant(by: question) else { return HTTP.Response(.forbidden) }
        do {
            switch try await host.access(for: request, to: url) {
            case .granted(let access): return Self.permission(access)
            case .refused(var response):
                // Web servers give 401 and 403 to the client, and take everything else for a failure of their own.
                if response.status == .badRequest {
                    response.status = .unauthorized
                    try? response.fields.append(.wwwAuthenticate, #"Bearer error="invalid_request""#)
                }
                return response.withOneChallenge
            }
        } catch {
            failed(error)
            return .unavailable
        }
    }

    /// The request that the web server asks about; `nil` where it is said twice, or cannot be one.
    private func meant(by question: HTTP.Request) -> (HTTP.Request, WebURL)? {
        var request = question
        request.body = []
        switch question.fields.value(of: .originalMethod) {
        case .once(let text):
            guard let found = try? HTTP.Request.Method(parsing: text) else { return nil }
            request.method = found
        case .absent: break
        case .repeated: return nil
        }
        switch question.fields.value(of: .originalTarget) {
        case .once(let text):
            guard let found = try? HTTP.Request.Target(parsing: text) else { return nil }
            request.target = found
        case .absent: break
        case .repeated: return nil
        }
        return url(of: request.target).map { (request, $0) }
    }

    private func url(of target: HTTP.Request.Target) -> WebURL? {
        // What names a host names one that nobody has checked.
        guard case .origin(let path, let query) = target else { return nil }
        return try? WebURL(parsing: origin.origin.text + path + (query.map { "?" + $0 } ?? ""))
    }

    /// What the service behind the web server learns: names and scope as they are, attributes as JSON in Base64url, in
    /// which any letter fits into a field.
    private static func permission(_ access: Access) -> HTTP.Response {
        var response = HTTP.Response(.noContent)
        let told: [(HTTP.Field.Name, String?)] = [
            (.eduidSubject, access.subject.text), (.eduidApp, access.app?.text), (.eduidScope, access.scope.text),
            (.eduidAttributes, Base64URL.encode(JSON.object(access.profile).encoded())),
        ]
        for (name, value) in told {
            guard let value else { continue }
            // A name that fits into no field must not become another one.
            guard (try? response.fields.append(name, value)) != nil else { return HTTP.Response(.forbidden) }
        }
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }
}

extension HTTP.Response {
    /// The same with all challenges in one field, which says the same (RFC 9110 §11.6.1): of several, nginx before 1.23
    /// passes on the first alone.
    fileprivate var withOneChallenge: HTTP.Response {
        let challenges = fields.values(of: .wwwAuthenticate)
        guard challenges.count > 1 else { return self }
        var response = self
        response.fields = HTTP.Fields()
        for field in fields where field.name != .wwwAuthenticate { try? response.fields.append(field) }
        try? response.fields.append(.wwwAuthenticate, challenges.joined(separator: ", "))
        return response
    }
}
