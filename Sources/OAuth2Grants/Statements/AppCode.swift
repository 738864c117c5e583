public import JOSE
public import Wire

extension Statement {
    /// The code of (8), with which an instance of the edu-ID app authorizes a third-party app at a service: a statement
    /// that the instance signs itself, with the key that its service token is bound to (APP-3).
    public struct AppCode: Sendable {
        /// The instance that authorizes.
        public let instance: ClientID
        /// The app that is authorized.
        public let app: BundleID
        /// The app's own public key, to which its token is to be bound, where it brought one.
        public let appKey: JWK?
        /// When the code was made.
        public let issuedAt: Timestamp
        /// When the code ends.
        public let expiration: Timestamp
        /// What must not come twice.
        public let singleUse: SingleUse
    }
}

extension Statement.AppCode {
    /// Believes a code when the key of the service token signed it, for the service's authorization endpoint and
    /// nothing else, and it holds now.
    ///
    /// - Parameter key: the key of the service token that authenticated the instance; the credential must have been
    ///   checked with the same (APP-5).
    /// - Parameter endpoint: the service's authorization endpoint; neither the service itself nor another endpoint will
    ///   do (APP-3).
    public init(
        checking received: Statement.Unverified, by key: Statement.BoundKey, to endpoint: WebURL,
        policy: Statement.Policy = .appCode, at now: Timestamp
    ) throws(TokenRejection) {
        try self.init(checking: received, by: key, to: endpoint, policy: policy, appKey: nil, at: now)
    }

    /// The same, where the request names a key of the app that is most likely the code's.
    package init(
        checking received: Statement.Unverified, by key: Statement.BoundKey, to endpoint: WebURL,
        policy: Statement.Policy, appKey likely: JWK?, at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.appCode
        guard case .client(let client) = key.holder else { throw kind.rejection(.holderIsNoInstance) }
        let checked = try received.checked(as: kind, by: .bound(key, accepting: policy.algorithms), policy, at: now)
        // A service assertion says who redeems it, a code has no need to (threat 18).
        if checked.claims.contains("azp") { throw kind.rejection(.otherKind("azp")) }
        try checked.checkIssuer(client.text)
        try checked.checkAudience(endpoint)
        instance = client
        expiration = try checked.end(policy, at: now)
        issuedAt = try checked.beginning()
        app = try checked.identifier("sub")
        appKey = try checked.confirmedKey(knowing: likely)
        singleUse = try checked.singleUse(of: key.owner, until: expiration)
    }

    /// A code by which an instance authorizes an app at a service (APP-3).
    ///
    /// - Parameter key: the instance's key, with the name that it has in the service token's `cnf`; the credential is
    ///   signed with the same (APP-5).
    /// - Parameter endpoint: the service's authorization endpoint.
    /// - Parameter appKey: the app's own public key, where it brought one.
    public static func signed(
        with key: SigningKey, of instance: ClientID, authorizing app: BundleID, to endpoint: WebURL,
        binding appKey: JWK? = nil, lifetime: Duration = .seconds(60), at now: Timestamp,
        knowing signatures: Signatures = .none,
        using entropy: inout some RandomNumberGenerator
    ) throws(IssuanceRejection) -> Assertion {
        let id = JWT.ID.text(using: &entropy)
        return try Statement.Issuance(.appCode, with: key).issued(knowing: signatures) { token in
            token.member("iss", instance.text)
            token.member("sub", app.text)
            token.member("aud", endpoint.text)
            token.member("iat", now.seconds)
            token.member("exp", (now + lifetime).seconds)
            token.member("jti", id)
            if let appKey { token.member("cnf", JWT.Confirmation(key: appKey)) }
        }
    }
}
