public import PureCrypto

extension RSA.Signing.PublicKey {
    /// Reads the SubjectPublicKeyInfo of an RSA key (RFC 8017 appendix A.1).
    public init(derRepresentation bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        self = try PublicKeyParts(bytes, of: .rsa).rsa()
    }

    /// Reads the SubjectPublicKeyInfo of an RSA key in its textual encoding.
    public init(pemRepresentation text: String) throws(JWK.Rejection) {
        try self.init(derRepresentation: try PEM.decode(text, labels: [PEM.publicKey]).bytes)
    }

    /// The SubjectPublicKeyInfo of the key.
    public var derRepresentation: [UInt8] {
        PublicKeyParts.encoded(.rsa, DER.value(.sequence, DER.natural(modulus), DER.natural(exponent)))
    }

    /// The SubjectPublicKeyInfo of the key in its textual encoding.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: PEM.publicKey) }
}
