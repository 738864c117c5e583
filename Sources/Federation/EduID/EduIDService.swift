internal import JOSE
public import OAuth2Grants
public import RSD2
public import TokenTree
public import Wire

/// The edu-ID service of a federation (FED-1): it registers instances of the edu-ID app, authenticates their users, and
/// introduces them to services.
///
/// It is a value: every request begins an ``Exchange``, which says what it needs to know, and ends with a decision and
/// the changes that the store must apply.
public struct EduIDService: Sendable {
    /// Who it is, and with which keys it signs.
    public var authority: Authority
    /// The released versions of the app with their keys (FED-2).
    public var versions: AppVersion.Registry
    /// The services of the federation.
    public var index: ServiceIndex
    /// The service descriptions that are known.
    public var directory: ServiceDirectory
    /// The names under which services know users.
    public var pseudonyms: Pseudonyms
    /// What the service lets happen, and for how long.
    public var policy: Policy

    /// An edu-ID service.
    public init(
        _ authority: Authority, versions: AppVersion.Registry, index: ServiceIndex,
        directory: ServiceDirectory = ServiceDirectory(),
        pseudonyms: Pseudonyms, policy: Policy = Policy()
    ) {
        self.authority = authority
        self.versions = versions
        self.index = index
        self.directory = directory
        self.pseudonyms = pseudonyms
        self.policy = policy
    }
}

extension EduIDService {
    /// What an edu-ID service lets happen, and for how long.
    public struct Policy: Sendable {
        /// How long an access token of a user is good, before it has to be renewed (TOK-2).
        public var accessLifetime: Duration = .seconds(3_600)
        /// How long a code can be redeemed.
        public var codeLifetime: Duration = .seconds(60)
        /// How long a service assertion can be redeemed.
        public var assertionLifetime: Duration = .seconds(300)
        /// How long after a renewal its answer may be asked for again, by the same key and with the refresh token that
        /// was spent on it: none, unless the federation would rather bear a lost answer than end a grant whose refresh
        /// token comes twice (threat 28).
        public var repetitionWindow: Duration = .zero
        /// Whether users' passwords are taken at the token endpoint, as deployed apps send them (RFC 9700 §2.4 forbids
        /// it).
        public var takesPasswords = false
        /// Whether the services that a user used are noted and told (USE-4).
        public var hasUsageManager = true
        /// Whether tokens may name the exact URL of an endpoint in the place of the service.
        public var acceptsEndpointAsAudience = true
        /// Platforms that are shut out as a whole (FED-4).
        public var excludedPlatforms: Set<AppVersion.Platform> = []
        /// The users who may administrate versions, instances and users (TOK-5).
        public var administrators: Set<Record.Subject> = []
        /// What is demanded of request tokens of the app (S1).
        public var appRequest = Statement.AppRegistration.Policy()
        /// What is demanded of proofs of possession.
        public var proof = Possession.Policy()

        /// The standard policy.
        public init() {}
    }
}

// MARK: - Endpoints

extension EduIDService {
    /// The names of the endpoints below the issuer identifier.
    enum Path {
        static let token = "token"
        static let challenge = "authorize-challenge"
        static let userinfo = "userinfo"
        static let usage = "usage"
        static let discovery = "discovery"
        static let authorize = "authorize"
        static let introspect = "introspect"
        static let revoke = "revoke"
        static let instances = "instances"
        static let keys = "jwks"
        static let administration = "admin"
    }

    /// What the service says about itself (RFC 8414); nothing where its issuer identifier cannot be published.
    public var description: ServerDescription? {
        let endpoints: [ServerDescription.Endpoint: WebURL] = [
            .authorization: authority.endpoint(Path.authorize),
            .authorizationChallenge: authority.endpoint(Path.challenge),
            .token: authority.endpoint(Path.token), .keys: authority.endpoint(Path.keys),
            .revocation: authority.endpoint(Path.revoke),
            .introspection: authority.endpoint(Path.introspect), .userinfo: authority.endpoint(Path.userinfo),
        ]
        var grants: [TokenRequest.GrantType] = [.clientCredentials, .authorizationCode, .refreshToken]
        if policy.takesPasswords { grants.append(.password) }
        return try? ServerDescription(authority.issuer, endpoints: endpoints, grants: grants)
    }

    /// Begins to answer a request.
    ///
    /// - Parameter now: the time; a host that begins anew after a conflict gives the time that it is then.
    public func exchange(for request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator)
        -> Exchange
    {
        let handling = handling(of: request)
        return Exchange(in: handling.place, at: now, using: &entropy) { asking throws(Interruption) in
            try handling.procedure(&asking)
        }
    }

    private struct Handling: Sendable {
        let place: OAuth2Error.Place
        let procedure: Exchange.Procedure
    }

    private func handling(of request: HTTP.Request) -> Handling {
        func server(_ procedure: @escaping Exchange.Procedure) -> Handling {
            Handling(place: .authorizationServer, procedure: procedure)
        }
        func resource(_ procedure: @escaping Exchange.Procedure) -> Handling {
            Handling(place: .resource(), procedure: procedure)
        }
        func fixed(_ response: HTTP.Response) -> Handling { server { _ in Answer(response: response) } }
        func only(_ methods: HTTP.Request.Method..., otherwise handling: () -> Handling) -> Handling {
            methods.contains(request.method) ? handling() : fixed(.notAllowed(but: methods))
        }

        if let description,
            request.target.path.utf8.elementsEqual(description.location(of: .authorizationServer).path.utf8)
        {
            return only(.get) { fixed(description.authorizationServerMetadata()) }
        }
        guard let way = Way(of: request, below: authority.base) else { return fixed(.nowhere) }
        if way.leads(Path.keys) { return only(.get) { fixed(.json(authority.publicKeys.encoded(), isPublic: true)) } }
        if way.leads(Path.token) {
            return only(.post) { server { asking throws(Interruption) in try token(request, &asking) } }
        }
        if way.leads(Path.challenge) {
            return only(.post) { server { asking throws(Interruption) in try challenge(request, &asking) } }
        }
        if way.leads(Path.authorize) {
            return only(.get, .post) { server { asking throws(Interruption) in try authorize(request, &asking) } }
        }
        if way.leads(Path.introspect) {
            return only(.post) { server { asking throws(Interruption) in try introspect(request, &asking) } }
        }
        if way.leads(Path.revoke) {
            return only(.post) { server { asking throws(Interruption) in try revoke(request, &asking) } }
        }
        if way.leads(Path.userinfo) {
            return only(.get) { resource { asking throws(Interruption) in try userinfo(request, &asking) } }
        }
        if way.leads(Path.usage), policy.hasUsageManager {
            return only(.get) { resource { asking throws(Interruption) in try usage(request, &asking) } }
        }
        if let form = DiscoveryForm(way) {
            return only(.post) { resource { asking throws(Interruption) in try discover(form, request, &asking) } }
        }
        if way.leads(Path.instances) {
            return only(.get) { resource { asking throws(Interruption) in try instances(request, &asking) } }
        }
        if let id = way.leads(Path.instances, thenPart: 1).map({ String($0) }) {
            return only(.delete) { resource { asking throws(Interruption) in try disconnect(id, request, &asking) } }
        }
        if let command = Administration(way) {
            return resource { asking throws(Interruption) in try administrate(command, request, &asking) }
        }
        return fixed(.nowhere)
    }
}
