public import PureCrypto
package import Wire

extension JWK {
    /// A key with its secret as JSON: the private half of a pair, or a symmetric key.
    ///
    /// It shows itself only in ``encoded()``.
    public struct Private: Sendable, CustomStringConvertible {
        enum Material: Sendable {
            case ed25519(Curve25519.Signing.PrivateKey)
            case p256(P256.Signing.PrivateKey)
            case p384(P384.Signing.PrivateKey)
            case p521(P521.Signing.PrivateKey)
            case symmetric(SymmetricKey)
            /// A key that this module does not compute with; its secrets are not kept.
            case foreign(KeyType)
        }

        let material: Material
        /// What the key says about itself.
        public var attributes: Attributes
        private let foreignPublicKey: JWK?

        private init(_ material: Material, _ attributes: Attributes) {
            self.material = material
            self.attributes = attributes
            foreignPublicKey = nil
        }

        /// The JSON form of an Ed25519 key pair.
        public init(_ key: Curve25519.Signing.PrivateKey, attributes: Attributes = Attributes()) {
            self.init(.ed25519(key), attributes)
        }

        /// The JSON form of a key pair of P-256.
        public init(_ key: P256.Signing.PrivateKey, attributes: Attributes = Attributes()) {
            self.init(.p256(key), attributes)
        }

        /// The JSON form of a key pair of P-384.
        public init(_ key: P384.Signing.PrivateKey, attributes: Attributes = Attributes()) {
            self.init(.p384(key), attributes)
        }

        /// The JSON form of a key pair of P-521.
        public init(_ key: P521.Signing.PrivateKey, attributes: Attributes = Attributes()) {
            self.init(.p521(key), attributes)
        }

        /// The JSON form of a symmetric key.
        public init(_ secret: SymmetricKey, attributes: Attributes = Attributes()) throws(Rejection) {
            guard secret.byteCount > 0 else { throw .emptySecret }
            self.init(.symmetric(secret), attributes)
        }

        /// The key's type.
        package var type: KeyType {
            switch material {
            case .ed25519: .octetKeyPair
            case .p256, .p384, .p521: .ellipticCurve
            case .symmetric: .octetSequence
            case .foreign(let type): type
            }
        }

        /// The key's name.
        package var id: KeyID? { attributes.id }

        /// The public half, with the same attributes except that operations of the private half are turned into theirs;
        /// symmetric keys have `nil`.
        public var publicKey: JWK? {
            let publicMaterial: JWK.Material
            switch material {
            case .ed25519(let key): publicMaterial = .ed25519(key.publicKey)
            case .p256(let key): publicMaterial = .p256(key.publicKey)
            case .p384(let key): publicMaterial = .p384(key.publicKey)
            case .p521(let key): publicMaterial = .p521(key.publicKey)
            case .symmetric, .foreign: return foreignPublicKey
            }
            var attributes = attributes
            attributes.operations = attributes.operations?.map { $0 == .sign ? .verify : $0 }
            return JWK(material: publicMaterial, attributes: attributes)
        }
    }
}

// MARK: - Reading

extension JWK.Private {
    /// Reads a private or symmetric key from its JSON text.
    public init(parsing text: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(JWK.document(text).root)
    }

    /// Reads a private or symmetric key from its JSON text.
    public init(parsing text: String) throws(JWK.Rejection) {
        try self.init(JWK.document(text.utf8).root)
    }

    /// Reads a private or symmetric key that is a value in a document.
    package init(_ value: JSON.Document.Value) throws(JWK.Rejection) {
        let members = try KeyMembers(value)
        let type = JWK.KeyType(JSON.Name(try members.text("kty")))
        if type == .octetSequence {
            let secret = try members.bytes("k")
            guard !secret.isEmpty else { throw .emptySecret }
            material = .symmetric(SymmetricKey(data: secret))
            attributes = try JWK.Attributes(members, material: ["k"])
            foreignPublicKey = nil
            try attributes.refuseOtherAlgorithm(than: Algorithm.symmetric, type: type)
            return
        }
        if type == .rsa, JWK.secretMembers.contains(where: { members.object.contains($0) }) { throw .privateRSAKey }
        guard members.object.contains("d") || members.object.contains("priv") else { throw .noSecret }
        let publicPart = try JWK(publicPart: members)
        attributes = publicPart.attributes
        switch publicPart.material {
        case .ed25519(let publicKey):
            let seed = try members.bytes("d", count: 32)
            let key = try wrapping(
                JWK.Rejection.invalidKey, try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
            // Signing uses the public key computed from the seed in any case; a foreign `x` is still no key pair.
            guard key.publicKey == publicKey else { throw .mismatchedPair }
            material = .ed25519(key)
        case .p256(let publicKey): material = .p256(try Self.pair(members, publicKey))
        case .p384(let publicKey): material = .p384(try Self.pair(members, publicKey))
        case .p521(let publicKey): material = .p521(try Self.pair(members, publicKey))
        case .rsa: throw .noSecret
        case .foreign:
            material = .foreign(type)
            foreignPublicKey = publicPart
            return
        }
        foreignPublicKey = nil
    }

    private static func pair<Key: CurvePrivateKey>(_ members: KeyMembers, _ publicKey: Key.PublicKey)
        throws(JWK.Rejection) -> Key
    {
        let scalar = try members.bytes("d", of: Key.PublicKey.curve)
        let key = try wrapping(JWK.Rejection.invalidCurveKey, try Key(rawRepresentation: scalar))
        guard key.publicKey == publicKey else { throw .mismatchedPair }
        return key
    }
}

// MARK: - Writing

extension JWK.Private {
    /// The key with its secret as a JSON text; `nil` for keys of types that this module does not compute with, whose
    /// secrets are not kept.
    public func encoded() -> [UInt8]? {
        switch material {
        case .p256(let key): encoded(key)
        case .p384(let key): encoded(key)
        case .p521(let key): encoded(key)
        case .ed25519(let key):
            JSON.encodedObject { object in
                object.member("kty", JWK.KeyType.octetKeyPair.name.text)
                object.member("crv", "Ed25519")
                object.member("x", Base64URL.encode(key.publicKey.rawRepresentation))
                object.member("d", Base64URL.encode(key.rawRepresentation))
                attributes.write(to: &object)
            }
        case .symmetric(let secret):
            JSON.encodedObject { object in
                object.member("kty", JWK.KeyType.octetSequence.name.text)
                object.member("k", secret.withSpan { Base64URL.encode($0) })
                attributes.write(to: &object)
            }
        case .foreign: nil
        }
    }

    private func encoded(_ key: some CurvePrivateKey) -> [UInt8] {
        JSON.encodedObject { object in
            JWK.write(key.publicKey, to: &object)
            object.member("d", Base64URL.encode(key.rawRepresentation))
            attributes.write(to: &object)
        }
    }
}

extension JWK.Private {
    /// Names the key and shows nothing of its secret.
    public var description: String { "JWK.Private(\(type), kid: \(id?.text ?? "none"), redacted)" }
}
