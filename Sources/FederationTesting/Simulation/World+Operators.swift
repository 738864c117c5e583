internal import Federation
internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
internal import Wire

// What administrators and operators do, and what happens by itself.

extension World {
    func perform(_ step: FederationSimulation.Step) {
        // Who is not concerned stays untouched.
        var phone: Phone { self.phone(step[0] % phones.count) }
        switch step.verb {
        case .signIn:
            step[2] == 0 ? signIn(phone, person(step[1])) : signIn(phone, person(step[1]), making: step[2] - 1)
        case .goOn: goOn(phone, wrongly: step[1] == 1)
        case .mistype: mistype(phone, person(step[1]))
        case .signOut: signOut(phone)
        case .launch: launch(phone)
        case .introduce: introduce(phone, service(step[1]))
        case .unlink: unlink(phone, meant(service(step[1]), of: phone, phone.readers.indices))
        case .endReader:
            let reader = reader(step[2])
            endReader(phone, meant(service(step[1]), of: phone, reader...reader), reader)
        case .hide: hide(phone, service(step[1]))
        case .kill: phone.kill()
        case .backUp: phone.backUp()
        case .restore: restore(phone)
        case .reinstall: reinstall(phone)
        case .startOver: startOver(phone)
        case .upgrade: upgrade(phone, to: step[1] % cast.versionKeys.count)
        case .ask:
            ask(
                phone, reader(step[1]), picking: .bits(step[2]), ofKind: step[4] % cast.protocolNames.count,
                killing: step[3] == 1)
        case .use: if let service = held(phone, step) { use(phone, reader(step[1]), service) }
        case .renew: if let service = held(phone, step) { renew(phone, reader(step[1]), service) }
        case .giveBack: if let service = held(phone, step) { giveBack(phone, reader(step[1]), service) }
        case .insist: insist(phone, reader(step[1]), service(step[2]))
        case .wait: now = now + .seconds(Int64(step[0]))
        case .fault:
            let kinds = FederationSimulation.Fault.allCases
            arm(kinds[step[0] % kinds.count], after: step[1])
        case .arrive: arrive(step[0])
        case .replay: replay(step[0])
        case .misdeliver: misdeliver(step[0], to: step[1] % (services.count + 1))
        case .garble: garble(step[0], by: step[1])
        case .forge: forge(by: service(step[0]), step[1])
        case .flood: flood(phone, person(step[1]), at: self.phone(step[2] % phones.count))
        case .steal: steal(phone, reader(step[1]), service(step[2]), service(step[3]))
        case .block, .unblock, .discredit, .reject, .expel, .lock, .unlock, .forget, .disavow, .renounce, .belong,
            .dismiss, .leave, .remove:
            administer(step)
        case .burgle: burgle()
        case .plunder: plunder(service(step[0]), as: person(step[1]), reader(step[2]))
        case .tick, .stop, .down, .up, .rotate, .withdraw, .clock, .archive, .revert, .publish, .handOver:
            operate(step)
        }
    }

    /// What administrators, accounts and the provider do.
    private func administer(_ step: FederationSimulation.Step) {
        var phone: Phone { self.phone(step[0] % phones.count) }
        switch step.verb {
        case .block: block(step[0] % cast.versionKeys.count)
        case .discredit: discredit(step[0] % cast.versionKeys.count, since: now - .seconds(Int64(step[1])))
        case .unblock:
            let version = step[0] % cast.versionKeys.count
            _ = administrate(.unblock(cast.versionIDs[version]))
            // What nobody confirmed may have been done.
            blocked.remove(version)
        case .reject: reject(phone)
        case .expel:
            let person = person(step[0])
            end(everywhere: person, called: name(of: person, byAccount: step[1])) {
                administrate(.signOut($0), orFindsNothing: true)
            }
        case .lock:
            let person = person(step[0])
            let name = name(of: person, byAccount: step[1])
            if end(everywhere: person, called: name, by: { administrate(.lock($0)) }) { locked.insert(person) }
        case .unlock: unlock(person(step[0]))
        case .forget: forget(person(step[0]))
        case .disavow: disavow(person(step[0]), oneSession: step[1] == 1)
        case .renounce: renounce(person(step[0]))
        case .belong: belong(person(step[0]), step[1] == 1)
        case .dismiss: dismiss(person(step[0]))
        case .leave: leave(person(step[0]), service(step[1]))
        case .remove: remove(phone, person(step[1]))
        default: break
        }
    }

    /// What operators do, and what happens by itself.
    private func operate(_ step: FederationSimulation.Step) {
        let party = step[0] % (services.count + 1)
        switch step.verb {
        case .tick: if party == 0 { tick(eduID, process: eduID.next()) } else { tick(services[party - 1], process: 0) }
        case .stop:
            if party == 0 { restart(eduID, step[1] % eduID.processes.count) } else { restart(services[party - 1], 0) }
        case .down: setDown(party, true)
        case .up: setDown(party, false)
        case .rotate: rotate(party)
        case .withdraw: withdrawStolenKeys()
        case .archive: archive(party)
        case .revert: revert(party)
        case .publish: publish(service(step[0]), Publication(step[1], service(step[2])))
        case .handOver: handOver(service(step[0]))
        case .clock: setClock(party, .seconds(Int64(step[2] == 1 ? -step[1] : step[1])))
        default: break
        }
    }

    private func person(_ number: Int) -> Int { number % cast.people.count }
    private func service(_ number: Int) -> Int { number % services.count }
    private func reader(_ number: Int) -> Int { number % cast.readers.count }

    /// Of which service a reader uses what it got: the one that a step names, or the next one that gave it something.
    private func held(_ phone: Phone, _ step: FederationSimulation.Step) -> Int? {
        next(from: service(step[2]), in: phone.readers[reader(step[1])].holdings.keys)
    }

    /// Of which service everything is ended: of the next one that gave some readers something, or else of the one that
    /// a step names.
    private func meant(_ named: Int, of phone: Phone, _ readers: some Sequence<Int>) -> Int {
        next(from: named, in: readers.flatMap { phone.readers[$0].holdings.keys }) ?? named
    }

    private func next(from named: Int, in held: some Collection<Int>) -> Int? {
        held.filter { $0 >= named }.min() ?? held.min()
    }

    // MARK: Administrators

    /// Ends something by a word to the edu-ID service; whether it confirmed that.
    @discardableResult
    func end(_ grounds: [Ledger.Ground], by administrate: () -> Bool) -> Bool {
        let (links, count) = (grounds.map { ledger.beginEnding($0) }, begun.count)
        let isConfirmed = administrate()
        // What has begun meanwhile was first, or was not.
        for ground in begun[count...] { ledger.distrust(ground) }
        for (ground, link) in zip(grounds, links) {
            if isConfirmed { ledger.end(link, by: .eduID) } else { ledger.doubt(ground) }
            // What is asked for before the phone learns of it may still stand on what has ended.
            ledger.distrust(ground)
        }
        return isConfirmed
    }

    @discardableResult
    func end(everywhere person: Int, called name: Record.Subject? = nil, by administrate: (Record.Subject) -> Bool)
        -> Bool
    {
        let name = name ?? subject(of: person)
        return endAll(of: person) { administrate(name) }
    }

    /// Ends everything of a person's, also what has only begun; whether that was confirmed.
    @discardableResult
    private func endAll(of person: Int, by administrate: () -> Bool) -> Bool {
        let time = now
        guard end(ledger.everywhere(of: person), by: administrate) else { return false }
        endBegun(person, at: time)
        return true
    }

    /// Ends everything of a person's by the provider's word, after which by a wrong clock a sign-in may have begun.
    private func endAll(of person: Int, byWord send: () -> Bool) {
        if eduID.wasClockWrong { ledger.everywhere(of: person).forEach { ledger.doubt($0) } }
        endAll(of: person, by: { send() && !eduID.wasClockWrong })
    }

    func unlock(_ person: Int) {
        for name in Set([subject(of: person), cast.people[person].subject]) { _ = administrate(.unlock(name)) }
        locked.remove(person)
    }

    /// By which name the edu-ID service knows a person.
    func subject(of person: Int) -> Record.Subject {
        let account = cast.people[person]
        return knowsAccounts ? account.otherSubject ?? account.subject : account.subject
    }

    /// The name by which an administrator calls a person: the one by which he or she is known, or the one that follows
    /// from the account.
    private func name(of person: Int, byAccount: Int) -> Record.Subject {
        byAccount == 1 ? cast.people[person].subject : subject(of: person)
    }

    private func block(_ version: Int) {
        let concerned = phones.touched.filter { $0.version == version || $0.versionsInDoubt }
        var certain = concerned.filter { !$0.versionsInDoubt }.map { Ledger.Ground.installation($0.installation) }
        // Phones that nobody has touched are of the first version.
        if version == 0 { certain.append(.installation(Ledger.elsewhere)) }
        // Copies that were removed from their phones stood on some version as well.
        for number in removed { ledger.doubt(.installation(number)) }
        for phone in concerned where phone.versionsInDoubt {
            ledger.doubt(.installation(phone.installation))
            ledger.distrust(.installation(phone.installation))
        }
        if end(certain, by: { administrate(.block(cast.versionIDs[version])) }) { blocked.insert(version) }
    }

    /// Since a time somebody else has the key of a version.
    ///
    /// What was registered by it since ends, what was registered before goes on, and nothing is registered by it any
    /// more. At most one version comes to that.
    private func discredit(_ version: Int, since time: Timestamp) {
        guard discredited.map({ $0.version == version }) ?? true else { return }
        let margin = worstClockError + Self.slack
        var certain: [Ledger.Ground] = []
        for phone in phones.touched where phone.version == version || phone.versionsInDoubt {
            let ground = Ledger.Ground.installation(phone.installation)
            if let registered = phone.registered, !phone.versionsInDoubt {
                if registered.upperBound < time - margin { continue }
                if registered.lowerBound >= time + margin {
                    certain.append(ground)
                    continue
                }
            }
            ledger.doubt(ground)
            ledger.distrust(ground)
        }
        for number in removed { ledger.doubt(.installation(number)) }
        let isConfirmed = end(certain) { administrate(.withdraw(cast.versionIDs[version], since: time)) }
        discredited = (version, isConfirmed || discredited?.isCertain == true)
    }

    /// Whether the edu-ID service knows that somebody else has a version's key.
    func isDiscredited(_ version: Int) -> Bool {
        discredited.map { $0.version == version && $0.isCertain } ?? false
    }

    /// To which version a phone goes whose own one may register nothing any more; `nil` unless that may be so.
    func trustedVersion(for phone: Phone) -> Int? {
        guard let version = discredited?.version, phone.version == version || phone.versionsInDoubt else { return nil }
        return version == 1 ? 2 : 1
    }

    private func reject(_ phone: Phone) {
        // Who is not registered cannot be rejected.
        guard phone.session.isRegistered else { return }
        let (instance, installation) = (phone.session.installation.instance, phone.installation)
        // Where nobody confirmed it, the person learns of it by the app, and does what there is to do.
        maybeRejected.insert(installation)
        if end([.installation(installation)], by: { administrate(.reject(instance)) }) { rejected.insert(installation) }
    }

    private func leave(_ person: Int, _ service: Int) {
        let subject = subject(of: person)
        end(ledger.everywhere(of: person, at: service)) {
            isUndisturbed { administrate(.leave(cast.services[service].home, of: subject)) }
        }
    }

    /// Whether something was confirmed and nobody asked for anything meanwhile: that was given before it, or after it.
    func isUndisturbed(_ body: () -> Bool) -> Bool {
        let former = askings
        return body() && former == askings && asking == 0
    }

    private func remove(_ phone: Phone, _ person: Int) {
        let (instance, subject) = (phone.session.installation.instance, subject(of: person))
        ledger.visit(phone.installation, by: person)
        end([.session(phone.installation, person: person)]) { administrate(.remove(instance, from: subject)) }
    }

    /// The provider says that somebody's sessions there have ended: with all of them, whatever the person signed in to
    /// here ends as well; after one of them the person signs in again before anything is renewed.
    private func disavow(_ person: Int, oneSession: Bool) {
        let account = cast.people[person]
        guard account.way == .provider else { return }
        disavowals += 1
        let session = oneSession ? account.session : nil
        guard
            let url = try? WebURL(parsing: Cast.issuer + "/backchannel-logout"),
            let request = try? provider.logout(
                of: providerAccount(of: person), in: session, named: "logout-\(disavowals)", to: url, at: now)
        else { return }
        guard oneSession else { return endAll(of: person, byWord: { send(request)?.status == .ok }) }
        let time = now
        if send(request)?.status == .ok, !eduID.wasClockWrong { endBegun(person, at: time) }
    }

    /// As what somebody belongs to the institution now.
    func affiliation(of person: Int) -> Affiliation? { outsiders[person] == nil ? cast.affiliation : nil }

    /// What the provider says of somebody now.
    private func providerAccount(of person: Int) -> SimulatedProvider.Person {
        cast.people[person].account(as: affiliation(of: person))
    }

    /// The provider has all ended that somebody was given here.
    private func renounce(_ person: Int) {
        guard cast.people[person].way == .provider,
            let url = try? WebURL(parsing: Cast.issuer + "/global-token-revocation"),
            let request = try? provider.globalRevocation(
                of: providerAccount(of: person), at: url, of: cast.eduID.authority.issuer, at: now, using: &entropy)
        else { return }
        endAll(of: person, byWord: { send(request)?.status == .noContent })
    }

    /// The accounts say that a person belongs to the institution no more, or does again: what was given to a member
    /// ends with the next introduction.
    func belong(_ person: Int, _ isAgain: Bool) {
        guard isAgain == (outsiders[person] != nil) else { return }
        if let since = outsiders[person] { checkOutsider(person, since: since) }
        outsiders[person] = isAgain ? nil : now
        if cast.people[person].way == .provider { provider.put(providerAccount(of: person)) }
        // What an app keeps of before may end after that, when services hear of it.
        guard !isAgain else { return }
        for ground in memberships(of: person) {
            ledger.doubt(ground)
            ledger.distrust(ground)
        }
    }

    /// Who belonged to the institution no more was introduced to nobody as a member.
    private func checkOutsider(_ person: Int, since time: Timestamp) {
        // What the provider said at the sign-in counts until the next one.
        guard !eduID.wasClockWrong, cast.people[person].way != .provider else { return }
        for introduction in records(.assertion, of: person).map({ $0.record }) where introduction.issued > time {
            guard let service = self.service(of: introduction), cast.services[service].isForMembers else { continue }
            breaks(
                "services for members are for members",
                "person \(person) at service \(service), at \(introduction.issued)")
        }
    }

    // MARK: Operators

    private func setDown(_ party: Int, _ isDown: Bool) {
        mishaps += 1
        if party == 0 { eduID.isDown = isDown } else { services[party - 1].isDown = isDown }
    }

    private func setClock(_ party: Int, _ error: Duration) {
        if party == 0 { eduID.clockError = error } else { services[party - 1].clockError = error }
    }

    var clocksAreRight: Bool { eduID.clockError == .zero && services.allSatisfy { $0.clockError == .zero } }

    private func rotate(_ party: Int) {
        if party == 0 { rotate(eduID, "edu-id") } else { rotate(services[party - 1], "s\(party - 1)") }
    }

    /// A party takes another key, and withdraws former ones where that is told.
    func rotate<Served: Party>(
        _ host: Host<Served>, _ name: String, withdrawing withdrawn: [JWK] = [], since time: Timestamp = .distantFuture
    ) {
        guard let pair = newKey(named: "\(name)-\(host.rotations + 1)") else { return }
        var others = host.publishedKeys
        // Of more keys than others read the oldest are retired, but for those that are withdrawn.
        while others.count >= JWKSet.Limits().keys,
            let oldest = others.lastIndex(where: { $0.attributes.withdrawal == nil })
        {
            others.remove(at: oldest)
        }
        for key in withdrawn {
            // One that was retired is published again.
            let place = others.firstIndex { $0.id == key.id } ?? others.endIndex
            if place == others.endIndex { others.append(key) }
            let earlier = others[place].attributes.withdrawal?.since ?? time
            others[place].attributes.withdrawal = JWK.Withdrawal(since: min(earlier, time))
        }
        host.rotate(to: Authority.Keys(signing: pair, others: others, master: host.keys.master))
    }

    func newKey(named name: String) -> JWK.Private? {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32)),
            let id = try? KeyID(parsing: name)
        else { return nil }
        return JWK.Private(key, attributes: JWK.Attributes(id: id))
    }

    // MARK: Messages and those who see them

    private func arrive(_ number: Int) {
        guard !heldBack.isEmpty else { return }
        deliverLate(heldBack.remove(at: number % heldBack.count))
    }

    /// A message that somebody saw, so many messages ago.
    func sighted(_ number: Int) -> Sent? { seen.isEmpty ? nil : seen[seen.count - 1 - number % seen.count] }

    private func replay(_ number: Int) {
        if let sent = sighted(number) { repeatDelivery(of: sent) }
    }

    /// Somebody who has seen a reader's token shows it to another service.
    private func steal(_ phone: Phone, _ number: Int, _ service: Int, _ other: Int) {
        var chance = SimulatedFederation.Entropy(seed: entropy.next())
        guard service != other,
            let access = try? phone.readers[number].state.access(
                to: cast.services[service].home.identity, cast.protocolName(of: service)),
            let token = try? access.token(at: now, using: &chance)
        else { return }
        let url = cast.services[other].endpoint
        var request = HTTP.Request(.get, .absolute(url))
        try? request.fields.append(.authorization, "Bearer " + token)
        // It is fresh, and good where it belongs: nobody else sees it on its way.
        if let answer = deliver(Sent(request, to: url, forged: true)), answer.status == .ok {
            breaks("a token opens nothing at another service", "a token of service \(service) at service \(other)")
        }
    }
}
