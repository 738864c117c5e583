import Federation
import Foundation
import Hosting
import JOSE
import RSD2
import Wire

/// The signing keys of a party over time: the next one is published before it signs, and the former one for as long as
/// something that it signed is good (OPS-11).
///
/// They lie beside the key that signs: `signing.next.jwk`, and `signing.former.jwk` with public halves alone.
enum KeyRotation {
    static let command = Command(
        name: "key", abstract: "The keys by which a party signs: list, prepare, rotate, retire, withdraw.",
        discussion: """
            A rotation that nobody notices has three steps: 'prepare' makes the next key and
            publishes it; 'rotate', a day later, has it sign, and publishes the former one still;
            'retire' publishes that no more, when nothing that it signed is good: a day later at a
            service, and a year later at an edu-ID service, whose tokens for the app live so long.

            Of a key that was stolen: 'prepare', 'rotate', and 'withdraw', which tells everybody
            since when it was not the party's alone.
            """, subcommands: [list, prepare, rotate, retire, withdraw])

    private static let name = Argument(name: "key", kind: .text, abstract: "The name of a key, as the list shows it.")
    private static let since = Option(
        name: "since", value: "time", abstract: "When the key was stolen: seconds since 1970, or 2027-01-31T12:00:00Z.",
        isRequired: true)

    // MARK: commands

    private static let list = Command(
        name: "list", abstract: "Show the keys of a party.", arguments: [Running.folder], options: [.output],
        discussion: "As JSON: keys, an array of objects with id, state ('signs', 'next', 'former' or 'withdrawn')."
    ) { (invocation, console) throws(Failure) in
        let ring = try KeyRing(invocation, console)
        var entries: [JSON.Object] = [["id": .string(ring.signing.id?.text ?? ""), "state": "signs"]]
        if let next = ring.next { entries.append(["id": .string(next.id?.text ?? ""), "state": "next"]) }
        for key in ring.former {
            let isWithdrawn = key.attributes.withdrawal != nil
            entries.append(["id": .string(key.id?.text ?? ""), "state": isWithdrawn ? "withdrawn" : "former"])
        }
        console.show(entries, named: "keys", invocation)
    }

    private static let prepare = Command(
        name: "prepare", abstract: "Make the key that signs next, and publish it.", arguments: [Running.folder]
    ) { (invocation, console) throws(Failure) in
        let ring = try KeyRing(invocation, console)
        guard ring.next == nil else { throw .refused("there is a next key already; 'eduid admin key rotate' takes it") }
        let key = Founding.signingKey(using: &console.entropy)
        do throws(JWK.Rejection) {
            try JWKSet([key, ring.signing].compactMap { $0.publicKey } + ring.former).checkSize()
        } catch {
            throw .refused(
                "nobody would read so many keys; 'eduid admin key retire' takes former ones out", error, error.clause)
        }
        try console.store(KeyFile([.secret(key)]).encoded(as: .jwk), ring.places.next, .secret, false)
        try ring.tell(&console, "'\(key.id?.text ?? "")' is made and published. Let a day pass before 'rotate'.")
    }

    private static let rotate = Command(
        name: "rotate", abstract: "Have the next key sign; the former one stays published.", arguments: [Running.folder]
    ) { (invocation, console) throws(Failure) in
        let ring = try KeyRing(invocation, console)
        guard let next = ring.next else { throw .refused("there is no next key; run 'eduid admin key prepare' first") }
        guard let former = ring.signing.publicKey else { throw .refused("the key that signs has no public half") }
        // The former key is published before it stops signing: wherever this ends, what was signed can be verified.
        try ring.store(former: ring.former + (ring.hasFormer(former) ? [] : [former]), &console)
        guard rename(ring.places.next, ring.places.signing) == 0 else {
            throw .refused("'\(ring.places.next)' cannot take the place of '\(ring.places.signing)'")
        }
        try ring.tell(&console, "'\(next.id?.text ?? "")' signs now.")
    }

    private static let retire = Command(
        name: "retire", abstract: "Publish former keys no more.", arguments: [Running.folder], options: [.force],
        discussion: """
            What they signed is good for nobody any more. While that may be anything, that is for
            as long as access tokens and assertions live after the last rotation, and at an edu-ID
            service the tokens of the app, a year, '--force' is needed. Copies of the app that send
            those, and do not sign requests with their own keys, have to register anew then.
            Keys that were withdrawn stay published, so that everybody learns of it.
            """
    ) { (invocation, console) throws(Failure) in
        let ring = try KeyRing(invocation, console)
        let retired = ring.former.filter { $0.attributes.withdrawal == nil }
        guard !retired.isEmpty else { throw .refused("there is no former key") }
        if !invocation.has(.force), let left = ring.lifeLeft(at: console.now) {
            throw .refused("what a former key signed may be good for another \(left) seconds; wait, or use --force")
        }
        try ring.store(former: ring.former.filter { $0.attributes.withdrawal != nil }, &console)
        try ring.tell(&console, "\(retired.count) former keys are published no more.")
    }

    private static let withdraw = Command(
        name: "withdraw", abstract: "Tell everybody that a former key was stolen.",
        arguments: [Running.folder, name], options: [since],
        discussion: """
            If it was stolen earlier than was believed, withdraw it again with the earlier time.

            An edu-ID service whose store was restored without proof does not know whom it has
            introduced since the copy was made, and so cannot end that. Withdraw each key that has
            signed since then, and it ends everywhere.
            """
    ) { (invocation, console) throws(Failure) in
        let (ring, id) = (try KeyRing(invocation, console), try invocation.required(name))
        let time = try invocation.time(of: since, on: console)
        var former = ring.former
        let places = former.indices.filter { former[$0].id?.text.spells(id) ?? false }
        guard !places.isEmpty else {
            throw .refused("'\(id)' is no former key; a key that signs is rotated first")
        }
        // Where a key stands several times, each is told, lest somebody reads the other one.
        let earlier = places.compactMap { former[$0].attributes.withdrawal?.since }
        if let latest = earlier.max(), earlier.count == places.count, latest <= time {
            throw .refused("'\(id)' is withdrawn since \(latest.seconds) already, which is no later")
        }
        let first = earlier.reduce(time) { min($0, $1) }
        for place in places { former[place].attributes.withdrawal = JWK.Withdrawal(since: first) }
        try ring.store(former: former, &console)
        try ring.tell(&console, "'\(id)' is withdrawn: what it signed since then is good for nobody.")
    }
}

/// The keys in the folder of a party.
private struct KeyRing {
    let signing: JWK.Private
    let next: JWK.Private?
    let former: [JWK]
    let places: Configuration.KeyPlaces
    private let configuration: Configuration

    init(_ invocation: Invocation, _ console: Console) throws(Failure) {
        try console.meet()
        configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        places = configuration.keys
        guard !places.isHanded else {
            throw .refused("the keys are handed over by the service manager; rotate them where it has them from")
        }
        signing = try Configuration.pair(in: places.signing, console)
        next = places.hasNext ? try Configuration.pair(in: places.next, console) : nil
        former = try places.formerKeys(console)
    }

    func store(former: [JWK], _ console: inout Console) throws(Failure) {
        let bytes = try KeyFile(former.map { .shown($0) }).encoded(as: .jwks)
        try console.store(bytes, places.former, .shared, true)
    }

    /// Whether a key is among the former ones already, be it withdrawn or not, as where a rotation was cut off.
    func hasFormer(_ key: JWK) -> Bool {
        former.contains { $0.id == key.id && (try? $0.thumbprint()) == (try? key.thumbprint()) }
    }

    /// How long something that a former key signed may be good.
    func lifeLeft(at now: Timestamp) -> Int64? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: places.former),
            let date = attributes[.modificationDate] as? Date
        else { return nil }
        var lifetime = configuration.accessLifetime
        if case .eduID = configuration.role { lifetime = max(lifetime, EduIDService.clientTokenLifetime) }
        let end = Int64(date.timeIntervalSince1970) + lifetime.components.seconds + 600
        return end > now.seconds ? end - now.seconds : nil
    }

    /// Has the party read its keys anew, if it is at work, and says what has come of it.
    func tell(_ console: inout Console, _ words: String) throws(Failure) {
        let office = try Office(of: configuration)
        guard office.isOpen else { return console.say(words + " The party is not at work; it will read it.") }
        try office.run("reload")
        console.say(words)
    }
}
