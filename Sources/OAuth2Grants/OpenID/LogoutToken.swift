public import JOSE
public import Wire

extension OpenID {
    /// What a provider sends when a session has ended (Back-Channel Logout 1.0 §2.5).
    public struct LogoutRequest: Sendable {
        /// What the provider says, not checked yet.
        public let token: Assertion

        /// Reads a request.
        public init(parsing request: HTTP.Request) throws(ParameterRejection) {
            let parameters = try Parameters(bodyOf: request)
            token = try parameters.required("logout_token", try parameters.secret("logout_token"))
        }

        /// The answer that it was taken, or told before (§2.8).
        public static var taken: HTTP.Response { .done }
    }
}

extension Statement {
    /// That a session at an OpenID provider has ended, or all sessions of somebody (OIC-16).
    public struct LogoutToken: Sendable {
        /// Who says it.
        public let issuer: Issuer
        /// Whose session it was, where that is told.
        public let subject: Subject?
        /// Which session it was; without one, all of the subject's.
        public let session: OpenID.SessionID?
        /// When it was made.
        public let issuedAt: Timestamp
        /// What must not come twice.
        public let singleUse: SingleUse
    }
}

extension Statement.LogoutToken {
    /// Believes a logout token when a key of the provider signed it for this client, it is new, and it can be nothing
    /// else.
    ///
    /// - Parameter keys: the keys that the provider publishes; another's vouch for nothing here (threat 25).
    /// - Parameter client: this client, which may be one of several that are told at once.
    /// - Parameter algorithms: by which the provider signs; those that ``OpenID/algorithms`` lacks are never taken.
    public init(
        checking received: Statement.Unverified, by keys: [VerificationKey], of provider: Issuer, to client: ClientID,
        signedBy algorithms: [Algorithm], at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.logoutToken
        let checked = try received.checkedOfProvider(
            as: kind, by: keys, signedBy: algorithms, of: provider, at: now)
        try checked.checkAudience(including: client.text)
        // An ID token has one, so neither passes for the other.
        guard !checked.claims.contains("nonce") else { throw kind.rejection(.foreignClaim("nonce")) }
        guard let events = try? checked.claims.optional("events")?.object(),
            events.optional(Self.event)?.kind == .object
        else { throw kind.rejection(.noLogout) }
        subject = try checked.claims.contains("sub") ? checked.subjectOfProvider() : nil
        session = try checked.claims.contains("sid") ? checked.identifier("sid") : nil
        guard subject != nil || session != nil else { throw kind.lacks("sub") }
        issuer = provider
        issuedAt = try checked.beginning()
        // However long it says that it holds, for its age it is refused after that.
        let end = issuedAt + OpenID.maximumAge + .seconds(1)
        singleUse = try checked.singleUse(of: provider.text, until: min(checked.expiration ?? end, end))
    }

    private static let event: JSON.Name = "http://schemas.openid.net/event/backchannel-logout"
}

extension Statement.Checked {
    /// Refuses a statement that is not for this party among others.
    fileprivate func checkAudience(including party: String) throws(TokenRejection) {
        guard let value = claims.optional("aud") else { throw kind.lacks("aud") }
        if value.isString(party) { return }
        let elements = (try? value.array()).map { Array($0) } ?? [value]
        guard elements.contains(where: { $0.isString(party) }) else {
            let found = elements.map { (try? $0.string()) ?? "" }.joined(separator: "', '")
            throw kind.rejection(.audience(expected: party, found: found))
        }
    }
}
