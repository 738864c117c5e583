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
        /// The members of a key of another type, checked as far as the type's registration goes.
        case foreign(KeyType, JSON.Object)
    }

    /// What the key consists of.
    package let material: Material
    /// What the key says about itself.
    public var attributes: Attributes

    /// The JSON form of an Ed25519 key.
    public init(_ key: Curve25519.Signing.PublicKey, attributes: Attributes = Attributes()) {
        material = .ed25519(key)
        self.attributes = attributes
    }

    /// The key's type.
    package var type: KeyType {
        switch material {
        case .ed25519: .octetKeyPair
        case .foreign(let type, _): type
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
    private static let secretMembers: [JSON.Name] = ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"]

    /// Reads a public key from its JSON text.
    public init(parsing text: some Collection<UInt8>) throws(Rejection) {
        try self.init(JWK.document(text).root)
    }

    /// Reads a public key from its JSON text.
    public init(parsing text: String) throws(Rejection) {
        try self.init(JWK.document(text.utf8).root)
    }

    /// Reads a public key that is a value in a document.
    package init(_ value: JSON.Document.Value) throws(Rejection) {
        let members = try KeyMembers(value)
        if let secret = JWK.secretMembers.first(where: { members.object.contains($0) }) { throw .secretMember(secret) }
        try self.init(publicPart: members)
    }

    /// Reads the public part of a key and leaves secret members alone.
    init(publicPart members: KeyMembers) throws(Rejection) {
        let type = KeyType(JSON.Name(try members.text("kty")))
        if type == .octetKeyPair, JSON.Name(try members.text("crv")) == "Ed25519" {
            let point = try members.bytes("x", count: 32)
            material = .ed25519(
                try wrapping(Rejection.invalidKey, try Curve25519.Signing.PublicKey(rawRepresentation: point)))
            attributes = try Attributes(members, material: ["crv", "x"] + JWK.secretMembers)
            try attributes.refuseOtherAlgorithm(than: .octetKeyPair)
        } else {
            let foreign = try members.material(of: type)
            material = .foreign(type, foreign)
            attributes = try Attributes(members, material: foreign.map { $0.name } + JWK.secretMembers)
            if type == .octetSequence { try attributes.refuseOtherAlgorithm(than: type) }
        }
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
        case .foreign(let type, let members):
            object.member("kty", type.name.text)
            for member in members { object.member(member.name, member.value) }
        }
        attributes.write(to: &object)
    }
}
