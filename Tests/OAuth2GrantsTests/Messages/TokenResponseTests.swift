import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 6749 §5.1: what token endpoints give")
struct TokenResponseTests {
    private static func refused(_ response: HTTP.Response) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try TokenResponse(parsing: response) }
    }

    static let good =
        #"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer","expires_in":3600,"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","scope":"a b"}"#

    @Test("tokens, lifetime and scope, written so that nobody keeps them", .proves("RFC6749-5.1"))
    func writing() throws {
        var response = TokenResponse(try Part.token("2YotnFZFEjr1zCsicMWpAA"), .bearer)
        response.lifetime = 3600
        response.refreshToken = try RefreshToken(parsing: "tGzv3JOkF0XG5Qx2TlKWIA")
        response.scope = try Scope(parsing: "a b")
        let http = TokenRequest.Outcome.granted(response).encoded()
        #expect(http.status == .ok)
        expectUncached(http)
        #expect(http.fields.value(of: .contentType) == .once("application/json"))
        #expect(String(decoding: http.body, as: UTF8.self) == Self.good)
    }

    @Test("all members of an answer, unknown ones too", .proves("RFC6749-5.1"))
    func reading() throws {
        let text = Self.good.dropLast() + #","example_parameter":{"x":[null,""]},"empty":""}"#
        let read = try TokenResponse(parsing: answer(String(text)))
        #expect(read.accessToken == (try Part.token("2YotnFZFEjr1zCsicMWpAA")))
        #expect(read.type == TokenResponse.TokenType("bearer"))
        #expect(read.lifetime == 3600)
        #expect(read.refreshToken == (try RefreshToken(parsing: "tGzv3JOkF0XG5Qx2TlKWIA")))
        #expect(try read.scope == Scope(parsing: "b a"))
        #expect(read.confirmation == nil)
        #expect(read.others == ["example_parameter": ["x": [.null, ""]], "empty": ""])
        #expect(String(decoding: read.encoded().body, as: UTF8.self) == text)
    }

    @Test(
        "what deployed servers send: lifetimes in quotes or with a point, no media type, empty members",
        .proves("RFC6749-5.1"))
    func leniency() throws {
        func lifetime(_ text: String) throws -> Int64? {
            try TokenResponse(
                parsing: answer(#"{"access_token":"t","token_type":"x","expires_in":\#(text)}"#, type: nil)
            ).lifetime
        }
        #expect(try lifetime("3600") == 3600)
        #expect(try lifetime(#""3600""#) == 3600)
        #expect(try lifetime("3600.0") == 3600)
        #expect(try lifetime("0") == 0)
        #expect(try lifetime("null") == nil)
        #expect(try lifetime(#""""#) == nil)
        let empty = try TokenResponse(
            parsing: answer(#"{"access_token":"t","token_type":"x","scope":"","refresh_token":""}"#))
        #expect(empty.scope == nil)
        #expect(empty.refreshToken == nil)
    }

    @Test(
        "RFC 9201 §3.2: the key of a bound token, the holder's own or one that the issuer made", .proves("RFC7800-3.4"))
    func confirmation() throws {
        func confirmed(_ cnf: String) throws -> TokenResponse.Confirmation? {
            try TokenResponse(parsing: answer(#"{"access_token":"t","token_type":"PoP","cnf":\#(cnf)}"#)).confirmation
        }
        guard case .held(let held)? = try confirmed(#"{"kid":"k1"}"#) else { throw ParameterRejection.state }
        #expect(held.keyID?.text == "k1")
        let key = Base64URL.encode([UInt8](repeating: 7, count: 32))
        for cnf in [
            #"{"jwk":{"kty":"oct","k":"\#(key)","kid":"k2"}}"#, #"{"jwk":{"kty":"oct","k":"\#(key)"},"kid":"k2"}"#,
        ] {
            let confirmation = try #require(try confirmed(cnf))
            guard case .made(let made) = confirmation else { throw ParameterRejection.state }
            #expect(made.id?.text == "k2")
            #expect(confirmation.keyID?.text == "k2")
        }
        let nameless = try answer(#"{"access_token":"t","token_type":"PoP","cnf":{"jwk":{"kty":"oct","k":"\#(key)"}}}"#)
        #expect(Self.refused(nameless) == .namelessKey)
    }

    static let faults: [MessageFault<String, ParameterRejection>] = [
        .init("no access token", #"{"token_type":"x"}"#, .missing("access_token")),
        .init("no token type", #"{"access_token":"t"}"#, .missing("token_type")),
        .init(
            "an access token of another type", #"{"access_token":1,"token_type":"x"}"#,
            .wrongType("access_token", found: .number)),
        .init(
            "an access token with a space", #"{"access_token":"a b","token_type":"x"}"#,
            .secret(.foreignCharacter(.secret("access token"), offset: 1))),
        .init(
            "an access token over 16 KiB", #"{"access_token":"\#(Part.longToken)","token_type":"x"}"#,
            .secret(.tooLong(.secret("access token"), length: 16_385, limit: 16_384))),
        .init(
            "a lifetime below zero", #"{"access_token":"t","token_type":"x","expires_in":-1}"#,
            .number("expires_in")),
        .init(
            "a lifetime with a fraction", #"{"access_token":"t","token_type":"x","expires_in":1.5}"#,
            .number("expires_in")),
        .init(
            "a lifetime without end", #"{"access_token":"t","token_type":"x","expires_in":1e99}"#,
            .number("expires_in")),
        .init(
            "a lifetime in words", #"{"access_token":"t","token_type":"x","expires_in":"+5"}"#,
            .number("expires_in")),
        .init(
            "a scope that is none", #"{"access_token":"t","token_type":"x","scope":"\""}"#,
            .scope(.foreignCharacter(.scope, offset: 0))),
        .init(
            "a member twice", #"{"access_token":"t","token_type":"x","access_t\u006fken":"u"}"#,
            .json(.duplicateName(offset: 37))),
        .init(
            "a confirmation that is none", #"{"access_token":"t","token_type":"x","cnf":{}}"#,
            .confirmation("cnf", .unknownConfirmation)),
        .init(
            "a key with an empty secret", #"{"access_token":"t","token_type":"x","cnf":{"jwk":{"kty":"oct","k":""}}}"#,
            .key(.emptySecret)),
        .init("no object", "[]", .json(.mismatch(at: "$", expected: .object, found: .array))),
        .init("no JSON", "access_token=t", .json(.unexpectedByte(0x61, offset: 0, expected: .value))),
        .init("a long body", String(repeating: " ", count: 65_537), .tooLarge(size: 65_537, limit: 65_536)),
    ]

    @Test("one fault each", .proves("RFC6749-5.1"), arguments: faults)
    func refusals(fault: MessageFault<String, ParameterRejection>) throws {
        let response = try answer(fault.message)
        #expect(Self.refused(response) == fault.rejection)
        #expect(
            rejection { () throws(ParameterRejection) in try TokenRequest.Outcome(parsing: response) }
                == fault.rejection)
        #expect(fault.rejection.description.components(of: "(\(fault.rejection.clause))") == 1, "\(fault.rejection)")
    }

    @Test("another status or media type is no answer", .proves("RFC6749-5.1"))
    func statusAndType() throws {
        #expect(Self.refused(try answer(Self.good, .created)) == .status(.created))
        #expect(Self.refused(try answer(Self.good, type: "text/html")) == .answerMediaType("text/html"))
        #expect(
            Self.refused(try answer(Self.good, type: nil, [(.contentType, "application/json"), (.contentType, "a/b")]))
                == .answerMediaType(nil))
    }
}

@Suite("RFC 6749 §5.2: refusals")
struct RefusalTests {
    private static func read(_ response: HTTP.Response) throws -> (OAuth2Error?, ParameterRejection?) {
        do throws(ParameterRejection) {
            switch try TokenRequest.Outcome(parsing: response) {
            case .granted: return (nil, nil)
            case .refused(let error): return (error, nil)
            }
        } catch {
            return (nil, error)
        }
    }

    @Test("code, words and page, written so that nobody keeps them", .proves("RFC6749-5.2"))
    func writing() throws {
        let error = OAuth2Error(
            .invalidGrant, "Audience validation failed", page: try WebURL(parsing: "https://a.example/e"))
        let response = TokenRequest.Outcome.refused(error).encoded()
        #expect(response.status == .badRequest)
        expectUncached(response)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"error":"invalid_grant","error_description":"Audience validation failed","error_uri":"https://a.example/e"}"#
        )
        #expect(response.fields.values(of: .wwwAuthenticate) == [])
        #expect(try Self.read(response).0 == error)
    }

    @Test("statuses, at an endpoint and at a resource", .proves("RFC6750-3.1"))
    func statuses() {
        let expected: [(OAuth2Error.Code, Int, Int)] = [
            (.invalidRequest, 400, 400), (.invalidClient, 401, 401), (.invalidGrant, 400, 400),
            (.unauthorizedClient, 400, 400),
            (.unsupportedGrantType, 400, 400), (.invalidScope, 400, 400), (.accessDenied, 400, 400),
            (.unsupportedResponseType, 400, 400),
            (.serverError, 500, 500), (.temporarilyUnavailable, 503, 503), (.invalidToken, 401, 401),
            (.insufficientScope, 403, 403),
            (.unsupportedTokenType, 400, 400), (.invalidTarget, 400, 400), (.invalidProof, 400, 401),
            (.useNonce, 400, 401),
            (.insufficientAuthorization, 403, 403),
        ]
        for (code, server, resource) in expected {
            #expect(OAuth2Error(code).response().status.code == UInt16(server), "\(code)")
            #expect(OAuth2Error(code).response(at: .resource()).status.code == UInt16(resource), "\(code)")
        }
    }

    @Test("RFC 6750 §3, RFC 9449 §7.1: challenges, and what they tell", .proves("RFC6750-3"))
    func challenges() throws {
        let scope = try Scope(parsing: "https://moodle.example.ch/api")
        let response = OAuth2Error(.insufficientScope, "more is needed").response(at: .resource(scope: scope))
        #expect(response.status == .forbidden)
        expectUncached(response)
        let told =
            #"error="insufficient_scope", error_description="more is needed", scope="https://moodle.example.ch/api""#
        #expect(
            response.fields.values(of: .wwwAuthenticate) == [
                #"Bearer realm="edu-ID", \#(told)"#, #"DPoP algs="EdDSA Ed25519 ES256", \#(told)"#,
            ])
        let client = OAuth2Error(.invalidClient).response()
        #expect(
            client.fields.values(of: .wwwAuthenticate)
                == [
                    #"Bearer realm="edu-ID", error="invalid_client""#,
                    #"DPoP algs="EdDSA Ed25519 ES256", error="invalid_client""#,
                ])
        let bare = OAuth2Error.challengeWithoutToken()
        #expect(bare.status == .unauthorized)
        #expect(bare.body == [])
        expectUncached(bare)
        #expect(
            bare.fields.values(of: .wwwAuthenticate) == [
                #"Bearer realm="edu-ID""#, #"DPoP algs="EdDSA Ed25519 ES256""#,
            ])
        let wide = Scope(try (0..<256).map { try Scope.Token(parsing: String(repeating: "w", count: 100) + "\($0)") })
        #expect(
            OAuth2Error(.insufficientScope).response(at: .resource(scope: wide)).fields.values(of: .wwwAuthenticate)
                .count == 2)
    }

    @Test("RFC 6750 §3: a refusal in the challenge alone, whatever the body is", .proves("RFC6750-3"))
    func challengeAlone() throws {
        let challenge =
            #"Basic, Bearer realm="example", error="invalid_token", error_description="The access token expired""#
        for (body, type) in [("", nil), ("<html>", "text/html"), (#"{"message":"expired"}"#, "application/json")] {
            let error = try OAuth2Error(
                parsing: answer(body, .unauthorized, type: type, [(.wwwAuthenticate, challenge)]))
            #expect(error == OAuth2Error(.invalidToken, "The access token expired"), "\(body)")
        }
        let silent = try answer("", .unauthorized, type: nil, [(.wwwAuthenticate, "Bearer realm=\"x\"")])
        #expect(
            rejection { () throws(ParameterRejection) in try OAuth2Error(parsing: silent) }
                == .json(.unexpectedEnd(offset: 0, expected: .value)))
    }

    @Test(
        "a code that nobody registered is a refusal too, and words of any characters are told", .proves("RFC6749-8.5"))
    func openRegistry() throws {
        let error = try Self.read(
            answer(#"{"error":"slow_down","error_description":"a \"b\"\n\u00e9","error_uri":"nowhere"}"#, .badRequest)
        ).0
        #expect(error?.code.text == "slow_down")
        #expect(error?.explanation?.text == "a 'b'??")
        #expect(error?.page == nil)
    }

    @Test("what is no word on the request is no refusal", .proves("RFC6749-5.2"))
    func noRefusal() throws {
        let refusal = #"{"error":"invalid_grant"}"#
        func refused(_ body: String, _ code: Int) throws -> ParameterRejection? {
            try Self.read(answer(body, try #require(HTTP.Response.Status(code)))).1
        }
        for code in [201, 302, 403, 404, 405, 429, 500, 502, 503] {
            #expect(try refused(refusal, code) == .status(try #require(HTTP.Response.Status(code))), "\(code)")
        }
        #expect(try refused(#"{"error":"temporarily_unavailable"}"#, 400) == .status(.badRequest))
        #expect(try refused(#"{"error":"server_error"}"#, 400) == .status(.badRequest))
        #expect(try refused("{}", 400) == .missing("error"))
        #expect(try refused(#"{"error":7}"#, 400) == .wrongType("error", found: .number))
        #expect(try refused(#"{"error":"a\u0000"}"#, 400) == .error(.foreignCharacter(.error, offset: 1)))
        #expect(try refused(#"{"error":"a","error":"b"}"#, 400) == .json(.duplicateName(offset: 13)))
        #expect(try refused(#"{"error":"insufficient_scope"}"#, 403) == nil)
    }

    @Test("words for the developer are cut off where nobody reads on", .proves("threat-14"))
    func length() {
        #expect(
            OAuth2Error(.invalidRequest, String(repeating: "é", count: 9_000)).explanation?.text.utf8.count == 4_096)
    }
}
