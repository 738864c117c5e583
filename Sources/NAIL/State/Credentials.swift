internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import Wire

/// One authorization in the state: what it gives, or why it gives nothing any more.
enum Authorization: Sendable {
    case live(Credentials)
    case ended(NAILState.Ending)

    var credentials: Credentials? {
        if case .live(let credentials) = self { credentials } else { nil }
    }
}

/// The tokens of an authorization, with everything that was said about them.
struct Credentials: Sendable {
    /// All members as they came, also those that nobody here knows.
    private(set) var members: JSON.Object
    let accessToken: AccessToken
    let refreshToken: RefreshToken?
    /// When the access token expires; without one, when the service says so.
    let expiration: Timestamp?
    /// When the access token came; forgotten when the state is serialized.
    private(set) var received: Timestamp?
    /// Whether the service refused the access token before its time (NIF-9).
    var isRefused = false
    let scope: Scope?
    let presentation: Presentation

    /// Checks an authorization that was received at a time.
    init(_ members: JSON.Object, receivedAt now: Timestamp, key: AppKey?, app: BundleID) throws(AuthorizationRejection)
    {
        let lifetime = members["expires_in"]?.number?.integer(as: Int64.self)
        try self.init(members, expiration: lifetime.map { now + .seconds($0) }, key: key, app: app)
        received = now
    }

    /// Checks an authorization whose expiration is known.
    init(_ members: JSON.Object, expiration: Timestamp?, key: AppKey?, app: BundleID) throws(AuthorizationRejection) {
        do throws(SecretRejection) {
            accessToken = try AccessToken(parsing: members["access_token"]?.string ?? "")
        } catch {
            throw .accessToken(error)
        }
        do throws(SecretRejection) {
            refreshToken =
                if let text = members["refresh_token"]?.string { try RefreshToken(parsing: text) } else { nil }
        } catch {
            throw .refreshToken(error)
        }
        presentation = try Presentation(members, accessToken: accessToken, key: key, app: app)
        // What is no scope by the grammar restricts nothing that could be told.
        scope = if let text = members["scope"]?.string { try? Scope(parsing: text) } else { nil }
        self.members = members
        self.expiration = expiration
    }

    func isExpired(at now: Timestamp) -> Bool {
        if isRefused { return true }
        guard let expiration else { return false }
        return now >= expiration
    }
}
