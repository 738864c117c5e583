public import PureCrypto
public import Wire

/// A public key as JSON (RFC 7517): what may be shown to everybody.
///
/// Its private twin is ``Private``.
///
/// Keys of types that this module does not compute with are read, kept and written again; only their use is refused.
public struct JWK: Hashable, Sendable, JSON.Writable {
    /// What the key consists of.
    package enum Material: Hashable, Sendable {
        /// A point of Ed25519, checked.
        case ed25519(Curve25519.Signing.PublicKey)
        /// A point of P-256, checked.
        case p256(P256.Signing.PublicKey)
        /// A point of P-384, checked.
        case p384(P384.Signing.PublicKey)
        /// A point of P-521, checked.
        case p521(P521.Signing.PublicKey)
        /// Modulus and exponent of RSA, within the bounds.
        case rsa(RSA.Signing.PublicKey)
        /// The members of a key of another type or curve, checked as far as the type's registration goes.
        case foreign(KeyType, JSON.Object)
    }

    /// What the key consists of.
    package let material: Material
    /// What the key says about itself.
    public var attributes: Attributes

    /// The JSON form of what a key consists of.
    package init(material: Material, attributes: Attributes) {
        self.material = material
        self.attributes = attributes
    }

    /// The JSON form of an Ed25519 key.
    public init(_ key: Curve25519.Signing.PublicKey, attributes: Attributes = Attributes()) {
        self.init(material: .ed25519(key), attributes: attributes)
    }

    /// The JSON form of a key of P-256.
    public init(_ key: P256.Signing.PublicKey, attributes: Attributes = Attributes()) {
        self.init(material: .p256(key), attributes: attributes)
    }

    /// The JSON form of a key of P-384.
    public init(_ key: P384.Signing.PublicKey, attributes: Attributes = Attributes()) {
        self.init(material: .p384(key), attributes: attributes)
    }

    /// The JSON form of a key of P-521.
    public init(_ key: P521.Signing.PublicKey, attributes: Attributes = Attributes()) {
        self.init(material: .p521(key), attributes: attributes)
    }

    /// The JSON form of an RSA key; unless its attributes name an algorithm, whoever verifies has to list those that it
    /// accepts.
    public init(_ key: RSA.Signing.PublicKey, attributes: Attributes = Attributes()) {
        self.init(material: .rsa(key), attributes: attributes)
    }

    /// The key's type.
    package var type: KeyType {
        switch material {
        case .ed25519: .octetKeyPair
        case .p256, .p384, .p521: .ellipticCurve
        case .rsa: .rsa
        case .foreign(let type, _): type
        }
    }

    /// The built-in algorithms that keys of this type and curve serve.
    var fittingAlgorithms: [Algorithm] {
        switch material {
        case .ed25519: [.edDSA, .ed25519]
        case .p256: [.es256]
        case .p384: [.es384]
        case .p521: [.es512]
        case .rsa: Algorithm.rsa
        case .foreign: []
        }
    }

    /// The key's name.
    public var id: KeyID? { attributes.id }
}

// MARK: - Reading

extension JWK {
    /// How large a key may be; a RSA key of 16,384 bits has some 3,000 bytes.
    static let limits = JSON.Limits(size: 16 << 10, depth: 8, values: 512, members: 128)

    /// Members that hold secrets, whatever the type of the key (RFC 7518 §6, RFC 8037 §2, RFC 9964).
    static let secretMembers: [JSON.Name] = ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"]

    /// Reads a public key from its JSON text.
    public init(parsing text: some Collection<UInt8>) throws(Rejection) {
        try self.init(JWK.document(text).root)
    }

    /// Reads a public key from its JSON text.
    public init(parsing text: String) throws(Rejection) {
        try self.init(JWK.document(text.utf8).root)
    }

    /// Reads a public key that is a value in a document.
    ///
    /// - Parameter known: a key that may well be the same; then its point need not be found again.
    package init(_ value: JSON.Document.Value, knowing known: JWK? = nil) throws(Rejection) {
        let members = try KeyMembers(value, knowing: known)
        if let secret = JWK.secretMembers.first(where: { members.object.contains($0) }) { throw .secretMember(secret) }
        try self.init(publicPart: members)
    }

    /// Reads the public part of a key and leaves secret members alone.
    init(publicPart members: KeyMembers) throws(Rejection) {
        let type = KeyType(JSON.Name(try members.text("kty")))
        let names: [JSON.Name]
        (material, names) = try members.material(of: type)
        attributes = try Attributes(members, material: names + JWK.secretMembers)
        guard !fittingAlgorithms.isEmpty else { return }
        try attributes.refuseOtherAlgorithm(than: fittingAlgorithms, type: type)
    }

    static func document(_ text: some Collection<UInt8>) throws(Rejection) -> JSON.Document {
        try wrapping(Rejection.malformed, try JSON.Document(parsing: text, limits: limits))
    }
}

// MARK: - Writing

extension JWK {
    /// The key as a JSON text.
    public func encoded() -> [UInt8] { JSON.encodedObject { write(to: &$0) } }

    /// Writes the key as an object.
    public func write(to place: consuming JSON.ValueWriter) { place.object { write(to: &$0) } }

    func write(to object: inout JSON.ObjectWriter) {
        switch material {
        case .ed25519(let key):
            object.member("kty", JWK.KeyType.octetKeyPair.name.text)
            object.member("crv", "Ed25519")
            object.member("x", Base64URL.encode(key.rawRepresentation))
        case .p256(let key): Self.write(key, to: &object)
        case .p384(let key): Self.write(key, to: &object)
        case .p521(let key): Self.write(key, to: &object)
        case .rsa(let key):
            object.member("kty", JWK.KeyType.rsa.name.text)
            object.member("n", Base64URL.encode(key.modulus))
            object.member("e", Base64URL.encode(key.exponent))
        case .foreign(let type, let members):
            object.member("kty", type.name.text)
            for member in members { object.member(member.name, member.value) }
        }
        attributes.write(to: &object)
    }

    /// Writes the members of a point (RFC 7518 §6.2.1): coordinates have their full length.
    static func write<Key: CurvePublicKey>(_ key: Key, to object: inout JSON.ObjectWriter) {
        object.member("kty", JWK.KeyType.ellipticCurve.name.text)
        object.member("crv", Key.curve.description)
        object.member("x", Base64URL.encode(key.x))
        object.member("y", Base64URL.encode(key.y))
    }
}
