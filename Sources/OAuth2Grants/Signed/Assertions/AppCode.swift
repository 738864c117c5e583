public import JOSE
public import Wire

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

// MARK: - Checking

extension AppCode {
    /// Believes a code when the key of the service token signed it, for the service's authorization endpoint and
    /// nothing else, and it holds now.
    ///
    /// - Parameter key: the key of the service token that authenticated the instance; the credential must have been
    ///   checked with the same (APP-5).
    /// - Parameter endpoint: the service's authorization endpoint; neither the service itself nor another endpoint will
    ///   do (APP-3).
    public init(
        checking token: UnverifiedToken, by key: BoundKey, to endpoint: WebURL, policy: TokenPolicy = .appCode,
        at now: Timestamp
    ) throws(Rejection) {
        guard case .client(let client) = key.holder else { throw .holderIsNoInstance }
        guard let keyID = token.keyID else { throw .token(.missingKeyID) }
        guard keyID == key.id else { throw .otherKey(keyID) }
        guard let verifying = key.verifying else { throw .keyUnknown }
        do throws(TokenRejection) {
            let kind = policy.kind(.authorizationGrant)
            let checked = try token.validated(by: verifying, as: kind, policy.expectation, at: now)
            // A service assertion says who redeems it, a code has no need to (threat 18).
            if checked.claims.contains("azp") { throw .otherKind("azp") }
            try checked.checkIssuer(client)
            try checked.checkAudience(endpoint)
            let expiration = try policy.expiration(of: checked, at: now)
            let issuedAt = try checked.beginning()
            app = try checked.identifier("sub")
            appKey = try checked.confirmedKey()
            singleUse = SingleUse(.appCode, of: try checked.identifier("jti"), owner: key.owner, until: expiration)
            self.issuedAt = issuedAt
            self.expiration = expiration
        } catch .token(let rejection) where rejection.isUnverified {
            throw .signedByAnotherKey
        } catch {
            throw .token(error)
        }
        instance = client
    }

    /// Why a code is not accepted.
    public enum Rejection: Error, Equatable, Sendable {
        /// It breaks a rule that all tokens share.
        case token(TokenRejection)
        /// It names another key than the one that the service token is bound to.
        case otherKey(KeyID)
        /// It names the right key, and another one signed it.
        case signedByAnotherKey
        /// Of the service token's key nothing but its digest is known, and codes bring no key.
        case keyUnknown
        /// The token that came as the credential is an app's, which authorizes nobody.
        case holderIsNoInstance
    }
}

extension AppCode.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .token(let rejection): rejection.description
        case .otherKey, .signedByAnotherKey: "it is not signed with the key that the service token is bound to"
        case .keyUnknown: "the service token is bound to the digest of a key, which checks no code"
        case .holderIsNoInstance: "the credential is the token of an app, which authorizes nobody"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .token(.audience), .token(.issuer): "APP-3"
        case .token(let rejection): rejection.clause
        case .otherKey, .signedByAnotherKey, .keyUnknown: "APP-5"
        case .holderIsNoInstance: "APP-2"
        }
    }

    /// What the peer is told; for another key the same as for a wrong signature.
    public var refusal: OAuth2Error {
        switch self {
        case .token(let rejection): rejection.refusal(.invalidGrant, Self.subject)
        case .otherKey, .signedByAnotherKey, .keyUnknown, .holderIsNoInstance:
            OAuth2Error(.invalidGrant, "\(Self.subject): \(self) (\(clause))")
        }
    }

    private static let subject = "the app code"
}

// MARK: - Making

extension AppCode {
    /// A code by which an instance authorizes an app at a service (APP-3).
    ///
    /// - Parameter key: the instance's key, with the name that it has in the service token's `cnf`; the credential is
    ///   signed with the same (APP-5).
    /// - Parameter endpoint: the service's authorization endpoint.
    /// - Parameter appKey: the app's own public key, where it brought one.
    public static func signed(
        with key: SigningKey, of instance: ClientID, authorizing app: BundleID, to endpoint: WebURL,
        binding appKey: JWK? = nil,
        lifetime: Duration = .seconds(60), at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(IssuanceRejection) -> Assertion {
        let id = JWTID.text(using: &entropy)
        return try JWT.Issuance(named: key, as: .authorizationGrant).issued { token in
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
