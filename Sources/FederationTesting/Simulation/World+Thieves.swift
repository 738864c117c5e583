internal import Federation
internal import JOSE
internal import Wire

// Thieves of the edu-ID service's key, and what operators do about them (threat 76).

extension World {
    /// Somebody who has taken the edu-ID service's key, and whatever else it holds secret.
    ///
    /// He runs such a service of his own, of whose words no other service can tell that they are not the edu-ID
    /// service's, and has a phone that he lets in as anybody.
    struct Thief {
        let impostor: Host<EduIDService>
        let phone: Phone
        let key: JWK
        let time: Timestamp
        /// Whether the edu-ID service has learned of it.
        var isNoticed = false
    }

    /// How many thieves there are in a history at most.
    private static let thievesAtMost = 3

    func burgle() {
        guard thieves.count < Self.thievesAtMost, let key = eduID.keys.publicKey else { return }
        mishaps += 1
        let impostor = Self.eduIDService(of: cast, with: cast.eduID.users, keys: eduID.keys, processes: 1)
        let phone = Phone(phones.count, as: ledger.addCopy(), in: self, using: &entropy)
        phone.impostor = impostor
        // Nobody is wronged if something that a thief gets does not work.
        ledger.distrust(.installation(phone.installation))
        thieves.append(Thief(impostor: impostor, phone: phone, key: key, time: now))
    }

    /// Whether a host is a thief's, which takes anybody for whoever he says he is.
    func isImpostor<Served: Party>(_ host: Host<Served>) -> Bool { thieves.contains { $0.impostor === host } }

    /// The last thief gets something of a service, as the person as whom he has begun.
    func plunder(_ service: Int, as person: Int, _ reader: Int) {
        guard let phone = thieves.last?.phone else { return }
        if !phone.session.isSignedIn {
            let account = cast.people[person]
            let enter = AuthorizingApp.Interaction.signIn(account.name, account.password)
            guard case .done = phone.perform(enter, by: phone.app) else { return }
            phone.person = person
        }
        _ = ask(phone, reader, picking: .one(service), ofKind: cast.services[service].kind)
        use(phone, reader, service)
    }

    /// Whether the edu-ID service can withdraw so many more keys: they stay published, and others read so many at most.
    func canWithdraw(_ count: Int) -> Bool {
        let withdrawn = eduID.keys.others.count { $0.attributes.withdrawal != nil }
        return withdrawn + Self.thievesAtMost + count < JWKSet.Limits().keys
    }

    /// By how much a clock was wrong at most.
    var worstClockError: Duration { services.reduce(eduID.worstClockError) { max($0, $1.worstClockError) } }

    /// The edu-ID service learns of a theft: it signs by another key, and withdraws the one that was taken.
    func withdrawStolenKeys() {
        guard let place = thieves.firstIndex(where: { !$0.isNoticed }) else { return }
        let since = thieves[place].time - worstClockError - Self.slack
        rotate(eduID, "edu-id", withdrawing: [thieves[place].key], since: since)
        thieves[place].isNoticed = true
        // What it signed since then ends, by the clock that it had, whoever was meant by it.
        ledger.suspect(since: since - worstClockError)
    }

    /// A thief has nothing any more, and gets nothing.
    func checkThieves() {
        for thief in thieves {
            for number in thief.phone.readers.indices {
                for service in thief.phone.readers[number].holdings.keys.sorted()
                where use(thief.phone, number, service) == .granted {
                    breaks("what a stolen key gave ends with it", "service \(service) still grants to a thief")
                }
            }
            let isIn = thief.phone.session.isSignedIn
            for service in services.indices.prefix(3)
            where isIn && !ask(thief.phone, 0, picking: .one(service), ofKind: cast.services[service].kind).isEmpty {
                breaks("a withdrawn key signs for nobody", "service \(service) takes it")
            }
        }
    }
}
