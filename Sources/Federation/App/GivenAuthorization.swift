public import OAuth2Grants
public import RSD2
public import Wire

// What third-party apps were given through this instance, in `Tokens` (DAT-2): the app as the subject, the service as
// the target.

extension AuthorizingApp {
    /// What a third-party app was given at a service through this instance, so that the person can end it there.
    public struct GivenAuthorization: Sendable, Equatable {
        /// The app.
        public let app: BundleID
        /// The service.
        public let service: ServiceURL
        /// When it was given something last.
        public let last: Timestamp
    }
}

/// A token that an app was given.
struct GivenToken: Sendable {
    let token: AccessToken
    let since: Timestamp
    /// When it ends by itself; `nil` if the app can renew it, or the service did not say.
    let end: Timestamp?

    /// The most that are kept of one app at one service: the newest, which the app uses.
    static let limit = 16
    static let type: AuthorizingApp.Store.Name = "app"

    init(_ response: TokenResponse, at now: Timestamp) {
        token = response.accessToken
        since = now
        end = response.refreshToken == nil ? response.lifetime.map { now + .seconds($0) } : nil
    }
}

extension AuthorizingApp.Session {
    /// What apps were given through this instance, by app and service.
    public var givenAuthorizations: [AuthorizingApp.GivenAuthorization] {
        store.contents.tokens.sorted { $0.key < $1.key }.compactMap { place, kept in
            guard place.type == GivenToken.type, let service = try? ServiceURL(parsing: place.target.text),
                let app = try? BundleID(parsing: place.subject.text),
                let last = GivenToken.read(kept).map({ $0.since }).max()
            else { return nil }
            return AuthorizingApp.GivenAuthorization(app: app, service: service, last: last)
        }
    }

    func given(to app: BundleID, at service: ServiceURL) -> [GivenToken] {
        Self.place(of: app, at: service).flatMap { store.contents.tokens[$0] }.map(GivenToken.read) ?? []
    }

    /// Records what an app was given; what has ended by itself goes.
    mutating func record(
        _ token: GivenToken, of app: BundleID, at service: ServiceURL
    ) throws(Rejection) {
        guard let place = Self.place(of: app, at: service) else { throw .unauthorizedApp(app, service) }
        var tokens = given(to: app, at: service).filter { $0.end.map { $0 > token.since } ?? true } + [token]
        tokens.removeFirst(max(0, tokens.count - GivenToken.limit))
        var kept = try? AuthorizingApp.Store.kept(GivenToken.encoded(tokens))
        while kept == nil, tokens.count > 1 {
            tokens.removeFirst()
            kept = try? AuthorizingApp.Store.kept(GivenToken.encoded(tokens))
        }
        guard let kept else { throw .unreadableToken }
        try change { contents in contents.tokens[place] = kept }
    }

    /// Forgets one of the tokens that an app was given.
    mutating func forget(
        _ token: AccessToken, givenTo app: BundleID, at service: ServiceURL
    ) throws(Rejection) {
        let tokens = given(to: app, at: service)
        let left = tokens.filter { $0.token != token }
        guard let place = Self.place(of: app, at: service), left.count < tokens.count else { return }
        let kept = try left.isEmpty ? nil : AuthorizingApp.Store.kept(GivenToken.encoded(left))
        try change { contents in contents.tokens[place] = kept }
    }

    mutating func forgetGiven(to app: BundleID, at service: ServiceURL) throws(Rejection) {
        guard let place = Self.place(of: app, at: service) else { return }
        try change { contents in contents.tokens[place] = nil }
    }

    private static func place(of app: BundleID, at service: ServiceURL) -> Store.TokenKey? {
        guard let subject = try? Store.Name(parsing: app.text), let target = service.name else { return nil }
        return Store.TokenKey(subject: subject, target: target, type: GivenToken.type)
    }
}

extension ServiceURL {
    /// The service as the target of a token; `nil` if its URL is longer than names are.
    var name: AuthorizingApp.Store.Name? { try? AuthorizingApp.Store.Name(parsing: identity) }
}

// MARK: - In the store

extension GivenToken {
    static func encoded(_ tokens: [GivenToken]) -> [UInt8] {
        JSON.encodedArray { array in
            for token in tokens {
                array.object { object in
                    object.member("token", token.token.secret)
                    object.member("since", token.since.seconds)
                    object.member("expires", ifPresent: token.end?.seconds)
                }
            }
        }
    }

    /// What a store kept; what is damaged is left out.
    static func read(_ kept: AuthorizingApp.Store.Token) -> [GivenToken] {
        let limits = JSON.Limits(size: 64 << 10, depth: 4)
        guard let elements = try? JSON.Document(parsing: kept.secret, limits: limits).root.array() else { return [] }
        return elements.compactMap { (try? $0.object()).flatMap(GivenToken.init) }
    }

    private init?(_ members: JSON.Document.Object) {
        guard let text = try? members["token"].string(), let token = try? AccessToken(parsing: text),
            let since = try? members["since"].integer(as: Int64.self)
        else { return nil }
        self.token = token
        self.since = Timestamp(seconds: since)
        end = members.optional("expires").flatMap { try? $0.integer(as: Int64.self) }.map { Timestamp(seconds: $0) }
    }
}
