package import JOSE
internal import PureCrypto
package import Wire

/// A key that everybody knows.
///
/// The seed of a pair is the SHA-256 of `key pair of ` and its name, so that whoever reads a vector can make it again.
package enum TestKey: Sendable, Hashable {
    case pair(String)
    /// A pair on P-256, whose number is what the seed of a pair would be.
    case p256(String)
    case secret([UInt8])

    /// The secret that is the SHA-256 of a text.
    package static func secret(_ text: String) -> TestKey { .secret([UInt8](SHA256.hash(data: Array(text.utf8)))) }

    /// The 32 bytes that a pair is made of, or the secret itself.
    package var seed: [UInt8] {
        switch self {
        case .pair(let name), .p256(let name): [UInt8](SHA256.hash(data: Array(("key pair of " + name).utf8)))
        case .secret(let bytes): bytes
        }
    }

    private var pair: Curve25519.Signing.PrivateKey? {
        guard case .pair = self else { return nil }
        return try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    }

    private var curvePair: P256.Signing.PrivateKey? {
        guard case .p256 = self else { return nil }
        return try? P256.Signing.PrivateKey(rawRepresentation: seed)
    }

    /// The public half of a pair; a secret has none.
    package var publicBytes: [UInt8] {
        pair.map { [UInt8]($0.publicKey.rawRepresentation) } ?? curvePair?.publicKey.x963Representation ?? []
    }

    /// The signature of a pair, or the code of a secret, over bytes.
    package func signature(of bytes: [UInt8]) -> [UInt8] {
        if let pair { return [UInt8](pair.signature(for: bytes)) }
        if let curvePair { return [UInt8](curvePair.signature(for: bytes)) }
        return [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: seed)))
    }
}

extension TestKey: ExpressibleByStringLiteral {
    /// The pair of Ed25519 with this name.
    package init(stringLiteral name: String) { self = .pair(name) }
}

// MARK: - As JWKs

extension TestKey {
    /// The algorithm that tokens by this key name.
    package var algorithm: JSON {
        switch self {
        case .pair: "EdDSA"
        case .p256: "ES256"
        case .secret: "HS256"
        }
    }

    /// The members of a public JWK, without a name; `null` for a secret.
    package var publicJWK: JSON {
        switch self {
        case .pair: ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(publicBytes))]
        case .p256:
            [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(publicBytes[1..<33])),
                "y": .string(Base64URL.encode(publicBytes[33...])),
            ]
        case .secret: .null
        }
    }

    /// The members of a JWK with the secret, and a name.
    package func privateJWK(_ id: String) -> JSON {
        guard var members = publicJWK.object else {
            return ["kty": "oct", "k": .string(Base64URL.encode(seed)), "kid": .string(id), "alg": "HS256"]
        }
        members["d"] = .string(Base64URL.encode(seed))
        members["kid"] = .string(id)
        return .object(members)
    }

    /// The members of a public JWK with a name; those of the secret where there is nothing public.
    package func publicJWK(_ id: String) -> JSON {
        guard var members = publicJWK.object else { return privateJWK(id) }
        members["kid"] = .string(id)
        return .object(members)
    }
}

// MARK: - As keys

extension TestKey {
    /// The key as a private JWK under a name.
    package func jwk(_ id: String) throws(JWK.Rejection) -> JWK.Private {
        try JWK.Private(parsing: privateJWK(id).encoded())
    }
}
