internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// The edu-ID service has all ended that somebody was given here (GTR-1 to GTR-3).

extension FederationService {
    /// Ends all that somebody was given, and takes no introduction of the person any more that was made before.
    func endEverything(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try GlobalRevocation(parsing: call.request))
        let token = try Statement.Unverified(ofParty: request.credential)
        return { asking throws(Refusal) in
            // Looked up first, so that signatures are checked when nothing is missing any more.
            let user = Record.Subject(request.subject)
            let grounds = try asking.records(.subject(user, .assertion)).filter { $0.isUnended }
            let bar = try asking.lock(of: bar(of: user))
            let (use, withdrawn) = try proven(token, &asking)
            guard request.issuer == eduID.issuer else {
                throw Refusal.foreignPerson.changing([use.change].evenWithoutRoom)
            }
            let now = asking.now
            var changes = [use.change].evenWithoutRoom + withdrawn
            if let bar { changes.append(.revoke(bar.id, .issuer)) }
            changes.append(.insert(barring(user, after: bar, at: max(use.made ?? now, now), &asking)))
            return try .everything(changes, grounds.map { $0.ended(.issuer, at: now) })
        }
    }

    /// Believes the edu-ID service by a statement of its own: what must not come twice, and what follows from the keys
    /// that it has withdrawn.
    func proven(
        _ token: Statement.Unverified, _ asking: inout Inquiry
    ) throws(Refusal) -> (use: Statement.SingleUse, withdrawn: [Change]) {
        let known = try asking.keys(of: eduID.keys, naming: token.keyID)
        let withdrawn = try withdrawing(known.withdrawn, &asking)
        let key = try token.keyID.flatMap { id throws(Refusal) in try asking.lineage(of: ground(ofKey: id)) }
        // threat 76: never taken again, whoever publishes or hands it over.
        let isWithdrawn = key?.record.withdrawnSince != nil
        let checked = try refusing(
            TokenRejection.self,
            try Statement.ClientAssertion(
                checking: token, by: isWithdrawn ? [] : known.keys, of: .init(eduID.issuer),
                to: Statement.Addressee(authority.issuer), at: asking.now))
        return (checked.singleUse, withdrawn)
    }

    // MARK: What was made before counts no more

    private static let madeBefore: JSON.Name = "made_before"

    /// The name of a person's bar, which nobody and no app has.
    func bar(of user: Record.Subject) -> Record.Holder {
        .named(TokenID("bar", of: user.text, by: eduID.issuer.text).text)
    }

    /// It is needed for as long as an assertion can be redeemed that was made until then, and never says less than the
    /// former one.
    private func barring(
        _ user: Record.Subject, after former: Record?, at time: Timestamp, _ asking: inout Inquiry
    ) -> Record {
        let second = time.seconds + (time.nanoseconds > 0 ? 1 : 0)
        let end = max(Timestamp(seconds: second), former.flatMap(Self.end(ofBar:)) ?? .distantPast)
        return Record(
            id: TokenID(using: &asking.chance), kind: .lock, parent: nil, issued: asking.now, holder: bar(of: user),
            finalExpiry: end + .seconds(660), attributes: [Self.madeBefore: .number(JSON.Number(end.seconds))])
    }

    private static func end(ofBar bar: Record) -> Timestamp? {
        bar.attributes[madeBefore]?.number?.integer(as: Int64.self).map { Timestamp(seconds: $0) }
    }

    /// Refuses an introduction that was made before all of its person's ended.
    func check(_ grant: Statement.AssertionGrant, against bar: Record?) throws(Refusal) {
        guard let end = bar.flatMap(Self.end(ofBar:)), grant.issuedAt <= end else { return }
        throw Refusal(
            .invalidGrant, "all that this person was given was ended after the assertion was made; ask for another one",
            "GTR-1")
    }

    /// Whether a lock shuts nobody out, and bars what was made before.
    static func isBar(_ lock: Record) -> Bool { lock.attributes[madeBefore] != nil }
}
