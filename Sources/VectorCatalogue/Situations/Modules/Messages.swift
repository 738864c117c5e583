internal import JOSETesting
internal import Wire

// The messages of the endpoints: what a server reads in a request, and the one who asked in an answer.

extension Catalogue {
    mutating func addMessages() {
        add(.message, "request-", Self.requests) { endpoint, request in ["endpoint": endpoint, "request": request] }
        addCredentials()
        addReplies()
        addBrowserMessages()
    }

    private static let endpoint = "https://server.example/token"
    static let anyToken = "eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl"
    private static let registration: KeyValuePairs = [
        "grant_type": "client_credentials",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": anyToken,
    ]

    private static func form(_ pairs: KeyValuePairs<String, String>, bearer: String? = nil) -> JSON {
        World.form(endpoint, pairs, bearer: bearer)
    }

    private static func raw(_ body: String, _ type: String = "application/x-www-form-urlencoded") -> JSON {
        World.request("POST", endpoint, type: type, body: body)
    }

    private static func challenge(_ response: String, _ challenge: String, _ method: String) -> JSON {
        raw(
            joined(
                "response_type=\(response)&client_id=\(World.phone)&username=a&password=b",
                "&code_challenge=\(challenge)&code_challenge_method=\(method)"))
    }

    // MARK: Requests

    private static let refresh = "grant_type=refresh_token&refresh_token=a-refresh-token"

    private static let requests: [Row<(endpoint: JSON, request: JSON)>] = [
        ("registration", "an instance registers", ["REG-1", "REQ-13"], nil, ("token", Self.form(Self.registration))),
        (
            "registration-header", "the same with the assertion in the header", ["REG-1", "REQ-13"], nil,
            ("token", Self.form(["grant_type": "client_credentials"], bearer: Self.anyToken))
        ),
        (
            "registration-json", "the same as JSON", ["REG-1"], nil,
            ("token", World.object(Self.endpoint, Self.registration))
        ),
        (
            "code", "a code with its verifier", ["RFC7636-4.5"], nil,
            (
                "token",
                Self.form(
                    ["grant_type": "authorization_code", "code": "a-code", "code_verifier": World.verifier],
                    bearer: Self.anyToken)
            )
        ),
        (
            "signed-code", "an app's code with a scope", ["APP-3"], nil,
            (
                "token",
                Self.form(
                    [
                        "grant_type": "authorization_code", "code": Self.anyToken,
                        "scope": "https://server.example/api",
                    ],
                    bearer: Self.anyToken)
            )
        ),
        (
            "assertion", "an assertion is redeemed", ["GRT-1", "AST-2"], nil,
            ("token", Self.form(["grant_type": World.jwtBearer, "assertion": Self.anyToken], bearer: Self.anyToken))
        ),
        (
            "refresh", "a refresh", ["GRT-1", "TOK-2"], nil,
            (
                "token",
                Self.form(["grant_type": "refresh_token", "refresh_token": "a-refresh-token"], bearer: Self.anyToken)
            )
        ),
        (
            "refresh-scope", "a refresh with a narrower scope", ["GRT-1"], nil,
            (
                "token",
                Self.form(
                    ["grant_type": "refresh_token", "refresh_token": "a-refresh-token", "scope": "a b"],
                    bearer: Self.anyToken)
            )
        ),
        (
            "unknown-parameter", "a parameter that nobody knows is ignored", ["RFC6749-3.2"], nil,
            ("token", Self.form(Self.registration, bearer: nil).appending("&x=y"))
        ),
        (
            "empty-parameter", "a parameter without a value is as good as none", ["RFC6749-3.2"], nil,
            ("token", Self.form(Self.registration).appending("&scope="))
        ),
        (
            "query", "what stands in the URL of a POST says nothing", ["RFC6749-3.2"], nil,
            (
                "token",
                World.request(
                    "POST", Self.endpoint + "?grant_type=client_credentials&scope=x", bearer: Self.anyToken,
                    type: "application/x-www-form-urlencoded",
                    body: "grant_type=refresh_token&refresh_token=a-refresh-token")
            )
        ),
        (
            "authorization", "an instance asks for an assertion", ["AST-1"], nil,
            (
                "authorization",
                World.request(
                    "GET", Self.endpoint + "?response_type=code&resource=https://server.example/&state=s-1",
                    bearer: Self.anyToken)
            )
        ),
        (
            "authorization-key", "the same with a key for the service alone, and its proof", ["threat-77"], nil,
            (
                "authorization",
                Self.form(
                    [
                        "response_type": "code", "resource": "https://server.example/", "req_proof": Self.anyToken,
                        "req_cnf": World.confirmation(TestKey.pair("phone at alpha").publicJWK),
                    ], bearer: Self.anyToken)
            )
        ),
        (
            "challenge", "a user's name and password", ["USR-1"], nil,
            (
                "challenge",
                Self.form(
                    [
                        "response_type": "code", "client_id": World.phone, "username": "ada",
                        "password": "correct horse",
                        "code_challenge": World.challenge, "code_challenge_method": "S256",
                    ], bearer: Self.anyToken)
            )
        ),
        (
            "challenge-demanding", "the same, of which something is demanded", ["FPA-18"], nil,
            (
                "challenge",
                Self.raw(
                    joined(
                        "response_type=code&username=a&password=b&max_age=0&acr_values=a++https%3A%2F%2Fb.example+a",
                        "&code_challenge=\(World.challenge)&code_challenge_method=S256"))
            )
        ),
        (
            "challenge-more", "what is demanded of whoever is signed in", ["FPA-20"], nil,
            (
                "challenge",
                Self.raw(
                    joined(
                        "response_type=code&max_age=9223372036854775807&steps_supported=otp",
                        "&code_challenge=\(World.challenge)&code_challenge_method=S256"))
            )
        ),
        (
            "revocation", "a revocation", ["TOK-4"], nil,
            ("revocation", Self.form(["token": "a-token"], bearer: Self.anyToken))
        ),
        (
            "revocation-hint", "a revocation with a hint that nobody knows", ["TOK-4"], nil,
            ("revocation", Self.form(["token": "a-token", "token_type_hint": "x"], bearer: Self.anyToken))
        ),
        (
            "introspection", "an introspection", ["AST-8"], nil,
            ("introspection", Self.form(["token": Self.anyToken], bearer: Self.anyToken))
        ),
        (
            "resource", "a request with a token", ["APP-7"], nil,
            ("resource", World.request("GET", Self.endpoint, bearer: "a-token"))
        ),
        (
            "resource-dpop", "a request with a token and a proof", ["POP-1"], nil,
            ("resource", World.request("GET", Self.endpoint, dpop: ("a-token", Self.anyToken)))
        ),
        (
            "resource-nobody", "a request without a token", ["APP-7"], nil,
            ("resource", World.request("GET", Self.endpoint))
        ),
        (
            "method", "a request with the method GET", ["GRT-1"],
            Expected(error: "invalid_request", clause: "RFC6749-3.2"),
            ("token", World.request("GET", Self.endpoint + "?" + refresh))
        ),
        (
            "type", "a request as plain text", ["GRT-1"], Expected(error: "invalid_request", clause: "RFC6749-B"),
            ("token", Self.raw(refresh, "text/plain"))
        ),
        (
            "password-client", "a client with a name and a password, which is read and good for nothing", ["threat-37"],
            nil, ("token", Self.form(["grant_type": "client_credentials", "client_id": "a", "client_secret": "b"]))
        ),
        (
            "no-grant", "a request without a grant type", ["GRT-1"],
            Expected(error: "invalid_request", clause: "RFC6749-3.1"), ("token", Self.raw("refresh_token=x"))
        ),
        (
            "unknown-grant", "a request with an unknown grant type", ["GRT-1"],
            Expected(error: "unsupported_grant_type", clause: "RFC6749-5.2"), ("token", Self.raw("grant_type=implicit"))
        ),
        (
            "grant-capitals", "a request with a grant type in capitals", ["GRT-1"],
            Expected(error: "unsupported_grant_type", clause: "RFC6749-5.2"),
            ("token", Self.raw("grant_type=REFRESH_TOKEN"))
        ),
        (
            "twice", "a request with a parameter that comes twice", ["threat-37"],
            Expected(error: "invalid_request", clause: "threat-37"), ("token", Self.raw(refresh + "&refresh_token=b"))
        ),
        (
            "twice-alike", "a request with a parameter that comes twice with the same value", ["threat-37"],
            Expected(error: "invalid_request", clause: "threat-37"),
            ("token", Self.raw(refresh + "&grant_type=refresh_token"))
        ),
        (
            "two-credentials", "a request with two ways to say who asks", ["threat-37"],
            Expected(error: "invalid_request", clause: "threat-37"),
            ("token", Self.form(Self.registration, bearer: "another-token"))
        ),
        (
            "credential-in-url", "a request with its credential in the URL", ["threat-37"],
            Expected(error: "invalid_request", clause: "RFC6749-2.3.1"),
            (
                "authorization",
                World.request(
                    "GET",
                    Self.endpoint + "?response_type=code&resource=https://server.example/&client_assertion="
                        + Self.anyToken
                        + "&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            )
        ),
        (
            "assertion-type", "a request with an assertion of an unknown type", ["REQ-13"],
            Expected(error: "invalid_client", clause: "RFC7521-4.2"),
            (
                "token",
                Self.raw("grant_type=client_credentials&client_assertion_type=saml&client_assertion=" + Self.anyToken)
            )
        ),
        (
            "no-assertion-type", "a request with an assertion of no type", ["REQ-13"],
            Expected(error: "invalid_client", clause: "RFC7521-4.2"),
            ("token", Self.raw("grant_type=client_credentials&client_assertion=" + Self.anyToken))
        ),
        (
            "triplet", "a request that is no form", ["threat-37"],
            Expected(error: "invalid_request", clause: "RFC6749-B"), ("token", Self.raw(refresh + "&a=%4"))
        ),
        (
            "json-list", "a request that is a JSON list", ["threat-37"],
            Expected(error: "invalid_request", clause: "RFC8259-3"), ("token", Self.raw("[]", "application/json"))
        ),
        (
            "json-twice", "a request with a JSON member that comes twice", ["threat-13"],
            Expected(error: "invalid_request", clause: "RFC8259-4"),
            (
                "token",
                Self.raw(
                    #"{"grant_type":"refresh_token","refresh_token":"r","grant_\u0074ype":"refresh_token"}"#,
                    "application/json")
            )
        ),
        (
            "json-number", "a request with a number for a text", ["threat-15"],
            Expected(error: "invalid_request", clause: "RFC6749-3.1"),
            ("token", Self.raw(#"{"grant_type":7}"#, "application/json"))
        ),
        (
            "scope-space", "a request with a scope that has two spaces", ["APP-4"],
            Expected(error: "invalid_scope", clause: "RFC6749-3.3"), ("token", Self.raw(refresh + "&scope=a++b"))
        ),
        (
            "scope-quote", "a request with a scope that has a quote", ["APP-4"],
            Expected(error: "invalid_scope", clause: "RFC6749-3.3"), ("token", Self.raw(refresh + "&scope=%22"))
        ),
        (
            "code-short-verifier", "a request with a verifier that is too short", ["threat-26"],
            Expected(error: "invalid_request", clause: "RFC7636-4.1"),
            ("token", Self.raw("grant_type=authorization_code&code=a-code&code_verifier=short"))
        ),
        (
            "challenge-method", "a request whose challenge is of the method plain", ["threat-26"],
            Expected(error: "invalid_request", clause: "RFC7636-4.3"),
            ("challenge", Self.challenge("code", World.challenge, "plain"))
        ),
        (
            "challenge-short", "a request whose challenge is too short", ["threat-26"],
            Expected(error: "invalid_request", clause: "RFC7636-4.2"),
            ("challenge", Self.challenge("code", "abc", "S256"))
        ),
        (
            "challenge-nameless", "a demand and a password, and nobody's name", ["FPA-20"],
            Expected(error: "invalid_request", clause: "RFC6749-3.1"),
            (
                "challenge",
                Self.raw(
                    joined(
                        "response_type=code&password=b&max_age=0",
                        "&code_challenge=\(World.challenge)&code_challenge_method=S256"))
            )
        ),
        (
            "challenge-ageless", "an age that is more than a number can be", ["FPA-18"],
            Expected(error: "invalid_request", clause: "RFC6749-3.1"),
            (
                "challenge",
                Self.raw(
                    joined(
                        "response_type=code&username=a&password=b&max_age=9223372036854775808",
                        "&code_challenge=\(World.challenge)&code_challenge_method=S256"))
            )
        ),
        (
            "response-type", "a request that asks for a token right away", ["threat-26"],
            Expected(error: "unsupported_response_type", clause: "RFC6749-3.1.1"),
            ("challenge", Self.challenge("token", World.challenge, "S256"))
        ),
        (
            "no-token", "a request for the revocation of nothing", ["TOK-4"],
            Expected(error: "invalid_request", clause: "RFC6749-3.1"),
            ("revocation", Self.form([:], bearer: Self.anyToken))
        ),
        (
            "scheme", "a request with a credential of an unknown scheme", ["POP-1"],
            Expected(error: "invalid_client", clause: "RFC6749-2.3"),
            ("resource", ["method": "GET", "url": .string(Self.endpoint), "headers": ["Authorization": "Digest abc"]])
        ),
        (
            "header-twice", "a request with two credentials in the header", ["threat-37"],
            Expected(error: "invalid_request", clause: "threat-37"),
            (
                "resource",
                [
                    "method": "GET", "url": .string(Self.endpoint),
                    "headers": ["Authorization": ["Bearer a-token", "Bearer b-token"]],
                ]
            )
        ),
        (
            "proof-without-scheme", "a request with a proof beside a plain token", ["POP-1"],
            Expected(error: "invalid_request", clause: "RFC9449-7.1"),
            (
                "resource",
                [
                    "method": "GET", "url": .string(Self.endpoint),
                    "headers": ["Authorization": "Bearer a-token", "DPoP": .string(Self.anyToken)],
                ]
            )
        ),
    ]
}

extension JSON {
    /// A request with something more at the end of its body.
    fileprivate func appending(_ text: String) -> JSON {
        guard var members = object, let body = members["body"]?.string else { return self }
        members["body"] = .string(body + text)
        return .object(members)
    }
}
