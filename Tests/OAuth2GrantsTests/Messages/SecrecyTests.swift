import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("Threat 22: no secret in what is shown", .proves("threat-22"))
struct SecrecyTests {
    /// A text that stands for every secret: whatever shows it gives one away.
    private static let secret =
        "eyJhbGciOiJFZERTQSJ9.c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0.c2VjcmV0LXNlY3JldA"
    private static let marks = ["c2VjcmV0", "Pa55word"]

    private func expectSilence(_ value: Any, _ what: String = "", _ place: SourceLocation = #_sourceLocation) {
        var texts = ["\(value)", String(reflecting: value)]
        var dumped = ""
        dump(value, to: &dumped)
        texts.append(dumped)
        for text in texts {
            for mark in Self.marks {
                #expect(!text.contains(mark), "\(what): \(text)", sourceLocation: place)
            }
        }
    }

    private var credentials: [ClientCredential] {
        get throws {
            [
                .assertion(try Assertion(parsing: Self.secret)), .bearer(try AccessToken(parsing: Self.secret)),
                .proven(try AccessToken(parsing: Self.secret), proof: try Assertion(parsing: Self.secret)),
                .password(try ClientID(parsing: "me"), try Secret.Password(parsing: "Pa55word")),
            ]
        }
    }

    @Test("requests, as they are built and as they are sent")
    func requests() throws {
        let endpoint = try Part.url()
        for credential in try credentials {
            let requests = [
                try TokenRequest.registration(Assertion(parsing: Self.secret)),
                try .upgrade(Assertion(parsing: Self.secret), of: Assertion(parsing: Self.secret)),
                try .code(
                    Secret.AuthorizationCode(parsing: Self.secret),
                    verifier: Secret.CodeVerifier(parsing: Self.secret.replacing("=", with: "")),
                    credential: credential), try .assertion(Assertion(parsing: Self.secret), credential: credential),
                try .app(Assertion(parsing: Self.secret), scope: Scope(parsing: "a"), key: nil, credential: credential),
                try .refresh(RefreshToken(parsing: Self.secret), credential: credential),
                try TokenRequest(parsing: TokenRequestTests.password.with("password", "Pa55word").posted),
            ]
            for request in requests {
                expectSilence(request)
                expectSilence(try request.encoded(to: endpoint).description)
            }
            expectSilence(RevocationRequest(try AccessToken(parsing: Self.secret), credential: credential))
            expectSilence(IntrospectionRequest(try Assertion(parsing: Self.secret), credential: credential))
            expectSilence(
                ChallengeRequest(
                    client: try ClientID(parsing: "me"), user: try UserName(parsing: "me"),
                    password: try Secret.Password(parsing: "Pa55word"),
                    challenge: try #require(ChallengeRequest.CodeChallenge(Part.challenge)), credential: credential))
            expectSilence(AuthorizationRequest(for: endpoint, credential: credential))
        }
    }

    @Test("answers")
    func answers() throws {
        var tokens = TokenResponse(try AccessToken(parsing: Self.secret), .bearer)
        tokens.refreshToken = try RefreshToken(parsing: Self.secret)
        tokens.others = ["id_token": .string(Self.secret)]
        var key = try JWK.Private(SymmetricKey(data: Array("secret-secret-secret-secret-secret".utf8)))
        key.attributes.id = try KeyID(parsing: "k")
        tokens.confirmation = .made(key)
        expectSilence(tokens)
        expectSilence(TokenRequest.Outcome.granted(tokens))
        expectSilence(ChallengeRequest.Outcome.granted(try Secret.AuthorizationCode(parsing: Self.secret)))
        expectSilence(
            try AuthorizationRequest.Response(
                Assertion(parsing: Self.secret), redeemedAt: Part.url(), state: nil, by: AuthorizationTests.issuer))
        var facts = IntrospectionRequest.Outcome.Facts()
        facts.userToken = try AccessToken(parsing: Self.secret)
        facts.others = ["other_token": .string(Self.secret)]
        expectSilence(IntrospectionRequest.Outcome.active(facts))
    }

    @Test("rejections of requests, and what the peer is told, wherever the secret stands")
    func requestRejections() throws {
        let places: [Sent] = [
            TokenRequestTests.refresh.with("grant_type", Self.secret),
            TokenRequestTests.refresh.with("refresh_token", Self.secret + " "),
            TokenRequestTests.refresh.with("scope", Self.secret + "\""),
            TokenRequestTests.refresh.adding("resource", Self.secret),
            TokenRequestTests.refresh.adding(Self.secret, "1").adding(Self.secret, "2"),
            TokenRequestTests.refresh.authorized(Self.secret),
            TokenRequestTests.refresh.authorized("Bearer \(Self.secret) x"),
            TokenRequestTests.refresh.authorized("Basic " + Self.secret),
            TokenRequestTests.refresh.authorized("DPoP " + Self.secret),
            TokenRequestTests.refresh.field(.dpop, Self.secret + " x"),
            TokenRequestTests.refresh.authorized("Bearer \(Self.secret)").authorized("Bearer \(Self.secret)"),
            TokenRequestTests.refresh.adding("client_assertion", Self.secret),
            TokenRequestTests.registration.with("client_assertion_type", Self.secret),
            TokenRequestTests.registration.with("client_assertion", "é" + Self.secret),
            TokenRequestTests.registration.adding("client_secret", "Pa55word"),
            TokenRequestTests.code.with("code_verifier", Self.secret + "+"),
            TokenRequestTests.code.with("code", "é" + Self.secret),
            TokenRequestTests.app.with("req_cnf", Self.secret),
            TokenRequestTests.app.with("req_cnf", #"{"jwk":{"k":"\#(Self.secret)"}}"#),
            TokenRequestTests.password.with("password", "Pa55word\n"),
            TokenRequestTests.password.with("password", "Pa55word").without("username"),
            TokenRequestTests.service.with("assertion", Self.secret + "é").authorized("Bearer \(Self.secret)"),
            TokenRequestTests.refresh.typed(Self.secret),
        ]
        for (index, sent) in places.enumerated() {
            for (form, request) in [try sent.posted, try sent.json].enumerated()
            where form == 0 || sent.contentType == Sent([:]).contentType {
                var rejected: ParameterRejection?
                do throws(ParameterRejection) {
                    _ = try TokenRequest(parsing: request)
                } catch {
                    rejected = error
                }
                guard let rejected else {
                    // As JSON members some are in order, and twice the same name there is told by its place.
                    if form == 0 { Issue.record("case \(index) is in order") }
                    continue
                }
                let body = String(decoding: rejected.refusal.response().body, as: UTF8.self)
                let headers = rejected.refusal.response().fields.map(\.value).joined()
                expectSilence(
                    rejected.description + rejected.refusal.description + body + headers,
                    "case \(index), \(rejected.clause)")
            }
        }
    }

    @Test("rejections of answers")
    func answerRejections() throws {
        let texts = [
            #"{"access_token":"\#(Self.secret) ","token_type":"x"}"#, #"{"access_token":"\#(Self.secret)"}"#,
            #"{"access_token":"\#(Self.secret)","token_type":"x","refresh_token":"é\#(Self.secret)"}"#,
            #"{"access_token":"\#(Self.secret)","token_type":"x","cnf":"\#(Self.secret)"}"#,
            #"{"access_token":"\#(Self.secret)","token_type":"x","cnf":{"jwk":{"kty":"oct","k":"\#(Self.secret)"}}}"#,
            #"{"access_token":"\#(Self.secret)","token_type":"x","expires_in":"\#(Self.secret)"}"#,
            #"{"\#(Self.secret)":1,"\#(Self.secret)":2}"#, #"["\#(Self.secret)"]"#, Self.secret,
        ]
        for text in texts {
            let response = try answer(text)
            let rejected = try #require(
                rejection { () throws(ParameterRejection) in try TokenRequest.Outcome(parsing: response) })
            expectSilence("\(rejected)", text)
        }
    }
}
