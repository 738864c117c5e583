import JOSE
import OAuth2Grants
import Wire

/// Whose messages an operation is about, and what these say as JSON, under the names that they have on the wire.
enum MessageEndpoint: String {
    case token
    case challenge
    case authorization
    case revocation
    case introspection
    case resource

    /// What an answer comes to.
    enum Outcome {
        case granted(JSON.Object)
        case refused(OAuth2Error)
    }
}

// MARK: - Requests

extension MessageEndpoint {
    /// What a request says.
    func members(of http: HTTPRequest) throws(RequestRejection) -> JSON.Object {
        var members = JSON.Object()
        switch self {
        case .token:
            let request = try TokenRequest(parsing: http)
            members = request.grant.members
            members.set("client_id", request.client?.text)
            members.set("scope", request.scope?.text)
            members.set("resource", request.resource?.text)
            members.set("jkt", (try? request.key?.thumbprint())?.text)
            members.set("dpop", request.proof?.secret)
            members["credential"] = request.credential.testkitValue
        case .challenge:
            let request = try AuthorizeChallengeRequest(parsing: http)
            members.set("client_id", request.client.text)
            members.set("username", request.user.text)
            members.set("password", request.password.secret)
            members.set("code_challenge", request.challenge.text)
            members["credential"] = request.credential.testkitValue
        case .authorization:
            let request = try AuthorizationRequest(parsing: http)
            members.set("resource", request.resource.text)
            members.set("state", request.state)
            members["credential"] = request.credential.testkitValue
        case .revocation:
            let request = try RevocationRequest(parsing: http)
            members.set("token", request.token.secret)
            members.set("token_type_hint", request.hint?.text)
            members.set("client_id", request.client?.text)
            members["credential"] = request.credential.testkitValue
        case .introspection:
            let request = try IntrospectionRequest(parsing: http)
            members.set("token", request.token.secret)
            members["credential"] = request.credential.testkitValue
        case .resource:
            members["credential"] = try ClientCredential(headerOf: http).testkitValue
        }
        return members
    }

    /// The request that these members describe.
    func request(_ input: Input, to url: WebURL) throws -> HTTPRequest {
        let credential = try ClientCredential(testkitValue: input["credential"])
        switch self {
        case .token:
            var request = try TokenRequest(input, credential)
            request.client = try input.optionalText("client_id").map { try ClientID(parsing: $0) }
            request.resource = try input.optionalText("resource").map { try WebURL(parsing: $0) }
            return try request.encoded(to: url)
        case .challenge:
            guard let challenge = CodeChallenge(try input.text("code_challenge")) else { throw Fault.missing("code_challenge") }
            return try AuthorizeChallengeRequest(
                client: ClientID(parsing: input.text("client_id")), user: UserName(parsing: input.text("username")),
                password: Password(parsing: input.text("password")), challenge: challenge, credential: credential
            ).encoded(to: url)
        case .authorization:
            return try AuthorizationRequest(
                for: WebURL(parsing: input.text("resource")), state: input.optionalText("state"), credential: credential
            ).encoded(to: url)
        case .revocation:
            return try RevocationRequest(
                AccessToken(parsing: input.text("token")), hint: input.optionalText("token_type_hint").map { .init($0) },
                credential: credential, client: input.optionalText("client_id").map { try ClientID(parsing: $0) }
            ).encoded(to: url)
        case .introspection:
            return try IntrospectionRequest(Assertion(parsing: input.text("token")), credential: credential).encoded(to: url)
        case .resource: throw Fault.unknown("endpoint", value: rawValue)
        }
    }
}

extension TokenRequest {
    fileprivate init(_ input: Input, _ credential: ClientCredential) throws {
        let scope = try input.optionalText("scope").map { try Scope(parsing: $0) }
        let grant = try input.text("grant_type")
        switch grant {
        case "client_credentials":
            switch credential {
            case .assertion(let assertion): self = .registration(assertion)
            case .bearer(let token): self = .change(token)
            default: throw Fault.missing("credential")
            }
        case "authorization_code":
            if let verifier = try input.optionalText("code_verifier") {
                self = .code(
                    try AuthorizationCode(parsing: input.text("code")), verifier: try CodeVerifier(parsing: verifier),
                    credential: credential)
            } else {
                self = .app(try Assertion(parsing: input.text("code")), scope: scope ?? Scope(), key: nil, credential: credential)
            }
        case "refresh_token":
            self = .refresh(try RefreshToken(parsing: input.text("refresh_token")), scope: scope, credential: credential)
        case "urn:ietf:params:oauth:grant-type:jwt-bearer":
            self = .assertion(try Assertion(parsing: input.text("assertion")), credential: credential)
        default: throw Fault.unknown("grant_type", value: grant)
        }
    }
}

extension TokenRequest.Grant {
    fileprivate var members: JSON.Object {
        switch self {
        case .clientCredentials: ["grant_type": "client_credentials"]
        case .code(let code, let verifier):
            [
                "grant_type": "authorization_code", "code": .string(code.secret),
                "code_verifier": verifier.map { .string($0.secret) } ?? .null,
            ]
        case .signedCode(let code): ["grant_type": "authorization_code", "signed_code": .string(code.secret)]
        case .assertion(let assertion):
            ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": .string(assertion.secret)]
        case .refresh(let token): ["grant_type": "refresh_token", "refresh_token": .string(token.secret)]
        case .password(let name, let password):
            ["grant_type": "password", "username": .string(name.text), "password": .string(password.secret)]
        }
    }
}

extension ClientCredential {
    /// `{"type": "none" | "assertion" | "bearer" | "dpop" | "password", …}`.
    fileprivate var testkitValue: JSON {
        switch self {
        case .none: ["type": "none"]
        case .assertion(let assertion): ["type": "assertion", "client_assertion": .string(assertion.secret)]
        case .bearer(let token): ["type": "bearer", "token": .string(token.secret)]
        case .proven(let token, let proof): ["type": "dpop", "token": .string(token.secret), "proof": .string(proof.secret)]
        case .password(let client, let password):
            ["type": "password", "client_id": .string(client.text), "client_secret": .string(password.secret)]
        }
    }

    fileprivate init(testkitValue: JSON?) throws {
        func text(_ name: JSON.Name) throws(Fault) -> String {
            guard let text = testkitValue?[name]?.string else { throw .missing(name.text) }
            return text
        }
        switch testkitValue?["type"]?.string ?? "none" {
        case "none": self = .none
        case "assertion": self = .assertion(try Assertion(parsing: text("client_assertion")))
        case "bearer": self = .bearer(try AccessToken(parsing: text("token")))
        case "dpop": self = .proven(try AccessToken(parsing: text("token")), proof: try Assertion(parsing: text("proof")))
        case "password": self = .password(try ClientID(parsing: text("client_id")), try Password(parsing: text("client_secret")))
        default: throw Fault.missing("credential")
        }
    }
}

// MARK: - Answers

extension MessageEndpoint {
    /// What an answer comes to; that of an authorization endpoint is one to the request whose `resource`, `state` and `issuer` are given.
    func outcome(of http: HTTPResponse, _ input: Input) throws(AnswerRejection) -> Outcome {
        switch self {
        case .token:
            switch try TokenOutcome(parsing: http) {
            case .granted(let response): return .granted(response.members)
            case .refused(let error): return .refused(error)
            }
        case .challenge:
            switch try AuthorizeChallengeOutcome(parsing: http) {
            case .granted(let code): return .granted(["authorization_code": .string(code.secret)])
            case .refused(let error): return .refused(error)
            }
        case .authorization:
            guard let resource = input["resource"]?.string.flatMap({ try? WebURL(parsing: $0) }),
                let issuer = input["issuer"]?.string.flatMap({ try? Issuer(parsing: $0) })
            else { throw .state }
            let request = AuthorizationRequest(for: resource, state: input["state"]?.string, credential: .none)
            switch try AuthorizationOutcome(parsing: http, to: request, by: issuer) {
            case .granted(let response):
                return .granted(["code": .string(response.code.secret), "redirect_uri": .string(response.tokenEndpoint.text)])
            case .refused(let error): return .refused(error)
            }
        case .revocation:
            switch try RevocationOutcome(parsing: http) {
            case .confirmed: return .granted([:])
            case .refused(let error): return .refused(error)
            }
        case .introspection:
            switch try IntrospectionResponse(parsing: http) {
            case .active(let facts): return .granted(facts.members)
            case .inactive: return .granted(["active": false])
            }
        case .resource: return .refused(try OAuth2Error(parsing: http))
        }
    }

    /// The success that these members describe, where they describe one.
    func response(_ granted: JSON) -> HTTPResponse? {
        switch self {
        case .token: return (try? TokenResponse(parsing: granted.encoded()))?.encoded()
        case .challenge:
            guard let code = granted["authorization_code"]?.string.flatMap({ try? AuthorizationCode(parsing: $0) }) else { return nil }
            return AuthorizeChallengeOutcome.granted(code).encoded()
        case .revocation: return RevocationOutcome.confirmed.encoded()
        case .introspection:
            guard let text = try? HTTPResponse.json(granted) else { return nil }
            return (try? IntrospectionResponse(parsing: text))?.encoded()
        case .authorization, .resource: return nil
        }
    }
}

extension HTTPResponse {
    fileprivate static func json(_ value: JSON) throws(HTTPField.Rejection) -> HTTPResponse {
        var fields = HTTPFields()
        try fields.append(.contentType, "application/json")
        return HTTPResponse(.ok, fields: fields, body: value.encoded())
    }
}

extension TokenResponse {
    fileprivate var members: JSON.Object { (try? JSON(parsing: encoded().body))?.object ?? [:] }
}

extension IntrospectionResponse.Facts {
    fileprivate var members: JSON.Object { (try? JSON(parsing: IntrospectionResponse.active(self).encoded().body))?.object ?? [:] }
}

extension JSON.Object {
    fileprivate mutating func set(_ name: JSON.Name, _ text: String?) {
        if let text { self[name] = .string(text) }
    }
}
