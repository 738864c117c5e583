public import RSD2

/// One of the three places where the app's data lies (DAT-1).
public protocol StoreLocation: Sendable {
    /// The name of the place; it is sealed into what is stored there, so that no store passes for another.
    static var name: String { get }
}

/// Where only the app itself reads and writes.
public enum AppLocation: StoreLocation {
    /// The name of the place.
    public static var name: String { "app" }
}

/// Where only the app's extension reads and writes.
public enum ExtensionLocation: StoreLocation {
    /// The name of the place.
    public static var name: String { "extension" }
}

/// Where app and extension both read and write: the app group of the source.
public enum GroupLocation: StoreLocation {
    /// The name of the app group.
    public static var name: String { "group.ch.eduid.mobile" }
}

/// The app's own store, for settings that play no part in the authorization of apps.
public typealias AppStore = DataStore<AppLocation>
/// The extension's own store, for settings that play no part in the authorization of apps.
public typealias ExtensionStore = DataStore<ExtensionLocation>
/// The store that app and extension share, the only one that can hold what authorizing an app takes (DAT-1).
public typealias GroupStore = DataStore<GroupLocation>

/// The data of one store: a value, which the host keeps in its place and reads and writes whole.
///
/// Settings can lie in each; services, requested protocols and tokens exist in a ``GroupStore`` alone, so that no other
/// store can take them.
public struct DataStore<Location: StoreLocation>: Sendable {
    var relations: Relations

    /// An empty store.
    public init(limits: StoreLimits = .standard) {
        relations = Relations(limits: limits)
    }

    /// What the store holds at most.
    public var limits: StoreLimits { relations.limits }

    /// The relation `EduidConfiguration`.
    public var configuration: Relation<Setting> { relations.configuration }

    /// Puts in a setting, in the place of an earlier one of its name.
    public mutating func put(_ setting: Setting) throws(RowRejection) { try relations.insert(setting) }

    /// Removes a setting; answers whether it was there.
    @discardableResult
    public mutating func remove(_ name: Setting.Name) -> Bool { relations.remove(Setting.self, name) }
}

extension DataStore where Location == GroupLocation {
    /// The relation `Protocols`.
    public var protocols: Relation<RequestedProtocols> { relations.protocols }
    /// The relation `Tokens`.
    public var tokens: Relation<StoredToken> { relations.tokens }
    /// The relation `UserServices`.
    public var userServices: Relation<UserService> { relations.userServices }

    /// Puts in a token, in the place of an earlier one of its key.
    public mutating func put(_ token: StoredToken) throws(RowRejection) { try relations.insert(token) }

    /// Puts in a service, in the place of what was known of it.
    public mutating func put(_ service: UserService) throws(RowRejection) { try relations.insert(service) }

    /// Puts in what was requested of a service, in the place of what was noted before; the service must be known.
    public mutating func put(_ requested: RequestedProtocols) throws(RowRejection) { try relations.insert(requested) }

    /// Caches what was discovered, all of it or nothing (DSC-10); tokens stay with services whose OAuth2 endpoint
    /// stays.
    public mutating func cache(_ services: [DiscoveredService]) throws(RowRejection) {
        var copy = self
        for service in DiscoveredService.distinct(services) {
            try copy.put(copy.userServices[service.service]?.rediscovered(as: service) ?? UserService(service))
        }
        self = copy
    }

    /// Removes a token; answers whether it was there.
    @discardableResult
    public mutating func remove(_ token: StoredToken.Key) -> Bool { relations.remove(StoredToken.self, token) }

    /// Removes a service, and with it what was requested of it; answers whether it was there.
    @discardableResult
    public mutating func remove(_ service: ServiceURL) -> Bool {
        relations.remove(RequestedProtocols.self, service)
        return relations.remove(UserService.self, service)
    }

    /// Forgets the user after logout (UX-5): all services, and all tokens but those of the instance itself; settings
    /// stay.
    public mutating func unlink(keepingTokensOf instance: StoredToken.Subject) {
        for service in userServices.rows { remove(service.key) }
        for token in tokens.rows where token.key.subject != instance { remove(token.key) }
    }
}

extension DataStore: Equatable {
    /// Whether both have the same rows.
    public static func == (one: DataStore, other: DataStore) -> Bool {
        one.relations == other.relations
    }
}

extension DataStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The place and the number of rows, without any of their fields.
    public var description: String {
        "DataStore(\(Location.name), \(relations.count) rows; redacted)"
    }

    /// The same: a debugger's output ends up in logs.
    public var debugDescription: String { description }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
