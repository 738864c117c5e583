@testable import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import Testing
import TokenTree
import Wire

/// An OpenID provider as a test wants it: what it answers can be replaced at each of its endpoints.
struct LoginServer: Sendable {
    static let issuer = "https://login.example.org/"
    static let client = "https://eduid.example.ch"
    static let access = "access-of-the-provider"
    static let requestName = "urn:ietf:params:oauth:request_uri:abc"

    var description: [String: JSON] = [
        "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "authorize"),
        "token_endpoint": .string(issuer + "token"), "jwks_uri": .string(issuer + "keys"),
        "userinfo_endpoint": .string(issuer + "userinfo"), "response_types_supported": ["code"],
        "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["EdDSA"],
        "authorization_response_iss_parameter_supported": true,
    ]
    /// The seed of the key that signs.
    var seed: UInt8 = 41
    /// The seeds of the keys that are published.
    var published: [UInt8] = [41]
    var identity: [String: JSON] = [
        "iss": .string(issuer), "aud": .string(client), "sub": "A-1", "given_name": "Ada", "sid": "s-1",
        "amr": ["pwd"], "acr": "urn:acr:1",
    ]
    var userinfo: [String: JSON] = ["sub": "A-1", "email": "ada@example.org", "given_name": "Augusta", "x": "y"]
    /// What is answered instead, by the last part of the path.
    var instead: [String: HTTP.Response?] = [:]
    /// Everything that was asked.
    var asked: [HTTP.Request] = []

    static func key(_ seed: UInt8) throws -> SigningKey {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        return SigningKey(key, id: try KeyID(parsing: "k\(seed)"))
    }

    static func json(_ members: [String: JSON], _ status: HTTP.Response.Status = .ok) -> HTTP.Response {
        let object = JSON.Object(members.sorted { $0.key < $1.key }.map { (JSON.Name($0.key), $0.value) })
        var response = HTTP.Response(status, body: object.encoded())
        try? response.fields.append(.contentType, "application/json")
        return response
    }

    /// How often an endpoint was asked.
    func count(_ name: String) -> Int { asked.count { $0.target.path.hasSuffix("/" + name) } }

    /// The parameters that came to an endpoint last.
    func form(_ name: String) throws -> [String: String] {
        let request = try #require(asked.last { $0.target.path.hasSuffix("/" + name) })
        let form = try HTTP.Form(parsing: request.body)
        return Dictionary(uniqueKeysWithValues: form.pairs.map { ($0.name, $0.value) })
    }

    func signed(_ claims: [String: JSON], as kind: JWT.Kind) throws -> String {
        let object = JSON.Object(claims.sorted { $0.key < $1.key }.map { (JSON.Name($0.key), $0.value) })
        return try JWT.signed(JWT.Claims(object), with: Self.key(seed), as: kind)
    }

    mutating func answer(_ request: HTTP.Request, nonce: String, at now: Timestamp) throws -> HTTP.Response? {
        asked.append(request)
        let name = request.target.path.split(separator: "/").last.map(String.init) ?? ""
        if let other = instead[name] { return other }
        switch name {
        case "openid-configuration": return Self.json(description)
        case "keys":
            let keys = try published.map { try #require(JWK(Self.key($0))) }
            return HTTP.Response(.ok, body: JWKSet(keys).encoded())
        case "par": return Self.json(["request_uri": .string(Self.requestName), "expires_in": 60], .created)
        case "userinfo": return Self.json(userinfo)
        case "token":
            var claims = identity
            claims["nonce"] = claims["nonce"] ?? .string(nonce)
            claims["iat"] = claims["iat"] ?? .number(JSON.Number(now.seconds))
            claims["exp"] = .number(JSON.Number(now.seconds + 3_600))
            return Self.json([
                "access_token": .string(Self.access), "token_type": "Bearer",
                "id_token": .string(try signed(claims, as: .identity)),
            ])
        default: return HTTP.Response(.notFound)
        }
    }
}

extension JWK {
    /// The public half of a key of the tests.
    fileprivate init?(_ key: SigningKey) {
        guard let id = key.id, let seed = UInt8(id.text.dropFirst()),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        else { return nil }
        self.init(pair.publicKey, attributes: JWK.Attributes(id: id))
    }
}

/// The edu-ID service's side of a sign-in at a provider, with a host that keeps keys and descriptions.
struct SignInDesk: Sendable {
    var service: EduIDService
    var provider: Provider
    var server = LoginServer()
    var store = MemoryStore()
    var keys = KeySets()
    var descriptions = ProviderDescriptions()
    var now = Timestamp(seconds: 1_800_000_000)
    var wish = Provider.Wish()
    /// The nonce that went to the provider last.
    var nonce = ""
    private var entropy = SystemRandomNumberGenerator()

    init() throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 40, count: 32))
        let master = SymmetricKey(data: [UInt8](repeating: 9, count: 32))
        let signing = JWK.Private(key, attributes: JWK.Attributes(id: try KeyID(parsing: "edu-id-1")))
        service = try EduIDService(
            Issuer(parsing: LoginServer.client), keys: Authority.Keys(signing: signing, master: master))
        provider = try Provider(
            Issuer(parsing: LoginServer.issuer), client: ClientID(parsing: LoginServer.client),
            by: .key(SigningKey(key, id: KeyID(parsing: "edu-id-1"))), answeringAt: "example")
        provider.algorithms = [.edDSA]
        provider.scope = try Scope(parsing: "profile offline_access email")
        service.provider = provider
    }

    mutating func wait(_ seconds: Int64) { now = now + .seconds(seconds) }

    mutating func result(of lookup: Lookup) throws -> Lookup.Result {
        switch lookup {
        case .facts(let keys): return .facts(store.load(keys))
        case .keys(let question):
            var (set, server) = (keys, server)
            let (nonce, now) = (nonce, now)
            let result = set.answer(question, at: now) { try? server.answer($0, nonce: nonce, at: now) }
            (keys, self.server) = (set, server)
            return result
        case .answer(let request):
            switch descriptions.step(for: request, at: now) {
            case .serve(let response): return .answer(response)
            case .pass: return .answer(try server.answer(request, nonce: nonce, at: now))
            case .send:
                let response = try server.answer(request, nonce: nonce, at: now)
                return .answer(descriptions.take(response, for: request, at: now))
            }
        case .user, .step, .stepUp, .link, .profile, .search, .signature: return lookup.nothing
        }
    }

    mutating func carryOut<Outcome: Sendable>(_ exchange: Exchange<Outcome>) throws -> Decision<Outcome> {
        var exchange = exchange
        while let lookup = exchange.lookup { exchange.supply(try result(of: lookup)) }
        return exchange.decision
    }

    private mutating func outcome<Found: Sendable>(
        _ find: @escaping @Sendable (inout Inquiry) throws(Refusal) -> Found
    ) throws -> Result<Found, Refusal> {
        let chance = Chance(using: &entropy)
        let refuser = Refuser<Result<Found, Refusal>>(code: .invalidRequest) { .failure($0) }
        let decision = try carryOut(
            Exchange(refuser, at: now, chance: chance) { () throws(Refusal) in
                { asking throws(Refusal) in Answer(.success(try find(&asking))) }
            })
        guard case .respond(let result) = decision.conclusion(after: .applied) else { throw Unexpected() }
        return result
    }

    /// Sends somebody to the provider.
    mutating func redirect() throws -> Result<Provider.Redirect, Refusal> {
        let (provider, service, wish) = (provider, service, wish)
        return try outcome { asking throws(Refusal) in
            try provider.redirect(for: wish, from: service.authority, &asking)
        }
    }

    /// What stands in the query of a URL.
    static func query(_ url: WebURL) throws -> [String: String] {
        let form = try HTTP.Form(parsing: url.query ?? "")
        return Dictionary(uniqueKeysWithValues: form.pairs.map { ($0.name, $0.value) })
    }

    /// What the provider sends back with a browser that was sent there.
    mutating func answer(
        to redirect: Provider.Redirect, _ changes: [String: String] = [:]
    ) throws -> OpenID.Callback {
        var query = try Self.query(redirect.location)
        if query["request_uri"] == LoginServer.requestName { query = try server.form("par") }
        nonce = query["nonce"] ?? ""
        var pairs = ["code": "c-1", "state": query["state"] ?? "", "iss": LoginServer.issuer]
        pairs.merge(changes) { $1 }
        let form = HTTP.Form(pairs.filter { !$0.value.isEmpty }.map { HTTP.Form.Pair($0.key, $0.value) })
        return try OpenID.Callback(
            parsing: HTTP.Request(.get, HTTP.Request.Target(parsing: "/callback/example?" + form.text)))
    }

    /// Takes what came back.
    mutating func conclude(
        _ callback: OpenID.Callback, _ redirect: Provider.Redirect, in mark: OpenID.BrowserMark?
    ) throws -> Result<Provider.Identity, Refusal> {
        let (provider, service) = (provider, service)
        let departure = try #require(Provider.Departure(redirect.departure.attributes))
        return try outcome { asking throws(Refusal) in
            try provider.conclude(callback, of: departure, in: mark, at: service.authority, &asking)
        }
    }

    /// Sends somebody there and takes what comes back, with changes.
    mutating func signIn(_ changes: [String: String] = [:]) throws -> Result<Provider.Identity, Refusal> {
        let redirect = try redirect().get()
        return try conclude(try answer(to: redirect, changes), redirect, in: redirect.mark)
    }

    /// Why a sign-in is refused: what the app is told, and by which rule.
    mutating func refusal(_ changes: [String: String] = [:]) throws -> String? {
        try signIn(changes).refusal
    }

    /// Another case of an enumeration than the one that was to come.
    struct Unexpected: Error {}
}

extension Result where Failure == Refusal {
    /// What the app is told, and by which rule.
    var refusal: String? {
        if case .failure(let refusal) = self { "\(refusal.error.code) \(refusal.clause)" } else { nil }
    }
}
