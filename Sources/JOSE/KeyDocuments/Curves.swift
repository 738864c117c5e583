public import PureCrypto

// Each of the three curves has the same documents: SubjectPublicKeyInfo (RFC 5480) for public keys; the PKCS #8 of RFC
// 5958, or the form of SEC 1 in RFC 5915, for private ones.

// MARK: - P-256

extension P256.Signing.PublicKey {
    /// Reads the SubjectPublicKeyInfo of a key of P-256, its point uncompressed or compressed.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(document: bytes)
    }

    /// Reads the SubjectPublicKeyInfo of a key of P-256 in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) { try self.init(document: text) }

    /// The SubjectPublicKeyInfo of the key, its point uncompressed.
    public var derRepresentation: [UInt8] { document }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { textDocument }
}

extension P256.Signing.PrivateKey {
    /// Reads a key of P-256 from its PKCS #8 or from the form of SEC 1; public keys inside must belong to it.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(document: bytes)
    }

    /// Reads a key of P-256 from a text with the label `PRIVATE KEY` or `EC PRIVATE KEY`.
    public init(pemRepresentation text: String) throws(JWK.Rejection) { try self.init(document: text) }

    /// The PKCS #8 of the key, with its public key inside.
    public var derRepresentation: [UInt8] { document }

    /// The PKCS #8 of the key in its textual encoding.
    public var pemRepresentation: String { textDocument }
}

// MARK: - P-384

extension P384.Signing.PublicKey {
    /// Reads the SubjectPublicKeyInfo of a key of P-384, its point uncompressed or compressed.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(document: bytes)
    }

    /// Reads the SubjectPublicKeyInfo of a key of P-384 in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) { try self.init(document: text) }

    /// The SubjectPublicKeyInfo of the key, its point uncompressed.
    public var derRepresentation: [UInt8] { document }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { textDocument }
}

extension P384.Signing.PrivateKey {
    /// Reads a key of P-384 from its PKCS #8 or from the form of SEC 1; public keys inside must belong to it.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(document: bytes)
    }

    /// Reads a key of P-384 from a text with the label `PRIVATE KEY` or `EC PRIVATE KEY`.
    public init(pemRepresentation text: String) throws(JWK.Rejection) { try self.init(document: text) }

    /// The PKCS #8 of the key, with its public key inside.
    public var derRepresentation: [UInt8] { document }

    /// The PKCS #8 of the key in its textual encoding.
    public var pemRepresentation: String { textDocument }
}

// MARK: - P-521

extension P521.Signing.PublicKey {
    /// Reads the SubjectPublicKeyInfo of a key of P-521, its point uncompressed or compressed.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(document: bytes)
    }

    /// Reads the SubjectPublicKeyInfo of a key of P-521 in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) { try self.init(document: text) }

    /// The SubjectPublicKeyInfo of the key, its point uncompressed.
    public var derRepresentation: [UInt8] { document }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { textDocument }
}

extension P521.Signing.PrivateKey {
    /// Reads a key of P-521 from its PKCS #8 or from the form of SEC 1; public keys inside must belong to it.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        try self.init(document: bytes)
    }

    /// Reads a key of P-521 from a text with the label `PRIVATE KEY` or `EC PRIVATE KEY`.
    public init(pemRepresentation text: String) throws(JWK.Rejection) { try self.init(document: text) }

    /// The PKCS #8 of the key, with its public key inside.
    public var derRepresentation: [UInt8] { document }

    /// The PKCS #8 of the key in its textual encoding.
    public var pemRepresentation: String { textDocument }
}
