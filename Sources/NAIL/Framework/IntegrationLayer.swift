internal import OAuth2Grants
internal import RSD2
internal import Synchronization
public import Wire

/// The Native Application Integration Layer's framework interface: a ``ThirdPartyApp`` under the source's own names,
/// for apps that know them from other platforms.
///
/// An app connects the ``shared`` object once, asks for authorization with ``authorizeProtocols(_:_:)``, and then takes
/// the URL and the token for each of its requests from here.
///
/// The object may be used from any thread. What the calls give is described where they stand; where they have nothing
/// to give, it is the empty string, as the source has it, and the device's `notice` hears why. A service goes by its
/// identity, its normalized home page URL; where a display name belongs to one service alone, that will do as well.
public final class IntegrationLayer: Sendable {
    /// The object that the app shares (NAI-1).
    public static let shared = IntegrationLayer()

    private let connected: Mutex<ThirdPartyApp?>

    /// An object of its own, for tests and for programs that act for several apps.
    public init(_ app: ThirdPartyApp? = nil) { connected = Mutex(app) }

    /// Connects the object to an app; without that it asks nobody and holds nothing.
    public func connect(to app: ThirdPartyApp) { connected.withLock { $0 = app } }

    /// The same services with types, and with refusals in the place of empty strings.
    public var app: ThirdPartyApp? { connected.withLock { $0 } }

    /// The answer of a call, or the empty string and a notice.
    private func answer(_ body: (ThirdPartyApp) throws(NAILState.Refusal) -> String) -> String {
        guard let app else { return "" }
        do throws(NAILState.Refusal) { return try body(app) } catch {
            app.notice(.refused(error))
            return ""
        }
    }
}

// MARK: - Authorization

extension IntegrationLayer {
    /// Asks the authorizing app for services that offer all of these protocols, and for one alone where that is wished
    /// for (NAI-1).
    ///
    /// It returns when the answer is in the state, and without a value: ``serviceNames()`` tells what there is now. The
    /// wish need not be heeded, and every service that is granted is taken (NAI-10).
    public func authorizeProtocols(_ protocolList: [String], _ singleton: Bool = false) async {
        guard let app else { return }
        do throws(NAILState.Refusal) {
            var names: [ProtocolName] = []
            for text in protocolList { names.append(try ThirdPartyApp.Route("", text).protocolName()) }
            try await app.authorize(names, single: singleton)
        } catch {
            app.notice(.refused(error))
        }
    }

    /// Revokes what opens a service, at the service, and forgets the service here (NAI-7): a logout for this app.
    ///
    /// Answers whether the service confirmed all of it. The service is forgotten in any case.
    public func revokeToken(_ serviceName: String) async -> Bool { await app?.revoke(serviceName) ?? false }
}

// MARK: - Services

extension IntegrationLayer {
    /// The services of all authorizations so far, sorted; none at first (NAI-2).
    public func serviceNames() -> [String] { app?.state.serviceNames.map { $0.identity } ?? [] }

    /// The name of a service for people (NAI-4), or the empty string for a service that is not there.
    public func getDisplayName(_ serviceName: String) -> String {
        answer { app throws(NAILState.Refusal) in try app.state.displayName(of: serviceName) }
    }

    /// The URL of a service's home page (NAI-4), or the empty string for a service that is not there.
    public func getServiceUrl(_ serviceName: String) -> String {
        answer { app throws(NAILState.Refusal) in try app.state.url(of: serviceName).url.text }
    }

    /// The absolute URL of a protocol, or of a path below it (NAI-5), or the empty string if it was not granted or has
    /// none.
    public func getEndpointUrl(_ serviceName: String, _ protocolName: String, _ endpointPath: String = "") -> String {
        answer { app throws(NAILState.Refusal) in
            let name = try ThirdPartyApp.Route(serviceName, protocolName).protocolName()
            return try app.state.endpoint(of: serviceName, name, path: endpointPath).text
        }
    }

    /// Forgets a service (NAI-8); its tokens stay valid at the service until they expire or are revoked.
    public func removeService(_ serviceName: String) {
        _ = app?.change { state in state.remove(serviceName) }
    }

    /// Forgets all services (NAI-8).
    public func clearAllServices() {
        app?.change { state in state.removeAll() }
    }
}

// MARK: - Tokens

extension IntegrationLayer {
    /// A token for requests to a protocol's endpoint, or to a path below it; the empty string when it has expired or
    /// there is none (NAI-6).
    ///
    /// Ask anew for every request. This form answers at once and asks nobody, not even a key that lies elsewhere; where
    /// waiting is possible, its `async` twin renews first, and signs with any key.
    ///
    /// - Parameter claims: further claims, where the token is made for each request; a plain token ignores them. Those
    ///   that say who asks whom and when are not the caller's to set, and are left out (threat 50).
    public func getServiceToken(
        _ serviceName: String, _ protocolName: String, _ endpointPath: String = "", _ claims: JSON.Object = [:]
    ) -> String {
        token(ThirdPartyApp.Route(serviceName, protocolName, endpointPath), claims)
    }

    /// A token with further claims for a protocol's endpoint, or the empty string (NAI-6).
    public func getServiceToken(_ serviceName: String, _ protocolName: String, _ claims: JSON.Object) -> String {
        token(ThirdPartyApp.Route(serviceName, protocolName), claims)
    }

    /// A token for requests to a protocol's endpoint, or to a path below it, renewed before where it had expired
    /// (NAI-6, NIF-9).
    ///
    /// However many ask at once, one renewal is sent. The empty string says that the user has to authorize the app
    /// anew, or that the service could not be reached; ``standing(_:_:_:)`` tells which.
    public func getServiceToken(
        _ serviceName: String, _ protocolName: String, _ endpointPath: String = "", _ claims: JSON.Object = [:]
    ) async -> String {
        await renewedToken(ThirdPartyApp.Route(serviceName, protocolName, endpointPath), claims)
    }

    /// A token with further claims for a protocol's endpoint, renewed before where it had expired.
    public func getServiceToken(_ serviceName: String, _ protocolName: String, _ claims: JSON.Object) async -> String {
        await renewedToken(ThirdPartyApp.Route(serviceName, protocolName), claims)
    }

    private func renewedToken(_ route: ThirdPartyApp.Route, _ claims: JSON.Object) async -> String {
        guard let app else { return "" }
        do throws(NAILState.Refusal) {
            if let refusal = await app.renewExpired(route) { throw refusal }
            return try await app.signedToken(route, permitted(claims)).token
        } catch {
            app.notice(.refused(error))
            return ""
        }
    }

    private func token(_ route: ThirdPartyApp.Route, _ claims: JSON.Object) -> String {
        answer { app throws(NAILState.Refusal) in try app.token(route, permitted(claims)).token }
    }

    /// Without the claims that are not the caller's to set.
    private func permitted(_ claims: JSON.Object) -> JSON.Object {
        let reserved = RequestToken.reservedClaims
        guard claims.contains(where: { reserved.contains($0.name) }) else { return claims }
        return JSON.Object(claims.filter { !reserved.contains($0.name) }.map { ($0.name, $0.value) })
    }

    /// Notes that a service answered a request that carried this token with an authorization error (NIF-9).
    ///
    /// The access token behind it is taken for expired, and no other. The next `async` call of `getServiceToken` renews
    /// it, where it can be.
    public func noteRefusal(
        of token: String, _ serviceName: String, _ protocolName: String, _ endpointPath: String = ""
    ) {
        guard let app, let name = try? ProtocolName(parsing: protocolName) else { return }
        let now = app.device.now()
        _ = app.change { state in state.noteRefusal(of: token, by: serviceName, name, path: endpointPath, at: now) }
    }

    /// How it stands with an authorization, and why (NIF-12); `nil` if there is none.
    public func standing(
        _ serviceName: String, _ protocolName: String, _ endpointPath: String = ""
    ) -> NAILState.Standing? {
        guard let app, let name = try? ProtocolName(parsing: protocolName) else { return nil }
        return try? app.state.standing(of: serviceName, name, path: endpointPath, at: app.device.now())
    }
}

// MARK: - Persistence

extension IntegrationLayer {
    /// The whole state as a text (NAI-3), sealed where the device has a seal; it holds tokens and keys.
    public func serialize() -> String { app?.serialize() ?? NAILState().serialized() }

    /// Has the device store the state, unless it has, and answers whether all that was done before this call is kept.
    ///
    /// ``removeService(_:)``, ``clearAllServices()``, ``noteRefusal(of:_:_:_:)`` and ``parse(_:)`` answer at once, and
    /// are kept when this call says so. What brings new tokens is kept before it returns.
    @discardableResult
    public func keep() async -> Bool { await app?.keep() ?? false }

    /// Takes a state back from the text that ``serialize()`` gave, in the place of the present one (NAI-3).
    ///
    /// A text that was changed is refused, and the present state stays (threat 49); a damaged service is lost alone.
    public func parse(_ nailSerialization: String) throws(NAILState.Rejection) {
        guard let app else {
            _ = try NAILState(parsing: nailSerialization)
            return
        }
        try app.parse(nailSerialization)
    }
}
