import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("OpenID Connect Discovery 1.0: what a provider says about itself")
struct ProviderDescriptionTests {
    static let members: [(name: String, value: String)] = [
        ("issuer", #""https://login.example.ch/""#),
        ("authorization_endpoint", #""https://login.example.ch/authorize""#),
        ("token_endpoint", #""https://login.example.ch/token""#),
        ("userinfo_endpoint", #""https://login.example.ch/userinfo""#),
        ("jwks_uri", #""https://login.example.ch/keyset""#),
        ("pushed_authorization_request_endpoint", #""https://login.example.ch/par""#),
        ("response_types_supported", #"["code"]"#), ("subject_types_supported", #"["pairwise","public"]"#),
        ("id_token_signing_alg_values_supported", #"["RS256"]"#),
        ("token_endpoint_auth_methods_supported", #"["client_secret_basic","private_key_jwt"]"#),
        ("acr_values_supported", #"["password"]"#), ("authorization_response_iss_parameter_supported", "true"),
        ("backchannel_logout_supported", "true"), ("x_unknown", #"{"a":[1]}"#),
    ]

    static func document(_ changes: [String: String] = [:]) -> String {
        let members = members.compactMap { name, value -> String? in
            let value = changes[name] ?? value
            return value.isEmpty ? nil : #""\#(name)":\#(value)"#
        }
        let added = changes.filter { change in !Self.members.contains { $0.name == change.key } }
        return "{" + (members + added.map { #""\#($0.key)":\#($0.value)"# }).joined(separator: ",") + "}"
    }

    static func read(_ response: HTTP.Response, of issuer: String = Login.issuer) throws -> OpenID.ProviderDescription {
        try OpenID.ProviderDescription(of: Issuer(parsing: issuer), parsing: response)
    }

    static func refused(_ response: HTTP.Response, of issuer: String = Login.issuer) throws -> ParameterRejection? {
        let issuer = try Issuer(parsing: issuer)
        return rejection { () throws(ParameterRejection) in
            try OpenID.ProviderDescription(of: issuer, parsing: response)
        }
    }

    @Test("It is found below the issuer identifier, which may end with a slash", .proves("OIC-10"))
    func location() throws {
        func location(_ issuer: String) throws -> String {
            try OpenID.ProviderDescription.location(of: Issuer(parsing: issuer)).text
        }
        let path = "/.well-known/openid-configuration"
        #expect(try location("https://login.eduid.ch/") == "https://login.eduid.ch" + path)
        #expect(try location("https://login.eduid.ch") == "https://login.eduid.ch" + path)
        #expect(try location("https://kc.example/realms/x") == "https://kc.example/realms/x" + path)
        #expect(try location("https://kc.example/realms/x/") == "https://kc.example/realms/x" + path)
        #expect(try location("http://127.0.0.1:8080") == "http://127.0.0.1:8080" + path)
        for odd in ["https://a.example/?x", "https://a.example/#x", "http://a.example/"] {
            let issuer = try Issuer(parsing: odd)
            let found = rejection { () throws(ParameterRejection) in
                try OpenID.ProviderDescription.location(of: issuer)
            }
            #expect(found == .issuerIdentifier(odd))
        }
    }

    @Test("Everything that is needed is read, and what is unknown ignored", .proves("OIC-10"))
    func good() throws {
        let read = try Self.read(answer(Self.document()))
        #expect(read.issuer.text == Login.issuer)
        #expect(read.authorization.text == "https://login.example.ch/authorize")
        #expect(read.token.text == "https://login.example.ch/token")
        #expect(read.keys.text == "https://login.example.ch/keyset")
        #expect(read.userinfo?.text == "https://login.example.ch/userinfo")
        #expect(read.pushedRequests?.text == "https://login.example.ch/par" && !read.demandsPushedRequests)
        #expect(read.algorithms == [.rs256] && read.contextClasses == ["password"])
        #expect(read.authenticationMethods == ["client_secret_basic", "private_key_jwt"])
        #expect(read.promisesIssuer && read.tellsLogout)
        let bare = try Self.read(
            answer(
                Self.document([
                    "userinfo_endpoint": "", "pushed_authorization_request_endpoint": "",
                    "token_endpoint_auth_methods_supported": "", "acr_values_supported": "",
                    "authorization_response_iss_parameter_supported": "", "backchannel_logout_supported": "",
                    "id_token_signing_alg_values_supported": #"["none","RS256","X-1"]"#,
                    "require_pushed_authorization_requests": "true",
                ])))
        #expect(bare.userinfo == nil && bare.pushedRequests == nil && bare.demandsPushedRequests)
        #expect(bare.authenticationMethods == ["client_secret_basic"] && bare.contextClasses == [])
        #expect(!bare.promisesIssuer && !bare.tellsLogout)
        #expect(bare.algorithms.map { $0.name.text } == ["RS256", "X-1"])
    }

    static let faults: [(change: [String: String], rejection: ParameterRejection)] = [
        (
            ["issuer": #""https://login.example.ch""#],
            .issuer(expected: Login.issuer, found: "https://login.example.ch")
        ),
        (
            ["issuer": #""https://LOGIN.example.ch/""#],
            .issuer(expected: Login.issuer, found: "https://LOGIN.example.ch/")
        ),
        (["issuer": ""], .issuer(expected: Login.issuer, found: nil)),
        (["authorization_endpoint": ""], .missing("authorization_endpoint")),
        (["token_endpoint": ""], .missing("token_endpoint")), (["jwks_uri": ""], .missing("jwks_uri")),
        (["response_types_supported": ""], .missing("response_types_supported")),
        (["response_types_supported": #"["id_token","code token"]"#], .codeNotServed),
        (["subject_types_supported": ""], .missing("subject_types_supported")),
        (["id_token_signing_alg_values_supported": ""], .missing("id_token_signing_alg_values_supported")),
        (["token_endpoint": #""http://login.example.ch/token""#], .insecure("token_endpoint")),
        (["jwks_uri": #""https://login.example.ch/keys#a""#], .fragment("jwks_uri")),
        (["userinfo_endpoint": "1"], .wrongType("userinfo_endpoint", found: .number)),
        (
            ["authorization_response_iss_parameter_supported": #""true""#],
            .wrongType("authorization_response_iss_parameter_supported", found: .string)
        ),
    ]

    @Test("Whatever is wrong is refused for that", .proves("OIC-10"), arguments: faults.indices)
    func fault(_ index: Int) throws {
        let fault = Self.faults[index]
        #expect(try Self.refused(answer(Self.document(fault.change))) == fault.rejection)
    }

    @Test("Neither a page, nor a redirect, nor more than 64 KiB", .proves("OIC-10"), .proves("threat-14"))
    func forms() throws {
        #expect(try Self.refused(answer("<html>", type: "text/html")) == .answerMediaType("text/html"))
        #expect(try Self.refused(answer(Self.document(), .found)) == .status(.found))
        let most = Self.document(["x": #""\#(String(repeating: "a", count: 65_536))""#])
        #expect(try Self.refused(answer(most)) == .tooLarge(size: most.utf8.count, limit: 65_536))
        let room = 65_536 - Self.document(["x": #""""#]).utf8.count
        let full = Self.document(["x": #""\#(String(repeating: "a", count: room))""#])
        #expect(full.utf8.count == 65_536)
        #expect(try Self.refused(answer(full)) == nil)
    }
}

@Suite("OpenID Connect Core §3.1.2: requests to a provider")
struct AuthenticationRequestTests {
    static func request(_ seed: UInt64 = 1) throws -> OpenID.AuthenticationRequest {
        var entropy = SeededGenerator(seed: seed)
        return OpenID.AuthenticationRequest(
            by: try ClientID(parsing: Login.client),
            answeredAt: try WebURL(parsing: "https://eduid.example.ch/callback/a"),
            state: OpenID.State(using: &entropy), nonce: OpenID.Nonce(using: &entropy),
            challenge: try Secret.CodeVerifier(parsing: Part.verifier).challenge)
    }

    static func query(_ url: WebURL) throws -> [String: String] {
        let form = try HTTP.Form(parsing: url.query ?? "")
        #expect(Set(form.pairs.map(\.name)).count == form.pairs.count)
        return Dictionary(uniqueKeysWithValues: form.pairs.map { ($0.name, $0.value) })
    }

    @Test("A request has what binds the answer to it, and what was asked", .proves("OIC-4"))
    func location() throws {
        var request = try Self.request()
        let endpoint = try WebURL(parsing: "https://login.example.ch/authorize")
        let plain = [
            "response_type": "code", "scope": "openid", "client_id": Login.client,
            "redirect_uri": "https://eduid.example.ch/callback/a", "state": request.state.secret,
            "nonce": request.nonce.secret, "code_challenge": Part.challenge, "code_challenge_method": "S256",
        ]
        #expect(try Self.query(request.location(at: endpoint)) == plain)
        #expect(try request.location(at: endpoint).path == "/authorize")
        request.scope = try Scope(parsing: "profile openid https://login.eduid.ch/authz/User.Read")
        request.demand = try AuthenticationDemand(
            [Authentication.ContextClass(parsing: Login.mfa), Authentication.ContextClass(parsing: "b")], maximumAge: 0)
        request.prompt = .login
        request.loginHint = "ada & co"
        let more = [
            "scope": "openid profile https://login.eduid.ch/authz/User.Read", "acr_values": Login.mfa + " b",
            "max_age": "0", "prompt": "login", "login_hint": "ada & co",
        ]
        #expect(try Self.query(request.location(at: endpoint)) == plain.merging(more) { $1 })
    }

    @Test("The endpoint's own query stays", .proves("RFC6749-3.1"))
    func ownQuery() throws {
        let request = try Self.request()
        for (endpoint, beginning) in [
            ("https://a.example/x?tenant=1", "https://a.example/x?tenant=1&response_type=code&"),
            ("https://a.example/x?", "https://a.example/x?response_type=code&"),
            ("https://a.example", "https://a.example?response_type=code&"),
        ] {
            #expect(try request.location(at: WebURL(parsing: endpoint)).text.hasPrefix(beginning))
        }
    }

    @Test("State, nonce and browser mark are 256 bits, different ones each time", .proves("OIC-4"))
    func marks() throws {
        let (one, other) = try (Self.request(1), Self.request(2))
        #expect(one.state != other.state && one.nonce != other.nonce && one.state.secret != one.nonce.secret)
        #expect(try Base64URL.decode(one.state.secret).count == 32)
        #expect(one.state.imprint != other.state.imprint)
        #expect(OpenID.Imprint(one.state.imprint.text) == one.state.imprint)
        // The SHA-256 of 43 times the letter n, by `hashlib` of Python.
        #expect(try Login.imprint().text == "aSC5Xp-HNsKU0lQRgfKps70vF0F4oDAc0LbrxuASjOo")
        #expect(OpenID.Imprint("x") == nil && OpenID.Imprint(String(repeating: "A", count: 44)) == nil)
    }

    @Test("A context class with a space in it would be two", .proves("OIC-4"))
    func spaces() throws {
        let name = try Authentication.ContextClass(parsing: "a b")
        let found = rejection { () throws(ParameterRejection) in try AuthenticationDemand([name]) }
        #expect(found == .identifier("acr_values", .foreignCharacter(.identifier, offset: 1)))
    }

    @Test("A request that is left at the provider goes by its name", .proves("OIC-7"))
    func pushed() throws {
        let request = try Self.request()
        let sent = try request.pushed(
            to: WebURL(parsing: "https://login.example.ch/par"), by: .assertion(Part.assertion()))
        #expect(sent.method == .post && sent.target.path == "/par")
        let form = try HTTP.Form(parsing: sent.body)
        #expect(form.value(of: "client_id") == .once(Login.client))
        #expect(form.value(of: "client_assertion") == .once(Part.signed))
        #expect(form.value(of: "state") == .once(request.state.secret))
        let name = "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c"
        let kept = try OpenID.PushedRequest.Outcome(
            parsing: answer(#"{"request_uri":"\#(name)","expires_in":60}"#, .created))
        guard case .kept(let pushed) = kept else { throw Part.Unexpected() }
        #expect(pushed.uri.secret == name && pushed.lifetime == 60)
        #expect(
            try Self.query(request.location(at: Part.url(), of: pushed))
                == ["client_id": Login.client, "request_uri": name])
    }

    @Test("Other answers keep nothing", .proves("OIC-7"))
    func unkept() throws {
        func refused(_ response: HTTP.Response) -> ParameterRejection? {
            rejection { () throws(ParameterRejection) in try OpenID.PushedRequest.Outcome(parsing: response) }
        }
        let good = #"{"request_uri":"urn:a","expires_in":60}"#
        #expect(try refused(answer(good)) == .status(.ok))
        #expect(try refused(answer(#"{"expires_in":60}"#, .created)) == .missing("request_uri"))
        #expect(try refused(answer(#"{"request_uri":"urn:a"}"#, .created)) == .missing("expires_in"))
        #expect(try refused(answer(#"{"request_uri":"a b","expires_in":6}"#, .created))?.clause == "RFC6749-A")
        #expect(
            try OpenID.PushedRequest.Outcome(parsing: answer(#"{"error":"invalid_client"}"#, .unauthorized))
                == .refused(OAuth2Error(.invalidClient)))
    }
}

extension Part {
    /// Another case of an enumeration than the one that was to come.
    struct Unexpected: Error {}
}

@Suite("OpenID Connect Core §3.1.2.5, RFC 9207: what a browser brings back")
struct CallbackTests {
    static let state = String(repeating: "s", count: 43)
    static let sent = Sent(["state": state, "code": "c-1", "iss": Login.issuer, "session_state": "x"])

    static func refused(_ request: HTTP.Request) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try OpenID.Callback(parsing: request) }
    }

    static func answered(
        _ sent: Sent = sent, to state: String = state, promised: Bool = true
    ) throws -> Result<OpenID.Callback.Answer, ParameterRejection> {
        let (request, imprint) = try (sent.query, OpenID.State(parsing: state).imprint)
        let provider = try Login.provider()
        return Result { () throws(ParameterRejection) in
            try OpenID.Callback(parsing: request).answer(to: imprint, by: provider, promised: promised)
        }
    }

    @Test("An answer to the request, by the provider that was asked, gives its code", .proves("OIC-5"))
    func code() throws {
        #expect(try Self.answered().get() == .code(Secret.AuthorizationCode(parsing: "c-1")))
        #expect(try Self.answered(promised: false).get() == .code(Secret.AuthorizationCode(parsing: "c-1")))
        #expect(try OpenID.Callback(parsing: Self.sent.query).state.secret == Self.state)
    }

    @Test("An answer to another request gives nothing", .proves("OIC-5"))
    func state() throws {
        #expect(try Self.answered(to: String(repeating: "t", count: 43)).rejection == .state)
    }

    @Test("Whoever answers names itself as promised, and never otherwise", .proves("OIC-5"))
    func issuer() throws {
        let silent = Self.sent.without("iss")
        #expect(try Self.answered(silent).rejection == .issuer(expected: Login.issuer, found: nil))
        #expect(try Self.answered(silent, promised: false).rejection == nil)
        for isPromised in [true, false] {
            for found in ["https://b.example/", "https://login.example.ch", "https://LOGIN.example.ch/"] {
                #expect(
                    try Self.answered(Self.sent.with("iss", found), promised: isPromised).rejection
                        == .issuer(expected: Login.issuer, found: found))
            }
        }
    }

    @Test("Errors are taken by the same rules", .proves("OIC-5"))
    func errors() throws {
        let error = Self.sent.without("code").adding("error", "access_denied").adding("error_description", "no")
        #expect(try Self.answered(error).get() == .refused(OAuth2Error(.accessDenied, "no")))
        #expect(try Self.answered(error.without("iss")).rejection == .issuer(expected: Login.issuer, found: nil))
        #expect(try Self.answered(error, to: String(repeating: "t", count: 43)).rejection == .state)
        let odd = Self.sent.without("code").adding("error", "a\"b")
        #expect(try Self.refused(odd.query) == .error(.foreignCharacter(.error, offset: 1)))
    }

    @Test("What is no answer is refused for that", .proves("OIC-5"))
    func faults() throws {
        #expect(try Self.refused(Self.sent.without("state").query) == .missing("state"))
        #expect(try Self.refused(Self.sent.without("code").query) == .missing("code"))
        #expect(try Self.refused(Self.sent.adding("error", "access_denied").query) == .repeated("error"))
        #expect(try Self.refused(Self.sent.adding("state", Self.state).query) == .repeated("state"))
        #expect(try Self.refused(Self.sent.adding("iss", Login.issuer).query) == .repeated("iss"))
        #expect(try Self.refused(Self.sent.posted) == .method(.post))
        let short = SyntaxError.malformed(.secret("state"), offset: 42)
        #expect(try Self.refused(Self.sent.with("state", String(Self.state.dropLast())).query) == .secret(short))
        let long = SyntaxError.tooLong(.secret("state"), length: 44, limit: 43)
        #expect(try Self.refused(Self.sent.with("state", Self.state + "s").query) == .secret(long))
    }
}

@Suite("OpenID Connect Core §3.1.3, §5.3: tokens and userinfo")
struct CodeExchangeTests {
    static func sent(_ credential: OpenID.ClientAuthentication, _ client: String = Login.client) throws -> HTTP.Request
    {
        try OpenID.CodeExchange(
            Secret.AuthorizationCode(parsing: "c-1"), sentTo: WebURL(parsing: "https://eduid.example.ch/callback/a"),
            verifier: Secret.CodeVerifier(parsing: Part.verifier), by: ClientID(parsing: client)
        ).encoded(to: WebURL(parsing: "https://login.example.ch/token"), by: credential)
    }

    static let common = [
        "grant_type": "authorization_code", "code": "c-1", "redirect_uri": "https://eduid.example.ch/callback/a",
        "code_verifier": Part.verifier,
    ]

    static func form(_ request: HTTP.Request) throws -> [String: String] {
        let form = try HTTP.Form(parsing: request.body)
        return Dictionary(uniqueKeysWithValues: form.pairs.map { ($0.name, $0.value) })
    }

    @Test("A code goes with its verifier, its redirect URI, and the client's own statement", .proves("OIC-7"))
    func assertion() throws {
        let request = try Self.sent(.assertion(Part.assertion()))
        #expect(request.method == .post && request.target.path == "/token")
        #expect(request.fields.value(of: .authorization) == .absent)
        #expect(
            try Self.form(request)
                == Self.common.merging([
                    "client_id": Login.client, "client_assertion": Part.signed,
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ]) { $1 })
    }

    @Test("A client's secret goes in the header or in the body, as it is registered", .proves("OIC-7"))
    func secrets() throws {
        let secret = try Secret.Password(parsing: "a:b=c% ü")
        let body = try Self.sent(.secretInBody(secret))
        #expect(
            try Self.form(body)
                == Self.common.merging(["client_id": Login.client, "client_secret": "a:b=c% ü"]) { $1 })
        #expect(body.fields.value(of: .authorization) == .absent)
        let header = try Self.sent(.secretInHeader(secret), "cli:ent")
        #expect(try Self.form(header) == Self.common)
        // `base64.b64encode((quote_plus("cli:ent") + ":" + quote_plus("a:b=c% ü")).encode())` of Python.
        #expect(header.fields.value(of: .authorization) == .once("Basic Y2xpJTNBZW50OmElM0FiJTNEYyUyNSslQzMlQkM="))
    }

    static let tokens = #"{"access_token":"t","token_type":"bearer","id_token":"a.b.c","expires_in":"300","scope":""}"#

    static func refused(_ response: HTTP.Response) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try OpenID.CodeExchange.Outcome(parsing: response) }
    }

    @Test("An answer has both tokens, and the access token is plain", .proves("OIC-7"))
    func answers() throws {
        guard case .granted(let tokens) = try OpenID.CodeExchange.Outcome(parsing: answer(Self.tokens)) else {
            throw Part.Unexpected()
        }
        #expect(tokens.access.secret == "t" && tokens.identity.secret == "a.b.c")
        #expect(
            try OpenID.CodeExchange.Outcome(parsing: answer(#"{"error":"invalid_grant"}"#, .badRequest))
                == .refused(OAuth2Error(.invalidGrant)))
        #expect(try Self.refused(answer(Self.tokens.replacing("bearer", with: "DPoP"))) == .tokenType("DPoP"))
        #expect(try Self.refused(answer(#"{"access_token":"t","token_type":"Bearer"}"#)) == .missing("id_token"))
        #expect(try Self.refused(answer(#"{"id_token":"t","token_type":"Bearer"}"#)) == .missing("access_token"))
        #expect(try Self.refused(answer(#"{"id_token":"t","access_token":"a"}"#)) == .missing("token_type"))
    }

    @Test("Neither a redirect, nor a page, nor 65 KiB is an answer", .proves("OIC-7"), .proves("threat-14"))
    func noAnswers() throws {
        #expect(try Self.refused(answer(Self.tokens, .found)) == .status(.found))
        #expect(try Self.refused(answer("<html>", type: "text/html")) == .answerMediaType("text/html"))
        let long = Self.tokens + String(repeating: " ", count: 65 << 10)
        #expect(try Self.refused(answer(long)) == .tooLarge(size: long.utf8.count, limit: 65_536))
        #expect(try Self.refused(answer(#"{"error":"server_error"}"#, .internalServerError))?.clause == "RFC6749-5.2")
    }

    @Test("Userinfo is asked for with the access token", .proves("OIC-9"))
    func userinfoRequest() throws {
        let request = try OpenID.Userinfo.request(
            to: WebURL(parsing: "https://login.example.ch/userinfo"), with: Part.token())
        #expect(request.method == .get && request.fields.value(of: .authorization) == .once("Bearer mF_9.B5f-4.1JqM"))
        #expect(request.body.isEmpty)
    }

    @Test("Userinfo about anybody else is dropped", .proves("OIC-9"))
    func userinfo() throws {
        let subject = try Subject(parsing: "A-1")
        func read(_ response: HTTP.Response) -> Result<OpenID.Userinfo, ParameterRejection> {
            Result { () throws(ParameterRejection) in try OpenID.Userinfo(parsing: response, about: subject) }
        }
        #expect(try read(answer(#"{"sub":"A-1","name":"Ada"}"#)).get().claims == ["name": "Ada"])
        #expect(try read(answer(#"{"sub":"a-1","name":"Ada"}"#)).rejection == .otherSubject)
        #expect(try read(answer(#"{"sub":"A-2","name":"Ada"}"#)).rejection == .otherSubject)
        #expect(try read(answer(#"{"name":"Ada"}"#)).rejection == .missing("sub"))
        #expect(try read(answer("a.b.c", type: "application/jwt")).rejection == .answerMediaType("application/jwt"))
        #expect(try read(answer("{}", .unauthorized)).rejection == .status(.unauthorized))
    }
}
