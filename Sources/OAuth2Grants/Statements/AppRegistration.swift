public import JOSE
public import Wire

extension Statement {
    /// The request token of S1, with which an instance of the edu-ID app registers (REG-1): an app version's statement
    /// about the instance, found to be in order.
    ///
    /// Every copy of a version can sign it, and for any instance: that is why it is fresh and comes once, and why what
    /// is given for it is bound to a key of the instance (threat 63).
    public struct AppRegistration: Sendable {
        /// The version whose key signed.
        public let version: AppVersion
        /// The instance's UUID, under which it is the service's client (REQ-10).
        public let instance: ClientID
        /// The device that the instance runs on.
        public let device: AppVersion.Device
        /// The key that the instance wants its token bound to, where it brought one (POP-1).
        public let key: JWK?
        /// When the token was made, which only S1 as its source words it leaves open (REQ-7).
        public let issuedAt: Timestamp?
        /// What must not come twice; `nil` for a token without a name, which only S1 as its source words it allows
        /// (REQ-8).
        public let singleUse: SingleUse?
    }
}

// MARK: - What was received

extension Statement.AppRegistration {
    /// A request token as it was received, in order as far as that can be told without its key.
    public struct Unverified: Sendable {
        /// The name of the key, by which the service finds the version that it belongs to.
        public let keyID: KeyID
        fileprivate let received: Statement.Unverified

        /// The first half of the checklist, S1, "JOSE Header", for what came as `client_assertion` or in the
        /// `Authorization` header (REQ-13).
        public init<Presented>(parsing token: Secret.Text<Presented>) throws(TokenRejection) {
            let kind = Statement.Kind.appRegistration
            // REQ-1: the payload stands between the two dots.
            guard !Self.isDetached(token.secret) else { throw kind.rejection(.detachedPayload) }
            // REQ-2: `none` is no algorithm, however it is spelled. REQ-14: no header may bring or point to a key.
            received = try Statement.Unverified(parsing: token, as: kind)
            // REQ-3: the client says who it is.
            guard let keyID = received.keyID else { throw kind.rejection(.missingKeyID) }
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
        /// How old a token may be, the last second included.
        public var maximumAge: Duration = .seconds(600)
        /// Whether `iat` and `jti` may be left out and tokens be of any age, as REQ-7 and REQ-8 word it in the source:
        /// for deployed apps, and not without a date for its end.
        ///
        /// The risk: whoever ever sees such a token can register instances of that version with it, and nobody can tell
        /// until the version is shut out.
        public var strictSource = false

        /// The standard policy.
        public init() {}

        fileprivate var expectation: JWT.Expectation {
            var expectation = JWT.Expectation(issuer: .unchecked, audience: .unchecked, leeway: leeway)
            expectation.requiresExpiration = false
            if !strictSource { expectation.maximumAge = maximumAge }
            return expectation
        }
    }
}

// MARK: - The checklist

extension Statement.AppRegistration {
    /// The second half of the checklist: S1, "key ID" to "Signature".
    ///
    /// The signature, last in the source, comes before the claims, because nothing that a token says is looked at
    /// before somebody vouches for it.
    ///
    /// - Parameter version: the version that the service has registered for the token's key, or `nil` if it has none.
    /// - Parameter addressee: the service, whose identifier is its base URL.
    public init(
        checking unverified: Unverified, against version: AppVersion?, to addressee: Statement.Addressee,
        policy: Policy = Policy(), at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.appRegistration
        let version = try Self.version(version, namedBy: unverified)

        // REQ-14: the stored key verifies the signature. REQ-7, REQ-8: `iat`, `exp`, `nbf` and `jti` are honoured.
        let checked = try unverified.received.checked(
            as: kind, by: .only(version.key, accepting: nil), acceptsUntyped: policy.acceptsUntyped, policy.expectation,
            at: now)

        // REQ-6: the claims are there, strings, and not empty.
        let issuer = try checked.text("iss")
        let subject: ClientID = try checked.identifier("sub")
        let audience = try checked.soleAudience()
        let name: AppVersion.Device.Detail = try checked.identifier("name")

        // REQ-9: the issuer is the app's registered name.
        guard issuer.utf8.elementsEqual(version.appName.text.utf8) else {
            throw kind.rejection(.issuer(expected: version.appName.text, found: issuer))
        }
        // REQ-10: the subject is the instance's UUID.
        guard !policy.demandsUUID || subject.isUUID else { throw kind.rejection(.subjectIsNoUUID) }
        // REQ-11: the audience is the base URL that was requested.
        guard addressee.byName.isMeant(by: audience) else {
            throw kind.rejection(.audience(expected: addressee.issuer.text, found: audience))
        }
        // REG-2: the device is described; REQ-12: its name is the one that its owner chose, which nobody else can tell.
        let device = AppVersion.Device(
            id: try checked.identifier("device_id"), name: name, type: try checked.identifier("device_type"),
            systemVersion: try checked.identifier("os_version"))

        let key = try checked.confirmedKey()
        // REG-4, FED-4: the version is admitted. Only who has its key learns that it is not.
        guard !version.isBlocked else { throw kind.rejection(.blockedVersion) }

        self.version = version
        let instance = subject.canonical
        self.instance = instance
        self.device = device
        self.key = key
        issuedAt = checked.issuedAt
        singleUse = try checked.singleUse(of: version.keyID, about: instance, policy, at: now)
    }

    /// The version that a token's header names, with a key for the token's algorithm.
    private static func version(
        _ version: AppVersion?, namedBy unverified: Unverified
    ) throws(TokenRejection) -> AppVersion {
        let kind = Statement.Kind.appRegistration
        // REQ-3: the key is registered. That it is not takes as long to find out as that a signature is wrong (threat
        // 39).
        guard let version else {
            Decoy.verify(unverified.received)
            throw kind.rejection(.unknownKey(unverified.keyID))
        }
        // REQ-4: the key is this version's, and the algorithm is one that it allows; REQ-5: the key alone decides which
        // these are.
        guard version.keyID == unverified.keyID else {
            throw kind.rejection(.keyOfAnotherVersion(expected: version.keyID, found: unverified.keyID))
        }
        let algorithm = unverified.received.signed.header.algorithm
        guard version.key.algorithms.contains(algorithm) else {
            throw kind.rejection(.algorithm(found: algorithm, pinned: version.key.algorithms))
        }
        return version
    }
}

extension ClientID {
    /// The name itself; a UUID in lower case, whose letters are read in any (RFC 9562 §4).
    package var canonical: ClientID {
        guard isUUID, text.utf8.contains(where: { 0x41...0x46 ~= $0 }) else { return self }
        let bytes = text.utf8.map { 0x41...0x46 ~= $0 ? $0 | 0x20 : $0 }
        return (try? ClientID(parsing: bytes)) ?? self
    }

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

extension Statement.Checked {
    /// What must not come twice: a name that is remembered for each instance of a version, until the token is too old
    /// to be taken (threat 63).
    fileprivate func singleUse(
        of version: KeyID, about instance: ClientID, _ policy: Statement.AppRegistration.Policy, at now: Timestamp
    ) throws(TokenRejection) -> Statement.SingleUse? {
        if policy.strictSource, !claims.contains("jti") { return nil }
        // Bound: where nothing says that it is over before, it is remembered for a day (threat 62).
        var end = now + .seconds(86_400)
        if !policy.strictSource, let issuedAt { end = issuedAt + policy.maximumAge + .seconds(1) }
        return Statement.SingleUse(
            .appRegistration, of: try identifier("jti"),
            owner: "kid:\(version.text.utf8.count):" + version.text + instance.text,
            until: min(expiration ?? end, end), made: issuedAt)
    }
}

// MARK: - Making

extension Statement.AppRegistration {
    /// The request token of an instance, signed with the key of its version (REG-1), for one request within the next
    /// ten minutes.
    ///
    /// - Parameter versionKey: the key that all copies of this version carry, which must have the name under which it
    ///   is registered.
    /// - Parameter appName: the name that is registered with the key (REQ-9).
    /// - Parameter service: the base URL of the edu-ID service (REQ-11).
    /// - Parameter key: the instance's own public key, to which its token is to be bound.
    public static func signed(
        with versionKey: SigningKey, of appName: Issuer, instance: ClientID, on device: AppVersion.Device,
        to service: Issuer, binding key: JWK? = nil, at now: Timestamp, knowing signatures: Signatures = .none,
        using entropy: inout some RandomNumberGenerator
    ) throws(IssuanceRejection) -> Assertion {
        let id = JWT.ID.text(using: &entropy)
        return try Statement.Issuance(.appRegistration, with: versionKey).issued(knowing: signatures) { token in
            token.member("iss", appName.text)
            token.member("sub", instance.text)
            token.member("aud", service.text)
            token.member("name", device.name.text)
            token.member("device_id", device.id.text)
            token.member("device_type", device.type.text)
            token.member("os_version", device.systemVersion.text)
            token.member("iat", now.seconds)
            token.member("jti", id)
            if let key { token.member("cnf", JWT.Confirmation(key: key)) }
        }
    }
}

extension AppVersion {
    /// What an instance of the edu-ID app says about the device that it runs on (REG-2), for its user to recognize it
    /// by.
    public struct Device: Hashable, Sendable {
        /// The device's own name for itself, which no other device has.
        public var id: Detail
        /// The name that the device's owner chose (REQ-12).
        public var name: Detail
        /// What kind of device it is.
        public var type: Detail
        /// The version of its operating system.
        public var systemVersion: Detail

        /// A device.
        public init(id: Detail, name: Detail, type: Detail, systemVersion: Detail) {
            self.id = id
            self.name = name
            self.type = type
            self.systemVersion = systemVersion
        }

        /// One of the things that are said about a device: a short text that can be shown, and is compared byte by
        /// byte.
        public typealias Detail = Identifier<DetailKind>

        /// Says something about a device.
        public enum DetailKind: IdentifierKind {
            /// More than any owner calls a device.
            public static var lengthLimit: Int { 256 }
        }
    }
}
