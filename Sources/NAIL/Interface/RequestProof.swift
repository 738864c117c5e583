public import JOSE
public import OAuth2Grants
public import Wire

extension JWT.Kind {
    /// An app's signature under its protocol request (NIF-3); deployed apps name no type.
    public static let protocolRequest = JWT.Kind(
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
    ) throws(JWS.SigningRejection) -> ProtocolRequest {
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

    /// Why an authorizing app does not answer; the app that asked learns nothing of it.
    public enum Refusal: Error, Equatable, Sendable {
        /// The registry has no keys of the app that the request names.
        case unknownApp(BundleID)
        /// The token is malformed, not by a key of the app, or not about this request.
        case token(JWT.Rejection)
        /// The token is about an app of another name.
        case otherName(expected: AppName, found: String)
        /// The key for binding is none, or a secret.
        case confirmation(JWT.Confirmation.Rejection)
        /// The key for binding is not given by itself.
        case confirmationWithoutKey
        /// There is no signature, where the policy demands one.
        case unsigned
    }

    /// Checks the request's signature with the keys that are registered for its app.
    ///
    /// - Parameter registry: the public keys of each app, from a source that the host trusts, such as the federation's.
    public func checked(
        against registry: [BundleID: JWKSet], policy: CheckPolicy = CheckPolicy(), at now: Timestamp
    ) throws(Refusal) -> Checked {
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
        let validated: JWT.Validated
        do throws(JWT.Rejection) {
            validated = try self.validated(token, by: keys, policy, at: now)
        } catch {
            throw .token(error)
        }
        try checkName(validated)
        return Checked(request: self, signer: validated.signature.key, appKey: try Self.appKey(validated))
    }

    private func validated(
        _ token: Assertion, by keys: JWKSet, _ policy: CheckPolicy, at now: Timestamp
    ) throws(JWT.Rejection) -> JWT.Validated {
        let unverified: JWS.Unverified
        do throws(JWS.Unverified.Rejection) { unverified = try JWS.Unverified(parsing: token.secret) } catch {
            throw .malformed(error)
        }
        let verified: JWS.Verified
        do throws(JWS.Verified.Rejection) {
            verified = try unverified.verified(by: keys, accepting: policy.algorithms)
        } catch {
            throw .unverified(error)
        }
        do throws(JWT.Validated.Rejection) {
            return try verified.validated(as: .protocolRequest, expecting: expectation(policy), at: now)
        } catch {
            throw .invalid(error)
        }
    }

    private func expectation(_ policy: CheckPolicy) throws(JWT.Validated.Rejection) -> JWT.Expectation {
        do throws(IdentifierRejection) {
            var expectation = JWT.Expectation(
                issuer: .exactly(try Issuer(parsing: appID.text)), audience: .only(try Audience(parsing: Self.typeName))
            )
            expectation.subject = try Subject(parsing: clientID.text)
            expectation.requiresExpiration = false
            expectation.maximumAge = policy.maximumAge
            return expectation
        } catch {
            // What is a name of one kind is one of every kind with the same bound.
            throw .malformedName("sub", error)
        }
    }

    private func checkName(_ validated: JWT.Validated) throws(Refusal) {
        guard let value = validated["name"], let found = try? value.string() else {
            throw .token(.invalid(.wrongType("name", expected: .string, found: validated["name"]?.kind ?? .null)))
        }
        guard found.utf8.elementsEqual(appName.text.utf8) else { throw .otherName(expected: appName, found: found) }
    }

    private static func appKey(_ validated: JWT.Validated) throws(Refusal) -> JWK? {
        let confirmation: JWT.Confirmation?
        do throws(JWT.Confirmation.Rejection) { confirmation = try validated.confirmation() } catch {
            throw .confirmation(error)
        }
        guard let confirmation else { return nil }
        guard let key = confirmation.key else { throw .confirmationWithoutKey }
        return key
    }
}

extension ProtocolRequest.Refusal: CustomStringConvertible {
    /// The rule in words, with what was expected and found.
    public var description: String {
        switch self {
        case .unknownApp(let app): "no key of the app \(app) is known (\(clause))"
        case .token(let rejection): "the request's token: \(rejection)"
        case .otherName(let expected, let found):
            "the request's token names the app '\(found)', the request '\(expected)' (\(clause))"
        case .confirmation(let rejection): "the request's token: \(rejection)"
        case .confirmationWithoutKey: "the key to bind tokens to is not in the request's token (\(clause))"
        case .unsigned: "the request is not signed (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .unknownApp, .otherName, .unsigned: "NIF-3"
        case .token(let rejection): rejection.clause
        case .confirmation(let rejection): rejection.clause
        case .confirmationWithoutKey: "RFC7800-3.2"
        }
    }
}
