/// What the key of a document computes, as its AlgorithmIdentifier says.
enum DocumentAlgorithm: Hashable, CustomStringConvertible {
    case ed25519
    case ecdsa(ECDSACurve)
    case rsa

    var description: String {
        switch self {
        case .ed25519: "Ed25519"
        case .ecdsa(let curve): curve.description
        case .rsa: "RSA"
        }
    }

    /// What the documents of every type together may hold.
    static let anySignature = "Ed25519, P-256, P-384, P-521 or RSA"
    static let anyPrivate = "Ed25519, P-256, P-384 or P-521"
}

// MARK: - Object identifiers

extension DocumentAlgorithm {
    /// id-Ed25519, 1.3.101.112 (RFC 8410 §3).
    private static let edwards: [UInt8] = [0x2b, 0x65, 0x70]
    /// id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480 §2.1.1).
    private static let ellipticCurve: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
    /// rsaEncryption, 1.2.840.113549.1.1.1 (RFC 8017 appendix A.1).
    private static let rsaEncryption: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]

    /// Algorithms and curves that documents name and that are not computed with here.
    private static let strangers: [(identifier: [UInt8], name: String)] = [
        ([0x2b, 0x65, 0x6e], "X25519"), ([0x2b, 0x65, 0x6f], "X448"), ([0x2b, 0x65, 0x71], "Ed448"),
        ([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x07], "RSAES-OAEP"),
        ([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a], "RSASSA-PSS"),
        ([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x03, 0x01], "Diffie-Hellman"),
        ([0x2a, 0x86, 0x48, 0xce, 0x3e, 0x02, 0x01], "Diffie-Hellman"),
        ([0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01], "DSA"),
        ([0x2b, 0x81, 0x04, 0x01, 0x0c], "ECDH"), ([0x2b, 0x81, 0x04, 0x01, 0x0d], "ECMQV"),
        ([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x01], "P-192"), ([0x2b, 0x81, 0x04, 0x00, 0x21], "P-224"),
        ([0x2b, 0x81, 0x04, 0x00, 0x0a], "secp256k1"),
        ([0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07], "brainpoolP256r1"),
        ([0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0b], "brainpoolP384r1"),
        ([0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0d], "brainpoolP512r1"),
    ]

    fileprivate static func read(
        _ identifier: ArraySlice<UInt8>, _ parameters: inout DER.Reader, expecting expected: String
    ) throws(JWK.Rejection) -> DocumentAlgorithm {
        if identifier.elementsEqual(edwards) { return .ed25519 }
        if identifier.elementsEqual(rsaEncryption) {
            guard parameters.sees(.null), try parameters.content(.null).isEmpty else {
                throw .wrongParameters(of: "RSA")
            }
            return .rsa
        }
        guard identifier.elementsEqual(ellipticCurve) else {
            throw .otherKeyAlgorithm(found: name(of: identifier), expected: expected)
        }
        return .ecdsa(try parameters.namedCurve(expecting: expected))
    }

    fileprivate static func name(of identifier: ArraySlice<UInt8>) -> String {
        strangers.first { $0.identifier.elementsEqual(identifier) }?.name ?? "an algorithm that is not known here"
    }

    /// The AlgorithmIdentifier, with the parameters that the algorithm demands: none, the curve, or NULL.
    var identifier: [UInt8] {
        switch self {
        case .ed25519: DER.value(.sequence, DER.value(.objectIdentifier, Self.edwards))
        case .ecdsa(let curve):
            DER.value(
                .sequence, DER.value(.objectIdentifier, Self.ellipticCurve),
                DER.value(.objectIdentifier, curve.objectIdentifier))
        case .rsa:
            DER.value(.sequence, DER.value(.objectIdentifier, Self.rsaEncryption), DER.value(.null))
        }
    }
}

extension ECDSACurve {
    /// The curve's name in documents (RFC 5480 §2.1.1.1).
    fileprivate var objectIdentifier: [UInt8] {
        switch self {
        case .p256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        case .p384: [0x2b, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2b, 0x81, 0x04, 0x00, 0x23]
        }
    }
}

// MARK: - Reading

extension DER.Reader {
    /// Reads an AlgorithmIdentifier, which has exactly the parameters that its algorithm demands.
    mutating func algorithm(expecting expected: String) throws(JWK.Rejection) -> DocumentAlgorithm {
        var parts = DER.Reader(try content(.sequence))
        let identifier = try parts.content(.objectIdentifier)
        let algorithm = try DocumentAlgorithm.read(identifier, &parts, expecting: expected)
        try parts.finish()
        return algorithm
    }

    /// Reads the name of a curve; RFC 5480 §2.1.1 forbids to describe or to imply it.
    mutating func namedCurve(expecting expected: String) throws(JWK.Rejection) -> ECDSACurve {
        guard sees(.objectIdentifier) else { throw .unnamedCurve }
        let identifier = try content(.objectIdentifier)
        let curve = ECDSACurve.allCases.first { $0.objectIdentifier.elementsEqual(identifier) }
        guard let curve else {
            throw .otherKeyAlgorithm(found: DocumentAlgorithm.name(of: identifier), expected: expected)
        }
        return curve
    }
}
