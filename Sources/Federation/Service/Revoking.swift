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
    func revoke(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let request = try Interruption.reading { () throws(ParameterRejection) in try RevocationRequest(parsing: http) }
        if case .assertion(let proof) = request.credential { return try revokeByAssertion(request, proof, &asking) }
        let meant = try authority.record(meantBy: request, &asking)
        guard request.credential != .none else { return try revokePlain(meant, by: request.client, &asking) }
        var demand = Demand(.service, .app, at: endpoints.revocation, in: .authorizationServer)
        demand.acceptsExpiredAccess = true
        demand.acceptsEndedGrant = true
        let requester = try authority.requester(request.credential, demand, policy: policy.proof, &asking)
        var changes = requester.changes
        if let meant, requester.owns(meant) { changes.append(.revoke(meant.record.id, .surrendered)) }
        return Answer(response: RevocationRequest.Outcome.confirmed.encoded(), changes: changes)
    }

    /// Ends the token of an app without a key: the token itself is all that the app can show, beside its name.
    private func revokePlain(_ meant: Lineage?, by client: ClientID?, _ asking: inout Consultation) throws(Interruption)
        -> Answer
    {
        guard let client, meant?.record.boundKey == nil else { throw .refused(.unproved("RFC7009-2.1")) }
        var changes: [Change] = []
        if let record = meant?.record, let holder = record.holder, holder.text.utf8.elementsEqual(client.text.utf8) {
            changes.append(.revoke(record.id, .surrendered))
        }
        return Answer(response: RevocationRequest.Outcome.confirmed.encoded(), changes: changes)
    }

    /// Ends what was granted on an assertion, which the edu-ID service takes back; an assertion that never came here
    /// can never be redeemed here.
    private func revokeByAssertion(
        _ request: RevocationRequest, _ proof: Assertion, _ asking: inout Consultation
    ) throws(Interruption) -> Answer {
        let use: Statement.SingleUse
        do throws(TokenRejection) {
            let token = try Statement.Unverified(parsing: proof, as: .clientAssertion)
            let addressee = Statement.Addressee(
                authority.issuer, orEndpoint: policy.acceptsEndpointAsAudience ? endpoints.revocation : nil)
            use = try Statement.ClientAssertion(
                checking: token, by: eduID.keys, of: .init(eduID.issuer), to: addressee, at: asking.now
            ).singleUse
        } catch {
            throw .refused(Refusal(error.refusal, clause: error.clause))
        }
        var changes = [use.change]
        if let id = try? TokenID(parsing: request.token.secret) {
            if let lineage = try asking.lineage(of: id) {
                if lineage.record.kind == .assertion { changes.append(.revoke(id, .issuer)) }
            } else {
                // It may still be on its way, whatever the hint says: it is noted as revoked before it comes.
                changes += [.insert(revoked(id, asking.now)), .revoke(id, .issuer)]
            }
        }
        return Answer(response: RevocationRequest.Outcome.confirmed.encoded(), changes: changes)
    }

    private func revoked(_ id: TokenID, _ now: Timestamp) -> Record {
        Record(
            id: id, kind: .assertion, parent: nil, issued: now, audience: .init(authority.issuer),
            accessExpiry: now + .seconds(600))
    }
}
