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
        /// What has expired is renewed before. Where ``NAILState/Refusal/needsPerson`` says so, the person has to be
        /// asked again: ``ThirdPartyApp/authorize(_:single:)``.
        ///
        /// - Parameter claims: further claims of the token, where it is made for each request; a plain token ignores
        ///   them.
        public func request(
            _ method: HTTP.Request.Method, _ name: ProtocolName, _ path: String = "", body: [UInt8] = [],
            claims: JSON.Object = [:]
        ) async throws(NAILState.Refusal) -> HTTP.Request {
            try await signedRequest(method, name, path, body, claims).request
        }

        private func signedRequest(
            _ method: HTTP.Request.Method, _ name: ProtocolName, _ path: String, _ body: [UInt8], _ claims: JSON.Object
        ) async throws(NAILState.Refusal) -> (request: HTTP.Request, signing: NAILState.Signing?) {
            let route = Route(url.identity, name.text, path)
            if let refusal = await app.renewExpired(route) { throw refusal }
            let (endpoint, token, signing) = try await token(route, claims)
            var request = HTTP.Request(method, .absolute(endpoint), body: body)
            guard (try? request.fields.append(.authorization, "Bearer " + token)) != nil else { throw .unwritable }
            return (request, signing)
        }

        /// A token, unless the one there is could be renewed and was not: then nobody need be asked, only waited for.
        private func token(
            _ route: Route, _ claims: JSON.Object
        ) async throws(NAILState.Refusal) -> (WebURL, String, NAILState.Signing?) {
            do throws(NAILState.Refusal) { return try await app.signedToken(route, claims) } catch {
                let standing = try? standing(of: route.protocolName(), route.path.text)
                if case .expired(_, isRenewable: true)? = standing, error == .expired { throw .unavailable }
                throw error
            }
        }

        /// Carries one request through (NIF-9, NIF-12): when the service refuses the token it is renewed, and when that
        /// is refused the person is told, and is asked to authorize the app again.
        ///
        /// It ends: the request is sent three times at most, with a token of its own each time, once more where the
        /// service tells another time than the device's, and once more where that did not help; the person is asked
        /// once, also for all other requests that wait for the same authorization. Nothing but the status 401 counts as
        /// a refusal of the token; any other response is the caller's.
        ///
        /// - Parameters:
        ///   - send: sends a request to the service, once; `nil` if no response came.
        ///   - consent: tells the person that the authorization is over, and why, and answers whether the authorizing
        ///     app is to be asked.
        /// - Returns: the response, or `nil` if none came.
        public func response(
            to method: HTTP.Request.Method, _ name: ProtocolName, _ path: String = "", body: [UInt8] = [],
            claims: JSON.Object = [:], sending send: (HTTP.Request) async -> HTTP.Response?,
            askingAgain consent: @escaping @Sendable (_ refusal: NAILState.Refusal) async -> Bool
        ) async throws(NAILState.Refusal) -> HTTP.Response? {
            var (mayRenew, mayAsk, mayRepeat, mayForget) = (true, true, true, true)
            while true {
                do throws(NAILState.Refusal) {
                    let (request, signing) = try await signedRequest(method, name, path, body, claims)
                    let answer = await send(request)
                    let difference = app.hear(answer, to: signing)
                    guard answer?.status == .unauthorized else { return answer }
                    if let difference {
                        // The token is as good as before.
                        guard mayRepeat else { throw .stillRefused(ahead: difference) }
                        mayRepeat = false
                        continue
                    }
                    // In the device's own time this token was not tried yet.
                    if mayRepeat || !mayRenew, app.forgetUnproven(signing), mayForget {
                        mayForget = false
                        continue
                    }
                    guard mayRenew else {
                        _ = noteRefusal(of: request)
                        throw .refused
                    }
                    mayRenew = false
                    try await refused(request)
                } catch {
                    guard mayAsk, error.needsPerson else { throw error }
                    (mayRenew, mayAsk) = (false, false)
                    try await app.authorizeAgain(url, name, after: error, asking: consent)
                }
            }
        }

        /// Takes in that the service answered a request with an authorization error (NIF-9): the access token behind it
        /// is renewed, and no other.
        ///
        /// When this returns, a new request is worth a try. When it throws, the person has to be asked again, unless
        /// the service was merely ``NAILState/Refusal/unavailable``.
        public func refused(_ request: HTTP.Request) async throws(NAILState.Refusal) {
            for name in noteRefusal(of: request) {
                if let refusal = await app.renewExpired(Route(url.identity, name.text)) { throw refusal }
                switch try standing(of: name) {
                case .ended(let code): throw .ended(code)
                case .expired(_, isRenewable: false): throw .notRenewable
                case .expired(_, isRenewable: true): throw .unavailable
                case .valid: continue
                }
            }
        }

        /// Takes the access token behind a request for expired; gives the protocols that it opened.
        private func noteRefusal(of request: HTTP.Request) -> [ProtocolName] {
            let field = request.fields.value(of: .authorization).value ?? ""
            let token = String(field.dropFirst("Bearer ".count))
            let (service, now) = (url, app.device.now())
            return app.change { state in
                let names = state.protocols(at: service, openedBy: token, at: now)
                for name in names { state.noteRefusal(of: token, by: service.identity, name, at: now) }
                return names
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
