internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import Wire

/// How an authorization is shown to its service (NIF-7): as it is, or by signatures with the key that it is bound to.
enum Presentation: Sendable {
    /// The access token goes unchanged to every endpoint.
    case bearer
    /// Each request gets a token of its own, signed with the key that the service knows by this name.
    case signed(RequestToken.Issuance, KeyID)

    /// Finds out which of the two it is; apps assume neither.
    ///
    /// A `cnf` beside the access token binds it: to the symmetric key in it, or to the app's own key, which it must
    /// then mean. The issuer need not repeat there what the app itself has brought, so a token of type `PoP` is looked
    /// into for the name that the issuer gave the key; nothing else in it is believed.
    init(
        _ members: JSON.Object, accessToken: AccessToken, key: DeviceKey?, app: BundleID
    ) throws(MessageRejection) {
        let type = members["token_type"]?.string.map { TokenResponse.TokenType($0) }
        let isBearer = type == .bearer
        if let confirmation = members["cnf"]?.object {
            self = try Self.signing(confirmation, members, key, app)
            return
        }
        guard !isBearer, let inner = UnreadToken(accessToken.secret)?.payload?["cnf"]?.object else {
            guard type == nil || isBearer else { throw .unknownType(type?.text ?? "") }
            self = .bearer
            return
        }
        let isBound = (try? Self.confirmation(inner))?.representation.map { key?.isMeant(by: $0) ?? false }
        self = type == nil && isBound != true ? .bearer : try Self.signing(inner, members, key, app)
    }

    private static func signing(
        _ confirmation: JSON.Object, _ members: JSON.Object, _ key: DeviceKey?, _ app: BundleID
    ) throws(MessageRejection) -> Presentation {
        let signer: SigningKey
        if let jwk = confirmation["jwk"]?.object, jwk["kty"] == "oct" {
            signer = try symmetricKey(jwk, named: confirmation["kid"] ?? members["kid"])
        } else {
            let parsed = try self.confirmation(confirmation)
            guard let key else { throw .foreignKey }
            if let representation = parsed.representation, !key.isMeant(by: representation) { throw .foreignKey }
            let name = parsed.keyID ?? parsed.key?.id ?? keyID(members["kid"])
            signer = try wrapping(MessageRejection.key, try key.signing(as: name))
        }
        guard let id = signer.id, let requests = try? RequestToken.Issuance(with: signer, of: .app(app)) else {
            throw .namelessKey
        }
        return .signed(requests, id)
    }

    /// The key that the issuer made, for HS256 unless it says otherwise.
    private static func symmetricKey(_ jwk: JSON.Object, named name: JSON?) throws(MessageRejection) -> SigningKey {
        var secret = try wrapping(MessageRejection.key, try JWK.Private(parsing: jwk.encoded()))
        secret.attributes.id = keyID(name) ?? secret.attributes.id
        secret.attributes.algorithm = secret.attributes.algorithm ?? .hs256
        return try wrapping(MessageRejection.key, try SigningKey(secret))
    }

    private static func keyID(_ value: JSON?) -> KeyID? {
        value?.string.flatMap { try? KeyID(parsing: $0) }
    }

    private static func confirmation(_ members: JSON.Object) throws(MessageRejection) -> JWT.Confirmation {
        // What the writer has written is JSON.
        guard let document = try? JSON.Document(of: members) else { throw .namelessKey }
        return try wrapping(MessageRejection.confirmation, try JWT.Confirmation(document.root))
    }
}
