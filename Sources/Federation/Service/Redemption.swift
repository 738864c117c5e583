internal import JOSE
internal import OAuth2Grants
package import TokenTree
internal import Wire

// (5): service assertions against service tokens.

extension FederationService {
    typealias Procedure = Route<FederationService>.Procedure

    /// Answers at the token endpoint (GRT-1).
    func token(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try TokenRequest(parsing: call.request))
        guard request.proof == nil || request.credential == .none else {
            // Two proofs are two ways to authenticate, and the token is bound to the key that the grant names, whatever
            // a second one says.
            throw Refusal(
                .invalidRequest, "a request token and a DPoP proof come together; send one of them", "threat-37")
        }
        switch request.grant {
        case .assertion(let assertion): return try redemption(of: assertion, request, call)
        case .signedCode(let code): return try appAuthorization(by: code, request, call)
        case .refresh(let token): return try renewal(with: token, request, call)
        case .code:
            throw Refusal(
                .invalidGrant, "codes at this service are signed by the instance that authorizes an app", "APP-3")
        case .clientCredentials:
            throw Refusal(
                .unsupportedGrantType, "client credentials register instances at the edu-ID service", "REG-9")
        case .password:
            throw Refusal(.unsupportedGrantType, "users sign in at the edu-ID service and nowhere else", "GRT-1")
        }
    }

    /// Redeems a service assertion for the instance that proves the key in it (AST-4, AST-5).
    private func redemption(of assertion: Assertion, _ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure
    {
        let token = try refusing(
            TokenRejection.self, try Statement.Unverified(parsing: assertion, as: .assertionGrant))
        let proof = try proof(of: request)
        let places = places(of: token)
        return { asking throws(Refusal) in
            let (earlier, key, bar) = try grounds(at: places, &asking)
            let known = try asking.keys(of: eduID.keys, naming: token.keyID)
            // Found first, so that signatures are checked when nothing is missing any more.
            let withdrawn = try withdrawing(known.withdrawn, &asking)
            let redemption = try redemption(of: token, by: key.isWithdrawn ? [] : known.keys, proof, call)
            let grant = redemption.grant
            try check(request, by: grant.instance.text)
            // An assertion that came before the store was restored has no record there: both must be younger.
            var singleUse = redemption.possession.singleUse
            singleUse.made = singleUse.made.map { min($0, grant.issuedAt) }
            let use = singleUse.change
            let origin = places.origin(of: grant.id) ?? ground(ofAssertion: grant.id.text)
            let digest = request.digest(presenting: origin)
            if let earlier {
                let isOver = earlier.entry.fate.revocation != nil
                let answer =
                    isOver
                    ? nil
                    : try repetition(
                        of: .service, on: earlier, answering: digest, &asking,
                        admitting: { () throws(Refusal) in try admit(grant) })
                if let answer { return Answer(answer, [use]) }
                // threat 23: who comes so late is refused, and ends what the first one was given: one of the two has
                // stolen it. With the proof noted, the same message that comes twice is a replay, and ends nothing.
                throw Refusal(
                    .invalidGrant, "the assertion was redeemed or revoked before; what it gave has ended", "AST-3",
                    changes: isOver ? [] : [use].evenWithoutRoom + [.revoke(earlier.record.id, .replayed)])
            }
            try check(grant, against: bar)
            try admit(grant)
            try policy.admit(Authentication(told: grant.claims), asking.now)
            let bound = try authority.binding(to: grant.publicKey, policy.proof)
            let profile = try profile(behind: assertion, grant, &asking)
            try admit(userWith: profile)
            var answer = try welcome(grant, origin, profile, boundTo: bound, use, digest, on: key, &asking)
            answer.changes += withdrawn
            authority.remember(grant.publicKey, of: Owner(.init(grant.subject)))
            return answer
        }
    }

    /// The answer that was lost, once more.
    ///
    /// - Parameter admit: checks whether it may be given, before it is signed anew.
    func repetition(
        of kind: Record.Kind, on ground: Lineage, answering request: Fingerprint, _ asking: inout Inquiry,
        admitting admit: () throws(Refusal) -> Void
    ) throws(Refusal) -> HTTP.Response? {
        let given = try asking.page(of: .under(ground.record.id, kind), after: nil, limit: 1).lineages
        return try authority.repetition(
            of: given, on: ground, answering: request, window: policy.repetitionWindow, &asking, admitting: admit)
    }

    /// Gives the service token of a user, on the ground of the assertion, which is kept (AST-9).
    private func welcome(
        _ grant: Statement.AssertionGrant, _ origin: TokenID, _ profile: JSON.Object,
        boundTo bound: Record.BoundKey, _ use: Change, _ digest: Fingerprint, on key: Key, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let holder = Record.Holder(grant.instance)
        let subject = Record.Subject(grant.subject)
        let ground = Record(
            id: origin, kind: .assertion, parent: key.id, issued: asking.now, holder: holder, subject: subject,
            audience: .init(authority.issuer), accessExpiry: grant.expiration,
            attributes: ["claims": .object(profile), Self.assertionName: .string(grant.id.text)])
        let end = policy.grantLifetime.map { asking.now + $0 }
        let (told, record) = try authority.grant(
            .service, on: origin, to: holder, about: subject, at: .init(authority.issuer), scope: serviceScope,
            boundTo: bound, knowing: grant.publicKey, keeping: Authentication(told: profile).claims,
            lifetime: accessLifetime(on: nil, ending: end, at: asking.now), ending: end, answering: digest, &asking)
        asking.requester = record
        // The record of the assertion takes the place of a note of its name; the proof has to be noted by itself.
        let keys = key.isKnown ? [] : [Change.insert(self.record(ofKey: key.id, at: asking.now))]
        return Answer(told, [use] + keys + [.insert(ground), .consume(origin), .insert(record)])
    }

    /// The authorization component and nothing else of the service (AST-7), unless the policy adds to it.
    private var serviceScope: Scope {
        Scope(endpoints.componentScope + policy.serviceScope.tokens)
    }

    /// How an instance proves the key in its assertion.
    private enum Proof: Sendable {
        case requestToken(Statement.Unverified)
        case dpop(DPoPProof.Unverified)

        /// The key that it brings along.
        var key: JWK? { if case .dpop(let proof) = self { proof.key } else { nil } }
    }

    private func proof(of request: TokenRequest) throws(Refusal) -> Proof? {
        switch (request.credential, request.proof) {
        case (.bearer(let credential), nil):
            return .requestToken(
                try refusingClient(try Statement.Unverified(parsing: credential, as: .requestToken)))
        case (.none, let proof?):
            return .dpop(try refusingClient(try DPoPProof.Unverified(parsing: proof)))
        default: return nil
        }
    }

    private func redemption(
        of token: Statement.Unverified, by keys: [VerificationKey], _ proof: Proof?, _ call: Call
    ) throws(Refusal) -> Statement.AssertionGrant.Redemption {
        let demanded = authority.knowing(policy.proof)
        let grant = try refusing(
            TokenRejection.self,
            try Statement.AssertionGrant(
                checking: token, by: keys, of: eduID.issuer, to: addressee, holders: demanded.holders,
                provenKey: proof?.key, at: call.now)
        )
        switch proof {
        case .requestToken(let token):
            return try refusingClient(
                try grant.redeemed(with: token, requesting: call.url, policy: demanded, at: call.now))
        case .dpop(let proof):
            return try refusingClient(
                try grant.redeemed(with: proof, requesting: call.url, policy: demanded, at: call.now))
        case nil:
            let rejection = TokenRejection(.accessToken, .missingProof)
            throw Refusal(rejection.clientRefusal, clause: rejection.clause)
        }
    }

    /// The service as assertions mean it, or its token endpoint where the policy allows that.
    private var addressee: Statement.Addressee {
        Statement.Addressee(
            authority.issuer, orEndpoint: policy.acceptsEndpointAsAudience ? endpoints.token : nil)
    }

    /// The name of the record of an assertion: issuers choose names by themselves, so here each has one that follows
    /// from its issuer and its name together (threat 64).
    package func ground(ofAssertion name: String) -> TokenID { TokenID("assertion", of: name, by: eduID.issuer.text) }

    /// The ground of an assertion: the key that signed it.
    private struct Key {
        let id: TokenID
        /// Whether it has a record, as the first assertion that it signed makes one.
        let isKnown: Bool
        /// Whether it was withdrawn once: it is never taken again, whoever publishes or hands it over (threat 76).
        var isWithdrawn = false
    }

    /// Where the store knows what an assertion says of itself: found once, and nothing that decides.
    private struct Places {
        /// The name that the assertion claims to have, and the names that its record may have.
        let name: JWT.ID?
        let assertion: [TokenID]
        let key: TokenID
        /// What bars the introduction, if everything of its person was ended.
        let bar: Record.Holder?
        /// What is looked up; nothing for an assertion without a name.
        let lookup: [Facts.Key]

        /// The place of the assertion's record, if its name is the one that was claimed.
        func origin(of id: JWT.ID) -> TokenID? { id == name ? assertion.first : nil }
    }

    private func places(of token: Statement.Unverified) -> Places {
        // A name is demanded where the signature is checked.
        let key = token.keyID.map { ground(ofKey: $0) } ?? ground(ofAssertion: "")
        guard let name = token.claimedID else {
            return Places(name: nil, assertion: [], key: key, bar: nil, lookup: [])
        }
        let names = names(ofAssertion: name.text)
        let bar = token.claimedSubject.map { self.bar(of: Record.Subject($0)) }
        let lookup = (names + [key]).map { Facts.Key.record($0) } + [bar].compactMap { $0.map { .holder(.lock, $0) } }
        return Places(name: name, assertion: names, key: key, bar: bar, lookup: lookup)
    }

    /// What is known of an assertion, of its key, and of its person's bar, looked up together.
    private func grounds(
        at places: Places, _ asking: inout Inquiry
    ) throws(Refusal) -> (assertion: Lineage?, key: Key, bar: Record?) {
        guard places.name != nil else { return (nil, Key(id: places.key, isKnown: true), nil) }
        let facts = try asking.facts(places.lookup)
        let known = facts.lineage(of: places.key)?.record
        return (
            assertion(named: places.assertion, in: facts),
            Key(id: places.key, isKnown: known != nil, isWithdrawn: known?.withdrawnSince != nil),
            places.bar.flatMap { facts.lineage(of: .lock, heldBy: $0)?.record }
        )
    }

    /// The names that the record of an assertion may have: its own one, and the one that an earlier version of this
    /// service gave it.
    func names(ofAssertion name: String) -> [TokenID] {
        [ground(ofAssertion: name)] + [try? TokenID(parsing: name)].compactMap { $0 }
    }

    private func assertion(named names: [TokenID], in facts: Facts) -> Lineage? {
        names.lazy.compactMap { facts.lineage(of: $0) }.first { $0.record.kind == .assertion }
    }

    /// The record of an assertion; one that was kept by an earlier version of this service bears the assertion's own
    /// name.
    func lineage(ofAssertion name: String, _ asking: inout Inquiry) throws(Refusal) -> Lineage? {
        let names = names(ofAssertion: name)
        return assertion(named: names, in: try asking.facts(names.map { .record($0) }))
    }

    /// What is known about the user: what stands in the assertion, when the edu-ID service stands by it where it is
    /// asked, and what it tells beside (AST-8).
    private func profile(
        behind assertion: Assertion, _ grant: Statement.AssertionGrant, _ asking: inout Inquiry
    ) throws(Refusal) -> JSON.Object {
        guard let introspection = eduID.introspection else { return grant.claims }
        let answer = try word(about: assertion, at: introspection, &asking)
        // What the edu-ID service leaves out it does not contradict, but for the two by which its answer is about this
        // assertion at all.
        guard case .active(let facts) = answer, facts.id == grant.id, facts.subject == grant.subject,
            facts.client ?? grant.instance == grant.instance, facts.issuer ?? grant.issuer == grant.issuer
        else { throw .disowned }
        guard let userinfo = eduID.userinfo, let token = facts.userToken else { return grant.claims }
        return try told(at: userinfo, with: token, about: grant, &asking)
    }

    /// What the edu-ID service says about an assertion that is shown to it, or named.
    func word(
        about assertion: Assertion, at introspection: WebURL, _ asking: inout Inquiry
    ) throws(Refusal) -> IntrospectionRequest.Outcome {
        let proof = try asking.signed { [now = asking.now] signatures, chance throws(IssuanceRejection) in
            try authority.clientAssertions.assertion(to: eduID.issuer, at: now, knowing: signatures, using: &chance)
        }
        guard
            let question = try? IntrospectionRequest(assertion, credential: .assertion(proof)).encoded(
                to: introspection)
        else { throw .failed }
        guard let response = try asking.answer(to: question),
            let answer = try? IntrospectionRequest.Outcome(parsing: response)
        else { throw .unanswered }
        return answer
    }

    /// The claims of the assertion, and over them those that the edu-ID service tells now (6*).
    private func told(
        at userinfo: WebURL, with token: AccessToken, about grant: Statement.AssertionGrant, _ asking: inout Inquiry
    ) throws(Refusal) -> JSON.Object {
        var question = HTTP.Request(.get, .absolute(userinfo))
        // Tokens keep within the limits of fields.
        try? question.fields.append(.authorization, "Bearer " + token.secret)
        try? question.fields.append(.accept, HTTP.MediaType.json.text)
        guard let response = try asking.answer(to: question), response.status == .ok,
            let members = try? JSON(parsing: response.body, limits: JSON.Limits(size: 16 << 10, depth: 16)).object
        else { throw .unanswered }
        // OpenID Connect Core 5.3.2: what is told about somebody else is not used.
        guard let subject = members["sub"]?.string, subject.utf8.elementsEqual(grant.subject.text.utf8) else {
            throw .disowned
        }
        var claims = grant.claims
        let own = ["sub"] + Authentication.names
        for member in members where !own.contains(member.name) { claims[member.name] = member.value }
        return claims
    }
}

extension Refusal {
    fileprivate static let unanswered = Refusal(
        .temporarilyUnavailable, "the edu-ID service cannot be asked about the assertion; try again later", "AST-8")
    fileprivate static let disowned = Refusal(
        .invalidGrant, "the edu-ID service does not stand by the assertion", "AST-8")
}
