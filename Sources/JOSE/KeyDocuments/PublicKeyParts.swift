import PureCrypto
import Wire

/// A SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) by its parts: what the key is for, and its bytes.
struct PublicKeyParts {
    let algorithm: DocumentAlgorithm
    let key: ArraySlice<UInt8>

    /// Reads the parts of a document, which may be of any type that is known here.
    init(_ bytes: some Collection<UInt8>, expecting expected: String = DocumentAlgorithm.anySignature)
        throws(JWK.Rejection)
    {
        let bytes = [UInt8](bytes)
        var document = DER.Reader(bytes[...])
        var parts = DER.Reader(try document.content(.sequence))
        try document.finish()
        try Self.refuseIntegers(parts)
        algorithm = try parts.algorithm(expecting: expected)
        key = try parts.bits(.bitString)
        try parts.finish()
    }

    /// Reads the parts of a document of this type.
    init(_ bytes: some Collection<UInt8>, of algorithm: DocumentAlgorithm) throws(JWK.Rejection) {
        try self.init(bytes, expecting: algorithm.description)
        guard self.algorithm == algorithm else {
            throw .otherKeyAlgorithm(found: self.algorithm.description, expected: algorithm.description)
        }
    }

    /// A document that begins with an integer is a private key, or an RSA key by itself (RFC 8017 appendix A.1.1).
    private static func refuseIntegers(_ parts: DER.Reader) throws(JWK.Rejection) {
        guard parts.sees(.integer) else { return }
        var parts = parts
        let isVersion = try parts.content(.integer).count == 1
        throw .otherDocument(found: isVersion ? PEM.privateKey : "RSA PUBLIC KEY", expected: PEM.publicKey)
    }

    static func encoded(_ algorithm: DocumentAlgorithm, _ key: [UInt8]) -> [UInt8] {
        DER.value(.sequence, algorithm.identifier, DER.value(.bitString, [0] + key))
    }
}

// MARK: - What is inside

extension PublicKeyParts {
    func ed25519() throws(JWK.Rejection) -> Curve25519.Signing.PublicKey {
        try wrapping(JWK.Rejection.invalidKey, try Curve25519.Signing.PublicKey(rawRepresentation: key))
    }

    func curveKey<Key: CurvePublicKey>() throws(JWK.Rejection) -> Key { try Key(point: key) }

    /// RSAPublicKey (RFC 8017 appendix A.1.1).
    func rsa() throws(JWK.Rejection) -> RSA.Signing.PublicKey {
        var document = DER.Reader(key)
        var numbers = DER.Reader(try document.content(.sequence))
        try document.finish()
        let (modulus, exponent) = (try numbers.natural(), try numbers.natural())
        try numbers.finish()
        return try wrapping(
            JWK.Rejection.invalidRSAKey, try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent))
    }
}

extension CurvePublicKey {
    /// Reads a point of X9.62 in either of its forms, which the first byte tells.
    init(point: ArraySlice<UInt8>) throws(JWK.Rejection) {
        if let form = point.first, 2...3 ~= form {
            self = try wrapping(JWK.Rejection.invalidCurveKey, try Self(compressedRepresentation: point))
        } else {
            self = try wrapping(JWK.Rejection.invalidCurveKey, try Self(x963Representation: point))
        }
    }

    /// Reads the SubjectPublicKeyInfo of a key of this curve.
    init(document bytes: some Collection<UInt8>) throws(JWK.Rejection) {
        self = try PublicKeyParts(bytes, of: .ecdsa(Self.curve)).curveKey()
    }

    /// Reads the SubjectPublicKeyInfo of a key of this curve in its textual encoding.
    init(document text: String) throws(JWK.Rejection) {
        try self.init(document: try PEM.decode(text, labels: [PEM.publicKey]).bytes)
    }

    var document: [UInt8] { PublicKeyParts.encoded(.ecdsa(Self.curve), x963Representation) }

    var textDocument: String { PEM.encode(document, label: PEM.publicKey) }
}
