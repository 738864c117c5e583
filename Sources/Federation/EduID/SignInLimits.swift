internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

// How many attempts to sign in may fail (FPA-13 to FPA-16), in the app (2) and in a browser (OPS-15).

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

extension EduIDService {
    /// Finds who signs in on an instance, within the limits of failed attempts.
    ///
    /// - Parameter kept: what is kept with the instance; it learns who has been signed in there, so that strangers
    ///   cannot lock the owner out.
    func user(
        named name: UserName, with password: Secret.Password, on instance: Requester, keeping kept: inout JSON.Object,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Record.Subject {
        guard let client = instance.record.client else { throw .failed }
        let member = JSON.Name(String(digest("user", name.text).description.prefix(22)))
        var familiar = kept[Self.familiarUsers]?.object ?? JSON.Object()
        let isFamiliar = familiar[member] != nil
        // A success at a familiar place begins its count anew; one among strangers does not.
        let round = familiar[member]?.number?.integer(as: Int.self) ?? 0
        let watch = Watch(
            ofPlace: FailurePlaces(digest("instance", client.text), limit: 10),
            ofUser: isFamiliar
                ? FailurePlaces(digest("user on \(client) since \(round)", name.text), limit: 10)
                : FailurePlaces(digest("user among strangers", name.text), limit: 20))
        let (user, failures) = try user(
            named: name, with: password, from: client, running: version(of: instance.lineage)?.number, watch,
            changing: instance.changes, &asking)
        if !isFamiliar || failures > 0 {
            familiar[member] = .number(JSON.Number(round + (isFamiliar ? 1 : 0)))
            // Who was signed in longest ago counts as a stranger again.
            if familiar.count > 8 { familiar = JSON.Object(familiar.dropFirst().map { ($0.name, $0.value) }) }
            kept[Self.familiarUsers] = .object(familiar)
        }
        return user
    }

    /// Finds who signs in with a browser, within the limits of failed attempts, which are none of the app's.
    ///
    /// A browser in which the user has been signed in is known by a mark that only this service makes, so that
    /// strangers cannot lock the owner out; every success makes a new one, with which the count begins anew.
    func user(
        of attempt: BrowserSession.Attempt, from client: ClientID, _ asking: inout Inquiry
    ) throws(Refusal) -> Record.Subject {
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
        return try user(named: name, with: attempt.password, from: client, running: nil, watch, &asking).user
    }

    /// Finds whose name and password these are, and how many attempts for the user had failed there.
    ///
    /// - Parameter changes: what has to be stored whatever comes of it.
    private func user(
        named name: UserName, with password: Secret.Password, from client: ClientID,
        running version: AppVersion.Number?, _ watch: Watch, changing changes: [Change] = [], _ asking: inout Inquiry
    ) throws(Refusal) -> (user: Record.Subject, failures: Int) {
        let facts = try asking.facts(watch.keys.map { .replay($0) })
        if let place = watch.ofPlace, place.taken(in: facts, at: asking.now) == place.keys.count {
            throw Refusal.tooManyAttempts.changing(changes)
        }
        let failures = watch.ofUser.taken(in: facts, at: asking.now)
        let isLocked = [watch.ofUser, watch.ofKnown].compactMap { $0 }.contains { [now = asking.now] in
            $0.taken(in: facts, at: now) == $0.keys.count
        }
        // Beyond the limit it takes the same time, and no guess gets as far as the password.
        let tried = isLocked ? try? Secret.Password(parsing: Base64URL.encode(asking.chance.bytes(32))) : password
        guard let tried else { throw .failed }
        let attempt = SignInAttempt(
            user: name, password: tried, client: client, version: version, failures: failures)
        let outcome = try asking.outcome(of: attempt)
        if outcome == .unchecked { throw Refusal.unchecked.changing(changes) }
        guard case .user(let user) = outcome, !isLocked else {
            let taken = watch.all.flatMap { [now = asking.now] in $0.taking(in: facts, at: now) }
            let refusal: Refusal = isLocked || outcome == .lockedOut ? .exhausted : .wrongCredentials
            throw refusal.changing(changes + taken)
        }
        // Only who knows the password learns that it is of no use (threat 78).
        if try asking.lock(of: .init(user)) != nil { throw Refusal.lockedOut.changing(changes) }
        return (user, failures)
    }

    private static let familiarUsers: JSON.Name = "users"

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

    static let tooManyAttempts = {
        var refusal = Refusal(
            .temporarilyUnavailable,
            "too many attempts to sign in failed on this instance; wait as long as 'Retry-After' says", "threat-74")
        refusal.pause = FailurePlaces.window
        refusal.status = .tooManyRequests
        return refusal
    }()
}
