import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Wire

/// What an app does for each of its requests, which is to take a token from the shared object, and at its start, which
/// is to read its state back.
func nailBenchmarks() -> [Benchmark] {
    guard let samples = DeviceSamples() else {
        preconditionFailure("the samples are a device with authorized services")
    }
    let (symmetric, own) = (samples.symmetric.nail, samples.own.nail)
    let (service, name) = (DeviceSamples.service, DeviceSamples.reading)
    let key = samples.pair
    let input = samples.own.signingInput
    let serialization = samples.serialization
    return [
        Benchmark("nail-token-bearer") { samples.plain.nail.getServiceToken(service, name) },
        Benchmark("nail-token-hs256") { symmetric.getServiceToken(service, name) },
        // "Against" the bare signature over the same bytes: a ratio above 0.83 is the goal.
        Benchmark("nail-token-eddsa") { own.getServiceToken(service, name) }
            .against("bare signature") { key.signature(for: input) },
        Benchmark("nail-token-eddsa-path") {
            own.getServiceToken(service, name, "list?page=2", ["nonce": "n-0S6_WzA2Mj"])
        },
        Benchmark("nail-state-100-parse") { try? NAILState(parsing: serialization) },
        Benchmark("nail-state-100-write") { samples.hundred.serialized() },
    ]
}

/// Apps with one service each, which differ in how their tokens are made, and the state of one with a hundred services.
private struct DeviceSamples {
    static let service = "https://service.example.edu/"
    static let reading = "org.example.reading"

    /// A shared object, and what the signature of one of its tokens is over.
    struct App {
        let nail: IntegrationLayer
        let signingInput: [UInt8]
    }

    let plain: App
    let symmetric: App
    let own: App
    /// A pair to sign with beside; any will do, since signing takes the same time with each.
    let pair: Curve25519.Signing.PrivateKey
    let hundred: NAILState
    let serialization: String

    init?() {
        var entropy = Words()
        let key = AppKey(using: &entropy)
        let secret = JSON.string(Base64URL.encode((0..<32).map { UInt8($0) }))
        guard let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0 &* 7) }),
            let jwk = try? JSON(parsing: key.publicKey.encoded()),
            let plain = Self.app(
                ["access_token": "0f8fad5b-d9cb-469f-a165-70867728950e", "token_type": "Bearer"], key),
            let symmetric = Self.app(
                [
                    "access_token": "opaque", "token_type": "PoP",
                    "cnf": ["jwk": ["kty": "oct", "kid": "key-2026-11", "k": secret]],
                ], key),
            let own = Self.app(
                ["access_token": "opaque", "token_type": "PoP", "cnf": ["jwk": jwk, "kid": "key-2026-11"]], key),
            let hundred = Self.hundred(key, jwk)
        else { return nil }
        (self.plain, self.symmetric, self.own) = (plain, symmetric, own)
        self.pair = pair
        self.hundred = hundred
        serialization = hundred.serialized()
    }

    private static func document(_ url: String, _ authorization: JSON) -> JSON {
        [
            "engineName": "Learning management", "engineLink": "", "homePageLink": .string(url),
            "apis": [
                "org.ietf.oauth2": ["apiLink": "auth/oauth/"],
                "org.example.reading": [
                    "apiLink": "api/reading", "apiVersion": "2.1", "notes": "Lists what a person may read.",
                ],
                "org.example.writing": ["apiLink": "api/writing", "transport": ["REST"]],
            ],
            "authorization": authorization,
        ]
    }

    private static func request() -> ProtocolRequest? {
        guard let client = try? ClientID(parsing: "device-7"), let bundle = try? BundleID(parsing: "ch.example.reader"),
            let name = try? AppName(parsing: "Reader"), let reading = try? ProtocolName(parsing: reading),
            let writing = try? ProtocolName(parsing: "org.example.writing")
        else { return nil }
        return try? ProtocolRequest(from: client, of: bundle, named: name, for: [reading, writing])
    }

    private static func state(_ documents: [JSON], _ key: AppKey) -> NAILState? {
        guard let request = request(), let response = try? ProtocolResponse(parsing: JSON.array(documents).encoded())
        else { return nil }
        var state = NAILState()
        let report = state.accept(response, to: request, key: key, at: Timestamp(seconds: 1_700_000_000))
        return report.accepted.count == documents.count ? state : nil
    }

    private static func app(_ authorization: JSON, _ key: AppKey) -> App? {
        guard let request = request(), let state = state([document(service, authorization)], key) else { return nil }
        let nail = IntegrationLayer(
            ThirdPartyApp(
                named: request.appName, id: request.appID,
                on: ThirdPartyApp.Device(
                    instance: request.clientID, authorize: { _ in nil }, send: { _ in nil },
                    now: { Timestamp(seconds: 1_700_000_100) },
                    entropy: {
                        var system = SystemRandomNumberGenerator()
                        return system.next()
                    })))
        guard (try? nail.parse(state.serialized())) != nil else { return nil }
        let token = Array(nail.getServiceToken(service, reading).utf8)
        guard !token.isEmpty else { return nil }
        return App(
            nail: nail, signingInput: token.lastIndex(of: UInt8(ascii: ".")).map { Array(token[..<$0]) } ?? token)
    }

    /// Services of which a third has plain tokens, a third a key of its own, and a third the app's key.
    private static func hundred(_ key: AppKey, _ jwk: JSON) -> NAILState? {
        let documents = (0..<100).map { number -> JSON in
            let confirmations: [JSON?] = [
                nil,
                [
                    "jwk": [
                        "kty": "oct", "kid": "k", "k": .string(Base64URL.encode((0..<32).map { UInt8($0 ^ number) })),
                    ]
                ],
                ["jwk": jwk, "kid": "k"],
            ]
            var authorization: JSON.Object = [
                "access_token": .string("0f8fad5b-d9cb-469f-a165-70867728\(number)"),
                "refresh_token": "248289761001-7f3a2b9c-d4e5",
                "expires_in": 3_600,
            ]
            authorization["cnf"] = confirmations[number % 3]
            return document("https://service\(number).example.edu/home", .object(authorization))
        }
        return state(documents, key)
    }
}

/// Words for a key that protects nothing.
private struct Words: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
