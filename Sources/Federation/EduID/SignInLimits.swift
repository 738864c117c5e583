internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

// How many attempts to sign in may fail (FPA-13, FPA-14, FPA-15, FPA-16), in the app (2) and in a browser (OPS-15).

/// The places that failed attempts take for fifteen minutes: when all are taken, there are no more attempts.
///
/// A place is a key that must not pass again, so that of two attempts at once each takes one, and none is answered
/// before it has been stored that it failed (FPA-14).
private struct FailurePlaces {
    let keys: [ReplayKey]

    /// The places of something that is counted, by a name that nobody can guess names of users from.
    init(_ name: Fingerprint, limit: Int) {
        keys = (0..<limit).map { ReplayKey("failed sign-in", name.description, "\($0)") }
    }

    func taken(in facts: Facts, at now: Timestamp) -> Int { keys.count { facts.remembers($0, at: now) } }

    /// What takes a place, if one is free.
    func taking(in facts: Facts, at now: Timestamp) -> [Change] {
        guard var key = keys.first(where: { !facts.remembers($0, at: now) }) else { return [] }
        key.made = now
        return [.remember(key, until: now + Self.window)]
    }

    static let window: Duration = .seconds(900)
}

/// What is counted of those who sign in from one place.
private struct Watch {
    /// Whatever fails there; `nil` where the place says nothing about who is there, or who is there is known.
    let ofPlace: FailurePlaces?
    /// What fails for one user: there, where the user has been signed in, and otherwise wherever he or she has not.
    let ofUser: FailurePlaces
    /// What fails for one user in all browsers that know him or her.
    var ofKnown: FailurePlaces?

    var keys: [ReplayKey] { all.flatMap { $0.keys } }
    var all: [FailurePlaces] { [ofPlace, ofUser, ofKnown].compactMap { $0 } }
}

/// What failed before where somebody signs in, and what one more failure takes.
struct FormerFailures {
    /// How many attempts for the user failed there.
    let count: Int
    /// Whether no attempt for the user counts any more, so that right looks like wrong.
    let isLocked: Bool
    /// What stores that one more has failed.
    let oneMore: [Change]

    fileprivate init(_ watch: Watch, _ facts: Facts, at now: Timestamp) {
        count = watch.ofUser.taken(in: facts, at: now)
        isLocked = [watch.ofUser, watch.ofKnown].compactMap { $0 }.contains {
            $0.taken(in: facts, at: now) == $0.keys.count
        }
        oneMore = watch.all.flatMap { $0.taking(in: facts, at: now) }
    }
}

/// Whether a user has been signed in on an instance before, by what that keeps.
private struct Acquaintance {
    private var users: JSON.Object
    private let member: JSON.Name
    let isKnown: Bool
    /// A success where a user is known begins the count of failures anew; one among strangers does not.
    let round: Int

    init(_ digest: Fingerprint, in kept: JSON.Object) {
        users = kept[Self.users]?.object ?? JSON.Object()
        member = JSON.Name(String(digest.description.prefix(22)))
        isKnown = users[member] != nil
        round = users[member]?.number?.integer(as: Int.self) ?? 0
    }

    /// Notes that the user has signed in, after so many failures.
    func noteSuccess(after failures: Int, in kept: inout JSON.Object) {
        guard !isKnown || failures > 0 else { return }
        var users = users
        users[member] = .number(JSON.Number(round + (isKnown ? 1 : 0)))
        // Who was signed in longest ago counts as a stranger again.
        if users.count > 8 { users = JSON.Object(users.dropFirst().map { ($0.name, $0.value) }) }
        kept[Self.users] = .object(users)
    }

    private static let users: JSON.Name = "users"
}

/// How far somebody is who signs in.
enum SignInProgress {
    /// It is this user.
    case user(Record.Subject)
    /// One of these steps is to be made next.
    case more(Record.Subject?, [OfferedStep])
}

extension EduIDService {
    /// Finds who signs in on an instance, within the limits of failed attempts.
    ///
    /// - Parameter kept: what is kept with the instance; it learns who has been signed in there, so that strangers
    ///   cannot lock the owner out.
    func user(
        named name: UserName, with password: Secret.Password?, demanding demand: AuthenticationDemand = .none,
        on instance: Requester, keeping kept: inout JSON.Object, _ asking: inout Inquiry
    ) throws(Refusal) -> SignInProgress {
        let (client, watch, acquaintance) = try watch(on: instance, of: name)
        let failures = try failures(watch, changing: instance.changes, &asking)
        let progress = try progress(
            of: name, with: password, demanding: demand, from: client,
            running: version(of: instance.lineage)?.number, after: failures, changing: instance.changes, &asking)
        if case .user = progress { acquaintance.noteSuccess(after: failures.count, in: &kept) }
        return progress
    }

    /// Finds what comes of the answer to a step on an instance, within the same limits; `nil` if it is wrong.
    ///
    /// - Parameter failures: what one more failure takes, which is for the caller to store.
    func progress(
        of session: SignInSession, by answer: SignInStep.Answer, on instance: Requester,
        keeping kept: inout JSON.Object, spending: inout [Change], failing failures: inout [Change],
        _ asking: inout Inquiry
    ) throws(Refusal) -> SignInProgress? {
        let (client, watch, acquaintance) = try watch(on: instance, of: session.user, isSignedIn: session.grant != nil)
        let former = try self.failures(watch, changing: instance.changes, &asking)
        failures = former.oneMore
        let progress = try progress(
            of: session.user, session.subject, by: answer, to: session.offered, from: client, after: former,
            changing: instance.changes, spending: &spending, &asking)
        if case .user? = progress { acquaintance.noteSuccess(after: former.count, in: &kept) }
        return progress
    }

    private func watch(
        on instance: Requester, of name: UserName, isSignedIn: Bool = false
    ) throws(Refusal) -> (client: ClientID, Watch, Acquaintance) {
        guard let client = instance.record.client else { throw .failed }
        let acquaintance = Acquaintance(digest("user", name.text), in: instance.record.attributes)
        let watch = Watch(
            ofPlace: FailurePlaces(digest("instance", client.text), limit: 10),
            ofUser: acquaintance.isKnown || isSignedIn
                ? FailurePlaces(digest("user on \(client) since \(acquaintance.round)", name.text), limit: 10)
                : FailurePlaces(digest("user among strangers", name.text), limit: 20))
        return (client, watch, acquaintance)
    }

    /// Finds who signs in with a browser, within the limits of failed attempts, which are none of the app's.
    ///
    /// A browser in which the user has been signed in is known by a mark that only this service makes, so that
    /// strangers cannot lock the owner out; every success makes a new one, with which the count begins anew.
    ///
    /// - Parameter spending: what a one-time code takes that must not pass again.
    /// - Returns: who it is, and what was proved.
    func user(
        of attempt: BrowserSession.Attempt, from client: ClientID, spending: inout [Change], _ asking: inout Inquiry
    ) throws(Refusal) -> (Record.Subject, methods: [String]) {
        let name = attempt.user
        let watch: Watch
        if let mark = attempt.mark, isMark(mark, of: name, at: asking.now) {
            watch = Watch(
                ofPlace: nil, ofUser: FailurePlaces(digest("user in a browser with \(mark)", name.text), limit: 10),
                // Whoever has had the password may have many marks.
                ofKnown: FailurePlaces(digest("user in known browsers", name.text), limit: 30))
        } else {
            watch = Watch(
                // People behind one address are many.
                ofPlace: attempt.address.map { FailurePlaces(digest("address", $0), limit: 40) },
                ofUser: FailurePlaces(digest("user in strange browsers", name.text), limit: 20))
        }
        let failures = try failures(watch, &asking)
        let progress = try progress(
            of: name, with: attempt.password, from: client, running: nil, after: failures, &asking)
        let (subject, steps): (Record.Subject?, [OfferedStep])
        switch progress {
        case .more(let user, let offered): (subject, steps) = (user, offered)
        case .user(let user):
            // Who administrates shows the code along with the password; a person's own pages are there without it.
            (subject, steps) = (user, try self.steps(beforeAdministrating: user, from: client, &asking))
            guard attempt.code != nil, steps.contains(where: { $0.step.name == .oneTimeCode }) else {
                return (user, [Self.password])
            }
        }
        guard steps.contains(where: { $0.step.name == .oneTimeCode }) else { throw .unmetRequirements(steps) }
        guard let code = attempt.code else { throw .codeWanted }
        let second = try self.progress(
            of: name, subject, by: .oneTimeCode(code), to: steps, from: client, after: failures, spending: &spending,
            &asking)
        guard case .user(let user)? = second else { throw Refusal.failedStep.changing(failures.oneMore) }
        return (user, methods([Self.password], andOf: steps.first { $0.step.name == .oneTimeCode }))
    }

    /// Refuses an instance on which no attempt is left.
    func checkAttempts(on instance: Requester, _ asking: inout Inquiry) throws(Refusal) {
        guard let client = instance.record.client else { throw .failed }
        let place = FailurePlaces(digest("instance", client.text), limit: 10)
        let facts = try asking.facts(place.keys.map { .replay($0) })
        guard place.taken(in: facts, at: asking.now) < place.keys.count else {
            throw Refusal.tooManyAttempts.changing(instance.changes)
        }
    }

    private func failures(
        _ watch: Watch, changing changes: [Change] = [], _ asking: inout Inquiry
    ) throws(Refusal) -> FormerFailures {
        let facts = try asking.facts(watch.keys.map { .replay($0) })
        if let place = watch.ofPlace, place.taken(in: facts, at: asking.now) == place.keys.count {
            throw Refusal.tooManyAttempts.changing(changes)
        }
        return FormerFailures(watch, facts, at: asking.now)
    }

    /// Finds whose name and password these are.
    ///
    /// - Parameter changes: what has to be stored whatever comes of it.
    private func progress(
        of name: UserName, with password: Secret.Password?, demanding demand: AuthenticationDemand = .none,
        from client: ClientID, running version: AppVersion.Number?, after failures: FormerFailures,
        changing changes: [Change] = [], _ asking: inout Inquiry
    ) throws(Refusal) -> SignInProgress {
        // Beyond the limit it takes the same time, and no guess gets as far as the password. A name alone is no guess.
        let isLocked = failures.isLocked && password != nil
        let tried = isLocked ? try? Secret.Password(parsing: Base64URL.encode(asking.chance.bytes(32))) : password
        let attempt = SignInAttempt(
            user: name, password: tried, client: client, version: version, failures: failures.count, demanding: demand)
        let outcome = try asking.outcome(of: attempt)
        switch outcome {
        case .unchecked: throw Refusal.unchecked.changing(changes)
        case .user(let user) where !isLocked && password != nil:
            try refuseLocked(user, changing: changes, &asking)
            return .user(user)
        case .more(let user, let steps) where !isLocked && !steps.isEmpty:
            if let user { try refuseLocked(user, changing: changes, &asking) }
            return .more(user, Array(steps.prefix(SignInStep.limit)))
        default:
            let refusal: Refusal = isLocked || outcome == .lockedOut ? .exhausted : .wrongCredentials
            throw refusal.changing(changes + failures.oneMore)
        }
    }

    /// Finds what comes of the answer to one of the steps that were offered; `nil` if it is wrong.
    private func progress(
        of name: UserName, _ subject: Record.Subject?, by answer: SignInStep.Answer, to offered: [OfferedStep],
        from client: ClientID, after failures: FormerFailures, changing changes: [Change] = [],
        spending: inout [Change], _ asking: inout Inquiry
    ) throws(Refusal) -> SignInProgress? {
        guard let step = offered.first(where: { $0.step.name == answer.step }) else { throw .failed }
        let tried = failures.isLocked ? answer.guessing(using: &asking.chance) : answer
        let attempt = StepAttempt(user: name, subject: subject, answer: tried, kept: step.kept, client: client)
        let outcome = try asking.outcome(of: attempt)
        let (progress, spent): (SignInProgress, Timestamp?)
        switch outcome {
        case .unchecked: throw Refusal.unchecked.changing(changes)
        case .failed: return nil
        case .user(let user, let end):
            // Who has made the first step does not become somebody else by the second.
            guard subject == nil || subject == user else { return nil }
            (progress, spent) = (.user(user), end)
        case .more(let user, let steps, let end):
            guard subject == nil || user == nil || subject == user, !steps.isEmpty else { return nil }
            (progress, spent) = (.more(user ?? subject, Array(steps.prefix(SignInStep.limit))), end)
        }
        guard !failures.isLocked else { return nil }
        if let spent {
            var key = ReplayKey(
                "one-time code", digest("code", name.text).description,
                digest("code of \(name.text.utf8.count)", name.text + answer.response.secret).description)
            if try asking.facts(.replay(key)).remembers(key, at: asking.now) { return nil }
            // It counts for as long as it must not pass again, and was not right before (threat 67).
            key.made = asking.now - (spent - asking.now)
            spending = [.remember(key, until: spent)]
        }
        switch progress {
        case .user(let user), .more(let user?, _): try refuseLocked(user, changing: changes, &asking)
        case .more(nil, _): break
        }
        return progress
    }

    /// Only who knows the password learns that it is of no use (threat 78).
    func refuseLocked(
        _ user: Record.Subject, changing changes: [Change] = [], _ asking: inout Inquiry
    ) throws(Refusal) {
        if try asking.lock(of: .init(user)) != nil { throw Refusal.lockedOut.changing(changes) }
    }

    /// A name for what is counted, from which no name of a user follows.
    private func digest(_ kind: String, _ name: String) -> Fingerprint {
        let message = Array("sign-in: \(kind): ".utf8) + name.utf8
        return Fingerprint(of: [UInt8](authority.master.authenticationCode(for: message)))
    }
}

extension EduIDService {
    /// What counts the sessions that a user begins, so that nobody fills the store with them.
    func counting(sessionsOf user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        let places = FailurePlaces(digest("sessions of", user.text), limit: 60)
        let facts = try asking.facts(places.keys.map { .replay($0) })
        guard places.taken(in: facts, at: asking.now) < places.keys.count else { throw .tooManyAttempts }
        return places.taking(in: facts, at: asking.now)
    }
}

// MARK: - Browsers that are known again

extension EduIDService {
    /// A new mark for the browser of a user who has signed in with it; it is good for half a year.
    func mark(for name: UserName, at now: Timestamp, using chance: inout Chance) -> String {
        let serial = "\(now.seconds)." + Base64URL.encode(chance.bytes(12))
        return serial + "." + seal(of: serial, name)
    }

    private func isMark(_ mark: String, of name: UserName, at now: Timestamp) -> Bool {
        let parts = mark.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let made = Int64(parts[0]), let seal = Fingerprint(text: String(parts[2])),
            // Fingerprints are compared in constant time.
            seal == Fingerprint(text: self.seal(of: "\(parts[0]).\(parts[1])", name))
        else { return false }
        return now < Timestamp(seconds: made) + BrowserSession.markLifetime
    }

    private func seal(of serial: String, _ name: UserName) -> String {
        digest("mark \(serial)", name.text).description
    }
}

extension Refusal {
    /// The same words whatever is wrong with them (threat 39).
    static let wrongCredentials = Refusal(.invalidGrant, wrongWords, "threat-39")
    /// Too many failures for this user, which looks the same from outside.
    static let exhausted = Refusal(.invalidGrant, wrongWords, "threat-74")

    /// Whoever checks passwords has too much to do: nothing is said of this one, and nothing counted.
    fileprivate static let unchecked = {
        var refusal = Refusal(
            .temporarilyUnavailable, "too many people sign in at this moment; wait as long as 'Retry-After' says",
            "threat-62")
        refusal.pause = .seconds(5)
        return refusal
    }()

    private static let wrongWords = "user name and password do not belong together"

    /// The answer to a step is wrong, which is told only to who made the one before.
    static let failedStep = Refusal(.invalidGrant, "the step was not made as it has to be; try again", "FPA-10")
    /// The same once too often.
    static let failedSteps = Refusal(
        .invalidGrant, "the step was not made as it has to be, and not for the first time; sign in anew", "FPA-15")

    /// The app cannot make any step that would do.
    static func unmetRequirements(_ steps: [OfferedStep]) -> Refusal {
        let names = steps.map { $0.step.name.text }.joined(separator: " or ")
        return Refusal(.unmetRequirements, "this sign-in takes a step that is not possible here: \(names)", "FPA-9")
    }

    /// A browser has to show a code beside name and password.
    static let codeWanted = Refusal(.insufficientAuthorization, "a one-time code is needed as well", "FPA-10")

    static let tooManyAttempts = {
        var refusal = Refusal(
            .temporarilyUnavailable,
            "too many attempts to sign in failed on this instance; wait as long as 'Retry-After' says", "threat-74")
        refusal.pause = FailurePlaces.window
        refusal.status = .tooManyRequests
        return refusal
    }()
}
