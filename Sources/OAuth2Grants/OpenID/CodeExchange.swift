public import Wire

extension OpenID {
    /// With what the client says at a provider who it is, as it is registered there.
    public enum ClientAuthentication: Equatable, Sendable {
        /// A signed statement about the client (`private_key_jwt`), made for this provider by its issuer identifier
        /// alone (RFC 7523bis).
        case assertion(Assertion)
        /// The client's secret in the header (`client_secret_basic`).
        case secretInHeader(Secret.Password)
        /// The client's secret among the parameters (`client_secret_post`).
        case secretInBody(Secret.Password)

        /// A form to an endpoint of the provider.
        func request(
            _ pairs: [HTTP.Form.Pair], of client: ClientID, to endpoint: WebURL
        ) throws(SyntaxError) -> HTTP.Request {
            switch self {
            case .assertion(let assertion):
                return try HTTP.Request(form: pairs, client: client, to: endpoint, .assertion(assertion))
            case .secretInBody(let secret):
                return try HTTP.Request(form: pairs, to: endpoint, .password(client, secret))
            case .secretInHeader(let secret):
                var request = try HTTP.Request(form: pairs, to: endpoint, .none)
                // Each is form-encoded before they are joined (RFC 6749 §2.3.1).
                let joined = HTTP.Form([HTTP.Form.Pair(client.text, secret.secret)]).encoded()
                let credentials = joined.map { $0 == UInt8(ascii: "=") ? UInt8(ascii: ":") : $0 }
                request.fields.add(
                    .authorization, try HTTP.Authentication(.basic, token: Base64.encode(credentials)).text)
                return request
            }
        }
    }

    /// A code on its way to the provider that gave it (OIC-7).
    public struct CodeExchange: Equatable, Sendable {
        /// The code.
        public let code: Secret.AuthorizationCode
        /// Where the code came to, as the request for it said.
        public let redirect: WebURL
        /// The secret whose digest went ahead.
        public let verifier: Secret.CodeVerifier
        /// Who redeems it.
        public let client: ClientID

        /// Redeems a code.
        public init(
            _ code: Secret.AuthorizationCode, sentTo redirect: WebURL, verifier: Secret.CodeVerifier,
            by client: ClientID
        ) {
            self.code = code
            self.redirect = redirect
            self.verifier = verifier
            self.client = client
        }

        /// The request to the provider's token endpoint.
        public func encoded(
            to endpoint: WebURL, by credential: ClientAuthentication
        ) throws(SyntaxError) -> HTTP.Request {
            try credential.request(
                [
                    HTTP.Form.Pair("grant_type", TokenRequest.GrantType.authorizationCode.rawValue),
                    HTTP.Form.Pair("code", code.secret), HTTP.Form.Pair("redirect_uri", redirect.text),
                    HTTP.Form.Pair("code_verifier", verifier.secret),
                ], of: client, to: endpoint)
        }
    }
}

// MARK: - The answer

extension OpenID.CodeExchange {
    /// How a provider answers a code.
    public enum Outcome: Equatable, Sendable {
        /// The tokens.
        case granted(Tokens)
        /// Why there are none.
        case refused(OAuth2Error)

        /// Reads an answer; one that is neither says nothing about the code.
        public init(parsing response: HTTP.Response) throws(ParameterRejection) {
            if let error = try OAuth2Error.refusal(in: response) {
                self = .refused(error)
            } else {
                self = .granted(try Tokens(try Parameters(answer: response)))
            }
        }
    }

    /// What a provider gives for a code (OpenID Connect Core §3.1.3.3).
    public struct Tokens: Equatable, Sendable {
        /// What opens userinfo.
        public let access: AccessToken
        /// What the provider says about whoever signed in, not checked yet.
        public let identity: Assertion

        fileprivate init(_ members: Parameters) throws(ParameterRejection) {
            let type = try members.required("token_type", try members.text("token_type"))
            guard TokenResponse.TokenType(type) == .bearer else { throw .tokenType(type) }
            access = try members.required("access_token", try members.secret("access_token"))
            identity = try members.required("id_token", try members.secret("id_token"))
        }
    }
}
