import JOSE
import OAuth2Grants
import VectorCatalogue
import Wire

// Messages made of their members.

extension MessageEndpoint {
    /// The request that these members describe.
    func request(_ input: Input, to url: WebURL) throws -> HTTP.Request {
        let credential = try ClientCredential(testkitValue: input["credential"])
        switch self {
        case .token:
            var request = try TokenRequest(input, credential)
            request.client = try input.optionalText("client_id").map { try ClientID(parsing: $0) }
            request.resource = try input.optionalText("resource").map { try WebURL(parsing: $0) }
            return try request.encoded(to: url)
        case .challenge:
            return try challenge(input, credential).encoded(to: url)
        case .authorization:
            return try AuthorizationRequest(
                for: WebURL(parsing: input.text("resource")), state: input.optionalText("state"), credential: credential
            ).encoded(to: url)
        case .revocation:
            return try RevocationRequest(
                AccessToken(parsing: input.text("token")),
                hint: input.optionalText("token_type_hint").map { .init($0) },
                credential: credential, client: input.optionalText("client_id").map { try ClientID(parsing: $0) }
            ).encoded(to: url)
        case .introspection:
            return try IntrospectionRequest(Assertion(parsing: input.text("token")), credential: credential).encoded(
                to: url)
        case .resource: throw Fault.unknown("endpoint", value: rawValue)
        }
    }

    private func challenge(_ input: Input, _ credential: ClientCredential) throws -> ChallengeRequest {
        let client = try ClientID(parsing: input.text("client_id"))
        if let session = try input.optionalText("auth_session") {
            let response: SignInStep.Response =
                if let code = try input.optionalText("otp") {
                    .code(try Secret.OneTimeCode(parsing: code))
                } else {
                    .text(try Secret.StepResponse(parsing: input.text("step_response")))
                }
            let answer = SignInStep.Answer(response, to: try SignInStep.Name(parsing: input.text("step")))
            return ChallengeRequest(
                client: client, answering: answer, in: try Secret.SignInSession(parsing: session),
                credential: credential)
        }
        guard let challenge = ChallengeRequest.CodeChallenge(try input.text("code_challenge")) else {
            throw Fault.missing("code_challenge")
        }
        return ChallengeRequest(
            client: client, user: try UserName(parsing: input.text("username")),
            password: try input.optionalText("password").map { try Secret.Password(parsing: $0) },
            steps: try input.optionalText("steps_supported").map { text in
                try text.split(separator: " ").map { try SignInStep.Name(parsing: String($0)) }
            },
            challenge: challenge, credential: credential)
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
                    try Secret.AuthorizationCode(parsing: input.text("code")),
                    verifier: try Secret.CodeVerifier(parsing: verifier),
                    credential: credential)
            } else {
                self = .app(
                    try Assertion(parsing: input.text("code")), scope: scope ?? Scope(), key: nil,
                    credential: credential)
            }
        case "refresh_token":
            self = .refresh(
                try RefreshToken(parsing: input.text("refresh_token")), scope: scope, credential: credential)
        case "urn:ietf:params:oauth:grant-type:jwt-bearer":
            self = .assertion(try Assertion(parsing: input.text("assertion")), credential: credential)
        default: throw Fault.unknown("grant_type", value: grant)
        }
    }
}

extension ClientCredential {
    fileprivate init(testkitValue: JSON?) throws {
        func text(_ name: JSON.Name) throws(Fault) -> String {
            guard let text = testkitValue?[name]?.string else { throw .missing(name.text) }
            return text
        }
        switch testkitValue?["type"]?.string ?? "none" {
        case "none": self = .none
        case "assertion": self = .assertion(try Assertion(parsing: text("client_assertion")))
        case "bearer": self = .bearer(try AccessToken(parsing: text("token")))
        case "dpop":
            self = .proven(try AccessToken(parsing: text("token")), proof: try Assertion(parsing: text("proof")))
        case "password":
            self = .password(
                try ClientID(parsing: text("client_id")), try Secret.Password(parsing: text("client_secret")))
        default: throw Fault.missing("credential")
        }
    }
}

extension MessageEndpoint {
    /// The success that these members describe, `nil` if they describe none.
    func response(_ granted: JSON) -> HTTP.Response? {
        switch self {
        case .token: return (try? TokenResponse(parsing: granted.encoded()))?.encoded()
        case .challenge:
            guard
                let code = granted["authorization_code"]?.string.flatMap({ try? Secret.AuthorizationCode(parsing: $0) })
            else { return nil }
            return ChallengeRequest.Outcome.granted(code).encoded()
        case .revocation: return RevocationRequest.Outcome.confirmed.encoded()
        case .introspection:
            let headers: JSON = ["Content-Type": "application/json"]
            let text = try? HTTP.Response(
                vector: ["status": 200, "headers": headers, "body": .string(granted.encodedString())])
            return text.flatMap { try? IntrospectionRequest.Outcome(parsing: $0) }?.encoded()
        case .authorization, .resource: return nil
        }
    }
}
