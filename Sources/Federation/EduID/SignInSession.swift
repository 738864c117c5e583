internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (2) in several steps, after OAuth 2.0 for First-Party Applications.

/// How far somebody has come who signs in on an instance in several steps, as a record of the kind `session` keeps it.
///
/// The record stands on the instance's and is bound to its key, so that it ends with it and is of no use to anybody
/// else (FPA-5). What leads to it (`auth_session`) is replaced with every answer, in the way of refresh tokens.
struct SignInSession {
    /// The digest of the secret with which the code will be redeemed.
    let challenge: ChallengeRequest.CodeChallenge
    /// The name with which the sign-in began.
    let user: UserName
    /// Whose name it is, once that is proved.
    var subject: Record.Subject?
    /// One of these is to be made.
    var offered: [OfferedStep]
    /// How many answers were wrong.
    var failures = 0
    /// Whether the last one was.
    var hasFailed = false
    /// The record of the code with which it ended.
    var code: TokenID?
    /// What the sign-in has to be in the end.
    var demand = AuthenticationDemand.none
    /// What was proved so far (`amr`).
    var methods: [String] = []
    /// The grant of somebody who is signed in already, with which it goes on.
    var grant: TokenID?

    init(
        _ challenge: ChallengeRequest.CodeChallenge, of user: UserName, _ subject: Record.Subject?,
        offering offered: [OfferedStep]
    ) {
        (self.challenge, self.user, self.subject, self.offered) = (challenge, user, subject, offered)
    }

    /// With so many wrong answers it is over.
    static let failureLimit = 3

    /// What its holder is told.
    func continuation(_ token: Record.Refresh.Token) -> ChallengeRequest.Continuation? {
        let refusal = hasFailed ? Refusal.failedStep : .stepWanted
        return (try? Secret.SignInSession(parsing: token.encoded())).map {
            ChallengeRequest.Continuation(refusal.error, session: $0, steps: offered.map { $0.step })
        }
    }
}

// MARK: - In a record

extension SignInSession {
    /// Where sessions and codes keep the challenge.
    static let codeChallenge: JSON.Name = "code_challenge"

    var members: JSON.Object {
        var members: JSON.Object = [Self.codeChallenge: .string(challenge.text), "user": .string(user.text)]
        members["subject"] = subject.map { .string($0.text) }
        members["steps"] = .array(offered.map { $0.member })
        if failures > 0 { members["failures"] = .number(JSON.Number(failures)) }
        if hasFailed { members["failed"] = true }
        members["code"] = code.map { .string($0.text) }
        members["grant"] = grant.map { .string($0.text) }
        if !methods.isEmpty { members["amr"] = .array(methods.map { .string($0) }) }
        for member in demand.members { members[member.name] = member.value }
        return members
    }

    /// Reads what a record keeps; `nil` for what is no session.
    init?(_ members: JSON.Object) {
        guard let challenge = members[Self.codeChallenge]?.string.flatMap({ ChallengeRequest.CodeChallenge($0) }),
            let user = members["user"]?.string.flatMap({ try? UserName(parsing: $0) }),
            let steps = members["steps"]?.array, let demand = AuthenticationDemand(keptIn: members)
        else { return nil }
        self.init(
            challenge, of: user, members["subject"]?.string.flatMap { try? Record.Subject(parsing: $0) },
            offering: steps.compactMap { OfferedStep($0) })
        failures = members["failures"]?.number?.integer(as: Int.self) ?? 0
        hasFailed = members["failed"]?.bool ?? false
        code = members["code"]?.string.flatMap { try? TokenID(parsing: $0) }
        grant = members["grant"]?.string.flatMap { try? TokenID(parsing: $0) }
        // What adds to a grant must not pass for a sign-in.
        guard (grant == nil) == (members["grant"] == nil) else { return nil }
        methods = Authentication(told: members).methods
        self.demand = demand
    }
}

extension OfferedStep {
    fileprivate var member: JSON {
        var members: JSON.Object = ["step": .string(step.name.text)]
        members["challenge"] = step.challenge
        members["hint"] = step.hint.map { .string($0) }
        if kept != .null { members["kept"] = kept }
        if methods != Self.methods(of: step.name) { members["amr"] = .array(methods.map { .string($0) }) }
        return .object(members)
    }

    fileprivate init?(_ json: JSON) {
        guard let members = json.object,
            let name = members["step"]?.string.flatMap({ try? SignInStep.Name(parsing: $0) })
        else { return nil }
        self.init(
            SignInStep(name, challenge: members["challenge"], hint: members["hint"]?.string),
            keeping: members["kept"] ?? .null,
            proving: members["amr"] == nil ? nil : Authentication(told: members).methods)
    }
}

// MARK: - From step to step

extension EduIDService {
    /// Begins a sign-in that takes more than one request, in the place of an earlier one on the instance.
    ///
    /// - Parameter known: the steps that the app can make, where it says so.
    func begin(
        _ session: SignInSession, among known: [SignInStep.Name]?, on instance: Requester, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var session = session
        if let known {
            let wanted = session.offered
            session.offered = wanted.filter { known.contains($0.step.name) }
            // The proof was good for a guess, so it is noted as in every refusal of one.
            guard !session.offered.isEmpty else { throw .unmetRequirements(wanted).changing(instance.changes) }
        }
        let id = TokenID(using: &asking.chance)
        let (token, refresh) = Record.Refresh.issued(for: id, using: &asking.chance)
        let record = Record(
            id: id, kind: .session, parent: instance.record.id, issued: asking.now, holder: instance.record.holder,
            subject: session.subject, boundKey: instance.record.boundKey,
            finalExpiry: asking.now + policy.signInLifetime, refresh: refresh, attributes: session.members)
        guard let told = session.continuation(token) else { throw .failed }
        return Answer(
            ChallengeRequest.Outcome.continued(told).encoded(),
            try endingSignIns(on: instance, &asking) + [.insert(record)], refusal: .stepWanted)
    }

    /// The end of what was begun on an instance before: one sign-in waits there at a time.
    ///
    /// What finds something by a session or an account at the provider is of the same kind, and stays.
    func endingSignIns(on instance: Requester, _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        let now = asking.now
        return try asking.records(.under(instance.record.id, .session))
            .filter { !Self.isIndex($0) && $0.verdict(at: now).isLive }
            .map { .revoke($0.record.id, .superseded) }
    }

    /// Goes on with a sign-in by the answer to a step.
    func goOn(
        with presented: Secret.SignInSession, by answer: SignInStep.Answer, _ request: ChallengeRequest,
        on instance: Requester, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let token = try? Record.Refresh.Token(parsing: presented.secret),
            let lineage = try asking.lineage(of: token.id), lineage.record.kind == .session,
            lineage.record.parent == instance.record.id, lineage.record.boundKey == instance.record.boundKey,
            lineage.verdict(at: asking.now).isLive, let refresh = lineage.record.refresh,
            let session = SignInSession(lineage.record.attributes)
        else { throw .unknownSession }
        // A sign-in shows who it is by itself; who only adds to one has to be the instance.
        if session.grant != nil { try checkPossession(of: instance) }
        let digest = Fingerprint(of: "\(answer.step)\n\(answer.response.secret)".utf8)
        switch refresh.presentation(
            of: token, proof: instance.proof(with: digest), at: asking.now, window: policy.repetitionWindow)
        {
        case .foreign: throw .unknownSession
        case .differing: throw .continuedSession
        case .reused:
            // With the proof noted, the same message that comes twice is a replay, and ends nothing.
            throw Refusal.continuedSession.changing(
                instance.changes.evenWithoutRoom + [.revoke(lineage.record.id, .refreshReused)])
        case .repeated(let next): return try repetition(of: session, next, &asking)
        case .current(let next, let renewed):
            guard request.challenge == nil || request.challenge == session.challenge else { throw .otherChallenge }
            guard request.demand.isEmpty || request.demand == session.demand else { throw .otherDemand }
            guard session.offered.contains(where: { $0.step.name == answer.step }) else { throw .foreignStep }
            let rotation = Change.rotate(lineage.record.id, from: refresh, to: renewed, accessExpiry: nil)
            return try progress(of: session, lineage.record, by: answer, next, rotation, on: instance, &asking)
        }
    }

    private func progress(
        of session: SignInSession, _ record: Record, by answer: SignInStep.Answer, _ next: Record.Refresh.Token,
        _ rotation: Change, on instance: Requester, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var (session, kept) = (session, instance.record.attributes)
        let former = try former(of: session, &asking)
        var (spent, failed): ([Change], [Change]) = ([], [])
        let progress = try progress(
            of: session, by: answer, on: instance, keeping: &kept, spending: &spent, failing: &failed, &asking)
        session.hasFailed = progress == nil
        if progress != nil {
            let step = session.offered.first { $0.step.name == answer.step }
            session.methods = methods(former.methods + session.methods, andOf: step)
        }
        switch progress {
        case .user(let user)?:
            let shown = authentication(by: session.methods, beside: former, at: asking.now)
            guard isMet(session.demand, by: shown, at: asking.now) else {
                throw Refusal.unmet(session.demand).changing(
                    instance.changes + [.revoke(record.id, .superseded)] + spent)
            }
            let code = code(of: TokenID(using: &asking.chance), following: next)
            session.code = code.id
            var answer = try welcome(
                user, by: code, session.challenge, on: instance, keeping: kept, adding: shown.claims,
                goingOnWith: session.grant, &asking)
            answer.changes = [rotation, record.keeping(session.members)] + spent + answer.changes
            return answer
        case .more(let user, let offered)?:
            (session.subject, session.offered) = (user, offered)
            guard let told = session.continuation(next) else { throw .failed }
            return Answer(
                ChallengeRequest.Outcome.continued(told).encoded(),
                [rotation, record.keeping(session.members)] + spent, refusal: .stepWanted)
        case nil:
            session.failures += 1
            guard session.failures < SignInSession.failureLimit else {
                throw Refusal.failedSteps.changing(instance.changes + [.revoke(record.id, .misused)] + failed)
            }
            guard let told = session.continuation(next) else { throw .failed }
            return Answer(
                ChallengeRequest.Outcome.continued(told).encoded(),
                [rotation, record.keeping(session.members)] + failed, refusal: .failedStep)
        }
    }

    /// What was shown before by somebody who is signed in already; over with that.
    private func former(of session: SignInSession, _ asking: inout Inquiry) throws(Refusal) -> Authentication {
        guard let grant = session.grant else { return Authentication(by: []) }
        guard let lineage = try asking.lineage(of: grant), lineage.verdict(at: asking.now).grantLives else {
            throw .unknownSession
        }
        return authentication(of: lineage.record)
    }

    /// The answer to a step once more, for who lost it (threat 72).
    private func repetition(
        of session: SignInSession, _ next: Record.Refresh.Token, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        if let id = session.code {
            let code = code(of: id, following: next)
            guard let record = try asking.lineage(of: id), code.opens(record.record) else { throw .unknownSession }
            return Answer(try Self.granted(code))
        }
        guard let told = session.continuation(next) else { throw .failed }
        return Answer(
            ChallengeRequest.Outcome.continued(told).encoded(),
            refusal: session.hasFailed ? .failedStep : .stepWanted)
    }

    /// The code with which a sign-in ends: it follows from what would have gone on with it, which nobody is told.
    private func code(of id: TokenID, following next: Record.Refresh.Token) -> OpaqueToken {
        OpaqueToken(for: id, following: next.encoded(), under: authority.master)
    }
}

extension Refusal {
    fileprivate static let stepWanted = Refusal(
        .insufficientAuthorization, "one of these steps is needed as well", "FPA-3")
    /// Unknown, ended, another instance's or of another key: all are told alike.
    fileprivate static let unknownSession = Refusal(
        .invalidSession, "the sign-in session is unknown, over, or another client's; sign in anew", "FPA-5")
    fileprivate static let continuedSession = Refusal(
        .invalidSession, "the sign-in session was continued before, in another way; sign in anew", "FPA-7")
    fileprivate static let otherChallenge = Refusal(
        .invalidRequest, "'code_challenge' is not the one with which the sign-in began", "FPA-8")
    fileprivate static let otherDemand = Refusal(
        .invalidRequest, "'acr_values' and 'max_age' are not those with which the sign-in began", "FPA-18")
    fileprivate static let foreignStep = Refusal(.invalidRequest, "the step is not one of those offered", "FPA-9")
}

extension SignInStep.Answer {
    /// An answer of the same form that nobody guesses, whose check takes as long.
    func guessing(using chance: inout Chance) -> SignInStep.Answer {
        let text = Base64URL.encode(chance.bytes(24))
        return switch response {
        case .code: SignInStep.Answer((try? .code(Secret.OneTimeCode(parsing: text))) ?? response, to: step)
        case .text: SignInStep.Answer((try? .text(Secret.StepResponse(parsing: text))) ?? response, to: step)
        }
    }
}
