internal import JOSE
internal import OAuth2Grants
internal import Wire

/// A key with the header of the request tokens that it signs, prepared once for an authorization.
struct RequestSigning: Sendable {
    private let issuance: JWT.Issuance
    private let issuer: BundleID

    init(with key: SigningKey, for app: BundleID) throws(AuthorizationRejection) {
        guard let issuance = try? JWT.Issuance(with: key, as: .request) else { throw .namelessKey }
        self.issuance = issuance
        issuer = app
    }

    func token(
        to audience: String, with claims: JSON.Object, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(JWS.SigningRejection) -> String {
        let id = [UInt64](arrayLiteral: entropy.next(), entropy.next())
        return try issuance.token { writer in
            writer.member("iss", issuer.text)
            writer.member("aud", audience)
            writer.member("iat", now.seconds)
            writer.member("jti", Base64URL.encode(id.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }))
            for member in claims { writer.member(member.name, member.value) }
        }
    }
}
