internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (5): service assertions against service tokens.

extension FederationService {
    /// Answers at the token endpoint (GRT-1).
    func token(_ http: HTTPRequest, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let request = try Interruption.reading { () throws(RequestRejection) in try TokenRequest(parsing: http) }
        switch request.grant {
        case .assertion(let assertion): return try redeem(assertion, request, &asking)
        case .signedCode(let code): return try authorize(code, request, &asking)
        case .refresh(let token): return try refresh(token, request, &asking)
        case .code:
            throw .refused(Refusal(.invalidGrant, "codes at this service are signed by the instance that authorizes an app", "APP-3"))
        case .clientCredentials, .password:
            throw .refused(Refusal(.unsupportedGrantType, "this grant is not served here", "REG-9"))
        }
    }

    /// Redeems a service assertion for the instance that proves the key in it (AST-4, AST-5).
    private func redeem(_ assertion: Assertion, _ request: TokenRequest, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let redemption = try redemption(of: assertion, request, asking.now)
        let grant = redemption.grant
        let origin = TokenID.named(grant.id.text)
        // threat 23: who comes second is refused, and ends what the first one was given: one of the two has stolen it.
        guard try asking.lineage(of: origin) == nil else {
            throw .refused(
                Refusal(.invalidGrant, "the assertion was redeemed or revoked before; what it gave has ended", "AST-3"),
                [.revoke(origin, .replayed)])
        }
        try admit(grant)
        try verify(assertion, grant, &asking)
        let holder = Record.Holder.named(grant.instance.text)
        let subject = Record.Subject.named(grant.subject.text)
        // AST-9: the assertion is kept, as the ground of what is given for it.
        let ground = Record(
            id: origin, kind: .assertion, parent: nil, issued: asking.now, holder: holder, subject: subject,
            audience: .named(authority.issuer.text), accessExpiry: grant.expiration, attributes: ["claims": .object(grant.claims)])
        let id = TokenID(using: &asking.chance)
        let refresh = Record.Refresh.issued(for: id, using: &asking.chance)
        let scope = serviceScope
        let record = Record(
            id: id, kind: .service, parent: origin, issued: asking.now, holder: holder, subject: subject,
            audience: .named(authority.issuer.text), scope: .named(scope.text), boundKey: authority.binding(to: grant.publicKey),
            accessExpiry: asking.now + policy.accessLifetime, finalExpiry: policy.grantLifetime.map { asking.now + $0 },
            refresh: refresh.refresh)
        let response = try authority.response(
            for: record, about: grant.subject, scope: scope, lifetime: policy.accessLifetime, refreshToken: refresh.token, at: asking.now,
            using: &asking.chance)
        // The record of the assertion takes the place of a note of its name; the proof has to be noted by itself.
        let changes: [Change] = [redemption.possession.singleUse.change, .insert(ground), .consume(origin), .insert(record)]
        return Answer(response: response.encoded(), changes: changes)
    }

    /// The authorization component and nothing else of the service (AST-7), unless the policy adds to it.
    private var serviceScope: Scope {
        Scope([try? Scope.Token(endpoints.component)].compactMap { $0 } + policy.serviceScope.tokens)
    }

    private func redemption(
        of assertion: Assertion, _ request: TokenRequest, _ now: Timestamp
    ) throws(Interruption) -> AssertionGrant.Redemption {
        let addressee = Addressee(authority.issuer, orEndpoint: policy.acceptsEndpointAsAudience ? endpoints.token : nil)
        do throws(AssertionGrant.Rejection) {
            let token: UnverifiedToken
            do throws(TokenRejection) { token = try UnverifiedToken(parsing: assertion) } catch { throw .token(error) }
            let grant = try AssertionGrant(checking: token, by: eduID.keys, of: eduID.issuer, to: addressee, at: now)
            switch (request.credential, request.proof) {
            case (.bearer(let credential), nil):
                let proof: UnverifiedToken
                do throws(TokenRejection) { proof = try UnverifiedToken(parsing: credential) } catch {
                    throw .possession(.requestToken(.token(error)))
                }
                return try grant.redeemed(with: proof, requesting: endpoints.token, policy: policy.proof, at: now)
            case (.none, let proof?):
                let received: DPoPProof.Unverified
                do throws(DPoPProof.Rejection) { received = try DPoPProof.Unverified(parsing: proof) } catch {
                    throw .possession(.proof(error))
                }
                return try grant.redeemed(with: received, requesting: endpoints.token, policy: policy.proof, at: now)
            default:
                throw .possession(.missingProof)
            }
        } catch {
            throw .refused(Refusal(error.refusal, clause: error.clause))
        }
    }

    /// Refuses instances and users that the service does not admit (AST-6).
    private func admit(_ grant: AssertionGrant) throws(Interruption) {
        guard policy.instances.admits(grant.instance) else { throw .refused(.deniedInstance(.unauthorizedClient)) }
        guard policy.users.admits(grant.subject), policy.entitles(grant.claims) else {
            throw .refused(Refusal(.accessDenied, "the user has no right to this service", "AST-4"))
        }
    }

    /// Asks the edu-ID service whether the assertion still stands, where the service wants to know (AST-8).
    private func verify(_ assertion: Assertion, _ grant: AssertionGrant, _ asking: inout Consultation) throws(Interruption) {
        guard let introspection = eduID.introspection else { return }
        guard let proof = try? authority.clientAssertions.assertion(to: eduID.issuer, at: asking.now, using: &asking.chance),
            let question = try? IntrospectionRequest(assertion, credential: .assertion(proof)).encoded(to: introspection)
        else { throw .refused(.failed) }
        guard let response = try asking.answer(to: question), let answer = try? IntrospectionResponse(parsing: response) else {
            throw .refused(
                Refusal(.temporarilyUnavailable, "the edu-ID service cannot be asked about the assertion; try again later", "AST-8"))
        }
        guard case .active(let facts) = answer, facts.id == grant.id, facts.subject == grant.subject else {
            throw .refused(Refusal(.invalidGrant, "the edu-ID service does not stand by the assertion", "AST-8"))
        }
    }
}

extension Refusal {
    static func deniedInstance(_ code: OAuth2Error.Code) -> Refusal { Refusal(code, "this service does not admit the instance", "USR-5") }
}
