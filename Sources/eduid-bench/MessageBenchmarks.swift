import JOSE
import OAuth2Grants
import Wire

/// Messages of a token endpoint; each beside the format alone, over the same bytes.
func messageBenchmarks() -> [Benchmark] {
    guard let samples = try? MessageSamples() else { preconditionFailure("the samples are messages") }
    let tree = samples.tree
    let (answer, request, json) = (samples.answer, samples.request, samples.jsonRequest)
    return [
        Benchmark("oauth-token-response-encode") { samples.response.encoded() }
            .against("the JSON alone") { tree.encoded() },
        Benchmark("oauth-token-response-parse") { try? TokenRequest.Outcome(parsing: answer) }
            .against("the JSON alone") { try? JSON.Document(parsing: answer.body) },
        Benchmark("oauth-token-request-parse") { try? TokenRequest(parsing: request) }
            .against("the form alone") { try? HTTP.Form(parsing: request.body) },
        Benchmark("oauth-token-request-parse-json") { try? TokenRequest(parsing: json) }
            .against("the JSON alone") { try? JSON.Document(parsing: json.body) },
    ]
}

/// The answer to a redeemed assertion, and the request for an app's token, with tokens of the length that signed ones
/// have.
private struct MessageSamples {
    let response: TokenResponse
    let answer: HTTP.Response
    let tree: JSON
    let request: HTTP.Request
    let jsonRequest: HTTP.Request

    init() throws {
        let signed =
            "eyJhbGciOiJFZERTQSJ9." + Base64URL.encode(Samples.bytes(330)) + "." + Base64URL.encode(Samples.bytes(64))
        var response = TokenResponse(try AccessToken(parsing: signed), .proofOfPossession)
        response.lifetime = 3_600
        response.refreshToken = try RefreshToken(parsing: Base64URL.encode(Samples.bytes(32)))
        response.scope = try Scope(parsing: "https://moodle.example.ch/webservice/rest profile")
        response.confirmation = .held(JWT.Confirmation(keyID: try KeyID(parsing: "key-2026-11")))
        self.response = response
        answer = TokenRequest.Outcome.granted(response).encoded()
        tree = try JSON(parsing: answer.body)
        let credential = ClientCredential.bearer(try AccessToken(parsing: signed))
        let endpoint = try WebURL(parsing: "https://moodle.example.ch/token")
        let wanted = try Scope(parsing: "https://moodle.example.ch/webservice/rest")
        let request = try TokenRequest.app(Assertion(parsing: signed), scope: wanted, key: nil, credential: credential)
            .encoded(
                to: endpoint)
        self.request = request
        var fields = HTTP.Fields()
        for field in request.fields {
            try fields.append(field.name, field.name == .contentType ? "application/json" : field.value)
        }
        let members: JSON = [
            "grant_type": "authorization_code", "code": .string(signed), "scope": .string(wanted.text),
        ]
        jsonRequest = HTTP.Request(.post, request.target, fields: fields, body: members.encoded())
    }
}
