internal import PureCrypto
internal import Wire

// Hashes, authentication codes and signatures over bytes, which stand in hexadecimal.

/// One of the three hash functions, for what a vector asks of it.
private protocol Hashing {
    static func digest(of message: [UInt8]) -> [UInt8]
    static func code(of message: [UInt8], by key: SymmetricKey) -> [UInt8]
    static func isCode(_ code: [UInt8], of message: [UInt8], by key: SymmetricKey) -> Bool
}

private enum Function<Hash: HashFunction>: Hashing {
    static func digest(of message: [UInt8]) -> [UInt8] { [UInt8](Hash.hash(data: message)) }

    static func code(of message: [UInt8], by key: SymmetricKey) -> [UInt8] {
        [UInt8](HMAC<Hash>.authenticationCode(for: message, using: key))
    }

    static func isCode(_ code: [UInt8], of message: [UInt8], by key: SymmetricKey) -> Bool {
        HMAC<Hash>.isValidAuthenticationCode(code, authenticating: message, using: key)
    }
}

extension Reference {
    private static func function(_ given: Given) throws(Vector.Rejection) -> any Hashing.Type {
        switch given["algorithm"] {
        case "sha256": Function<SHA256>.self
        case "sha384": Function<SHA384>.self
        case "sha512": Function<SHA512>.self
        default: throw Vector.Rejection("algorithm")
        }
    }

    static func hash(_ given: Given) throws -> JSON.Object {
        ["digest": hexadecimal(try function(given).digest(of: try given.bytes("message")))]
    }

    static func authenticationCode(_ given: Given) throws -> JSON.Object {
        let (function, message) = (try function(given), try given.bytes("message"))
        let key = SymmetricKey(data: try given.bytes("key"))
        guard given["code"] != nil else { return ["code": hexadecimal(function.code(of: message, by: key))] }
        let isRight = function.isCode(try given.bytes("code"), of: message, by: key)
        return isRight ? ["valid": true] : refused("RFC2104-2")
    }

    static func signing(_ given: Given) throws -> JSON.Object {
        let (seed, message) = (try given.bytes("seed"), try given.bytes("message"))
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        return [
            "public": hexadecimal(key.publicKey.rawRepresentation),
            "signature": hexadecimal(key.signature(for: message)),
        ]
    }

    static func signature(_ given: Given) throws -> JSON.Object {
        let (message, signature) = (try given.bytes("message"), try given.bytes("signature"))
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: try given.bytes("public"))
        return key.isValidSignature(signature, for: message) ? ["valid": true] : refused("RFC8032-5.1.7")
    }
}
