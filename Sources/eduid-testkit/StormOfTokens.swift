import JOSE
import OAuth2Grants
import PureCrypto
import TokenTreeTesting
import Wire

extension Storm.Target {
    /// Signed statements, whose samples are in order: what is accepted of the mutations is believed.
    static let signedTokens: [Self] = {
        guard let targets = try? signedTokens(by: (0..<32).map { UInt8($0) }) else {
            preconditionFailure("the samples are signed")
        }
        return targets
    }()

    /// One token of each kind by one key, and the checks that believe them.
    private static func signedTokens(by seed: [UInt8]) throws -> [Self] {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        let now = Timestamp(seconds: 1_700_000_000)
        let (id, client) = ("k" as KeyID, "0f8fad5b-d9cb-469f-a165-70867728950e" as ClientID)
        let signing = SigningKey(pair, id: id)
        let holder = Statement.BoundKey.Holder.client(client)
        let url = try WebURL(parsing: "https://a.example/api")
        let issuer: Issuer = "https://a.example/"
        let keys = [VerificationKey(pair.publicKey, id: id, issuer: issuer).prepared()]
        let bound = try Statement.BoundKey(JWK(pair.publicKey), id: id, of: holder).prepared()
        let version = try AppVersion(.iOS, .init(parsing: "1.0"), appName: issuer, keyID: id, key: JWK(pair.publicKey))
        var chance = SeededSequence(seed: 1)
        let access = try Statement.JWTAccessToken.Issuance(with: signing, of: issuer).token(
            "j", about: "s", for: client, to: issuer, scope: Scope(parsing: "a"),
            boundTo: .key(JWK(pair.publicKey), id: id), lifetime: .seconds(600), at: now)
        let request = try RequestToken.Issuance(with: signing, of: holder).token(for: url, at: now, using: &chance)
        let proof = try DPoPProof.Issuance(with: pair).proof(for: .get, to: url, with: access, at: now, using: &chance)
        let registration = try Statement.AppRegistration.signed(
            with: signing, of: issuer, instance: client,
            on: AppVersion.Device(id: "d", name: "n", type: "t", systemVersion: "18"), to: issuer,
            binding: JWK(pair.publicKey), at: now, using: &chance)
        return [
            Self("access token", [access.secret]) { bytes in
                try Statement.JWTAccessToken(
                    checking: Statement.Unverified(parsing: AccessToken(parsing: bytes), as: .accessToken), by: keys,
                    of: issuer,
                    to: Statement.Addressee(issuer), at: now)
            },
            Self("presented token", [access.secret, request.secret]) { bytes in
                try Possession.Presentation(bearer: AccessToken(parsing: bytes)).verified(
                    by: bound, for: .get, requesting: url, at: now)
            },
            Self("DPoP proof", [proof.secret]) { bytes in
                try Possession.Presentation(access, proof: Assertion(parsing: bytes)).verified(
                    by: bound, for: .get, requesting: url, at: now)
            },
            Self("request token of an app", [registration.secret]) { bytes in
                try Statement.AppRegistration(
                    checking: .init(parsing: Assertion(parsing: bytes)), against: version,
                    to: Statement.Addressee(issuer),
                    at: now)
            },
        ]
    }
}
