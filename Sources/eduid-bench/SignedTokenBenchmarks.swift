import JOSE
import OAuth2Grants
import PureCrypto
import Wire

/// Signed statements from text to verdict, without a store, and back; each beside the bare signature over the same
/// bytes.
///
/// Keys are prepared, as those of a service are that keeps them; where a key comes with the token, the rival's is not
/// prepared either.
func signedTokenBenchmarks() -> [Benchmark] {
    guard let samples = try? SignedSamples() else { return [] }
    return [
        Benchmark("signed-request-check") { try? samples.checkedRequest() }
            .against("the bare signature") { samples.request.isValid() },
        Benchmark("signed-request-build") {
            var entropy = SystemRandomNumberGenerator()
            return try? samples.requests.token(for: samples.url, at: samples.now, using: &entropy)
        }
        .against("the bare signature") { samples.request.sign() },
        Benchmark("signed-dpop-check") { try? samples.checkedProof() }
            .against("the bare signature") { samples.proof.isValidUnprepared() },
        Benchmark("signed-app-request-check") { try? samples.checkedAppRequest() }
            .against("the bare signature") { samples.appRequest.isValid() },
        Benchmark("signed-app-request-unknown") { try? samples.refusedAppRequest(by: nil) }
            .against("a wrong signature") { try? samples.refusedAppRequest(by: samples.otherVersion) },
        Benchmark("signed-access-issue") { try? samples.issuedAccess() }
            .against("the bare signature") { samples.access.sign() },
        Benchmark("signed-access-check") { try? samples.checkedAccess() }
            .against("the bare signature") { samples.access.isValid() },
        Benchmark("signed-access-opening") { try? samples.openedAccess() }
            .against("both bare signatures") { samples.access.isValid() && samples.request.isValid() },
    ]
}

/// A token with what its signature costs by itself.
private struct SignedSample {
    let text: String
    private let message: [UInt8]
    private let signature: [UInt8]
    private let pair: Curve25519.Signing.PrivateKey
    private let prepared: Curve25519.Signing.PreparedPublicKey

    init(_ text: String, by pair: Curve25519.Signing.PrivateKey) throws {
        self.text = text
        self.pair = pair
        let last = text.utf8.split(separator: UInt8(ascii: ".")).last.map { Array($0) } ?? []
        signature = try Base64URL.decode(last)
        message = Array(text.utf8.dropLast(last.count + 1))
        prepared = pair.publicKey.prepared()
    }

    func isValid() -> Bool { prepared.isValidSignature(signature, for: message) }

    func isValidUnprepared() -> Bool { pair.publicKey.isValidSignature(signature, for: message) }

    func sign() -> Curve25519.Signing.Signature { pair.signature(for: message) }
}

private struct SignedSamples {
    let now = Timestamp(seconds: 1_700_000_000)
    let url: WebURL
    let requests: RequestToken.Issuance
    let request: SignedSample
    let proof: SignedSample
    let appRequest: SignedSample
    let access: SignedSample

    private let requestText: AccessToken
    private let accessText: AccessToken
    private let proofText: Assertion
    private let appRequestText: Assertion
    private let bound: BoundKey
    private let version: AppVersion
    let otherVersion: AppVersion
    private let service: Addressee
    private let issuer: Issuer
    private let issuance: JWTAccessToken.Issuance
    private let issuerKeys: [VerificationKey]
    private let instanceKey: JWK
    private let keyID: KeyID
    private let client: ClientID
    private let id: JWTID
    private let subject: Subject
    private let scope: Scope

    init() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0 &* 7 &+ 1) })
        keyID = try KeyID(parsing: "key-2026-11")
        client = try ClientID(parsing: "0f8fad5b-d9cb-469f-a165-70867728950e")
        url = try WebURL(parsing: "https://moodle.example.ch/webservice/rest/server.php")
        issuer = try Issuer(parsing: "https://moodle.example.ch/")
        service = Addressee(issuer)
        id = try JWTID(parsing: "UVnTXbM7QoSTQbOEr8AmXw")
        subject = try Subject(parsing: "248289761001")
        scope = try Scope(parsing: "https://moodle.example.ch/webservice/rest profile")
        instanceKey = JWK(pair.publicKey)
        let signing = SigningKey(pair, id: keyID)
        let holder = BoundKey.Holder.client(client)
        bound = try BoundKey(instanceKey, id: keyID, of: holder).prepared()
        issuerKeys = [VerificationKey(pair.publicKey, id: keyID, issuer: issuer).prepared()]
        version = try AppVersion(.android, .init(parsing: "2.10.1"), appName: issuer, keyID: keyID, key: instanceKey)
        let other = try Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0) })
        otherVersion = try AppVersion(
            .android, .init(parsing: "2.10.1"), appName: issuer, keyID: keyID, key: JWK(other.publicKey))

        requests = try RequestToken.Issuance(with: signing, of: holder)
        issuance = try JWTAccessToken.Issuance(with: signing, of: issuer)
        let proofs = try DPoPProof.Issuance(with: pair)
        var entropy = SystemRandomNumberGenerator()
        requestText = try requests.token(for: url, at: now, using: &entropy)
        accessText = try issuance.token(
            id, about: subject, for: client, to: issuer, scope: scope, boundTo: .key(instanceKey, id: keyID),
            lifetime: .seconds(3_600),
            at: now)
        proofText = try proofs.proof(for: .get, to: url, with: accessText, at: now, using: &entropy)
        let device = Device(
            id: try .init(parsing: "9c2e1f00"), name: try .init(parsing: "My telephone"),
            type: try .init(parsing: "phone"),
            systemVersion: try .init(parsing: "18.1"))
        appRequestText = try AppRequestToken.signed(
            with: signing, of: issuer, instance: client, on: device, to: issuer, binding: instanceKey, issuedAt: now)
        request = try SignedSample(requestText.secret, by: pair)
        proof = try SignedSample(proofText.secret, by: pair)
        appRequest = try SignedSample(appRequestText.secret, by: pair)
        access = try SignedSample(accessText.secret, by: pair)
    }

    func checkedRequest() throws -> Possession? {
        try Presentation(bearer: requestText).verified(by: bound, for: .get, requesting: url, at: now)
    }

    func checkedProof() throws -> Possession? {
        try Presentation(accessText, proof: proofText).verified(by: bound, for: .get, requesting: url, at: now)
    }

    func checkedAppRequest() throws -> AppRequestToken {
        try AppRequestToken(checking: .init(parsing: appRequestText), against: version, to: service, at: now)
    }

    /// Whether the key is unknown or the signature wrong should not be told by the time that it takes.
    func refusedAppRequest(by version: AppVersion?) throws -> AppRequestToken {
        try AppRequestToken(checking: .init(parsing: appRequestText), against: version, to: service, at: now)
    }

    func issuedAccess() throws -> AccessToken {
        try issuance.token(
            id, about: subject, for: client, to: issuer, scope: scope, boundTo: .key(instanceKey, id: keyID),
            lifetime: .seconds(3_600),
            at: now)
    }

    func checkedAccess() throws -> JWTAccessToken {
        try JWTAccessToken(
            checking: UnverifiedToken(parsing: accessText), by: issuerKeys, of: issuer, to: service, at: now)
    }

    /// An access token and the proof of its key, where the receiver keeps nothing about either.
    func openedAccess() throws -> Possession? {
        let key = try checkedAccess().boundKey()
        return try Presentation(bearer: requestText).verified(by: key, for: .get, requesting: url, at: now)
    }
}
