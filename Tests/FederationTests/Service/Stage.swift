import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// One federation service with its store and its clock, and an edu-ID service of which there is nothing but the key: so
/// anything can be said in its name.
struct Stage: Sendable {
    var service: FederationService
    var store = MemoryStore()
    /// So few that they are forgotten and read again all the time.
    var now = Timestamp(seconds: 1_800_000_000)
    var entropy = SeededGenerator(seed: 8)
    /// Why the service said no, in order.
    var refusals: [Refusal] = []
    /// What the service asked the edu-ID service.
    var questions: [HTTP.Request] = []
    /// What the edu-ID service answers; nothing while it is down.
    var answer: HTTP.Response?
    /// What it tells about the user; nothing while that part of it is down.
    var userinfo: HTTP.Response?
    /// The keys that it publishes; nothing while they cannot be read.
    var published: HTTP.Response?
    var keySets = KeySets()
    private var serial = 0

    static let home = "https://alpha.example.ch"
    static let token = home + "/oauth/token"
    static let revoke = home + "/oauth/revoke"
    static let authorize = home + "/oauth/authorize"
    static let papi = home + "/api/papi"
    static let lti = home + "/api/lti"
    static let eduID = "https://eduid.example.ch"
    static let introspect = eduID + "/introspect"
    static let instance = "instance-1"
    static let reader = "ch.example.reader"
    static let user = "user-7"

    init(introspecting: Bool = false, policy: FederationService.Policy = FederationService.Policy()) throws {
        let eduIDKey = VerificationKey(try Pair.of(Pair.eduID).publicKey, id: try KeyID(parsing: "edu-id-1"))
        let trusted = FederationService.Trusted(
            try Issuer(parsing: Self.eduID), keys: [eduIDKey],
            introspection: introspecting ? try WebURL(parsing: Self.introspect) : nil)
        service = try FederationService(
            Self.authority(), document: try Self.document(), trusting: trusted, policy: policy)
    }

    static func authority(of issuer: String = home, others: [JWK] = []) throws -> Authority {
        let key = JWK.Private(
            try Pair.of(Pair.service), attributes: JWK.Attributes(id: try KeyID(parsing: "service-1")))
        return try Authority(
            Issuer(parsing: issuer),
            keys: .init(signing: key, others: others, master: SymmetricKey(data: [UInt8](repeating: 9, count: 32))))
    }

    static func document(_ links: KeyValuePairs<String, String> = ["org.ietf.oauth2": "oauth"]) throws
        -> ServiceDescription
    {
        var document = ServiceDescription(engineLink: "", homePageLink: home)
        for (name, link) in links {
            document[try ProtocolName(parsing: name)] = ServiceDescription.API(
                try ProtocolName(parsing: name), link: link)
        }
        for (name, link) in ["org.ieee.papi": "api/papi", "org.imsglobal.lti": "api/lti"] as KeyValuePairs {
            document[try ProtocolName(parsing: name)] = ServiceDescription.API(
                try ProtocolName(parsing: name), link: link)
        }
        return document
    }

    // MARK: Stages on which something has happened already; copies cost nothing.

    private static let empty = Result { try Stage() }
    private static let served = Result { () throws -> (Stage, Held) in
        var stage = try fresh()
        let held = try stage.redeem()
        return (stage, held)
    }.map { Boxed($0) }
    private static let opened = Result { () throws -> (Stage, Held, Held) in
        var (stage, service) = try redeemed()
        let app = try stage.authorize(with: service)
        return (stage, service, app)
    }.map { Boxed($0) }

    private struct Boxed<Value: Sendable>: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    /// Nothing has happened.
    static func fresh() throws -> Stage { try empty.get() }

    /// The instance has a service token.
    static func redeemed() throws -> (Stage, Held) {
        let (stage, held) = try served.get().value
        // The numbers of the proofs so far are taken.
        return (stage.counted(), held)
    }

    /// The instance has a service token, and an app with a key of its own a token for one protocol.
    static func authorized() throws -> (Stage, Held, Held) {
        let (stage, service, app) = try opened.get().value
        return (stage.counted(), service, app)
    }

    private func counted() -> Stage {
        var copy = self
        copy.serial += 1_000
        return copy
    }

    // MARK: The service at work

    /// Sends a request to the service.
    mutating func send(_ request: HTTP.Request) -> HTTP.Response {
        for _ in 0..<8 {
            var exchange = service.exchange(for: request, at: now, using: &entropy)
            supply(&exchange)
            if case .respond(let response) = settle(exchange.decision) { return response }
        }
        return service.exchange(for: request, at: now, using: &entropy).contention
    }

    /// Shows a request to one of the service's own endpoints.
    mutating func use(_ request: HTTP.Request, _ url: String) throws -> Access.Outcome {
        let decision = try decision(of: service, request, url)
        // A key that is remembered decides like one that is read anew, whatever the request.
        var forgetful = service
        forgetful.authority = service.authority.remembering(holders: 0)
        let other = try self.decision(of: forgetful, request, url)
        guard other.batch == decision.batch, other.refusal == decision.refusal else {
            throw Missing(member: "the same verdict with a remembered key")
        }
        // The short door says the same.
        var copy = store
        let short = service.access(for: request, to: try WebURL(parsing: url), in: &copy, at: now)
        guard case .respond(let outcome) = settle(decision) else {
            throw Missing(member: "a verdict")
        }
        guard copy.snapshot().encoded() == state else { throw Missing(member: "the same state behind the short door") }
        switch (short, outcome) {
        case (.granted(let one), .granted(let other)) where one.grant == other.grant && one.scope == other.scope: break
        case (.refused(let one), .refused(let other)) where one == other: break
        default: throw Missing(member: "the same outcome at the short door")
        }
        return outcome
    }

    private func decision(
        of service: FederationService, _ request: HTTP.Request, _ url: String
    ) throws -> Decision<Access.Outcome> {
        var exchange = service.access(for: request, to: try WebURL(parsing: url), at: now)
        while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(store.load(keys))) }
        return exchange.decision
    }

    private mutating func settle<Outcome>(_ decision: Decision<Outcome>) -> Decision<Outcome>.Conclusion {
        if let refusal = decision.refusal { refusals.append(refusal) }
        return decision.conclusion(after: decision.batch.changes.isEmpty ? .applied : store.commit(decision.batch))
    }

    private mutating func supply(_ exchange: inout Exchange<HTTP.Response>) {
        while let lookup = exchange.lookup {
            switch lookup {
            case .facts(let keys): exchange.supply(.facts(store.load(keys)))
            case .answer(let question):
                questions.append(question)
                exchange.supply(.answer(question.method == .get ? userinfo : answer))
            case .keys(let question):
                exchange.supply(
                    keySets.answer(question, at: now) { request in
                        questions.append(request)
                        return published
                    })
            case .user, .step, .stepUp, .link, .profile, .search, .signature:
                exchange.supply(lookup.nothing)
            }
        }
    }

    /// Sends two requests at the same moment: both are decided on before either is stored.
    mutating func race(_ one: HTTP.Request, _ other: HTTP.Request) -> (HTTP.Response, HTTP.Response) {
        var first = service.exchange(for: one, at: now, using: &entropy)
        var second = service.exchange(for: other, at: now, using: &entropy)
        supply(&first)
        supply(&second)
        return (settle(first, one), settle(second, other))
    }

    private mutating func settle(_ exchange: Exchange<HTTP.Response>, _ request: HTTP.Request) -> HTTP.Response {
        switch settle(exchange.decision) {
        case .respond(let response): response
        case .startOver: send(request)
        }
    }

    /// What the store holds, to be compared.
    var state: [UInt8] { store.snapshot().encoded() }

    /// The same without the end of the chain, which tells of steps that changed nothing too.
    var contents: [ArraySlice<UInt8>] { state.split(separator: UInt8(ascii: "\n")).dropFirst().dropLast() }

    // MARK: Messages in order

    mutating func number() -> String {
        serial += 1
        return "n-\(serial)"
    }

    /// The edu-ID service's word about a user.
    func assertion(_ id: String = "assertion-1") throws -> Draft {
        Draft(
            "authorization-grant+jwt", .pair(Pair.eduID), named: "edu-id-1",
            [
                "iss": .string(Self.eduID), "aud": .string(Self.home), "sub": .string(Self.user),
                "azp": .string(Self.instance),
                "jti": .string(id), "iat": time(0), "exp": time(300),
                "cnf": ["jwk": try Pair.json(Pair.instance), "kid": "client-1"],
                "given_name": "Ada",
            ])
    }

    func time(_ offset: Int64) -> JSON { .number(JSON.Number(now.seconds + offset)) }

    /// A request token by the key that the assertion names.
    mutating func instanceProof(_ url: String = token) -> Draft {
        requestToken(url, .pair(Pair.instance), named: "client-1", of: Self.instance)
    }

    mutating func requestToken(_ url: String, _ key: Draft.Key, named name: String, of holder: String) -> Draft {
        Draft(
            "request+jwt", key, named: name,
            ["iss": .string(holder), "aud": .string(url), "iat": time(0), "jti": .string(number())])
    }

    /// A request token by whoever holds a token.
    mutating func proof(_ held: Held, _ url: String = token) -> Draft {
        requestToken(url, held.key, named: held.id, of: held.holder)
    }

    /// A proof of RFC 9449.
    mutating func dpop(_ held: Held, _ url: String = token, _ method: String = "POST", with access: String? = nil)
        throws -> Draft
    {
        guard case .pair(let seed) = held.key else { throw Missing(member: "a key pair") }
        var claims: JSON.Object = [
            "jti": .string(number()), "htm": .string(method), "htu": .string(url), "iat": time(0),
        ]
        if let access { claims["ath"] = .string(Base64URL.encode([UInt8](SHA256.hash(data: Array(access.utf8))))) }
        return Draft("dpop+jwt", held.key, named: "", claims).heading(["kid": .null, "jwk": try Pair.json(seed)])
    }

    /// The code by which an instance authorizes an app.
    mutating func code(with service: Held, for app: String = reader, binding seed: UInt8? = nil) throws -> Draft {
        var claims: JSON.Object = [
            "iss": .string(service.holder), "aud": .string(Self.authorize), "sub": .string(app), "iat": time(0),
            "exp": time(60),
            "jti": .string(number()),
        ]
        if let seed { claims["cnf"] = ["jwk": try Pair.json(seed)] }
        return Draft("authorization-grant+jwt", service.key, named: service.id, claims)
    }

    static func form(
        _ pairs: KeyValuePairs<String, String>, to url: String = token, bearer: String? = nil
    ) throws -> HTTP.Request {
        var fields = HTTP.Fields()
        try fields.append(.contentType, "application/x-www-form-urlencoded")
        if let bearer { try fields.append(.authorization, "Bearer " + bearer) }
        let body = HTTP.Form(pairs.map { HTTP.Form.Pair($0.key, $0.value) }).encoded()
        return HTTP.Request(.post, .absolute(try WebURL(parsing: url)), fields: fields, body: body)
    }

    static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    static func redeeming(_ assertion: Draft, _ proof: Draft) throws -> HTTP.Request {
        try form(["grant_type": jwtBearer, "assertion": assertion.text], bearer: proof.text)
    }

    static func authorizing(_ code: Draft, _ proof: Draft, scope: String = papi) throws -> HTTP.Request {
        try form(["grant_type": "authorization_code", "code": code.text, "scope": scope], bearer: proof.text)
    }

    mutating func refreshing(_ held: Held, _ token: String? = nil) throws -> HTTP.Request {
        try Self.form(
            ["grant_type": "refresh_token", "refresh_token": token ?? held.refresh], bearer: proof(held).text)
    }

    mutating func revoking(_ token: String, by held: Held) throws -> HTTP.Request {
        try Self.form(["token": token], to: Self.revoke, bearer: proof(held, Self.revoke).text)
    }

    /// The edu-ID service takes an assertion back.
    mutating func takingBack(_ id: String, hint: String? = "assertion") throws -> HTTP.Request {
        let proof = try clientAssertion().text
        let type = ClientCredential.assertionType
        guard let hint else {
            return try Self.form(
                ["token": id, "client_assertion_type": type, "client_assertion": proof], to: Self.revoke)
        }
        return try Self.form(
            ["token": id, "token_type_hint": hint, "client_assertion_type": type, "client_assertion": proof],
            to: Self.revoke)
    }

    mutating func clientAssertion() -> Draft {
        Draft(
            "client-authentication+jwt", .pair(Pair.eduID), named: "edu-id-1",
            [
                "iss": .string(Self.eduID), "sub": .string(Self.eduID), "aud": .string(Self.home), "iat": time(0),
                "exp": time(60),
                "jti": .string(number()),
            ])
    }

    // MARK: Steps in order

    mutating func redeem(_ id: String = "assertion-1") throws -> Held {
        let response = send(try Self.redeeming(try assertion(id), instanceProof()))
        return try Held(response, .pair(Pair.instance), of: Self.instance)
    }

    mutating func authorize(with service: Held, for app: String = reader, scope: String = papi) throws -> Held {
        let request = try Self.authorizing(
            code(with: service, for: app, binding: Pair.app), proof(service), scope: scope)
        return try Held(send(request), .pair(Pair.app), of: app)
    }

    static func get(_ url: String, bearer: String? = nil, method: HTTP.Request.Method = .get) throws -> HTTP.Request {
        var request = HTTP.Request(method, .absolute(try WebURL(parsing: url)))
        if let bearer { try request.fields.append(.authorization, "Bearer " + bearer) }
        return request
    }

    /// Whether a holder gets to a URL now.
    mutating func opens(_ url: String, _ held: Held) throws -> Bool {
        if case .granted = try use(Self.get(url, bearer: proof(held, url).text), url) { true } else { false }
    }
}

/// What an answer should have had.
struct Missing: Error { let member: String }

/// What a token endpoint gave, and the key that goes with it.
struct Held: Sendable {
    let members: JSON.Object
    let access: String
    let refresh: String
    /// The name that the service gave the key.
    let id: String
    let key: Draft.Key
    let holder: String

    init(_ response: HTTP.Response, _ key: Draft.Key?, of holder: String) throws {
        members = try JSON(parsing: response.body).object ?? [:]
        guard response.status == .ok, let access = members["access_token"]?.string,
            let refresh = members["refresh_token"]?.string
        else {
            throw Missing(member: String(decoding: response.body, as: UTF8.self))
        }
        self.access = access
        self.refresh = refresh
        self.holder = holder
        let confirmation = members["cnf"]?.object
        id = confirmation?["kid"]?.string ?? confirmation?["jwk"]?.object?["kid"]?.string ?? ""
        if let key {
            self.key = key
        } else {
            self.key = .secret(try Base64URL.decode(confirmation?["jwk"]?.object?["k"]?.string ?? ""))
        }
    }

    /// The claims of the access token.
    var claims: JSON.Object {
        get throws {
            let parts = access.split(separator: ".")
            return try JSON(parsing: Base64URL.decode(String(parts[1]))).object ?? [:]
        }
    }

    /// The record that the token stands for.
    var record: TokenID { get throws { try TokenID(parsing: id) } }
}

/// How a request is to be refused.
struct Expected: Sendable, CustomTestStringConvertible {
    let code: String
    let status: UInt16
    let clause: String

    init(_ code: String, _ status: UInt16, _ clause: String) {
        self.code = code
        self.status = status
        self.clause = clause
    }

    var testDescription: String { "\(status) \(code) (\(clause))" }

    /// Sends a request that must be refused so, and change nothing unless a rule says that it does.
    func check(
        _ stage: inout Stage, _ request: HTTP.Request, changes: Bool = false,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let (before, count) = (stage.contents, stage.refusals.count)
        let response = stage.send(request)
        check(response, stage.refusals.dropFirst(count).last, location: location)
        #expect((stage.contents != before) == changes, "the store", sourceLocation: location)
    }

    func check(_ response: HTTP.Response, _ refusal: Refusal?, location: SourceLocation = #_sourceLocation) {
        let members = (try? JSON(parsing: response.body))?.object
        let words = members?["error_description"]?.string ?? ""
        #expect(response.status.code == status, "\(words)", sourceLocation: location)
        #expect(members?["error"]?.string == code, "\(words)", sourceLocation: location)
        #expect(refusal?.clause == clause, "\(words)", sourceLocation: location)
        #expect(response.fields.values(of: .cacheControl) == ["no-store"], sourceLocation: location)
        #expect(
            response.fields.values(of: .wwwAuthenticate).isEmpty == (status != 401 && status != 403),
            sourceLocation: location)
    }
}
