import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("RFC 8414 and RFC 9728: what a server says about itself")
struct MetadataTests {
    static func server(_ issuer: String = "https://eduid.example.ch/a") throws -> ServerDescription {
        try ServerDescription(
            Issuer.of(issuer),
            endpoints: [
                .token: Part.url("https://eduid.example.ch/a/token"),
                .authorization: Part.url("https://eduid.example.ch/a/authorize"),
                .authorizationChallenge: Part.url("https://eduid.example.ch/a/authorize-challenge"),
                .keys: Part.url("https://eduid.example.ch/a/jwks"),
                .revocation: Part.url("https://eduid.example.ch/a/revoke"),
                .introspection: Part.url("https://eduid.example.ch/a/introspect"),
                .userinfo: Part.url("https://eduid.example.ch/a/userinfo"),
            ], grants: [.clientCredentials, .authorizationCode, .refreshToken], scopes: Scope(parsing: "profile openid")
        )
    }

    @Test("RFC 8414 §3.1, RFC 9728 §3.1: where metadata lie", .proves("RFC8414-3.1"))
    func locations() throws {
        func location(_ issuer: String, _ document: ServerDescription.Document = .authorizationServer) throws -> String
        {
            try ServerDescription(Issuer.of(issuer)).location(of: document).text
        }
        let place = "https://example.com/.well-known/oauth-authorization-server"
        #expect(try location("https://example.com") == place)
        #expect(try location("https://example.com/") == place)
        #expect(try location("https://example.com/issuer1") == place + "/issuer1")
        #expect(try location("https://example.com/issuer1/") == place + "/issuer1")
        #expect(
            try location("https://example.com:8443/a/b")
                == "https://example.com:8443/.well-known/oauth-authorization-server/a/b")
        let resource = "https://example.com/.well-known/oauth-protected-resource"
        #expect(try location("https://example.com/", .protectedResource) == resource)
        #expect(try location("https://example.com/r", .protectedResource) == resource + "/r")
        #expect(try location("https://example.com/r/", .protectedResource) == resource + "/r/")
    }

    @Test("RFC 8414 §2: issuer identifiers have no query, no fragment, and https", .proves("RFC8414-2"))
    func issuers() {
        func refused(_ issuer: String) -> ParameterRejection? {
            rejection { () throws(ParameterRejection) in try ServerDescription(Issuer.of(issuer)) }
        }
        #expect(refused("https://example.com/?x=1") == .issuerIdentifier("https://example.com/?x=1"))
        #expect(refused("https://example.com/#x") == .issuerIdentifier("https://example.com/#x"))
        #expect(refused("http://example.com/") == .issuerIdentifier("http://example.com/"))
        #expect(refused("http://localhost:8080/") == nil)
        #expect(refused("example.com") == .url("issuer", .relative))
        #expect(refused("https://u:p@example.com/") == .url("issuer", .userInformation(offset: 8)))
    }

    @Test("RFC 8414 §3.2: one description, written and read", .proves("RFC8414-3.2"))
    func authorizationServer() throws {
        let server = try Self.server()
        let response = server.authorizationServerMetadata()
        #expect(response.status == .ok)
        #expect(response.fields.value(of: .contentType) == .once("application/json"))
        #expect(response.fields.value(of: .cacheControl) == .once("max-age=3600"))
        #expect(try ServerDescription(authorizationServer: server.issuer, parsing: response) == server)
        let members = try #require(try JSON(parsing: response.body).object)
        #expect(members["issuer"] == "https://eduid.example.ch/a")
        #expect(members["response_types_supported"] == ["code"])
        #expect(members["grant_types_supported"] == ["client_credentials", "authorization_code", "refresh_token"])
        #expect(members["code_challenge_methods_supported"] == ["S256"])
        #expect(members["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
        #expect(members["authorization_response_iss_parameter_supported"] == true)
        let service = try ServerDescription(
            Issuer.of("https://moodle.example.ch/"), grants: [.jwtBearer], algorithms: [])
        let bare = try #require(try JSON(parsing: service.authorizationServerMetadata().body).object)
        #expect(bare["token_endpoint_auth_methods_supported"] == ["none"])
        #expect(bare["token_endpoint_auth_signing_alg_values_supported"] == nil)
        #expect(bare["response_types_supported"] == [])
        #expect(bare["authorization_response_iss_parameter_supported"] == false)
        #expect(bare["authorization_endpoint"] == nil)
    }

    @Test("RFC 9728 §3.2: the same as a protected resource", .proves("RFC9728-3.2"))
    func protectedResource() throws {
        let server = try Self.server()
        let response = server.protectedResourceMetadata(authorizedBy: [
            server.issuer, Issuer.of("https://other.example/"),
        ])
        let (read, servers) = try ServerDescription.protectedResource(server.issuer, parsing: response)
        #expect(servers.map(\.text) == ["https://eduid.example.ch/a", "https://other.example/"])
        #expect(read.endpoints == [.keys: try Part.url("https://eduid.example.ch/a/jwks")])
        #expect(read.scopes == server.scopes)
        let members = try #require(try JSON(parsing: response.body).object)
        #expect(members["resource"] == "https://eduid.example.ch/a")
        #expect(members["bearer_methods_supported"] == ["header"])
    }

    @Test("RFC 8414 §3.3, RFC 9728 §3.3: metadata of another are nobody's", .proves("RFC8414-3.3"))
    func otherIssuers() throws {
        let response = try Self.server("https://evil.example").authorizationServerMetadata()
        for asked in ["https://good.example", "https://evil.example/", "https://EVIL.example"] {
            #expect(throws: ParameterRejection.issuer(expected: asked, found: "https://evil.example")) {
                try ServerDescription(authorizationServer: Issuer.of(asked), parsing: response)
            }
        }
        let resource = try Self.server("https://evil.example").protectedResourceMetadata(authorizedBy: [])
        #expect(throws: ParameterRejection.issuer(expected: "https://good.example", found: "https://evil.example")) {
            try ServerDescription.protectedResource(Issuer.of("https://good.example"), parsing: resource)
        }
        #expect(throws: ParameterRejection.issuer(expected: "https://good.example", found: nil)) {
            try ServerDescription(authorizationServer: Issuer.of("https://good.example"), parsing: answer("{}"))
        }
    }

    @Test("one fault each", .proves("RFC8414-2"))
    func refusals() throws {
        func refused(_ members: String) throws -> ParameterRejection? {
            let response = try answer(#"{"issuer":"https://a.example"\#(members)}"#)
            return rejection { () throws(ParameterRejection) in
                try ServerDescription(authorizationServer: Issuer.of("https://a.example"), parsing: response)
            }
        }
        #expect(try refused(#","token_endpoint":"http://a.example/t""#) == .insecure("token_endpoint"))
        #expect(try refused(#","token_endpoint":"http://127.0.0.1/t""#) == nil)
        #expect(try refused(#","jwks_uri":"/jwks""#) == .url("jwks_uri", .relative))
        #expect(
            try refused(#","revocation_endpoint":"https://a.example/#r""#) == .fragment("revocation_endpoint"))
        #expect(try refused(#","token_endpoint":1"#) == .wrongType("token_endpoint", found: .number))
        #expect(
            try refused(#","grant_types_supported":"password""#)
                == .wrongType("grant_types_supported", found: .string))
        #expect(try refused(#","scopes_supported":["a b"]"#) == .scope(.foreignCharacter(.scope, offset: 1)))
        #expect(try refused(#","issuer":"https://a.example""#) == .json(.duplicateName(offset: 30)))
        #expect(throws: ParameterRejection.status(.notFound)) {
            try ServerDescription(authorizationServer: Issuer.of("https://a.example"), parsing: answer("{}", .notFound))
        }
    }

    @Test("§2: what is not known is ignored, and what is left out has its default", .proves("RFC8414-2"))
    func unknown() throws {
        let text =
            #"{"issuer":"https://a.example","grant_types_supported":["implicit","password","urn:x"],"x":{"y":1},"signed_metadata":"a.b.c"}"#
        let read = try ServerDescription(authorizationServer: Issuer.of("https://a.example"), parsing: answer(text))
        #expect(read.grants == [.password])
        let bare = try ServerDescription(
            authorizationServer: Issuer.of("https://a.example"), parsing: answer(#"{"issuer":"https://a.example"}"#))
        #expect(bare.grants == [.authorizationCode])
        #expect(bare.algorithms == [])
        #expect(bare.endpoints.isEmpty)
    }
}
