internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (2): users' credentials against personal tokens.

extension EduIDService {
    /// Takes a user's credentials from an instance, for a code that it alone can redeem.
    func challenge(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try ChallengeRequest(parsing: call.request))
        let credential = try instanceCredential(request.credential, call)
        return { asking throws(Refusal) in
            // AUT-1: who is not admitted learns nothing about credentials.
            let instance = try instance(credential, &asking)
            try instance.check(request.client)
            guard let user = try asking.user(named: request.user, with: request.password) else {
                throw .wrongCredentials
            }
            let code = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
            let record = Record(
                id: code.id, kind: .code, parent: instance.record.id, issued: asking.now,
                holder: instance.record.holder, subject: user, accessExpiry: asking.now + policy.codeLifetime,
                attributes: [OpaqueToken.member: code.kept, Self.codeChallenge: .string(request.challenge.text)])
            guard let text = try? Secret.AuthorizationCode(parsing: code.text) else { throw .failed }
            return Answer(ChallengeRequest.Outcome.granted(text).encoded(), instance.changes + [.insert(record)])
        }
    }

    private static let codeChallenge: JSON.Name = "code_challenge"

    /// Redeems a code for a personal token.
    func redemption(
        of code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier?, _ request: TokenRequest, _ call: Call
    ) throws(Refusal) -> Procedure {
        let credential = try instanceCredential(request.credential, call)
        return { asking throws(Refusal) in
            let instance = try instance(credential, &asking)
            if let client = request.client { try instance.check(client) }
            // Codes are the only records here that have a secret.
            guard let presented = OpaqueToken(presented: code.secret),
                let lineage = try asking.lineage(of: presented.id), presented.opens(lineage.record)
            else { throw .unknownCode }
            // threat 26: a code that comes twice has been stolen before or after; what it gave ends.
            guard lineage.entry.fate.consumed == nil else {
                // With the proof noted, the same message that comes twice is a replay, and ends nothing.
                throw .usedCode.changing(instance.changes + (try ending(lineage.record.id, .replayed, &asking)))
            }
            guard lineage.record.parent == instance.record.id else { throw .unknownCode }
            guard lineage.verdict(at: asking.now).isLive else { throw .unknownCode }
            guard let text = lineage.record.attributes[Self.codeChallenge]?.string,
                ChallengeRequest.CodeChallenge(text)?.isMet(by: verifier) ?? false
            else {
                throw Refusal(.invalidGrant, "the code verifier does not meet the challenge", "RFC7636-4.6")
            }
            guard let user = lineage.record.subject else { throw .failed }
            let changes = instance.changes + [.consume(lineage.record.id)]
            return try welcome(user, of: instance, on: lineage.record.id, changes, &asking)
        }
    }

    /// Takes a user's credentials at the token endpoint, for deployed apps.
    func signIn(
        _ name: UserName, _ password: Secret.Password, _ request: TokenRequest, _ call: Call
    ) throws(Refusal) -> Procedure {
        let credential = try instanceCredential(request.credential, call)
        return { asking throws(Refusal) in
            let instance = try instance(credential, &asking)
            if let client = request.client { try instance.check(client) }
            guard let user = try asking.user(named: name, with: password) else { throw .wrongCredentials }
            return try welcome(user, of: instance, on: instance.record.id, instance.changes, &asking)
        }
    }

    /// Gives the personal token of a user who has signed in (AUT-2): a JWT, bound to the instance's key (AUT-4), that
    /// can be renewed (AUT-3).
    private func welcome(
        _ user: Record.Subject, of instance: Requester, on ground: TokenID, _ changes: [Change],
        _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
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
        return Answer(response.encoded(), changes + [.insert(record), .touch(instance.record.id)])
    }

    /// Renews a personal token.
    func renewal(with token: RefreshToken, _ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure {
        var demand = call.demand(.client, .personal)
        demand.acceptsExpiredAccess = true
        let presented = try authority.present(request.credential, demand, at: call.now)
        return { [demand] asking throws(Refusal) in
            let requester = try authority.requester(presented, demand, policy: policy.proof, &asking)
            if let client = request.client { try requester.check(client) }
            try checkAdmitted(requester.lineage)
            let (renewed, lineage) = try authority.renewal(
                with: token, by: requester, scope: request.scope, lifetime: policy.accessLifetime,
                window: policy.repetitionWindow, &asking,
                ending: { id, reason, asking throws(Refusal) in try ending(id, reason, &asking) })
            guard let subject = lineage.record.subject else { throw .failed }
            let response = try authority.response(
                for: lineage.record, about: Subject(subject), scope: renewed.scope,
                lifetime: renewed.lifetime, refreshToken: renewed.token, at: asking.now, using: &asking.chance)
            var changes = requester.changes + renewed.changes + lineage.record.noting(renewed.scope)
            if let instance = lineage.nearest(.client) { changes.append(.touch(instance.id)) }
            return Answer(response.encoded(), changes)
        }
    }
}

// MARK: - Who asks

/// How an instance says which one it is.
enum InstanceCredential: Sendable {
    /// By S1's request token, at the URL of an endpoint (REQ-13).
    case statement(Statement.AppRegistration.Unverified, at: WebURL)
    /// By a token of its own, and a proof (FED-5).
    case token(PresentedCredential, Demand)
}

extension EduIDService {
    /// Reads by what an instance says which one it is.
    func instanceCredential(_ credential: ClientCredential, _ call: Call) throws(Refusal) -> InstanceCredential {
        let received: Statement.AppRegistration.Unverified? =
            switch credential {
            case .bearer(let token): try? Statement.AppRegistration.Unverified(parsing: token)
            case .assertion(let assertion): try? Statement.AppRegistration.Unverified(parsing: assertion)
            default: nil
            }
        if let received {
            if case .assertion = credential { return .statement(received, at: call.url) }
            if versions[received.keyID] != nil { return .statement(received, at: call.url) }
        }
        let demand = call.demand(.client)
        return .token(try authority.present(credential, demand, at: call.now), demand)
    }

    /// The instance that a credential proves, since clients are confidential.
    func instance(_ credential: InstanceCredential, _ asking: inout Inquiry) throws(Refusal) -> Requester {
        let received: Statement.AppRegistration.Unverified
        let url: WebURL
        switch credential {
        case .token(let presented, let demand):
            let requester = try authority.requester(presented, demand, policy: policy.proof, &asking)
            try checkAdmitted(requester.lineage)
            return requester
        case .statement(let statement, let endpoint): (received, url) = (statement, endpoint)
        }
        let (token, _) = try checked(received, at: url, &asking)
        guard let lineage = try asking.lineage(of: .client, heldBy: .init(token.instance)),
            lineage.verdict(at: asking.now).isLive, version(of: lineage)?.keyID == token.version.keyID
        else { throw .unregistered }
        asking.requester = lineage.record
        let key = try authority.key(of: lineage.record)
        // S1's token proves which version it comes from. It does not prove the instance, so what is given on it is
        // bound to the instance's key.
        if let brought = token.key, (try? brought.thumbprint()) != key?.thumbprint { throw .unregistered }
        let changes = token.singleUse.map { [$0.change] } ?? []
        return Requester(lineage: lineage, key: key, possession: nil, changes: changes)
    }

    /// Refuses an instance whose version has been shut out, however long ago it was admitted (FED-4, AUT-1).
    func checkAdmitted(_ lineage: Lineage, at place: OAuth2Error.Place = .authorizationServer) throws(Refusal) {
        guard !isAdmitted(lineage) else { return }
        let code: OAuth2Error.Code =
            switch place {
            case .authorizationServer: .unauthorizedClient
            case .resource: .invalidToken
            }
        throw Refusal(code, "this version of the app is no longer admitted", "FED-4")
    }

    /// Whether the version that everything in a lineage came through is admitted.
    func isAdmitted(_ lineage: Lineage) -> Bool {
        version(of: lineage).map { !isExcluded($0, by: lineage.nearest(.versionKey)) } ?? false
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
