internal import JOSETesting
internal import PureCrypto
internal import Wire

// A provider's part: what it says about itself, and how it answers a browser and the edu-ID service, as it should be
// unless a situation says otherwise.

/// A browser that was sent to the provider, and what came along.
struct Departed: Sendable {
    let state: String
    let nonce: String
    /// What the browser keeps in its cookie.
    let mark: String
    /// The client that began.
    let client: Held
}

extension World {
    static let provider = "https://login.example.org/"
    static let providerKey = TestKey.pair("provider")
    static let accessToken = "access-token-of-the-provider"
    static let callback = eduID + "/callback/example"
    private static let scheme = "ch.eduid.mobile:/signed-in"
    private static let appState = "AbcdefghijklmnopqrstuvwxyZ-0123456789._~AbC"

    /// The same with addresses at which the app is called back, and a provider.
    func signingInAtProvider(_ changes: JSON.Object = [:]) -> World {
        let addresses: JSON = ["https://app.example/signed-in", .string(Self.scheme)]
        return withEach("versions", at: .eduID) { $0["kid"] == "ios-1.0" ? $0.with("callbacks", addresses) : $0 }
            .atProvider(changes)
    }

    /// The same with a provider.
    func atProvider(_ changes: JSON.Object = [:]) -> World {
        let provider: JSON.Object = [
            "issuer": .string(Self.provider), "client": "edu-id", "secret": "secret of the service",
            "callback": "example", "algorithms": ["EdDSA"],
        ]
        return with("provider", at: .eduID) { _ in .object(provider.changed(changes)) }
    }

    // MARK: What the provider answers

    /// An answer in JSON.
    static func answer(_ members: JSON, _ status: Int64 = 200, as type: String = "application/json") -> JSON {
        [
            "status": .number(JSON.Number(status)), "headers": ["Content-Type": .string(type)],
            "body": .string(members.encodedString()),
        ]
    }

    /// What the provider says about itself.
    static func description(_ changes: JSON.Object = [:]) -> JSON {
        let members: JSON.Object = [
            "issuer": .string(provider), "authorization_endpoint": .string(provider + "authorize"),
            "token_endpoint": .string(provider + "token"), "userinfo_endpoint": .string(provider + "userinfo"),
            "jwks_uri": .string(provider + "keys"), "response_types_supported": ["code", "id_token"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256", "EdDSA"],
            "authorization_response_iss_parameter_supported": true, "unknown": ["of": "nobody"],
        ]
        return answer(.object(members.changed(changes)))
    }

    /// The keys that it publishes.
    static func keys(_ keys: JSON...) -> JSON { answer(["keys": .array(keys)]) }

    static let itsKeys = keys(providerKey.publicJWK("op-1"))

    /// Tokens for a code.
    static func tokens(_ identity: TestToken, _ changes: JSON.Object = [:]) -> JSON {
        let members: JSON.Object = [
            "access_token": .string(accessToken), "token_type": "Bearer", "id_token": .string(identity.text),
        ]
        return answer(.object(members.changed(changes)))
    }

    static func userinfo(_ changes: JSON.Object = [:]) -> JSON {
        let members: JSON.Object = [
            "sub": "ada-at-provider", "name": "Ada Muster", "email": "ada@example.org",
            "eduperson_affiliation": ["staff", "member"], "unheard_of": "x",
        ]
        return answer(.object(members.changed(changes)))
    }

    /// What the provider says of whoever signed in, in answer to this browser's request.
    func identity(of trip: Departed) -> TestToken {
        let hash = [UInt8](SHA512.hash(data: Array(Self.accessToken.utf8)))
        return TestToken(
            "JWT", Self.providerKey, named: "op-1", at: now,
            [
                "iss": .string(Self.provider), "aud": "edu-id", "sub": "ada-at-provider", "iat": time(0),
                "exp": time(300), "nonce": .string(trip.nonce), "auth_time": time(-10), "given_name": "Ada",
                "at_hash": .string(Base64URL.encode(hash.prefix(32))), "amr": ["pwd", "otp"],
            ])
    }

    /// That the person has ended the session, everywhere or in one browser.
    mutating func logout(_ changes: JSON.Object = [:]) -> TestToken {
        TestToken(
            "logout+jwt", Self.providerKey, named: "op-1", at: now,
            [
                "iss": .string(Self.provider), "aud": "edu-id", "sub": "ada-at-provider", "iat": time(0),
                "exp": time(120), "jti": .string(name()),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ]
        ).claiming(changes)
    }

    // MARK: What the browser brings

    static func visit(_ url: String, _ pairs: KeyValuePairs<String, String>, cookie: String? = nil) -> JSON {
        let query = String(
            decoding: HTTP.Form(pairs.map { HTTP.Form.Pair($0.key, $0.value) }).encoded(), as: UTF8.self)
        let headers: JSON.Object =
            cookie.map { ["Cookie": .string("theme=dark; __Host-eduid-signin=" + $0)] } ?? [:]
        return ["method": "GET", "url": .string(url + "?" + query), "headers": .object(headers)]
    }

    /// The browser comes to the edu-ID service with what the app has begun.
    mutating func arriving(
        by client: Held, demanding more: KeyValuePairs<String, String> = [:]
    ) throws(Vector.Rejection) -> JSON {
        let url = Self.eduID + "/authorize-challenge"
        let beginning = Self.form(
            url,
            [
                "response_type": "code", "client_id": client.holder, "redirect_uri": Self.scheme,
                "state": Self.appState, "code_challenge": Self.challenge, "code_challenge_method": "S256",
            ], bearer: proof(client, url).text, more: more)
        let name = try Vector.Rejection.need(try ask(.eduID, beginning)["request_uri"]?.string, "request_uri")
        return Self.visit(Self.eduID + "/authorize", ["client_id": client.holder, "request_uri": name])
    }

    /// The browser is sent to the provider.
    mutating func depart(
        _ client: Held, demanding more: KeyValuePairs<String, String> = [:]
    ) throws(Vector.Rejection) -> Departed {
        let arrival = try arriving(by: client, demanding: more)
        answers = [Self.description()]
        let fields = try respond(.eduID, arrival)["headers"]
        let place = fields?["Location"]?.string ?? ""
        let query = Array(place.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
        let pairs = (try? HTTP.Form(parsing: query))?.pairs ?? []
        func parameter(_ name: String) throws(Vector.Rejection) -> String {
            try Vector.Rejection.need(pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value, name)
        }
        let cookie = fields?["Set-Cookie"]?.string ?? ""
        let mark = String(cookie.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst())
        return Departed(state: try parameter("state"), nonce: try parameter("nonce"), mark: mark, client: client)
    }

    /// The browser comes back with a code, and the provider answers what it is asked then.
    mutating func returning(
        _ trip: Departed, changing claims: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        answers = [Self.description(), Self.tokens(claims(identity(of: trip))), Self.itsKeys, Self.userinfo()]
        return Self.back(trip)
    }

    /// The request of a browser that comes back.
    static func back(_ trip: Departed, _ pairs: KeyValuePairs<String, String>? = nil, cookie: String? = nil) -> JSON {
        visit(
            callback, pairs ?? ["code": "code-of-the-provider", "state": trip.state, "iss": provider],
            cookie: cookie ?? trip.mark)
    }

    /// The code that a browser brings to the app.
    mutating func bring(_ trip: Departed, _ claims: (TestToken) -> TestToken = { $0 }) throws(Vector.Rejection)
        -> String
    {
        let place = try respond(.eduID, returning(trip, changing: claims))["headers"]?["Location"]?.string ?? ""
        let query = Array(place.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
        let pairs = (try? HTTP.Form(parsing: query))?.pairs ?? []
        return try Vector.Rejection.need(pairs.first { $0.name.utf8.elementsEqual("code".utf8) }?.value, "code")
    }

    /// The app redeems a code that a browser brought.
    mutating func redeemingBrought(
        _ code: String, by client: Held, at address: String? = scheme, verifier: String = verifier
    ) -> JSON {
        let url = Self.eduID + "/token"
        let pairs: KeyValuePairs = ["grant_type": "authorization_code", "code": code, "code_verifier": verifier]
        return Self.form(
            url, pairs, bearer: proof(client, url).text, more: address.map { ["redirect_uri": $0] } ?? [:])
    }

    /// Somebody signs in at the provider.
    mutating func signInAtProvider(
        _ client: Held, _ claims: (TestToken) -> TestToken = { $0 }
    ) throws(Vector.Rejection) -> Held {
        let trip = try depart(client)
        let code = try bring(trip, claims)
        return try Held(try perform(.eduID, redeemingBrought(code, by: client)), client.key, of: client.holder)
    }

    /// The provider says that a session has ended.
    mutating func ending(by token: TestToken) -> JSON {
        answers = [Self.description(), Self.itsKeys]
        return Self.form(Self.eduID + "/backchannel-logout", ["logout_token": token.text])
    }
}
