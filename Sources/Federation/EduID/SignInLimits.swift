internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

// (2): how many attempts may fail (FPA-13 to FPA-16).

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
        let ofInstance = FailurePlaces(digest("instance", client.text), limit: 10)
        let ofUser =
            isFamiliar
            ? FailurePlaces(digest("user on \(client) since \(round)", name.text), limit: 10)
            : FailurePlaces(digest("user among strangers", name.text), limit: 20)
        let facts = try asking.facts((ofInstance.keys + ofUser.keys).map { .replay($0) })
        guard ofInstance.taken(in: facts, at: asking.now) < ofInstance.keys.count else {
            throw Refusal.tooManyAttempts.changing(instance.changes)
        }
        let failures = ofUser.taken(in: facts, at: asking.now)
        let isLocked = failures == ofUser.keys.count
        // Beyond the limit it takes the same time, and no guess gets as far as the password.
        let tried = isLocked ? try? Secret.Password(parsing: Base64URL.encode(asking.chance.bytes(32))) : password
        guard let tried else { throw .failed }
        let attempt = SignInAttempt(
            user: name, password: tried, client: client, version: version(of: instance.lineage)?.number,
            failures: failures)
        let outcome = try asking.outcome(of: attempt)
        guard case .user(let user) = outcome, !isLocked else {
            let taken = ofInstance.taking(in: facts, at: asking.now) + ofUser.taking(in: facts, at: asking.now)
            let refusal: Refusal = isLocked || outcome == .lockedOut ? .exhausted : .wrongCredentials
            throw refusal.changing(instance.changes + taken)
        }
        // Only who knows the password learns that it is of no use (threat 78).
        if try asking.lock(of: .init(user)) != nil { throw Refusal.lockedOut.changing(instance.changes) }
        if !isFamiliar || failures > 0 {
            familiar[member] = .number(JSON.Number(round + (isFamiliar ? 1 : 0)))
            // Who was signed in longest ago counts as a stranger again.
            if familiar.count > 8 { familiar = JSON.Object(familiar.dropFirst().map { ($0.name, $0.value) }) }
            kept[Self.familiarUsers] = .object(familiar)
        }
        return user
    }

    private static let familiarUsers: JSON.Name = "users"

    /// A name for what is counted, from which no name of a user follows.
    private func digest(_ kind: String, _ name: String) -> Fingerprint {
        let message = Array("sign-in: \(kind): ".utf8) + name.utf8
        return Fingerprint(of: [UInt8](authority.master.authenticationCode(for: message)))
    }
}

extension Refusal {
    /// The same words whatever is wrong with them (threat 39).
    static let wrongCredentials = Refusal(.invalidGrant, wrongWords, "threat-39")
    /// Too many failures for this user, which looks the same from outside.
    fileprivate static let exhausted = Refusal(.invalidGrant, wrongWords, "threat-74")

    private static let wrongWords = "user name and password do not belong together"

    fileprivate static let tooManyAttempts = {
        var refusal = Refusal(
            .temporarilyUnavailable,
            "too many attempts to sign in failed on this instance; wait as long as 'Retry-After' says", "threat-74")
        refusal.pause = FailurePlaces.window
        refusal.status = .tooManyRequests
        return refusal
    }()
}
