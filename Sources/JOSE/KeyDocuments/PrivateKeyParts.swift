import PureCrypto
import Wire

/// The private key of a document by its parts: what it is for, its bytes, and what stands beside them.
struct PrivateKeyParts {
    /// The forms in which a private key comes.
    enum Form: Sendable {
        /// OneAsymmetricKey, the PKCS #8 of RFC 5958.
        case pkcs8
        /// ECPrivateKey (RFC 5915), the form of SEC 1.
        case sec1
    }

    let algorithm: DocumentAlgorithm
    /// The seed of Ed25519, or the scalar of another curve.
    let secret: ArraySlice<UInt8>
    /// The public keys that stand beside it, each of which must belong to it.
    let publicKeys: [ArraySlice<UInt8>]

    /// Reads the parts of a document, which may be of any type that is known here; the form shows itself, unless it is
    /// said.
    init(
        _ bytes: some Collection<UInt8>, as form: Form? = nil,
        expecting expected: String = DocumentAlgorithm.anyPrivate
    ) throws(JWK.Rejection) {
        let bytes = [UInt8](bytes)
        var document = DER.Reader(bytes[...])
        var parts = DER.Reader(try document.content(.sequence))
        try document.finish()
        try Self.refuseOthers(parts)
        let version = try parts.content(.integer)
        // The number that follows the version is the modulus of an RSAPrivateKey (RFC 8017 appendix A.1.2).
        if parts.sees(.integer) { throw .privateRSAKey }
        switch form ?? (parts.sees(.octetString) ? .sec1 : .pkcs8) {
        case .pkcs8: try self.init(pkcs8: &parts, version, expecting: expected)
        case .sec1: try self.init(sec1: &parts, version, expecting: expected)
        }
    }

    /// Reads the parts of a document of this type.
    init(_ bytes: some Collection<UInt8>, as form: Form? = nil, of algorithm: DocumentAlgorithm)
        throws(JWK.Rejection)
    {
        try self.init(bytes, as: form, expecting: algorithm.description)
        guard self.algorithm == algorithm else {
            throw .otherKeyAlgorithm(found: self.algorithm.description, expected: algorithm.description)
        }
    }

    /// A document that begins with a sequence is a public key, or an EncryptedPrivateKeyInfo (RFC 5958 §3).
    private static func refuseOthers(_ parts: DER.Reader) throws(JWK.Rejection) {
        guard parts.sees(.sequence) else { return }
        var parts = parts
        _ = try parts.content(.sequence)
        let isEncrypted = parts.sees(.octetString)
        throw .otherDocument(
            found: isEncrypted ? "ENCRYPTED PRIVATE KEY" : PEM.publicKey, expected: PEM.privateKey)
    }

    private init(pkcs8 parts: inout DER.Reader, _ version: ArraySlice<UInt8>, expecting expected: String)
        throws(JWK.Rejection)
    {
        guard version.elementsEqual([0]) || version.elementsEqual([1]) else { throw .unknownVersion }
        let algorithm = try parts.algorithm(expecting: expected)
        if case .rsa = algorithm { throw .privateRSAKey }
        let content = try parts.content(.octetString)
        if parts.sees(.zero) { try Self.passAttributes(try parts.content(.zero)) }
        let publicKey = parts.sees(.publicKey) ? try parts.bits(.publicKey) : nil
        try parts.finish()
        // RFC 5958 §2: the version is 2, written as 1, exactly when the public key is there.
        guard version.elementsEqual([publicKey == nil ? 0 : 1]) else { throw .unknownVersion }

        self.algorithm = algorithm
        var publicKeys = publicKey.map { [$0] } ?? []
        var inside = DER.Reader(content)
        switch algorithm {
        case .ecdsa(let curve):
            var key = DER.Reader(try inside.content(.sequence))
            let inner = try Self.curveKey(&key, try key.content(.integer), expecting: expected)
            if let found = inner.curve, found != curve { throw .otherCurve(found: found, expected: curve) }
            secret = inner.scalar
            if let publicKey = inner.publicKey { publicKeys.append(publicKey) }
        case .ed25519, .rsa: secret = try inside.content(.octetString)
        }
        self.publicKeys = publicKeys
        try inside.finish()
    }

    /// Attributes mean nothing here and are not written again; their form is that of every Attribute.
    private static func passAttributes(_ content: ArraySlice<UInt8>) throws(JWK.Rejection) {
        var attributes = DER.Reader(content)
        while attributes.sees(.sequence) {
            var attribute = DER.Reader(try attributes.content(.sequence))
            _ = try attribute.content(.objectIdentifier)
            _ = try attribute.content(.set)
            try attribute.finish()
        }
        try attributes.finish()
    }

    private init(sec1 parts: inout DER.Reader, _ version: ArraySlice<UInt8>, expecting expected: String)
        throws(JWK.Rejection)
    {
        let key = try Self.curveKey(&parts, version, expecting: expected)
        // RFC 5915 §3: nothing else says which curve it is.
        guard let curve = key.curve else { throw .unnamedCurve }
        algorithm = .ecdsa(curve)
        secret = key.scalar
        publicKeys = key.publicKey.map { [$0] } ?? []
    }

    /// An ECPrivateKey (RFC 5915 §3) behind its version.
    private static func curveKey(
        _ parts: inout DER.Reader, _ version: ArraySlice<UInt8>, expecting expected: String
    ) throws(JWK.Rejection) -> (scalar: ArraySlice<UInt8>, curve: ECDSACurve?, publicKey: ArraySlice<UInt8>?) {
        guard version.elementsEqual([1]) else { throw .unknownVersion }
        let scalar = try parts.content(.octetString)
        var (curve, publicKey): (ECDSACurve?, ArraySlice<UInt8>?)
        if parts.sees(.zero) {
            var parameters = DER.Reader(try parts.content(.zero))
            curve = try parameters.namedCurve(expecting: expected)
            try parameters.finish()
        }
        if parts.sees(.publicKeyInside) {
            var point = DER.Reader(try parts.content(.publicKeyInside))
            publicKey = try point.bits(.bitString)
            try point.finish()
        }
        try parts.finish()
        return (scalar, curve, publicKey)
    }
}

// MARK: - What is inside

extension PrivateKeyParts {
    func ed25519() throws(JWK.Rejection) -> Curve25519.Signing.PrivateKey {
        let key = try wrapping(
            JWK.Rejection.invalidKey, try Curve25519.Signing.PrivateKey(rawRepresentation: secret))
        for publicKey in publicKeys {
            let publicKey = try wrapping(
                JWK.Rejection.invalidKey, try Curve25519.Signing.PublicKey(rawRepresentation: publicKey))
            guard publicKey == key.publicKey else { throw .mismatchedPair }
        }
        return key
    }

    /// RFC 5915 §3: the scalar has the length of the curve's order, whatever its value.
    func curveKey<Key: CurvePrivateKey>() throws(JWK.Rejection) -> Key {
        let key = try wrapping(JWK.Rejection.invalidCurveKey, try Key(rawRepresentation: secret))
        for point in publicKeys {
            guard try Key.PublicKey(point: point) == key.publicKey else { throw .mismatchedPair }
        }
        return key
    }
}

extension CurvePrivateKey {
    /// Reads a key of this curve from its PKCS #8 or from the form of SEC 1.
    init(document bytes: some Collection<UInt8>, as form: PrivateKeyParts.Form? = nil) throws(JWK.Rejection) {
        self = try PrivateKeyParts(bytes, as: form, of: .ecdsa(PublicKey.curve)).curveKey()
    }

    /// Reads a key of this curve from the textual encoding of its PKCS #8 or of the form of SEC 1.
    init(document text: String) throws(JWK.Rejection) {
        let (label, bytes) = try PEM.decode(text, labels: [PEM.privateKey, PEM.curvePrivateKey])
        try self.init(document: bytes, as: PrivateKeyParts.Form(label: label))
    }

    /// The PKCS #8 of version 1; the public key stands in the ECPrivateKey inside, where readers look for it.
    var document: [UInt8] {
        let point = DER.value(.publicKeyInside, DER.value(.bitString, [0] + publicKey.x963Representation))
        let key = DER.value(
            .sequence, DER.natural([1]), DER.value(.octetString, rawRepresentation), point)
        return DER.value(
            .sequence, DER.natural([0]), DocumentAlgorithm.ecdsa(curve).identifier, DER.value(.octetString, key))
    }

    var textDocument: String { PEM.encode(document, label: PEM.privateKey) }
}

extension PrivateKeyParts.Form {
    /// The form that goes with a label.
    init(label: String) { self = label.utf8.elementsEqual(PEM.curvePrivateKey.utf8) ? .sec1 : .pkcs8 }
}
