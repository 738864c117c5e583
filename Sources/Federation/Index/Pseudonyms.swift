internal import JOSE
internal import OAuth2Grants
public import PureCrypto
internal import TokenTree
internal import Wire

/// Makes the names under which services know users and instances, each service its own, where the federation's policy
/// says so.
///
/// HMAC-SHA256 of service and user: the same user has the same name at the same service for ever, two services cannot
/// tell that their users are one, and nobody without the secret leads a name back. The same holds for instances
/// (threat 77).
public struct Pseudonyms: Sendable {
    private let key: HMAC<SHA256>.PreparedKey

    /// Names that follow from a secret; whoever changes it gives all users new names.
    public init(secret: SymmetricKey) {
        key = HMAC<SHA256>.PreparedKey(secret)
    }

    /// Names that follow from the secret from which much else follows.
    init(following master: SymmetricKey) {
        let code = HMAC<SHA256>.authenticationCode(for: Array("names of users".utf8), using: master)
        self.init(secret: SymmetricKey(data: [UInt8](code)))
    }

    /// The name of a user at a service.
    func name(of user: Record.Subject, at service: ServiceIndex.Member) -> String {
        switch service.subjects {
        case .common: return user.text
        case .pairwise: return derived(from: message(of: user.text, at: service))
        }
    }

    /// The name of an instance at a service.
    func name(of instance: ClientID, at service: ServiceIndex.Member) -> ClientID {
        switch service.clients {
        case .common: return instance
        // The lengths of issuers are digits, so that no instance has the name of a user.
        case .pairwise: return .named(derived(from: "client:" + message(of: instance.text, at: service)))
        }
    }

    private func message(of party: String, at service: ServiceIndex.Member) -> String {
        // The length in front keeps the end of one part from being taken for the beginning of the other.
        "\(service.issuer.text.utf8.count):" + service.issuer.text + party
    }

    private func derived(from message: String) -> String {
        Base64URL.encode([UInt8](key.authenticationCode(for: Array(message.utf8))))
    }
}
