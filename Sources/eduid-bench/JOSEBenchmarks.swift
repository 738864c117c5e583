import JOSE
import PureCrypto
import Wire

/// Tokens of some 300 bytes of claims, from text to checked claims and back; keys as they come over the wire.
func joseBenchmarks() -> [Benchmark] {
    guard let samples = TokenSamples() else { return [] }
    let hs256 = samples.issuance(samples.secret)
    let edDSA = samples.issuance(samples.pair)
    guard let hs256, let edDSA, let code = try? hs256.token(samples.claims),
        let signature = try? edDSA.token(samples.claims)
    else {
        return []
    }
    let prepared = samples.pairKey.prepared()
    guard let bare = BareSignature(of: signature) else { return [] }
    return [
        Benchmark("jwt-hs256-sign") { try? hs256.token(samples.claims) },
        Benchmark("jwt-hs256-verify") { samples.isValid(code, samples.secretKey) },
        Benchmark("jwt-eddsa-sign") { try? edDSA.token(samples.claims) }
            .against("the bare signature") { bare.pair.signature(for: bare.message) },
        Benchmark("jwt-eddsa-verify") { samples.isValid(signature, samples.pairKey) }
            .against("the bare signature") { bare.key.isValidSignature(bare.signature, for: bare.message) },
        Benchmark("jwt-eddsa-verify-prepared") { samples.isValid(signature, prepared) }
            .against("the bare signature") { bare.prepared.isValidSignature(bare.signature, for: bare.message) },
        Benchmark("jwk-parse") { try? JWK(parsing: samples.jwk) },
        Benchmark("jwk-thumbprint") { try? samples.parsedJWK.thumbprint() },
    ]
}

/// What a token's signature costs by itself, over the same bytes.
private struct BareSignature {
    let pair: Curve25519.Signing.PrivateKey
    let key: Curve25519.Signing.PublicKey
    let prepared: Curve25519.Signing.PreparedPublicKey
    let message: [UInt8]
    let signature: [UInt8]

    init?(of token: String) {
        let parts = token.utf8.split(separator: UInt8(ascii: "."))
        guard let last = parts.last, let signature = try? Base64URL.decode(Array(last)),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: TokenSamples.seed)
        else { return nil }
        self.pair = pair
        self.signature = signature
        key = pair.publicKey
        prepared = pair.publicKey.prepared()
        message = Array(token.utf8.dropLast(last.count + 1))
    }
}

private struct TokenSamples {
    let secret: SigningKey
    let secretKey: VerificationKey
    let pair: SigningKey
    let pairKey: VerificationKey
    let claims: JWT.Claims
    let jwk: [UInt8]
    let parsedJWK: JWK
    private let accepted: [Algorithm] = [.edDSA, .hs256]
    private let expectation: JWT.Expectation
    private let now = Timestamp(seconds: 1_700_000_100)

    static let seed = (0..<32).map { UInt8($0 &* 7 &+ 1) }

    init?() {
        let bytes = Self.seed
        guard let id = try? KeyID(parsing: "key-2026-11"),
            let issuer = try? Issuer(parsing: "https://eduid.example.org"),
            let audience = try? Audience(parsing: "https://service.example.edu/token"),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes),
            let secret = try? SigningKey(SymmetricKey(data: bytes), for: .hs256, id: id),
            let secretKey = secret.verificationKey
        else { return nil }
        self.secret = secret
        self.secretKey = secretKey
        self.pair = SigningKey(pair, id: id)
        pairKey = VerificationKey(pair.publicKey, id: id)
        parsedJWK = JWK(pair.publicKey, attributes: KeyAttributes(id: id, use: .signature, algorithm: .edDSA))
        jwk = parsedJWK.encoded()
        claims = JWT.Claims([
            "iss": "https://eduid.example.org",
            "sub": "248289761001-7f3a2b9c-d4e5",
            "aud": "https://service.example.edu/token",
            "iat": 1_700_000_000,
            "exp": 1_700_003_600,
            "jti": "0f8fad5b-d9cb-469f-a165-70867728950e",
            "client_id": "ch.eduid.mobile.instance.42",
            "scope": "https://service.example.edu/api/authorization profile",
        ])
        expectation = JWT.Expectation(issuer: .exactly(issuer), audience: .only(audience))
    }

    func issuance(_ key: SigningKey) -> JWT.Issuance? { try? JWT.Issuance(with: key) }

    func isValid(_ token: String, _ key: VerificationKey) -> Bool {
        do {
            let verified = try JWS.Unverified(parsing: token).verified(by: key, accepting: accepted)
            _ = try verified.validated(as: .plain, expecting: expectation, at: now)
            return true
        } catch {
            return false
        }
    }
}
