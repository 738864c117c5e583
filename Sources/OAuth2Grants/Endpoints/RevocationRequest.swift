public import Wire

/// A request to end a token (RFC 7009 §2.1), by whoever holds it or gave it.
public struct RevocationRequest: Equatable, Sendable {
    /// The token, or the name of an assertion (TOK-7).
    public let token: AccessToken
    /// What the requester says the token is; the receiver looks everywhere all the same.
    public let hint: Hint?
    /// With what the requester says who it is.
    public let credential: ClientCredential
    /// The requester's name, where it stands among the parameters: that of a client, or of a third-party app with a
    /// plain token.
    public let client: ClientID?

    /// What a token is said to be (`token_type_hint`): a word of an open registry.
    public struct Hint: Hashable, Sendable {
        /// The word.
        public let text: String

        /// Takes a word.
        public init(_ text: String) { self.text = text }

        /// RFC 7009 §2.1.
        public static let accessToken = Hint("access_token")
        /// RFC 7009 §2.1.
        public static let refreshToken = Hint("refresh_token")
        /// The name of a service assertion (TOK-7): what was granted on it is to end.
        public static let assertion = Hint("assertion")
        /// The name of a key of the requester's own, which it has withdrawn: the keys that it publishes are to be read
        /// anew (threat 76).
        public static let key = Hint("key")

        /// Whether the words are the same, byte by byte.
        public static func == (one: Hint, other: Hint) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

        /// Feeds the bytes.
        public func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
    }

    /// Asks for the end of a token.
    public init(_ token: AccessToken, hint: Hint? = nil, credential: ClientCredential, client: ClientID? = nil) {
        self.token = token
        self.hint = hint
        self.credential = credential
        self.client = client ?? credential.client
    }
}

extension RevocationRequest {
    /// The request to the endpoint at a URL.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        var pairs = [HTTP.Form.Pair("token", token.secret)]
        if let hint, !hint.text.utf8.isEmpty { pairs.append(HTTP.Form.Pair("token_type_hint", hint.text)) }
        return try HTTP.Request(form: pairs, client: client, to: endpoint, credential)
    }

    /// Reads a request.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(bodyOf: request)
        let credential = try ClientCredential(of: request, parameters)
        self.init(
            try parameters.required("token", try parameters.secret("token")),
            hint: try parameters.text("token_type_hint").map { Hint($0) }, credential: credential,
            client: try parameters.identifier("client_id"))
    }
}

// MARK: - Answers

extension RevocationRequest {
    /// How a revocation endpoint answers: the token is over, whether it was known or not, or the request was refused
    /// (RFC 7009 §2.2).
    public enum Outcome: Equatable, Sendable {
        /// The token is good for nothing, from now on.
        case confirmed
        /// Why nothing was done.
        case refused(OAuth2Error)

        /// The answer.
        public func encoded() -> HTTP.Response {
            switch self {
            case .confirmed: .done
            case .refused(let error): error.response()
            }
        }

        /// Reads an answer; one that is neither confirms nothing, and the request is to be sent again.
        ///
        /// What confirms is 200 or 204 without a page: whoever shows one did not understand the request (threat 60).
        public init(parsing response: HTTP.Response) throws(ParameterRejection) {
            if response.status == .noContent {
                self = .confirmed
            } else if let error = try OAuth2Error.refusal(in: response) {
                self = .refused(error)
            } else if let page = response.page {
                throw .answerMediaType(page)
            } else {
                self = .confirmed
            }
        }
    }
}
