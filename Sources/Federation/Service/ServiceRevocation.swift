internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (10): ending tokens.

extension FederationService {
    /// Ends a token (TOK-4): an app its own, an instance its own and those of apps on it (TOK-6), the edu-ID service by
    /// assertion (TOK-7).
    ///
    /// Of other people's tokens nothing is told, and nothing ends (threat 33); what has ended already is over for
    /// whoever asks again.
    func revoke(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try RevocationRequest(parsing: call.request))
        switch request.credential {
        case .assertion(let proof): return try takingBack(request, proof, call)
        case .none:
            return { asking throws(Refusal) in
                try revokePlain(
                    try authority.record(meantBy: request, ofProvenRequester: false, &asking), by: request.client)
            }
        default: break
        }
        let demand = call.demand(evenExpired: true, evenEnded: true)
        let presented = try authority.present(request.credential, demand, at: call.now)
        let isProven = if case .plain = presented.presentation { false } else { true }
        return { asking throws(Refusal) in
            // Looked up first, so that signatures are checked when nothing is missing any more.
            let meant = try authority.record(meantBy: request, ofProvenRequester: isProven, &asking)
            let former = try formerGrants(than: meant, under: presented.id, &asking)
            let requester = try authority.requester(presented, demand, policy: policy.proof, &asking)
            if let client = request.client { try requester.check(client) }
            let confirmed = RevocationRequest.Outcome.confirmed.encoded()
            var changes = requester.changes.evenWithoutRoom
            guard let meant, requester.owns(meant) else { return Answer(confirmed, changes) }
            changes.append(.revoke(meant.record.id, .surrendered))
            changes += former.prefix(endedAtOnce).map { .revoke($0, .surrendered) }
            // A success would be taken for the whole.
            guard former.count <= endedAtOnce else { throw Refusal.moreGrants.changing(changes) }
            if meant.record.id == requester.record.id { changes += try endOfTwins(of: meant.record, &asking) }
            return Answer(confirmed, changes)
        }
    }

    /// What the same app was given before with the service token that asks for the end: the instance keeps only the
    /// last tokens of an app, and whoever ends one means all that the app got until then (TOK-5).
    ///
    /// What it was given since then stays, because the request may come late.
    private func formerGrants(
        than grant: Lineage?, under ground: TokenID?, _ asking: inout Inquiry
    ) throws(Refusal) -> [TokenID] {
        guard let grant, grant.record.kind == .app, let ground, grant.grounded(on: .service)?.record.id == ground
        else { return [] }
        // The newest come first.
        let grants = try asking.records(.under(ground, .app)).drop { $0.record.id != grant.record.id }.dropFirst()
        return grants.filter { $0.record.holder == grant.record.holder && $0.isUnended }.map { $0.record.id }
    }

    /// The end of what the same instance was given for the same user by earlier introductions.
    ///
    /// It may have lost the tokens, and whoever ends what a service gave means all of it (TOK-6). What it was given
    /// since then stays, because the request may come late; bound: it looks at the newest 256 grants of the user.
    private func endOfTwins(of grant: Record, _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        guard grant.kind == .service, let user = grant.subject else { return [] }
        // The newest come first.
        let grants = try asking.page(of: .subject(user, .service), after: nil, limit: 256).lineages
        return grants.drop { $0.record.id != grant.id }.dropFirst().compactMap { twin in
            twin.record.holder == grant.holder && twin.isUnended ? .revoke(twin.record.id, .surrendered) : nil
        }
    }

    /// Ends the token of an app without a key: the token itself is all that the app can show, beside its name.
    private func revokePlain(_ meant: Lineage?, by client: ClientID?) throws(Refusal) -> Answer<HTTP.Response> {
        guard let client, meant?.record.boundKey == nil else { throw .unproved("RFC7009-2.1") }
        var changes: [Change] = []
        if let record = meant?.record, let holder = record.holder, holder.text.utf8.elementsEqual(client.text.utf8) {
            changes.append(.revoke(record.id, .surrendered))
        }
        return Answer(RevocationRequest.Outcome.confirmed.encoded(), changes)
    }

    /// Ends what was granted on an assertion, or by a key, which the edu-ID service takes back.
    private func takingBack(_ request: RevocationRequest, _ proof: Assertion, _ call: Call) throws(Refusal) -> Procedure
    {
        let token = try Statement.Unverified(ofClient: proof)
        if let client = request.client, client != ClientID(eduID.issuer) { throw .otherClient }
        return { asking throws(Refusal) in
            let name = request.hint == .key ? nil : try? JWT.ID(parsing: request.token.secret).text
            // Looked up together, so that signatures are checked when nothing is missing any more.
            let ids = [token.keyID.map(ground(ofKey:))].compactMap { $0 } + (name.map(names(ofAssertion:)) ?? [])
            _ = try asking.facts(ids.map { .record($0) })
            let (use, withdrawn) = try proven(token, &asking)
            var changes = [use.change].evenWithoutRoom
            if request.hint == .key {
                let known = try asking.keys(of: eduID.keys, anew: true)
                // Confirmed is only what the published keys say too; until then the message comes again.
                guard known.withdrawn.keys.contains(where: { $0.text.utf8.elementsEqual(request.token.secret.utf8) })
                else { throw .stillPublished.changing(changes) }
                changes += try withdrawing(known.withdrawn, &asking)
            } else {
                if let name { changes += try end(ofAssertion: name, &asking) }
                changes += withdrawn
            }
            return Answer(RevocationRequest.Outcome.confirmed.encoded(), changes)
        }
    }

    /// The end of what was granted on an assertion; one that never came here can never be redeemed here.
    private func end(ofAssertion name: String, _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        if let lineage = try lineage(ofAssertion: name, &asking) { return [.revoke(lineage.record.id, .issuer)] }
        // It may still be on its way, whatever the hint says: it is noted as revoked before it comes.
        let id = ground(ofAssertion: name)
        return [.insert(revoked(id, asking.now)), .revoke(id, .issuer)]
    }

    private func revoked(_ id: TokenID, _ now: Timestamp) -> Record {
        Record(
            id: id, kind: .assertion, parent: nil, issued: now, audience: .init(authority.issuer),
            accessExpiry: now + .seconds(600))
    }
}

extension Refusal {
    fileprivate static let stillPublished = Refusal(
        .temporarilyUnavailable, "the keys that you publish do not say that this one is withdrawn; try again later",
        "threat-76")
    fileprivate static let moreGrants = Refusal(
        .temporarilyUnavailable, "a part has ended, and there is more; ask again", "TOK-5")
}
