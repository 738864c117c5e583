internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import Wire

/// One authorization in the state: what it gives, or why it gives nothing any more.
enum Authorization: Sendable {
    case live(Credentials)
    case ended(OAuth2Error.Code)

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
    init(_ members: JSON.Object, receivedAt now: Timestamp, key: DeviceKey?, app: BundleID) throws(MessageRejection) {
        let lifetime = members["expires_in"]?.number?.integer(as: Int64.self)
        try self.init(members, expiration: lifetime.map { now + .seconds($0) }, key: key, app: app)
        received = now
    }

    /// Checks an authorization whose expiration is known.
    init(_ members: JSON.Object, expiration: Timestamp?, key: DeviceKey?, app: BundleID) throws(MessageRejection) {
        let text = members["access_token"]?.string ?? ""
        accessToken = try wrapping(MessageRejection.malformedToken, try AccessToken(parsing: text))
        refreshToken =
            if let text = members["refresh_token"]?.string {
                try wrapping(MessageRejection.malformedToken, try RefreshToken(parsing: text))
            } else { nil }
        presentation = try Presentation(members, accessToken: accessToken, key: key, app: app)
        // What is not a scope by the grammar restricts nothing that could be told.
        scope = if let text = members["scope"]?.string { try? Scope(parsing: text) } else { nil }
        self.members = members
        self.expiration = expiration
    }

    func isExpired(at now: Timestamp) -> Bool {
        if isRefused { return true }
        guard let expiration else { return false }
        return now >= expiration
    }

    /// Whether a token is the access token, or was signed for a request by its key since this access token came.
    ///
    /// - Parameters:
    ///   - clocks: in whose time it may have been signed.
    ///   - now: the device's time, where it is known.
    func hasGiven(_ token: String, by clocks: [WebURL.Origin: NAILState.Clock], at now: Timestamp?) -> Bool {
        switch presentation {
        case .bearer: return (try? AccessToken(parsing: token)) == accessToken
        case .signed(_, let key):
            guard let parts = UnreadToken(token), parts.header?["kid"]?.string == key.text,
                let issued = parts.payload?["iat"]?.number?.integer(as: Int64.self)
            else { return false }
            guard let received else { return true }
            // The device's clock was set back since.
            if let now, received > now { return true }
            let url = parts.payload?["aud"]?.string.flatMap { try? WebURL(parsing: $0) }
            let difference = url.flatMap { clocks[$0.origin]?.difference } ?? .zero
            return issued >= (received + difference).seconds
        }
    }
}

/// The parts of a compact serialization that nobody has verified, and of which nothing is believed.
struct UnreadToken {
    private let parts: [Substring.UTF8View]

    init?(_ text: String) {
        parts = Substring(text).utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
    }

    var header: JSON? { value(0) }
    var payload: JSON? { value(1) }

    private func value(_ place: Int) -> JSON? {
        guard let bytes = try? Base64URL.decode(parts[place]) else { return nil }
        return try? JSON(parsing: bytes, limits: JSON.Limits(size: 16 << 10, depth: 16))
    }
}
