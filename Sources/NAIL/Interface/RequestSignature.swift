public import JOSE
public import OAuth2Grants
public import Wire

extension JWT.Kind {
    /// An app's signature under its protocol request (NIF-3); deployed apps name no type.
    package static let protocolRequest = JWT.Kind(
        "protocol-request+jwt", acceptsUntyped: true, requiring: ["iss", "sub", "aud", "name"])
}

// MARK: - The app's side

extension ProtocolRequest {
    /// The same request with the app's signature under it.
    ///
    /// - Parameter appKey: the public key that the app wants its tokens bound to; it travels in the signature as
    ///   `cnf.jwk`.
    public func signed(
        with key: SigningKey, binding appKey: JWK? = nil, at now: Timestamp
    ) throws(SigningKey.Rejection) -> ProtocolRequest {
        let text = try JWT.Issuance(with: key, as: .protocolRequest).token { claims in
            claims.member("iss", appID.text)
            claims.member("sub", clientID.text)
            claims.member("aud", Self.typeName)
            claims.member("name", appName.text)
            claims.member("iat", now.seconds)
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

        /// How many services the user should be able to choose, where that is limited (NIF-4).
        public var choiceLimit: Int? { request.prefersSingle ? 1 : nil }
    }

    /// What an authorizing app demands of the signature.
    public struct CheckPolicy: Sendable {
        /// Which apps may leave the signature out.
        public var unsigned: Unsigned = .ofAll
        /// How old a signature may be; one that does not say is then refused.
        public var maximumAge: Duration?
        /// The algorithms of apps' keys.
        public var algorithms: [Algorithm] = [.edDSA, .ed25519]

        /// Takes what the source of the protocol takes: requests with the app's signature, and requests without one.
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
    public func checked(
        against registry: [BundleID: JWKSet], policy: CheckPolicy = CheckPolicy(), at now: Timestamp
    ) throws(MessageRejection) -> Checked {
        let keys = registry[appID]
        guard let token else {
            switch policy.unsigned {
            case .ofAll: break
            case .ofUnregistered: if keys != nil { throw .unsigned }
            case .ofNone: throw .unsigned
            }
            return Checked(request: self, signer: nil, appKey: nil)
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
        return Checked(request: self, signer: claims.signature.key, appKey: confirmation?.key)
    }

    private func validated(
        _ token: Assertion, by keys: JWKSet, _ policy: CheckPolicy, at now: Timestamp
    ) throws(JWT.Rejection) -> JWT.Validated {
        try JWS.Unverified(parsing: token.secret).verified(by: keys, accepting: policy.algorithms)
            .validated(expecting: expectation(policy), at: now)
    }

    private func expectation(_ policy: CheckPolicy) throws(JWT.Rejection) -> JWT.Expectation {
        do throws(SyntaxError) {
            var expectation = JWT.Expectation(
                issuer: .exactly(try Issuer(parsing: appID.text)),
                audience: .only(try Audience(parsing: Self.typeName)),
                type: .protocolRequest, maximumAge: policy.maximumAge, leeway: .seconds(60))
            expectation.subject = try Subject(parsing: clientID.text)
            expectation.requiresExpiration = false
            return expectation
        } catch {
            // What is a name of one kind is one of every kind with the same bound.
            throw .malformedName("sub", error)
        }
    }
}
