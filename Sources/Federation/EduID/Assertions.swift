internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// (4) and (6): introducing users to services.

extension EduIDService {
    /// Gives an instance the assertion with which it introduces its user to one service (AST-1).
    ///
    /// Without a credential it is a browser that comes there, to sign somebody in (OIC-3).
    func authorize(_ call: Call) throws(Refusal) -> Procedure {
        if call.isArrival { return try leave(call) }
        let request = try refusing(ParameterRejection.self, try AuthorizationRequest(parsing: call.request))
        return Exchange.proved(by: try client(request.credential, call.demand(), call.now)) {
            requester, asking throws(Refusal) in
            try requester.checkScope(call.url)
            guard let service = index[ServiceURL(request.resource)] else {
                throw Refusal(.invalidTarget, "the federation has no such service", "RFC8707-2")
            }
            guard let tokenEndpoint = endpoint(of: service, "token") else { throw unreachable(service) }
            guard let client = requester.lineage.nearest(.client), let user = requester.record.subject else {
                throw .failed
            }
            let signIn = authentication(of: requester.record)
            for demand in [service.demand, request.demand] {
                guard isMet(demand, by: signIn, at: asking.now) else {
                    throw Refusal.weakSignIn(for: demand).changing(requester.changes)
                }
            }
            let instance = try introduced(client, to: service, by: request, call, at: asking.now)
            // What the service itself demands, the app has learned there.
            let preferred = request.demand.contextClasses.isEmpty ? service.demand : request.demand
            let told = told(signIn, to: preferred).claims
            let membership = try membership(of: requester, for: service, &asking)
            let record = try introduction(
                of: requester.lineage, on: membership?.record, to: service, telling: told, &asking)
            var claims = try released(
                to: service, about: user, through: requester.lineage, as: membership?.record.subject, &asking)
            for claim in told { claims[claim.name] = claim.value }
            let changes =
                try instance.changes + (membership?.changes ?? [])
                + superseded(by: record, on: requester.record, &asking) + [.insert(record)]
            let assertion = try assertion(of: record, through: instance, to: service, releasing: claims, &asking)
            let answer = AuthorizationRequest.Response(
                assertion, redeemedAt: tokenEndpoint, state: request.state, by: authority.issuer,
                for: instance.isPairwise ? instance.name : nil)
            return Answer(AuthorizationRequest.Outcome.granted(answer).encoded(), changes)
        }
    }

    /// The end of earlier assertions for the same service that nobody is known to have redeemed, so that introductions
    /// in a loop leave one (threat 61); bound: it looks at the newest sixteen.
    ///
    /// Their service is told, since only one that asks about an assertion says that it was shown it.
    private func superseded(
        by record: Record, on signIn: Record, _ asking: inout Inquiry
    ) throws(Refusal) -> [Change] {
        let earlier = try asking.page(of: .under(signIn.id, .assertion), after: nil, limit: 16).lineages
        return earlier.flatMap { assertion in
            let fate = assertion.entry.fate
            guard assertion.record.audience == record.audience, fate.revocation == nil, fate.lastUse == nil
            else { return [Change]() }
            return ending(assertion, .superseded, at: asking.now)
        }
    }

    /// What is kept of the assertion about the user of a personal token, also where its end is to be told.
    private func introduction(
        of personal: Lineage, on affiliation: Record?, to service: ServiceIndex.Member, telling told: JSON.Object,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Record {
        guard let user = personal.record.subject, let client = personal.nearest(.client)?.holder else { throw .failed }
        var kept = told
        kept[OutgoingMessage.place] = place(ofRevocationsAt: service)
        return Record(
            id: TokenID(using: &asking.chance), kind: .assertion, parent: affiliation?.id ?? personal.record.id,
            issued: asking.now,
            holder: client, subject: user, audience: Record.Audience(service.issuer),
            accessExpiry: asking.now + policy.assertionLifetime, attributes: kept)
    }

    /// The assertion that a record is kept of.
    private func assertion(
        of record: Record, through instance: IntroducedInstance, to service: ServiceIndex.Member,
        releasing claims: JSON.Object, _ asking: inout Inquiry
    ) throws(Refusal) -> Assertion {
        guard let user = record.subject else { throw .failed }
        var issuance = authority.assertions
        issuance.lifetime = policy.assertionLifetime
        return try asking.signed { [issuance, now = asking.now] signatures, _ throws(IssuanceRejection) in
            try issuance.assertion(
                .init(record.id), about: .named(pseudonyms.name(of: user, at: service)), to: service.issuer,
                for: instance.name, holding: instance.key, named: instance.keyID, releasing: claims, at: now,
                knowing: signatures)
        }
    }

    /// Answers a federation service that asks about an assertion which it was shown (AST-8); it is told of its own and
    /// of no other (threat 33).
    func introspect(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try IntrospectionRequest(parsing: call.request))
        let proving = try service(request.credential, call.now)
        let shown = try? Statement.Unverified(parsing: request.token, as: .assertionGrant)
        let name = shown == nil ? try? TokenID(parsing: request.token.secret) : shown?.claimedID.map { TokenID($0) }
        return { asking throws(Refusal) in
            // Looked up first, so that signatures are checked when nothing is missing any more.
            let known = try asking.lineage(of: name)
            let (service, use) = try proving(&asking)
            if let client = request.client, client != ClientID(service.issuer) { throw .otherClient }
            guard let shown else {
                return Answer(standing(of: known, for: service, at: asking.now).encoded(), [use.change])
            }
            let grant = try? Statement.AssertionGrant(
                checking: shown, by: authority.ownKeys, of: authority.issuer, to: Statement.Addressee(service.issuer),
                at: call.now)
            guard let grant, let lineage = known, lineage.verdict(at: asking.now).isLive, isAdmitted(lineage),
                let user = lineage.record.subject
            else { return Answer(IntrospectionRequest.Outcome.inactive.encoded(), [use.change]) }
            var facts = IntrospectionRequest.Outcome.Facts()
            facts.issuer = authority.issuer
            facts.subject = grant.subject
            facts.audience = service.issuer.text
            facts.client = grant.instance
            facts.expiration = grant.expiration
            facts.issuedAt = grant.issuedAt
            facts.id = grant.id
            // RFC 9470 §6.2.
            facts.others = lineage.record.authentication.claims.filtered { $0 != "amr" }
            facts.userToken = try userToken(for: lineage.record, about: user, of: service, &asking)
            // Its service has seen it: a later introduction does not take its place.
            let seen = lineage.entry.fate.lastUse == nil ? [Change.touch(lineage.record.id)] : []
            return Answer(IntrospectionRequest.Outcome.active(facts).encoded(), [use.change] + seen)
        }
    }

    /// What is said of an assertion whose service has kept its name alone: whether what was given for it may stand,
    /// however long ago it was redeemed (threat 67).
    private func standing(
        of assertion: Lineage?, for service: ServiceIndex.Member, at now: Timestamp
    ) -> IntrospectionRequest.Outcome {
        guard let lineage = assertion, lineage.record.kind == .assertion,
            lineage.record.audience == Record.Audience(service.issuer), let user = lineage.record.subject
        else { return .inactive }
        let verdict = lineage.verdict(at: now)
        guard verdict.grantLives, !verdict.isUnconfirmed, isAdmitted(lineage) else { return .inactive }
        var facts = IntrospectionRequest.Outcome.Facts()
        facts.issuer = authority.issuer
        facts.subject = .named(pseudonyms.name(of: user, at: service))
        facts.audience = service.issuer.text
        facts.client = lineage.record.client.map { pseudonyms.name(of: $0, at: service) }
        facts.issuedAt = lineage.record.issued
        facts.id = .named(lineage.record.id.text)
        return .active(facts)
    }

    /// What opens the user's attributes to the service that an assertion is for (6*): plain, for as long as the
    /// assertion.
    private func userToken(
        for record: Record, about user: Record.Subject, of service: ServiceIndex.Member, _ asking: inout Inquiry
    ) throws(Refusal) -> AccessToken {
        let name = record.id.text + "." + Base64URL.encode(asking.chance.bytes(6))
        guard let scope = try? Scope.Token(authority.endpoint("userinfo")), let end = record.accessExpiry else {
            throw .failed
        }
        return try asking.signed { [now = asking.now] signatures, _ throws(IssuanceRejection) in
            try authority.accessTokens.token(
                .named(name), about: .named(pseudonyms.name(of: user, at: service)), for: .init(service.issuer),
                to: authority.issuer, scope: Scope([scope]), boundTo: nil, lifetime: end - now, at: now,
                knowing: signatures)
        }
    }

    /// Proves which service asks, given its keys.
    private typealias ProvingService =
        @Sendable (inout Inquiry) throws(Refusal) -> (ServiceIndex.Member, Statement.SingleUse)

    /// Reads which federation service authenticates with an assertion of its own, and says how to prove it.
    private func service(
        _ credential: ClientCredential, _ now: Timestamp
    ) throws(Refusal) -> ProvingService {
        let token = try Statement.Unverified(ofParty: credential)
        let member = token.claimedIssuer.flatMap { index[$0] }
        return { (asking: inout Inquiry) throws(Refusal) -> (ServiceIndex.Member, Statement.SingleUse) in
            // For an unknown service there are no keys, and it is answered like a wrong signature.
            var keys: [VerificationKey] = []
            if let member { keys = try asking.keys(of: self.keys(of: member), naming: token.keyID).keys }
            let checked = try refusing(
                TokenRejection.self,
                try Statement.ClientAssertion(
                    checking: token, by: keys, of: ClientID(member?.issuer ?? authority.issuer), to: addressee,
                    at: now))
            guard let member else { throw Refusal(TokenRejection(.clientAssertion, .missingKeyID)) }
            return (member, checked.singleUse)
        }
    }

    /// Where the keys of a service come from.
    func keys(of service: ServiceIndex.Member) -> TrustedKeys {
        service.keys.map { .given($0) } ?? .published(service.issuer, at: endpoint(of: service, "jwks"))
    }

    /// What the policy releases about a user to a service, by the names of OpenID Connect, and uninterpreted (FED-6,
    /// AST-2).
    ///
    /// - Parameter affiliation: the name of the one affiliation that it learns of, where it is told of its users as
    ///   members; that on which the introduction stands unless something is said.
    func released(
        to service: ServiceIndex.Member, about user: Record.Subject, through signIn: Lineage?,
        as affiliation: Record.Subject? = nil, _ asking: inout Inquiry
    ) throws(Refusal) -> JSON.Object {
        guard !service.releasedClaims.isEmpty else { return JSON.Object() }
        var profile = try profile(of: user, through: signIn, &asking)
        if let affiliation = affiliation ?? signIn?.nearest(.affiliation)?.subject {
            narrow(&profile, of: user, to: affiliation)
        }
        // Claims that make the assertion are not a profile's to set (threat 50).
        return JSON.Object(
            profile.filter { service.releasedClaims.contains($0.name) && !Self.reserved.contains($0.name) }.map {
                ($0.name, $0.value)
            })
    }

    private static let reserved =
        ["iss", "sub", "aud", "azp", "exp", "nbf", "iat", "jti", "cnf"] + Authentication.names

    /// Why nobody can be introduced to a service of the federation: it is not known yet how, or it cannot be.
    private func unreachable(_ service: ServiceIndex.Member) -> Refusal {
        directory[service.home] == nil
            ? Refusal(
                .temporarilyUnavailable, "the service's description has not been read yet; try again later", "RSD-1")
            : Refusal(.invalidTarget, "the service tells no place where assertions can be taken", "RFC8707-2")
    }

    /// An endpoint of a service's authorization component, where it may be asked (threat 70): as the index has it, or
    /// below the link of its service description.
    func endpoint(of service: ServiceIndex.Member, _ path: String) -> WebURL? {
        if let url = listedEndpoint(of: service, path) {
            return policy.destinations.permits(url, namedBy: url) ? url : nil
        }
        guard let description = directory.services(at: [service.home]).first?.description,
            let oauth2 = description.oauth2, let url = try? description.endpoint(for: oauth2.name, path: path),
            policy.destinations.permits(url, namedBy: service.home.url)
        else { return nil }
        return url
    }

    private func listedEndpoint(of service: ServiceIndex.Member, _ path: String) -> WebURL? {
        if path.utf8.elementsEqual("token".utf8), let url = service.tokenEndpoint { return url }
        if path.utf8.elementsEqual("revoke".utf8), let url = service.revocationEndpoint { return url }
        return nil
    }
}
