internal import Federation
internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// What people do at their phones, and what the ledger learns of it.

extension World {
    private func session(of phone: Phone) -> Ledger.Ground? {
        phone.person.map { .session(phone.installation, person: $0) }
    }

    /// Carries out what a person does, and notes what that means: what something went wrong with is in doubt, and so is
    /// a session of which the app says by itself that it is over.
    func act<Value>(at phone: Phone, ending: Bool = false, _ body: () -> Value) -> Value {
        let (before, wasSignedIn, person, installation) = (
            mishaps, phone.session.isSignedIn, phone.person, phone.installation
        )
        let (wasRegistered, time, presence) = (phone.session.isRegistered, now, phone.presence)
        let value = body()
        settle(phone)
        if !wasRegistered {
            phone.mayBeRegistered = phone.mayBeRegistered || before != mishaps
            if phone.session.isRegistered { phone.registered = phone.mayBeRegistered ? nil : time...now }
        }
        guard let person else { return value }
        let isOver = wasSignedIn && !ending && !phone.session.isSignedIn
        if isOver, mishaps == before, !eduID.wasClockWrong, let presence, ledger.doubt(about: presence) == nil {
            breaks("what was granted and not ended works", "phone \(phone.number) is signed out")
        }
        if mishaps != before || isOver { ledger.doubt(.session(installation, person: person)) }
        return value
    }

    /// Notes which ends the other sides have confirmed.
    private func settle(_ phone: Phone) {
        let open = phone.session.endings.map { $0.matter }
        let told = phone.untold.filter { !open.contains($0.matter) }
        phone.untold.removeAll { !open.contains($0.matter) }
        for ending in told { ledger.end(ending.link, by: ending.witness) }
    }

    func signOut(_ phone: Phone) {
        guard let ground = session(of: phone) else { return }
        // What is granted meanwhile stands on the session that ends.
        let link = ledger.link(ground)
        let outcome = act(at: phone, ending: true) { phone.perform(.signOut, by: phone.free) }
        note(outcome, .session, link, by: .eduID, at: phone)
    }

    func unlink(_ phone: Phone, _ service: Int) {
        guard let person = phone.person else { return }
        let home = cast.services[service].home
        let ground = Ledger.Ground.link(phone.installation, person: person, service: service)
        let link = ledger.close(ground)
        let outcome = act(at: phone) { phone.perform(.unlinking(home), by: phone.free) }
        note(outcome, .service(home), link, by: .service(service), at: phone)
    }

    func endReader(_ phone: Phone, _ service: Int, _ reader: Int) {
        guard let person = phone.person else { return }
        let (home, id) = (cast.services[service].home, cast.readers[reader].id)
        let ground = ledger.app(phone.installation, person: person, service: service, reader: reader)
        let link = ledger.close(ground)
        let outcome = act(at: phone) { phone.perform(.ending(id, at: home), by: phone.free) }
        note(outcome, .app(id, at: home), link, by: .service(service), at: phone)
    }

    private func note(
        _ outcome: Phone.Outcome<AuthorizingApp.Ended>, _ matter: AuthorizingApp.Ending.Matter,
        _ link: Ledger.Link, by witness: Ledger.Witness, at phone: Phone
    ) {
        switch outcome {
        case .done(.confirmed): ledger.end(link, by: witness)
        case .done(.pending):
            phone.untold.append((matter, link, witness))
            ledger.doubt(link.ground)
        case .away: ledger.doubt(link.ground)
        case .rejected: break
        }
    }

    func launch(_ phone: Phone) { act(at: phone) { _ = phone.perform(.launch, by: phone.free) } }

    @discardableResult
    func introduce(_ phone: Phone, _ service: Int) -> Bool {
        let home = cast.services[service].home
        return act(at: phone) {
            guard case .done = phone.perform(.discovery(.services([home])), by: phone.helper),
                case .done = phone.perform(.authorization(at: home), by: phone.helper)
            else { return false }
            return true
        }
    }

    func hide(_ phone: Phone, _ service: Int) {
        let home = cast.services[service].home
        act(at: phone) {
            _ =
                phone.session.hiddenServices.contains(home)
                ? phone.perform(.showing(home), by: phone.app) : phone.perform(.hiding(home), by: phone.app)
        }
    }

    func restore(_ phone: Phone) {
        guard phone.restore() else { return }
        mishaps += 1
        // Who was signed in then, and what was over, nobody remembers.
        phone.forgetUntold()
        phone.registered = nil
        ledger.doubt(.installation(phone.installation))
        ledger.distrust(.installation(phone.installation))
        for reader in phone.readers {
            for holding in reader.holdings.values { ledger.doubt(aboutTokenOf: holding) }
        }
    }

    func reinstall(_ phone: Phone) {
        phone.forgetUntold()
        phone.reinstall()
        phone.person = nil
    }

    /// The app ends itself as the edu-ID service knows it, and registers anew.
    func startOver(_ phone: Phone) {
        guard phone.session.isRegistered else { return }
        phone.forgetUntold()
        phone.registered = nil
        let (ground, before, count) = (Ledger.Ground.installation(phone.installation), mishaps, stepCount)
        let link = ledger.beginEnding(ground)
        guard case .done = act(at: phone, ending: true, { phone.perform(.startOver, by: phone.app) }) else {
            return ledger.doubt(ground)
        }
        if before == mishaps, count == stepCount { ledger.end(link, by: .eduID) } else { ledger.doubt(ground) }
    }

    func upgrade(_ phone: Phone, to version: Int) {
        guard phone.session.isRegistered, version != phone.version else { return }
        let wasBlocked = blocked.contains(version)
        phone.update(to: version)
        let before = mishaps
        let outcome = act(at: phone) { phone.perform(.upgrade(to: phone.app.session.installation), by: phone.app) }
        phone.takeBody()
        if case .done = outcome, before == mishaps {
            if wasBlocked { breaks("who is shut out stays out", "phone \(phone.number) moved to version \(version)") }
            if isDiscredited(version) {
                breaks("a withdrawn key signs for nobody", "phone \(phone.number) moved to version \(version)")
            }
            // Whoever moves to a version proves who it is by more than the version's key.
            (phone.version, phone.registered) = (version, nil)
            begun.append(.installation(phone.installation))
        } else {
            ledger.doubt(.installation(phone.installation))
            phone.versionsInDoubt = true
        }
    }
}

// MARK: - Readers

extension World {
    /// What a person grants of what is offered.
    enum Picking {
        /// What the bits say, counted around where there are more services than bits, or everything where they say
        /// nothing.
        case bits(Int)
        case one(Int)

        func contains(_ service: Int) -> Bool {
            switch self {
            case .bits(let bits): bits == 0 || bits >> (service % FederationSimulation.Step.bitsOfServices) & 1 == 1
            case .one(let wanted): service == wanted
            }
        }
    }

    /// A reader asks, and the person grants something; which services it got.
    @discardableResult
    func ask(
        _ phone: Phone, _ number: Int, picking: Picking, ofKind kind: Int, killing: Bool = false
    ) -> [Int] {
        let maker = cast.readers[number]
        guard phone.session.isSignedIn, let person = phone.person else { return [] }
        (askings, asking) = (askings + 1, asking + 1)
        defer { asking -= 1 }
        var chance = SimulatedFederation.Entropy(seed: entropy.next())
        let key = maker.isBinding ? DeviceKey(using: &chance) : nil
        guard
            let request = try? ProtocolRequest(
                from: phone.app.session.installation.instance, of: maker.id, named: maker.name,
                for: [cast.protocolNames[kind]]
            ).signed(with: maker.key, binding: key?.publicKey, at: now, using: &chance)
        else { return [] }
        let begun = now
        let granted: (bytes: [UInt8], picked: Set<ServiceURL>, holdings: [Int: Ledger.Holding])? = act(at: phone) {
            guard let read = try? ProtocolRequest(parsing: request.encoded()),
                let checked = phone.perform(.check(read, against: cast.registry), by: phone.helper).value,
                let found = candidates(for: read, at: phone),
                let choice = choice(among: found, for: read, picking: picking)
            else { return nil }
            var holdings: [Int: Ledger.Holding] = [:]
            for home in choice.services {
                guard let service = service(at: home.url) else { continue }
                holdings[service] = ledger.holding(
                    phone.installation, person: person, service: service, reader: number, at: now)
            }
            guard let given = phone.perform(.answer(to: checked, with: choice), by: phone.helper).value,
                let answer = phone.perform(.upheld(given, to: checked), by: phone.helper).value
            else { return nil }
            for missing in answer.missing {
                tell("  \(missing.service) is missing: \(missing.reason)")
                if missing.reason.demand != nil { phone.isAskedAgain = true }
            }
            // Others may have had their time before it was given.
            for service in holdings.keys { holdings[service]?.time = begun...max(begun, now) }
            return (answer.response.encoded(), Set(choice.services), holdings)
        }
        guard let granted, let response = try? ProtocolResponse(parsing: granted.bytes) else { return [] }
        if killing {
            phone.readers[number].restart(in: self)
            return []
        }
        let before = phone.readers[number].state
        let report = phone.readers[number].state.accept(response, to: request, key: key, at: now)
        phone.readers[number].keep()
        var services: [Int] = []
        for home in report.accepted {
            guard let service = service(at: home.url), granted.picked.contains(home) else {
                breaks("nothing is granted that no person granted", "\(home) to reader \(number)")
                continue
            }
            phone.readers[number].note(granted.holdings[service], at: service, insteadOf: before, ledger)
            services.append(service)
        }
        tell("  reader \(number) got \(services)")
        return services
    }

    /// What a person is offered: nobody who has left the federation, where the edu-ID service could be asked.
    private func candidates(for request: ProtocolRequest, at phone: Phone) -> [AuthorizingApp.Candidate]? {
        let before = mishaps
        guard let found = phone.perform(.candidates(for: request), by: phone.helper).value else { return nil }
        guard mishaps == before, !eduID.isDown, phone.impostor == nil else { return found }
        for number in found.compactMap({ service(at: $0.service.url) })
        where publications[number]?.publication == .absence {
            breaks("who has left is offered to nobody", "service \(number) on phone \(phone.number)")
        }
        return found
    }

    /// How often a reader asks that wants more than the edu-ID app keeps of it: the last sixteen tokens.
    private static let insistence = 17

    func insist(_ phone: Phone, _ number: Int, _ service: Int) {
        for _ in 0..<Self.insistence {
            let got = ask(phone, number, picking: .one(service), ofKind: cast.services[service].kind)
            guard got.contains(service) else { return }
        }
    }

    private func choice(
        among found: [AuthorizingApp.Candidate], for request: ProtocolRequest, picking: Picking
    ) -> AuthorizationMode.Choice? {
        var mode = AuthorizationMode(for: request, isSignedIn: true)
        _ = try? mode.note(.found(found))
        guard case .selection(let selection) = mode.screen else { return nil }
        var wanted: Set<ServiceURL> = []
        for candidate in selection.candidates {
            guard let service = service(at: candidate.service.url) else { continue }
            let isWanted = picking.contains(service)
            if isWanted { wanted.insert(candidate.service) }
            let isPicked = selection.picked.contains(candidate.service)
            if isWanted != isPicked {
                _ = try? mode.take(isWanted ? .pick(candidate.service) : .unpick(candidate.service))
            }
        }
        // Where the person wants nothing of what is there, nothing is granted.
        guard case .selection(let picked) = mode.screen, !picked.picked.isEmpty,
            case .finish(.accepted(let choice))? = try? mode.take(.accept)
        else { return nil }
        for home in choice.services where !wanted.contains(home) {
            breaks("nothing is granted that no person granted", "\(home) is chosen for nobody")
        }
        return choice
    }

    /// What came of a use.
    enum Use: Equatable {
        case granted
        /// The service said no, or the reader knows that it would.
        case refused
        /// Nobody can tell.
        case unknown
    }

    /// A reader uses what it has, and renews it where that is due.
    @discardableResult
    func use(_ phone: Phone, _ number: Int, _ service: Int) -> Use {
        guard let holding = phone.readers[number].holdings[service] else { return .unknown }
        // What ends while it is used may still have been good, and what others do meanwhile takes its time.
        let before = (time: now, mishaps: mishaps, end: ledger.end(of: holding, by: .service(service)))
        var outcome = Use.unknown
        for attempt in 0..<3 {
            switch attemptUse(phone, number, service, holding, isLast: attempt == 2) {
            case .again: continue
            case .renew:
                outcome = renew(phone, number, service)
                guard outcome == .granted else { return judged(outcome, holding, since: before, at: service) }
            case .over(let use): return judged(use, holding, since: before, at: service)
            }
        }
        return judged(outcome, holding, since: before, at: service)
    }

    private enum Attempt {
        /// The service has told its time.
        case again
        case renew
        case over(Use)
    }

    private func attemptUse(
        _ phone: Phone, _ number: Int, _ service: Int, _ holding: Ledger.Holding, isLast: Bool
    ) -> Attempt {
        let home = cast.services[service].home
        var chance = SimulatedFederation.Entropy(seed: entropy.next())
        let token: String
        let url: WebURL
        let signing: NAILState.Signing?
        do throws(NAILState.Refusal) {
            let access = try phone.readers[number].state.access(to: home.identity, cast.protocolName(of: service))
            token = try access.token(at: now, using: &chance)
            (url, signing) = (access.endpoint, access.signing(at: now))
        } catch {
            tell("  \(error)")
            if error == .expired { return .renew }
            return .over(.refused)
        }
        var request = HTTP.Request(.get, .absolute(url))
        try? request.fields.append(.authorization, "Bearer " + token)
        guard let answer = send(request) else { return .over(.unknown) }
        if let signing, phone.readers[number].state.hear(answer, to: signing, at: now) != nil, !isLast { return .again }
        switch answer.status {
        case .ok:
            check(answer, phone, number, service, holding)
            return .over(.granted)
        case .unauthorized:
            let isNoted = phone.readers[number].state.noteRefusal(
                of: token, by: home.identity, cast.protocolName(of: service))
            return isNoted && !isLast ? .renew : .over(.refused)
        case .serviceUnavailable: return .over(.unknown)
        default: return .over(.refused)
        }
    }

    /// Renews what a reader has, and once more where the service tells another time.
    @discardableResult
    func renew(_ phone: Phone, _ number: Int, _ service: Int, isLast: Bool = false) -> Use {
        guard let holding = phone.readers[number].holdings[service] else { return .unknown }
        let before = mishaps
        var chance = SimulatedFederation.Entropy(seed: entropy.next())
        let home = cast.services[service].home
        do throws(NAILState.Refusal) {
            let renewal = try phone.readers[number].state.renew(
                home.identity, cast.protocolName(of: service), at: now, using: &chance)
            let response = send(renewal.request, renewing: cast.readers[number].isBinding ? nil : holding)
            let outcome = phone.readers[number].state.settle(renewal, with: response, at: now)
            phone.readers[number].keep()
            tell("  renewal: \(outcome)")
            // An answer that did not arrive may have held the only way on.
            if mishaps != before { ledger.doubt(aboutTokenOf: holding) }
            switch outcome {
            case .renewed: return .granted
            case .refused:
                phone.readers[number].over.insert(service)
                return .refused
            case .otherTime: return isLast ? .unknown : renew(phone, number, service, isLast: true)
            case .unavailable, .superseded, .unusable: return .unknown
            }
        } catch {
            tell("  \(error)")
            return error == .underWay ? .unknown : .refused
        }
    }

    func giveBack(_ phone: Phone, _ number: Int, _ service: Int) {
        guard let holding = phone.readers[number].holdings[service] else { return }
        var chance = SimulatedFederation.Entropy(seed: entropy.next())
        guard
            let revocation = try? phone.readers[number].state.revoke(
                cast.services[service].home.identity, at: now, using: &chance)
        else { return }
        // It uses it no more, whatever comes of that.
        phone.readers[number].holdings[service] = nil
        let responses = revocation.requests.map { send($0) }
        phone.readers[number].keep()
        guard let token = holding.chain.last else { return }
        if revocation.isConfirmed(by: responses) {
            ledger.end(token, by: .service(service))
        } else {
            ledger.doubt(token.ground)
        }
    }
}

extension Ledger {
    /// Notes that what an app got may have ended, and nothing beside it.
    mutating func doubt(aboutTokenOf holding: Holding) {
        if let token = holding.chain.last { doubt(token.ground) }
    }
}
