internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (2): users' credentials against personal tokens.

extension EduIDService {
    /// Takes what a user signs in with from an instance, for a code that it alone can redeem.
    func challenge(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try ChallengeRequest(parsing: call.request))
        // AUT-1: who is not admitted learns nothing about credentials.
        let proving = try instance(request.credential, as: request.client, call)
        switch request.evidence {
        case .step(let answer, let session):
            return Exchange.proved(by: proving) { instance, asking throws(Refusal) in
                try goOn(with: session, by: answer, request, on: instance, &asking)
            }
        case .browser(let callback, let state):
            guard let challenge = request.challenge else { throw Refusal(ParameterRejection.challenge) }
            return Exchange.proved(by: proving) { instance, asking throws(Refusal) in
                try begin(
                    BrowserTrip(challenge, callingBackAt: callback, state, demanding: request.demand), on: instance,
                    &asking)
            }
        case .more(let steps):
            guard let challenge = request.challenge else { throw Refusal(ParameterRejection.challenge) }
            return Exchange.proved(by: proving) { instance, asking throws(Refusal) in
                try stepUp(to: request.demand, among: steps, challenge, on: instance, &asking)
            }
        case .credentials(let name, let password, let steps):
            guard password != nil || policy.asksNameFirst else { throw Refusal(ParameterRejection.missing("password")) }
            guard let challenge = request.challenge else { throw Refusal(ParameterRejection.challenge) }
            return Exchange.proved(by: proving) { instance, asking throws(Refusal) in
                var kept = instance.record.attributes
                let progress = try user(
                    named: name, with: password, demanding: request.demand, on: instance, keeping: &kept, &asking)
                let methods = password == nil ? [] : [Self.password]
                switch progress {
                case .user(let user):
                    let shown = try authentication(by: methods, for: request.demand, on: instance, asking.now)
                    let token = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
                    return try welcome(
                        user, by: token, challenge, on: instance, keeping: kept, adding: shown.claims, &asking)
                case .more(let user, let offered):
                    if let user {
                        _ = try personal(of: user, among: try signedIn(on: instance, &asking), at: asking.now)
                    }
                    var session = SignInSession(challenge, of: name, user, offering: offered)
                    (session.methods, session.demand) = (methods, request.demand)
                    return try begin(session, among: steps, on: instance, &asking)
                }
            }
        }
    }

    /// Gives a code to a user who has shown all that is asked for.
    ///
    /// - Parameter provided: what else is kept with the code, and goes over to what it is redeemed for.
    /// - Parameter grant: what the code stands on of somebody who is signed in, and only goes on with that.
    func welcome(
        _ user: Record.Subject, by code: OpaqueToken, _ challenge: ChallengeRequest.CodeChallenge,
        on instance: Requester, keeping kept: JSON.Object, adding provided: JSON.Object = [:],
        goingOnWith grant: TokenID? = nil, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        _ = try personal(of: user, among: try signedIn(on: instance, &asking), at: asking.now)
        var attributes = provided
        attributes[OpaqueToken.member] = code.kept
        attributes[SignInSession.codeChallenge] = .string(challenge.text)
        let record = Record(
            id: code.id, kind: .code, parent: grant ?? instance.record.id, issued: asking.now,
            holder: instance.record.holder,
            subject: user, accessExpiry: asking.now + policy.codeLifetime,
            attributes: attributes)
        return Answer(try Self.granted(code), [.insert(record)] + instance.record.keepingAnew(kept))
    }

    /// The answer that bears a code.
    static func granted(_ code: OpaqueToken) throws(Refusal) -> HTTP.Response {
        guard let text = try? Secret.AuthorizationCode(parsing: code.text) else { throw .failed }
        return ChallengeRequest.Outcome.granted(text).encoded()
    }

    /// Redeems a code for a personal token.
    func redemption(
        of code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier?, _ request: TokenRequest, _ call: Call
    ) throws(Refusal) -> Procedure {
        Exchange.proved(by: try instance(request.credential, as: request.client, call)) {
            instance, asking throws(Refusal) in
            // A sign-in that a browser is to carry on has a secret and a challenge, too.
            guard let presented = OpaqueToken(presented: code.secret),
                let lineage = try asking.lineage(of: presented.id), lineage.record.kind == .code,
                presented.opens(lineage.record)
            else { throw .unknownCode }
            guard lineage.nearest(.client)?.id == instance.record.id else { throw .unknownCode }
            // A code of a step-up stands on the grant to which it adds; that of a sign-in on none.
            if let grant = lineage.grounded(on: .personal) {
                return try strengthened(grant, by: lineage, verifier, on: instance, &asking)
            }
            let isUsed = lineage.entry.fate.consumed != nil
            guard isUsed || lineage.verdict(at: asking.now).isLive else { throw .unknownCode }
            try lineage.record.check(verifier)
            // OIC-13: who redeems a code that a browser brought says where it was brought to.
            if let callback = lineage.record.attributes[BrowserTrip.callback]?.string,
                request.callback?.text.utf8.elementsEqual(callback.utf8) != true
            {
                throw .otherAddress
            }
            let digest = request.digest(presenting: lineage.record.id)
            guard !isUsed else {
                let given = try asking.records(.under(instance.record.id, .personal))
                let answer = try authority.repetition(
                    of: given, on: lineage, answering: digest, window: policy.repetitionWindow, &asking)
                if let answer { return Answer(answer) }
                // threat 26: a code that comes so late has been stolen before or after; what it gave ends. With the
                // proof noted, the same message that comes twice is a replay, and ends nothing.
                let continued = given.filter { Self.isContinued($0, by: lineage, at: asking.now) }
                throw .usedCode.changing(
                    instance.changes.evenWithoutRoom
                        + ([lineage] + continued).flatMap { ending($0, .replayed, at: asking.now) })
            }
            guard let user = lineage.record.subject else { throw .failed }
            var answer = try welcome(
                user, of: instance, on: lineage.record.id, keeping: instance.record.attributes,
                adding: Provider.kept(in: lineage.record), digest, &asking)
            let spent = Provider.withoutWord(in: lineage.record.attributes)
            answer.changes.insert(
                contentsOf: lineage.record.keepingAnew(spent) + [.consume(lineage.record.id)], at: 0)
            return answer
        }
    }

    /// Whether a grant is the one that a code went on with because its user was signed in already.
    ///
    /// It stands on an earlier code and does not end with this one. Of all grants of the user on the instance one lives
    /// at a time, so it is the one that was there when the code was redeemed and has not ended since.
    private static func isContinued(_ grant: Lineage, by code: Lineage, at now: Timestamp) -> Bool {
        guard let redeemed = code.entry.fate.consumed, grant.record.parent != code.record.id else { return false }
        return grant.record.subject == code.record.subject && grant.record.issued <= redeemed
            && grant.verdict(at: now).grantLives
    }

    /// Takes a user's credentials at the token endpoint, for deployed apps.
    func signIn(
        _ name: UserName, _ password: Secret.Password, _ request: TokenRequest, _ call: Call
    ) throws(Refusal) -> Procedure {
        Exchange.proved(by: try instance(request.credential, as: request.client, call)) {
            instance, asking throws(Refusal) in
            var kept = instance.record.attributes
            let progress = try user(named: name, with: password, on: instance, keeping: &kept, &asking)
            guard case .user(let user) = progress else { throw .stepsWanted }
            let shown = authentication(by: [Self.password], at: asking.now)
            return try welcome(
                user, of: instance, on: instance.record.id, keeping: kept, adding: shown.claims, request.digest(),
                &asking)
        }
    }

    /// Gives the personal token of a user who has signed in (AUT-2): a JWT, bound to the instance's key (AUT-4), that
    /// can be renewed (AUT-3).
    ///
    /// Whoever is signed in already gets a new one in the place of the old one, and what stands on the grant stays.
    private func welcome(
        _ user: Record.Subject, of instance: Requester, on ground: TokenID, keeping kept: JSON.Object,
        adding provided: JSON.Object, _ digest: Fingerprint, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let signedIn = try signedIn(on: instance, &asking)
        if let personal = try personal(of: user, among: signedIn, at: asking.now) {
            let answer = try authority.renewedGrant(
                of: personal.record, noting: provided, lifetime: policy.accessLifetime, answering: digest, &asking)
            return Answer(
                answer.outcome,
                personal.confirming(at: asking.now) + answer.changes
                    + (try lapses(on: personal.record, of: user, by: provided, &asking))
                    + indexing(provided, of: user, on: personal.record, &asking) + instance.record.keepingAnew(kept)
                    + [.touch(instance.record.id)])
        }
        let left = signedIn.flatMap { ending($0, .superseded, at: asking.now) }
        let (told, record) = try authority.grant(
            .personal, on: ground, to: instance.record.holder, about: user, scope: personalScope,
            boundTo: instance.record.boundKey, knowing: instance.publicKey(of: instance.record), keeping: provided,
            lifetime: policy.accessLifetime, answering: digest, &asking)
        // Of two users at the same moment one wins: each would put his or her name in the place of the same one before.
        var kept = kept
        kept["personal"] = .string(record.id.text)
        return Answer(
            told,
            left + [.insert(record)] + indexing(provided, of: user, on: record, &asking)
                + instance.record.keepingAnew(kept) + [
                    .touch(instance.record.id)
                ])
    }

    /// The grants of users that live on an instance.
    func signedIn(on instance: Requester, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let now = asking.now
        return try asking.records(.under(instance.record.id, .personal)).filter { $0.verdict(at: now).grantLives }
    }

    /// The grant of a user among those who are signed in on an instance; `nil` if it is not there.
    ///
    /// USR-1: an instance stands for one user at a time, and who was first has to sign out, unless nobody has confirmed
    /// since a restoration that he or she is still signed in: those who signed out meanwhile could not do it again.
    func personal(
        of user: Record.Subject, among signedIn: [Lineage], at now: Timestamp
    ) throws(Refusal) -> Lineage? {
        if let own = signedIn.first(where: { $0.record.subject == user }) { return own }
        guard signedIn.allSatisfy({ $0.verdict(at: now).isUnconfirmed }) else { throw .otherUser }
        return nil
    }

    /// Renews a personal token.
    func renewal(with token: RefreshToken, _ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure {
        let client = try client(
            request.credential, call.demand(.client, .personal, evenExpired: true, evenEnded: true), as: request.client,
            call.now)
        return Exchange.proved(by: client) { requester, asking throws(Refusal) in
            var answer = try authority.renewal(
                with: token, by: requester, request, lifetime: policy.accessLifetime,
                window: policy.repetitionWindow, &asking,
                admitting: { record throws(Refusal) in if record.asksAgain != nil { throw .askedAgain } },
                ending: { ending($0, $1, at: $2) })
            if let instance = requester.lineage.nearest(.client) { answer.changes.append(.touch(instance.id)) }
            return answer
        }
    }
}

// MARK: - Who asks

extension EduIDService {
    /// Reads by what a client says who it is, and says how to prove it: it must be the one it names, and admitted.
    func client(
        _ credential: ClientCredential, _ demand: Demand, as name: ClientID? = nil, _ now: Timestamp
    ) throws(Refusal) -> Proving {
        let proving = try authority.proving(credential, demand, policy: policy.proof, at: now)
        return { asking throws(Refusal) in
            let requester = try proving(&asking)
            if let name { try requester.check(name) }
            try checkAdmitted(requester.lineage, at: demand.place)
            return requester
        }
    }

    /// Reads by what an instance says which one it is, and says how to prove it, since clients are confidential: by
    /// S1's request token (REQ-13), or by a token of its own and a proof (FED-5).
    func instance(_ credential: ClientCredential, as name: ClientID?, _ call: Call) throws(Refusal) -> Proving {
        let received: Statement.AppRegistration.Unverified?
        switch credential {
        case .bearer(let token):
            received = (try? Statement.AppRegistration.Unverified(parsing: token)).flatMap {
                versions[$0.keyID] == nil ? nil : $0
            }
        case .assertion(let assertion): received = try? Statement.AppRegistration.Unverified(parsing: assertion)
        default: received = nil
        }
        guard let received else {
            return try client(credential, call.demand(.client, evenUnconfirmed: true), as: name, call.now)
        }
        return { asking throws(Refusal) in
            let (token, _) = try checked(received, &asking)
            guard let lineage = try asking.lineage(of: .client, heldBy: .init(token.instance)),
                lineage.verdict(at: asking.now).isLive || lineage.verdict(at: asking.now).isUnconfirmed,
                version(of: lineage)?.keyID == token.version.keyID
            else { throw .unregistered }
            asking.requester = lineage.record
            let key = try authority.key(of: lineage.record, policy.proof)
            // S1's token proves which version it comes from. It does not prove the instance, so what is given on it is
            // bound to the instance's key.
            if let brought = token.key, (try? brought.thumbprint()) != key?.thumbprint { throw .unregistered }
            let changes = token.singleUse.map { [$0.change] } ?? []
            let requester = Requester(lineage: lineage, key: key, possession: nil, changes: changes)
            if let name { try requester.check(name) }
            return requester
        }
    }

    /// Refuses an instance whose version has been shut out, however long ago it was admitted (FED-4, AUT-1).
    func checkAdmitted(_ lineage: Lineage, at place: OAuth2Error.Place = .authorizationServer) throws(Refusal) {
        guard !isAdmitted(lineage) else { return }
        throw Refusal(place.code(.unauthorizedClient), "this version of the app is no longer admitted", "FED-4")
    }

    /// Whether the version that everything in a lineage came through is admitted.
    func isAdmitted(_ lineage: Lineage) -> Bool {
        version(of: lineage).map { !isExcluded($0, by: lineage.nearest(.versionKey)) } ?? false
    }
}

extension Record {
    /// Refuses a verifier that is not the secret behind a code's challenge.
    func check(_ verifier: Secret.CodeVerifier?) throws(Refusal) {
        guard let text = attributes[SignInSession.codeChallenge]?.string,
            ChallengeRequest.CodeChallenge(text)?.isMet(by: verifier) ?? false
        else { throw Refusal(.invalidGrant, "the code verifier does not meet the challenge", "RFC7636-4.6") }
    }
}

extension Refusal {
    static let unknownCode = Refusal(.invalidGrant, "the code is unknown, expired, or another client's", "threat-26")
    static let usedCode = Refusal(
        .invalidGrant, "the code was redeemed before; what it gave has been revoked", "threat-26")
    fileprivate static let otherUser = Refusal(
        .invalidGrant, "another user is signed in on this instance, and has to sign out first", "USR-1")
    fileprivate static let stepsWanted = Refusal(
        .invalidGrant, "more than a password is needed; sign in at the authorization challenge endpoint", "FPA-10")
    fileprivate static let otherAddress = Refusal(
        .invalidGrant, "'redirect_uri' is not the address to which a browser brought the code", "OIC-13")
    static let askedAgain = Refusal(
        .insufficientAuthorization, "sign in again: where the person signed in, the session has ended", "OIC-17")
    static let unregistered = Refusal(.invalidClient, "the instance is not registered, or no longer", "AUT-1")
}
