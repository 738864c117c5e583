internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
internal import Wire

// (8): app tokens for third-party apps.

extension FederationService {
    /// Gives the token of a third-party app to the instance that authorizes it (APP-2, APP-7).
    func authorize(_ code: Assertion, _ request: TokenRequest, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let demand = Demand(.service, at: endpoints.token, in: .authorizationServer)
        let requester = try authority.requester(request.credential, demand, policy: policy.proof, &asking)
        try admit(requester)
        guard let key = requester.key else { throw .refused(.failed) }
        let checked = try checked(code, by: key, asking.now)
        let origin = ground(of: checked, on: requester.record.id)
        guard try asking.lineage(of: origin) == nil else {
            throw .refused(
                Refusal(.invalidGrant, "the app code was redeemed before; what it gave has been revoked", "threat-26"),
                [.revoke(origin, .replayed)])
        }
        guard policy.apps.admits(checked.app) else {
            throw .refused(Refusal(.accessDenied, "this service does not admit the app", "APP-6"))
        }
        let scope = try granted(request.scope)
        let appKey = try appKey(checked, request)

        let id = TokenID(using: &asking.chance)
        let refresh = Record.Refresh.issued(for: id, using: &asking.chance)
        let isPlain = appKey == nil && policy.keylessApps == .bearerToken
        let secret = isPlain ? OpaqueToken(for: id, using: &asking.chance) : nil
        let ground = Record(
            id: origin, kind: .code, parent: requester.record.id, issued: asking.now, holder: requester.record.holder,
            subject: requester.record.subject, accessExpiry: checked.expiration)
        // APP-11: the app's grant stands on the code, which stands on the service token.
        let record = Record(
            id: id, kind: .app, parent: origin, issued: asking.now, holder: .named(checked.app.text), subject: requester.record.subject,
            audience: requester.record.audience, scope: .named(scope.text), boundKey: try isPlain ? nil : authority.binding(to: appKey),
            accessExpiry: asking.now + policy.accessLifetime, finalExpiry: policy.grantLifetime.map { asking.now + $0 },
            refresh: refresh.refresh, attributes: secret.map { [OpaqueToken.member: $0.kept] } ?? JSON.Object())
        guard let subject = requester.record.subject else { throw .refused(.failed) }
        let response = try authority.response(
            for: record, about: .named(subject.text), scope: scope, lifetime: policy.accessLifetime, secret: secret,
            refreshToken: refresh.token, at: asking.now, using: &asking.chance)
        return Answer(
            response: response.encoded(), changes: requester.changes + [.insert(ground), .consume(origin), .insert(record)])
    }

    /// The code, when the key that proved the request signed it too (APP-5).
    private func checked(_ code: Assertion, by key: BoundKey, _ now: Timestamp) throws(Interruption) -> AppCode {
        do throws(AppCode.Rejection) {
            let token: UnverifiedToken
            do throws(TokenRejection) { token = try UnverifiedToken(parsing: code) } catch { throw .token(error) }
            return try AppCode(checking: token, by: key, to: endpoints.authorization, at: now)
        } catch {
            throw .refused(Refusal(error.refusal, clause: error.clause))
        }
    }

    /// The record of a code: the client chose its name, so here it has one that follows from the client's record and that name.
    private func ground(of code: AppCode, on service: TokenID) -> TokenID {
        let name = "\(service.text.utf8.count):" + service.text + code.singleUse.id.text
        return TokenID.named("code-" + Base64URL.encode([UInt8](SHA256.hash(data: Array(name.utf8)))))
    }

    /// What an app is to be given: the endpoints that were asked for, all of which must be offered (APP-4, APP-9).
    private func granted(_ requested: Scope?) throws(Interruption) -> Scope {
        guard let requested, !requested.isEmpty else {
            throw .refused(Refusal(.invalidScope, "the request names no endpoints of protocols as its scope", "APP-4"))
        }
        let offer = endpoints.offer
        var tokens: [Scope.Token] = []
        for word in requested.tokens {
            guard let token = word.endpoint == nil ? offered(word) : word, offer.allows(token) else {
                throw .refused(Refusal(.invalidScope, "the scope names what this service does not offer: '\(word)'", "APP-4"))
            }
            tokens.append(token)
        }
        if policy.extendsTokens, let token = try? Scope.Token(endpoints.token) { tokens.append(token) }
        return Scope(tokens)
    }

    /// The endpoint of a protocol that is named.
    private func offered(_ word: Scope.Token) -> Scope.Token? {
        guard let name = try? ProtocolName(parsing: word.text), !name.isOAuth2, let url = try? document.endpoint(for: name) else {
            return nil
        }
        return try? Scope.Token(url)
    }

    /// The app's own key, from the code or from the request; two different ones are one too many.
    private func appKey(_ code: AppCode, _ request: TokenRequest) throws(Interruption) -> JWK? {
        guard let inCode = code.appKey, let inRequest = request.key else {
            guard let key = code.appKey ?? request.key else { return nil }
            return try usable(key)
        }
        guard let one = try? inCode.thumbprint(), one == (try? inRequest.thumbprint()) else {
            throw .refused(Refusal(.invalidRequest, "the code and 'req_cnf' name different keys of the app", "APP-5"))
        }
        return try usable(inRequest)
    }

    private func usable(_ key: JWK) throws(Interruption) -> JWK {
        guard (try? VerificationKey(key)) != nil else {
            throw .refused(Refusal(.invalidRequest, "signatures by the app's key are not checked here; bring an Ed25519 key", "POP-1"))
        }
        return key
    }

    /// Refuses instances that the service has excluded since they got their tokens (USR-5).
    func admit(_ requester: Requester) throws(Interruption) {
        guard let holder = requester.lineage.nearest(.service)?.holder, let instance = try? ClientID(parsing: holder.text) else { return }
        guard policy.instances.admits(instance) else { throw .refused(.deniedInstance(.unauthorizedClient)) }
    }
}

// MARK: - Renewal and revocation

extension FederationService {
    /// Renews the token of an instance or an app (TOK-2).
    func refresh(_ token: RefreshToken, _ request: TokenRequest, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let named = try? Record.Refresh.Token(parsing: token.secret)
        let requester = try requester(request.credential, request.client, at: endpoints.token, meaning: named?.id, &asking)
        try admit(requester)
        let (renewed, lineage) = try authority.renewal(
            with: token, by: requester, scope: request.scope, lifetime: policy.accessLifetime, &asking,
            ending: { id, reason, _ throws(Interruption) in [.revoke(id, reason)] })
        let record = lineage.record
        guard let subject = record.subject else { throw .refused(.failed) }
        let secret = record.boundKey == nil ? OpaqueToken(for: record.id, using: &asking.chance) : nil
        let response = try authority.response(
            for: record, about: .named(subject.text), scope: renewed.scope, lifetime: policy.accessLifetime, secret: secret,
            refreshToken: renewed.token, at: asking.now, using: &asking.chance)
        return Answer(
            response: response.encoded(), changes: requester.changes + renewed.changes + record.noting(renewed.scope, secret))
    }

    /// Ends a token (TOK-4): an app its own, an instance its own and those of apps on it (TOK-6), the edu-ID service by assertion (TOK-7).
    func revoke(_ http: HTTPRequest, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let request = try Interruption.reading { () throws(RequestRejection) in try RevocationRequest(parsing: http) }
        if case .assertion(let proof) = request.credential { return try revokeByAssertion(request, proof, &asking) }
        let meant = try authority.record(meantBy: request, &asking)
        let requester = try requester(request.credential, request.client, at: endpoints.revocation, meaning: meant?.record.id, &asking)
        var changes = requester.changes
        // Of other people's tokens nothing is told, and nothing ends (threat 33).
        if let meant, requester.owns(meant) { changes.append(.revoke(meant.record.id, .surrendered)) }
        return Answer(response: RevocationOutcome.confirmed.encoded(), changes: changes)
    }

    /// Ends what was granted on an assertion, which the edu-ID service takes back; an assertion that never came here can never be redeemed here.
    private func revokeByAssertion(
        _ request: RevocationRequest, _ proof: Assertion, _ asking: inout Consultation
    ) throws(Interruption) -> Answer {
        let use: SingleUse
        do throws(ClientAssertion.Rejection) {
            let token: UnverifiedToken
            do throws(TokenRejection) { token = try UnverifiedToken(parsing: proof) } catch { throw ClientAssertion.Rejection(error) }
            let addressee = Addressee(authority.issuer, orEndpoint: policy.acceptsEndpointAsAudience ? endpoints.revocation : nil)
            use = try ClientAssertion(
                checking: token, by: eduID.keys, of: .named(eduID.issuer.text), to: addressee, at: asking.now
            ).singleUse
        } catch {
            throw .refused(Refusal(error.refusal, clause: error.clause))
        }
        var changes = [use.change]
        if let id = try? TokenID(parsing: request.token.secret) {
            if let lineage = try asking.lineage(of: id) {
                if lineage.record.kind == .assertion { changes.append(.revoke(id, .issuer)) }
            } else if request.hint == .assertion {
                // It may still be on its way: it is noted as revoked before it comes.
                changes += [.insert(revoked(id, asking.now)), .revoke(id, .issuer)]
            }
        }
        return Answer(response: RevocationOutcome.confirmed.encoded(), changes: changes)
    }

    private func revoked(_ id: TokenID, _ now: Timestamp) -> Record {
        Record(
            id: id, kind: .assertion, parent: nil, issued: now, audience: .named(authority.issuer.text), accessExpiry: now + .seconds(600))
    }

    /// Who asks for a renewal or an end: by the proof of a key, or with a plain token by the token itself and the name of the app.
    private func requester(
        _ credential: ClientCredential, _ client: ClientID?, at url: WebURL, meaning id: TokenID?, _ asking: inout Consultation
    ) throws(Interruption) -> Requester {
        guard credential == .none else {
            var demand = Demand(.service, .app, at: url, in: .authorizationServer)
            demand.acceptsExpiredAccess = true
            return try authority.requester(credential, demand, policy: policy.proof, &asking)
        }
        guard let id, let lineage = try asking.lineage(of: id), lineage.record.kind == .app, lineage.record.boundKey == nil,
            let client, let holder = lineage.record.holder, holder.text.utf8.elementsEqual(client.text.utf8)
        else {
            throw .refused(
                Refusal(
                    .invalidClient, "prove who asks: by the key of the token, or for a plain token by its app's 'client_id'", "RFC6749-6"))
        }
        return Requester(lineage: lineage, key: nil, possession: nil, changes: [])
    }
}
