public import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

/// The services of a federation, as the federation's management keeps them (FED-1): a value that the host provides and
/// replaces.
public struct ServiceIndex: Sendable {
    /// The services in the order in which they were given.
    package let services: [Member]
    private let places: [ServiceURL: Int]
    private let placesOfIssuers: [Issuer: Int]

    /// An index of these services; of several with the same URL or the same issuer the first counts.
    public init(_ services: [Member]) {
        self.services = services
        places = Dictionary(
            services.enumerated().map { ($0.element.home, $0.offset) }, uniquingKeysWith: { first, _ in first })
        placesOfIssuers = Dictionary(
            services.enumerated().map { ($0.element.issuer, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// The service of a URL.
    package subscript(home: ServiceURL) -> Member? { places[home].map { services[$0] } }

    /// The service that signs as an issuer.
    package subscript(issuer: Issuer) -> Member? { placesOfIssuers[issuer].map { services[$0] } }

    /// What the crawl visits (RSD-1).
    public var listings: [Crawl.Listing] { services.map { Crawl.Listing($0.home, allowedHosts: $0.allowedHosts) } }
}

extension ServiceIndex {
    /// One service of the federation.
    public struct Member: Sendable {
        /// The URL of its home page, by which it is known.
        public let home: ServiceURL
        /// The name under which it signs, and by which tokens are meant for it.
        public let issuer: Issuer
        /// Where assertions are redeemed; `nil` if that follows from its own service description.
        public var tokenEndpoint: WebURL?
        /// Where tokens are revoked; `nil` if that follows from its own service description.
        public var revocationEndpoint: WebURL?
        /// The keys by which it proves who it is, where they were handed over; they vouch for its issuer alone.
        ///
        /// `nil` if they are read from where it publishes them: at `jwks` below the link of its `org.ietf.oauth2`.
        public let keys: [VerificationKey]?
        /// Hosts beside its own on which its service description may live.
        public var allowedHosts: [WebURL.Host]
        /// What it may learn about users, by the names of OpenID Connect (AST-2).
        public var releasedClaims: [JSON.Name]
        /// Under which name it knows a user.
        public var subjects: Names
        /// Under which name and by which key it knows an instance of the app: by the same everywhere, two services know
        /// that it is one device, whatever they call its user (threat 77).
        public var clients: Names
        /// What a sign-in has to be before its user is introduced to it (FPA-22).
        public var demand = AuthenticationDemand.none
        /// As what its users have to belong to which institution: one of these, by preference (AFF-1); it is for
        /// everybody without any.
        public var affiliations: [AffiliationDemand] = []

        /// Under which names a service knows others.
        public enum Names: Sendable, Hashable {
            /// Under such as no other service knows, so that services cannot join what they know.
            case pairwise
            /// Under those that the whole federation knows.
            case common
        }

        /// A service with a URL and keys; its issuer is that URL in its normal form, unless it has another name.
        ///
        /// - Parameter clients: under which names it knows instances; like users unless something else is said.
        public init(
            _ home: ServiceURL, issuer: Issuer? = nil, keys: [VerificationKey]? = nil, tokenEndpoint: WebURL? = nil,
            revocationEndpoint: WebURL? = nil, allowedHosts: [WebURL.Host] = [], releasedClaims: [JSON.Name] = [],
            subjects: Names = .pairwise, clients: Names? = nil
        ) throws(SyntaxError) {
            let issuer = if let issuer { issuer } else { try Issuer(parsing: home.identity) }
            self.home = home
            self.issuer = issuer
            self.keys = keys?.map { $0.owned(by: issuer) }
            self.tokenEndpoint = tokenEndpoint
            self.revocationEndpoint = revocationEndpoint
            self.allowedHosts = allowedHosts
            self.releasedClaims = releasedClaims
            self.subjects = subjects
            self.clients = clients ?? subjects
        }
    }
}
