public import Wire

extension OpenID {
    /// What a provider is asked when somebody is sent there to sign in (OpenID Connect Core §3.1.2.1; OIC-4).
    ///
    /// State, nonce and verifier are made for one request; whoever asks keeps the imprints of the first two and the
    /// verifier until the answer comes.
    public struct AuthenticationRequest: Sendable {
        /// Who asks, by the name that it has at the provider.
        public let client: ClientID
        /// Where the answer is to go, byte for byte as it is registered at the provider.
        public let redirect: WebURL
        /// Ties the answer to this request.
        public let state: State
        /// Ties the ID token to this request.
        public let nonce: Nonce
        /// The digest of the secret with which the code will be redeemed (RFC 7636).
        public let challenge: ChallengeRequest.CodeChallenge
        /// What is asked for beside `openid`.
        public var scope = Scope()
        /// How the person should be authenticated (`acr_values`, `max_age`).
        public var demand = AuthenticationDemand.none
        /// Whether the provider shall ask the person, although it need not.
        public var prompt: Prompt?
        /// Who is likely to sign in.
        public var loginHint: String?

        /// What a provider shall ask the person.
        public enum Prompt: String, Sendable, CaseIterable {
            /// Nothing: the answer is an error where something would have to be asked.
            case nothing = "none"
            /// To sign in, although somebody is signed in.
            case login
            /// To consent, although somebody did.
            case consent
            /// Which of several accounts it is.
            case account = "select_account"
        }

        /// Asks for a code.
        public init(
            by client: ClientID, answeredAt redirect: WebURL, state: State, nonce: Nonce,
            challenge: ChallengeRequest.CodeChallenge
        ) {
            self.client = client
            self.redirect = redirect
            self.state = state
            self.nonce = nonce
            self.challenge = challenge
        }
    }
}

extension OpenID.AuthenticationRequest {
    /// Where a browser is sent with the request in the URL.
    public func location(at endpoint: WebURL) throws(ParameterRejection) -> WebURL {
        try endpoint.adding(HTTP.Form(pairs() + [HTTP.Form.Pair("client_id", client.text)]))
    }

    /// Where a browser is sent with a request that was left at the provider (RFC 9126 §4).
    public func location(at endpoint: WebURL, of pushed: OpenID.PushedRequest) throws(ParameterRejection) -> WebURL {
        try endpoint.adding(
            HTTP.Form([
                HTTP.Form.Pair("client_id", client.text), HTTP.Form.Pair("request_uri", pushed.uri.secret),
            ]))
    }

    /// The request by which it is left at the provider, so that it need not go through the browser (RFC 9126 §2.1).
    public func pushed(
        to endpoint: WebURL, by credential: OpenID.ClientAuthentication
    ) throws(ParameterRejection) -> HTTP.Request {
        let pairs = pairs()
        return try wrapping(ParameterRejection.credential, try credential.request(pairs, of: client, to: endpoint))
    }

    private func pairs() -> [HTTP.Form.Pair] {
        let words = [Self.openID] + scope.tokens.map { $0.text }.filter { !$0.spells(Self.openID) }
        var pairs = [
            HTTP.Form.Pair("response_type", ResponseType.code),
            HTTP.Form.Pair("scope", words.joined(separator: " ")),
            HTTP.Form.Pair("redirect_uri", redirect.text), HTTP.Form.Pair("state", state.secret),
            HTTP.Form.Pair("nonce", nonce.secret), HTTP.Form.Pair("code_challenge", challenge.text),
            HTTP.Form.Pair("code_challenge_method", ChallengeRequest.CodeChallenge.method),
        ]
        pairs += demand.parameters.map { HTTP.Form.Pair($0.name, $0.value) }
        if let prompt { pairs.append(HTTP.Form.Pair("prompt", prompt.rawValue)) }
        if let loginHint { pairs.append(HTTP.Form.Pair("login_hint", loginHint)) }
        return pairs
    }

    private static let openID = "openid"
}

extension WebURL {
    /// The URL with parameters behind those that its query has (RFC 6749 §3.1).
    func adding(_ form: HTTP.Form) throws(ParameterRejection) -> WebURL {
        let separator = query == nil ? "?" : query?.isEmpty == true ? "" : "&"
        return try wrapping(
            { (error) in ParameterRejection.url("authorization_endpoint", error) },
            try WebURL(parsing: text + separator + form.text))
    }
}

// MARK: - Requests that are left at the provider

extension OpenID {
    /// The name under which a provider keeps a request for a short while (RFC 9126 §2.2).
    public struct PushedRequest: Equatable, Sendable {
        /// The name: whoever has it can send a browser with the request.
        public let uri: Secret.RequestName
        /// For how many seconds it is good.
        public let lifetime: Int64

        /// How a provider answers who leaves a request.
        public enum Outcome: Equatable, Sendable {
            /// It keeps it.
            case kept(PushedRequest)
            /// Why it does not.
            case refused(OAuth2Error)

            /// Reads an answer.
            public init(parsing response: HTTP.Response) throws(ParameterRejection) {
                if response.status == .created {
                    let members = try Parameters(membersOf: response)
                    let uri: Secret.RequestName? = try members.secret("request_uri")
                    self = .kept(
                        PushedRequest(
                            uri: try members.required("request_uri", uri),
                            lifetime: try members.required("expires_in", try members.seconds("expires_in"))))
                } else if let error = try OAuth2Error.refusal(in: response) {
                    self = .refused(error)
                } else {
                    throw .status(response.status)
                }
            }
        }
    }
}
