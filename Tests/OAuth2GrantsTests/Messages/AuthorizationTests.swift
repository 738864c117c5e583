import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7636: proof key for code exchange")
struct PKCETests {
    @Test("appendix B: the standard's example", .proves("RFC7636-B"))
    func example() throws {
        let verifier = try Secret.CodeVerifier(parsing: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(verifier.challenge.text == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(verifier.challenge.isMet(by: verifier))
        #expect(
            try #require(ChallengeRequest.CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")).isMet(
                by: verifier))
    }

    @Test("a challenge is met by its verifier and by no other, and not by none", .proves("threat-26"))
    func meeting() throws {
        let challenge = try #require(ChallengeRequest.CodeChallenge(Part.challenge))
        #expect(!challenge.isMet(by: nil))
        // What would meet it by the method `plain`.
        #expect(!challenge.isMet(by: try Secret.CodeVerifier(parsing: Part.challenge)))
        #expect(!challenge.isMet(by: try Secret.CodeVerifier(parsing: Part.verifier + "A")))
        var entropy = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let verifier = Secret.CodeVerifier(using: &entropy)
            #expect(!challenge.isMet(by: verifier))
            #expect(verifier.challenge.isMet(by: verifier))
            #expect(verifier.secret.utf8.count == 43)
        }
    }

    @Test("§4.1: a verifier that exists keeps the syntax", .proves("RFC7636-4.1"))
    func syntax() throws {
        func refused(_ text: String) -> SyntaxError? {
            rejection { () throws(SyntaxError) in try Secret.CodeVerifier(parsing: text) }
        }
        let letters = String(repeating: "a", count: 42)
        #expect(refused(letters) == .malformed(.secret("code verifier"), offset: 42))
        #expect(refused(letters + "~") == nil)
        #expect(refused(String(repeating: "-._~", count: 32)) == nil)
        #expect(
            refused(String(repeating: "a", count: 129)) == .tooLong(.secret("code verifier"), length: 129, limit: 128))
        for character in ["+", "/", "=", " ", "é", "%"] {
            #expect(
                refused(letters + character + "a") == .foreignCharacter(.secret("code verifier"), offset: 42),
                "\(character)")
        }
    }

    @Test("§4.2: a challenge is 32 bytes in Base64url and nothing else", .proves("RFC7636-4.2"))
    func challenges() {
        #expect(ChallengeRequest.CodeChallenge(Part.challenge)?.text == Part.challenge)
        // The last has a stray bit in its last character.
        for text in [
            "", "plain", String(Part.challenge.dropLast()), Part.challenge + "A", Part.challenge + "=",
            Part.challenge.dropLast() + "N",
            String(repeating: "+", count: 43),
        ] as [String] {
            #expect(ChallengeRequest.CodeChallenge(text) == nil, "\(text)")
        }
    }
}

@Suite("OAuth 2.0 for First-Party Applications §5: authorization challenge", .proves("RFC6749-3.1"))
struct AuthorizeChallengeTests {
    static let good = Sent([
        "response_type": "code", "client_id": "me", "username": "johndoe", "password": "A3ddj3w",
        "code_challenge": Part.challenge,
        "code_challenge_method": "S256",
    ]).authorized("Bearer t")

    static func refused(_ request: HTTP.Request) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try ChallengeRequest(parsing: request) }
    }

    @Test(
        "credentials with a challenge, as a form, as JSON, and as deployed clients spell it", .proves("REQ-13"),
        arguments: 0..<3)
    func reading(way: Int) throws {
        var sent = Self.good
        if way == 2 { sent = sent.without("response_type").adding("request_type", "code") }
        let read = try ChallengeRequest(parsing: way == 1 ? sent.json : sent.posted)
        let expected = ChallengeRequest(
            client: try ClientID(parsing: "me"), user: try UserName(parsing: "johndoe"),
            password: try Secret.Password(parsing: "A3ddj3w"),
            challenge: try #require(ChallengeRequest.CodeChallenge(Part.challenge)),
            credential: .bearer(try Part.token("t")))
        #expect(read == expected)
        #expect(try ChallengeRequest(parsing: expected.encoded(to: Part.url())) == expected)
        let assertion = Self.good.adding("client_assertion_type", Part.bearer).adding("client_assertion", "a.b.c")
        var bare = assertion
        bare.fields = []
        #expect(try ChallengeRequest(parsing: bare.posted).credential == .assertion(Part.assertion("a.b.c")))
        // A name alone is read; whether that will do is for the service to say.
        let named = try ChallengeRequest(parsing: Self.good.without("password").posted)
        #expect(named.evidence == .credentials(try UserName(parsing: "johndoe"), nil, steps: nil))
    }

    static let faults: [MessageFault<Sent, ParameterRejection>] = [
        .init("no response type", good.without("response_type"), .missing("response_type")),
        .init("another response type", good.with("response_type", "token"), .responseType("token")),
        .init(
            "a response type in both spellings", good.adding("request_type", "code"),
            .repeated("request_type")),
        .init("no user", good.without("username"), .missing("username")),
        .init("no challenge", good.without("code_challenge"), .missing("code_challenge")),
        .init("no method", good.without("code_challenge_method"), .challengeMethod),
        .init("the method plain", good.with("code_challenge_method", "plain"), .challengeMethod),
        .init("the method in another case", good.with("code_challenge_method", "s256"), .challengeMethod),
        .init("a challenge that is none", good.with("code_challenge", "plain"), .challenge),
        .init("a GET", good.method(.get), .method(.get)),
    ]

    @Test("one fault each", .proves("threat-26"), arguments: faults)
    func refusals(fault: MessageFault<Sent, ParameterRejection>) throws {
        #expect(Self.refused(try fault.message.posted) == fault.rejection)
        let isType = fault.rejection == .responseType("token")
        #expect(fault.rejection.refusal.code == (isType ? .unsupportedResponseType : .invalidRequest))
    }

    @Test("the answer: a code, or a refusal", .proves("RFC6749-4.1.2"))
    func answers() throws {
        let granted = ChallengeRequest.Outcome.granted(try Part.code("c1"))
        #expect(String(decoding: granted.encoded().body, as: UTF8.self) == #"{"authorization_code":"c1"}"#)
        expectUncached(granted.encoded())
        #expect(try ChallengeRequest.Outcome(parsing: granted.encoded()) == granted)
        let refused = ChallengeRequest.Outcome.refused(OAuth2Error(.accessDenied, "no"))
        #expect(try ChallengeRequest.Outcome(parsing: refused.encoded()) == refused)
        #expect(throws: ParameterRejection.missing("authorization_code")) {
            try ChallengeRequest.Outcome(parsing: answer("{}"))
        }
        #expect(throws: ParameterRejection.status(.found)) {
            try ChallengeRequest.Outcome(parsing: answer("{}", .found))
        }
    }
}

@Suite("RFC 6749 §4.1, RFC 8707, RFC 9207: service assertions at the authorization endpoint")
struct AuthorizationTests {
    static let good = Sent(["response_type": "code", "resource": "https://moodle.example.ch/", "state": "xyz"])
        .authorized("Bearer t")
    static let issuer = Issuer.of("https://eduid.example.ch/")

    static func refused(_ request: HTTP.Request) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try AuthorizationRequest(parsing: request) }
    }

    static func request(state: String? = "xyz") throws -> AuthorizationRequest {
        AuthorizationRequest(
            for: try Part.url("https://moodle.example.ch/"), state: state, credential: .bearer(try Part.token("t")))
    }

    @Test("§3.1: from a query, a form or JSON, and as deployed clients spell it", .proves("RFC6749-3.1"))
    func reading() throws {
        let expected = try Self.request()
        let legacy = Sent(["request_type": "code", "redirect_uri": "https://moodle.example.ch/", "state": "xyz"])
            .authorized("Bearer t")
        for sent in [Self.good, legacy] {
            #expect(try AuthorizationRequest(parsing: sent.query) == expected)
            #expect(try AuthorizationRequest(parsing: sent.posted) == expected)
            #expect(try AuthorizationRequest(parsing: sent.json) == expected)
        }
        #expect(try AuthorizationRequest(parsing: expected.encoded(to: Part.url())) == expected)
        #expect(try Self.request(state: "") == Self.request(state: nil))
        #expect(try AuthorizationRequest(parsing: Self.good.without("state").query).state == nil)
    }

    @Test("a key for the service alone, and its proof, from a query, a form and JSON", .proves("threat-77"))
    func pairwiseKey() throws {
        let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let sent = Self.good.adding("req_cnf", #"{"jwk":\#(key)}"#).adding("req_proof", "a.b.c")
        var expected = try Self.request()
        expected.key = try JWK(parsing: key)
        #expect(try AuthorizationRequest(parsing: sent.without("req_proof").posted) == expected)
        expected.keyProof = try Part.assertion("a.b.c")
        for request in [try sent.query, try sent.posted, try sent.json, try expected.encoded(to: Part.url())] {
            #expect(try AuthorizationRequest(parsing: request) == expected)
        }
        var (keyless, unproved) = (expected, expected)
        (keyless.key, unproved.keyProof) = (nil, nil)
        #expect(keyless != expected && unproved != expected)
    }

    static let faults: [MessageFault<Sent, ParameterRejection>] = [
        .init("no response type", good.without("response_type"), .missing("response_type")),
        .init("a key that is none", good.adding("req_cnf", "{}"), .confirmation("req_cnf", .unknownConfirmation)),
        .init("a key by name", good.adding("req_cnf", #"{"kid":"x"}"#), .confirmationWithoutKey("req_cnf")),
        .init("two proofs", good.adding("req_proof", "a.b.c").adding("req_proof", "a.b.c"), .repeated("req_proof")),
        .init("the implicit grant", good.with("response_type", "token"), .responseType("token")),
        .init("a hybrid", good.with("response_type", "code token"), .responseType("code token")),
        .init("no service", good.without("resource"), .missing("resource")),
        .init(
            "a service in both spellings", good.adding("redirect_uri", "https://moodle.example.ch/"),
            .repeated("redirect_uri")),
        .init("a service that is no URL", good.with("resource", "moodle"), .url("resource", .relative)),
        .init(
            "a service of another scheme", good.with("resource", "javascript:1"),
            .url("resource", .foreignScheme)),
        .init(
            "a service with a fragment", good.with("resource", "https://a.example/#"), .fragment("resource")
        ),
        .init("the state twice", good.adding("state", "xyz"), .repeated("state")),
    ]

    @Test("one fault each, from a form and from a query", .proves("RFC6749-3.1.1"), arguments: faults)
    func refusals(fault: MessageFault<Sent, ParameterRejection>) throws {
        #expect(Self.refused(try fault.message.posted) == fault.rejection)
        #expect(Self.refused(try fault.message.query) == fault.rejection)
        let expected: OAuth2Error.Code =
            switch fault.rejection {
            case .responseType: .unsupportedResponseType
            case .url, .fragment: .invalidTarget
            default: .invalidRequest
            }
        #expect(fault.rejection.refusal.code == expected)
    }

    @Test("another method is refused", .proves("RFC6749-3.1"))
    func method() throws {
        #expect(Self.refused(try Self.good.method(.head).posted) == .method(.head))
    }

    static func response(
        state: String? = "xyz", by issuer: Issuer = issuer, for client: ClientID? = nil
    ) throws -> AuthorizationRequest.Response {
        AuthorizationRequest.Response(
            try Part.assertion("a.b.c"), redeemedAt: try Part.url(), state: state, by: issuer, for: client)
    }

    private static func rejected(_ response: HTTP.Response, state: String? = "xyz") throws -> ParameterRejection? {
        let request = try request(state: state)
        return rejection { () throws(ParameterRejection) in
            try AuthorizationRequest.Outcome(parsing: response, to: request, by: issuer)
        }
    }

    @Test(
        "the answer is JSON and says where the assertion is redeemed, whose it is and to which request it belongs",
        .proves("AST-1"))
    func answers() throws {
        let granted = AuthorizationRequest.Outcome.granted(try Self.response())
        let http = granted.encoded()
        #expect(http.status == .ok)
        expectUncached(http)
        #expect(
            String(decoding: http.body, as: UTF8.self)
                == #"{"code":"a.b.c","redirect_uri":"https://moodle.example.ch/token","state":"xyz","iss":"https://eduid.example.ch/"}"#
        )
        #expect(try AuthorizationRequest.Outcome(parsing: http, to: Self.request(), by: Self.issuer) == granted)
        let stateless = AuthorizationRequest.Outcome.granted(try Self.response(state: nil))
        #expect(
            try AuthorizationRequest.Outcome(
                parsing: stateless.encoded(), to: Self.request(state: nil), by: Self.issuer)
                == stateless)
        let named = AuthorizationRequest.Outcome.granted(try Self.response(for: ClientID(parsing: "a-name")))
        #expect(String(decoding: named.encoded().body, as: UTF8.self).hasSuffix(#","client_id":"a-name"}"#))
        #expect(
            try AuthorizationRequest.Outcome(parsing: named.encoded(), to: Self.request(), by: Self.issuer) == named)
        #expect(named != granted)
        let refused = AuthorizationRequest.Outcome.refused(OAuth2Error(.invalidTarget, "unknown"))
        #expect(refused.encoded().status == .badRequest)
        #expect(
            try AuthorizationRequest.Outcome(parsing: refused.encoded(), to: Self.request(), by: Self.issuer) == refused
        )
    }

    @Test("RFC 6749 §10.12: an answer with another state belongs to another request", .proves("RFC6749-10.12"))
    func states() throws {
        for other in ["xy", "xyzz", "XYZ", "abc"] {
            #expect(
                try Self.rejected(AuthorizationRequest.Outcome.granted(Self.response(state: other)).encoded())
                    == .state, "\(other)")
        }
        #expect(try Self.rejected(AuthorizationRequest.Outcome.granted(Self.response(state: nil)).encoded()) == .state)
        #expect(
            try Self.rejected(AuthorizationRequest.Outcome.granted(Self.response()).encoded(), state: nil) == .state)
        #expect(
            try Self.rejected(
                AuthorizationRequest.Outcome.granted(Self.response(state: "e\u{301}")).encoded(), state: "\u{e9}")
                == .state)
    }

    @Test("RFC 9207 §2.4: an answer by another issuer is nobody's", .proves("threat-25"))
    func issuers() throws {
        for other in ["https://eduid.example.ch", "https://evil.example/", "https://EDUID.example.ch/"] {
            #expect(
                try Self.rejected(
                    AuthorizationRequest.Outcome.granted(Self.response(by: Issuer(parsing: other))).encoded())
                    == .issuer(expected: Self.issuer.text, found: other))
        }
        let nameless = try answer(#"{"code":"a.b.c","redirect_uri":"https://moodle.example.ch/token","state":"xyz"}"#)
        #expect(try Self.rejected(nameless) == .issuer(expected: Self.issuer.text, found: nil))
    }

    @Test("an answer with one fault", .proves("RFC6749-4.1.2"))
    func brokenAnswers() throws {
        func rejected(_ members: String, _ status: HTTP.Response.Status = .ok) throws -> ParameterRejection? {
            try Self.rejected(answer(#"{"state":"xyz","iss":"https://eduid.example.ch/"\#(members)}"#, status))
        }
        #expect(try rejected(#","code":"a","redirect_uri":"https://a.example/t""#) == nil)
        #expect(try rejected(#","redirect_uri":"https://a.example/t""#) == .missing("code"))
        #expect(try rejected(#","code":"a""#) == .missing("redirect_uri"))
        #expect(try rejected(#","code":"a","redirect_uri":"http://a.example/t""#) == .insecure("redirect_uri"))
        #expect(try rejected(#","code":"a","redirect_uri":"http://127.0.0.1:8080/t""#) == nil)
        #expect(
            try rejected(#","code":"a","redirect_uri":"https://a.example/t#x""#) == .fragment("redirect_uri"))
        #expect(try rejected(#","code":"a","redirect_uri":"https://a.example/t""#, .found) == .status(.found))
    }
}

extension Issuer {
    /// The issuer of a text that is known to be one.
    static func of(_ text: String) -> Issuer {
        guard let issuer = try? Issuer(parsing: text) else { fatalError("\(text) is no issuer") }
        return issuer
    }
}
