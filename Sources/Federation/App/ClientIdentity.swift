internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import Wire

/// Under which name a party knows the instance, and the key by which the instance proves to be meant.
///
/// Towards the edu-ID service it is the installation's. At a service that takes pairwise names it is another one, whose
/// key is made for that service by chance, used nowhere else, and kept with the service's token until that goes (threat
/// 77).
struct ClientIdentity: Sendable, Equatable {
    let client: ClientID
    let key: Curve25519.Signing.PrivateKey

    var publicKey: JWK { JWK(key.publicKey) }
}

extension AuthorizingApp.Installation {
    /// How the edu-ID service knows the instance, and every service that takes the names which the whole federation
    /// knows.
    var identity: ClientIdentity { ClientIdentity(client: instance, key: key) }
}

// MARK: - In the store

extension ClientIdentity {
    /// Writes what a store keeps beside a token that is of use to this identity only.
    func write(to object: inout JSON.ObjectWriter) {
        object.member("client", client.text)
        object.member("key", Base64URL.encode(key.rawRepresentation))
    }

    /// Reads what a store kept beside a token; `nil` if that is damaged.
    init?(keptWith token: JSON.Document.Object) {
        guard let client = try? token["client"].string(), let key = try? token["key"].string(),
            let name = try? ClientID(parsing: client), let seed = try? Base64URL.decode(key),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else { return nil }
        self.init(client: name, key: pair)
    }
}
