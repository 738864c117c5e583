public import JOSE
public import OAuth2Grants
internal import PureCrypto
public import Wire

/// An OpenID provider in memory, at which people sign in who have an account there: for tests and trials.
///
/// It serves the code flow with PKCE, tokens and userinfo, and signs by Ed25519. At its authorization endpoint it asks
/// for nothing: whoever comes says by a parameter `person` who he or she is, or is shown who there is.
public struct SimulatedProvider: Sendable {
    /// Its issuer identifier.
    public let issuer: Issuer
    /// Those who have an account.
    public var people: [Person] {
        get { accounts }
        set {
            accounts = newValue
            places = Dictionary(newValue.indices.map { (ExactText(newValue[$0].subject), $0) }) { first, _ in first }
        }
    }
    private var accounts: [Person] = []
    /// Where the account of a name stands.
    private var places: [ExactText: Int] = [:]
    /// The name of the relying party, and where it is answered.
    public let client: ClientID
    private let callback: String
    private var key: SigningKey
    private var publicKey: JWK
    /// What was given and not redeemed yet, by its code; and what userinfo tells, by the access token.
    private var grants: [String: Grant] = [:]
    private var opened: [String: Person] = [:]
    /// Changes the claims of an ID token before it is signed.
    public var distort: @Sendable (inout JSON.Object) -> Void = { _ in }

    /// Somebody who has an account.
    public struct Person: Sendable, Equatable {
        /// What is said of the person; `sub` among it.
        public let claims: JSON.Object

        /// An account by the name that it has at the provider, with further claims.
        public init(_ subject: String, claims: JSON.Object = [:]) {
            var claims = claims
            claims["sub"] = .string(subject)
            self.claims = claims
        }

        /// The person's name at the provider.
        public var subject: String { claims["sub"]?.string ?? "" }

        /// Whether both are described by the same claims.
        public static func == (one: Person, other: Person) -> Bool { one.claims == other.claims }
    }

    private struct Grant: Sendable {
        let person: Person
        let nonce: String?
        let challenge: String
    }

    /// A provider with one client.
    public init(
        _ issuer: Issuer, client: ClientID, answeredAt callback: WebURL, using entropy: inout some RandomNumberGenerator
    ) throws(SimulationError) {
        (self.issuer, self.client, self.callback) = (issuer, client, callback.text)
        (key, publicKey) = try Self.newKey("op-1", using: &entropy)
    }

    private static func newKey(
        _ name: String, using entropy: inout some RandomNumberGenerator
    ) throws(SimulationError) -> (SigningKey, JWK) {
        guard
            let pair = try? Curve25519.Signing.PrivateKey(
                rawRepresentation: (0..<32).map { _ in UInt8(truncatingIfNeeded: entropy.next()) }),
            let id = try? KeyID(parsing: name)
        else { throw SimulationError() }
        return (SigningKey(pair, id: id), JWK(pair.publicKey, attributes: JWK.Attributes(id: id)))
    }

    /// Says something else of somebody, or of somebody new.
    package mutating func put(_ person: Person) {
        let name = ExactText(person.subject)
        if let place = places[name] {
            accounts[place] = person
        } else {
            places[name] = accounts.count
            accounts.append(person)
        }
    }

    /// The message that somebody's sessions here have ended, or one of them, to where a service takes such messages.
    package func logout(
        of person: Person, in session: String? = nil, named id: String, to endpoint: WebURL, at now: Timestamp
    ) throws(SimulationError) -> HTTP.Request {
        let token = try logoutToken(of: person, in: session, named: id, at: now)
        var request = HTTP.Request(
            .post, .absolute(endpoint), body: HTTP.Form([HTTP.Form.Pair("logout_token", token)]).encoded())
        do { try request.fields.append(.contentType, HTTP.MediaType.form.text) } catch { throw SimulationError() }
        return request
    }

    /// A request to end all that somebody was given somewhere.
    package func globalRevocation(
        of person: Person, at endpoint: WebURL, of service: Issuer, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(SimulationError) -> HTTP.Request {
        do {
            let word = try Statement.ClientAssertion.Issuance(with: key, of: ClientID(parsing: issuer.text))
                .assertion(to: service, at: now, using: &entropy)
            return try GlobalRevocation(of: Subject(parsing: person.subject), by: issuer, credential: word)
                .encoded(to: endpoint)
        } catch {
            throw SimulationError()
        }
    }

    /// Signs by another key from now on; the former one is published no more.
    public mutating func rotate(using entropy: inout some RandomNumberGenerator) throws(SimulationError) {
        (key, publicKey) = try Self.newKey("op-\(entropy.next() % 1_000_000)", using: &entropy)
    }

    private var base: String { issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text }
}

// MARK: - What it answers

extension SimulatedProvider {
    /// Answers a request to one of its endpoints.
    public mutating func answer(
        to request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> HTTP.Response {
        switch request.target.path.split(separator: "/").last.map({ String($0) }) ?? "" {
        case "openid-configuration": return Self.json(description)
        case "keys": return HTTP.Response(.ok, body: JWKSet([publicKey]).encoded())
        case "authorize": return authorize(request, using: &entropy)
        case "token": return redeem(request, at: now, using: &entropy)
        case "userinfo":
            guard case .once(let field) = request.fields.value(of: .authorization), field.hasPrefix("Bearer "),
                let person = opened[String(field.dropFirst(7))]
            else { return HTTP.Response(.unauthorized) }
            return Self.json(person.claims)
        default: return HTTP.Response(.notFound)
        }
    }

    private var description: JSON.Object {
        [
            "issuer": .string(issuer.text), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "userinfo_endpoint": .string(base + "/userinfo"),
            "jwks_uri": .string(base + "/keys"), "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["EdDSA"],
            "authorization_response_iss_parameter_supported": true,
        ]
    }

    /// Sends a person back who says who it is, or shows who there is.
    private mutating func authorize(
        _ request: HTTP.Request, using entropy: inout some RandomNumberGenerator
    ) -> HTTP.Response {
        let query = Self.parameters((request.target.query ?? "").utf8)
        guard query["client_id"] == client.text, query["redirect_uri"] == callback, query["response_type"] == "code",
            let challenge = query["code_challenge"], query["code_challenge_method"] == "S256",
            let state = query["state"]
        else { return HTTP.Response(.badRequest) }
        guard let name = query["person"] else { return page(of: request) }
        let answer: [HTTP.Form.Pair]
        if let person = places[ExactText(name)].map({ accounts[$0] }) {
            let code = Base64URL.encode(Self.bytes(&entropy))
            grants[code] = Grant(person: person, nonce: query["nonce"], challenge: challenge)
            answer = [HTTP.Form.Pair("code", code)]
        } else {
            answer = [HTTP.Form.Pair("error", "access_denied")]
        }
        let form = HTTP.Form(answer + [HTTP.Form.Pair("state", state), HTTP.Form.Pair("iss", issuer.text)])
        var response = HTTP.Response(.found)
        try? response.fields.append(.location, callback + "?" + form.text)
        return response
    }

    private mutating func redeem(
        _ request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> HTTP.Response {
        let form = Self.parameters(request.body)
        guard let code = form["code"], let grant = grants.removeValue(forKey: code), form["redirect_uri"] == callback,
            let verifier = form["code_verifier"],
            Base64URL.encode([UInt8](SHA256.hash(data: [UInt8](verifier.utf8)))) == grant.challenge
        else { return Self.json(["error": "invalid_grant"], .badRequest) }
        let access = Base64URL.encode(Self.bytes(&entropy))
        opened[access] = grant.person
        var claims = grant.person.claims
        claims["iss"] = .string(issuer.text)
        claims["aud"] = .string(client.text)
        claims["iat"] = .number(JSON.Number(now.seconds))
        claims["exp"] = .number(JSON.Number(now.seconds + 300))
        claims["auth_time"] = .number(JSON.Number(now.seconds))
        claims["nonce"] = grant.nonce.map { .string($0) }
        distort(&claims)
        guard let token = try? JWT.signed(JWT.Claims(claims), with: key, as: .identity) else {
            return HTTP.Response(.internalServerError)
        }
        return Self.json(["access_token": .string(access), "token_type": "Bearer", "id_token": .string(token)])
    }

    /// A token that tells the relying party who has signed out; of one session where one is named.
    public func logoutToken(
        of person: Person, in session: String? = nil, named id: String, at now: Timestamp
    ) throws(SimulationError) -> String {
        var claims: JSON.Object = [
            "iss": .string(issuer.text), "aud": .string(client.text), "iat": .number(JSON.Number(now.seconds)),
            "exp": .number(JSON.Number(now.seconds + 120)), "jti": .string(id), "sub": .string(person.subject),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        claims["sid"] = session.map { .string($0) }
        guard let token = try? JWT.signed(JWT.Claims(claims), with: key, as: .logout) else { throw SimulationError() }
        return token
    }

    /// Who the provider says that it is, to another service.
    public func statement(
        to service: Issuer, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(SimulationError) -> Assertion {
        guard let client = try? ClientID(parsing: issuer.text),
            let issuance = try? Statement.ClientAssertion.Issuance(with: key, of: client),
            let statement = try? issuance.assertion(to: service, at: now, using: &entropy)
        else { throw SimulationError() }
        return statement
    }

    /// Of how many people a page shows the names: whoever it is for reads a megabyte at most.
    private static let peopleShown = 100

    /// A page with a link for each person, and a field to type the name where there are more than it shows.
    private func page(of request: HTTP.Request) -> HTTP.Response {
        let place = request.target.path + "?" + (request.target.query ?? "")
        let lines = (people.prefix(Self.peopleShown).map { $0.subject } + [""]).map { name in
            let link = HTTP.Form([HTTP.Form.Pair("person", name)]).text
            let words = name.isEmpty ? "nobody" : name
            return "<li><a href=\"\(Self.escaped(place + "&" + link))\">\(Self.escaped(words))</a></li>"
        }
        let others = people.count > Self.peopleShown ? form(of: request) : ""
        let text =
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign in</title>"
            + "<h1>Who are you?</h1><ul>\(lines.joined())</ul>\(others)</html>\n"
        var response = HTTP.Response(.ok, body: Array(text.utf8))
        try? response.fields.append(.contentType, "text/html; charset=utf-8")
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }

    /// Where somebody types a name that is not shown.
    private func form(of request: HTTP.Request) -> String {
        let kept = Self.pairs((request.target.query ?? "").utf8).map { pair in
            "<input type=\"hidden\" name=\"\(Self.escaped(pair.name))\" value=\"\(Self.escaped(pair.value))\">"
        }
        return "<form action=\"\(Self.escaped(request.target.path))\">\(kept.joined())"
            + "<label>Somebody else: <input name=\"person\"></label> <button>Sign in</button></form>"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func pairs(_ text: some Collection<UInt8>) -> [HTTP.Form.Pair] {
        (try? HTTP.Form(parsing: Array(text)))?.pairs ?? []
    }

    private static func parameters(_ text: some Collection<UInt8>) -> [String: String] {
        Dictionary(pairs(text).map { ($0.name, $0.value) }) { first, _ in first }
    }

    private static func bytes(_ entropy: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<32).map { _ in UInt8(truncatingIfNeeded: entropy.next()) }
    }

    private static func json(_ members: JSON.Object, _ status: HTTP.Response.Status = .ok) -> HTTP.Response {
        var response = HTTP.Response(status, body: members.encoded())
        try? response.fields.append(.contentType, HTTP.MediaType.json.text)
        return response
    }
}
