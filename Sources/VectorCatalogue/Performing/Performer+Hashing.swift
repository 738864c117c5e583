internal import PureCrypto
internal import Wire

// Hashes, authentication codes and signatures over bytes, which stand in hexadecimal.

extension Performer {
    /// One of the three functions.
    private enum Hashing: String {
        case sha256, sha384, sha512

        func digest(of message: [UInt8]) -> [UInt8] {
            switch self {
            case .sha256: [UInt8](SHA256.hash(data: message))
            case .sha384: [UInt8](SHA384.hash(data: message))
            case .sha512: [UInt8](SHA512.hash(data: message))
            }
        }

        func code(of message: [UInt8], by key: SymmetricKey) -> [UInt8] {
            switch self {
            case .sha256: [UInt8](HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha384: [UInt8](HMAC<SHA384>.authenticationCode(for: message, using: key))
            case .sha512: [UInt8](HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        }

        func isCode(_ code: [UInt8], of message: [UInt8], by key: SymmetricKey) -> Bool {
            switch self {
            case .sha256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
            case .sha384: HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: message, using: key)
            case .sha512: HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: message, using: key)
            }
        }
    }

    private static func hashing(_ given: JSON.Object) throws(Malformed) -> Hashing {
        try Malformed.need(Hashing(rawValue: try text(given, "algorithm")), "algorithm")
    }

    static func hash(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        ["digest": hexadecimal(try hashing(given).digest(of: try bytes(given, "message")))]
    }

    static func authenticationCode(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (hashing, message) = (try hashing(given), try bytes(given, "message"))
        let key = SymmetricKey(data: try bytes(given, "key"))
        guard given["code"] != nil else { return ["code": hexadecimal(hashing.code(of: message, by: key))] }
        return hashing.isCode(try bytes(given, "code"), of: message, by: key) ? ["valid": true] : refused("RFC2104-2")
    }

    static func signing(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (seed, message) = (try bytes(given, "seed"), try bytes(given, "message"))
        do throws(Curve25519.Signing.Rejection) {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
            return [
                "public": hexadecimal(key.publicKey.rawRepresentation),
                "signature": hexadecimal(key.signature(for: message)),
            ]
        } catch {
            return refused(error.clause)
        }
    }

    static func signature(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (key, message, signature) = (
            try bytes(given, "public"), try bytes(given, "message"), try bytes(given, "signature")
        )
        do throws(Curve25519.Signing.Rejection) {
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: key)
            return key.isValidSignature(signature, for: message) ? ["valid": true] : refused("RFC8032-5.1.7")
        } catch {
            return refused(error.clause)
        }
    }
}
