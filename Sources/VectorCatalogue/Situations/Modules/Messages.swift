internal import JOSETesting
internal import Wire

// The messages of the endpoints: what a server reads in a request, and the one who asked in an answer.

extension Catalogue {
    mutating func addMessages() {
        add(.message, "request-", Self.requests) { endpoint, request in ["endpoint": endpoint, "request": request] }
        add(.reply, "answer-", Self.answers) { endpoint, answer in ["endpoint": endpoint, "answer": answer] }
        add(.reply, "answer-", Self.introductions, Self.introduction)
    }

    private static let endpoint = "https://server.example/token"
    private static let assertion = "eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl"
    private static let registration: KeyValuePairs = [
        "grant_type": "client_credentials",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": assertion,
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
            ("token", Self.form(["grant_type": "client_credentials"], bearer: Self.assertion))
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
                    bearer: Self.assertion)
            )
        ),
        (
            "signed-code", "an app's code with a scope", ["APP-3"], nil,
            (
                "token",
                Self.form(
                    [
                        "grant_type": "authorization_code", "code": Self.assertion,
                        "scope": "https://server.example/api",
                    ],
                    bearer: Self.assertion)
            )
        ),
        (
            "assertion", "an assertion is redeemed", ["GRT-1", "AST-2"], nil,
            ("token", Self.form(["grant_type": World.jwtBearer, "assertion": Self.assertion], bearer: Self.assertion))
        ),
        (
            "refresh", "a refresh", ["GRT-1", "TOK-2"], nil,
            (
                "token",
                Self.form(["grant_type": "refresh_token", "refresh_token": "a-refresh-token"], bearer: Self.assertion)
            )
        ),
        (
            "refresh-scope", "a refresh with a narrower scope", ["GRT-1"], nil,
            (
                "token",
                Self.form(
                    ["grant_type": "refresh_token", "refresh_token": "a-refresh-token", "scope": "a b"],
                    bearer: Self.assertion)
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
                    "POST", Self.endpoint + "?grant_type=client_credentials&scope=x", bearer: Self.assertion,
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
                    bearer: Self.assertion)
            )
        ),
        (
            "authorization-key", "the same with a key for the service alone, and its proof", ["threat-77"], nil,
            (
                "authorization",
                Self.form(
                    [
                        "response_type": "code", "resource": "https://server.example/", "req_proof": Self.assertion,
                        "req_cnf": World.confirmation(TestKey.pair("phone at alpha").publicJWK),
                    ], bearer: Self.assertion)
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
                    ], bearer: Self.assertion)
            )
        ),
        (
            "revocation", "a revocation", ["TOK-4"], nil,
            ("revocation", Self.form(["token": "a-token"], bearer: Self.assertion))
        ),
        (
            "revocation-hint", "a revocation with a hint that nobody knows", ["TOK-4"], nil,
            ("revocation", Self.form(["token": "a-token", "token_type_hint": "x"], bearer: Self.assertion))
        ),
        (
            "introspection", "an introspection", ["AST-8"], nil,
            ("introspection", Self.form(["token": Self.assertion], bearer: Self.assertion))
        ),
        (
            "resource", "a request with a token", ["APP-7"], nil,
            ("resource", World.request("GET", Self.endpoint, bearer: "a-token"))
        ),
        (
            "resource-dpop", "a request with a token and a proof", ["POP-1"], nil,
            ("resource", World.request("GET", Self.endpoint, dpop: ("a-token", Self.assertion)))
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
                        + Self.assertion
                        + "&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            )
        ),
        (
            "assertion-type", "a request with an assertion of an unknown type", ["REQ-13"],
            Expected(error: "invalid_client", clause: "RFC7521-4.2"),
            (
                "token",
                Self.raw("grant_type=client_credentials&client_assertion_type=saml&client_assertion=" + Self.assertion)
            )
        ),
        (
            "no-assertion-type", "a request with an assertion of no type", ["REQ-13"],
            Expected(error: "invalid_client", clause: "RFC7521-4.2"),
            ("token", Self.raw("grant_type=client_credentials&client_assertion=" + Self.assertion))
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
            "response-type", "a request that asks for a token right away", ["threat-26"],
            Expected(error: "unsupported_response_type", clause: "RFC6749-3.1.1"),
            ("challenge", Self.challenge("token", World.challenge, "S256"))
        ),
        (
            "no-token", "a request for the revocation of nothing", ["TOK-4"],
            Expected(error: "invalid_request", clause: "RFC6749-3.1"),
            ("revocation", Self.form([:], bearer: Self.assertion))
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
                    "headers": ["Authorization": "Bearer a-token", "DPoP": .string(Self.assertion)],
                ]
            )
        ),
    ]

    // MARK: Answers

    private static func answer(_ status: JSON, _ body: String, _ type: JSON = "application/json") -> JSON {
        ["status": status, "headers": ["Content-Type": type, "Cache-Control": "no-store"], "body": .string(body)]
    }

    private static let tokenAnswer =
        #"{"access_token":"a-token","token_type":"Bearer","expires_in":600,"refresh_token":"r","scope":"a b"}"#

    /// The answer to a question for an assertion, with these members changed.
    private static func introduction(_ changes: JSON.Object) -> JSON.Object {
        let body: JSON.Object = [
            "code": .string(assertion), "redirect_uri": "https://service.example/token", "state": "s-1",
            "iss": "https://server.example",
        ]
        return [
            "endpoint": "authorization", "answer": answer(200, JSON.object(body.changed(changes)).encodedString()),
            "asked": ["resource": "https://service.example/", "issuer": "https://server.example", "state": "s-1"],
        ]
    }

    private static let answers: [Row<(endpoint: JSON, answer: JSON)>] = [
        ("token", "a token", ["GRT-1"], nil, ("token", Self.answer(200, Self.tokenAnswer))),
        (
            "token-short", "a token and nothing more", ["GRT-1"], nil,
            ("token", Self.answer(200, #"{"access_token":"a-token","token_type":"bearer"}"#))
        ),
        (
            "token-bound", "a token with the key that it is bound to", ["POP-1"], nil,
            ("token", Self.answer(200, #"{"access_token":"a-token","token_type":"PoP","cnf":{"kid":"k-1"}}"#))
        ),
        (
            "token-unknown", "members that nobody knows", ["GRT-1"], nil,
            ("token", Self.answer(200, #"{"access_token":"a-token","token_type":"Bearer","x":[1]}"#))
        ),
        (
            "token-charset", "a media type with a parameter", ["GRT-1"], nil,
            ("token", Self.answer(200, Self.tokenAnswer, "application/json;charset=utf-8"))
        ),
        (
            "token-refused", "a refusal", ["AST-6"], nil,
            ("token", Self.answer(400, #"{"error":"invalid_grant","error_description":"used before"}"#))
        ),
        (
            "token-refused-client", "a refusal of the client", ["AST-6"], nil,
            ("token", Self.answer(401, #"{"error":"invalid_client"}"#))
        ),
        ("challenge", "a code", ["AUT-2"], nil, ("challenge", Self.answer(200, #"{"authorization_code":"a-code"}"#))),
        (
            "challenge-insufficient", "a password that is not enough", ["USR-1"], nil,
            ("challenge", Self.answer(400, #"{"error":"insufficient_authorization"}"#))
        ),
        (
            "challenge-refused", "a wrong password", ["USR-1"], nil,
            ("challenge", Self.answer(400, #"{"error":"access_denied"}"#))
        ),
        ("revocation", "a revocation that was done", ["TOK-4"], nil, ("revocation", ["status": 200, "headers": [:]])),
        (
            "revocation-no-content", "a revocation that was done, without words", ["TOK-7"], nil,
            ("revocation", ["status": 204, "headers": [:]])
        ),
        (
            "revocation-page", "a page in the place of a confirmation", ["TOK-7", "threat-60"], "RFC6749-5.1",
            ("revocation", Self.answer(200, "<p>Sign in", "text/html; charset=utf-8"))
        ),
        (
            "revocation-xhtml", "a page of XHTML in the place of a confirmation", ["TOK-7", "threat-60"], "RFC6749-5.1",
            ("revocation", Self.answer(200, "<p/>", "application/xhtml+xml"))
        ),
        (
            "revocation-redirect", "a redirection in the place of a confirmation", ["TOK-7", "threat-60"],
            "RFC6749-5.2", ("revocation", Self.answer(302, "", "text/plain"))
        ),
        (
            "revocation-refused", "a revocation that was refused", ["TOK-4"], nil,
            ("revocation", Self.answer(400, #"{"error":"unsupported_token_type"}"#))
        ),
        (
            "introspection", "an assertion that is good", ["AST-8"], nil,
            ("introspection", Self.answer(200, #"{"active":true,"sub":"user-1","given_name":"Ada"}"#))
        ),
        (
            "introspection-inactive", "an assertion that is not", ["AST-8"], nil,
            ("introspection", Self.answer(200, #"{"active":false}"#))
        ),
        (
            "status", "an answer with the status of a redirection", ["NIF-9"], "RFC6749-5.2",
            ("token", Self.answer(302, Self.tokenAnswer))
        ),
        (
            "server-error", "an answer with the status of a broken server", ["NIF-9"], "RFC6749-5.2",
            ("token", Self.answer(500, #"{"error":"invalid_grant"}"#))
        ),
        (
            "type", "an answer that is no JSON by its type", ["NIF-9"], "RFC6749-5.1",
            ("token", Self.answer(200, Self.tokenAnswer, "text/html"))
        ),
        ("json", "an answer that is no JSON", ["NIF-9"], "RFC8259-2", ("token", Self.answer(200, "<html>"))),
        (
            "no-token", "an answer without a token", ["NIF-9"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"token_type":"Bearer"}"#))
        ),
        (
            "no-type", "an answer without a type of token", ["NIF-9"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"access_token":"a-token"}"#))
        ),
        (
            "token-number", "an answer whose token is a number", ["NIF-9"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"access_token":7,"token_type":"Bearer"}"#))
        ),
        (
            "token-empty", "an answer whose token is empty", ["NIF-9"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"access_token":"","token_type":"Bearer"}"#))
        ),
        (
            "token-space", "an answer whose token has a line's end", ["NIF-9"], "RFC6749-A",
            ("token", Self.answer(200, #"{"access_token":"a\nb","token_type":"Bearer"}"#))
        ),
        (
            "expires-negative", "an answer whose token ends before it began", ["threat-15"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#))
        ),
        (
            "expires-huge", "an answer whose token ends beyond all times", ["threat-15"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"access_token":"a","token_type":"Bearer","expires_in":1e400}"#))
        ),
        (
            "expires-text", "an answer whose token ends with a word", ["threat-15"], "RFC6749-3.1",
            ("token", Self.answer(200, #"{"access_token":"a","token_type":"Bearer","expires_in":"soon"}"#))
        ),
        (
            "twice", "an answer with a token that comes twice", ["threat-13"], "RFC8259-4",
            ("token", Self.answer(200, #"{"access_token":"a","token_type":"Bearer","\u0061ccess_token":"b"}"#))
        ),
        (
            "scope", "an answer with a scope that has a quote", ["threat-30"], "RFC6749-3.3",
            ("token", Self.answer(200, #"{"access_token":"a","token_type":"Bearer","scope":"\""}"#))
        ),
        (
            "error-empty", "an answer that refuses for no reason", ["AST-6"], "RFC6749-3.1",
            ("token", Self.answer(400, #"{"error":""}"#))
        ),
        (
            "error-missing", "an answer that refuses without a word", ["AST-6"], "RFC6749-3.1",
            ("token", Self.answer(400, "{}"))
        ),
        (
            "introspection-text", "an answer that is active by a word", ["threat-34"], "RFC6749-3.1",
            ("introspection", Self.answer(200, #"{"active":"true"}"#))
        ),
        (
            "introspection-silent", "an answer that does not say whether it is active", ["threat-34"], "RFC6749-3.1",
            ("introspection", Self.answer(200, "{}"))
        ),
    ]

    private static let introductions: [Row<JSON.Object>] = [
        ("authorization", "an assertion, and where to redeem it", ["AST-1"], nil, [:]),
        (
            "authorization-client", "an assertion for a client that the service knows by its own name", ["threat-77"],
            nil, ["client_id": "phone-at-service"]
        ),
        (
            "authorization-issuer", "an answer by another server", ["threat-25"], "RFC9207-2.4",
            ["iss": "https://evil.example"]
        ),
        ("authorization-no-issuer", "an answer by nobody", ["threat-25"], "RFC9207-2.4", ["iss": .null]),
        ("authorization-state", "an answer to another question", ["threat-25"], "RFC6749-10.12", ["state": "s-2"]),
        ("authorization-no-state", "an answer to no question", ["threat-25"], "RFC6749-10.12", ["state": .null]),
        (
            "authorization-plain-http", "an answer that leads to a place without encryption", ["AST-1", "threat-40"],
            "RFC6749-3.2", ["redirect_uri": "http://service.example/token"]
        ),
        (
            "authorization-no-place", "an answer that does not say where to redeem the assertion", ["AST-1"],
            "RFC6749-3.1", ["redirect_uri": .null]
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
