import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 6749 §3.2: requests to token endpoints")
struct TokenRequestTests {
    static func refused(_ request: HTTP.Request) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try TokenRequest(parsing: request) }
    }

    static let registration = Sent([
        "grant_type": "client_credentials", "client_assertion_type": Part.bearer, "client_assertion": Part.signed,
    ])
    static let code = Sent([
        "grant_type": "authorization_code", "code": "SplxlOBeZQQYbYS6WxSbIA", "code_verifier": Part.verifier,
        "client_id": "s6BhdRkqt3",
    ])
    static let app = Sent([
        "grant_type": "authorization_code", "code": Part.signed, "scope": "https://moodle.example.ch/api",
        "req_cnf": #"{"jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}"#,
    ])
    static let service = Sent(["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": Part.signed])
    static let refresh = Sent([
        "grant_type": "refresh_token", "refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA", "scope": "read write",
    ])
    static let password = Sent(["grant_type": "password", "username": "johndoe", "password": "A3ddj3w é+&="])

    @Test(
        "§4.4, RFC 7523 §2.2: client credentials with an assertion among the parameters", .proves("REQ-13"),
        arguments: [false, true])
    func registrationInParameters(isJSON: Bool) throws {
        let read = try TokenRequest(parsing: isJSON ? Self.registration.json : Self.registration.posted)
        #expect(read == .registration(try Part.assertion()))
        #expect(read.grant == .clientCredentials)
        #expect(read.credential == .assertion(try Part.assertion()))
    }

    @Test("§4.4: client credentials with a token in the header, and nothing else", .proves("REQ-13"))
    func registrationInHeader() throws {
        let read = try TokenRequest(
            parsing: Sent(["grant_type": "client_credentials"]).authorized("Bearer \(Part.signed)").posted)
        #expect(read == .change(try Part.token(Part.signed)))
    }

    @Test("an instance that upgrades proves itself beside the version", .proves("RFC6749-4.4"))
    func upgrade() throws {
        let read = try TokenRequest(parsing: Self.registration.adding("instance_assertion", "a.b.c").posted)
        #expect(read == .upgrade(try Part.assertion(), of: try Part.assertion("a.b.c")))
    }

    @Test("§4.1.3: a code with its verifier", .proves("RFC7636-4.5"), arguments: [false, true])
    func plainCode(isJSON: Bool) throws {
        let read = try TokenRequest(parsing: isJSON ? Self.code.json : Self.code.posted)
        #expect(try read.grant == .code(Part.code(), verifier: Secret.CodeVerifier(parsing: Part.verifier)))
        #expect(read.client?.text == "s6BhdRkqt3")
        #expect(read.credential == .none)
        let bare = try TokenRequest(parsing: Self.code.without("code_verifier").posted)
        #expect(try bare.grant == .code(Part.code(), verifier: nil))
    }

    @Test(
        "a code in three parts is one that the client signed, unless a verifier says that this server gave it out",
        .proves("APP-3"))
    func signedCode() throws {
        let read = try TokenRequest(parsing: Self.app.posted)
        #expect(read.grant == .signedCode(try Part.assertion()))
        #expect(try read.scope == Scope(parsing: "https://moodle.example.ch/api"))
        #expect(try read.key?.thumbprint().text == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        let verified = try TokenRequest(parsing: Self.app.adding("code_verifier", Part.verifier).posted)
        #expect(
            try verified.grant == .code(Part.code(Part.signed), verifier: Secret.CodeVerifier(parsing: Part.verifier)))
        for text in ["a.b", "a..c", ".b.c", "a.b.", "a.b.c.d", "a.b.c="] {
            let read = try TokenRequest(parsing: Self.app.with("code", text).posted)
            #expect(try read.grant == .code(Part.code(text), verifier: nil), "\(text)")
        }
    }

    @Test("RFC 9201 §3.1: the wanted key, as an object in a JSON body", .proves("RFC7800-3.2"))
    func keyInJSON() throws {
        var request = try Self.app.json
        let members = #"{"grant_type":"authorization_code","code":"a.b.c","req_cnf":\#(Self.app.pairs[3].value)}"#
        request.body = Array(members.utf8)
        let key = try TokenRequest(parsing: request).key
        #expect(try key == TokenRequest(parsing: Self.app.posted).key)
        #expect(key != nil)
    }

    @Test(
        "RFC 7523 §2.1: an assertion, under the registered name and as deployed clients spell it",
        .proves("RFC7523-2.1"))
    func assertion() throws {
        let read = try TokenRequest(parsing: Self.service.posted)
        #expect(read == .assertion(try Part.assertion(), credential: .none))
        #expect(
            try TokenRequest(
                parsing: Self.service.with("grant_type", "urn:ietf:param:oauth:grant-type:jwt-bearer").posted) == read)
        let written = String(decoding: try read.encoded(to: Part.url()).body, as: UTF8.self)
        #expect(written.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&"))
    }

    @Test("§6: a refresh token, with the scope that is wanted of it", .proves("RFC6749-6"), arguments: [false, true])
    func refreshToken(isJSON: Bool) throws {
        let read = try TokenRequest(parsing: isJSON ? Self.refresh.json : Self.refresh.posted)
        let token = try RefreshToken(parsing: "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(read == .refresh(token, scope: try Scope(parsing: "write read"), credential: .none))
    }

    @Test("§4.3: a password, of any characters", .proves("RFC6749-4.3.2"), arguments: [false, true])
    func passwordGrant(isJSON: Bool) throws {
        let read = try TokenRequest(parsing: isJSON ? Self.password.json : Self.password.posted)
        #expect(try read.grant == .password(UserName(parsing: "johndoe"), Secret.Password(parsing: "A3ddj3w é+&=")))
    }

    @Test("RFC 8707 §2: a service for which the token is wanted", .proves("RFC8707-2"))
    func resource() throws {
        let read = try TokenRequest(parsing: Self.refresh.adding("resource", "https://Moodle.example.ch").posted)
        #expect(try read.resource == WebURL(parsing: "https://moodle.example.ch/"))
    }

    @Test("RFC 9449 §5: a proof binds what is asked for, whatever the client says who it is with", .proves("RFC9449-5"))
    func proof() throws {
        let alone = try TokenRequest(parsing: Self.refresh.field(.dpop, Part.signed).posted)
        #expect(alone.credential == .none)
        #expect(alone.proof == (try Part.assertion()))
        let beside = try TokenRequest(parsing: Self.refresh.authorized("Bearer abc").field(.dpop, Part.signed).posted)
        #expect(beside.credential == .bearer(try Part.token("abc")))
        #expect(beside.proof == (try Part.assertion()))
        let own = try TokenRequest(parsing: Self.refresh.authorized("DPoP abc").field(.dpop, Part.signed).posted)
        #expect(own.credential == .proven(try Part.token("abc"), proof: try Part.assertion()))
        #expect(own.proof == nil)
    }

    @Test("§3.1: a parameter without a value is none, and unknown ones say nothing", .proves("RFC6749-3.1"))
    func emptyAndUnknown() throws {
        let more = Self.refresh.adding("resource", "").adding("code", "x").adding("", "y").adding("\u{e9}", "z")
        #expect(try TokenRequest(parsing: more.posted) == TokenRequest(parsing: Self.refresh.posted))
        #expect(try TokenRequest(parsing: more.json) == TokenRequest(parsing: Self.refresh.posted))
        var request = try Self.refresh.json
        request.body = Array(
            #"{"grant_type":"refresh_token","refresh_token":"r","scope":null,"x":{"y":[1,{"scope":2}]}}"#.utf8)
        #expect(try TokenRequest(parsing: request) == .refresh(RefreshToken(parsing: "r"), credential: .none))
    }

    @Test("the names of media types have no case, and parameters of theirs say nothing", .proves("RFC6749-B"))
    func mediaType() throws {
        #expect(throws: Never.self) {
            try TokenRequest(parsing: Self.refresh.typed("Application/X-WWW-Form-Urlencoded; charset=UTF-8").posted)
        }
    }

    static let faults: [MessageFault<Sent, ParameterRejection>] = [
        .init("no grant type", refresh.without("grant_type"), .missing("grant_type")),
        .init("an empty grant type", refresh.with("grant_type", ""), .missing("grant_type")),
        .init("an unknown grant type", refresh.with("grant_type", "implicit"), .grantType("implicit")),
        .init("a grant type in another case", refresh.with("grant_type", "Refresh_Token"), .grantType("Refresh_Token")),
        .init("no refresh token", refresh.without("refresh_token"), .missing("refresh_token")),
        .init(
            "a refresh token with a space", refresh.with("refresh_token", "a b"),
            .secret(.foreignCharacter(.secret("refresh token"), offset: 1))),
        .init(
            "a refresh token over 16 KiB", refresh.with("refresh_token", Part.longToken),
            .secret(.tooLong(.secret("refresh token"), length: 16_385, limit: 16_384))),
        .init("a scope with two spaces", refresh.with("scope", "a  b"), .scope(.malformed(.scope, offset: 2))),
        .init("no code", code.without("code"), .missing("code")),
        .init("a short verifier", code.with("code_verifier", String(repeating: "a", count: 42)), .verifier),
        .init("a long verifier", code.with("code_verifier", String(repeating: "a", count: 129)), .verifier),
        .init(
            "a verifier with a foreign character", code.with("code_verifier", Part.verifier + "+"),
            .verifier),
        .init(
            "a client id with a line end", code.with("client_id", "a\n"),
            .identifier("client_id", .foreignCharacter(.identifier, offset: 1))
        ),
        .init("no assertion", service.without("assertion"), .missing("assertion")),
        .init(
            "an assertion over 16 KiB", service.with("assertion", Part.longToken),
            .secret(.tooLong(.secret("assertion"), length: 16_385, limit: 16_384))),
        .init("no user name", password.without("username"), .missing("username")),
        .init("no password", password.without("password"), .missing("password")),
        .init(
            "a password with a line end", password.with("password", "a\nb"),
            .secret(.foreignCharacter(.secret("password"), offset: 1))),
        .init(
            "a password over 1 KiB", password.with("password", String(repeating: "p", count: 1_025)),
            .secret(.tooLong(.secret("password"), length: 1_025, limit: 1_024))),
        .init("a relative resource", refresh.adding("resource", "/api"), .url("resource", .relative)),
        .init(
            "a resource with a fragment", refresh.adding("resource", "https://a.example/#x"),
            .fragment("resource")),
        .init(
            "a resource with user information", refresh.adding("resource", "https://u@a.example/"),
            .url("resource", .userInformation(offset: 8))),
        .init(
            "a wanted key by name", app.with("req_cnf", #"{"kid":"x"}"#), .confirmationWithoutKey("req_cnf")
        ),
        .init("a wanted key that is none", app.with("req_cnf", "{}"), .confirmation("req_cnf", .unknownConfirmation)),
        .init(
            "a wanted key with its secret",
            app.with(
                "req_cnf",
                #"{"jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"AA"}}"#),
            .confirmation("req_cnf", .confirmationKey(.secretMember("d")))),
        .init("no media type", refresh.typed(nil), .mediaType(nil)),
        .init("another media type", refresh.typed("text/plain"), .mediaType("text/plain")),
        .init("two media types", refresh.field(.contentType, "application/json"), .mediaType(nil)),
        .init("another method", refresh.method(.put), .method(.put)),
        .init("parameters of a GET", refresh.method(.get), .method(.get)),
        .init(
            "a proof that is none", refresh.field(.dpop, "a b"),
            .secret(.foreignCharacter(.secret("assertion"), offset: 1))),
        .init("two proofs", refresh.field(.dpop, "a").field(.dpop, "a"), .repeatedField(.dpop)),
    ]

    @Test("one fault each", .proves("RFC6749-5.2"), arguments: faults)
    func refusals(fault: MessageFault<Sent, ParameterRejection>) throws {
        #expect(Self.refused(try fault.message.posted) == fault.rejection)
    }

    @Test("the codes by which faults are told", .proves("RFC6749-5.2"), arguments: faults)
    func codes(fault: MessageFault<Sent, ParameterRejection>) throws {
        let expected: OAuth2Error.Code =
            switch fault.rejection {
            case .grantType: .unsupportedGrantType
            case .scope, .scopeEndpoint, .scopeEndpointWithQuery:
                .invalidScope
            case .url("resource", _), .fragment("resource"): .invalidTarget
            default: .invalidRequest
            }
        let response = fault.rejection.refusal.response()
        #expect(fault.rejection.refusal.code == expected)
        #expect(response.status == .badRequest)
        #expect(fault.rejection.description.components(of: "(\(fault.rejection.clause))") == 1, "\(fault.rejection)")
    }

    @Test("members of another type, one fault each", .proves("RFC6749-3.1"))
    func types() throws {
        func refused(_ members: String) throws -> ParameterRejection? {
            Self.refused(try Self.refresh.typed("application/json").carrying(members))
        }
        let start = #"{"grant_type":"refresh_token","refresh_token":"#
        #expect(try refused(start + "1}") == .wrongType("refresh_token", found: .number))
        #expect(try refused(start + #"["r"]}"#) == .wrongType("refresh_token", found: .array))
        #expect(try refused(start + #""r","scope":["a"]}"#) == .wrongType("scope", found: .array))
        #expect(try refused(start + #""r","client_id":true}"#) == .wrongType("client_id", found: .bool))
        #expect(try refused(#"{"grant_type":{}}"#) == .wrongType("grant_type", found: .object))
        #expect(try refused(start + #""r"} "#) == nil)
        #expect(try refused(start + #""r"}}"#) == .json(.trailingContent(offset: 50)))
        #expect(try refused("[]") == .json(.mismatch(at: "$", expected: .object, found: .array)))
    }

    @Test("a body of 64 KiB is read, one byte more is refused", .proves("threat-14"))
    func size() throws {
        let start = "grant_type=refresh_token&refresh_token=r&x="
        let full = start + String(repeating: "x", count: 65_536 - start.utf8.count)
        #expect(throws: Never.self) { try TokenRequest(parsing: Self.refresh.carrying(full)) }
        #expect(Self.refused(try Self.refresh.carrying(full + "x")) == .tooLarge(size: 65_537, limit: 65_536))
        #expect(
            Self.refused(try Self.refresh.typed("application/json").carrying(String(repeating: " ", count: 65_537)))
                == .tooLarge(size: 65_537, limit: 65_536))
    }
}

extension String {
    /// How often a text stands in this one.
    func components(of text: String) -> Int {
        let (all, part) = (Array(utf8), Array(text.utf8))
        guard all.count >= part.count else { return 0 }
        return (0...all.count - part.count).count { all[$0..<$0 + part.count].elementsEqual(part) }
    }
}
