public import JOSE
public import Wire

/// One released version of the edu-ID app, as the federation's management registers it (FED-2), with the key that every
/// copy of it carries.
///
/// The key proves where a request token comes from, and nothing about which of the copies made it.
public struct AppVersion: Sendable {
    /// For what the version was built.
    public let platform: Platform
    /// Its place in the version line of its platform.
    public let number: Number
    /// The name of the app that is registered with the key, which request tokens bear as their issuer (REQ-9).
    public let appName: Issuer
    /// The key's name, by which request tokens say which version they come from.
    public let keyID: KeyID
    /// Where a browser may call apps of this version back (OIC-2).
    public var callbacks: [CallbackAddress] = []
    /// Whether the version has been shut out (FED-4, REG-4).
    public var isBlocked = false
    /// The key, which has its name, and the algorithms that tokens of this version may have (REQ-4).
    let key: VerificationKey
    /// What tells keys apart; nothing where only the embedder computes with the key.
    let thumbprint: JWK.Thumbprint?

    /// A version with a public key; an algorithm that the key names excludes all others.
    public init(_ platform: Platform, _ number: Number, appName: Issuer, keyID: KeyID, key: JWK) throws(JWK.Rejection) {
        var key = key
        key.attributes.id = keyID
        self.init(platform, number, appName, keyID, try VerificationKey(key), try key.thumbprint())
    }

    /// A version with a symmetric key, or a key pair; an algorithm that the key names excludes all others.
    public init(_ platform: Platform, _ number: Number, appName: Issuer, keyID: KeyID, secret: JWK.Private)
        throws(JWK.Rejection)
    {
        var secret = secret
        secret.attributes.id = keyID
        self.init(platform, number, appName, keyID, try VerificationKey(secret), try secret.thumbprint())
    }

    /// A version whose signatures something of the embedder's checks, by an algorithm that is not built in (REQ-5).
    public init(
        _ platform: Platform, _ number: Number, appName: Issuer, keyID: KeyID, verifier: some Verifier,
        for algorithm: Algorithm
    ) {
        self.init(platform, number, appName, keyID, VerificationKey(verifier, for: algorithm, id: keyID), nil)
    }

    private init(
        _ platform: Platform, _ number: Number, _ appName: Issuer, _ keyID: KeyID, _ key: VerificationKey,
        _ thumbprint: JWK.Thumbprint?
    ) {
        self.platform = platform
        self.number = number
        self.appName = appName
        self.keyID = keyID
        self.key = key.prepared()
        self.thumbprint = thumbprint
    }

    /// Whether an instance may move from another version to this one: forward in the same line (REG-5).
    public func isUpgrade(of other: AppVersion) -> Bool {
        platform == other.platform && appName == other.appName && number > other.number
    }
}

extension AppVersion {
    /// What a version is built for; the list is open.
    public struct Platform: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name, which is compared byte by byte.
        public let name: JSON.Name

        /// The platform of this name.
        public init(_ name: JSON.Name) { self.name = name }

        /// The platform of this name.
        public init(stringLiteral name: String) { self.init(JSON.Name(name)) }

        /// The name.
        public var description: String { name.text }

        /// Android.
        public static let android: Platform = "android"
        /// iOS and iPadOS.
        public static let iOS: Platform = "ios"
    }

    /// A version's number: components that count, apart by dots, so that 2.10 comes after 2.9.
    ///
    /// What is not written is zero: 2.0 and 2 are the same version.
    public struct Number: Comparable, Hashable, Sendable, CustomStringConvertible {
        /// The components, of which the last is not zero unless it is the only one.
        public let components: [UInt32]

        /// The most components that a number has.
        public static let countLimit = 8

        /// The number as it is written.
        public var description: String { components.map { String($0) }.joined(separator: ".") }

        /// Whether one version was released before the other.
        public static func < (one: Number, other: Number) -> Bool {
            one.components.lexicographicallyPrecedes(other.components)
        }
    }
}

extension AppVersion.Number: Parsable {
    /// Reads a number such as `2.10.1`.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        var components: [UInt32] = []
        var start = 0
        for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: ".") {
            guard end > start else { throw .malformed(.versionNumber, offset: start) }
            guard components.count < Self.countLimit else { throw .tooMany(.versionNumber, limit: Self.countLimit) }
            guard end == start + 1 || bytes[start] != UInt8(ascii: "0") else {
                throw .malformed(.versionNumber, offset: start)
            }
            var value: UInt64 = 0
            for offset in start..<end {
                guard 0x30...0x39 ~= bytes[offset] else { throw .foreignCharacter(.versionNumber, offset: offset) }
                // At most ten times 32 bits, and a digit: 64 bits hold that.
                value = value * 10 + UInt64(bytes[offset] - 0x30)
                guard value <= UInt32.max else { throw .malformed(.versionNumber, offset: start) }
            }
            components.append(UInt32(value))
            start = end + 1
        }
        while components.count > 1, components.last == 0 { components.removeLast() }
        self.components = components
    }
}

// MARK: - The registry

extension AppVersion {
    /// The registered versions of the edu-ID app, found by the names of their keys: a value that the federation's
    /// management replaces.
    ///
    /// A host that keeps its versions elsewhere looks them up by itself, and sees to it that a key and its name are one
    /// version's alone.
    public struct Registry: Sendable {
        /// The versions in the order in which they were given.
        public let all: [AppVersion]
        private let versions: [KeyID: AppVersion]

        /// A registry without versions.
        public init() {
            all = []
            versions = [:]
        }

        /// A registry in which each key, and each name of a key, belongs to exactly one version (REQ-4).
        public init(_ versions: [AppVersion]) throws(IssuanceRejection) {
            var byID: [KeyID: AppVersion] = [:]
            var byThumbprint: [JWK.Thumbprint: KeyID] = [:]
            for version in versions {
                guard byID.updateValue(version, forKey: version.keyID) == nil else {
                    throw .sharedKeyID(version.keyID)
                }
                guard let thumbprint = version.thumbprint else { continue }
                if let other = byThumbprint.updateValue(version.keyID, forKey: thumbprint) {
                    throw .sharedKey(other, version.keyID)
                }
            }
            all = versions
            self.versions = byID
        }

        /// The version whose key has this name.
        public subscript(keyID: KeyID) -> AppVersion? { versions[keyID] }

        /// How many versions are registered.
        public var count: Int { versions.count }
    }
}
