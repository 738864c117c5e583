internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import Wire

/// How an authorization is shown to its service (NIF-7): as it is, or by signatures with the key that it is bound to.
enum Presentation: Sendable {
    /// The access token goes unchanged to every endpoint.
    case bearer
    /// Each request gets a token of its own, signed with the key.
    case signed(RequestToken.Issuance)

    /// Finds out which of the two it is; apps assume neither.
    ///
    /// A `cnf` beside the access token binds it: to the symmetric key in it, or to the app's own key, which it must
    /// then mean. The issuer need not repeat there what the app itself has brought, so a token of type `PoP` is looked
    /// into for the name that the issuer gave the key.
    init(
        _ members: JSON.Object, accessToken: AccessToken, key: AppKey?, app: BundleID
    ) throws(AuthorizationRejection) {
        let type = members["token_type"]?.string.map { TokenType($0) }
        let isBearer = type == .bearer
        if let confirmation = members["cnf"]?.object {
            self = .signed(try Self.signing(confirmation, members, key, app))
            return
        }
        guard !isBearer, let inner = Self.confirmation(inside: accessToken) else {
            guard type == nil || isBearer else { throw .unknownType(type?.text ?? "") }
            self = .bearer
            return
        }
        if type == nil, !Self.isBound(inner, to: key) {
            self = .bearer
        } else {
            self = .signed(try Self.signing(inner, members, key, app))
        }
    }

    private static func signing(
        _ confirmation: JSON.Object, _ members: JSON.Object, _ key: AppKey?, _ app: BundleID
    ) throws(AuthorizationRejection) -> RequestToken.Issuance {
        func requests(with key: SigningKey) throws(AuthorizationRejection) -> RequestToken.Issuance {
            do throws(IssuanceRejection) { return try RequestToken.Issuance(with: key, of: .app(app)) } catch {
                throw .namelessKey
            }
        }
        if let jwk = confirmation["jwk"]?.object, jwk["kty"] == "oct" {
            return try requests(with: symmetricKey(jwk, named: confirmation["kid"] ?? members["kid"]))
        }
        let parsed = try self.confirmation(confirmation)
        guard let key else { throw .foreignKey }
        if let representation = parsed.representation, !key.isMeant(by: representation) { throw .foreignKey }
        guard let id = parsed.keyID ?? parsed.key?.id ?? keyID(members["kid"]) else { throw .namelessKey }
        return try requests(with: key.signing(as: id))
    }

    /// The key that the issuer made, for HS256 unless it says otherwise.
    private static func symmetricKey(_ jwk: JSON.Object, named name: JSON?) throws(AuthorizationRejection) -> SigningKey
    {
        var secret: JWK.Private
        do throws(JWK.Rejection) { secret = try JWK.Private(parsing: jwk.encoded()) } catch { throw .key(error) }
        secret.attributes.id = keyID(name) ?? secret.attributes.id
        secret.attributes.algorithm = secret.attributes.algorithm ?? .hs256
        guard secret.attributes.id != nil else { throw .namelessKey }
        do throws(KeyRejection) { return try SigningKey(secret) } catch { throw .key(.unusable(error)) }
    }

    private static func keyID(_ value: JSON?) -> KeyID? {
        guard let text = value?.string else { return nil }
        return try? KeyID(parsing: text)
    }

    private static func confirmation(_ members: JSON.Object) throws(AuthorizationRejection) -> JWT.Confirmation {
        // What the writer has written is JSON.
        guard let document = try? JSON.Document(parsing: members.encoded()) else { throw .namelessKey }
        do throws(JWT.Confirmation.Rejection) {
            return try JWT.Confirmation(document.root)
        } catch {
            throw .confirmation(error)
        }
    }

    private static func isBound(_ confirmation: JSON.Object, to key: AppKey?) -> Bool {
        guard let key, let representation = (try? self.confirmation(confirmation))?.representation else { return false }
        return key.isMeant(by: representation)
    }

    /// What an access token that happens to be a JWT says about its key; nothing is believed by that, the app only
    /// learns its own key's name.
    private static func confirmation(inside token: AccessToken) -> JSON.Object? {
        let parts = token.secret.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? Base64URL.decode(parts[1]) else { return nil }
        return (try? JSON(parsing: payload, limits: JSON.Limits(size: 16 << 10, depth: 16)))?["cnf"]?.object
    }
}
