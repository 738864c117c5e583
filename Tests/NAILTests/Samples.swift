import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Wire

/// The parties of most tests: one app, and universities that offer two protocols each.
enum Sample {
    static let now = Timestamp(seconds: 1_700_000_000)
    static let alpha = "https://alpha.example.ch"
    static let beta = "https://beta.example.ch"
    static let reading = "org.example.reading"
    static let writing = "org.example.writing"

    static func name(_ text: String) throws -> ProtocolName { try ProtocolName(parsing: text) }

    static func request(
        _ protocols: [String] = [reading], single: Bool = false, clientID: String = "device-7",
        appID: String = "ch.example.reader",
        appName: String = "Reader"
    ) throws -> ProtocolRequest {
        try ProtocolRequest(
            from: ClientID(parsing: clientID), of: BundleID(parsing: appID), named: AppName(parsing: appName),
            for: protocols.map { try ProtocolName(parsing: $0) }, prefersSingle: single)
    }

    /// A document in its JSON form, with an authorization at the service and others at protocols.
    static func document(
        _ home: String = alpha, name: String? = nil, offering protocols: [String] = [reading],
        authorization: JSON? = plain("token-1"),
        own: [String: JSON] = [:], extra: JSON.Object = [:]
    ) -> JSON {
        var apis = JSON.Object()
        apis["org.ietf.oauth2"] = ["apiLink": "oauth/"]
        for name in protocols {
            let folder = name.split(separator: ".").last.map(String.init) ?? "api"
            apis[JSON.Name(name)] = .object(["apiLink": .string(folder)])
        }
        for (name, value) in own {
            var members = apis[JSON.Name(name)]?.object ?? [:]
            members["authorization"] = value
            apis[JSON.Name(name)] = .object(members)
        }
        var members: JSON.Object = ["engineLink": "", "homePageLink": .string(home), "apis": .object(apis)]
        members["engineName"] = name.map { .string($0) }
        members["authorization"] = authorization
        for member in extra { members[member.name] = member.value }
        return .object(members)
    }

    /// A plain authorization, by default without end.
    static func plain(
        _ token: String, refresh: String? = nil, expiresIn: Int64? = nil, scope: String? = nil, type: String? = "Bearer"
    ) -> JSON {
        var members: JSON.Object = ["access_token": .string(token)]
        members["token_type"] = type.map { .string($0) }
        members["refresh_token"] = refresh.map { .string($0) }
        members["expires_in"] = expiresIn.map { .number(JSON.Number($0)) }
        members["scope"] = scope.map { .string($0) }
        return .object(members)
    }

    static let secret = [UInt8]((1...32).map { UInt8($0) })

    /// An authorization bound to a symmetric key that the issuer made.
    static func symmetric(_ token: String, kid: String = "key-1", refresh: String? = nil, expiresIn: Int64? = nil)
        -> JSON
    {
        var members = plain(token, refresh: refresh, expiresIn: expiresIn, type: "PoP").object ?? [:]
        members["cnf"] = ["jwk": ["kty": "oct", "k": .string(Base64URL.encode(secret)), "kid": .string(kid)]]
        return .object(members)
    }

    /// An authorization bound to the app's own key.
    static func bound(
        _ token: String, to key: AppKey, kid: String = "key-2", refresh: String? = nil, expiresIn: Int64? = nil
    ) throws
        -> JSON
    {
        var members = plain(token, refresh: refresh, expiresIn: expiresIn, type: "PoP").object ?? [:]
        members["cnf"] = ["jwk": try JSON(parsing: key.publicKey.encoded()), "kid": .string(kid)]
        return .object(members)
    }

    static func response(_ documents: JSON...) throws -> ProtocolResponse {
        try ProtocolResponse(parsing: JSON.array(documents).encoded())
    }

    static func state(
        _ documents: JSON..., requesting protocols: [String] = [reading], key: AppKey? = nil, at now: Timestamp = now
    ) throws -> NAILState {
        var state = NAILState()
        state.accept(
            try ProtocolResponse(parsing: JSON.array(documents).encoded()), to: try request(protocols), key: key,
            at: now)
        return state
    }

    static func appKey(_ seed: UInt64 = 7) -> AppKey {
        var entropy = SeededGenerator(seed: seed)
        return AppKey(using: &entropy)
    }
}

/// The parts of a token that was signed, for tests that look at it.
struct SignedParts {
    let header: JSON
    let claims: JSON

    init(_ token: String) throws {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        header = try JSON(parsing: Base64URL.decode(parts[0]))
        claims = try JSON(parsing: Base64URL.decode(parts[1]))
    }
}

extension NAILState {
    /// A token as the façade gives it: nothing but the empty string where it is refused.
    func token(
        _ service: String, _ name: String = Sample.reading, path: String? = nil, claims: JSON.Object = [:],
        at now: Timestamp = Sample.now,
        seed: UInt64 = 1
    ) throws(NAILState.Refusal) -> String {
        var entropy = SeededGenerator(seed: seed)
        guard let name = try? ProtocolName(parsing: name) else { throw .unknownService(name) }
        return try access(to: service, name, path: path).token(with: claims, at: now, using: &entropy)
    }
}

extension ProtocolRequest {
    /// Checks the request where nothing came before.
    func checkedOnce(
        against registry: [BundleID: JWKSet], policy: CheckPolicy = CheckPolicy(), at now: Timestamp
    ) throws(MessageRejection) -> Checked {
        var seen = Seen()
        return try checked(against: registry, policy: policy, remembering: &seen, at: now)
    }

    func signed(with key: SigningKey, binding appKey: JWK? = nil) throws -> ProtocolRequest {
        var entropy = SeededGenerator(seed: 58)
        return try signed(with: key, binding: appKey, at: Sample.now, using: &entropy)
    }
}
