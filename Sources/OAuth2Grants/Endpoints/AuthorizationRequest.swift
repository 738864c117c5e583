public import JOSE
public import Wire

/// An instance's request for a service assertion (4): for one target service, which it names by its URL.
public struct AuthorizationRequest: Equatable, Sendable {
    /// The URL of the target service (RFC 8707).
    public let resource: WebURL
    /// What comes back with the answer as it is, so that the client knows its own (RFC 6749 §10.12).
    public let state: String?
    /// With what the client says who it is.
    public let credential: ClientCredential
    /// The client's public key for the target service alone (`req_cnf`), which the service is to know it by.
    public var key: JWK?
    /// A DPoP proof by that key for this request (`req_proof`).
    public var keyProof: Assertion?
    /// What the target service has said that the sign-in has to be: the answer tells it in these words.
    public var demand = AuthenticationDemand.none

    /// Asks for an assertion for a service; an empty state counts as `nil` (RFC 6749 §3.1).
    public init(for resource: WebURL, state: String? = nil, credential: ClientCredential) {
        self.resource = resource
        self.state = state.flatMap { $0.utf8.isEmpty ? nil : $0 }
        self.credential = credential
    }

    /// Whether both ask the same, byte by byte in the state.
    public static func == (one: Self, other: Self) -> Bool {
        one.resource == other.resource && one.credential == other.credential && areSame(one.state, other.state)
            && one.key == other.key && one.keyProof == other.keyProof && one.demand == other.demand
    }

    private static func areSame(_ one: String?, _ other: String?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
        default: false
        }
    }

    /// The request to the endpoint at a URL.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        var pairs = [HTTP.Form.Pair("response_type", ResponseType.code), HTTP.Form.Pair("resource", resource.text)]
        if let state { pairs.append(HTTP.Form.Pair("state", state)) }
        if let key { pairs.append(HTTP.Form.Pair("req_cnf", key.requestedConfirmation)) }
        if let keyProof { pairs.append(HTTP.Form.Pair("req_proof", keyProof.secret)) }
        pairs += demand.parameters.map { HTTP.Form.Pair($0.name, $0.value) }
        return try HTTP.Request(form: pairs, to: endpoint, credential)
    }

    /// Reads a request, from a body or from a query (RFC 6749 §3.1).
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = request.method == .get ? try Parameters(queryOf: request) : try Parameters(bodyOf: request)
        try ResponseType.check(parameters)
        let credential = try ClientCredential(of: request, parameters)
        let target = try parameters.url("resource", try parameters.text("resource", or: "redirect_uri"))
        self.init(
            for: try parameters.required("resource", target), state: try parameters.text("state"),
            credential: credential)
        key = try parameters.requestedKey()
        keyProof = try parameters.secret("req_proof")
        demand = try parameters.demand()
    }
}

// MARK: - Answers

extension AuthorizationRequest {
    /// How an authorization endpoint answers: with JSON in both cases, never a redirect.
    public enum Outcome: Equatable, Sendable {
        /// The assertion.
        case granted(Response)
        /// Why there is none.
        case refused(OAuth2Error)

        /// The answer.
        public func encoded() -> HTTP.Response {
            switch self {
            case .granted(let response): response.encoded()
            case .refused(let error): error.response()
            }
        }

        /// Reads the answer of the server that was asked, to the request that was sent: another's is taken for neither
        /// (RFC 9207 §2.4).
        public init(parsing response: HTTP.Response, to request: AuthorizationRequest, by issuer: Issuer)
            throws(ParameterRejection)
        {
            if let error = try OAuth2Error.refusal(in: response) {
                self = .refused(error)
            } else {
                self = .granted(try Response(response, to: request, by: issuer))
            }
        }
    }

    /// The assertion that was asked for, and where it is to be redeemed (AST-1).
    public struct Response: Equatable, Sendable {
        /// The assertion, which the target service alone can judge.
        public let code: Assertion
        /// The target service's token endpoint.
        public let tokenEndpoint: WebURL
        /// What the client asked to have back.
        public let state: String?
        /// Who answers (RFC 9207).
        public let issuer: Issuer
        /// The name by which the target service knows the client, where that is not the client's own; the key that it
        /// knows is then the one in the request.
        public let client: ClientID?

        /// Gives an assertion.
        public init(
            _ code: Assertion, redeemedAt tokenEndpoint: WebURL, state: String?, by issuer: Issuer,
            for client: ClientID? = nil
        ) {
            self.code = code
            self.client = client
            self.tokenEndpoint = tokenEndpoint
            self.state = state.flatMap { $0.utf8.isEmpty ? nil : $0 }
            self.issuer = issuer
        }

        /// Whether both say the same, byte by byte in the state.
        public static func == (one: Self, other: Self) -> Bool {
            one.code == other.code && one.tokenEndpoint == other.tokenEndpoint && one.issuer == other.issuer
                && one.client == other.client && AuthorizationRequest.areSame(one.state, other.state)
        }

        fileprivate func encoded() -> HTTP.Response {
            .json { object in
                object.member("code", code.secret)
                object.member("redirect_uri", tokenEndpoint.text)
                object.member("state", ifPresent: state)
                object.member("iss", issuer.text)
                object.member("client_id", ifPresent: client?.text)
            }
        }

        fileprivate init(_ response: HTTP.Response, to request: AuthorizationRequest, by issuer: Issuer)
            throws(ParameterRejection)
        {
            let members = try Parameters(answer: response)
            try members.checkIssuer("iss", issuer)
            let state = try members.text("state")
            guard AuthorizationRequest.areSame(state, request.state) else { throw .state }
            self.init(
                try members.required("code", try members.secret("code")),
                redeemedAt: try members.required("redirect_uri", try members.endpoint("redirect_uri")), state: state,
                by: issuer, for: try members.identifier("client_id"))
        }
    }
}

/// What is asked for at an authorization endpoint: a code and nothing else (RFC 9700 §2.1.2).
enum ResponseType {
    static let code = "code"

    /// Refuses a request for anything else; `request_type` is how deployed clients spell it.
    static func check(_ parameters: Parameters) throws(ParameterRejection) {
        let type = try parameters.required(
            "response_type", try parameters.text("response_type", or: "request_type"))
        guard type.utf8.elementsEqual(code.utf8) else { throw .responseType(type) }
    }
}
