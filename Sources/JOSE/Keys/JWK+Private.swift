public import PureCrypto
package import Wire

extension JWK {
    /// A key with its secret as JSON: the private half of a pair, or a symmetric key.
    ///
    /// It shows itself only in ``encoded()``.
    public struct Private: Sendable, CustomStringConvertible {
        enum Material: Sendable {
            case ed25519(Curve25519.Signing.PrivateKey)
            case symmetric(SymmetricKey)
            /// A key that this module does not compute with; its secrets are not kept.
            case foreign(KeyType)
        }

        let material: Material
        /// What the key says about itself.
        public var attributes: Attributes
        private let foreignPublicKey: JWK?

        /// The JSON form of an Ed25519 key pair.
        public init(_ key: Curve25519.Signing.PrivateKey, attributes: Attributes = Attributes()) {
            material = .ed25519(key)
            self.attributes = attributes
            foreignPublicKey = nil
        }

        /// The JSON form of a symmetric key.
        public init(_ secret: SymmetricKey, attributes: Attributes = Attributes()) throws(Rejection) {
            guard secret.byteCount > 0 else { throw .emptySecret }
            material = .symmetric(secret)
            self.attributes = attributes
            foreignPublicKey = nil
        }

        /// The key's type.
        package var type: KeyType {
            switch material {
            case .ed25519: .octetKeyPair
            case .symmetric: .octetSequence
            case .foreign(let type): type
            }
        }

        /// The key's name.
        package var id: KeyID? { attributes.id }

        /// The public half, with the same attributes except that operations of the private half are turned into theirs;
        /// symmetric keys have `nil`.
        public var publicKey: JWK? {
            guard case .ed25519(let key) = material else { return foreignPublicKey }
            var attributes = attributes
            attributes.operations = attributes.operations?.map { $0 == .sign ? .verify : $0 }
            return JWK(key.publicKey, attributes: attributes)
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
            try attributes.refuseOtherAlgorithm(than: type)
            return
        }
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
            foreignPublicKey = nil
        case .foreign:
            material = .foreign(type)
            foreignPublicKey = publicPart
        }
    }
}

// MARK: - Writing

extension JWK.Private {
    /// The key with its secret as a JSON text; `nil` for keys of types that this module does not compute with, whose
    /// secrets are not kept.
    public func encoded() -> [UInt8]? {
        switch material {
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
}

extension JWK.Private {
    /// Names the key and shows nothing of its secret.
    public var description: String { "JWK.Private(\(type), kid: \(id?.text ?? "none"), redacted)" }
}
