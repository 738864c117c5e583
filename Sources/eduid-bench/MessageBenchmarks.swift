import JOSE
import OAuth2Grants
import Wire

/// The answer to a redeemed assertion, and the request for an app's token, with tokens of the length that signed ones
/// have; each beside the format alone, over the same bytes.
func messageBenchmarks() throws -> [Benchmark] {
    let signed =
        "eyJhbGciOiJFZERTQSJ9." + Base64URL.encode(Samples.bytes(330)) + "." + Base64URL.encode(Samples.bytes(64))
    var answered = TokenResponse(try AccessToken(parsing: signed), .proofOfPossession)
    answered.lifetime = 3_600
    answered.refreshToken = try RefreshToken(parsing: Base64URL.encode(Samples.bytes(32)))
    answered.scope = try Scope(parsing: "https://moodle.example.ch/webservice/rest profile")
    answered.confirmation = .held(JWT.Confirmation(keyID: try KeyID(parsing: "key-2026-11")))
    let response = answered
    let answer = TokenRequest.Outcome.granted(response).encoded()
    let tree = try JSON(parsing: answer.body)
    let wanted = try Scope(parsing: "https://moodle.example.ch/webservice/rest")
    let request = try TokenRequest.app(
        Assertion(parsing: signed), scope: wanted, key: nil, credential: .bearer(AccessToken(parsing: signed))
    ).encoded(to: WebURL(parsing: "https://moodle.example.ch/token"))
    var fields = HTTP.Fields()
    for field in request.fields {
        try fields.append(field.name, field.name == .contentType ? "application/json" : field.value)
    }
    let members: JSON = ["grant_type": "authorization_code", "code": .string(signed), "scope": .string(wanted.text)]
    let json = HTTP.Request(.post, request.target, fields: fields, body: members.encoded())
    return [
        Benchmark("oauth-token-response-encode") { response.encoded() }.against("the JSON alone") { tree.encoded() },
        Benchmark("oauth-token-response-parse") { try? TokenRequest.Outcome(parsing: answer) }
            .against("the JSON alone") { try? JSON.Document(parsing: answer.body) },
        Benchmark("oauth-token-request-parse") { try? TokenRequest(parsing: request) }
            .against("the form alone") { try? HTTP.Form(parsing: request.body) },
        Benchmark("oauth-token-request-parse-json") { try? TokenRequest(parsing: json) }
            .against("the JSON alone") { try? JSON.Document(parsing: json.body) },
    ]
}
