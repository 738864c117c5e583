public import JOSE
internal import PureCrypto
internal import Wire

/// The key pair that an app has its tokens bound to: the public half travels with the request, the private one never
/// leaves the state.
///
/// Each request gets a pair of its own, so that services which never met in one request cannot tell that they serve the
/// same app.
public struct AppKey: Sendable {
    let pair: Curve25519.Signing.PrivateKey

    /// A new key pair.
    public init(using entropy: inout some RandomNumberGenerator) {
        pair = Curve25519.Signing.PrivateKey(using: &entropy)
    }

    /// The half that travels.
    public var publicKey: JWK { JWK(pair.publicKey) }

    /// The key as it signs for an authorization that knows it by this name.
    func signing(as id: KeyID?) -> SigningKey { SigningKey(pair, id: id) }

    /// Whether a confirmation means this key.
    func isMeant(by confirmation: JWT.Confirmation.Representation) -> Bool {
        switch confirmation {
        case .key(let key): key.material == .ed25519(pair.publicKey)
        case .thumbprint(let thumbprint): (try? publicKey.thumbprint(thumbprint.hash)) == thumbprint
        case .encryptedKey, .keySet: false
        }
    }
}

// MARK: - In the serialized state

extension AppKey {
    /// Takes back the seed that ``seed`` gave.
    init?(seed text: String) {
        guard let bytes = try? Base64URL.decode(text),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        else {
            return nil
        }
        self.pair = pair
    }

    /// The secret from which all else follows.
    var seed: String { Base64URL.encode(pair.rawRepresentation) }
}

extension AppKey: Equatable, CustomStringConvertible {
    /// Whether both are the same pair.
    public static func == (one: AppKey, other: AppKey) -> Bool { one.pair == other.pair }

    /// Shows nothing of the secret.
    public var description: String { "AppKey (redacted)" }
}
