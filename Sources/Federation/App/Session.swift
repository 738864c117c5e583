internal import NAIL
public import OAuth2Grants
internal import PureCrypto
public import RSD2
public import Wire

extension AuthorizingApp {
    /// What one copy of the edu-ID app holds: its registration, its user's personal token, and the tokens that services
    /// gave it, all of it in its store.
    ///
    /// A value without clock and network. It changes by ``Interaction``s, which a driver carries out; an answer that
    /// says nothing changes nothing, and a new refresh token is in the store before anybody uses the access token that
    /// came with it.
    public struct Session: Sendable {
        /// The copy of the app.
        public internal(set) var installation: Installation
        /// The edu-ID service, as its metadata describe it (RFC 8414).
        package let eduID: ServerDescription
        /// What app and extension share (DAT-1), and all that outlives the process, the keys for single services among
        /// it; the installation's key pair stays with the system's key chain.
        public var store: AuthorizingApp.Store
        /// Which of the user's attributes the app asks for, keeps and shows, by their OpenID Connect names; without
        /// this all that the edu-ID service releases to it.
        public var profileFilter: [JSON.Name]?
        /// The steps of a sign-in that the app can make beside name and password.
        public var steps: [SignInStep.Name] = [.oneTimeCode]
        /// Where the edu-ID service and the services may be.
        public var destinations = Destinations.worldwide
        /// How far the edu-ID service's time is ahead of the device's, or behind it where this is negative; `nil` while
        /// nothing speaks against the clock.
        ///
        /// The edu-ID service refused what bore the device's time, and took the same with its own: tell the person to
        /// correct the clock. Meanwhile what is signed bears the corrected time, so that nothing is lost; no store
        /// keeps it.
        public internal(set) var clockDifference: Duration?

        /// A copy of the app with what was kept of it; with an empty store it is not registered yet.
        public init(
            _ installation: Installation, with eduID: ServerDescription,
            store: AuthorizingApp.Store = AuthorizingApp.Store()
        ) {
            self.installation = installation
            self.eduID = eduID
            self.store = store
        }
    }
}

// MARK: - What is held

extension AuthorizingApp {
    /// Whom a token speaks for.
    public enum Holder: Sendable, Hashable {
        /// The instance, towards the edu-ID service.
        case instance
        /// The user, towards the edu-ID service.
        case user
        /// The user, towards a service.
        case service(ServiceURL)
    }
}

extension AuthorizingApp.Session {
    typealias Holder = AuthorizingApp.Holder
    typealias Store = AuthorizingApp.Store

    /// Whether the instance is registered.
    public var isRegistered: Bool { held(.instance) != nil }
    /// Whether a user is signed in.
    public var isSignedIn: Bool { held(.user) != nil }
    /// The user's attributes, for display only (USR-7).
    public var profile: JSON.Object { setting(Self.profileSetting)?.object ?? JSON.Object() }
    /// The services that the user used, where the edu-ID service tells (USE-4): those that it listed, and those that
    /// have accepted the user since.
    public var usage: [ServiceURL]? {
        listedUsage.map { listed in listed + authorizedServices.filter { !listed.contains($0) } }
    }
    /// What the edu-ID service listed.
    var listedUsage: [ServiceURL]? {
        setting(Self.usageSetting)?.array?.compactMap { $0.string.flatMap { try? ServiceURL(parsing: $0) } }
    }
    /// Keeps the usage list, or that there is none.
    mutating func keep(usage: [ServiceURL]?) throws(Rejection) {
        let text = usage.map { services in
            String(
                decoding: JSON.encodedArray { array in for url in services { array.element(url.url.text) } },
                as: UTF8.self)
        }
        try change { contents in contents.settings[Self.usageSetting] = text }
    }

    /// The services that gave the instance a token, sorted.
    public var authorizedServices: [ServiceURL] {
        store.contents.services.keys.filter { held(.service($0)) != nil }.sorted()
    }
    /// Whether a token has to be renewed before it is used.
    package func isExpired(_ holder: AuthorizingApp.Holder, at now: Timestamp) -> Bool {
        held(holder)?.isExpired(at: now) ?? false
    }

    static let seenSetting = Store.Name("seen")
    /// A digest of the name of who signed in last.
    private static let personSetting = Store.Name("person")
    /// Which session it is, by chance; none if nobody is signed in.
    static let sessionSetting = Store.Name("session")
    /// Which one this is; `nil` if nobody is signed in.
    var sessionID: String? { store.contents.settings[Self.sessionSetting] }
    static let usageSetting = Store.Name("usage")
    private static let endedSetting = Store.Name("ended")
    static let profileSetting = Store.Name("profile")

    /// The signatures of apps' requests that must not come again.
    var seenRequests: ProtocolRequest.Seen {
        let text = store.contents.settings[Self.seenSetting]
        return ProtocolRequest.Seen(text.flatMap { try? JSON(parsing: $0) }?.object ?? JSON.Object())
    }

    private func setting(_ name: Store.Name) -> JSON? {
        // What is there is looked at first, which costs less.
        guard let text = store.contents.settings[name], isSignedIn else { return nil }
        return try? JSON(parsing: text)
    }

    private func key(_ type: Store.Name) -> Store.TokenKey {
        Store.TokenKey(subject: .init(installation.instance), target: .init(eduID.issuer), type: type)
    }

    private static let clientType: Store.Name = "client"
    private var instanceKey: Store.TokenKey { key(Self.clientType) }
    private var userKey: Store.TokenKey { key("personal") }
    /// Where a sign-in is kept that waits for a step.
    var signInKey: Store.TokenKey { key("signing-in") }

    /// Whether a token is the instance's, or only ends something, whoever is signed in.
    static func isOfInstance(_ place: Store.TokenKey) -> Bool {
        place.type == clientType || EndingKey.isPlace(place)
    }

    func held(_ holder: Holder) -> HeldToken? {
        let kept =
            switch holder {
            case .instance: store.contents.tokens[instanceKey]
            case .user: store.contents.tokens[userKey]
            case .service(let url): store.contents.services[url]?.token
            }
        return kept.flatMap { HeldToken($0, of: installation) }
    }

    func token(of holder: Holder) throws(Rejection) -> HeldToken {
        if let token = held(holder) { return token }
        switch holder {
        case .instance: throw .unregistered
        case .user: throw .signedOut
        case .service(let url): throw .unauthorized(url)
        }
    }

    /// Where a token is renewed.
    func tokenEndpoint(of holder: Holder) throws(Rejection) -> WebURL {
        guard case .service(let url) = holder else { return try endpoint(.token) }
        guard let target = store.contents.services[url]?.tokenTarget else { throw .unauthorized(url) }
        return try permitted(target, namedBy: url.url)
    }

    /// An endpoint that the edu-ID service's metadata tell, or another server's.
    func endpoint(
        _ endpoint: ServerDescription.Endpoint, of server: ServerDescription? = nil
    ) throws(Rejection) -> WebURL {
        let server = server ?? eduID
        guard let url = server.endpoints[endpoint] else { throw .noEndpoint(endpoint) }
        return try permitted(url, namedBy: server.base)
    }

    /// A URL that a service or server named, where it may be asked (threat 70).
    func permitted(_ url: WebURL, namedBy home: WebURL) throws(Rejection) -> WebURL {
        guard destinations.permits(url, namedBy: home) else { throw .closedAddress(url) }
        return url
    }
}

extension WebURL {
    /// A URL below one without query, which a word behind it leaves valid.
    func below(_ path: String) -> WebURL {
        (try? appending(path)) ?? self
    }
}

// MARK: - What is kept

extension AuthorizingApp.Session {
    /// Changes what is kept, all of it or nothing.
    mutating func change(_ body: (inout Store.Contents) -> Void) throws(Rejection) {
        try store.change(body)
    }

    /// Keeps a token in the place of an earlier one; a service has to be known.
    ///
    /// - Parameter newer: the copy of the app that is going to use it, where that is another one.
    mutating func keep(
        _ token: HeldToken, of holder: Holder, from endpoint: WebURL? = nil,
        by newer: AuthorizingApp.Installation? = nil
    ) throws(Rejection) {
        let (kept, instanceKey, userKey) = (try token.kept(by: newer ?? installation), instanceKey, userKey)
        if case .service(let url) = holder, store.contents.services[url] == nil { throw .unknownService(url) }
        try change { contents in
            switch holder {
            case .instance: contents.tokens[instanceKey] = kept
            case .user: contents.tokens[userKey] = kept
            case .service(let url):
                // What another endpoint gave to apps would be shown to this one when it is to end.
                if let endpoint, endpoint != contents.services[url]?.tokenTarget { contents.forgetGiven(at: [url]) }
                contents.services[url]?.token = kept
                if let endpoint { contents.services[url]?.tokenTarget = endpoint }
            }
        }
    }

    /// What the person has ended in this session at services, and of apps there, by its marks, each as often as that
    /// was, the latest last.
    ///
    /// What is under way in another process finds here what was ended meanwhile.
    var endedMarks: [String] { setting(Self.endedSetting)?.array?.compactMap { $0.string } ?? [] }

    /// By which a service is noted, or an app there: as long for every URL, so that none is too long to be ended.
    static func mark(of service: ServiceURL, for app: BundleID? = nil) -> String {
        let text = app.map { service.identity + " " + $0.text } ?? service.identity
        return Base64URL.encode(SHA256.hash(data: [UInt8](text.utf8)))
    }

    /// Whether the person has ended a service, or an app there, beside what was noted before.
    func isEnded(_ service: ServiceURL, for app: BundleID? = nil, since before: [String]) -> Bool {
        let mark = Self.mark(of: service, for: app)
        return endedMarks.count { $0 == mark } > before.count { $0 == mark }
    }

    /// Notes that the person has ended a service, or an app there; what is under way does not last for 64 more of them.
    mutating func note(ended service: ServiceURL, for app: BundleID? = nil) throws(Rejection) {
        let ended = (endedMarks + [Self.mark(of: service, for: app)]).suffix(64)
        let text = String(
            decoding: JSON.encodedArray { array in for mark in ended { array.element(mark) } }, as: UTF8.self)
        try change { contents in contents.settings[Self.endedSetting] = text }
    }

    /// Keeps which signatures of apps' requests came.
    mutating func keep(_ seen: ProtocolRequest.Seen) throws(Rejection) {
        let text = JSON.object(seen.json).encodedString()
        try change { contents in contents.settings[Self.seenSetting] = text }
    }

    /// Forgets a token with all that stands on it, and with the user's everything that was given to the user.
    mutating func forget(_ holder: Holder) throws(Rejection) {
        let (userKeys, instance) = ([userKey, signInKey], Store.Name(installation.instance))
        try change { contents in
            if case .service(let url) = holder {
                contents.services[url]?.token = nil
                contents.forgetGiven(at: [url])
                return
            }
            contents.tokens = contents.tokens.filter { $0.key.subject == instance && !userKeys.contains($0.key) }
            for url in contents.services.keys { contents.services[url]?.token = nil }
            let settings = [Self.usageSetting, Self.profileSetting, Self.sessionSetting, Self.endedSetting]
            for name in settings { contents.settings[name] = nil }
        }
    }

    /// Forgets the user, with all that was known of services and was chosen among them.
    mutating func forgetPerson() throws(Rejection) {
        try forget(.user)
        let instance = Store.Name(installation.instance)
        try change { contents in
            contents.unlink(keepingTokensOf: instance)
            for name in [Self.exceptionsSetting, Self.personSetting] { contents.settings[name] = nil }
        }
    }

    /// Begins a session: what another person left behind is forgotten.
    ///
    /// - Parameter user: who it is; without a name it is nobody who was there before.
    /// - Parameter token: what the person was given.
    /// - Parameter chance: 16 bytes, by which the session is told from every other.
    mutating func begin(for user: UserName?, with token: HeldToken, _ chance: [UInt8]) throws(Rejection) {
        let name = user.map { user in
            let words = "person:\(installation.instance.text):\(user.text)"
            return Base64URL.encode(SHA256.hash(data: [UInt8](words.utf8)))
        }
        if name != nil, store.contents.settings[Self.personSetting] == name {
            // Whoever is signed in and signs in anew keeps what stands on the grant, if it is the same: of one that has
            // ended meanwhile nothing lasts.
            if let own = held(.user), own.keyID == token.keyID { return }
            try forget(.user)
        } else {
            try forgetPerson()
        }
        try change { contents in
            contents.settings[Self.personSetting] = name
            contents.settings[Self.sessionSetting] = Base64URL.encode(chance)
        }
    }
}
