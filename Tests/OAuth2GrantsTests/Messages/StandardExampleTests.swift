import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("The standards' own examples, from Fixtures/oauth/rfc-examples.json")
struct StandardExampleTests {
    private static func examples() throws -> JSON.Object {
        try #require(try JSON(parsing: Repository.fixture("oauth/rfc-examples.json")).object)
    }

    private static func list(_ name: JSON.Name) throws -> [JSON] { try #require(try examples()[name]?.array) }

    private static func request(_ example: JSON) throws -> HTTP.Request {
        var request = HTTP.Request(
            try HTTP.Request.Method(parsing: #require(example["method"]?.string)),
            try HTTP.Request.Target(parsing: #require(example["target"]?.string)),
            body: Array(try #require(example["body"]?.string).utf8))
        for field in try #require(example["fields"]?.object) {
            try request.fields.append(HTTP.Field.Name(parsing: field.name.text), #require(field.value.string))
        }
        return request
    }

    private static func response(_ example: JSON) throws -> HTTP.Response {
        let status = try #require(
            example["status"]?.number?.integer().flatMap { (code: Int) in HTTP.Response.Status(code) })
        var response = HTTP.Response(status, body: example["members"].flatMap { $0.isNull ? nil : $0.encoded() } ?? [])
        for field in try #require(example["fields"]?.object) {
            try response.fields.append(HTTP.Field.Name(parsing: field.name.text), #require(field.value.string))
        }
        return response
    }

    private static func name(_ credential: ClientCredential) -> String {
        switch credential {
        case .none: "nothing"
        case .assertion: "assertion"
        case .bearer: "token"
        case .proven: "proven token"
        case .password: "password"
        }
    }

    private static func name(_ grant: TokenRequest.Grant) -> String {
        switch grant {
        case .clientCredentials: "client credentials"
        case .code(_, let verifier): verifier == nil ? "code" : "verified code"
        case .signedCode: "signed code"
        case .assertion: "assertion"
        case .refresh: "refresh"
        case .password: "password"
        }
    }

    /// What a request says, once it has been read, written and read again.
    private static func reading(_ endpoint: String, _ http: HTTP.Request) throws(ParameterRejection) -> [String] {
        guard let place = try? WebURL(parsing: "https://server.example.com/endpoint") else { return [] }
        switch endpoint {
        case "token":
            let request = try TokenRequest(parsing: http)
            guard let again = try? request.encoded(to: place), try TokenRequest(parsing: again) == request else {
                return []
            }
            return [name(request.grant), name(request.credential)] + (request.proof == nil ? [] : ["bound"])
        case "authorization":
            let request = try AuthorizationRequest(parsing: http)
            guard let again = try? request.encoded(to: place), try AuthorizationRequest(parsing: again) == request
            else { return [] }
            return [request.resource.text, request.state ?? "", name(request.credential)]
        case "revocation":
            let request = try RevocationRequest(parsing: http)
            guard let again = try? request.encoded(to: place), try RevocationRequest(parsing: again) == request else {
                return []
            }
            return [request.hint?.text ?? "", name(request.credential)]
        case "introspection":
            let request = try IntrospectionRequest(parsing: http)
            guard let again = try? request.encoded(to: place), try IntrospectionRequest(parsing: again) == request
            else { return [] }
            return [name(request.credential)]
        default: return [name(try ClientCredential(headerOf: http))]
        }
    }

    @Test("requests are read as what they are, and written again", .proves("RFC6749-3.2"))
    func requests() throws {
        let examples = try Self.list("requests")
        #expect(examples.count == 17)
        for example in examples {
            let section = try #require(example["section"]?.string)
            let endpoint = try #require(example["endpoint"]?.string)
            let request = try Self.request(example)
            var reading: [String]
            do throws(ParameterRejection) {
                reading = try Self.reading(endpoint, request)
            } catch {
                reading = ["refused", error.refusal.code.text]
            }
            #expect(reading == example["reads"]?.array?.compactMap(\.string), "\(section)")
        }
    }

    /// The members in the order of their names, those of members too.
    private static func sorted(_ body: [UInt8]) throws -> JSON { sorted(try JSON(parsing: body)) }

    private static func sorted(_ value: JSON) -> JSON {
        guard let object = value.object else { return value }
        return .object(JSON.Object(object.map { ($0.name, sorted($0.value)) }.sorted { $0.0.text < $1.0.text }))
    }

    @Test("answers are read, and written with the same members", .proves("RFC6749-5.1"))
    func answers() throws {
        let examples = try Self.list("answers")
        #expect(examples.count == 14)
        for example in examples {
            let section = try #require(example["section"]?.string)
            let response = try Self.response(example)
            let reads = example["reads"]?.array?.compactMap(\.string) ?? []
            let again: HTTP.Response?
            switch try #require(example["kind"]?.string) {
            case "tokens": again = try TokenResponse(parsing: response).encoded()
            case "introspection": again = try IntrospectionRequest.Outcome(parsing: response).encoded()
            case "refusal":
                guard case .refused(let error) = try TokenRequest.Outcome(parsing: response) else {
                    throw ParameterRejection.state
                }
                again = error.response()
            case "authorization":
                let request = AuthorizationRequest(
                    for: try WebURL(parsing: "https://service.example/"), state: reads[1], credential: .none)
                again = try AuthorizationRequest.Outcome(parsing: response, to: request, by: Issuer(parsing: reads[0]))
                    .encoded()
            default:
                let error = try OAuth2Error(parsing: response)
                #expect([error.code.text, error.explanation?.text ?? ""] == reads, "\(section)")
                again = nil
            }
            if let again { #expect(try Self.sorted(again.body) == Self.sorted(response.body), "\(section)") }
        }
    }

    @Test("RFC 7800: confirmations", .proves("RFC7800-3.2"))
    func confirmations() throws {
        for example in try Self.list("confirmations") {
            let cnf = try #require(example["cnf"])
            let text = JSON.object(["access_token": "t", "token_type": "PoP", "cnf": cnf]).encoded()
            let response = try TokenResponse(parsing: text)
            #expect(
                try Self.sorted(response.encoded().body) == Self.sorted(text), "\(example["section"]?.string ?? "")")
        }
    }

    @Test("RFC 8414: metadata, where they lie, and whose they are", .proves("RFC8414-3.2"))
    func metadata() throws {
        for example in try Self.list("locations") {
            let server = try ServerDescription(Issuer(parsing: #require(example["issuer"]?.string)))
            #expect(server.location(of: .authorizationServer).text == example["location"]?.string)
        }
        let example = try #require(try Self.examples()["metadata"])
        let response = try answer(try #require(example["members"]).encodedString())
        let server = try ServerDescription(
            authorizationServer: Issuer(parsing: "https://server.example.com"), parsing: response)
        #expect(server.endpoints[.token]?.text == "https://server.example.com/token")
        #expect(server.endpoints[.keys]?.text == "https://server.example.com/jwks.json")
        #expect(server.endpoints[.userinfo]?.text == "https://server.example.com/userinfo")
        #expect(server.endpoints.count == 4)
        #expect(server.grants == [.authorizationCode])
        #expect(try server.scopes == Scope(parsing: "openid profile email address phone offline_access"))
        let impostor = try Issuer(parsing: #require(example["impostor"]?.string))
        #expect(throws: ParameterRejection.issuer(expected: impostor.text, found: "https://server.example.com")) {
            try ServerDescription(authorizationServer: impostor, parsing: response)
        }
    }
}
