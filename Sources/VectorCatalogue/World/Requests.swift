internal import PureCrypto
internal import JOSETesting
internal import Wire

// Requests as they should be, and the steps that lead to a situation.

extension World {
    /// A request with a form.
    static func form(
        _ url: String, _ pairs: KeyValuePairs<String, String>, bearer: String? = nil, dpop proof: String? = nil,
        more: KeyValuePairs<String, String> = [:]
    ) -> JSON {
        let body = HTTP.Form(
            (pairs.map { ($0.key, $0.value) } + more.map { ($0.key, $0.value) }).map { HTTP.Form.Pair($0.0, $0.1) }
        ).encoded()
        let request = request(
            "POST", url, bearer: bearer, type: "application/x-www-form-urlencoded",
            body: String(decoding: body, as: UTF8.self))
        guard let proof, let headers = request["headers"] else { return request }
        return request.with("headers", headers.with("DPoP", .string(proof)))
    }

    /// The same parameters as a JSON object, as deployed apps send them.
    static func object(_ url: String, _ pairs: KeyValuePairs<String, String>, bearer: String? = nil) -> JSON {
        let body = JSON.Object(pairs.map { (JSON.Name($0.key), JSON.string($0.value)) }).encoded()
        return request(
            "POST", url, bearer: bearer, type: "application/json", body: String(decoding: body, as: UTF8.self))
    }

    static func request(
        _ method: String, _ url: String, bearer: String? = nil, dpop: (access: String, proof: String)? = nil,
        type: String? = nil,
        body: String = ""
    ) -> JSON {
        var headers: JSON.Object = [:]
        if let bearer { headers["Authorization"] = .string("Bearer " + bearer) }
        if let dpop {
            headers["Authorization"] = .string("DPoP " + dpop.access)
            headers["DPoP"] = .string(dpop.proof)
        }
        headers["Content-Type"] = type.map { .string($0) }
        var members: JSON.Object = ["method": .string(method), "url": .string(url), "headers": .object(headers)]
        if !body.isEmpty { members["body"] = .string(body) }
        return .object(members)
    }

    // MARK: Signed texts

    /// S1's request token of a device.
    func statement(_ instance: String = phone, version: String = "ios-1.0", device key: TestKey? = "phone") -> TestToken
    {
        var claims: JSON.Object = [
            "iss": .string(Self.appName), "sub": .string(instance), "aud": .string(Self.eduID), "name": "Ada's phone",
            "device_id": "device-1", "device_type": "phone", "os_version": "18.1", "iat": time(0),
            "jti": .string("statement-\(steps)"),
        ]
        if let key { claims["cnf"] = ["jwk": key.publicJWK] }
        let signer: TestKey = version.utf8.elementsEqual("android-1.1".utf8) ? Parties.hmac : .pair(version)
        return TestToken("client-authentication+jwt", signer, named: version, at: now, claims)
    }

    /// A request token for a URL.
    mutating func proof(_ held: Held, _ url: String) -> TestToken {
        TestToken(
            "request+jwt", held.key, named: held.id, at: now,
            ["iss": .string(held.holder), "aud": .string(url), "iat": time(0), "jti": .string(name())])
    }

    /// A proof of RFC 9449 for a request with an access token.
    mutating func dpop(_ held: Held, _ method: String, _ url: String, with access: String? = nil) -> TestToken {
        let token = access ?? held.access
        let hash = Base64URL.encode([UInt8](SHA256.hash(data: Array(token.utf8))))
        return TestToken(
            "dpop+jwt", held.key, named: nil, at: now,
            ["jti": .string(name()), "htm": .string(method), "htu": .string(url), "iat": time(0), "ath": .string(hash)]
        ).heading(["jwk": held.key.publicJWK])
    }

    /// The assertion by which the edu-ID service says at alpha who it is.
    mutating func eduIDsAssertion() -> TestToken {
        clientAssertion(of: Self.eduID, "edu-id", named: "edu-id-1", to: Self.alpha)
    }

    /// The assertion by which a party says who it is.
    mutating func clientAssertion(of party: String, _ key: String, named id: String, to audience: String) -> TestToken {
        TestToken(
            "client-authentication+jwt", .pair(key), named: id, at: now,
            [
                "iss": .string(party), "sub": .string(party), "aud": .string(audience), "iat": time(0), "exp": time(60),
                "jti": .string(name()),
            ])
    }

    /// The edu-ID service's word about a user, put together by hand.
    func assertion(
        _ id: String = "assertion-1", to service: String = alpha, holding key: TestKey = "phone"
    ) -> TestToken {
        TestToken(
            "authorization-grant+jwt", .pair("edu-id"), named: "edu-id-1", at: now,
            [
                "iss": .string(Self.eduID), "aud": .string(service), "sub": "pseudonym-of-ada",
                "azp": .string(Self.phone),
                "jti": .string(id), "iat": time(0), "exp": time(300),
                "cnf": ["jwk": key.publicJWK, "kid": "client-record-1"], "given_name": "Ada",
            ])
    }

    /// Whoever holds the key in an assertion that was put together by hand.
    static var assertionHolder: Held {
        get throws(Vector.Rejection) {
            try Held(["access_token": "none", "cnf": ["kid": "client-record-1"]], .pair("phone"), of: phone)
        }
    }

    /// The code by which an instance authorizes an app.
    mutating func code(_ held: Held, for app: String = reader, binding key: TestKey? = "reader") -> TestToken {
        var claims: JSON.Object = [
            "iss": .string(held.holder), "aud": .string(Self.alpha + "/oauth/authorize"), "sub": .string(app),
            "iat": time(0),
            "exp": time(60), "jti": .string(name()),
        ]
        if let key { claims["cnf"] = ["jwk": key.publicJWK] }
        return TestToken("authorization-grant+jwt", held.key, named: held.id, at: now, claims)
    }

    // MARK: Requests

    static func registering(_ statement: TestToken, more: KeyValuePairs<String, String> = [:]) -> JSON {
        form(
            eduID + "/token",
            [
                "grant_type": "client_credentials", "client_assertion_type": assertionType,
                "client_assertion": statement.text,
            ], more: more)
    }

    mutating func challenging(
        _ client: Held, _ name: String = "ada", _ password: String = "correct horse battery staple"
    ) -> JSON {
        let url = Self.eduID + "/authorize-challenge"
        return Self.form(
            url,
            [
                "response_type": "code", "client_id": client.holder, "username": name, "password": password,
                "code_challenge": Self.challenge, "code_challenge_method": "S256",
            ], bearer: proof(client, url).text)
    }

    mutating func redeeming(
        _ code: String, by client: Held, verifier: String? = verifier, bearer: TestToken? = nil
    ) -> JSON {
        let url = Self.eduID + "/token"
        return Self.form(
            url, ["grant_type": "authorization_code", "code": code], bearer: (bearer ?? proof(client, url)).text,
            more: verifier.map { ["code_verifier": $0] } ?? [:])
    }

    /// A proof of a key for the endpoint that introduces to services.
    mutating func keyProof(_ key: TestKey, _ method: String = "POST") -> TestToken {
        TestToken(
            "dpop+jwt", key, named: nil, at: now,
            [
                "jti": .string(name()), "htm": .string(method), "htu": .string(Self.eduID + "/authorize"),
                "iat": time(0),
            ]
        ).heading(["jwk": key.publicJWK])
    }

    /// The same with a key for that service alone.
    mutating func introducing(
        _ personal: Held, bringing key: TestKey, to service: String = alpha + "/",
        _ change: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        let (url, keyProof) = (Self.eduID + "/authorize", change(keyProof(key)).text)
        return Self.form(
            url, ["response_type": "code", "resource": service], bearer: proof(personal, url).text,
            more: ["req_cnf": Self.confirmation(key.publicJWK), "req_proof": keyProof])
    }

    /// How a request tells a key.
    static func confirmation(_ key: JSON) -> String { JSON.object(["jwk": key]).encodedString() }

    mutating func introducing(_ personal: Held, to service: String = alpha + "/") -> JSON {
        let url = Self.eduID + "/authorize"
        return Self.form(url, ["response_type": "code", "resource": service], bearer: proof(personal, url).text)
    }

    mutating func asking(_ personal: Held, _ method: String, _ path: String, body: String = "") -> JSON {
        let url = Self.eduID + path
        return Self.request(
            method, url, bearer: proof(personal, url).text, type: body.isEmpty ? nil : "application/json", body: body)
    }

    mutating func redeeming(_ assertion: TestToken, by holder: Held, at service: String = alpha) -> JSON {
        let url = service + "/oauth/token"
        return Self.form(
            url, ["grant_type": Self.jwtBearer, "assertion": assertion.text], bearer: proof(holder, url).text)
    }

    /// The assertion that was redeemed before, so many seconds later.
    mutating func redeemingAgain(by holder: Held, after seconds: Int64) -> JSON {
        let assertion = assertion()
        now += seconds
        return redeeming(assertion, by: holder)
    }

    /// An app code that was redeemed, so many seconds later.
    mutating func authorizingAgain(
        by service: Held, after seconds: Int64 = 0, binding key: TestKey? = "reader", scope: String = papi
    ) throws(Vector.Rejection) -> JSON {
        let once = code(service, binding: key)
        try perform(.alpha, authorizing(once, by: service))
        now += seconds
        return authorizing(once, by: service, scope: scope)
    }

    mutating func authorizing(_ code: TestToken, by service: Held, scope: String = papi) -> JSON {
        let url = Self.alpha + "/oauth/token"
        return Self.form(
            url, ["grant_type": "authorization_code", "code": code.text, "scope": scope],
            bearer: proof(service, url).text)
    }

    mutating func refreshing(_ held: Held, at url: String, scope: String? = nil, token: String? = nil) -> JSON {
        Self.form(
            url, ["grant_type": "refresh_token", "refresh_token": token ?? held.refresh ?? ""],
            bearer: proof(held, url).text, more: scope.map { ["scope": $0] } ?? [:])
    }

    mutating func revoking(_ token: String, by held: Held, at url: String) -> JSON {
        Self.form(url, ["token": token], bearer: proof(held, url).text)
    }

    /// An instance ends its own registration.
    mutating func ending(_ client: Held) -> JSON {
        let url = Self.eduID + "/revoke"
        return revoking(client.access, by: client, at: url)
    }

    /// The edu-ID service takes an assertion back at alpha.
    mutating func takingBack(_ id: String, _ change: (TestToken) -> TestToken = { $0 }) -> JSON {
        let proof = change(eduIDsAssertion()).text
        return Self.form(
            Self.alpha + "/oauth/revoke",
            [
                "token": id, "token_type_hint": "assertion", "client_assertion_type": Self.assertionType,
                "client_assertion": proof,
            ])
    }

    // MARK: Steps

    mutating func takeBack(_ id: String) throws(Vector.Rejection) { try perform(.alpha, takingBack(id)) }

    @discardableResult
    mutating func register(_ instance: String = phone, version: String = "ios-1.0", device: TestKey? = "phone")
        throws(Vector.Rejection) -> Held
    {
        let body = try perform(.eduID, Self.registering(statement(instance, version: version, device: device)))
        return try Held(body, device ?? "none", of: instance)
    }

    @discardableResult
    mutating func signIn(_ client: Held, _ name: String = "ada", _ password: String = "correct horse battery staple")
        throws(Vector.Rejection)
        -> Held
    {
        let granted = try perform(.eduID, challenging(client, name, password))
        let code = try Vector.Rejection.need(granted["authorization_code"]?.string, "authorization_code")
        return try Held(try perform(.eduID, redeeming(code, by: client)), client.key, of: client.holder)
    }

    /// An assertion by the edu-ID service itself.
    @discardableResult
    mutating func introduce(_ personal: Held, to service: String = alpha + "/") throws(Vector.Rejection) -> String {
        try Vector.Rejection.need(try perform(.eduID, introducing(personal, to: service))["code"]?.string, "code")
    }

    /// The service token for an assertion that was put together by hand.
    @discardableResult
    mutating func redeem(_ id: String = "assertion-1") throws(Vector.Rejection) -> Held {
        let holder = try Self.assertionHolder
        return try Held(try perform(.alpha, redeeming(assertion(id), by: holder)), .pair("phone"), of: Self.phone)
    }

    @discardableResult
    mutating func authorize(
        _ service: Held, for app: String = reader, binding key: TestKey? = "reader", scope: String = papi
    ) throws(Vector.Rejection) -> Held {
        let body = try perform(.alpha, authorizing(code(service, for: app, binding: key), by: service, scope: scope))
        return try Held(body, key ?? "none", of: app)
    }

    @discardableResult
    mutating func refresh(_ held: Held, _ role: Role, at url: String) throws(Vector.Rejection) -> Held {
        try Held(try perform(role, refreshing(held, at: url)), held.key, of: held.holder)
    }
}
