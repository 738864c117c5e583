public import JOSE
public import Wire

/// A question about a token (RFC 7662 §2.1): here, a federation service's about an assertion that it was shown (6).
public struct IntrospectionRequest: Equatable, Sendable {
    /// The token.
    public let token: Assertion
    /// With what the requester says who it is.
    public let credential: ClientCredential
    /// The requester's name, where it stands among the parameters.
    public let client: ClientID?

    /// Asks about a token.
    public init(_ token: Assertion, credential: ClientCredential, client: ClientID? = nil) {
        self.token = token
        self.credential = credential
        self.client = client ?? credential.client
    }

    /// The request to the endpoint at a URL.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        try HTTP.Request(form: [HTTP.Form.Pair("token", token.secret)], client: client, to: endpoint, credential)
    }

    /// Reads a request.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(bodyOf: request)
        let credential = try ClientCredential(of: request, parameters)
        self.init(
            try parameters.required("token", try parameters.secret("token")), credential: credential,
            client: try parameters.identifier("client_id"))
    }
}

extension IntrospectionRequest {
    /// What is said about a token (RFC 7662 §2.2); of one that is not active nothing is said, whatever the reason
    /// (threat 33).
    public enum Outcome: Sendable {
        /// The token is good, and this is what it says.
        case active(Facts)
        /// It is not, or not for the one who asks.
        case inactive

        /// What an active token says.
        public struct Facts: Sendable, Hashable {
            /// Who gave it.
            public var issuer: Issuer?
            /// Whom it is about.
            public var subject: Subject?
            /// Whom it is for.
            public var audience: String?
            /// Who holds it.
            public var client: ClientID?
            /// Until when it is good.
            public var expiration: Timestamp?
            /// When it was given.
            public var issuedAt: Timestamp?
            /// Its name.
            public var id: JWT.ID?
            /// What it is good for.
            public var scope: Scope?
            /// What opens the user's attributes to the one who asks (6*).
            public var userToken: AccessToken?
            /// Members that are not interpreted here.
            public var others = JSON.Object()

            /// Says nothing yet.
            public init() {}
        }
    }
}

extension IntrospectionRequest.Outcome.Facts {
    /// Whether both say the same.
    public static func == (one: Self, other: Self) -> Bool {
        one.issuer == other.issuer && one.subject == other.subject && one.id == other.id && one.client == other.client
            && one.expiration == other.expiration && one.issuedAt == other.issuedAt && one.scope == other.scope
            && one.userToken == other.userToken && one.others == other.others
            && (one.audience ?? "").utf8.elementsEqual((other.audience ?? "").utf8)
            && (one.audience == nil) == (other.audience == nil)
    }

    /// Feeds the name of the token.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension IntrospectionRequest.Outcome {
    /// The answer.
    public func encoded() -> HTTP.Response {
        .json { object in
            guard case .active(let facts) = self else {
                object.member("active", false)
                return
            }
            object.member("active", true)
            object.member("iss", ifPresent: facts.issuer?.text)
            object.member("sub", ifPresent: facts.subject?.text)
            object.member("aud", ifPresent: facts.audience)
            object.member("client_id", ifPresent: facts.client?.text)
            object.member("exp", ifPresent: facts.expiration.flatMap { try? JSON.Number(parsing: $0.number) })
            object.member("iat", ifPresent: facts.issuedAt.flatMap { try? JSON.Number(parsing: $0.number) })
            object.member("jti", ifPresent: facts.id?.text)
            if let scope = facts.scope, !scope.isEmpty { object.member("scope", scope.text) }
            object.member("user_token", ifPresent: facts.userToken?.secret)
            for member in facts.others where !Self.interpreted.contains(member.name) {
                object.member(member.name, member.value)
            }
        }
    }

    private static let interpreted: [JSON.Name] = [
        "active", "iss", "sub", "aud", "client_id", "exp", "iat", "jti", "scope", "user_token",
    ]

    /// Reads an answer.
    public init(parsing response: HTTP.Response) throws(ParameterRejection) {
        let members = try Parameters(answer: response)
        guard try members.required("active", try members.flag("active")) else {
            self = .inactive
            return
        }
        var facts = Facts()
        facts.issuer = try members.identifier("iss")
        facts.subject = try members.identifier("sub")
        facts.audience = try members.audience()
        facts.client = try members.identifier("client_id")
        facts.expiration = try members.time("exp")
        facts.issuedAt = try members.time("iat")
        facts.id = try members.identifier("jti")
        facts.scope = try members.scope()
        facts.userToken = try members.secret("user_token")
        facts.others = members.others(beside: Self.interpreted)
        self = .active(facts)
    }
}

extension IntrospectionRequest.Outcome: CustomStringConvertible {
    /// Whether the token is good, and nothing that it says.
    public var description: String {
        switch self {
        case .active(let facts): "active, \(facts)"
        case .inactive: "inactive"
        }
    }
}

extension IntrospectionRequest.Outcome.Facts: CustomStringConvertible {
    /// The name of the token and until when it is good; what else is said is about a user, or opens something.
    public var description: String {
        "\(id?.text ?? "nameless"), \(expiration.map { "until \($0.number)" } ?? "no end told")"
    }
}

#if !hasFeature(Embedded)
extension IntrospectionRequest.Outcome.Facts: CustomReflectable {
    /// Nothing: what is said about a user is nobody else's business.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
