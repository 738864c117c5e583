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
            let signIns = try signIns(of: ending, &asking).filter { lineage in
                lineage.verdict(at: now).grantLives && ending.means(lineage.record)
            }
            let changes = signIns.flatMap { signIn in
                ending.session == nil
                    ? self.ending(signIn, .issuer, at: now) : signIn.record.askingAgain(since: ending.said)
            }
            // Whoever has not come back with the code yet does not come in with it.
            let begun = try begunSignIns(of: ending, &asking).map { Change.revoke($0.record.id, .issuer) }
            return Answer(taken, [noted].evenWithoutRoom + begun + changes)
        }
    }

    /// The codes of those who have signed in at the provider: in one of its sessions, or in all of them.
    private func begunSignIns(of ending: Provider.Ending, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let begun =
            if let session = ending.session {
                try begunSignIns(foundBy: asking.records(.subject(.named(session), .session)), &asking)
            } else {
                try ending.user.map { user throws(Refusal) in try begunSignIns(of: user, &asking) } ?? []
            }
        return begun.filter { $0.record.kind == .code && ending.means($0.record) }
    }

    /// What somebody has signed in to through the provider: in one of its sessions, or in all of them.
    private func signIns(of ending: Provider.Ending, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        if let session = ending.session {
            return try asking.records(.subject(.named(session), .session)).compactMap { $0.grounded(on: .personal) }
        }
        return try ending.user.map { user throws(Refusal) in try signIns(of: user, &asking) } ?? []
    }

    /// What finds a sign-in by the session at the provider in which it was made, where the provider names one, and by
    /// the account there, where that is called otherwise here.
    ///
    /// It stands on the grant, with which it ends, or for as long as the code is good on the instance that has to bring
    /// that.
    func indexing(
        _ provided: JSON.Object, of user: Record.Subject?, on ground: Record, finding code: TokenID? = nil,
        _ asking: inout Inquiry
    ) -> [Change] {
        Provider.names(finding: provided, of: user).map { name in
            .insert(
                Record(
                    id: TokenID(using: &asking.chance), kind: .session, parent: ground.id, issued: asking.now,
                    holder: ground.holder, subject: name,
                    finalExpiry: code == nil ? nil : asking.now + policy.codeLifetime,
                    attributes: code.map { [Self.indexed: .string($0.text)] } ?? [:]))
        }
    }
}

extension Record {
    static let askAgain: JSON.Name = "ask_again"

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
