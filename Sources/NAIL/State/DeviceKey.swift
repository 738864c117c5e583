public import JOSE
public import PureCrypto
public import Wire

/// The key pair that an app has its tokens bound to: the public half travels with the request, the private one never
/// leaves the state.
///
/// Each request gets a pair of its own, so that services which never met in one request cannot tell that they serve the
/// same app.
public typealias AppKey = DeviceKey

/// A key pair of one device: it is kept with what it opens, or it lies elsewhere, such as in a secure element, and only
/// its public half is here.
public struct DeviceKey: Sendable {
    private enum Place: Sendable, Equatable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        /// The public key, under the name that the host knows the private one by.
        case elsewhere(JWK)
    }

    private let place: Place

    private init(_ place: Place) { self.place = place }

    /// An Ed25519 key that is kept here.
    public init(_ key: Curve25519.Signing.PrivateKey) { self.init(.ed25519(key)) }

    /// A key of P-256 that is kept here.
    public init(_ key: P256.Signing.PrivateKey) { self.init(.p256(key)) }

    /// A new Ed25519 key that is kept here.
    public init(using entropy: inout some RandomNumberGenerator) {
        self.init(Curve25519.Signing.PrivateKey(using: &entropy))
    }

    /// A key whose private half lies elsewhere.
    ///
    /// What it is to sign is asked for as a `SignatureRequest`, in which the name of this public key says which one is
    /// meant. That name is kept and told to nobody.
    public init(elsewhere key: JWK) throws(JWK.Rejection) {
        _ = try SigningKey(elsewhere: key)
        self.init(.elsewhere(key))
    }

    /// The half that travels, without a name.
    public var publicKey: JWK {
        switch place {
        case .ed25519(let pair): return JWK(pair.publicKey)
        case .p256(let pair): return JWK(pair.publicKey)
        case .elsewhere(var key):
            key.attributes = JWK.Attributes(algorithm: key.attributes.algorithm)
            return key
        }
    }

    /// The name that the host knows the key by, where it lies elsewhere and has one.
    public var name: KeyID? {
        if case .elsewhere(let key) = place { key.id } else { nil }
    }

    /// Whether the private half lies elsewhere.
    public var isElsewhere: Bool {
        if case .elsewhere = place { true } else { false }
    }

    /// A new key of the same type, kept here as well; `nil` where only the host can make one.
    package func another(using entropy: inout some RandomNumberGenerator) -> DeviceKey? {
        switch place {
        case .ed25519: DeviceKey(Curve25519.Signing.PrivateKey(using: &entropy))
        case .p256: DeviceKey(P256.Signing.PrivateKey(using: &entropy))
        case .elsewhere: nil
        }
    }

    /// The key as it signs for somebody who knows it by this name.
    package func signing(as id: KeyID? = nil) throws(JWK.Rejection) -> SigningKey {
        switch place {
        case .ed25519(let pair): SigningKey(pair, id: id)
        case .p256(let pair): SigningKey(pair, id: id)
        case .elsewhere(let key): try SigningKey(elsewhere: key, id: id)
        }
    }

    /// Whether a confirmation means this key.
    func isMeant(by confirmation: JWT.Confirmation.Representation) -> Bool {
        switch confirmation {
        case .key(let key): key.material == publicKey.material
        case .thumbprint(let thumbprint): (try? publicKey.thumbprint(thumbprint.hash)) == thumbprint
        case .encryptedKey, .keySet: false
        }
    }
}

extension DeviceKey: Equatable, CustomStringConvertible, CustomReflectable {
    /// Whether both are the same pair, under the same name.
    public static func == (one: DeviceKey, other: DeviceKey) -> Bool { one.place == other.place }

    /// Shows nothing of the secret.
    public var description: String { "DeviceKey (redacted)" }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - Where it is kept

extension DeviceKey {
    /// The names under which objects keep keys of the types there are.
    private enum Member {
        static let ed25519: JSON.Name = "key"
        static let elsewhere: JSON.Name = "elsewhere"
        static let p256: JSON.Name = "p256"
        static let all = [ed25519, p256, elsewhere]
    }

    /// Takes back the seed that ``seed`` gave.
    init?(seed text: String) {
        guard let bytes = try? Base64URL.decode(text),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        self.init(pair)
    }

    /// The secret of an Ed25519 key, from which all else follows; no other key has one.
    var seed: String? {
        if case .ed25519(let pair) = place { Base64URL.encode(pair.rawRepresentation) } else { nil }
    }

    /// Takes back the key that ``write(to:)`` kept among the members of an object.
    package init?(keptIn members: JSON.Document.Object) {
        let present = Member.all.filter { members.contains($0) }
        guard present.count == 1, let value = members.optional(present[0]) else { return nil }
        switch present[0] {
        case Member.ed25519:
            guard let seed = try? value.string() else { return nil }
            self.init(seed: seed)
        case Member.p256:
            guard let text = try? value.string(), let scalar = try? Base64URL.decode(text),
                let pair = try? P256.Signing.PrivateKey(rawRepresentation: scalar)
            else { return nil }
            self.init(pair)
        default:
            guard let key = try? JWK(value) else { return nil }
            try? self.init(elsewhere: key)
        }
    }

    /// Keeps the key in an object, in a member that tells its type.
    package func write(to object: inout JSON.ObjectWriter) {
        switch place {
        case .ed25519(let pair): object.member(Member.ed25519, Base64URL.encode(pair.rawRepresentation))
        case .p256(let pair): object.member(Member.p256, Base64URL.encode(pair.rawRepresentation))
        case .elsewhere(let key): object.member(Member.elsewhere, key)
        }
    }
}
