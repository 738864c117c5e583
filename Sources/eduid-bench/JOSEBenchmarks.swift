import JOSE
import PureCrypto
import Wire

/// Tokens of some 300 bytes of claims, from text to checked claims and back; keys as they come over the wire.
func joseBenchmarks() throws -> [Benchmark] {
    let seed = (0..<32).map { UInt8($0 &* 7 &+ 1) }
    let id: KeyID = "key-2026-11"
    let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    let secret = try SigningKey(SymmetricKey(data: seed), for: .hs256, id: id)
    guard let secretKey = secret.verificationKey else { preconditionFailure("a shared secret verifies too") }
    let pairKey = VerificationKey(pair.publicKey, id: id)
    let prepared = pairKey.prepared()
    let parsedJWK = JWK(pair.publicKey, attributes: JWK.Attributes(id: id, use: .signature, algorithm: .edDSA))
    let jwk = parsedJWK.encoded()
    let claims = JWT.Claims([
        "iss": "https://eduid.example.org", "sub": "248289761001-7f3a2b9c-d4e5",
        "aud": "https://service.example.edu/token", "iat": 1_700_000_000, "exp": 1_700_003_600,
        "jti": "0f8fad5b-d9cb-469f-a165-70867728950e", "client_id": "ch.eduid.mobile.instance.42",
        "scope": "https://service.example.edu/api/authorization profile",
    ])
    let expectation = JWT.Expectation(
        issuer: .exactly("https://eduid.example.org"), audience: .only("https://service.example.edu/token"))
    let accepted: [Algorithm] = [.edDSA, .hs256, .es256]
    let now = Timestamp(seconds: 1_700_000_100)
    func isValid(_ token: String, _ key: VerificationKey) -> Bool {
        let verified = try? JWS.Unverified(parsing: token).verified(by: key, accepting: accepted)
        return (try? verified?.validated(expecting: expectation, at: now)) != nil
    }
    let hs256 = try JWT.Issuance(with: secret)
    let edDSA = try JWT.Issuance(with: SigningKey(pair, id: id))
    let (code, signature) = (try hs256.token(claims), try edDSA.token(claims))
    let bare = try BareSignature(of: signature, by: pair)
    let curvePair = try P256.Signing.PrivateKey(rawRepresentation: seed)
    let es256 = try JWT.Issuance(with: SigningKey(curvePair, id: id))
    let curveToken = try es256.token(claims)
    let curveKey = VerificationKey(curvePair.publicKey, id: id)
    let curvePrepared = curveKey.prepared()
    let bareCurve = try BareCurveSignature(of: curveToken, by: curvePair)
    return [
        Benchmark("jwt-hs256-sign") { try? hs256.token(claims) },
        Benchmark("jwt-hs256-verify") { isValid(code, secretKey) },
        Benchmark("jwt-eddsa-sign") { try? edDSA.token(claims) }.against("the bare signature") { bare.sign() },
        Benchmark("jwt-eddsa-verify") { isValid(signature, pairKey) }
            .against("the bare signature") { bare.isValidUnprepared() },
        Benchmark("jwt-eddsa-verify-prepared") { isValid(signature, prepared) }
            .against("the bare signature") { bare.isValid() },
        Benchmark("jwt-es256-sign") { try? es256.token(claims) }.against("the bare signature") { bareCurve.sign() },
        Benchmark("jwt-es256-verify") { isValid(curveToken, curveKey) }
            .against("the bare signature") { bareCurve.isValidUnprepared() },
        Benchmark("jwt-es256-verify-prepared") { isValid(curveToken, curvePrepared) }
            .against("the bare signature") { bareCurve.isValid() },
        Benchmark("jwk-parse") { try? JWK(parsing: jwk) },
        Benchmark("jwk-thumbprint") { try? parsedJWK.thumbprint() },
    ]
}
