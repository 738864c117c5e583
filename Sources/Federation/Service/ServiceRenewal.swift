internal import OAuth2Grants
internal import TokenTree
internal import Wire

// The second token and all that follow: refresh.

extension FederationService {
    /// Renews the token of an instance or an app (TOK-2).
    func renewal(with token: RefreshToken, _ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure {
        let named = try? Record.Refresh.Token(parsing: token.secret)
        return Exchange.proved(by: try grantHolder(meaning: named?.id, request, call)) {
            requester, asking throws(Refusal) in
            // The instance obtained the app's token and is not its holder: each renews its own.
            guard requester.record.id == named?.id else { throw .unknownRefreshToken }
            guard let standing = Standing(requester.grant(at: asking.now)), let holder = requester.record.holder else {
                throw .failed
            }
            try policy.admit(standing, at: .authorizationServer, asking.now)
            try check(request, by: holder.text)
            return try authority.renewal(
                with: token, by: requester, request,
                lifetime: accessLifetime(on: requester.lineage, at: asking.now), window: policy.repetitionWindow,
                &asking, ending: { lineage, reason, _ in [.revoke(lineage.record.id, reason)] })
        }
    }

    /// Reads how a holder asks for a renewal, and says how to check it: by the proof of a key, or with a plain token by
    /// the token itself and the name of the app.
    private func grantHolder(
        meaning id: TokenID?, _ request: TokenRequest, _ call: Call
    ) throws(Refusal) -> Proving {
        if request.credential != .none {
            // What becomes of a grant that has ended, the renewal says (TOK-3).
            return try authority.proving(
                request.credential, call.demand(evenExpired: true, evenEnded: true), policy: policy.proof, at: call.now)
        }
        return { asking throws(Refusal) in
            guard let lineage = try asking.lineage(of: id), let holder = lineage.record.holder else {
                throw request.client == nil && request.proof == nil ? .unproved("RFC6749-6") : .unknownRefreshToken
            }
            asking.requester = lineage.record
            if let proof = request.proof {
                return try authority.requester(lineage, proof, at: call.url, policy: policy.proof, asking.now)
            }
            guard let client = request.client, lineage.record.boundKey == nil else { throw .unproved("RFC6749-6") }
            guard holder.text.utf8.elementsEqual(client.text.utf8) else { throw .unknownRefreshToken }
            return Requester(lineage: lineage, key: nil, possession: nil, changes: [])
        }
    }
}

extension Authority {
    /// Whoever proves the key of a record by a DPoP proof alone, as at a token endpoint (RFC 9449 §5): the access
    /// token may long have expired.
    func requester(
        _ lineage: Lineage, _ proof: Assertion, at url: WebURL, policy: Possession.Policy, _ now: Timestamp
    ) throws(Refusal) -> Requester {
        func refusal(_ reason: TokenRejection.Reason) -> Refusal {
            let rejection = TokenRejection(.accessToken, reason)
            return Refusal(rejection.clientRefusal, clause: rejection.clause)
        }
        guard policy.acceptsDPoP else { throw refusal(.proofNotAccepted) }
        guard let key = try key(of: lineage.record, policy) else { throw refusal(.unboundToken) }
        let received = try refusing(TokenRejection.self, try DPoPProof.Unverified(parsing: proof))
        let checked = try refusing(
            TokenRejection.self,
            try DPoPProof(
                checking: received, for: .post, requesting: url, with: nil,
                policy: policy.expecting(key, bringing: received.key), at: now))
        guard checked.isBy(key) else { throw refusal(.proofByAnotherKey) }
        return Requester(
            lineage: lineage, key: key, possession: .proof(checked, by: key.holder), changes: [checked.singleUse.change]
        )
    }
}

extension Refusal {
    /// Nobody says who asks, against the clause for what is asked.
    static func unproved(_ clause: String) -> Refusal {
        Refusal(
            .invalidClient, "prove who asks: by the key of the token, or for a plain token by its app's 'client_id'",
            clause)
    }
}
