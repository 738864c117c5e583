internal import JOSE
internal import NAIL
public import OAuth2Grants
internal import PureCrypto
public import RSD2
public import Wire

// What a person ends is over here at once, with or without a network: all secrets go but a key that can only end, and
// that goes when the other side has confirmed (threat 32).

extension AuthorizingApp {
    /// Something that is over for the person, and of which the other side has not confirmed yet that it is.
    public struct Ending: Sendable, Equatable {
        /// What is over.
        public enum Matter: Sendable, Hashable {
            /// The session at the edu-ID service, and with it everything at every service (TOK-6).
            case session
            /// What a service gave, and with it what apps got there.
            case service(ServiceURL)
            /// What a third-party app got at a service.
            case app(BundleID, at: ServiceURL)
        }

        /// What is over.
        public let matter: Matter
        /// Since when it is over for the person.
        public let since: Timestamp
    }

    /// How far the end of something has come.
    public enum Ended: Sendable, Hashable {
        /// The other side has confirmed it.
        case confirmed
        /// It is over here, and the other side is told as soon as it can be reached.
        case pending
    }
}

extension AuthorizingApp.Session {
    /// What is over for the person and not confirmed by the other side yet, in the order of their names.
    public var endings: [AuthorizingApp.Ending] {
        endingKeys.map { AuthorizingApp.Ending(matter: $0.key.matter, since: $0.key.since) }
    }

    /// The keys that can only end, each with its place in the store.
    fileprivate var endingKeys: [(place: Store.TokenKey, key: EndingKey)] {
        store.contents.tokens.sorted { $0.key < $1.key }.compactMap { place, kept in
            EndingKey.isPlace(place) ? EndingKey(kept, of: installation).map { (place, $0) } : nil
        }
    }

    /// Ends what is meant as far as this device goes, and keeps the keys that tell the other side.
    fileprivate mutating func end(
        _ matter: AuthorizingApp.Ending.Matter, at now: Timestamp
    ) throws(Rejection) -> [Store.TokenKey] {
        let held = try token(of: matter.holder)
        let endpoint = matter.home.flatMap { revocationEndpoint(of: $0) }
        var keys: [EndingKey] = []
        if case .app(let app, let service) = matter {
            // The newest comes first: it ends what the app was given before, too.
            for token in given(to: app, at: service).reversed() {
                keys.append(EndingKey(matter, token.token, by: held, at: endpoint, since: now, until: token.end))
            }
            guard !keys.isEmpty else { throw .unauthorizedApp(app, service) }
        } else {
            // What can be renewed lives longer than its access token.
            let end = held.response.refreshToken == nil ? held.expiration : nil
            keys.append(EndingKey(matter, held.response.accessToken, by: held, at: endpoint, since: now, until: end))
        }
        let target = matter.home == nil ? .init(eduID.issuer) : EndingKey.target(of: endpoint)
        var places: [Store.TokenKey] = []
        var session = self
        try session.drop(matter)
        // Many tokens of one app take no other ending's place.
        let room = max(1, EndingKey.spare - session.endings(at: target).count)
        for key in keys.prefix(room) { places.append(try session.keep(key, at: target)) }
        self = session
        return places
    }

    /// Keeps what ends the session that a code opens, before the code is redeemed.
    ///
    /// Who does not hear what came of it can still end it, and would otherwise stand in the way of everybody else who
    /// wants to sign in here (USR-1).
    mutating func keepEnding(
        ofSessionBy code: Secret.AuthorizationCode, at now: Timestamp
    ) throws(Rejection) -> Store.TokenKey {
        let held = try token(of: .instance)
        let token = try wrapping(Rejection.syntax, try AccessToken(parsing: code.secret))
        var key = EndingKey(.session, token, by: held, at: nil, since: now, until: nil)
        key.isRedeemed = true
        return try keep(key, at: .init(eduID.issuer))
    }

    /// Keeps what ends the token of an app that it was given while the person ended what it has there; `nil` if
    /// nothing of the service is held any more.
    mutating func keepEnding(
        of token: AccessToken, givenTo app: BundleID, at service: ServiceURL, at now: Timestamp
    ) throws(Rejection) -> Store.TokenKey? {
        guard let held = held(.service(service)) else { return nil }
        let endpoint = revocationEndpoint(of: service)
        let key = EndingKey(.app(app, at: service), token, by: held, at: endpoint, since: now, until: nil)
        return try keep(key, at: EndingKey.target(of: endpoint))
    }

    /// Keeps what can end something; where there is no more room at its target, the oldest gives way.
    private mutating func keep(_ key: EndingKey, at target: Store.Name) throws(Rejection) -> Store.TokenKey {
        let place = key.place(of: Store.Name(installation.instance), at: target)
        let others = endings(at: target).filter { $0.place != place }
        let oldest = others.count < EndingKey.limit ? nil : others.min { $0.key.since < $1.key.since }?.place
        let kept = try key.kept(by: installation)
        try change { contents in
            if let oldest { contents.tokens[oldest] = nil }
            contents.tokens[place] = kept
        }
        return place
    }

    /// Where a service ends tokens; whether it may be asked is seen to when it is.
    private func revocationEndpoint(of service: ServiceURL) -> WebURL? {
        store.contents.services[service]?.endpoint("revoke")
    }

    private func endings(at target: Store.Name) -> [(place: Store.TokenKey, key: EndingKey)] {
        endingKeys.filter { $0.place.target == target }
    }

    /// Forgets what is over, with everything that stands on it.
    private mutating func drop(_ matter: AuthorizingApp.Ending.Matter) throws(Rejection) {
        switch matter {
        case .session: try forgetPerson()
        case .service(let url):
            try forget(.service(url))
            try note(ended: url)
        case .app(let app, let service):
            try forgetGiven(to: app, at: service)
            try note(ended: service, for: app)
        }
    }
}

extension AuthorizingApp.Ending.Matter {
    /// Where it is; `nil` for the edu-ID service.
    fileprivate var home: ServiceURL? {
        switch self {
        case .session: nil
        case .service(let url): url
        case .app(_, at: let url): url
        }
    }

    /// Whose token ends it.
    fileprivate var holder: AuthorizingApp.Holder {
        guard let home else { return .user }
        return .service(home)
    }
}

// MARK: - What is done

extension AuthorizingApp.Interaction where Value == AuthorizingApp.Ended {
    /// Signs the user out (UX-5): the personal token ends, and with it every authorization of every app (UX-6); what
    /// was known of the user and of services is forgotten at once.
    public static var signOut: Self { ending(.session) }

    /// Ends what a service gave (TOK-6), which is forgotten at once.
    public static func unlinking(_ service: ServiceURL) -> Self { ending(.service(service)) }

    /// Ends what an app was given at a service through this instance; it learns that with its next request.
    public static func ending(_ app: BundleID, at service: ServiceURL) -> Self { ending(.app(app, at: service)) }

    private static func ending(_ matter: AuthorizingApp.Ending.Matter) -> Self {
        Self { turn throws(Rejection) in
            let places = try turn.session.end(matter, at: turn.now)
            return try AuthorizingApp.Interaction<Bool>.telling(places).orNot
                .then { _, isConfirmed throws(Rejection) in .value(isConfirmed ? .confirmed : .pending) }
                .begin(&turn)
        }
    }
}

extension AuthorizingApp.Interaction where Value == [AuthorizingApp.Ending] {
    /// Tells the other sides what is over and not confirmed yet, and says what is left to tell; without a network
    /// nothing changes.
    ///
    /// A session that is about to begin is over when nobody waits for its token any more.
    public static var endings: Self {
        Self { turn throws(Rejection) in
            let places = turn.session.endingPlaces.filter { place in
                turn.session.endingKey(at: place)?.isAwaited(at: turn.now) != true
            }
            return try AuthorizingApp.Interaction<Bool>.telling(places).orNot
                .then { turn, _ throws(Rejection) in .value(turn.session.endings) }
                .begin(&turn)
        }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// Ends the instance at the edu-ID service, with whoever is signed in through it and all that stands on that, and
    /// registers it anew.
    ///
    /// It is the way on for a person who is refused because somebody else is signed in here (USR-1), of whom this app
    /// knows nothing: it was restored from a backup that is older.
    public static var startOver: Self {
        registration
            .then { _, _ throws(Rejection) in ending }
            .then { turn, _ throws(Rejection) in
                try turn.session.forgetPerson()
                try turn.session.forgetRegistration()
                return registration
            }
    }

    /// Gives the instance's own token back.
    private static var ending: Self {
        Self { turn throws(Rejection) in
            let held = try turn.session.token(of: .instance)
            let key = EndingKey(.session, held.response.accessToken, by: held, at: nil, since: turn.now, until: nil)
            return .ask(try key.message(from: &turn)) { _, response throws(Rejection) in
                try checkEnded(response)
                return .done(())
            }
        }
    }

    /// Forgets what could still end what is over, for a person who has lost what signs for it: the other sides are not
    /// told, and it is for another device, or an administrator, to end it there.
    public static var abandonedEndings: Self {
        Self { turn throws(Rejection) in
            let places = turn.session.endingPlaces
            try turn.session.change { contents in for place in places { contents.tokens[place] = nil } }
            return .done(())
        }
    }

    /// Tells the edu-ID service of sessions that are over, before another one begins there: the same person keeps the
    /// grant, which the late message would end, and another one is refused until it has come.
    static var sessionsTold: Self {
        Self { turn throws(Rejection) in
            let session = turn.session
            let places = session.endingPlaces.filter { session.endingKey(at: $0)?.matter == .session }
            return try AuthorizingApp.Interaction<Bool>.telling(places)
                .recovering { _, rejection throws(Rejection) in
                    throw rejection == .unsigned ? rejection : .unanswered
                }
                .then { _, areConfirmed throws(Rejection) in
                    guard areConfirmed else { throw .unanswered }
                    return .nothing
                }
                .begin(&turn)
        }
    }
}

extension AuthorizingApp.Interaction {
    /// Rejects an answer that does not say that something is over.
    fileprivate static func checkEnded(_ response: HTTP.Response?) throws(Rejection) {
        let outcome = try AuthorizingApp.answer(response) { response throws(ParameterRejection) in
            try RevocationRequest.Outcome(parsing: response)
        }
        if case .refused(let error) = outcome { throw .refused(error) }
    }
}

extension AuthorizingApp.Interaction where Value == Bool {
    /// This, or that it is not told yet: nobody answers, or whoever has the key does not sign.
    var orNot: Self { recovering { _, _ throws(Rejection) in .value(false) } }

    /// Tells one after the other, until nobody answers or signs; whether all of them were confirmed.
    static func telling(_ places: [AuthorizingApp.Store.TokenKey]) -> Self {
        places.reduce(Self.value(true)) { told, place in
            told.then { _, areConfirmed throws(Rejection) in
                telling(place).then { _, isConfirmed throws(Rejection) in Self.value(areConfirmed && isConfirmed) }
            }
        }
    }

    /// Tells one other side; it is rejected where nobody answers or signs, so that the others are not asked either.
    private static func telling(_ place: AuthorizingApp.Store.TokenKey) -> Self {
        let attempt = asking(place)
        return attempt.recovering { _, rejection throws(Rejection) in
            guard rejection.isUnknownClient else { throw rejection }
            // Whose key is taken has the right time: what is not known then has ended long ago.
            return AuthorizingApp.Interaction<Void>.registration
                .then { _, _ throws(Rejection) in AuthorizingApp.Interaction<Void>.proof }
                .then { _, _ throws(Rejection) in
                    attempt.recovering { turn, rejection throws(Rejection) in
                        guard rejection.isUnknownClient else { throw rejection }
                        try turn.session.change { contents in contents.tokens[place] = nil }
                        return .value(true)
                    }
                }
        }.recovering { _, rejection throws(Rejection) in
            guard rejection != .unanswered, rejection != .unsigned else { throw rejection }
            return .value(false)
        }
    }

    private static func asking(_ place: AuthorizingApp.Store.TokenKey) -> Self {
        Self { turn throws(Rejection) in
            guard let key = turn.session.endingKey(at: place), !key.isOver(at: turn.now) else {
                try turn.session.change { contents in contents.tokens[place] = nil }
                return .done(true)
            }
            return .ask(try key.message(from: &turn)) { turn, response throws(Rejection) in
                try checkEnded(response)
                try turn.session.change { contents in contents.tokens[place] = nil }
                return .done(true)
            }
        }
    }
}

extension AuthorizingApp.Session {
    /// Whose keys still have to end something.
    var endingIdentities: [ClientIdentity] { endingKeys.map { $0.key.identity } }

    fileprivate var endingPlaces: [Store.TokenKey] { endingKeys.map { $0.place } }

    fileprivate func endingKey(at place: Store.TokenKey) -> EndingKey? {
        store.contents.tokens[place].flatMap { EndingKey($0, of: installation) }
    }
}

// MARK: - The key

/// What is left of a token when it is over for the person: it makes the request that ends it, and no other one.
struct EndingKey: Sendable {
    let matter: AuthorizingApp.Ending.Matter
    let since: Timestamp
    private let token: AccessToken
    fileprivate let identity: ClientIdentity
    private let keyID: KeyID
    /// Where it is ended at a service; at the edu-ID service its metadata say so.
    private let endpoint: WebURL?
    /// When it ends by itself, where that is known, by the device's clock.
    private let expiration: Timestamp?
    /// Whether the token is a code that is redeemed, so that there may be no end of anything.
    fileprivate var isRedeemed = false

    fileprivate init(
        _ matter: AuthorizingApp.Ending.Matter, _ token: AccessToken, by held: HeldToken, at endpoint: WebURL?,
        since: Timestamp, until expiration: Timestamp?
    ) {
        (self.matter, self.token, self.since) = (matter, token, since)
        (identity, keyID) = (held.identity, held.keyID)
        (self.endpoint, self.expiration) = (endpoint, expiration)
    }

    /// Whether it has ended by itself so long ago that no clock is as wrong.
    func isOver(at now: Timestamp) -> Bool { expiration.map { now >= $0 + .seconds(30 * 86_400) } ?? false }

    /// Whether somebody may wait for the answer to its code: that is good for a minute, and its repetition for another.
    fileprivate func isAwaited(at now: Timestamp) -> Bool {
        isRedeemed && (since..<since + .seconds(120)).contains(now)
    }

    /// The request that ends it, with a proof of the moment.
    func message(from turn: inout AuthorizingApp.Turn) throws(Rejection) -> HTTP.Request {
        let url: WebURL
        if let service = matter.home {
            guard let endpoint else { throw .unauthorized(service) }
            url = try turn.session.permitted(endpoint, namedBy: service.url)
        } else {
            url = try turn.session.endpoint(.revocation)
        }
        let key = try wrapping(Rejection.key, try identity.key.signing(as: keyID))
        let proof = try wrapping(
            Rejection.issuance,
            try RequestToken.Issuance(with: key, of: .client(identity.client))
                .token(for: url, at: turn.signingTime(for: url), knowing: turn.signatures, using: &turn.chance))
        let isOwn = if case .app = matter { false } else { true }
        return try wrapping(
            Rejection.syntax,
            try RevocationRequest(token, hint: isOwn ? .accessToken : nil, credential: .bearer(proof)).encoded(to: url))
    }
}

extension EndingKey {
    private static let type = "ending-"
    /// How many are kept for one target.
    fileprivate static let limit = 64
    /// Up to how many there is room for more than the newest token of an app.
    fileprivate static let spare = 32

    static func isPlace(_ place: AuthorizingApp.Store.TokenKey) -> Bool {
        place.type.text.utf8.starts(with: type.utf8)
    }

    /// The target of what is ended at a service: where that is done.
    static func target(of endpoint: WebURL?) -> AuthorizingApp.Store.Name {
        endpoint.flatMap { try? AuthorizingApp.Store.Name(parsing: $0.text) } ?? "service"
    }

    /// Where it is kept: a place that no other one takes, whichever process keeps it, and that is not taken again.
    fileprivate func place(
        of subject: AuthorizingApp.Store.Name, at target: AuthorizingApp.Store.Name
    ) -> AuthorizingApp.Store.TokenKey {
        let mark = Base64URL.encode(SHA256.hash(data: [UInt8](token.secret.utf8)))
        return AuthorizingApp.Store.TokenKey(subject: subject, target: target, type: .named(Self.type + mark))
    }
}

// MARK: - In the store

extension EndingKey {
    func kept(by installation: AuthorizingApp.Installation) throws(Rejection) -> AuthorizingApp.Store.Token {
        let text = JSON.encodedObject { object in
            switch matter {
            case .session: break
            case .service(let url): object.member("service", url.identity)
            case .app(let app, let url):
                object.member("service", url.identity)
                object.member("app", app.text)
            }
            object.member("since", since.seconds)
            object.member("expires", ifPresent: expiration?.seconds)
            object.member("at", ifPresent: endpoint?.text)
            object.member("token", token.secret)
            if isRedeemed { object.member("redeemed", true) }
            object.member("kid", keyID.text)
            identity.write(beside: &object, unlessOf: installation)
        }
        return try AuthorizingApp.Store.kept(text)
    }

    /// A key that a store kept; `nil` if it is not one of this installation's.
    init?(_ kept: AuthorizingApp.Store.Token, of installation: AuthorizingApp.Installation) {
        let limits = JSON.Limits(size: 64 << 10, depth: 8)
        guard let members = try? JSON.Document(parsing: kept.secret, limits: limits).root.object(),
            let since = try? members["since"].integer(as: Int64.self), let token = try? members["token"].string(),
            let kid = try? members["kid"].string(), let secret = try? AccessToken(parsing: token),
            let keyID = try? KeyID(parsing: kid)
        else { return nil }
        func text(_ name: JSON.Name) -> String? { members.optional(name).flatMap { try? $0.string() } }
        let service = text("service").flatMap { try? ServiceURL(parsing: $0) }
        guard service != nil || text("service") == nil else { return nil }
        switch (service, text("app").flatMap { try? BundleID(parsing: $0) }) {
        case (nil, _): matter = .session
        case (let service?, nil): matter = .service(service)
        case (let service?, let app?): matter = .app(app, at: service)
        }
        guard let identity = ClientIdentity(keptBeside: members, or: installation) else { return nil }
        (self.identity, self.token, self.keyID) = (identity, secret, keyID)
        self.since = Timestamp(seconds: since)
        isRedeemed = members.optional("redeemed").flatMap { try? $0.bool() } ?? false
        endpoint = text("at").flatMap { try? WebURL(parsing: $0) }
        expiration = members.optional("expires").flatMap { try? $0.integer(as: Int64.self) }
            .map { Timestamp(seconds: $0) }
    }
}
