import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import Testing
import Wire

/// A kind of key pair that parties and holders have.
enum PairKind: String, CaseIterable, Sendable {
    case ed25519, p256

    /// The algorithm that goes into the header of what such a key signs.
    var algorithm: String { self == .ed25519 ? "EdDSA" : "ES256" }
    var other: PairKind { self == .ed25519 ? .p256 : .ed25519 }
}

/// A key pair of a kind, which follows from a byte.
struct SomePair: Sendable {
    let kind: PairKind
    let publicKey: JWK
    private let secret: [UInt8]

    init(_ kind: PairKind, _ seed: UInt8, named name: String? = nil) throws {
        self.kind = kind
        secret = [UInt8](repeating: seed, count: 32)
        let attributes = JWK.Attributes(id: try name.map { try KeyID(parsing: $0) })
        switch kind {
        case .ed25519:
            let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: secret)
            publicKey = JWK(pair.publicKey, attributes: attributes)
        case .p256:
            let pair = try P256.Signing.PrivateKey(rawRepresentation: secret)
            publicKey = JWK(pair.publicKey, attributes: attributes)
        }
    }

    /// The key, where it lies here.
    func key(_ name: String? = nil) throws -> SigningKey {
        let id = try name.map { try KeyID(parsing: $0) }
        return switch kind {
        case .ed25519: SigningKey(try Curve25519.Signing.PrivateKey(rawRepresentation: secret), id: id)
        case .p256: SigningKey(try P256.Signing.PrivateKey(rawRepresentation: secret), id: id)
        }
    }

    /// Both halves under the name of the public one.
    var privateKey: JWK.Private {
        get throws {
            let attributes = JWK.Attributes(id: publicKey.id)
            return switch kind {
            case .ed25519:
                JWK.Private(try Curve25519.Signing.PrivateKey(rawRepresentation: secret), attributes: attributes)
            case .p256: JWK.Private(try P256.Signing.PrivateKey(rawRepresentation: secret), attributes: attributes)
            }
        }
    }

    /// What its signer gives, wherever that is.
    func signature(for message: [UInt8]) -> [UInt8]? {
        switch kind {
        case .ed25519:
            (try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)).map { [UInt8]($0.signature(for: message)) }
        case .p256:
            (try? P256.Signing.PrivateKey(rawRepresentation: secret)).map { [UInt8]($0.signature(for: message)) }
        }
    }

    /// The public half without a name, as requests carry it.
    var json: JSON {
        get throws {
            var key = publicKey
            key.attributes = JWK.Attributes(algorithm: key.attributes.algorithm)
            return try JSON(parsing: key.encoded())
        }
    }
}

/// A token that is bound to a key, with what its holder needs to use it.
struct Holding: Sendable {
    let access: String
    let refresh: String?
    let keyID: String
    let holder: String
    let pair: SomePair

    init(_ response: HTTP.Response, _ pair: SomePair, of holder: String) throws {
        let members = try #require(try JSON(parsing: response.body).object)
        try #require(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        access = try #require(members["access_token"]?.string)
        refresh = members["refresh_token"]?.string
        keyID = try #require(members["cnf"]?["kid"]?.string)
        self.holder = holder
        self.pair = pair
    }

    /// A request token by its key.
    func proof(for url: String, _ name: String, at now: Timestamp) throws -> String {
        let claims: JSON.Object = [
            "iss": .string(holder), "aud": .string(url), "iat": .number(JSON.Number(now.seconds)), "jti": .string(name),
        ]
        return try JWT.signed(JWT.Claims(claims), with: pair.key(keyID), as: .request)
    }

    /// A DPoP proof by its key.
    func dpop(
        _ method: HTTP.Request.Method, _ url: String, with access: String? = nil, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws -> String {
        let token = try access.map { try AccessToken(parsing: $0) }
        return try DPoPProof.Issuance(with: pair.key(), publicKey: JWK(parsing: pair.json.encoded()))
            .proof(for: method, to: WebURL(parsing: url), with: token, at: now, using: &entropy).secret
    }
}

/// The header of a compact JWS.
func headerMember(_ name: JSON.Name, of token: String) throws -> String? {
    let part = try #require(token.split(separator: ".").first)
    return try JSON(parsing: Base64URL.decode(String(part)))[name]?.string
}
