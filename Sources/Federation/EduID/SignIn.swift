internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (2): users' credentials against personal tokens.

extension EduIDService {
    /// Takes a user's credentials from an instance, for a code that it alone can redeem.
    func challenge(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let request = try Interruption.reading { () throws(ParameterRejection) in
            try ChallengeRequest(parsing: http)
        }
        // AUT-1: who is not admitted learns nothing about credentials.
        let instance = try instance(request.credential, at: Path.challenge, &asking)
        try instance.check(request.client)
        guard let user = try asking.user(named: request.user, with: request.password) else {
            throw .refused(.wrongCredentials)
        }
        let code = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
        let record = Record(
            id: code.id, kind: .code, parent: instance.record.id, issued: asking.now, holder: instance.record.holder,
            subject: user,
            accessExpiry: asking.now + policy.codeLifetime,
            attributes: [OpaqueToken.member: code.kept, Self.codeChallenge: .string(request.challenge.text)])
        guard let text = try? Secret.AuthorizationCode(parsing: code.text) else { throw .refused(.failed) }
        return Answer(
            response: ChallengeRequest.Outcome.granted(text).encoded(), changes: instance.changes + [.insert(record)])
    }

    private static let codeChallenge: JSON.Name = "code_challenge"

    /// Redeems a code for a personal token.
    func redeem(
        _ code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier?, _ request: TokenRequest,
        _ asking: inout Consultation
    ) throws(Interruption) -> Answer {
        let instance = try instance(request.credential, at: Path.token, &asking)
        if let client = request.client { try instance.check(client) }
        // Codes are the only records here that have a secret.
        guard let presented = OpaqueToken(presented: code.secret), let lineage = try asking.lineage(of: presented.id),
            presented.opens(lineage.record)
        else { throw .refused(.unknownCode) }
        // threat 26: a code that comes twice has been stolen before or after; what it gave ends.
        guard lineage.entry.fate.consumed == nil else {
            // With the proof noted, the same message that comes twice is a replay, and ends nothing.
            throw .refused(.usedCode, instance.changes + (try ending(lineage.record.id, .replayed, &asking)))
        }
        guard lineage.record.parent == instance.record.id else { throw .refused(.unknownCode) }
        guard lineage.verdict(at: asking.now).isLive else { throw .refused(.unknownCode) }
        guard let text = lineage.record.attributes[Self.codeChallenge]?.string,
            ChallengeRequest.CodeChallenge(text)?.isMet(by: verifier) ?? false
        else {
            throw .refused(Refusal(.invalidGrant, "the code verifier does not meet the challenge", "RFC7636-4.6"))
        }
        guard let user = lineage.record.subject else { throw .refused(.failed) }
        let changes = instance.changes + [.consume(lineage.record.id)]
        return try welcome(user, of: instance, on: lineage.record.id, changes, &asking)
    }

    /// Takes a user's credentials at the token endpoint, for deployed apps.
    func signIn(
        _ name: UserName, _ password: Secret.Password, _ request: TokenRequest, _ asking: inout Consultation
    ) throws(Interruption) -> Answer {
        let instance = try instance(request.credential, at: Path.token, &asking)
        if let client = request.client { try instance.check(client) }
        guard let user = try asking.user(named: name, with: password) else { throw .refused(.wrongCredentials) }
        return try welcome(user, of: instance, on: instance.record.id, instance.changes, &asking)
    }

    /// Gives the personal token of a user who has signed in (AUT-2): a JWT, bound to the instance's key (AUT-4), that
    /// can be renewed (AUT-3).
    private func welcome(
        _ user: Record.Subject, of instance: Requester, on ground: TokenID, _ changes: [Change],
        _ asking: inout Consultation
    ) throws(Interruption) -> Answer {
        // USR-1: an instance stands for one user at a time.
        var changes = changes
        for other in try asking.records(.under(instance.record.id, .personal))
        where other.record.subject != user && other.verdict(at: asking.now).grantLives {
            changes += try ending(other.record.id, .superseded, &asking)
        }
        let id = TokenID(using: &asking.chance)
        let refresh = Record.Refresh.issued(for: id, using: &asking.chance)
        let record = Record(
            id: id, kind: .personal, parent: ground, issued: asking.now, holder: instance.record.holder, subject: user,
            scope: Record.Scope.named(personalScope.text), boundKey: instance.record.boundKey,
            accessExpiry: asking.now + policy.accessLifetime, refresh: refresh.refresh)
        let response = try authority.response(
            for: record, about: Subject(user), scope: personalScope, lifetime: policy.accessLifetime,
            refreshToken: refresh.token,
            at: asking.now, using: &asking.chance)
        return Answer(response: response.encoded(), changes: changes + [.insert(record), .touch(instance.record.id)])
    }

    /// What a personal token opens: profile, service assertion, usage list, protocol discovery, logout, and nothing
    /// else (AUT-5).
    private var personalScope: Scope {
        let paths = [Path.userinfo, Path.authorize, Path.usage, Path.discovery, Path.instances, Path.revoke]
        return Scope(paths.compactMap { try? Scope.Token(authority.endpoint($0)) })
    }

    /// Renews a personal token.
    func refresh(_ token: RefreshToken, _ request: TokenRequest, _ asking: inout Consultation) throws(Interruption)
        -> Answer
    {
        var demand = Demand(.client, .personal, at: authority.endpoint(Path.token), in: .authorizationServer)
        demand.acceptsExpiredAccess = true
        let requester = try authority.requester(request.credential, demand, policy: policy.proof, &asking)
        if let client = request.client { try requester.check(client) }
        try checkAdmitted(requester.lineage)
        let (renewed, lineage) = try authority.renewal(
            with: token, by: requester, scope: request.scope, lifetime: policy.accessLifetime,
            window: policy.repetitionWindow, &asking,
            ending: { id, reason, asking throws(Interruption) in try ending(id, reason, &asking) })
        guard let subject = lineage.record.subject else { throw .refused(.failed) }
        let response = try authority.response(
            for: lineage.record, about: Subject(subject), scope: renewed.scope, lifetime: renewed.lifetime,
            refreshToken: renewed.token, at: asking.now, using: &asking.chance)
        var changes = requester.changes + renewed.changes + lineage.record.noting(renewed.scope)
        if let instance = lineage.nearest(.client) { changes.append(.touch(instance.id)) }
        return Answer(response: response.encoded(), changes: changes)
    }
}

// MARK: - Who asks

extension EduIDService {
    /// The instance that a credential proves, since clients are confidential (FED-5): by a request token of its own, or
    /// by S1's request token of a registered one (REQ-13).
    func instance(_ credential: ClientCredential, at path: String, _ asking: inout Consultation) throws(Interruption)
        -> Requester
    {
        let received: Statement.AppRegistration.Unverified?
        switch credential {
        case .bearer(let token) where isByVersion(token):
            received = try? Statement.AppRegistration.Unverified(parsing: token)
        case .assertion(let assertion): received = try? Statement.AppRegistration.Unverified(parsing: assertion)
        default: received = nil
        }
        guard let received else {
            let demand = Demand(.client, at: authority.endpoint(path), in: .authorizationServer)
            let requester = try authority.requester(credential, demand, policy: policy.proof, &asking)
            try checkAdmitted(requester.lineage)
            return requester
        }
        let (token, _) = try checked(received, at: path, &asking)
        let holder = Record.Holder(token.instance)
        guard let lineage = try asking.facts(.holder(.client, holder)).lineage(of: .client, heldBy: holder),
            lineage.verdict(at: asking.now).isLive, version(of: lineage)?.keyID == token.version.keyID
        else { throw .refused(.unregistered) }
        let key = try Interruption.refusing { () throws(Refusal) in try authority.key(of: lineage.record) }
        // S1's token proves which version it comes from. It does not prove the instance, so what is given on it is
        // bound to the instance's key.
        if let brought = token.key, (try? brought.thumbprint()) != key?.thumbprint { throw .refused(.unregistered) }
        var changes: [Change] = []
        if let use = token.singleUse { changes.append(use.change) }
        return Requester(lineage: lineage, key: key, possession: nil, changes: changes)
    }

    /// Refuses an instance whose version has been shut out, however long ago it was admitted (FED-4, AUT-1).
    func checkAdmitted(_ lineage: Lineage, in place: Demand.Place = .authorizationServer) throws(Interruption) {
        guard !isAdmitted(lineage) else { return }
        let code: OAuth2Error.Code =
            switch place {
            case .authorizationServer: .unauthorizedClient
            case .resource: .invalidToken
            }
        throw .refused(Refusal(code, "this version of the app is no longer admitted", "FED-4"))
    }

    /// Whether the version that everything in a lineage came through is admitted.
    func isAdmitted(_ lineage: Lineage) -> Bool {
        version(of: lineage).map { !isExcluded($0, by: lineage.nearest(.versionKey)) } ?? false
    }
}

extension Requester {
    /// Refuses a request that names another client than the one that is proved.
    func check(_ client: ClientID) throws(Interruption) {
        guard let holder = record.holder, holder.text.utf8.elementsEqual(client.text.utf8) else {
            throw .refused(
                Refusal(.invalidClient, "'client_id' is not the client that the credential proves", "RFC6749-3.2.1"))
        }
    }
}

extension Refusal {
    /// The same words whatever is wrong with them (threat 39).
    static let wrongCredentials = Refusal(.invalidGrant, "user name and password do not belong together", "threat-39")
    static let unknownCode = Refusal(.invalidGrant, "the code is unknown, expired, or another client's", "threat-26")
    static let usedCode = Refusal(
        .invalidGrant, "the code was redeemed before; what it gave has been revoked", "threat-26")
    static let unregistered = Refusal(.invalidClient, "the instance is not registered, or no longer", "AUT-1")
}
