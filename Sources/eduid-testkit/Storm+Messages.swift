import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import Wire

extension Storm.Target {
    /// The messages of the endpoints, whose bodies are forms or JSON.
    static let messages = [
        Self(
            "token request",
            [
                "grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c&resource=https%3A%2F%2Fa.example%2F",
                "grant_type=refresh_token&refresh_token=r&scope=a+b&client_id=c&client_secret=s",
                #"{"grant_type":"authorization_code","code":"a.b.c","req_cnf":{"jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}}"#,
            ]
        ) { request($0).flatMap { try? TokenRequest(parsing: $0) } != nil },
        Self(
            "authorization requests",
            [
                "response_type=code&resource=https%3A%2F%2Fa.example%2F&state=x",
                "response_type=code&client_id=c&username=u&password=p&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
                #"{"request_type":"code","redirect_uri":"https://a.example/","client_assertion_type":"urn:ietf:params:oauth:client-assertion-type:jwt-bearer","client_assertion":"a.b.c"}"#,
            ]
        ) { bytes in
            guard let request = request(bytes) else { return false }
            return (try? AuthorizationRequest(parsing: request)) != nil
                || (try? AuthorizeChallengeRequest(parsing: request)) != nil
        },
        Self(
            "revocation and introspection requests",
            ["token=a.b.c&token_type_hint=assertion&client_id=c", #"{"token":"t"}"#]
        ) { bytes in
            guard let request = request(bytes) else { return false }
            return (try? RevocationRequest(parsing: request)) != nil
                || (try? IntrospectionRequest(parsing: request)) != nil
        },
        Self(
            "credential of a request",
            ["Bearer a.b.c", "DPoP a.b.c", "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW", "Basic YSUyNg=="]
        ) { bytes in
            var request = HTTP.Request(.get, .origin)
            guard (try? request.fields.append(HTTP.Field(.authorization, bytes))) != nil else { return false }
            if bytes.count.isMultiple(of: 2) { _ = try? request.fields.append(.dpop, "a.b.c") }
            return (try? ClientCredential(headerOf: request)) != nil
        },
        Self(
            "token answer",
            [
                #"{"access_token":"t","token_type":"PoP","expires_in":3600,"refresh_token":"r","scope":"a b","cnf":{"kid":"k"},"x":null}"#,
                #"{"access_token":"t","token_type":"PoP","cnf":{"jwk":{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw","kid":"k"}}}"#,
            ]
        ) { (try? TokenOutcome(parsing: answer($0))) != nil },
        Self("refusal", [#"{"error":"invalid_grant","error_description":"no","error_uri":"https://a.example/"}"#]) {
            bytes in
            (try? TokenOutcome(parsing: answer(bytes, .badRequest))) != nil
        },
        Self(
            "introspection answer",
            [
                #"{"active":true,"iss":"https://a.example/","sub":"s","aud":["b"],"exp":1.5,"iat":1,"jti":"j","scope":"a","user_token":"u"}"#
            ]
        ) { (try? IntrospectionResponse(parsing: answer($0))) != nil },
        Self(
            "authorization answer",
            [#"{"code":"a.b.c","redirect_uri":"https://a.example/token","state":"x","iss":"https://a.example/"}"#]
        ) { bytes in
            guard let issuer = try? Issuer(parsing: "https://a.example/"),
                let resource = try? WebURL(parsing: issuer.text)
            else {
                return false
            }
            let request = AuthorizationRequest(for: resource, state: "x", credential: .none)
            return (try? AuthorizationOutcome(parsing: answer(bytes), to: request, by: issuer)) != nil
        },
        Self(
            "server metadata",
            [
                #"{"issuer":"https://a.example/","token_endpoint":"https://a.example/t","jwks_uri":"https://a.example/k","scopes_supported":["a"],"grant_types_supported":["password"]}"#,
                #"{"resource":"https://a.example/","authorization_servers":["https://b.example/"],"scopes_supported":["a"]}"#,
            ]
        ) { bytes in
            guard let issuer = try? Issuer(parsing: "https://a.example/") else { return false }
            return (try? ServerDescription(authorizationServer: issuer, parsing: answer(bytes))) != nil
                || (try? ServerDescription.protectedResource(issuer, parsing: answer(bytes))) != nil
        },
        Self("scope", ["openid https://a.example/x profile", "a"]) { (try? Scope(parsing: $0)) != nil },
    ]

    private static func request(_ body: [UInt8]) -> HTTP.Request? {
        var request = HTTP.Request(.post, .origin, body: body)
        let type = body.first == UInt8(ascii: "{") ? HTTP.MediaType.json : .form
        return (try? request.fields.append(.contentType, type.text)) == nil ? nil : request
    }

    private static func answer(_ body: [UInt8], _ status: HTTP.Response.Status = .ok) -> HTTP.Response {
        HTTP.Response(status, body: body)
    }

    /// Signed statements, whose samples are in order: what is accepted of the mutations is believed.
    static let signedTokens = [
        Self("access token", SignedSamples.made.map { [$0.access] } ?? [""]) { bytes in
            guard let samples = SignedSamples.made, let token = try? AccessToken(parsing: bytes) else { return false }
            return samples.believes(token)
        },
        Self("presented token", SignedSamples.made.map { [$0.access, $0.request] } ?? [""]) { bytes in
            guard let samples = SignedSamples.made, let token = try? AccessToken(parsing: bytes) else { return false }
            return samples.opens(token)
        },
        Self("DPoP proof", SignedSamples.made.map { [$0.proof] } ?? [""]) { bytes in
            guard let samples = SignedSamples.made, let proof = try? Assertion(parsing: bytes) else { return false }
            return samples.isProof(proof)
        },
        Self("request token of an app", SignedSamples.made.map { [$0.appRequest] } ?? [""]) { bytes in
            guard let samples = SignedSamples.made, let token = try? Assertion(parsing: bytes) else { return false }
            return samples.registers(token)
        },
    ]

    /// What comes from other apps of the device, and what an app stored itself.
    static let device = [
        Self(
            "request between apps",
            [
                #"{"client_id":"device-7","app_id":"ch.example.reader","app_name":"Reader","protocols":["org.example.reading"],"single":true,"token":"a.b.c"}"#
            ]
        ) { (try? ProtocolRequest(parsing: $0)) != nil },
        Self(
            "answer between apps",
            [
                #"[{"engineLink":"","homePageLink":"https://a.example","apis":{"org.ietf.oauth2":{"apiLink":"o/"}},"authorization":{"access_token":"t"}}]"#,
                #"{"services":[{"engineLink":"","apis":{},"token":"{\"access_token\":\"t\"}"}]}"#,
                #"{"https://a.example":{"engineLink":"","apis":{"x":{"apiLink":"x","authorization":"{}"}}}}"#,
            ]
        ) { (try? ProtocolResponse(parsing: $0)) != nil },
        Self(
            "state of an app", [#"{"nail":1,"digest":"","state":{"keys":[],"services":[]}}"#, NAILState().serialized()]
        ) { bytes in
            guard let state = try? NAILState(parsing: String(decoding: bytes, as: UTF8.self)) else { return false }
            return (try? NAILState(parsing: state.serialized())) != nil
        },
    ]
}

extension HTTP.Request.Target {
    /// The target of all requests here.
    fileprivate static var origin: Self {
        guard let target = try? HTTP.Request.Target(parsing: "/") else { preconditionFailure("a slash is a path") }
        return target
    }
}

/// One token of each kind by one key, and the checks that believe them.
private struct SignedSamples {
    static let made = try? SignedSamples()

    let access: String
    let request: String
    let proof: String
    let appRequest: String

    private let now = Timestamp(seconds: 1_700_000_000)
    private let url: WebURL
    private let issuer: Issuer
    private let accessToken: AccessToken
    private let keys: [VerificationKey]
    private let bound: BoundKey
    private let version: AppVersion

    init() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0) })
        let (id, client) = (try KeyID(parsing: "k"), try ClientID(parsing: "0f8fad5b-d9cb-469f-a165-70867728950e"))
        let signing = SigningKey(pair, id: id)
        let holder = BoundKey.Holder.client(client)
        url = try WebURL(parsing: "https://a.example/api")
        issuer = try Issuer(parsing: "https://a.example/")
        keys = [VerificationKey(pair.publicKey, id: id, issuer: issuer).prepared()]
        bound = try BoundKey(JWK(pair.publicKey), id: id, of: holder).prepared()
        version = try AppVersion(.iOS, .init(parsing: "1.0"), appName: issuer, keyID: id, key: JWK(pair.publicKey))
        var chance = Chance(state: 1)
        accessToken = try JWTAccessToken.Issuance(with: signing, of: issuer).token(
            JWTID(parsing: "j"), about: Subject(parsing: "s"), for: client, to: issuer, scope: Scope(parsing: "a"),
            boundTo: .key(JWK(pair.publicKey), id: id), lifetime: .seconds(600), at: now)
        access = accessToken.secret
        request = try RequestToken.Issuance(with: signing, of: holder).token(for: url, at: now, using: &chance).secret
        proof = try DPoPProof.Issuance(with: pair).proof(for: .get, to: url, with: accessToken, at: now, using: &chance)
            .secret
        appRequest = try AppRequestToken.signed(
            with: signing, of: issuer, instance: client,
            on: Device(
                id: .init(parsing: "d"), name: .init(parsing: "n"), type: .init(parsing: "t"),
                systemVersion: .init(parsing: "18")),
            to: issuer, binding: JWK(pair.publicKey), issuedAt: now
        ).secret
    }

    func believes(_ token: AccessToken) -> Bool {
        (try? JWTAccessToken(
            checking: UnverifiedToken(parsing: token), by: keys, of: issuer, to: Addressee(issuer), at: now)) != nil
    }

    func opens(_ token: AccessToken) -> Bool {
        (try? Presentation(bearer: token).verified(by: bound, for: .get, requesting: url, at: now)) != nil
    }

    func isProof(_ proof: Assertion) -> Bool {
        (try? Presentation(accessToken, proof: proof).verified(by: bound, for: .get, requesting: url, at: now)) != nil
    }

    func registers(_ token: Assertion) -> Bool {
        (try? AppRequestToken(checking: .init(parsing: token), against: version, to: Addressee(issuer), at: now)) != nil
    }
}
