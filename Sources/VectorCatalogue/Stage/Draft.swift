internal import PureCrypto
internal import Wire

/// A signed text put together from its members, so that a situation can break exactly one thing; the signature is right
/// unless the key is another's.
struct Draft: Sendable {
    var header: JSON.Object
    var claims: JSON.Object
    var key: Key
    /// The payload to be signed in the place of the claims, where these are to be no JSON object.
    var payload: [UInt8]?
    /// The header as a text, where it is to be one that no object gives.
    var head: [UInt8]?
    /// What is done to the finished text.
    var finish: @Sendable (String) -> String = { $0 }

    /// With what a draft is signed.
    enum Key: Sendable {
        case pair(String)
        case secret([UInt8])

        /// The members of a public JWK.
        var publicJWK: JSON {
            guard case .pair(let name) = self else { return .null }
            return ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(Pair.publicBytes(name)))]
        }

        /// The members of a JWK with the secret, and a name.
        func privateJWK(_ id: String) -> JSON {
            switch self {
            case .pair(let name):
                [
                    "kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(Pair.publicBytes(name))),
                    "d": .string(Base64URL.encode(Pair.seed(name))), "kid": .string(id),
                ]
            case .secret(let bytes):
                ["kty": "oct", "k": .string(Base64URL.encode(bytes)), "kid": .string(id), "alg": "HS256"]
            }
        }

        /// The members of a public JWK with a name.
        func publicJWK(_ id: String) -> JSON {
            guard var members = publicJWK.object else { return privateJWK(id) }
            members["kid"] = .string(id)
            return .object(members)
        }
    }

    init(_ type: String?, _ key: Key, named name: String?, _ claims: JSON.Object) {
        let algorithm: JSON = if case .pair = key { "EdDSA" } else { "HS256" }
        header = ["alg": algorithm]
        header["typ"] = type.map { .string($0) }
        header["kid"] = name.map { .string($0) }
        self.claims = claims
        self.key = key
    }

    /// The same with some claims replaced, or left out where the new value is null.
    func claiming(_ changes: JSON.Object) -> Draft {
        var copy = self
        for member in changes { copy.claims[member.name] = member.value == .null ? nil : member.value }
        return copy
    }

    /// The same with some header parameters replaced, or left out where the new value is null.
    func heading(_ changes: JSON.Object) -> Draft {
        var copy = self
        for member in changes { copy.header[member.name] = member.value == .null ? nil : member.value }
        return copy
    }

    func signed(by key: Key) -> Draft {
        var copy = self
        copy.key = key
        return copy
    }

    func finished(_ finish: @escaping @Sendable (String) -> String) -> Draft {
        var copy = self
        copy.finish = finish
        return copy
    }

    /// The compact serialization.
    var text: String {
        let input = Base64URL.encode(head ?? header.encoded()) + "." + Base64URL.encode(payload ?? claims.encoded())
        return finish(input + "." + Base64URL.encode(Self.signature(of: Array(input.utf8), by: key)))
    }

    static func signature(of input: [UInt8], by key: Key) -> [UInt8] {
        switch key {
        case .pair(let name): Pair.signature(of: input, by: name)
        case .secret(let bytes): [UInt8](HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: bytes)))
        }
    }
}

/// The key pairs of the situations: the seed is the SHA-256 of `key pair of ` and the name, so that whoever reads a
/// vector can make them again.
enum Pair {
    static func seed(_ name: String) -> [UInt8] { [UInt8](SHA256.hash(data: Array(("key pair of " + name).utf8))) }

    private static func pair(_ name: String) -> Curve25519.Signing.PrivateKey? {
        try? Curve25519.Signing.PrivateKey(rawRepresentation: seed(name))
    }

    static func publicBytes(_ name: String) -> [UInt8] {
        pair(name).map { [UInt8]($0.publicKey.rawRepresentation) } ?? []
    }

    static func signature(of bytes: [UInt8], by name: String) -> [UInt8] {
        pair(name).map { [UInt8]($0.signature(for: bytes)) } ?? []
    }
}
