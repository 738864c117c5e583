public import RSD2
public import Wire

extension ThirdPartyApp {
    /// A service that an app was authorized for.
    public struct Service: Sendable, CustomStringConvertible {
        /// The URL by which the service is known.
        public let url: ServiceURL
        private let app: ThirdPartyApp

        init(_ app: ThirdPartyApp, _ url: ServiceURL) {
            self.app = app
            self.url = url
        }

        /// The name of the service for people.
        public var name: String { (try? app.state.displayName(of: url.identity)) ?? url.url.host.text }

        /// The name and the URL.
        public var description: String { "\(name) <\(url)>" }

        /// A request to a protocol of the service, or to a path below it: the URL, and the token with the proof of
        /// possession where there is one, made for this request alone.
        ///
        /// What has expired is renewed before. A refusal that is over or not renewable says that the person has to be
        /// asked again, with ``ThirdPartyApp/authorize(_:single:)``.
        ///
        /// - Parameter claims: further claims of the token, where it is made for each request; a plain token ignores
        ///   them.
        public func request(
            _ method: HTTP.Request.Method, _ name: ProtocolName, _ path: String = "", body: [UInt8] = [],
            claims: JSON.Object = [:]
        ) async throws(NAILState.Refusal) -> HTTP.Request {
            let route = Route(url.identity, name.text, path)
            await app.renewExpired(route)
            let (endpoint, token) = try app.token(route, claims)
            var request = HTTP.Request(method, .absolute(endpoint), body: body)
            guard (try? request.fields.append(.authorization, "Bearer " + token)) != nil else { throw .unwritable }
            return request
        }

        /// Takes in that the service answered a request with an authorization error (NIF-9): the access token behind it
        /// is renewed, and no other.
        ///
        /// When this returns, a new request is worth a try. When it throws, the person has to be asked again, unless
        /// the service was merely ``NAILState/Refusal/unavailable``.
        public func refused(_ request: HTTP.Request) async throws(NAILState.Refusal) {
            let field = request.fields.value(of: .authorization).value ?? ""
            let token = String(field.dropFirst("Bearer ".count))
            let service = url
            for name in app.state.protocols(at: service, openedBy: token) {
                _ = app.change { state in state.noteRefusal(of: token, by: service.identity, name) }
                await app.renewExpired(Route(service.identity, name.text))
                switch try standing(of: name) {
                case .ended(let code): throw .ended(code)
                case .expired(_, isRenewable: false): throw .notRenewable
                case .expired(_, isRenewable: true): throw .unavailable
                case .valid: continue
                }
            }
        }

        /// How it stands with the authorization for a protocol, and why (NIF-12).
        public func standing(of name: ProtocolName, _ path: String = "") throws(NAILState.Refusal)
            -> NAILState.Standing
        {
            try app.state.standing(of: url.identity, name, path: path, at: app.device.now())
        }

        /// Revokes what opens the service, at the service, and forgets it here (NAI-7); answers whether the service
        /// confirmed all of it.
        public func revoke() async -> Bool { await app.revoke(url.identity) }
    }
}
