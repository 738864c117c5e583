internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// (8): app tokens for third-party apps.

extension FederationService {
    /// Gives the token of a third-party app to the instance that authorizes it (APP-2, APP-7).
    func appAuthorization(by code: Assertion, _ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure {
        let demand = call.demand(.service)
        let presented = try authority.present(request.credential, demand, at: call.now)
        let token = try refusing(TokenRejection.self, try Statement.Unverified(parsing: code, as: .appCode))
        let origin = presented.id.flatMap { id in token.claimedID.map { (service: id, code: ground(of: $0, on: id)) } }
        return { asking throws(Refusal) in
            var earlier: Lineage?
            if let origin {
                // Both in one look-up, so that signatures are checked when nothing is missing any more.
                earlier = try asking.facts(.record(origin.service), .record(origin.code)).lineage(of: origin.code)
            }
            let requester = try authority.requester(presented, demand, policy: policy.proof, &asking)
            guard let key = requester.key, let standing = Standing(requester.grant(at: asking.now)) else {
                throw .failed
            }
            try policy.admit(standing, at: .authorizationServer, asking.now)
            // The key that proved the request signed the code too (APP-5).
            var demanded = Statement.Policy.appCode
            demanded.algorithms = policy.proof.holders.algorithms
            let code = try refusing(
                TokenRejection.self,
                try Statement.AppCode(
                    checking: token, by: key, to: endpoints.authorization, policy: demanded, appKey: request.key,
                    at: asking.now))
            try check(request, by: code.instance.text)
            guard let origin else { throw .failed }
            let digest = request.digest(presenting: origin.code)
            if let earlier {
                let isOver = earlier.entry.fate.revocation != nil
                let answer =
                    isOver
                    ? nil
                    : try repetition(
                        of: .app, on: earlier, answering: digest, &asking,
                        admitting: { () throws(Refusal) in try admit(code.app) })
                if let answer { return Answer(answer, requester.changes) }
                // With the proof noted, the same message that comes twice is a replay, and ends nothing.
                throw Refusal(
                    .invalidGrant, "the app code was redeemed before; what it gave has been revoked", "threat-26",
                    changes: isOver
                        ? [] : requester.changes.evenWithoutRoom + [.revoke(origin.code, .replayed)])
            }
            try admit(code.app)
            return try welcome(
                code, origin.code, of: requester, standing, scope: try granted(request.scope),
                boundTo: try request.key.agreeing(with: code.appKey, .twoKeys), digest, &asking)
        }
    }

    /// Gives an app's token, on the ground of the code, which stands on the service token (APP-11).
    private func welcome(
        _ code: Statement.AppCode, _ origin: TokenID, of requester: Requester, _ standing: Standing, scope: Scope,
        boundTo appKey: JWK?, _ digest: Fingerprint, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let key =
            appKey == nil && policy.keylessApps == .bearerToken ? nil : try authority.binding(to: appKey, policy.proof)
        let end = policy.grantLifetime.map { asking.now + $0 }
        let lifetime = accessLifetime(on: requester.lineage, ending: end, at: asking.now)
        let service = requester.record
        let ground = Record(
            id: origin, kind: .code, parent: service.id, issued: asking.now, holder: service.holder,
            subject: service.subject, accessExpiry: code.expiration)
        let (told, record) = try authority.grant(
            .app, on: origin, to: .init(code.app), about: service.subject, at: service.audience, scope: scope,
            boundTo: key, knowing: appKey, keeping: standing.authentication.claims, lifetime: lifetime, ending: end,
            answering: digest, &asking)
        return Answer(told, requester.changes + [.insert(ground), .consume(origin), .insert(record)])
    }

    /// The record of a code: the client chose its name, so here it has one that follows from the client's record and
    /// that name.
    private func ground(of code: JWT.ID, on service: TokenID) -> TokenID {
        TokenID("code", of: code.text, by: service.text)
    }

    /// What an app is to be given: the endpoints that were asked for, all of which must be offered (APP-4, APP-9).
    private func granted(_ requested: Scope?) throws(Refusal) -> Scope {
        guard let requested else {
            throw Refusal(.invalidScope, "the request names no endpoints of protocols as its scope", "APP-4")
        }
        let offer = endpoints.offer
        var tokens: [Scope.Token] = []
        for word in requested.tokens {
            guard let token = word.endpoint == nil ? offered(word) : word, offer.allows(token) else {
                throw Refusal(.invalidScope, "the scope names what this service does not offer: '\(word)'", "APP-4")
            }
            tokens.append(token)
        }
        if policy.extendsTokens, let token = try? Scope.Token(endpoints.token) { tokens.append(token) }
        let scope = Scope(tokens)
        guard scope.text.utf8.count <= Self.scopeLimit else {
            throw Refusal(.invalidScope, "the scope has more than \(Self.scopeLimit) bytes", "threat-14")
        }
        return scope
    }

    /// The scope stands in every access token of the grant, which has to fit into a header field, and in its record.
    private static var scopeLimit: Int { 4_096 }

    /// The endpoint of a protocol that is named.
    private func offered(_ word: Scope.Token) -> Scope.Token? {
        guard let name = try? ProtocolName(parsing: word.text), let url = try? document.endpoint(for: name) else {
            return nil
        }
        return try? Scope.Token(url)
    }
}

extension Refusal {
    fileprivate static let twoKeys = Refusal(
        .invalidRequest, "the code and 'req_cnf' name different keys of the app", "APP-5")
}
