internal import PureCrypto
internal import Wire

// Hashes, authentication codes and signatures over bytes, which stand in hexadecimal.

extension Reference {
    private static func function(_ given: Given) throws(Vector.Rejection) -> any HashFunction.Type {
        switch given["algorithm"] {
        case "sha256": SHA256.self
        case "sha384": SHA384.self
        case "sha512": SHA512.self
        default: throw Vector.Rejection("algorithm")
        }
    }

    private static func digest<Hash: HashFunction>(_: Hash.Type, of message: [UInt8]) -> [UInt8] {
        [UInt8](Hash.hash(data: message))
    }

    static func hash(_ given: Given) throws -> JSON.Object {
        ["digest": hexadecimal(digest(try function(given), of: try given.bytes("message")))]
    }

    static func authenticationCode(_ given: Given) throws -> JSON.Object {
        try authenticationCode(try function(given), given)
    }

    private static func authenticationCode<Hash: HashFunction>(_: Hash.Type, _ given: Given) throws -> JSON.Object {
        let (message, key) = (try given.bytes("message"), SymmetricKey(data: try given.bytes("key")))
        guard given["code"] != nil else {
            return ["code": hexadecimal([UInt8](HMAC<Hash>.authenticationCode(for: message, using: key)))]
        }
        let isRight = HMAC<Hash>.isValidAuthenticationCode(
            try given.bytes("code"), authenticating: message, using: key)
        return isRight ? ["valid": true] : refused("RFC2104-2")
    }
}
