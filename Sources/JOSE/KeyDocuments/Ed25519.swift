public import PureCrypto
import Wire

// MARK: - Public keys: SubjectPublicKeyInfo (RFC 8410 §4)

extension Curve25519.Signing.PublicKey {
    private static let label = "PUBLIC KEY"

    /// Reads the SubjectPublicKeyInfo of an Ed25519 key.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        let bytes = [UInt8](bytes)
        var document = DER.Reader(bytes[...])
        var key = DER.Reader(try document.content(.sequence))
        try document.finish()
        try key.ed25519()
        let bits = try key.content(.bitString)
        try key.finish()
        try self.init(bits: bits)
    }

    /// Reads the SubjectPublicKeyInfo of an Ed25519 key in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        try self.init(derRepresentation: try PEM.decode(text, label: Self.label))
    }

    /// The SubjectPublicKeyInfo of the key.
    public var derRepresentation: [UInt8] {
        DER.value(.sequence, DER.algorithm, DER.value(.bitString, [0], rawRepresentation))
    }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: Self.label) }

    /// Reads the content of a bit string: a count of unused bits, which is zero, and the key.
    fileprivate init(bits: ArraySlice<UInt8>) throws(JWK.Rejection) {
        guard bits.first == 0 else { throw bits.isEmpty ? .truncated : .unusedBits }
        self = try wrapping(JWK.Rejection.invalidKey, try Self(rawRepresentation: bits.dropFirst()))
    }
}

// MARK: - Private keys: OneAsymmetricKey, the PKCS #8 of RFC 5958 and RFC 8410 §7

extension Curve25519.Signing.PrivateKey {
    private static let label = "PRIVATE KEY"

    /// Reads the OneAsymmetricKey of an Ed25519 key: version 1, or version 2 with the public key, which must belong to
    /// the private one.
    ///
    /// Attributes are passed over; what is written again has none.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        let bytes = [UInt8](bytes)
        var document = DER.Reader(bytes[...])
        var key = DER.Reader(try document.content(.sequence))
        try document.finish()
        let version = try key.content(.integer)
        guard version.elementsEqual([0]) || version.elementsEqual([1]) else { throw .unknownVersion }
        try key.ed25519()
        var secret = DER.Reader(try key.content(.octetString))
        let seed = try secret.content(.octetString)
        try secret.finish()
        if key.sees(.attributes) { _ = try key.content(.attributes) }
        let publicBits = key.sees(.publicKey) ? try key.content(.publicKey) : nil
        try key.finish()
        // RFC 5958 §2: the version is 2, written as 1, exactly when the public key is there.
        guard version.elementsEqual([publicBits == nil ? 0 : 1]) else { throw .unknownVersion }
        self = try wrapping(JWK.Rejection.invalidKey, try Self(rawRepresentation: seed))
        if let publicBits {
            guard try Curve25519.Signing.PublicKey(bits: publicBits) == publicKey else { throw .mismatchedPair }
        }
    }

    /// Reads the OneAsymmetricKey of an Ed25519 key in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        try self.init(derRepresentation: try PEM.decode(text, label: Self.label))
    }

    /// The OneAsymmetricKey of the key, version 1, which every reader knows.
    public var derRepresentation: [UInt8] {
        let secret = DER.value(.octetString, DER.value(.octetString, rawRepresentation))
        return DER.value(.sequence, DER.value(.integer, [0]), DER.algorithm, secret)
    }

    /// The OneAsymmetricKey of the key with its public key, version 2.
    package var derRepresentationWithPublicKey: [UInt8] {
        let secret = DER.value(.octetString, DER.value(.octetString, rawRepresentation))
        let bits = DER.value(.publicKey, [0], publicKey.rawRepresentation)
        return DER.value(.sequence, DER.value(.integer, [1]), DER.algorithm, secret, bits)
    }

    /// The OneAsymmetricKey of the key, version 1, in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: Self.label) }
}
