internal import JOSE
public import OAuth2Grants
public import TokenTree
public import Wire

/// That somebody signed in with a browser, on pages of the host: a grant in the tree like that of the app, on an
/// instance of its own (OPS-15).
///
/// So it stands among the person's devices and ends like any of them, also with all of them, and nobody gets one who is
/// locked out. It opens nothing but the host's pages: no endpoint takes it.
public struct BrowserSession: Sendable, Equatable {
    /// The grant in the tree.
    public let id: TokenID
    /// Whose it is.
    public let user: Record.Subject
    /// The name by which the person signed in.
    public let userName: UserName
    /// The name of the browser among the person's devices.
    public let client: ClientID
    /// When the person gave the password.
    public let begun: Timestamp
    /// Whether the person may administrate.
    public let isAdministrators: Bool

    /// How long a browser is known by its ``Opening/mark``.
    public static let markLifetime: Duration = .seconds(183 * 86_400)
    /// How many browsers somebody can be signed in with: who begins another session ends the oldest.
    static let most = 16

    /// Whether the password was given so short ago that something may end without asking for it again.
    public func isFresh(at now: Timestamp) -> Bool { begun <= now && now < begun + .seconds(300) }

    /// What somebody signs in with.
    public struct Attempt: Sendable {
        /// The name.
        let user: UserName
        /// What is to prove it.
        let password: Secret.Password
        /// A code of the person's device, where he or she has one.
        var code: Secret.OneTimeCode?
        /// What the browser is, in words for the person's list of devices.
        let browser: String
        /// Where it comes from, if that says anything about who it is: failures are counted by it.
        var address: String?
        /// The ``Opening/mark`` that the browser keeps from an earlier session.
        var mark: String?
        /// The ``Opening/secret`` of a session of the same person in whose place this one comes.
        var former: String?

        /// An attempt from a browser.
        public init(
            _ user: UserName, _ password: Secret.Password, code: Secret.OneTimeCode? = nil, with browser: String,
            from address: String? = nil, mark: String? = nil, inPlaceOf former: String? = nil
        ) {
            (self.user, self.password, self.code, self.browser) = (user, password, code, browser)
            (self.address, self.mark, self.former) = (address, mark, former)
        }
    }

    /// Why somebody is not signed in, as far as whoever sits in front of the browser may know.
    public enum Obstacle: Sendable, Hashable {
        /// Name and password do not belong together, or too many attempts for this name have failed, which looks the
        /// same (threat 39).
        case wrongCredentials
        /// Name and password are right, and a one-time code is needed beside them.
        case codeWanted
        /// Name and password are right, and the one-time code is not.
        case wrongCode
        /// Name and password are right, and the person signs in with something that browsers cannot show here.
        case otherStepWanted
        /// Too many attempts have failed from there, or too many sessions were begun.
        case tooManyAttempts
        /// The person is locked out.
        case lockedOut
        /// Somebody else is signed in with this browser.
        case otherPerson
        /// The service cannot sign anybody in at this moment.
        case unavailable
    }

    /// A session that has begun, with what the browser keeps of it.
    public struct Opening: Sendable {
        /// The session.
        public let session: BrowserSession
        /// What opens it again: whoever has it is taken for the person.
        public let secret: String
        /// What tells later that this user has been signed in with this browser, and proves nothing else.
        public let mark: String
    }
}

extension EduIDService {
    /// Begins to let somebody in who signs in with a browser.
    public func exchange(
        signingIn attempt: BrowserSession.Attempt, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<BrowserSession.Opening, Refusal>> {
        Exchange(Refuser(code: .invalidGrant) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in try open(attempt, &asking) }
        }.followed(by: takingBack).at("account/sign-in")
    }

    /// Begins to find the session that a browser's secret opens; `nil` for none, or one that has ended.
    public func exchange(
        openingSession secret: String, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<BrowserSession?, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in Answer(.success(try session(openedBy: secret, &asking)?.session)) }
        }.at("account")
    }

    /// Begins to end the session that a browser's secret opens, as the person wishes.
    public func exchange(
        endingSession secret: String, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<Bool, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in
                let found = try session(openedBy: secret, &asking)
                return Answer(.success(found != nil), found?.instance.ended(.surrendered, at: asking.now) ?? [])
            }
        }.followed(by: takingBack).at("account/sign-out")
    }

    private func open(
        _ attempt: BrowserSession.Attempt, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<Result<BrowserSession.Opening, Refusal>> {
        let client = ClientID(randomBy: &asking.chance)
        var spent: [Change] = []
        let (user, methods) = try user(of: attempt, from: client, spending: &spent, &asking)
        let former = try attempt.former.flatMap { secret throws(Refusal) in try session(openedBy: secret, &asking) }
        if let former, former.session.user != user { throw .otherPerson }
        let end = asking.now + policy.browserSessionLifetime
        var changes = spent + (try counting(sessionsOf: user, &asking))
        changes += former?.instance.ended(.superseded, at: asking.now) ?? []
        changes += try oldest(of: user, sparing: former?.instance.record.id, &asking)
        let ground = browsers
        if try asking.lineage(of: ground) == nil {
            changes.append(
                .insert(
                    Record(
                        id: ground, kind: .versionKey, parent: nil, issued: asking.now,
                        attributes: ["platform": .string(Self.browserPlatform)])))
        }
        let instance = Record(
            id: TokenID(using: &asking.chance), kind: .client, parent: ground, issued: asking.now,
            holder: Record.Holder(client), finalExpiry: end,
            attributes: ["device": ["name": .string(attempt.browser)]])
        let token = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
        var attributes = authentication(by: methods, at: asking.now).claims
        attributes[Self.secretMember] = token.kept
        attributes[Self.nameMember] = .string(attempt.user.text)
        let record = Record(
            id: token.id, kind: .personal, parent: instance.id, issued: asking.now, holder: instance.holder,
            subject: user, finalExpiry: end,
            attributes: attributes)
        asking.requester = record
        guard let session = session(on: record, at: asking.now) else { throw .failed }
        let opening = BrowserSession.Opening(
            session: session, secret: token.text, mark: mark(for: attempt.user, at: asking.now, using: &asking.chance))
        return Answer(.success(opening), changes + [.insert(instance), .insert(record)])
    }

    /// The end of the oldest sessions of a user who has as many as there may be.
    private func oldest(
        of user: Record.Subject, sparing former: TokenID?, _ asking: inout Inquiry
    ) throws(Refusal) -> [Change] {
        let now = asking.now
        let living = try asking.page(of: .subject(user, .personal), after: nil, limit: 256).lineages.compactMap {
            isBrowsers($0) && $0.verdict(at: now).grantLives ? $0.grounded(on: .client) : nil
        }
        return living.filter { $0.record.id != former }.dropFirst(BrowserSession.most - 1)
            .flatMap { $0.ended(.superseded, at: now) }
    }

    private func session(
        openedBy secret: String, _ asking: inout Inquiry
    ) throws(Refusal) -> (session: BrowserSession, instance: Lineage)? {
        guard let token = OpaqueToken(presented: secret), let lineage = try asking.lineage(of: token.id),
            token.opens(lineage.record, by: Self.secretMember), lineage.verdict(at: asking.now).isLive,
            let session = session(on: lineage.record, at: asking.now), let instance = lineage.grounded(on: .client)
        else { return nil }
        asking.requester = lineage.record
        return (session, instance)
    }

    private func session(on record: Record, at now: Timestamp) -> BrowserSession? {
        guard record.kind == .personal, let user = record.subject, let client = record.client,
            let name = record.attributes[Self.nameMember]?.string.flatMap({ try? UserName(parsing: $0) })
        else { return nil }
        return BrowserSession(
            id: record.id, user: user, userName: name, client: client, begun: record.issued,
            isAdministrators: policy.administrators.contains(user)
                && isMet(policy.administratorsDemand, by: authentication(of: record), at: now))
    }

    /// Whether a sign-in is one with a browser.
    func isBrowsers(_ lineage: Lineage) -> Bool { lineage.nearest(.versionKey)?.id == browsers }

    /// The record on which all browsers stand; it is no version of the app, so no endpoint knows them.
    private var browsers: TokenID { TokenID("browsers", of: authority.issuer.text, by: authority.issuer.text) }

    private static let browserPlatform = "browser"
    /// Not where tokens are looked for that endpoints take.
    private static let secretMember: JSON.Name = "browser_secret"
    private static let nameMember: JSON.Name = "user"
}

extension Refusal {
    /// What stands in the way of somebody who wants to sign in with a browser.
    public var obstacle: BrowserSession.Obstacle {
        // Whatever is counted with it.
        switch changing([]) {
        case .wrongCredentials, .exhausted: .wrongCredentials
        case .codeWanted: .codeWanted
        case .failedStep: .wrongCode
        case let refusal where refusal.error.code == .unmetRequirements: .otherStepWanted
        case .tooManyAttempts: .tooManyAttempts
        case .lockedOut: .lockedOut
        case .otherPerson: .otherPerson
        default: .unavailable
        }
    }

    fileprivate static let otherPerson = Refusal(
        .invalidGrant, "somebody else is signed in with this browser, and has to sign out first", "OPS-15")
}
