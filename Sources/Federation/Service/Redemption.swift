internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (5): service assertions against service tokens.

extension FederationService {
    /// Answers at the token endpoint (GRT-1).
    func token(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let request = try Interruption.reading { () throws(ParameterRejection) in try TokenRequest(parsing: http) }
        guard request.proof == nil || request.credential == .none else {
            // Two proofs are two ways to authenticate, and the token is bound to the key that the grant names, whatever
            // a second one says.
            throw .refused(
                Refusal(
                    .invalidRequest, "a request token and a DPoP proof come together; send one of them", "threat-37"))
        }
        switch request.grant {
        case .assertion(let assertion): return try redeem(assertion, request, &asking)
        case .signedCode(let code): return try authorize(code, request, &asking)
        case .refresh(let token): return try refresh(token, request, &asking)
        case .code:
            throw .refused(
                Refusal(
                    .invalidGrant, "codes at this service are signed by the instance that authorizes an app", "APP-3"))
        case .clientCredentials:
            throw .refused(
                Refusal(.unsupportedGrantType, "client credentials register instances at the edu-ID service", "REG-9"))
        case .password:
            throw .refused(
                Refusal(.unsupportedGrantType, "users sign in at the edu-ID service and nowhere else", "GRT-1"))
        }
    }

    /// Redeems a service assertion for the instance that proves the key in it (AST-4, AST-5).
    private func redeem(_ assertion: Assertion, _ request: TokenRequest, _ asking: inout Consultation)
        throws(Interruption) -> Answer
    {
        // Asked in advance, so that signatures are checked once, when nothing is missing any more.
        if let claimed = (try? Statement.Unverified(parsing: assertion, as: .assertionGrant))?.claimedID,
            let id = try? TokenID(parsing: claimed.text)
        {
            _ = try asking.lineage(of: id)
        }
        let redemption = try redemption(of: assertion, request, asking.now)
        let grant = redemption.grant
        try check(request, by: grant.instance.text)
        guard let origin = try? TokenID(parsing: grant.id.text) else { throw .refused(.failed) }
        // threat 23: who comes second is refused, and ends what the first one was given: one of the two has stolen it.
        if let earlier = try asking.lineage(of: origin) {
            throw .refused(
                Refusal(.invalidGrant, "the assertion was redeemed or revoked before; what it gave has ended", "AST-3"),
                earlier.record.kind == .assertion ? [.revoke(origin, .replayed)] : [])
        }
        try admit(grant)
        let profile = try profile(behind: assertion, grant, &asking)
        try admit(userWith: profile)
        let holder = Record.Holder(grant.instance)
        let subject = Record.Subject(grant.subject)
        // AST-9: the assertion is kept, as the ground of what is given for it.
        let ground = Record(
            id: origin, kind: .assertion, parent: nil, issued: asking.now, holder: holder, subject: subject,
            audience: .init(authority.issuer), accessExpiry: grant.expiration,
            attributes: ["claims": .object(profile)])
        let id = TokenID(using: &asking.chance)
        let refresh = Record.Refresh.issued(for: id, using: &asking.chance)
        let scope = serviceScope
        let end = policy.grantLifetime.map { asking.now + $0 }
        let lifetime = accessLifetime(on: nil, ending: end, at: asking.now)
        let record = Record(
            id: id, kind: .service, parent: origin, issued: asking.now, holder: holder, subject: subject,
            audience: .init(authority.issuer), scope: scope.isEmpty ? nil : .named(scope.text),
            boundKey: try authority.binding(to: grant.publicKey),
            accessExpiry: asking.now + lifetime, finalExpiry: end, refresh: refresh.refresh)
        let response = try authority.response(
            for: record, about: grant.subject, scope: scope, lifetime: lifetime, refreshToken: refresh.token,
            at: asking.now,
            using: &asking.chance)
        // The record of the assertion takes the place of a note of its name; the proof has to be noted by itself. The
        // assertion comes first, so that of two at the same moment the second one meets the first one's record, and
        // ends it, even where both bear the same proof.
        let changes: [Change] = [
            .insert(ground), .consume(origin), .insert(record), redemption.possession.singleUse.change,
        ]
        return Answer(response: response.encoded(), changes: changes)
    }

    /// The authorization component and nothing else of the service (AST-7), unless the policy adds to it.
    private var serviceScope: Scope {
        Scope([try? Scope.Token(endpoints.component)].compactMap { $0 } + policy.serviceScope.tokens)
    }

    private func redemption(
        of assertion: Assertion, _ request: TokenRequest, _ now: Timestamp
    ) throws(Interruption) -> Statement.AssertionGrant.Redemption {
        let addressee = Statement.Addressee(
            authority.issuer, orEndpoint: policy.acceptsEndpointAsAudience ? endpoints.token : nil)
        do throws(TokenRejection) {
            let token = try Statement.Unverified(parsing: assertion, as: .assertionGrant)
            let grant = try Statement.AssertionGrant(
                checking: token, by: eduID.keys, of: eduID.issuer, to: addressee, at: now)
            switch (request.credential, request.proof) {
            case (.bearer(let credential), nil):
                let proof = try Statement.Unverified(parsing: credential, as: .requestToken)
                return try grant.redeemed(with: proof, requesting: endpoints.token, policy: policy.proof, at: now)
            case (.none, let proof?):
                let received = try DPoPProof.Unverified(parsing: proof)
                return try grant.redeemed(with: received, requesting: endpoints.token, policy: policy.proof, at: now)
            default:
                throw TokenRejection(.accessToken, .missingProof)
            }
        } catch {
            throw .refused(Refusal(error.clientRefusal, clause: error.clause))
        }
    }

    /// What is known about the user: what stands in the assertion, when the edu-ID service stands by it where it is
    /// asked, and what it tells beside (AST-8).
    private func profile(
        behind assertion: Assertion, _ grant: Statement.AssertionGrant, _ asking: inout Consultation
    ) throws(Interruption) -> JSON.Object {
        guard let introspection = eduID.introspection else { return grant.claims }
        guard
            let proof = try? authority.clientAssertions.assertion(
                to: eduID.issuer, at: asking.now, using: &asking.chance),
            let question = try? IntrospectionRequest(assertion, credential: .assertion(proof)).encoded(
                to: introspection)
        else { throw .refused(.failed) }
        guard let response = try asking.answer(to: question),
            let answer = try? IntrospectionRequest.Outcome(parsing: response)
        else {
            throw .refused(.unanswered)
        }
        // What the edu-ID service leaves out it does not contradict, but for the two by which its answer is about this
        // assertion at all.
        guard case .active(let facts) = answer, facts.id == grant.id, facts.subject == grant.subject,
            facts.client ?? grant.instance == grant.instance, facts.issuer ?? grant.issuer == grant.issuer
        else { throw .refused(.disowned) }
        guard let userinfo = eduID.userinfo, let token = facts.userToken else { return grant.claims }
        return try told(at: userinfo, with: token, about: grant, &asking)
    }

    /// The claims of the assertion, and over them those that the edu-ID service tells now (6*).
    private func told(
        at userinfo: WebURL, with token: AccessToken, about grant: Statement.AssertionGrant,
        _ asking: inout Consultation
    ) throws(Interruption) -> JSON.Object {
        var question = HTTP.Request(.get, .absolute(userinfo))
        // Tokens keep within the limits of fields.
        try? question.fields.append(.authorization, "Bearer " + token.secret)
        try? question.fields.append(.accept, HTTP.MediaType.json.text)
        guard let response = try asking.answer(to: question), response.status == .ok,
            let members = try? JSON(parsing: response.body, limits: JSON.Limits(size: 16 << 10, depth: 16)).object
        else { throw .refused(.unanswered) }
        // OpenID Connect Core 5.3.2: what is told about somebody else is not used.
        guard let subject = members["sub"]?.string, subject.utf8.elementsEqual(grant.subject.text.utf8) else {
            throw .refused(.disowned)
        }
        var claims = grant.claims
        for member in members where member.name != "sub" { claims[member.name] = member.value }
        return claims
    }
}

extension Refusal {
    fileprivate static let unanswered = Refusal(
        .temporarilyUnavailable, "the edu-ID service cannot be asked about the assertion; try again later", "AST-8")
    fileprivate static let disowned = Refusal(
        .invalidGrant, "the edu-ID service does not stand by the assertion", "AST-8")
}
