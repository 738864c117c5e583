public import Wire

/// A user's credentials on their way to the edu-ID service (2), after OAuth 2.0 for First-Party Applications: by a
/// registered instance, which alone can redeem the code that it gets.
public struct ChallengeRequest: Equatable, Sendable {
    /// Which client hands them over, where it says so beside what proves it.
    public let client: ClientID?
    /// Who the user claims to be.
    public let user: UserName
    /// What is to prove it.
    public let password: Secret.Password
    /// The digest of the secret with which the code will be redeemed (RFC 7636).
    public let challenge: CodeChallenge
    /// With what the client says who it is.
    public let credential: ClientCredential

    /// Hands a user's credentials over.
    public init(
        client: ClientID? = nil, user: UserName, password: Secret.Password, challenge: CodeChallenge,
        credential: ClientCredential
    ) {
        self.client = client
        self.user = user
        self.password = password
        self.challenge = challenge
        self.credential = credential
    }

    /// The request to the endpoint at a URL.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        try HTTP.Request(
            form: [
                HTTP.Form.Pair("response_type", ResponseType.code), HTTP.Form.Pair("username", user.text),
                HTTP.Form.Pair("password", password.secret),
                HTTP.Form.Pair("code_challenge", challenge.text),
                HTTP.Form.Pair("code_challenge_method", CodeChallenge.method),
            ], client: client, to: endpoint, credential)
    }

    /// Reads a request.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(bodyOf: request)
        try ResponseType.check(parameters)
        let credential = try ClientCredential(of: request, parameters)
        self.init(
            client: try parameters.identifier("client_id"),
            user: try parameters.required("username", try parameters.identifier("username")),
            password: try parameters.required("password", try parameters.secret("password")),
            challenge: try parameters.challenge(), credential: credential)
    }
}

// MARK: - Answers

extension ChallengeRequest {
    /// How credentials are answered: with a code, or with a refusal that is the same whatever is wrong with them
    /// (threat 39).
    public enum Outcome: Equatable, Sendable {
        /// The code, to be redeemed at the token endpoint within a minute.
        case granted(Secret.AuthorizationCode)
        /// Why there is none.
        case refused(OAuth2Error)

        /// The answer.
        public func encoded() -> HTTP.Response {
            switch self {
            case .granted(let code): .json { $0.member("authorization_code", code.secret) }
            case .refused(let error): error.response()
            }
        }

        /// Reads an answer.
        public init(parsing response: HTTP.Response) throws(ParameterRejection) {
            if let error = try OAuth2Error.refusal(in: response) {
                self = .refused(error)
            } else {
                let members = try Parameters(answer: response)
                self = .granted(try members.required("authorization_code", try members.secret("authorization_code")))
            }
        }
    }
}
