internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import Wire

/// Under which name a party knows the instance, and the key by which the instance proves to be meant.
///
/// Towards the edu-ID service it is the installation's. At a service that takes pairwise names it is another one, whose
/// key is made for that service alone, used nowhere else, and kept with the service's token until that goes (threat
/// 77); of a key that lies elsewhere the public half is kept, with the name by which the host finds the other one.
struct ClientIdentity: Sendable, Equatable {
    let client: ClientID
    let key: DeviceKey

    var publicKey: JWK { key.publicKey }
}

extension AuthorizingApp.Installation {
    /// How the edu-ID service knows the instance, and every service that takes the names which the whole federation
    /// knows.
    var identity: ClientIdentity { ClientIdentity(client: instance, key: key) }
}

// MARK: - In the store

extension ClientIdentity {
    private static let member: JSON.Name = "identity"

    /// Writes what a store keeps beside a token that is of use to this identity only: nothing where it is the
    /// installation's own.
    func write(beside token: inout JSON.ObjectWriter, unlessOf installation: AuthorizingApp.Installation) {
        guard self != installation.identity else { return }
        token.object(Self.member) { object in
            object.member("client", client.text)
            key.write(to: &object)
        }
    }

    /// Reads whose a token is that a store kept: the installation's, or who stands beside it; `nil` if that is damaged.
    init?(keptBeside token: JSON.Document.Object, or installation: AuthorizingApp.Installation) {
        guard let own = token.optional(Self.member) else {
            self = installation.identity
            return
        }
        guard let members = try? own.object() else { return nil }
        self.init(members)
    }

    private init?(_ members: JSON.Document.Object) {
        guard let client = try? members["client"].string(), let name = try? ClientID(parsing: client),
            let key = DeviceKey(keptIn: members)
        else { return nil }
        self.init(client: name, key: key)
    }
}
