public import PureCrypto

/// A public key from a document that says itself of which type it is: a SubjectPublicKeyInfo.
public enum PublicKeyDocument: Hashable, Sendable {
    /// A key of Ed25519.
    case ed25519(Curve25519.Signing.PublicKey)
    /// A key of P-256.
    case p256(P256.Signing.PublicKey)
    /// A key of P-384.
    case p384(P384.Signing.PublicKey)
    /// A key of P-521.
    case p521(P521.Signing.PublicKey)
    /// A key of RSA, which names no algorithm; whoever verifies with it says which one it is for.
    case rsa(RSA.Signing.PublicKey)

    /// Reads a SubjectPublicKeyInfo, or says what stands there instead.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        let parts = try PublicKeyParts(bytes)
        switch parts.algorithm {
        case .ed25519: self = .ed25519(try parts.ed25519())
        case .ecdsa(.p256): self = .p256(try parts.curveKey())
        case .ecdsa(.p384): self = .p384(try parts.curveKey())
        case .ecdsa(.p521): self = .p521(try parts.curveKey())
        case .rsa: self = .rsa(try parts.rsa())
        }
    }

    /// Reads a text with the label `PUBLIC KEY`, or says what stands there instead.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        try self.init(derRepresentation: try PEM.decode(text, labels: [PEM.publicKey]).bytes)
    }

    /// The SubjectPublicKeyInfo of the key.
    public var derRepresentation: [UInt8] {
        switch self {
        case .ed25519(let key): key.derRepresentation
        case .p256(let key): key.derRepresentation
        case .p384(let key): key.derRepresentation
        case .p521(let key): key.derRepresentation
        case .rsa(let key): key.derRepresentation
        }
    }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: PEM.publicKey) }
}

/// A private key from a document that says itself of which type it is; private keys of RSA are refused.
public enum PrivateKeyDocument: Sendable {
    /// A key of Ed25519.
    case ed25519(Curve25519.Signing.PrivateKey)
    /// A key of P-256.
    case p256(P256.Signing.PrivateKey)
    /// A key of P-384.
    case p384(P384.Signing.PrivateKey)
    /// A key of P-521.
    case p521(P521.Signing.PrivateKey)

    /// Reads a PKCS #8, or the form of SEC 1 that names its curve, or says what stands there instead.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(try PrivateKeyParts(bytes))
    }

    /// Reads a PKCS #8 (RFC 5958).
    package init(pkcs8 bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(try PrivateKeyParts(bytes, as: .pkcs8))
    }

    /// Reads an ECPrivateKey (RFC 5915).
    package init(sec1 bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(try PrivateKeyParts(bytes, as: .sec1))
    }

    /// Reads a text with the label `PRIVATE KEY` or `EC PRIVATE KEY`, or says what stands there instead.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        let (label, bytes) = try PEM.decode(text, labels: [PEM.privateKey, PEM.curvePrivateKey])
        try self.init(try PrivateKeyParts(bytes, as: PrivateKeyParts.Form(label: label)))
    }

    private init(_ parts: PrivateKeyParts) throws(JWK.Rejection) {
        switch parts.algorithm {
        case .ed25519: self = .ed25519(try parts.ed25519())
        case .ecdsa(.p256): self = .p256(try parts.curveKey())
        case .ecdsa(.p384): self = .p384(try parts.curveKey())
        case .ecdsa(.p521): self = .p521(try parts.curveKey())
        case .rsa: throw .privateRSAKey
        }
    }

    /// The PKCS #8 of the key.
    public var derRepresentation: [UInt8] {
        switch self {
        case .ed25519(let key): key.derRepresentation
        case .p256(let key): key.derRepresentation
        case .p384(let key): key.derRepresentation
        case .p521(let key): key.derRepresentation
        }
    }

    /// The PKCS #8 of the key in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: PEM.privateKey) }
}

// MARK: - As JSON, and from it

extension JWK {
    /// The JSON form of a key from a document, which says nothing of its name, use and algorithm.
    public init(_ document: PublicKeyDocument, attributes: Attributes = Attributes()) {
        let material: Material =
            switch document {
            case .ed25519(let key): .ed25519(key)
            case .p256(let key): .p256(key)
            case .p384(let key): .p384(key)
            case .p521(let key): .p521(key)
            case .rsa(let key): .rsa(key)
            }
        self.init(material: material, attributes: attributes)
    }

    /// The key as a document; `nil` for types that this module does not compute with.
    public var document: PublicKeyDocument? {
        switch material {
        case .ed25519(let key): .ed25519(key)
        case .p256(let key): .p256(key)
        case .p384(let key): .p384(key)
        case .p521(let key): .p521(key)
        case .rsa(let key): .rsa(key)
        case .foreign: nil
        }
    }
}

extension JWK.Private {
    /// The JSON form of a key from a document, which says nothing of its name, use and algorithm.
    public init(_ document: PrivateKeyDocument, attributes: JWK.Attributes = JWK.Attributes()) {
        switch document {
        case .ed25519(let key): self.init(key, attributes: attributes)
        case .p256(let key): self.init(key, attributes: attributes)
        case .p384(let key): self.init(key, attributes: attributes)
        case .p521(let key): self.init(key, attributes: attributes)
        }
    }

    /// The key as a document; `nil` for symmetric keys and for types that this module does not compute with.
    public var document: PrivateKeyDocument? {
        switch material {
        case .ed25519(let key): .ed25519(key)
        case .p256(let key): .p256(key)
        case .p384(let key): .p384(key)
        case .p521(let key): .p521(key)
        case .symmetric, .foreign: nil
        }
    }
}
