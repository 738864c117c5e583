internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

extension Provider {
    /// What a provider says has ended (OIC-16).
    struct Ending: Sendable {
        /// Whose it was, where the provider says so: the name that follows from the provider's.
        let user: Record.Subject?
        /// Which of the sessions, by a name that follows from the provider's; all of them where there is none.
        let session: String?
        /// When the provider said it: what began later is none of it.
        let said: Timestamp
        /// That it was said, for the next time; `nil` if this is the next time.
        let noted: Change?

        /// Whether it is about a sign-in that it was found by: who signed in after the word was given, and after what
        /// clocks may differ, is not meant, nor is another account, nor who has signed in again in another session.
        func means(_ signIn: Record) -> Bool {
            (user.map { Provider.isSource(of: signIn, user: $0) } ?? true)
                && (session.map { $0 == Provider.session(in: signIn.attributes) } ?? true)
                && Provider.signedIn(signIn) <= said + .seconds(60)
        }
    }

    /// Finds out what a provider says has ended; the second time the same word says nothing new.
    func ending(
        by request: OpenID.LogoutRequest, at service: Authority, _ asking: inout Inquiry
    ) throws(Refusal) -> Ending {
        let received = try refusing(
            TokenRejection.self, try Statement.Unverified(parsing: request.token, as: .logoutToken))
        // Whose it is not needs no key to be told.
        guard received.claimedIssuer == issuer else { throw .otherProvider }
        let description = try asking.description(of: self)
        let keys = try asking.keys(of: self, description, naming: received.keyID)
        let token = try refusing(
            TokenRejection.self,
            try Statement.LogoutToken(
                checking: received, by: keys, of: issuer, to: client, signedBy: algorithms, at: asking.now))
        let change = token.singleUse.change
        var isKnown = false
        if case .remember(let key, _, _) = change {
            isKnown = try asking.facts(.replay(key)).remembers(key, at: asking.now)
        }
        return Ending(
            user: token.subject.map { user($0, following: service.master) },
            session: token.session.map { name(of: $0, following: service.master) }, said: token.issuedAt,
            noted: isKnown ? nil : change)
    }
}

extension Refusal {
    fileprivate static let otherProvider = Refusal(
        .invalidRequest, "the logout token is not by the provider of this service", "OIC-16")
}
