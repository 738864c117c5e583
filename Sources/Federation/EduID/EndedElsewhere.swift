internal import OAuth2Grants
internal import TokenTree
internal import Wire

// A provider says that somebody's sessions there have ended (OIC-15 to OIC-17).

extension EduIDService {
    /// Takes a provider's word that sessions have ended: of all of them, what the person signed in to through that
    /// provider ends here too; of one in some browser, the person is asked anew when the sign-in is renewed.
    ///
    /// Who is not known here is told nothing else than who is.
    func providerLogout(_ call: Call) throws(Refusal) -> Procedure {
        guard let provider else { throw .failed }
        let request = try refusing(ParameterRejection.self, try OpenID.LogoutRequest(parsing: call.request))
        return { asking throws(Refusal) in
            let ending = try provider.ending(by: request, at: authority, &asking)
            let (taken, now) = (OpenID.LogoutRequest.taken, asking.now)
            guard let noted = ending.noted else { return Answer(taken) }
            guard let user = ending.user else { return Answer(taken, [noted].evenWithoutRoom) }
            let signIns = try asking.records(.subject(user, .personal)).filter { lineage in
                lineage.verdict(at: now).grantLives
                    && Provider.isSource(of: lineage.record, user: user, session: ending.session)
                    // What began after the word was given, and after what clocks may differ, is none of it.
                    && lineage.record.issued <= ending.said + .seconds(60)
            }
            let changes = signIns.flatMap { signIn in
                ending.session == nil
                    ? self.ending(signIn, .issuer, at: now) : signIn.record.askingAgain(since: ending.said)
            }
            return Answer(taken, [noted].evenWithoutRoom + changes)
        }
    }
}

extension Record {
    private static let askAgain: JSON.Name = "ask_again"

    /// Since when the person is to be asked for proof anew before this is renewed; `nil` if that is not so.
    var asksAgain: Timestamp? {
        attributes[Self.askAgain]?.number?.integer(as: Int64.self).map { Timestamp(seconds: $0) }
    }

    /// Has the person asked anew before this is renewed.
    fileprivate func askingAgain(since time: Timestamp) -> [Change] {
        var attributes = attributes
        attributes[Self.askAgain] = .number(JSON.Number(max(time.seconds, asksAgain?.seconds ?? time.seconds)))
        return keepingAnew(attributes)
    }
}
