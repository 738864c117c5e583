public import RSD2
public import Wire

/// A row of `UserServices` (DAT-2, DAT-3): what the discovery said about a service, and the service token that the
/// instance holds there.
///
/// Its description shows no token.
public struct UserService: RelationRow {
    /// The description as it was delivered (`rsd`).
    public let discovered: DiscoveredService
    /// The name that people know the service by (`name`).
    public let name: String
    /// The service token (`token`); that one is kept is the app's own record of a successful authorization (USE-4).
    public let token: TokenText?
    /// The OAuth2 endpoint that the token is for (`token_target`).
    public let tokenTarget: WebURL?

    /// A service as it was discovered, without a token; its OAuth2 endpoint follows from its description.
    public init(_ discovered: DiscoveredService) {
        self.discovered = discovered
        name = discovered.displayName
        token = nil
        tokenTarget = discovered.oauth2Endpoint
    }

    init(_ discovered: DiscoveredService, name: String, token: TokenText?, tokenTarget: WebURL?) throws(RowRejection) {
        if let tokenTarget, tokenTarget.scheme != .https, !tokenTarget.isLoopback { throw .unencrypted(tokenTarget) }
        self.discovered = discovered
        self.name = name
        self.token = token
        self.tokenTarget = tokenTarget
    }

    /// The service (`baseurl`).
    public var baseURL: ServiceURL { discovered.service }

    /// The service.
    public var key: ServiceURL { baseURL }

    /// The same service with a token, or without one.
    ///
    /// - Parameter target: the OAuth2 endpoint, where the edu-ID service named one with its assertion (AST-1).
    public func holding(_ token: TokenText?, from target: WebURL? = nil) throws(RowRejection) -> UserService {
        try UserService(discovered, name: name, token: token, tokenTarget: target ?? tokenTarget)
    }

    /// The same service after it was discovered anew.
    ///
    /// The token is kept only while the description names the same OAuth2 endpoint: to another one it would be shown
    /// for the first time.
    func rediscovered(as later: DiscoveredService) -> UserService {
        guard later.oauth2Endpoint == discovered.oauth2Endpoint,
            let kept = try? UserService(later, name: later.displayName, token: token, tokenTarget: tokenTarget)
        else { return UserService(later) }
        return kept
    }

    /// Whether all fields have the same bytes.
    public static func == (one: UserService, other: UserService) -> Bool {
        one.discovered == other.discovered && one.name.utf8.elementsEqual(other.name.utf8) && one.token == other.token
            && one.tokenTarget == other.tokenTarget
    }
}

extension UserService: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name and URL, and whether there is a token.
    public var description: String { "\(name) <\(baseURL)>" + (token == nil ? "" : ", token redacted") }

    /// The same: a debugger's output ends up in logs.
    public var debugDescription: String { description }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
