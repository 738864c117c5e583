public import JOSE
public import OAuth2Grants
internal import PureCrypto
public import Wire

extension JWT.Kind {
    /// An app's signature under its protocol request (NIF-3); deployed apps name no type.
    package static let protocolRequest = JWT.Kind(
        "protocol-request+jwt", acceptsUntyped: true, requiring: ["iss", "sub", "aud", "name"])
}

// MARK: - The app's side

extension ProtocolRequest {
    /// The same request with the app's signature under it: good once, and for ten minutes.
    ///
    /// - Parameter appKey: the public key that the app wants its tokens bound to; it travels in the signature as
    ///   `cnf.jwk`.
    public func signed(
        with key: SigningKey, binding appKey: JWK? = nil, at now: Timestamp, knowing signatures: Signatures = .none,
        using entropy: inout some RandomNumberGenerator
    ) throws(SigningKey.Rejection) -> ProtocolRequest {
        let id = Base64URL.encode(entropy.bytes(16))
        let text = try JWT.Issuance(with: key, as: .protocolRequest).token(knowing: signatures) { claims in
            claims.member("iss", appID.text)
            claims.member("sub", clientID.text)
            claims.member("aud", Self.typeName)
            claims.member("name", appName.text)
            claims.member("iat", now.seconds)
            claims.member("jti", id)
            claims.member("req_hash", digest)
            if let appKey { claims.member("cnf", JWT.Confirmation(key: appKey)) }
        }
        var copy = self
        // A compact serialization is visible ASCII; one that is too long for a token has a name in it that is too long
        // for a JWT.
        guard let token = try? Assertion(parsing: text) else { throw .signerRefused }
        copy.token = token
        return copy
    }
}

extension ProtocolRequest {
    /// What the signature covers of the request beside the names in its own claims: SHA-256 of the app's and the
    /// instance's name, the wish for one service, and the protocols in the order of their bytes, each with a line end.
    var digest: String {
        let lines = [appID.text, clientID.text, prefersSingle ? "1" : "0"] + protocols.sorted().map { $0.text }
        return Base64URL.encode(SHA256.hash(data: Array(lines.map { $0 + "\n" }.joined().utf8)))
    }
}

// MARK: - The authorizing app's side

extension ProtocolRequest {
    /// A request whose signature, if it has one, was found to be the app's (NIF-3).
    ///
    /// Only the check makes it, and only to it can there be a response: whoever fails the check gets none at all
    /// (threat 47).
    public struct Checked: Sendable {
        /// The request.
        public let request: ProtocolRequest
        /// The app's key that signed, or nothing where the request came without a signature and claims only what
        /// anybody could claim.
        public let signer: VerificationKey?
        /// The public key that the app wants its tokens bound to; it travels on as `req_cnf` to the service.
        public let appKey: JWK?
        /// Whether the app's signature covers all that the request asks for; where it does not, anybody may have asked,
        /// and the person has to be told.
        public let isVerified: Bool

        /// How many services the user should be able to choose, where that is limited (NIF-4).
        public var choiceLimit: Int? { request.prefersSingle ? 1 : nil }
    }

    /// What an authorizing app demands of the signature.
    public struct CheckPolicy: Sendable {
        /// Which apps may leave the signature out.
        public var unsigned: Unsigned = .ofUnregistered
        /// How old a signature may be.
        public var maximumAge: Duration = .seconds(600)
        /// Whether a signature is taken that does not say what it covers, or does not end: for a time of transition.
        public var acceptsUncovered = false
        /// The algorithms of apps' keys.
        public var algorithms: [Algorithm] = [.edDSA, .ed25519, .es256]

        /// Takes requests with the app's signature, and of apps that nobody can know requests without one.
        public init() {}

        /// Whose requests are taken without a signature.
        public enum Unsigned: Sendable {
            /// Every app's, as the source of the protocol has it.
            case ofAll
            /// Those of apps that the registry has no key of: who can sign, must.
            case ofUnregistered
            /// Nobody's.
            case ofNone
        }
    }

    /// Checks the request's signature with the keys that are registered for its app.
    ///
    /// - Parameter registry: the public keys of each app, from a source that the host trusts, such as the federation's.
    /// - Parameter caller: the app that asks, as the operating system names it, where it does.
    /// - Parameter seen: the signatures that were taken before; a signature comes once.
    public func checked(
        against registry: [BundleID: JWKSet], from caller: BundleID? = nil, policy: CheckPolicy = CheckPolicy(),
        remembering seen: inout Seen, at now: Timestamp
    ) throws(MessageRejection) -> Checked {
        if let caller, caller != appID { throw .otherCaller(expected: appID, found: caller) }
        let keys = registry[appID]
        guard let token else {
            switch policy.unsigned {
            case .ofAll: break
            case .ofUnregistered: if keys != nil { throw .unsigned }
            case .ofNone: throw .unsigned
            }
            return Checked(request: self, signer: nil, appKey: nil, isVerified: false)
        }
        guard let keys else { throw .unknownApp(appID) }
        let claims = try wrapping(MessageRejection.token, try validated(token, by: keys, policy, at: now))
        let value = claims.claims.optional("name")
        guard let name = try? value?.string() else {
            throw .token(.wrongType("name", expected: .string, found: value?.kind ?? .null))
        }
        guard name.utf8.elementsEqual(appName.text.utf8) else { throw .otherName(expected: appName, found: name) }
        let confirmation = try wrapping(MessageRejection.confirmation, try claims.confirmation())
        if let confirmation, confirmation.key == nil { throw .confirmationWithoutKey }
        let isCovered = try isCovered(by: claims, policy, at: now)
        if isCovered { try seen.take(try id(of: claims), of: appID, issued: claims.issuedAt ?? now, policy, at: now) }
        return Checked(request: self, signer: claims.signature.key, appKey: confirmation?.key, isVerified: isCovered)
    }

    /// Whether a signature covers the request and ends; one that covers another request is refused in any case.
    private func isCovered(
        by token: JWT.Validated, _ policy: CheckPolicy, at now: Timestamp
    ) throws(MessageRejection) -> Bool {
        let names: [JSON.Name] = ["iat", "jti", "req_hash"]
        if let missing = names.first(where: { !token.claims.contains($0) }) {
            guard policy.acceptsUncovered, missing == "req_hash" || !token.claims.contains("req_hash") else {
                throw .token(.missing(missing))
            }
            return false
        }
        guard let issued = token.issuedAt, now <= issued + policy.maximumAge else {
            throw .token(.tooOld(issued: token.issuedAt ?? .epoch, now: now))
        }
        guard token.claims.optional("req_hash")?.isString(digest) == true else { throw .otherRequest }
        return true
    }

    private func id(of token: JWT.Validated) throws(MessageRejection) -> JWT.ID {
        let value = token.claims.optional("jti")
        guard let text = try? value?.string() else {
            throw .token(.wrongType("jti", expected: .string, found: value?.kind ?? .null))
        }
        return try wrapping({ MessageRejection.token(.malformedName("jti", $0)) }, try JWT.ID(parsing: text))
    }

    private func validated(
        _ token: Assertion, by keys: JWKSet, _ policy: CheckPolicy, at now: Timestamp
    ) throws(JWT.Rejection) -> JWT.Validated {
        try JWS.Unverified(parsing: token.secret).verified(by: keys, accepting: policy.algorithms)
            .validated(expecting: expectation, at: now)
    }

    private var expectation: JWT.Expectation {
        get throws(JWT.Rejection) {
            do throws(SyntaxError) {
                var expectation = JWT.Expectation(
                    issuer: .exactly(try Issuer(parsing: appID.text)),
                    audience: .only(try Audience(parsing: Self.typeName)),
                    type: .protocolRequest, leeway: .seconds(60))
                expectation.subject = try Subject(parsing: clientID.text)
                expectation.requiresExpiration = false
                return expectation
            } catch {
                // What is a name of one kind is one of every kind with the same bound.
                throw .malformedName("sub", error)
            }
        }
    }
}
