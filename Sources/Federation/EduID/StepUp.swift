public import OAuth2Grants
internal import TokenTree
public import Wire

// What a sign-in amounts to, and how more comes of it without another sign-in (FPA-18, FPA-19, FPA-20).

extension EduIDService {
    /// What sign-ins may amount to: a name, and the methods that together are worth it.
    public struct ContextClass: Sendable, Hashable {
        /// What services demand, and tokens tell (`acr`).
        public let name: Authentication.ContextClass
        /// The methods that it takes, all of them (`amr`, RFC 8176).
        public let methods: [String]

        /// A class.
        public init(_ name: Authentication.ContextClass, takes methods: [String]) {
            (self.name, self.methods) = (name, methods)
        }

        fileprivate func isReached(by authentication: Authentication) -> Bool {
            methods.allSatisfy { authentication.contains($0) }
        }
    }

    /// The method of who knows the password.
    static let password = "pwd"

    /// What was proved together with a step, which may be a further factor (`mfa`).
    func methods(_ former: [String], andOf step: OfferedStep?) -> [String] {
        let added = Authentication(by: former).adding(step?.methods ?? [])
        return former.isEmpty || added.methods.count == former.count
            ? added.methods : added.adding(["mfa"]).methods
    }

    /// What somebody has shown who was asked for proof now.
    ///
    /// - Parameter former: what was shown before, where the person is signed in already.
    func authentication(
        by methods: [String], beside former: Authentication = Authentication(by: []), at now: Timestamp
    ) -> Authentication {
        var shown = Authentication(by: former.methods + methods, at: now)
        shown.contextClass =
            policy.contextClasses.first { $0.isReached(by: shown) }?.name
            // What a provider has said holds for as long as the sign-in there.
            ?? former.contextClass
        return shown
    }

    /// The same, if it is what was demanded.
    func authentication(
        by methods: [String], beside former: Authentication = Authentication(by: []), for demand: AuthenticationDemand,
        on instance: Requester, _ now: Timestamp
    ) throws(Refusal) -> Authentication {
        let shown = authentication(by: methods, beside: former, at: now)
        guard isMet(demand, by: shown, at: now) else { throw Refusal.unmet(demand).changing(instance.changes) }
        return shown
    }

    /// Whether a sign-in is what is demanded: of one of the classes by its own word or by what was shown, and recent.
    func isMet(_ demand: AuthenticationDemand, by authentication: Authentication, at now: Timestamp) -> Bool {
        guard demand.isRecent(authentication, at: now) else { return false }
        return demand.contextClasses.isEmpty || told(authentication, for: demand) != nil
    }

    /// Refuses administrators whose sign-in is not what their tasks demand (FPA-21).
    func checkAdministrator(_ authentication: Authentication, _ now: Timestamp) throws(Refusal) {
        let demand = policy.administratorsDemand
        guard !isMet(demand, by: authentication, at: now) else { return }
        throw .weakAdministrator(for: demand)
    }

    /// Which steps an administrator can make beside the password in a browser; none where that is enough, or nothing
    /// leads to more.
    func steps(
        beforeAdministrating user: Record.Subject, from client: ClientID, _ asking: inout Inquiry
    ) throws(Refusal) -> [OfferedStep] {
        let shown = authentication(by: [Self.password], at: asking.now)
        guard policy.administrators.contains(user),
            !isMet(policy.administratorsDemand, by: shown, at: asking.now)
        else { return [] }
        let attempt = StepUpAttempt(
            by: user, signedIn: shown, demanding: policy.administratorsDemand, client: client)
        guard case .steps(_, let steps) = try asking.outcome(of: attempt) else { return [] }
        return steps
    }

    /// The class to tell whoever demands some: the one that is preferred among those that were reached.
    private func told(_ authentication: Authentication, for demand: AuthenticationDemand) -> Authentication
        .ContextClass?
    {
        let reached = policy.contextClasses.filter { $0.isReached(by: authentication) }.map { $0.name }
        return demand.contextClasses.first { reached.contains($0) || $0 == authentication.contextClass }
    }

    /// What is told of a sign-in to a service that demands something of it.
    func told(_ authentication: Authentication, to demand: AuthenticationDemand) -> Authentication {
        var told = authentication
        told.contextClass = self.told(authentication, for: demand) ?? authentication.contextClass
        return told
    }
}

extension EduIDService {
    /// How the person behind a grant was last asked for proof, by what is worth which class now: only a provider's word
    /// is kept.
    func authentication(of grant: Record) -> Authentication {
        var told = grant.authentication
        if !Provider.isSource(of: grant) {
            // Before sign-ins were told apart, nobody was in without a password.
            if told.methods.isEmpty, !policy.asksNameFirst { told = told.adding([Self.password]) }
            told.contextClass = policy.contextClasses.first { $0.isReached(by: told) }?.name
        }
        return told
    }
}

extension Record {
    /// How the person behind a grant was last asked for proof.
    var authentication: Authentication { Authentication(told: attributes) }
}

// MARK: - More than the sign-in was

extension EduIDService {
    /// Refuses a request token of S1, which every copy of the app can make for any instance: where nobody shows who
    /// signs in, the instance has to show that it is the one.
    func checkPossession(of instance: Requester) throws(Refusal) {
        guard instance.possession != nil else { throw Refusal.unproven.changing(instance.changes) }
    }

    /// Adds what a person has shown to the grant that is there, for whoever redeems the code for it: the same tokens go
    /// on, with a further access token that tells it (FPA-20).
    ///
    /// A lost answer is told again for a while, and costs nothing later.
    func strengthened(
        _ grant: Lineage, by code: Lineage, _ verifier: Secret.CodeVerifier?, on instance: Requester,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let now = asking.now
        try checkPossession(of: instance)
        let used = code.entry.fate.consumed
        let isRepeated = used.map { policy.repetitionWindow > .zero && now <= $0 + policy.repetitionWindow } ?? false
        guard grant.verdict(at: now).grantLives, isRepeated || code.verdict(at: now).isLive else { throw .unknownCode }
        try code.record.check(verifier)
        var record = grant.record
        for name in Authentication.names { record.attributes[name] = code.record.attributes[name] }
        let left = record.accessExpiry.map { max($0 - now, .zero) } ?? .zero
        let told = try authority.response(
            for: record, scope: record.currentScope(), lifetime: left, &asking)
        if isRepeated { return Answer(told) }
        return Answer(
            told, [.consume(code.record.id), grant.record.keeping(record.attributes), .touch(instance.record.id)])
    }

    /// Asks somebody who is signed in for what the sign-in lacks: the steps that are missing, and nothing else.
    ///
    /// What comes of it stands on the grant that is there, and can only go on with that.
    func stepUp(
        to demand: AuthenticationDemand, among steps: [SignInStep.Name]?,
        _ challenge: ChallengeRequest.CodeChallenge, on instance: Requester, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let now = asking.now
        try checkPossession(of: instance)
        // Of two people who seem to be signed in, which happens after a restoration, nobody is taken for one of them.
        let signedIn = try signedIn(on: instance, &asking).filter { !$0.verdict(at: now).isUnconfirmed }
        guard signedIn.count == 1, let grant = signedIn.first, let user = grant.record.subject,
            let client = instance.record.client
        else { throw Refusal.nobody.changing(instance.changes) }
        if grant.record.asksAgain != nil { throw Refusal.askedAgain.changing(instance.changes) }
        let former = authentication(of: grant.record)
        guard !isMet(demand, by: former, at: now) else {
            let code = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
            return try welcome(
                user, by: code, challenge, on: instance, keeping: instance.record.attributes, adding: former.claims,
                goingOnWith: grant.record.id, &asking)
        }
        // FPA-13: nobody is asked, and no code sent, where no attempt is left.
        try checkAttempts(on: instance, &asking)
        let attempt = StepUpAttempt(by: user, signedIn: former, demanding: demand, client: client)
        guard case .steps(let name, let offered) = try asking.outcome(of: attempt), !offered.isEmpty else {
            // Where the person signed in there is more to be had, by way of a browser.
            let isPossibleThere = Provider.isSource(of: grant.record) && takesBrowsers(of: instance)
            throw (isPossibleThere ? Refusal.possibleInBrowser(demand) : .unmet(demand)).changing(instance.changes)
        }
        var session = SignInSession(challenge, of: name, user, offering: Array(offered.prefix(SignInStep.limit)))
        (session.demand, session.grant) = (demand, grant.record.id)
        return try begin(session, among: steps, on: instance, &asking)
    }
}

extension Refusal {
    static func unmet(_ demand: AuthenticationDemand) -> Refusal {
        Refusal(
            OAuth2Error(
                .unmetRequirements, "no sign-in of this person here is what is demanded", demanding: demand),
            clause: "FPA-18")
    }

    fileprivate static func possibleInBrowser(_ demand: AuthenticationDemand) -> Refusal {
        Refusal(
            OAuth2Error(
                .redirectToWeb, "no step here leads to what is demanded; sign in with a browser, and demand it there",
                demanding: demand),
            clause: "FPA-18")
    }

    /// More is demanded than the sign-in was, which a step-up can change (FPA-20).
    static func weakSignIn(for demand: AuthenticationDemand) -> Refusal {
        Refusal(
            OAuth2Error(
                .insufficientAuthorization, "the service takes a stronger or more recent sign-in", demanding: demand),
            clause: "FPA-22")
    }

    /// More is demanded of administrators than the sign-in was.
    static func weakAdministrator(for demand: AuthenticationDemand) -> Refusal {
        Refusal(
            OAuth2Error(
                .insufficientUserAuthentication, "administrators need a stronger or more recent sign-in",
                demanding: demand),
            clause: "FPA-21")
    }

    fileprivate static let unproven = Refusal(
        .invalidClient, "prove the key of the instance: its version's signature says nothing about whose it is",
        "threat-63")

    fileprivate static let nobody = Refusal(
        .invalidRequest, "nobody is signed in on this instance; send 'username'", "FPA-20")
}
