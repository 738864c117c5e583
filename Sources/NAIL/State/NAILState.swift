internal import OAuth2Grants
public import RSD2
public import Wire

/// What an app holds: the services that were authorized for it, where their protocols are served, and the tokens that
/// open them.
///
/// A value without lock, clock and network: it answers questions, and says what to send. ``IntegrationLayer`` is the
/// shared object around one such value, for apps that need no more than the source's own calls.
public struct NAILState: Sendable {
    /// The services by their identities.
    var services: [JSON.Name: Service] = [:]
    /// The renewals that were begun and not yet settled; not part of what is serialized.
    var underWay: Set<Renewal.Key> = []
    /// How far the clocks of services are from the device's; not part of what is serialized.
    var clocks: [WebURL.Origin: Clock] = [:]
    /// Where services may be that renew and revoke; not part of what is serialized.
    public var destinations = Destinations.worldwide

    /// The state of an app that was authorized for nothing.
    public init() {}

    /// The most grants that a state holds, so that what it serializes can be read again.
    package static let grantLimit = 256

    /// A service, and what was granted there by one response after the other.
    struct Service: Sendable {
        let url: ServiceURL
        /// The latest first; no two of them are for the same protocol.
        var grants: [Grant]

        /// The name that people know the service by, or its host if it has none.
        var displayName: String {
            let names = grants.lazy.compactMap { $0.description.engineName }.filter { !$0.isEmpty }
            return names.first ?? url.url.host.text
        }

        /// The place of the grant for a protocol; any serves for `org.ietf.oauth2`, which comes with each.
        func position(of name: ProtocolName) throws(Refusal) -> Int {
            let asked = grants.firstIndex { $0.requested.contains(name) }
            guard let position = asked ?? (name.isOAuth2 ? grants.firstIndex { $0.description.offers(name) } : nil)
            else {
                throw .notGranted(name)
            }
            return position
        }

        /// The grant for a protocol.
        func grant(for name: ProtocolName) throws(Refusal) -> Grant { grants[try position(of: name)] }
    }

    /// What one response granted at one service, as far as no later one replaced it.
    struct Grant: Sendable {
        /// The app that asked, which is the issuer of its request tokens (APP-8).
        let app: BundleID
        /// The protocols that were asked for and are still served by this grant.
        var requested: [ProtocolName]
        /// The document without authorizations.
        var description: ServiceDescription
        /// The key that the app's request brought along.
        let key: DeviceKey?
        /// The authorizations by the protocol at which they stand, `nil` for the one at the service.
        ///
        /// Each is independent of the others, and one at a protocol wins there (NIF-8).
        var authorizations: [ProtocolName?: Authorization]

        /// Where the authorization for a protocol stands.
        func place(of name: ProtocolName) -> ProtocolName? { authorizations[name] == nil ? nil : name }

        /// All authorizations in an order that does not change.
        var sorted: [(place: ProtocolName?, authorization: Authorization)] {
            authorizations.map { (place: $0.key, authorization: $0.value) }
                .sorted { one, other in
                    guard let left = one.place, let right = other.place else { return one.place == nil }
                    return left < right
                }
        }

        /// The protocol whose link answers for a path: the one that is named `name.path`, where there is one.
        func answering(_ name: ProtocolName, path: String?) -> ProtocolName {
            guard let path, !path.isEmpty, let whole = try? ProtocolName(parsing: name.text + "." + path),
                description.offers(whole)
            else {
                return name
            }
            return whole
        }
    }
}

// MARK: - Services

extension NAILState {
    /// The services of all grants so far, by their identities, sorted (NAI-2).
    public var serviceNames: [ServiceURL] { services.values.map { $0.url }.sorted() }

    /// Finds a service by its identity: its normalized home page URL, in any spelling of it.
    ///
    /// As a convenience a display name will do, where one service alone has it. What reads as a URL is never taken for
    /// a display name, so that no service can pass for another by its name.
    func service(_ name: String) throws(Refusal) -> Service {
        if let service = services[JSON.Name(name)] { return service }
        if let url = try? ServiceURL(parsing: name) {
            guard let service = services[JSON.Name(url.identity)] else { throw .unknownService(name) }
            return service
        }
        let named = services.values.filter { $0.displayName.utf8.elementsEqual(name.utf8) }
        guard let service = named.first else { throw .unknownService(name) }
        guard named.count == 1 else { throw .ambiguousName(name, count: named.count) }
        return service
    }

    /// An authorization in the state, and where it stands.
    struct Found {
        let service: ServiceURL
        /// The place of its grant among those of the service.
        let position: Int
        let grant: Grant
        /// The protocol whose link answers.
        let name: ProtocolName
        let authorization: Authorization
    }

    /// Finds what opens a protocol of a service, or a path below it.
    func find(_ serviceName: String, _ name: ProtocolName, path: String?) throws(Refusal) -> Found {
        let service = try service(serviceName)
        let position = try service.position(of: name)
        let grant = service.grants[position]
        let name = grant.answering(name, path: path)
        guard let authorization = grant.authorizations[grant.place(of: name)] else { throw .unauthorized(name) }
        return Found(
            service: service.url, position: position, grant: grant, name: name, authorization: authorization)
    }

    /// Puts an authorization into the place of the one that was found.
    mutating func replace(_ found: Found, by authorization: Authorization) {
        services[JSON.Name(found.service.identity)]?.grants[found.position]
            .authorizations[found.grant.place(of: found.name)] = authorization
    }

    /// The identity of the service that a name means.
    public func url(of serviceName: String) throws(Refusal) -> ServiceURL { try service(serviceName).url }

    /// The name of a service for people (NAI-4).
    public func displayName(of serviceName: String) throws(Refusal) -> String { try service(serviceName).displayName }

    /// The protocols that a service was authorized for, `org.ietf.oauth2` aside; sorted.
    public func protocols(of serviceName: String) throws(Refusal) -> [ProtocolName] {
        try service(serviceName).grants.flatMap { $0.requested }.sorted()
    }

    /// Forgets a service; answers whether it was there (NAI-8).
    @discardableResult
    public mutating func remove(_ serviceName: String) -> Bool {
        guard let service = try? service(serviceName) else { return false }
        return services.removeValue(forKey: JSON.Name(service.url.identity)) != nil
    }

    /// Forgets all services and the keys with them (NAI-8).
    public mutating func removeAll() {
        services = [:]
    }

    var grantCount: Int { services.values.reduce(0) { $0 + $1.grants.count } }
}

// MARK: - Description

extension NAILState: CustomStringConvertible, CustomReflectable {
    /// The services, without any token or key.
    public var description: String {
        "NAILState(\(serviceNames.map { $0.identity }.joined(separator: ", ")); redacted)"
    }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
