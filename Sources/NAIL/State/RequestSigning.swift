internal import JOSE
internal import OAuth2Grants
internal import Wire

/// A key with the header of the request tokens that it signs, prepared once for an authorization.
struct RequestSigning: Sendable {
    private let issuance: JWT.Issuance
    private let issuer: BundleID

    init(with key: SigningKey, for app: BundleID) throws(AuthorizationRejection) {
        // Only further header parameters could be refused, and there are none.
        guard let issuance = try? JWT.Issuance(with: key, as: .request) else { throw .namelessKey }
        self.issuance = issuance
        issuer = app
    }

    func token(
        to audience: String, with claims: JSON.Object, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(JWS.SigningRejection) -> String {
        var id: [UInt8] = []
        id.reserveCapacity(16)
        for _ in 0..<2 {
            var word = entropy.next()
            for _ in 0..<8 {
                id.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        let name = Base64URL.encode(id.span)
        return try issuance.token { writer in
            writer.member("iss", issuer.text)
            writer.member("aud", audience)
            writer.member("iat", now.seconds)
            writer.member("jti", name)
            for member in claims { writer.member(member.name, member.value) }
        }
    }
}
