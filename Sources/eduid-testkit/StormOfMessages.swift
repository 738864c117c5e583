import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import VectorCatalogue
import Wire

extension Storm.Target {
    /// The messages of the endpoints, whose bodies are forms or JSON.
    static let messages = [
        Self(
            "token request",
            [
                joined(
                    "grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA&",
                    "code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
                joined(
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c&",
                    "resource=https%3A%2F%2Fa.example%2F"),
                "grant_type=refresh_token&refresh_token=r&scope=a+b&client_id=c&client_secret=s",
                joined(
                    #"{"grant_type":"authorization_code","code":"a.b.c","req_cnf":{"jwk":{"kty":"OKP","#,
                    #""crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}}"#),
            ]
        ) { try TokenRequest(parsing: request($0)) },
        Self(
            "authorization requests",
            [
                "response_type=code&resource=https%3A%2F%2Fa.example%2F&state=x",
                joined(
                    "response_type=code&client_id=c&username=u&password=p&",
                    "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"),
                joined(
                    #"{"request_type":"code","redirect_uri":"https://a.example/","#,
                    #""client_assertion_type":"urn:ietf:params:oauth:client-assertion-type:jwt-bearer","#,
                    #""client_assertion":"a.b.c"}"#),
            ]
        ) { bytes in
            let request = try request(bytes)
            if (try? AuthorizationRequest(parsing: request)) == nil {
                _ = try ChallengeRequest(parsing: request)
            }
        },
        Self(
            "revocation and introspection requests",
            ["token=a.b.c&token_type_hint=assertion&client_id=c", #"{"token":"t"}"#]
        ) { bytes in
            let request = try request(bytes)
            if (try? RevocationRequest(parsing: request)) == nil { _ = try IntrospectionRequest(parsing: request) }
        },
        Self(
            "credential of a request",
            ["Bearer a.b.c", "DPoP a.b.c", "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW", "Basic YSUyNg=="]
        ) { bytes in
            var request = HTTP.Request(.get, .origin)
            try request.fields.append(HTTP.Field(.authorization, bytes))
            if bytes.count.isMultiple(of: 2) { _ = try? request.fields.append(.dpop, "a.b.c") }
            return try ClientCredential(headerOf: request)
        },
        Self(
            "token answer",
            [
                joined(
                    #"{"access_token":"t","token_type":"PoP","expires_in":3600,"refresh_token":"r","#,
                    #""scope":"a b","cnf":{"kid":"k"},"x":null}"#),
                joined(
                    #"{"access_token":"t","token_type":"PoP","cnf":{"jwk":{"kty":"oct","#,
                    #""k":"AAECAwQFBgcICQoLDA0ODw","kid":"k"}}}"#),
            ]
        ) { try TokenRequest.Outcome(parsing: answer($0)) },
        Self("refusal", [#"{"error":"invalid_grant","error_description":"no","error_uri":"https://a.example/"}"#]) {
            bytes in try TokenRequest.Outcome(parsing: answer(bytes, .badRequest))
        },
        Self(
            "introspection answer",
            [
                joined(
                    #"{"active":true,"iss":"https://a.example/","sub":"s","aud":["b"],"exp":1.5,"iat":1,"#,
                    #""jti":"j","scope":"a","user_token":"u"}"#)
            ]
        ) { try IntrospectionRequest.Outcome(parsing: answer($0)) },
        Self(
            "authorization answer",
            [#"{"code":"a.b.c","redirect_uri":"https://a.example/token","state":"x","iss":"https://a.example/"}"#]
        ) { bytes in
            let issuer: Issuer = "https://a.example/"
            let request = AuthorizationRequest(
                for: try WebURL(parsing: issuer.text), state: "x", credential: .none)
            return try AuthorizationRequest.Outcome(parsing: answer(bytes), to: request, by: issuer)
        },
        Self(
            "server metadata",
            [
                joined(
                    #"{"issuer":"https://a.example/","token_endpoint":"https://a.example/t","#,
                    #""jwks_uri":"https://a.example/k","scopes_supported":["a"],"#,
                    #""grant_types_supported":["password"]}"#),
                joined(
                    #"{"resource":"https://a.example/","authorization_servers":["https://b.example/"],"#,
                    #""scopes_supported":["a"]}"#),
            ]
        ) { bytes in
            let issuer: Issuer = "https://a.example/"
            if (try? ServerDescription(authorizationServer: issuer, parsing: answer(bytes))) == nil {
                _ = try ServerDescription.protectedResource(issuer, parsing: answer(bytes))
            }
        },
        Self("scope", ["openid https://a.example/x profile", "a"]) { try Scope(parsing: $0) },
    ]

    private static func request(_ body: [UInt8]) throws -> HTTP.Request {
        var request = HTTP.Request(.post, .origin, body: body)
        let type = body.first == UInt8(ascii: "{") ? HTTP.MediaType.json : .form
        try request.fields.append(.contentType, type.text)
        return request
    }

    private static func answer(_ body: [UInt8], _ status: HTTP.Response.Status = .ok) -> HTTP.Response {
        HTTP.Response(status, body: body)
    }

    /// What comes from other apps of the device, and what an app stored itself.
    static let device = [
        Self(
            "request between apps",
            [
                joined(
                    #"{"client_id":"device-7","app_id":"ch.example.reader","app_name":"Reader","#,
                    #""protocols":["org.example.reading"],"single":true,"token":"a.b.c"}"#)
            ]
        ) { try ProtocolRequest(parsing: $0) },
        Self(
            "answer between apps",
            [
                joined(
                    #"[{"engineLink":"","homePageLink":"https://a.example","#,
                    #""apis":{"org.ietf.oauth2":{"apiLink":"o/"}},"authorization":{"access_token":"t"}}]"#),
                #"{"services":[{"engineLink":"","apis":{},"token":"{\"access_token\":\"t\"}"}]}"#,
                #"{"https://a.example":{"engineLink":"","apis":{"x":{"apiLink":"x","authorization":"{}"}}}}"#,
            ]
        ) { try ProtocolResponse(parsing: $0) },
        Self(
            "state of an app", [#"{"nail":1,"digest":"","state":{"keys":[],"services":[]}}"#, NAILState().serialized()]
        ) { bytes in
            try NAILState(parsing: NAILState(parsing: String(decoding: bytes, as: UTF8.self)).serialized())
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
