public import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

/// A service of the federation: it takes the edu-ID service's word about users, gives tokens to instances and through
/// them to apps, and says of each request who makes it.
///
/// It is a value beside the service proper: requests to its endpoints become ``Exchange``s, and requests to the
/// service's own endpoints are checked by ``access(for:to:at:)``.
public struct FederationService: Sendable {
    private var contents: Contents

    /// Kept apart, so that a service is one word to whatever carries it along with a request.
    private final class Contents: Sendable {
        let authority: Authority
        let document: ServiceDescription
        let eduID: Trusted
        let policy: Policy
        let endpoints: Endpoints

        init(
            _ authority: Authority, _ document: ServiceDescription, _ eduID: Trusted, _ policy: Policy,
            _ endpoints: Endpoints
        ) {
            self.authority = authority
            self.document = document
            self.eduID = eduID
            self.policy = policy
            self.endpoints = endpoints
        }

        /// The same with another part.
        func with(authority: Authority? = nil, eduID: Trusted? = nil, policy: Policy? = nil) -> Contents {
            Contents(
                authority ?? self.authority, document, eduID ?? self.eduID, policy ?? self.policy, endpoints)
        }
    }

    /// Who it is, and with which keys it signs.
    public var authority: Authority {
        get { contents.authority }
        set { contents = contents.with(authority: newValue) }
    }
    /// What it publishes about itself, from which the scopes follow that it offers (0).
    public var document: ServiceDescription { contents.document }
    /// Whose word about users it takes.
    public var eduID: Trusted {
        get { contents.eduID }
        set { contents = contents.with(eduID: newValue) }
    }
    /// Whom it admits, and for how long.
    public var policy: Policy {
        get { contents.policy }
        set { contents = contents.with(policy: newValue) }
    }
    var endpoints: Endpoints { contents.endpoints }

    /// The edu-ID service, as this service knows it.
    public struct Trusted: Sendable {
        /// Its issuer identifier.
        package let issuer: Issuer
        /// Its keys, which vouch for nobody else (threat 25).
        let keys: TrustedKeys
        /// Where it says whether an assertion still stands (6); without it the assertion alone is believed.
        public var introspection: WebURL?
        /// Where it tells about the user of an assertion that it stands by (6*); without it what stands in the
        /// assertion is all.
        public var userinfo: WebURL?

        /// Trusts an issuer by the keys that it publishes, which can change at any time (threat 76).
        ///
        /// - Parameter keys: where they are; at `jwks` below the issuer identifier unless something else is said.
        public init(
            _ issuer: Issuer, publishing keys: WebURL? = nil, introspection: WebURL? = nil, userinfo: WebURL? = nil
        ) {
            self.init(
                issuer, .published(issuer, at: keys ?? (try? WebURL(parsing: issuer.text).appending("jwks"))),
                introspection, userinfo)
        }

        /// Trusts an issuer by keys that were handed over; when one of them is stolen, everybody who has it here has to
        /// replace it.
        public init(_ issuer: Issuer, keys: [VerificationKey], introspection: WebURL? = nil, userinfo: WebURL? = nil) {
            self.init(issuer, .given(keys.map { $0.owned(by: issuer).prepared() }), introspection, userinfo)
        }

        private init(_ issuer: Issuer, _ keys: TrustedKeys, _ introspection: WebURL?, _ userinfo: WebURL?) {
            self.issuer = issuer
            self.keys = keys
            self.introspection = introspection
            self.userinfo = userinfo
        }
    }

    /// The endpoints of the authorization component, as they follow from the service description.
    struct Endpoints: Sendable {
        /// What `org.ietf.oauth2` points to: the base of all others that have no place of their own (RSD-3), and the
        /// scope of service tokens (AST-7).
        let component: WebURL
        /// The same as a word of a scope.
        let componentScope: [Scope.Token]
        let token: WebURL
        let revocation: WebURL
        let authorization: WebURL
        let keys: WebURL
        /// Where the service description lies.
        let document: WebURL
        /// What apps can be given: the endpoints of all protocols but those of the authorization component.
        let offer: Scope
    }

    /// A service that publishes this description.
    ///
    /// It must offer `org.ietf.oauth2` (DSC-7).
    public init(
        _ authority: Authority, document: ServiceDescription, trusting eduID: Trusted, policy: Policy = Policy()
    ) throws(ServiceDescription.LinkRejection) {
        let oauth2 = document.oauth2?.name ?? "org.ietf.oauth2"
        let component = try document.endpoint(for: oauth2)
        let endpoints = Endpoints(
            component: component, componentScope: (try? Scope.Token(component)).map { [$0] } ?? [],
            token: try document.endpoint(for: oauth2, path: "token"),
            revocation: try document.endpoint(for: oauth2, path: "revoke"),
            authorization: try document.endpoint(for: oauth2, path: "authorize"),
            keys: try document.endpoint(for: oauth2, path: "jwks"),
            document: authority.endpoint("rsd2.json"),
            offer: Scope(
                document.apis.compactMap { api in
                    guard !api.name.belongsToOAuth2, let url = try? document.endpoint(for: api.name) else { return nil }
                    return try? Scope.Token(url)
                }))
        contents = Contents(authority, document.withoutAuthorization, eduID, policy, endpoints)
    }
}

extension FederationService {
    /// Whom a service admits, and for how long.
    public struct Policy: Sendable {
        /// How long an access token is good, before it has to be renewed (TOK-2).
        public var accessLifetime: Duration = .seconds(3_600)
        /// How long a grant can be renewed; without a bound, until it is revoked.
        public var grantLifetime: Duration?
        /// How long after an answer it can be asked for again by who lost it: with what was spent on it, the same
        /// wishes, and a fresh proof of the same key (threat 72).
        ///
        /// Later, what comes twice was stolen, and ends what it gave (threats 23, 26 and 28); with zero it always does.
        public var repetitionWindow: Duration = .seconds(60)
        /// The instances that are admitted (USR-5, USR-6).
        public var instances = Admission<ClientID>.everybody
        /// The third-party apps that are admitted (APP-6).
        public var apps = Admission<BundleID>.everybody
        /// The users who have a right to the service, by the name under which it knows them (AST-4).
        public var users = Admission<Subject>.everybody
        /// Whether what the edu-ID service says about a user gives a right to the service, for those whom ``users``
        /// admits; asked at each use.
        public var entitles: (@Sendable (JSON.Object) -> Bool)?
        /// What the sign-in of everybody has to be, at each use (FPA-21).
        public var demand = AuthenticationDemand.none
        /// What an app gets that brings no key of its own.
        public var keylessApps = Keyless.symmetricKey
        /// Whether an app's token also opens the token endpoint (APP-10).
        public var extendsTokens = false
        /// What service tokens open beside the authorization component, such as a discovery of the service's own
        /// (DSC-8).
        public var serviceScope = Scope()
        /// Whether a grant ends when it is used outside of its scope (NIF-11).
        public var revokesMisuse = false
        /// Whether each use is noted with the grant.
        public var notesUse = false
        /// Whether service assertions may name the exact URL of the token endpoint in the place of the service: for
        /// edu-ID services that do not follow the profile.
        public var acceptsEndpointAsAudience = false
        /// The users who may administrate users and apps here, by the name under which the service knows them (TOK-5).
        public var administrators: Set<Subject> = []
        /// What an administrator's sign-in has to be before that counts for one.
        public var administratorsDemand = AuthenticationDemand.none
        /// What is demanded of proofs of possession.
        public var proof = Possession.Policy()

        /// The standard policy.
        public init() {}

        /// What an app gets that brings no key of its own.
        public enum Keyless: Sendable {
            /// A symmetric key that the service makes, told with the token (APP-8).
            case symmetricKey
            /// A token that is good for whoever bears it.
            case bearerToken
        }
    }

    /// Who is admitted.
    public enum Admission<Party: Hashable & Sendable>: Sendable {
        /// Whoever comes.
        case everybody
        /// Whoever is not one of these.
        case allBut(Set<Party>)
        /// Whoever is one of these.
        case only(Set<Party>)

        /// Whether a party is admitted.
        package func admits(_ party: Party) -> Bool {
            switch self {
            case .everybody: true
            case .allBut(let parties): !parties.contains(party)
            case .only(let parties): parties.contains(party)
            }
        }
    }
}
