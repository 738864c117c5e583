import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import Testing
import TokenTree
import Wire

/// The edu-ID service among the parties, its store, and what came of the last request: requests are made by hand here,
/// so that they can be wrong.
struct Scene: Sendable {
    var parties: Parties
    var phone = Handset(number: 1)
    /// What the host was asked last.
    var attempt: SignInAttempt?
    /// What ended with the last request and was not told to everybody.
    var unfinished: [TokenID] = []

    var service: EduIDService {
        get { parties.federation.eduID }
        set { parties.federation.eduID = newValue }
    }
    var store: MemoryStore {
        get { parties.federation.eduIDStore }
        set { parties.federation.eduIDStore = newValue }
    }
    var now: Timestamp { parties.federation.now }

    mutating func wait(_ seconds: Int64) { parties.federation.wait(.seconds(seconds)) }
}

/// What the service answered, and what it decided.
struct Reply {
    var response: HTTP.Response
    var refusal: Refusal?
    var changes: [Change]
    /// How often the host was asked to check credentials.
    var logins: Int
    /// How often the exchange was begun.
    var rounds: Int

    var json: JSON? { try? JSON(parsing: response.body) }
    var error: String? { json?["error"]?.string }
    var status: Int { Int(response.status.code) }
    subscript(name: JSON.Name) -> String? { json?[name]?.string }
}

// MARK: - Sending

extension Scene {
    /// Carries a request through.
    ///
    /// - Parameter interfering: what happens to the store between the first decision and its commit.
    mutating func send(_ request: HTTP.Request, interfering: ((inout Scene) -> Void)? = nil) -> Reply {
        carryOut(interfering: interfering) { scene in
            scene.service.exchange(for: request, at: scene.now, using: &scene.parties.federation.entropy)
        }
    }

    mutating func administrate(_ command: Administration, interfering: ((inout Scene) -> Void)? = nil) -> Reply {
        carryOut(interfering: interfering) { scene in
            scene.service.exchange(for: command, at: scene.now, using: &scene.parties.federation.entropy)
        }
    }

    mutating func reconcile() -> Reply {
        var exchange = service.reconciliation(at: now, using: &parties.federation.entropy)
        while let lookup = exchange.lookup { exchange.supply(result(of: lookup)) }
        let decision = exchange.decision
        let isDone = decision.refusal == nil && store.commit(decision.batch) == .applied
        return Reply(
            response: HTTP.Response(isDone ? .ok : .serviceUnavailable), refusal: decision.refusal,
            changes: decision.batch.changes, logins: 0, rounds: 1)
    }

    private mutating func carryOut(
        interfering: ((inout Scene) -> Void)?, _ begin: (inout Scene) -> Exchange<HTTP.Response>
    ) -> Reply {
        var logins = 0
        var exchange = begin(&self)
        for round in 1...8 {
            if round > 1 { exchange = begin(&self) }
            while let lookup = exchange.lookup {
                if case .user(let attempt) = lookup {
                    logins += 1
                    self.attempt = attempt
                }
                exchange.supply(result(of: lookup))
            }
            let decision = exchange.decision
            if round == 1, let interfering { interfering(&self) }
            let outcome = store.commit(decision.batch)
            if case .respond(let response) = decision.conclusion(after: outcome) {
                if outcome == .applied { unfinished = store.followUp(decision) }
                return Reply(
                    response: response, refusal: decision.refusal, changes: decision.batch.changes, logins: logins,
                    rounds: round)
            }
        }
        return Reply(response: exchange.contention, refusal: nil, changes: [], logins: logins, rounds: 8)
    }

    func result(of lookup: Lookup) -> Lookup.Result {
        let users = parties.federation.users
        return switch lookup {
        case .facts(let keys): .facts(store.load(keys))
        case .user(let attempt): .user(users.outcome(of: attempt))
        case .step(let attempt): .step(users.outcome(of: attempt, at: now))
        case .stepUp(let attempt): .stepUp(users.outcome(of: attempt))
        case .profile(let subject): .profile(users.first { $0.subject == subject }?.profile ?? JSON.Object())
        case .search(let words):
            .users(users.filter { $0.name.text.utf8.starts(with: words.utf8) }.map { $0.subject })
        case .link, .answer, .keys, .signature: lookup.nothing
        }
    }

    func url(_ path: String) throws -> WebURL { try WebURL(parsing: service.authority.issuer.text + "/" + path) }

    /// A form sent to an endpoint.
    func form(_ path: String, _ pairs: [(String, String)], _ credential: Credential = .none) throws -> HTTP.Request {
        let body = HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) } + credential.pairs).encoded()
        return try request(.post, path, credential, type: "application/x-www-form-urlencoded", body: body)
    }

    /// The same as a JSON object.
    func object(_ path: String, _ members: [(String, String)], _ credential: Credential = .none) throws -> HTTP.Request
    {
        let all = members + credential.pairs.map { ($0.name, $0.value) }
        let body = JSON.Object(all.map { (JSON.Name($0.0), JSON.string($0.1)) }).encoded()
        return try request(.post, path, credential, type: "application/json", body: body)
    }

    func request(
        _ method: HTTP.Request.Method, _ path: String, _ credential: Credential = .none, type: String? = nil,
        body: [UInt8] = []
    ) throws -> HTTP.Request {
        var request = HTTP.Request(method, .absolute(try url(path)), body: body)
        if let type { try request.fields.append(.contentType, type) }
        for (name, value) in credential.fields { try request.fields.append(name, value) }
        return request
    }
}

/// How a request says who makes it.
enum Credential {
    case none
    case bearer(String)
    case proven(String, String)
    case assertion(String)

    var fields: [(HTTP.Field.Name, String)] {
        switch self {
        case .none, .assertion: []
        case .bearer(let token): [(.authorization, "Bearer " + token)]
        case .proven(let token, let proof): [(.authorization, "DPoP " + token), (.dpop, proof)]
        }
    }

    var pairs: [HTTP.Form.Pair] {
        guard case .assertion(let text) = self else { return [] }
        return [
            HTTP.Form.Pair("client_assertion_type", ClientCredential.assertionType),
            HTTP.Form.Pair("client_assertion", text),
        ]
    }
}

// MARK: - Devices

/// A copy of the app that can do anything with its keys.
struct Handset: Sendable {
    let id: String
    let pair: Curve25519.Signing.PrivateKey?
    var brings = true
    /// Which of the parties's versions it runs.
    var version = 0
    var client: Held?
    var personal: Held?

    /// What it was given.
    struct Held: Sendable {
        var token: String
        var keyID: String
        var key: SigningKey
        var refresh: String?
    }

    init(named id: String, _ pair: Curve25519.Signing.PrivateKey?) {
        self.id = id
        self.pair = pair
    }

    init(number: UInt8) {
        id = "00000000-0000-4000-8000-0000000000" + (number < 16 ? "0" : "") + String(number, radix: 16)
        pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
    }

    var publicKey: JWK? { pair.map { JWK($0.publicKey) } }
}

extension Handset {
    /// What was given in an answer.
    func held(_ reply: Reply) throws -> Held {
        let json = try #require(reply.json)
        let token = try #require(json["access_token"]?.string)
        let confirmation = try #require(json["cnf"])
        let refresh = json["refresh_token"]?.string
        if let members = confirmation["jwk"], members["kty"] == "oct" {
            let key = try JWK.Private(parsing: members.encoded())
            let id = try #require(key.id)
            return Held(token: token, keyID: id.text, key: try SigningKey(key), refresh: refresh)
        }
        let id = try #require(confirmation["kid"]?.string)
        return Held(
            token: token, keyID: id, key: SigningKey(try #require(pair), id: try KeyID(parsing: id)), refresh: refresh)
    }
}

extension Scene {
    /// S1's request token of a device, as it should be unless it is edited.
    func statement(
        of phone: Handset, version: Int? = nil, kind: JWT.Kind = .clientAuthentication, signedBy key: SigningKey? = nil,
        _ edit: (inout JSON.Object) throws -> Void = { _ in }
    ) throws -> String {
        var claims: JSON.Object = [
            "iss": .string(Parties.appName), "sub": .string(phone.id), "aud": .string(Parties.eduID),
            "name": "Ada's phone",
            "device_id": "device-1", "device_type": "phone", "os_version": "18.1",
            "iat": .number(JSON.Number(now.seconds)), "jti": .string("s-\(UInt64.random(in: 0...(.max)))"),
        ]
        if phone.brings, let key = phone.publicKey {
            claims["cnf"] = ["jwk": try JSON(parsing: key.encoded())]
        }
        claims["aud"] = .string(service.authority.issuer.text)
        try edit(&claims)
        let own = try SigningKey(parties.versionKeys[version ?? phone.version])
        return try JWT.signed(JWT.Claims(claims), with: key ?? own, as: kind)
    }

    /// A request token for an endpoint, as it should be unless it is edited.
    mutating func proof(
        _ held: Handset.Held?, of phone: Handset? = nil, for path: String, kind: JWT.Kind = .request,
        signedBy key: SigningKey? = nil,
        _ edit: (inout JSON.Object) throws -> Void = { _ in }
    ) throws -> String {
        let held = try #require(held)
        let name = Base64URL.encode(parties.federation.entropy.bytes(8))
        var claims: JSON.Object = [
            "iss": .string((phone ?? self.phone).id), "aud": .string(try url(path).text),
            "iat": .number(JSON.Number(now.seconds)),
            "jti": .string(name),
        ]
        try edit(&claims)
        return try JWT.signed(JWT.Claims(claims), with: key ?? held.key, as: kind)
    }

    /// A request by the phone's personal token.
    mutating func asUser(_ method: HTTP.Request.Method, _ path: String, body: [UInt8] = []) throws -> Reply {
        let token = try proof(phone.personal, for: path)
        return send(
            try request(method, path, .bearer(token), type: body.isEmpty ? nil : "application/json", body: body))
    }

    /// What the phone's app tells of a service that was asked to take the user's assertion.
    @discardableResult
    mutating func report(_ service: String, _ outcome: String = "accepted") throws -> Reply {
        try asUser(
            .post, "usage", body: (["service": .string(service), "outcome": .string(outcome)] as JSON).encoded())
    }

    /// A DPoP proof for a request with a token.
    mutating func dpop(
        _ held: Handset.Held?, _ method: HTTP.Request.Method, _ path: String,
        by pair: Curve25519.Signing.PrivateKey? = nil,
        with token: String? = nil, nonce: String? = nil
    ) throws -> Credential {
        let held = try #require(held)
        let issuance = try DPoPProof.Issuance(with: try #require(pair ?? phone.pair))
        let proof = try issuance.proof(
            for: method, to: url(path), with: try AccessToken(parsing: token ?? held.token), nonce: nonce, at: now,
            using: &parties.federation.entropy)
        return .proven(held.token, proof.secret)
    }
}

// MARK: - Steps

extension Scene {
    mutating func register(_ phone: Handset) throws -> Handset {
        var phone = phone
        let reply = send(
            try form("token", [("grant_type", "client_credentials")], .assertion(try statement(of: phone))))
        try #require(reply.status == 200, "\(reply)")
        phone.client = try phone.held(reply)
        phone.personal = nil
        return phone
    }

    mutating func signIn(_ phone: Handset, as user: SimulatedFederation.User? = nil) throws -> Handset {
        var phone = phone
        let reply = try redeem(try code(of: phone, for: user), by: phone)
        try #require(reply.status == 200, "\(reply)")
        phone.personal = try phone.held(reply)
        return phone
    }

    mutating func signOut() throws {
        try revoke(phone.personal?.token, by: phone.personal).expectSuccess()
        phone.personal = nil
    }

    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// RFC 7636 appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    func credentials(of phone: Handset, for user: SimulatedFederation.User? = nil) -> [(String, String)] {
        let user = user ?? parties.person
        return [
            ("response_type", "code"), ("client_id", phone.id), ("username", user.name.text),
            ("password", user.password.secret),
            ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ]
    }

    mutating func challenge(_ phone: Handset, for user: SimulatedFederation.User? = nil) throws -> Reply {
        let token = try proof(phone.client, of: phone, for: "authorize-challenge")
        return send(try form("authorize-challenge", credentials(of: phone, for: user), .bearer(token)))
    }

    mutating func code(of phone: Handset, for user: SimulatedFederation.User? = nil) throws -> String {
        try #require(try challenge(phone, for: user)["authorization_code"])
    }

    mutating func redeem(_ code: String, by phone: Handset, verifier: String? = Self.verifier) throws -> Reply {
        let token = try proof(phone.client, of: phone, for: "token")
        var pairs = [("grant_type", "authorization_code"), ("code", code)]
        if let verifier { pairs.append(("code_verifier", verifier)) }
        return send(try form("token", pairs, .bearer(token)))
    }

    mutating func refresh(_ refresh: String?, by held: Handset.Held?, scope: String? = nil) throws -> Reply {
        let token = try proof(held, for: "token")
        var pairs = [("grant_type", "refresh_token"), ("refresh_token", try #require(refresh))]
        if let scope { pairs.append(("scope", scope)) }
        return send(try form("token", pairs, .bearer(token)))
    }

    static let alpha = "https://alpha.example.ch/"
    static let beta = "https://beta.example.ch/"

    /// (4) by hand.
    mutating func introduce(to service: String = Self.alpha, _ more: [(String, String)] = []) throws -> Reply {
        let token = try proof(phone.personal, for: "authorize")
        return send(try form("authorize", [("response_type", "code"), ("resource", service)] + more, .bearer(token)))
    }

    mutating func revoke(_ token: String?, by held: Handset.Held?, of phone: Handset? = nil) throws -> Reply {
        let proof = try proof(held, of: phone, for: "revoke")
        return send(try form("revoke", [("token", try #require(token))], .bearer(proof)))
    }

    /// The client assertion of a university.
    mutating func credential(of place: Int, _ edit: (inout JSON.Object) -> Void = { _ in }) throws -> Credential {
        let service = parties.federation.services[place].service
        let name = Base64URL.encode(parties.federation.entropy.bytes(8))
        var claims: JSON.Object = [
            "iss": .string(service.authority.issuer.text), "sub": .string(service.authority.issuer.text),
            "aud": .string(Parties.eduID),
            "iat": .number(JSON.Number(now.seconds)), "exp": .number(JSON.Number(now.seconds + 60)),
            "jti": .string(name),
        ]
        edit(&claims)
        let key = try Self.universityKey(place)
        return .assertion(try JWT.signed(JWT.Claims(claims), with: key, as: .clientAuthentication))
    }

    mutating func introspect(_ assertion: String, by place: Int) throws -> Reply {
        let credential = try credential(of: place)
        return send(try form("introspect", [("token", assertion)], credential))
    }

    /// Puts a key of our own in the place of each university's in the index, because nobody else's secrets can be had.
    static func universityKey(_ place: Int) throws -> SigningKey {
        let pair = try Curve25519.Signing.PrivateKey(
            rawRepresentation: [UInt8](repeating: UInt8(100 + place), count: 32))
        return SigningKey(pair, id: try KeyID(parsing: "university-\(place)"))
    }
}

// MARK: - Beginnings

extension Scene {
    private static let stages = Result {
        var scene = Scene(parties: try Parties(seed: 8))
        let members = try scene.service.index.services.enumerated().map { place, member in
            try ServiceIndex.Member(
                member.home, issuer: member.issuer, keys: [try #require(try universityKey(place).verificationKey)],
                releasedClaims: member.releasedClaims, subjects: place == 0 ? .pairwise : .common,
                clients: .common)
        }
        scene.service.index = ServiceIndex(members)
        let bob = SimulatedFederation.User(
            try UserName(parsing: "bob"), password: try Secret.Password(parsing: "hunter2hunter2"),
            subject: try Record.Subject(parsing: "user-0002"),
            profile: ["name": "Bob", "given_name": "Bob"])
        scene.parties.federation.users.append(bob)
        let fresh = scene
        scene.phone = try scene.register(scene.phone)
        let registered = scene
        scene.phone = try scene.signIn(scene.phone)
        return (fresh: fresh, registered: registered, signedIn: scene)
    }

    /// Nobody is registered.
    static func fresh() throws -> Scene { try stages.get().fresh }
    /// The phone is registered.
    static func registered() throws -> Scene { try stages.get().registered }
    /// Ada is signed in on the phone.
    static func signedIn() throws -> Scene { try stages.get().signedIn }

    var bob: SimulatedFederation.User { parties.federation.users[1] }

    /// A second device, registered.
    mutating func otherPhone() throws -> Handset {
        try register(Handset(number: 2))
    }

    func verdict(_ held: Handset.Held?) throws -> Verdict {
        store.verdict(of: try TokenID(parsing: try #require(held).keyID), at: now)
    }

    /// The messages that are on their way, at whatever time.
    var messages: [OutgoingMessage] {
        let later = now + .seconds(100 * 86_400)
        return store.load([.outgoing(due: later, limit: 1_000)]).messages(due: later, limit: 1_000)
    }
}

// MARK: - Expectations

extension Verdict {
    /// Why it was revoked, or what it stands on; nothing where neither was.
    var reason: Record.Reason? {
        if case .revoked(_, _, let reason) = self { reason } else { nil }
    }
}

extension Reply {
    /// That the service said no, with exactly this error, for exactly this reason, and changed nothing.
    func expectRefusal(
        _ error: String?, _ status: Int, _ clause: String, changing: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.error == error, sourceLocation: sourceLocation)
        #expect(self.status == status, sourceLocation: sourceLocation)
        #expect(refusal?.clause == clause, "\(refusal?.description ?? "no refusal")", sourceLocation: sourceLocation)
        #expect(changing || changes.isEmpty, sourceLocation: sourceLocation)
        #expect(response.fields.value(of: .cacheControl) == .once("no-store"), sourceLocation: sourceLocation)
        #expect(
            (status == 401) == !response.fields.values(of: .wwwAuthenticate).isEmpty || status == 403,
            sourceLocation: sourceLocation)
    }

    /// That the service says how to come back, and no error (RFC 6750 §3.1).
    func expectChallenge(sourceLocation: SourceLocation = #_sourceLocation) {
        expectRefusal(nil, 401, "RFC6750-2.1", sourceLocation: sourceLocation)
        #expect(response.body.isEmpty, sourceLocation: sourceLocation)
        let challenges = response.fields.values(of: .wwwAuthenticate)
        #expect(challenges.count == 2 && !challenges.contains { $0.contains("error") }, sourceLocation: sourceLocation)
    }

    func expectSuccess(_ status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            self.status == status, "\(refusal?.description ?? String(decoding: response.body, as: UTF8.self))",
            sourceLocation: sourceLocation)
        #expect(refusal == nil, sourceLocation: sourceLocation)
    }
}

/// A refresh token with one character of its secret changed.
func mutilated(_ refresh: String) -> String {
    var bytes = Array(refresh.utf8)
    bytes[40] = bytes[40] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return String(decoding: bytes, as: UTF8.self)
}

/// The claims of a token.
func claims(of token: String?) throws -> JSON {
    let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    return try JSON(parsing: Base64URL.decode(Array(parts[1].utf8)))
}

/// The header of a token.
func header(of token: String?) throws -> JSON {
    try JSON(parsing: Base64URL.decode(Array(try #require(token).prefix { $0 != "." }.utf8)))
}
