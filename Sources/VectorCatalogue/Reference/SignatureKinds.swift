internal import JOSE
internal import PureCrypto
internal import Wire

// Signatures over bytes: by Ed25519, on a curve of NIST where one is named, by RSA where a modulus is given.

extension Reference {
    static func signing(_ given: Given) throws -> JSON.Object {
        let message = try given.bytes("message")
        let (publicKey, signature): ([UInt8], [UInt8])
        switch try curve(given) {
        case nil:
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: try given.bytes("seed"))
            (publicKey, signature) = (key.publicKey.rawRepresentation, [UInt8](key.signature(for: message)))
        case .p256?:
            let key = try P256.Signing.PrivateKey(rawRepresentation: try given.bytes("scalar"))
            (publicKey, signature) = (key.publicKey.x963Representation, [UInt8](key.signature(for: message)))
        case .p384?:
            let key = try P384.Signing.PrivateKey(rawRepresentation: try given.bytes("scalar"))
            (publicKey, signature) = (key.publicKey.x963Representation, [UInt8](key.signature(for: message)))
        case .p521?:
            let key = try P521.Signing.PrivateKey(rawRepresentation: try given.bytes("scalar"))
            (publicKey, signature) = (key.publicKey.x963Representation, [UInt8](key.signature(for: message)))
        }
        return ["public": hexadecimal(publicKey), "signature": hexadecimal(signature)]
    }

    static func signature(_ given: Given) throws -> JSON.Object {
        let (message, signature) = (try given.bytes("message"), try given.bytes("signature"))
        if given["modulus"] != nil { return try rsaSignature(given, message, signature) }
        let (isValid, clause) =
            switch try curve(given) {
            case nil:
                (
                    try Curve25519.Signing.PublicKey(rawRepresentation: try given.bytes("public"))
                        .isValidSignature(signature, for: message), "RFC8032-5.1.7"
                )
            case .p256?:
                (try point(given, P256.Signing.PublicKey.self).isValidSignature(signature, for: message), unequal)
            case .p384?:
                (try point(given, P384.Signing.PublicKey.self).isValidSignature(signature, for: message), unequal)
            case .p521?:
                (try point(given, P521.Signing.PublicKey.self).isValidSignature(signature, for: message), unequal)
            }
        return isValid ? ["valid": true] : refused(clause)
    }

    /// The last step of ECDSA's verification, where r is compared.
    private static let unequal = "FIPS186-5-6.4.2"

    private static func curve(_ given: Given) throws(Vector.Rejection) -> ECDSACurve? {
        try given.parseIfThere("curve") { try Vector.Rejection.need(ECDSACurve(JSON.Name($0)), "curve") }
    }

    private static func point<Key: PointKey>(_ given: Given, _: Key.Type) throws -> Key {
        let bytes = try given.bytes("public")
        let isCompressed = bytes.first == 2 || bytes.first == 3
        return try isCompressed ? Key(compressedRepresentation: bytes) : Key(x963Representation: bytes)
    }

    private static func rsaSignature(
        _ given: Given, _ message: [UInt8], _ signature: [UInt8]
    ) throws -> JSON.Object {
        let key = try RSA.Signing.PublicKey(
            modulus: try given.bytes("modulus"), exponent: try given.bytes("exponent"))
        let name = try given.text("algorithm")
        let isOld = name.utf8.first == UInt8(ascii: "R")
        let hash: RSA.Signing.Hash =
            switch name.suffix(3) {
            case "256": .sha256
            case "384": .sha384
            default: .sha512
            }
        let isValid = key.isValidSignature(signature, for: message, padding: isOld ? .pkcs1v15 : .pss, hash: hash)
        return isValid ? ["valid": true] : refused(isOld ? "RFC8017-8.2.2" : "RFC8017-8.1.2")
    }

    // MARK: Forms

    static func signatureForm(_ given: Given) throws -> JSON.Object {
        let curve = try Vector.Rejection.need(try curve(given), "curve")
        guard given["der"] == nil else {
            let signature = try ECDSASignature(derRepresentation: try given.bytes("der"), on: curve)
            return ["raw": hexadecimal(signature.rawRepresentation)]
        }
        let signature = try ECDSASignature(rawRepresentation: try given.bytes("raw"), on: curve)
        return ["der": hexadecimal(signature.derRepresentation)]
    }

    static func keyDocument(_ given: Given) throws -> JSON.Object {
        let isText = given["text"] != nil
        guard given["secret"] == true else {
            let document =
                try isText
                ? PublicKeyDocument(pemRepresentation: try given.text("text"))
                : PublicKeyDocument(derRepresentation: try given.bytes("bytes"))
            return ["jwk": json(JWK(document))]
        }
        let document =
            try isText
            ? PrivateKeyDocument(pemRepresentation: try given.text("text"))
            : PrivateKeyDocument(derRepresentation: try given.bytes("bytes"))
        return ["jwk": JWK.Private(document).publicKey.map { json($0) } ?? .null]
    }
}

/// A public key that is a point, in one of its two forms.
private protocol PointKey {
    init(x963Representation bytes: [UInt8]) throws(ECDSARejection)
    init(compressedRepresentation bytes: [UInt8]) throws(ECDSARejection)
}

extension P256.Signing.PublicKey: PointKey {}
extension P384.Signing.PublicKey: PointKey {}
extension P521.Signing.PublicKey: PointKey {}
