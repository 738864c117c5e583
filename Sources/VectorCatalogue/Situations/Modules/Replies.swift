internal import JOSETesting
internal import Wire

// The answers of the endpoints, as the one who asked reads them.

extension Catalogue {
    mutating func addReplies() {
        add(.reply, "answer-", Self.answers) { endpoint, answer in ["endpoint": endpoint, "answer": answer] }
        add(.reply, "answer-", Self.introductions, Self.introduction)
    }

    private static func answer(_ status: JSON, _ body: String, _ type: JSON = "application/json") -> JSON {
        ["status": status, "headers": ["Content-Type": type, "Cache-Control": "no-store"], "body": .string(body)]
    }

    private static func challenged(_ body: String, _ challenge: String) -> JSON {
        [
            "status": 401, "headers": ["Content-Type": "application/json", "WWW-Authenticate": .string(challenge)],
            "body": .string(body),
        ]
    }

    private static let tokenAnswer =
        #"{"access_token":"a-token","token_type":"Bearer","expires_in":600,"refresh_token":"r","scope":"a b"}"#

    /// The answer to a question for an assertion, with these members changed.
    private static func introduction(_ changes: JSON.Object) -> JSON.Object {
        let body: JSON.Object = [
            "code": .string(anyToken), "redirect_uri": "https://service.example/token", "state": "s-1",
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
        (
            "token-demanding", "a refusal that demands another sign-in", ["FPA-21"], nil,
            (
                "token",
                Self.answer(
                    400,
                    #"{"error":"insufficient_user_authentication","acr_values":"a https://b.example","max_age":600}"#)
            )
        ),
        (
            "token-demanding-oddly", "one whose demand cannot be read", ["FPA-21"], nil,
            (
                "token",
                Self.answer(400, #"{"error":"insufficient_user_authentication","acr_values":"a","max_age":-1}"#)
            )
        ),
        (
            "resource-demanding", "a challenge that demands another sign-in, and a body that does not say so",
            ["FPA-21"], nil,
            (
                "resource",
                Self.challenged(
                    #"{"error":"insufficient_user_authentication"}"#,
                    #"Bearer error="insufficient_user_authentication", acr_values="a b", max_age=0"#)
            )
        ),
        (
            "resource-demanding-otherwise", "a challenge of another error, which demands nothing here", ["FPA-21"], nil,
            (
                "resource",
                Self.challenged(
                    #"{"error":"invalid_token"}"#,
                    #"Bearer error="insufficient_user_authentication", acr_values="a b", max_age=0"#)
            )
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
