public import JOSE
public import Wire

/// The request token of S1, with which an instance of the edu-ID app registers (REG-1): found to be in order.
///
/// It carries no time, so it proves where it comes from and not that it is fresh; that is why what is given for it is
/// bound to a key of the instance.
public struct AppRequestToken: Sendable {
    /// The version whose key signed.
    public let version: AppVersion
    /// The instance's UUID, under which it is the service's client (REQ-10).
    public let instance: ClientID
    /// The device that the instance runs on.
    public let device: Device
    /// The key that the instance wants its token bound to, where it brought one (POP-1).
    public let key: JWK?
    /// When the token was made, where it says so (REQ-7).
    public let issuedAt: Timestamp?
    /// What must not come twice, where the token has a name of its own (REQ-8).
    public let singleUse: SingleUse?
}

// MARK: - What was received

extension AppRequestToken {
    /// A request token as it was received, in order as far as that can be told without its key.
    public struct Unverified: Sendable {
        /// The name of the key, by which the service finds the version that it belongs to.
        public let keyID: KeyID
        fileprivate let token: UnverifiedToken

        /// Reads what came as `client_assertion` (REQ-13).
        public init(parsing assertion: Assertion) throws(Rejection) { try self.init(text: assertion.secret) }

        /// Reads what came in the `Authorization` header (REQ-13).
        public init(parsing token: AccessToken) throws(Rejection) { try self.init(text: token.secret) }

        /// The first half of the checklist: S1, "JOSE Header".
        private init(text: String) throws(Rejection) {
            // REQ-1: the payload stands between the two dots.
            guard !Self.isDetached(text) else { throw .detachedPayload }
            // REQ-2: `none` is no algorithm, however it is spelled. REQ-14: no header may bring or point to a key.
            do throws(TokenRejection) {
                token = try UnverifiedToken(text: text)
            } catch .token(.unsecured) {
                throw .unsecured
            } catch .token(.embeddedKey(let name)) {
                throw .keyBroughtAlong(name)
            } catch {
                throw .token(error)
            }
            // REQ-3: the client says who it is.
            guard let keyID = token.keyID else { throw .missingKeyID }
            self.keyID = keyID
        }

        private static func isDetached(_ text: String) -> Bool {
            let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
            return parts.count == 3 && parts[1].isEmpty
        }
    }

    /// What a service demands of request tokens beside what S1 does.
    public struct Policy: Hashable, Sendable {
        /// Whether a token may leave its type out, or name just `JWT`, as deployed apps do.
        public var acceptsUntyped = true
        /// Whether an instance must be named by a UUID in its textual form (RFC 9562 §4).
        public var demandsUUID = true
        /// How much an instance's clock may be ahead of the service's.
        public var leeway: Duration = .seconds(60)

        /// The standard policy.
        public init() {}
    }
}

// MARK: - The checklist

extension AppRequestToken {
    /// The second half of the checklist: S1, "key ID" to "Signature".
    ///
    /// The signature, last in the source, comes before the claims, because nothing that a token says is looked at
    /// before somebody vouches for it.
    ///
    /// - Parameter version: the version that the service has registered for the token's key; nothing where there is
    ///   none.
    /// - Parameter addressee: the service, whose identifier is its base URL.
    public init(
        checking received: Unverified, against version: AppVersion?, to addressee: Addressee, policy: Policy = Policy(),
        at now: Timestamp
    ) throws(Rejection) {
        // REQ-3: the key is registered. That it is not takes as long to find out as that a signature is wrong (threat
        // 39).
        guard let version else {
            Decoy.verify(received.token)
            throw .unknownKey(received.keyID)
        }
        // REQ-4: the key is this version's, and the algorithm is one that it allows; REQ-5: the key alone decides which
        // these are.
        guard version.keyID == received.keyID else {
            throw .keyOfAnotherVersion(expected: version.keyID, found: received.keyID)
        }
        let algorithm = received.token.signed.header.algorithm
        guard version.key.algorithms.contains(algorithm) else {
            throw .algorithm(found: algorithm, pinned: version.key.algorithms)
        }

        // REQ-14: the stored key verifies the signature. REQ-7, REQ-8: `iat` is allowed, and `exp`, `nbf` and `jti` are
        // honoured.
        let token = try received.validated(by: version.key, policy, at: now)

        // REQ-6: the claims are there, strings, and not empty.
        let issuer = try token.text("iss")
        let subject: ClientID = try token.name("sub")
        let audience = try token.audience()
        let name: Device.Detail = try token.name("name")

        // REQ-9: the issuer is the app's registered name.
        guard issuer.utf8.elementsEqual(version.appName.text.utf8) else {
            throw .issuer(expected: version.appName, found: issuer)
        }
        // REQ-10: the subject is the instance's UUID.
        guard !policy.demandsUUID || subject.isUUID else { throw .subjectIsNoUUID }
        // REQ-11: the audience is the base URL that was requested.
        guard addressee.isMeant(by: audience) else { throw .audience(expected: addressee.issuer, found: audience) }
        // REG-2: the device is described; REQ-12: its name is the one that its owner chose, which nobody else can tell.
        let device = Device(
            id: try token.name("device_id"), name: name, type: try token.name("device_type"),
            systemVersion: try token.name("os_version"))

        let key = try token.instanceKey()
        // REG-4, FED-4: the version is admitted. Only who has its key learns that it is not.
        guard !version.isBlocked else { throw .blockedVersion }

        self.version = version
        instance = subject
        self.device = device
        self.key = key
        issuedAt = token.issuedAt
        singleUse = try token.singleUse(of: version)
    }
}

extension AppRequestToken.Unverified {
    fileprivate func validated(
        by key: VerificationKey, _ policy: AppRequestToken.Policy, at now: Timestamp
    ) throws(AppRequestToken.Rejection) -> JWT.Validated {
        var kind = JWT.Kind.clientAuthentication
        kind.acceptsUntyped = policy.acceptsUntyped
        // That they are there is this checklist's to say.
        kind.requiredClaims = []
        var expectation = JWT.Expectation(issuer: .unchecked, audience: .unchecked, leeway: policy.leeway)
        expectation.requiresExpiration = false
        do throws(TokenRejection) {
            return try token.validated(by: key, as: kind, expectation, at: now)
        } catch .token(let rejection) where rejection.isUnverified {
            throw .invalidSignature
        } catch .token(.wrongType(let name, expected: .string, let found)) {
            throw .wrongType(name, found: found)
        } catch .token(.malformedName(let name, .empty)) {
            throw .empty(name)
        } catch .token(.malformedName(let name, let rejection)) {
            throw .malformed(name, rejection)
        } catch .token(.emptyAudience) {
            throw .empty("aud")
        } catch {
            throw .token(error)
        }
    }
}

// MARK: - Claims

extension JWT.Validated {
    fileprivate func text(_ claim: JSON.Name) throws(AppRequestToken.Rejection) -> String {
        guard let value = claims.optional(claim) else { throw .missing(claim) }
        guard value.kind == .string, let text = try? value.string() else { throw .wrongType(claim, found: value.kind) }
        guard !text.utf8.isEmpty else { throw .empty(claim) }
        return text
    }

    fileprivate func name<Kind>(_ claim: JSON.Name) throws(AppRequestToken.Rejection) -> Identifier<Kind> {
        let text = try text(claim)
        do throws(SyntaxError) { return try Identifier(parsing: text) } catch { throw .malformed(claim, error) }
    }

    fileprivate func audience() throws(AppRequestToken.Rejection) -> String {
        guard claims.contains("aud") else { throw .missing("aud") }
        do throws(TokenRejection) {
            return try soleAudience()
        } catch .severalAudiences(let count) {
            throw .severalAudiences(count)
        } catch {
            throw .token(error)
        }
    }

    fileprivate func instanceKey() throws(AppRequestToken.Rejection) -> JWK? {
        do throws(TokenRejection) { return try confirmedKey() } catch { throw .token(error) }
    }

    /// What must not come twice, of a token that has a name; it is remembered for ever where the token does not end.
    fileprivate func singleUse(of version: AppVersion) throws(AppRequestToken.Rejection) -> SingleUse? {
        guard claims.contains("jti") else { return nil }
        let id: JWTID = try name("jti")
        return SingleUse(.clientAssertion, of: id, owner: "kid:" + version.keyID.text, until: expiration ?? .endOfDates)
    }
}

extension Timestamp {
    /// The last second that every format of dates can tell: 9999-12-31T23:59:59Z.
    fileprivate static let endOfDates = Timestamp(seconds: 253_402_300_799)
}

extension ClientID {
    /// Whether the name is a UUID in its textual form: groups of 8, 4, 4, 4 and 12 hexadecimal digits (RFC 9562 §4).
    fileprivate var isUUID: Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { offset, byte in
            if [8, 13, 18, 23].contains(offset) { return byte == UInt8(ascii: "-") }
            return 0x30...0x39 ~= byte || 0x61...0x66 ~= byte | 0x20
        }
    }
}
