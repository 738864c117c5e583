import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTreeTesting
import Wire

/// What an app does for each of its requests, which is to take a token from the shared object, and at its start, which
/// is to read its state back.
func nailBenchmarks() throws -> [Benchmark] {
    var entropy = SeededSequence(seed: 1)
    let key = AppKey(using: &entropy)
    let jwk = try JSON(parsing: key.publicKey.encoded())
    let secret = JSON.string(Base64URL.encode((0..<32).map { UInt8($0) }))
    let made: JSON = ["jwk": ["kty": "oct", "kid": "key-2026-11", "k": secret]]
    let plain = try DeviceSamples.app(
        ["access_token": "0f8fad5b-d9cb-469f-a165-70867728950e", "token_type": "Bearer"], key
    ).nail
    let symmetric = try DeviceSamples.app(["access_token": "opaque", "token_type": "PoP", "cnf": made], key).nail
    let (own, signingInput) = try DeviceSamples.app(
        ["access_token": "opaque", "token_type": "PoP", "cnf": ["jwk": jwk, "kid": "key-2026-11"]], key)
    // A pair to sign with beside; any will do, since signing takes the same time with each.
    let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0 &* 7) })
    let hundred = try DeviceSamples.hundred(key, jwk)
    let serialization = hundred.serialized()
    let (service, name) = (DeviceSamples.service, DeviceSamples.reading)
    return [
        Benchmark("nail-token-bearer") { plain.getServiceToken(service, name) },
        Benchmark("nail-token-hs256") { symmetric.getServiceToken(service, name) },
        // "Against" the bare signature over the same bytes: a ratio above 0.83 is the goal.
        Benchmark("nail-token-eddsa") { own.getServiceToken(service, name) }
            .against("bare signature") { pair.signature(for: signingInput) },
        Benchmark("nail-token-eddsa-path") {
            own.getServiceToken(service, name, "list?page=2", ["nonce": "n-0S6_WzA2Mj"])
        },
        Benchmark("nail-state-100-parse") { try? NAILState(parsing: serialization) },
        Benchmark("nail-state-100-write") { hundred.serialized() },
    ]
}

/// Apps with one service each, which differ in how their tokens are made, and the state of one with a hundred services.
private enum DeviceSamples {
    static let service = "https://service.example.edu/"
    static let reading = "org.example.reading"

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

    private static func request() throws -> ProtocolRequest {
        try ProtocolRequest(
            from: "device-7", of: "ch.example.reader", named: AppName(parsing: "Reader"),
            for: [ProtocolName(parsing: reading), "org.example.writing"])
    }

    private static func state(_ documents: [JSON], _ key: AppKey) throws -> NAILState {
        var state = NAILState()
        let response = try ProtocolResponse(parsing: JSON.array(documents).encoded())
        let report = state.accept(response, to: try request(), key: key, at: Timestamp(seconds: 1_700_000_000))
        precondition(report.accepted.count == documents.count, "the samples are accepted")
        return state
    }

    /// A shared object, and what the signature of one of its tokens is over.
    static func app(_ authorization: JSON, _ key: AppKey) throws -> (nail: IntegrationLayer, signingInput: [UInt8]) {
        let request = try request()
        let state = try state([document(service, authorization)], key)
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
        try nail.parse(state.serialized())
        let token = Array(nail.getServiceToken(service, reading).utf8)
        precondition(!token.isEmpty, "the samples are authorized")
        return (nail, token.lastIndex(of: UInt8(ascii: ".")).map { Array(token[..<$0]) } ?? token)
    }

    /// Services of which a third has plain tokens, a third a key of its own, and a third the app's key.
    static func hundred(_ key: AppKey, _ jwk: JSON) throws -> NAILState {
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
        return try state(documents, key)
    }
}
