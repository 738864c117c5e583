import JOSE
import OAuth2Grants
import PureCrypto
import Wire

/// Signed statements from text to verdict, without a store, and back; each beside the bare signature over the same
/// bytes.
///
/// Keys are prepared, as those of a service are that keeps them; where a key comes with the token, the rival's is not
/// prepared either.
func signedTokenBenchmarks() throws -> [Benchmark] {
    let samples = try SignedSamples()
    return try possessionBenchmarks(samples) + statementBenchmarks(samples)
}

/// Who signs the samples, for whom and when.
private struct SignedSamples {
    let now = Timestamp(seconds: 1_700_000_000)
    let url: WebURL
    let issuer: Issuer = "https://moodle.example.ch/"
    let client: ClientID = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let keyID: KeyID = "key-2026-11"
    let pair: Curve25519.Signing.PrivateKey
    let signing: SigningKey
    let bound: Statement.BoundKey
    let requests: RequestToken.Issuance
    let request: AccessToken
    let access: AccessToken
    let issuance: Statement.JWTAccessToken.Issuance
    let scope: Scope

    init() throws {
        pair = try Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0 &* 7 &+ 1) })
        url = try WebURL(parsing: "https://moodle.example.ch/webservice/rest/server.php")
        scope = try Scope(parsing: "https://moodle.example.ch/webservice/rest profile")
        signing = SigningKey(pair, id: keyID)
        bound = try Statement.BoundKey(JWK(pair.publicKey), id: keyID, of: .client(client)).prepared()
        requests = try RequestToken.Issuance(with: signing, of: .client(client))
        issuance = try Statement.JWTAccessToken.Issuance(with: signing, of: issuer)
        var entropy = SystemRandomNumberGenerator()
        request = try requests.token(for: url, at: now, using: &entropy)
        access = try Self.token(issuance, issuer, client, scope, JWK(pair.publicKey), keyID, now)
    }

    static func token(
        _ issuance: Statement.JWTAccessToken.Issuance, _ issuer: Issuer, _ client: ClientID, _ scope: Scope, _ key: JWK,
        _ keyID: KeyID, _ now: Timestamp
    ) throws -> AccessToken {
        try issuance.token(
            "UVnTXbM7QoSTQbOEr8AmXw", about: "248289761001", for: client, to: issuer, scope: scope,
            boundTo: .key(key, id: keyID), lifetime: .seconds(3_600), at: now)
    }
}

/// Proofs of possession: of a request, and of one by DPoP.
private func possessionBenchmarks(_ samples: SignedSamples) throws -> [Benchmark] {
    let (now, url, bound) = (samples.now, samples.url, samples.bound)
    let (request, access) = (samples.request, samples.access)
    var entropy = SystemRandomNumberGenerator()
    let proof = try DPoPProof.Issuance(with: samples.pair).proof(
        for: .get, to: url, with: access, at: now, using: &entropy)
    let bareRequest = try BareSignature(of: request.secret, by: samples.pair)
    let bareProof = try BareSignature(of: proof.secret, by: samples.pair)
    return [
        Benchmark("signed-request-check") {
            try? Possession.Presentation(bearer: request).verified(by: bound, for: .get, requesting: url, at: now)
        }
        .against("the bare signature") { bareRequest.isValid() },
        Benchmark("signed-request-build") {
            var entropy = SystemRandomNumberGenerator()
            return try? samples.requests.token(for: url, at: now, using: &entropy)
        }
        .against("the bare signature") { bareRequest.sign() },
        Benchmark("signed-dpop-check") {
            try? Possession.Presentation(access, proof: proof).verified(by: bound, for: .get, requesting: url, at: now)
        }
        .against("the bare signature") { bareProof.isValidUnprepared() },
    ]
}

/// Requests of an app for its registration, and access tokens.
private func statementBenchmarks(_ samples: SignedSamples) throws -> [Benchmark] {
    let (now, url, issuer, keyID) = (samples.now, samples.url, samples.issuer, samples.keyID)
    let key = JWK(samples.pair.publicKey)
    var entropy = SystemRandomNumberGenerator()
    let registration = try Statement.AppRegistration.signed(
        with: samples.signing, of: issuer, instance: samples.client,
        on: AppVersion.Device(id: "9c2e1f00", name: "My telephone", type: "phone", systemVersion: "18.1"), to: issuer,
        binding: key, at: now, using: &entropy)
    func version(_ key: JWK) throws -> AppVersion {
        try AppVersion(.android, .init(parsing: "2.10.1"), appName: issuer, keyID: keyID, key: key)
    }
    let known = try version(key)
    let other = try version(
        JWK(Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0) }).publicKey))
    let keys = [VerificationKey(samples.pair.publicKey, id: keyID, issuer: issuer).prepared()]
    let service = Statement.Addressee(issuer)
    // Whether the key is unknown or the signature wrong should not be told by the time that it takes.
    func registered(by version: AppVersion?) throws -> Statement.AppRegistration {
        try Statement.AppRegistration(checking: .init(parsing: registration), against: version, to: service, at: now)
    }
    func accessed() throws -> Statement.JWTAccessToken {
        try Statement.JWTAccessToken(
            checking: Statement.Unverified(parsing: samples.access, as: .accessToken), by: keys, of: issuer,
            to: service, at: now)
    }
    let bareRegistration = try BareSignature(of: registration.secret, by: samples.pair)
    let bareAccess = try BareSignature(of: samples.access.secret, by: samples.pair)
    let bareRequest = try BareSignature(of: samples.request.secret, by: samples.pair)
    return [
        Benchmark("signed-app-request-check") { try? registered(by: known) }
            .against("the bare signature") { bareRegistration.isValid() },
        Benchmark("signed-app-request-unknown") { try? registered(by: nil) }
            .against("a wrong signature") { try? registered(by: other) },
        Benchmark("signed-access-issue") {
            try? SignedSamples.token(
                samples.issuance, issuer, samples.client, samples.scope, key, keyID, now)
        }
        .against("the bare signature") { bareAccess.sign() },
        Benchmark("signed-access-check") { try? accessed() }.against("the bare signature") { bareAccess.isValid() },
        // The receiver keeps nothing about the token nor the proof of its key.
        Benchmark("signed-access-opening") {
            try? Possession.Presentation(bearer: samples.request).verified(
                by: accessed().boundKey(), for: .get, requesting: url, at: now)
        }
        .against("both bare signatures") { bareAccess.isValid() && bareRequest.isValid() },
    ]
}
