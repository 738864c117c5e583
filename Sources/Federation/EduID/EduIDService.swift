public import JOSE
public import OAuth2Grants
public import RSD2
public import TokenTree
public import Wire

/// The edu-ID service of a federation (FED-1): it registers instances of the edu-ID app, authenticates their users, and
/// introduces them to services.
///
/// It is a value: every request begins an ``Exchange``, which says what has to be looked up, and ends with a decision
/// and the changes that the store must apply. A ``Host`` carries that out.
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
    /// Who the users are, for a host that carries exchanges out.
    public var users: UserDirectory
    /// What the service lets happen, and for how long.
    public var policy: Policy
    /// The OpenID provider at which people sign in who have an account there, if there is one.
    public var provider: Provider?

    /// An edu-ID service.
    package init(
        _ authority: Authority, versions: AppVersion.Registry, index: ServiceIndex,
        directory: ServiceDirectory = ServiceDirectory(), pseudonyms: Pseudonyms,
        users: UserDirectory = UserDirectory(), policy: Policy = Policy()
    ) {
        self.authority = authority
        self.versions = versions
        self.index = index
        self.directory = directory
        self.pseudonyms = pseudonyms
        self.users = users
        self.policy = policy
    }

    /// An edu-ID service under a name; services know its users by names that follow from the keys' master secret.
    public init(
        _ issuer: Issuer, keys: Authority.Keys, versions: AppVersion.Registry = AppVersion.Registry(),
        services: ServiceIndex = ServiceIndex([]), users: UserDirectory = UserDirectory(), policy: Policy = Policy()
    ) throws(Rejection) {
        self.init(
            try Authority(issuer, keys: keys), versions: versions, index: services,
            pseudonyms: Pseudonyms(following: keys.master), users: users, policy: policy)
    }
}

/// Who the users of an edu-ID service are: what its host asks where they are kept.
public struct UserDirectory: Sendable {
    /// Whose credentials these are, in a time that does not depend on what is wrong with them (threat 39).
    package let user: @Sendable (SignInAttempt) async -> SignInAttempt.Outcome
    /// What comes of the answer to a step that was offered.
    package let step: @Sendable (StepAttempt) async -> StepAttempt.Outcome
    /// Which steps lead from somebody's sign-in to the one that is demanded.
    package let stepUp: @Sendable (StepUpAttempt) async -> StepUpAttempt.Outcome
    /// A user's attributes by their OpenID Connect names.
    package let profile: @Sendable (Record.Subject) async -> JSON.Object
    /// The users whom an administrator may mean by some words, at most 100.
    package let search: @Sendable (String) async -> [Record.Subject]
    /// Whose an account at the provider is; `nil` where nobody is asked.
    private(set) var link: (@Sendable (ProvidedAccount) async -> ProvidedAccount.Link?)?

    /// A directory; without anything it knows nobody.
    public init(
        user: @escaping @Sendable (SignInAttempt) async -> SignInAttempt.Outcome = { _ in .nobody },
        step: @escaping @Sendable (StepAttempt) async -> StepAttempt.Outcome = { _ in .failed },
        stepUp: @escaping @Sendable (StepUpAttempt) async -> StepUpAttempt.Outcome = { _ in .none },
        profile: @escaping @Sendable (Record.Subject) async -> JSON.Object = { _ in JSON.Object() },
        search: @escaping @Sendable (String) async -> [Record.Subject] = { _ in [] }
    ) {
        self.user = user
        self.step = step
        self.stepUp = stepUp
        self.profile = profile
        self.search = search
    }

    /// The same directory, which also says whose an account at the provider is whenever somebody signs in with it
    /// (OIC-12); without this it is whoever is called as follows from the account.
    ///
    /// Say it by issuer and subject, and not by an address or a name that may be given to somebody else later.
    ///
    /// - Parameter link: whose it is; `nil` if that cannot be found out now, and then the person has to try again.
    public func linking(
        _ link: @escaping @Sendable (ProvidedAccount) async -> ProvidedAccount.Link?
    ) -> UserDirectory {
        var directory = self
        directory.link = link
        return directory
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
        /// How long after an answer it can be asked for again by who lost it: with what was spent on it, the same
        /// wishes, and a fresh proof of the same key (threat 72).
        ///
        /// Later, what comes twice was stolen, and ends what it gave (threats 23, 26 and 28); with zero it always does.
        public var repetitionWindow: Duration = .seconds(60)
        /// How long somebody stays signed in with a browser who does not sign out.
        public var browserSessionLifetime: Duration = .seconds(7_200)
        /// How long somebody who signs in in steps has for all of them together (FPA-7).
        public var signInLifetime: Duration = .seconds(600)
        /// What sign-ins may amount to, the strongest first (FPA-19).
        public var contextClasses: [ContextClass] = []
        /// Where a profile lists what its user is at which institution (AFF-1).
        public var affiliationClaim: JSON.Name = "eduPersonScopedAffiliation"
        /// How long it counts what a provider said of that at a sign-in; as long as the sign-in without this (AFF-3).
        public var affiliationLifetime: Duration?
        /// Who may have all ended that somebody was given, beside the provider (GTR-1).
        public var revokers: [Revoker] = []
        /// Whether a sign-in may begin with the name alone, as with a passkey, and everything else is asked in steps.
        public var asksNameFirst = false
        /// Whether users' passwords are taken at the token endpoint, as deployed apps send them (RFC 9700 §2.4 forbids
        /// it).
        public var takesPasswords = false
        /// Whether the services that a user used are noted and told (USE-4).
        public var hasUsageManager = true
        /// The attributes that the user's own app is told of the user, by their OpenID Connect names; all of them
        /// without this (S0, the profile filter).
        public var profileFilter: Set<JSON.Name>?
        /// How long an instance stays registered on which nobody is signed in; without a bound unless something else is
        /// said.
        public var idleRegistrations: Duration?
        /// Platforms that are shut out as a whole (FED-4).
        public var excludedPlatforms: Set<AppVersion.Platform> = []
        /// The users who may administrate versions, instances and users (TOK-5).
        public var administrators: Set<Record.Subject> = []
        /// What an administrator's sign-in has to be before that counts for one.
        public var administratorsDemand = AuthenticationDemand.none
        /// What is demanded of request tokens of the app (S1).
        public var appRequest = Statement.AppRegistration.Policy()
        /// What is demanded of proofs of possession.
        public var proof = Possession.Policy()
        /// Where services may be that are told something, and to which apps are sent.
        public var destinations = Destinations.worldwide

        /// The standard policy.
        public init() {}
    }
}
