internal import JOSE
package import OAuth2Grants
package import Wire

/// Whose messages a vector is about, and what these say as JSON, under the names that they have on the wire.
package enum MessageEndpoint: String, Sendable {
    case token
    case challenge
    case authorization
    case revocation
    case introspection
    case resource

    /// What an answer comes to.
    package enum Outcome {
        case granted(JSON.Object)
        case refused(OAuth2Error)
    }
}

// MARK: - Requests

extension MessageEndpoint {
    /// What a request says.
    package func members(of http: HTTP.Request) throws(ParameterRejection) -> JSON.Object {
        switch self {
        case .token:
            let request = try TokenRequest(parsing: http)
            let texts: [(JSON.Name, String?)] = [
                ("client_id", request.client?.text), ("scope", request.scope?.text),
                ("resource", request.resource?.text), ("jkt", (try? request.key?.thumbprint())?.text),
                ("dpop", request.proof?.secret), ("redirect_uri", request.callback?.text),
            ]
            return request.grant.members.with(texts, request.credential)
        case .challenge:
            let request = try ChallengeRequest(parsing: http)
            let texts: [(JSON.Name, String?)] =
                [("client_id", request.client?.text)] + request.evidence.texts
                + [("code_challenge", request.challenge?.text)]
                + [("acr_values", request.demand.text)]
            var members = JSON.Object().with(texts, request.credential)
            members["max_age"] = request.demand.maximumAge.map { .number(JSON.Number($0)) }
            return members
        case .authorization:
            let request = try AuthorizationRequest(parsing: http)
            let texts: [(JSON.Name, String?)] = [
                ("resource", request.resource.text), ("state", request.state),
                ("jkt", (try? request.key?.thumbprint())?.text), ("req_proof", request.keyProof?.secret),
                ("acr_values", request.demand.text),
            ]
            var members = JSON.Object().with(texts, request.credential)
            members["max_age"] = request.demand.maximumAge.map { .number(JSON.Number($0)) }
            return members
        case .revocation:
            let request = try RevocationRequest(parsing: http)
            let texts: [(JSON.Name, String?)] = [
                ("token", request.token.secret), ("token_type_hint", request.hint?.text),
                ("client_id", request.client?.text),
            ]
            return JSON.Object().with(texts, request.credential)
        case .introspection:
            let request = try IntrospectionRequest(parsing: http)
            return JSON.Object().with([("token", request.token.secret)], request.credential)
        case .resource:
            return JSON.Object().with([], try ClientCredential(headerOf: http))
        }
    }
}

extension JSON.Object {
    /// The same with the texts that are there, and a credential.
    fileprivate func with(_ texts: [(JSON.Name, String?)], _ credential: ClientCredential) -> JSON.Object {
        var members = self
        for (name, text) in texts { members[name] = text.map { .string($0) } ?? members[name] }
        members["credential"] = credential.vector
        return members
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
    fileprivate var vector: JSON {
        switch self {
        case .none: ["type": "none"]
        case .assertion(let assertion): ["type": "assertion", "client_assertion": .string(assertion.secret)]
        case .bearer(let token): ["type": "bearer", "token": .string(token.secret)]
        case .proven(let token, let proof):
            ["type": "dpop", "token": .string(token.secret), "proof": .string(proof.secret)]
        case .password(let client, let password):
            ["type": "password", "client_id": .string(client.text), "client_secret": .string(password.secret)]
        }
    }
}

// MARK: - Answers

extension MessageEndpoint {
    /// What an answer comes to; that of an authorization endpoint is one to the request whose `resource`, `state` and
    /// `issuer` were asked.
    package func outcome(of http: HTTP.Response, asked: JSON.Object) throws(ParameterRejection) -> Outcome {
        switch self {
        case .token:
            switch try TokenRequest.Outcome(parsing: http) {
            case .granted(let response): return .granted(response.members)
            case .refused(let error): return .refused(error)
            }
        case .challenge:
            switch try ChallengeRequest.Outcome(parsing: http) {
            case .granted(let code): return .granted(["authorization_code": .string(code.secret)])
            case .continued(let continuation):
                return .granted([
                    "error": .string(continuation.error.code.text),
                    "auth_session": .string(continuation.session.secret),
                    "steps": .array(continuation.steps.map { $0.told }),
                ])
            case .browser(let invitation):
                return .granted([
                    "error": .string(OAuth2Error.Code.redirectToWeb.text),
                    "request_uri": .string(invitation.request.secret),
                    "expires_in": .number(JSON.Number(invitation.lifetime)),
                ])
            case .refused(let error): return .refused(error)
            }
        case .authorization:
            guard let resource = asked["resource"]?.string.flatMap({ try? WebURL(parsing: $0) }),
                let issuer = asked["issuer"]?.string.flatMap({ try? Issuer(parsing: $0) })
            else { throw .state }
            let request = AuthorizationRequest(for: resource, state: asked["state"]?.string, credential: .none)
            switch try AuthorizationRequest.Outcome(parsing: http, to: request, by: issuer) {
            case .granted(let response):
                var members: JSON.Object = [
                    "code": .string(response.code.secret), "redirect_uri": .string(response.tokenEndpoint.text),
                ]
                members["client_id"] = response.client.map { .string($0.text) }
                return .granted(members)
            case .refused(let error): return .refused(error)
            }
        case .revocation:
            switch try RevocationRequest.Outcome(parsing: http) {
            case .confirmed: return .granted([:])
            case .refused(let error): return .refused(error)
            }
        case .introspection:
            switch try IntrospectionRequest.Outcome(parsing: http) {
            case .active(let facts): return .granted(facts.members)
            case .inactive: return .granted(["active": false])
            }
        case .resource: return .refused(try OAuth2Error(parsing: http))
        }
    }
}

extension TokenResponse {
    fileprivate var members: JSON.Object { (try? JSON(parsing: encoded().body))?.object ?? [:] }
}

extension IntrospectionRequest.Outcome.Facts {
    fileprivate var members: JSON.Object {
        (try? JSON(parsing: IntrospectionRequest.Outcome.active(self).encoded().body))?.object ?? [:]
    }
}

extension OAuth2Error {
    /// What a peer is told, with the status.
    package var members: JSON.Object {
        var object: JSON.Object = ["error": .string(code.text)]
        if let explanation { object["error_description"] = .string(explanation.text) }
        object["status"] = .number(JSON.Number(status().code))
        object["acr_values"] = demand.text.map { .string($0) }
        object["max_age"] = demand.maximumAge.map { .number(JSON.Number($0)) }
        return object
    }
}

extension ChallengeRequest.Evidence {
    fileprivate var texts: [(JSON.Name, String?)] {
        switch self {
        case .credentials(let user, let password, let steps):
            let known = steps.map { $0.map { $0.text }.joined(separator: " ") }
            return [("username", user.text), ("password", password?.secret), ("steps_supported", known)]
        case .browser(let address, let state): return [("redirect_uri", address.text), ("state", state.secret)]
        case .more(let steps):
            return [("steps_supported", steps.map { $0.map { $0.text }.joined(separator: " ") })]
        case .step(let answer, let session):
            let (name, text): (JSON.Name, String) =
                switch answer.response {
                case .code(let code): ("otp", code.secret)
                case .text(let text): ("step_response", text.secret)
                }
            return [("auth_session", session.secret), ("step", answer.step.text), (name, text)]
        }
    }
}

extension SignInStep {
    fileprivate var told: JSON {
        var members: JSON.Object = ["step": .string(name.text)]
        if let challenge { members["challenge"] = challenge }
        if let hint { members["hint"] = .string(hint) }
        return .object(members)
    }
}
