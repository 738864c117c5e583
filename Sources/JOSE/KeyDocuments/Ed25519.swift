public import PureCrypto

// MARK: - Public keys: SubjectPublicKeyInfo (RFC 8410 §4)

extension Curve25519.Signing.PublicKey {
    /// Reads the SubjectPublicKeyInfo of an Ed25519 key.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        self = try PublicKeyParts(bytes, of: .ed25519).ed25519()
    }

    /// Reads the SubjectPublicKeyInfo of an Ed25519 key in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        try self.init(derRepresentation: try PEM.decode(text, labels: [PEM.publicKey]).bytes)
    }

    /// The SubjectPublicKeyInfo of the key.
    public var derRepresentation: [UInt8] { PublicKeyParts.encoded(.ed25519, rawRepresentation) }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: PEM.publicKey) }
}

// MARK: - Private keys: OneAsymmetricKey, the PKCS #8 of RFC 5958 and RFC 8410 §7

extension Curve25519.Signing.PrivateKey {
    /// Reads the OneAsymmetricKey of an Ed25519 key: version 1, or version 2 with the public key, which must belong to
    /// the private one.
    ///
    /// Attributes are passed over; what is written again has none.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        self = try PrivateKeyParts(bytes, as: .pkcs8, of: .ed25519).ed25519()
    }

    /// Reads the OneAsymmetricKey of an Ed25519 key in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        try self.init(derRepresentation: try PEM.decode(text, labels: [PEM.privateKey]).bytes)
    }

    /// The OneAsymmetricKey of the key, version 1, which every reader knows.
    public var derRepresentation: [UInt8] {
        DER.value(.sequence, DER.natural([0]), DocumentAlgorithm.ed25519.identifier, secretValue)
    }

    /// The OneAsymmetricKey of the key with its public key, version 2.
    package var derRepresentationWithPublicKey: [UInt8] {
        let bits = DER.value(.publicKey, [0] + publicKey.rawRepresentation)
        return DER.value(.sequence, DER.natural([1]), DocumentAlgorithm.ed25519.identifier, secretValue, bits)
    }

    private var secretValue: [UInt8] { DER.value(.octetString, DER.value(.octetString, rawRepresentation)) }

    /// The OneAsymmetricKey of the key, version 1, in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: PEM.privateKey) }
}
