internal import Federation
internal import NAIL
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// What must hold, whatever happens.

extension World {
    /// What a service said to whom it let in.
    func check(_ answer: HTTP.Response, _ phone: Phone, _ number: Int, _ service: Int, _ holding: Ledger.Holding) {
        let reader = cast.readers[number]
        guard let body = try? JSON(parsing: answer.body).object, let subject = body["subject"]?.string else {
            return breaks("what is written can be read", "what service \(service) says")
        }
        if body["app"]?.string?.utf8.elementsEqual(reader.id.text.utf8) != true {
            breaks("a token works for its app alone", "service \(service) takes reader \(number) for another app")
        }
        let person = names[service]?[subject] ?? holding.person
        if person != holding.person {
            breaks(
                "a name means one person",
                "service \(service) takes person \(holding.person) for \(person), who is \(subject) there")
        }
        if let other = names[service]?.first(where: { $0.value == holding.person && $0.key != subject }) {
            breaks("a person has one name at a service", "\(other.key) and \(subject) at service \(service)")
        }
        for (other, known) in names.sorted(by: { $0.key < $1.key }) where other != service && known[subject] != nil {
            guard cast.services[service].isPairwise || cast.services[other].isPairwise else { continue }
            breaks("services cannot join what they know", "\(subject) at services \(other) and \(service)")
        }
        names[service, default: [:]][subject] = holding.person
        if body["given_name"]?.string?.utf8.elementsEqual("Given\(holding.person)".utf8) == false {
            breaks("a name means one person", "service \(service) shows \(body["given_name"]?.string ?? "nothing")")
        }
    }

    /// Holds what came of a use against what people remember.
    func judged(
        _ use: Use, _ holding: Ledger.Holding, since before: (time: Timestamp, mishaps: Int, end: Ledger.Ground?),
        at service: Int
    ) -> Use {
        switch use {
        case .granted:
            if let ground = before.end {
                breaks("what ended stays ended", "\(ground) was ended at service \(service), which still grants")
            }
            let given = holding.time.upperBound
            if let lifetime = cast.services[service].grantLifetime,
                before.time > given + lifetime + Self.slack, !services[service].wasClockWrong
            {
                breaks("what is given for a time ends with it", "service \(service) gave it at \(given)")
            }
        case .refused:
            guard before.mishaps == mishaps, clocksAreRight, ledger.doubt(about: holding) == nil,
                !mayBeOver(at: service)
            else { break }
            breaks("what was granted and not ended works", "service \(service) refuses \(holding.chain)")
        case .unknown: break
        }
        return use
    }

    /// How long others' clocks and messages may take.
    static let slack: Duration = .seconds(120)

    /// Whether something that a service gave may have come to its end by itself.
    private func mayBeOver(at service: Int) -> Bool {
        cast.services[service].grantLifetime.map { now + Self.slack > Self.beginning + $0 } ?? false
    }

    // MARK: The end of a history

    /// How long it may take until all services know what has ended, once they can be reached: a message that was not
    /// confirmed for long is tried once a day.
    private static let quietHours = 50
    private static let ticksPerHour = 60
    /// How many times a person may have to try each thing.
    private static let triesAtMost = 2

    /// Repairs everything, lets time pass, and looks at what has become of everything.
    func conclude() {
        checkSignIns()
        checkRemains()
        disarm()
        heldBack = []
        eduID.isDown = false
        eduID.clockError = .zero
        for host in services { (host.isDown, host.clockError) = (false, .zero) }
        checkAstray()
        for number in services.indices { publish(number, .truth) }
        for person in outsiders.keys.sorted() { belong(person, true) }
        for number in liars { ledger.renew(.store(.service(number))) }
        for number in 0..<phones.count {
            let wasTouched = phones.isTouched(number)
            launch(phone(number))
            if !wasTouched, phone(number).isAsShipped { phones.release(number) }
        }
        while thieves.contains(where: { !$0.isNoticed }) { withdrawStolenKeys() }
        settle()
        if isWithdrawing { ledger.renew(.store(.eduID)) }
        ledger.trust(from: now)
        restartParties()
        checkThieves()
        for phone in phones.touched { phone.kill() }
        for phone in phones.touched { checkHoldings(of: phone) }
        endEverything()
        findWaysOn()
        // Phones have no part in what parties read back, and take most of the memory.
        phones.releaseAll()
        restartParties()
    }

    /// What the edu-ID service has ended is over also at services that have left, or of which something else is told
    /// than is true: nothing has to be told right again before.
    private func checkAstray() {
        // Of a key that was withdrawn only those hear that the federation has, where it finds them.
        guard !publications.isEmpty, !isWithdrawing else { return }
        tell("  time passes before the truth is told")
        passTime()
        for phone in phones.touched { checkHoldings(of: phone, at: Set(publications.keys)) }
    }

    /// Time passes until everybody was told what has ended.
    private func settle() {
        passTime()
        if outboxCount > 0 { breaks("every end arrives", "\(outboxCount) messages are not confirmed after two days") }
    }

    /// Time passes until everybody was told what has ended, or should have been.
    private func passTime() {
        for hour in 1...Self.quietHours {
            now = now + .seconds(3_600)
            // Hosts would have ticked many times since, and each time does so much at most.
            for _ in 0..<Self.ticksPerHour {
                tickParties()
                if outboxCount < Upkeep().messagesAtOnce { break }
            }
            if hour > 1, outboxCount == 0 { return }
        }
    }

    /// Whoever was introduced to a service had signed in as lately as it asks for.
    private func checkSignIns() {
        guard !eduID.wasClockWrong else { return }
        let tree = eduID.disk.tree
        for place in 0..<tree.placeCount {
            guard let record = tree.entry(at: place)?.record, record.kind == .assertion,
                let service = service(of: record), let age = cast.services[service].signInAge,
                let signIn = record.attributes["auth_time"]?.number?.integer(as: Int64.self),
                record.issued.seconds - signIn > age + Self.slack.components.seconds
            else { continue }
            breaks("a service gets the sign-in that it asks for", "service \(service) at \(record.issued)")
        }
    }

    /// Which service a record of the edu-ID service is about.
    func service(of record: Record) -> Int? {
        record.audience.flatMap { try? WebURL(parsing: $0.text) }.flatMap { service(at: $0) }
    }

    /// What the edu-ID service has about a person.
    func records(_ kind: Record.Kind, of person: Int) -> [Lineage] {
        eduID.disk.tree.page(of: .subject(subject(of: person), kind), limit: .max)?.lineages ?? []
    }

    private var outboxCount: Int {
        let limit = Upkeep().messagesAtOnce
        return eduID.disk.tree.load([.outgoing(due: .distantFuture, limit: limit)])
            .messages(due: .distantFuture, limit: limit).count
    }

    private func restartParties() {
        restartAll(eduID)
        for host in services { restartAll(host) }
    }

    func restartAll<Served: Party>(_ host: Host<Served>) {
        if let damage = host.restartAll(at: now) { breaks("what is written can be read", damage) }
    }

    /// What ended is over everywhere by now, or at some services, and what did not end works.
    private func checkHoldings(of phone: Phone, at places: Set<Int>? = nil) {
        for number in phone.readers.indices {
            for (service, holding) in phone.readers[number].holdings.sorted(by: { $0.key < $1.key })
            where places?.contains(service) ?? true {
                let wasOver = phone.readers[number].over.contains(service)
                guard use(phone, number, service) == .granted else { continue }
                coverage.alive += 1
                if wasOver { breaks("what ended stays ended", "reader \(number) was told that it is over") }
                if let ground = ledger.end(of: holding, by: .eduID) {
                    breaks(
                        "what ended stays ended",
                        "\(ground) was ended at the edu-ID service, and service \(service) still grants")
                }
            }
            for (service, former) in phone.readers[number].former.sorted(by: { $0.key < $1.key })
            where places?.contains(service) ?? true {
                guard useFormer(phone, number, service) == .granted,
                    let ground = ledger.end(of: former.holding, by: .eduID)
                else { continue }
                breaks("what ended stays ended", "\(ground) was ended, and service \(service) takes what was before")
            }
        }
    }

    /// What came of it when somebody used what a reader had before it got something else there.
    private func useFormer(_ phone: Phone, _ number: Int, _ service: Int) -> Use {
        let present = phone.readers[number]
        guard let before = present.asBefore(at: service) else { return .unknown }
        phone.readers[number] = before
        let use = use(phone, number, service)
        let state = phone.readers[number].state
        phone.readers[number] = present
        phone.readers[number].former[service]?.state = state
        return use
    }

    /// Whatever anybody was given, wherever, ends when everybody is signed out.
    private func endEverything() {
        let readers = phones.touched.flatMap { $0.readers }
        let holders = readers.flatMap { $0.holdings.values.map(\.person) + $0.former.values.map(\.holding.person) }
        for person in Set(holders).sorted() { end(everywhere: person) { administrate(.signOut($0)) } }
        settle()
        for phone in phones.touched {
            for number in phone.readers.indices {
                for service in phone.readers[number].holdings.keys.sorted()
                where use(phone, number, service) == .granted {
                    breaks(
                        "everything can be ended",
                        "service \(service) still grants to reader \(number) on phone \(phone.number)")
                }
                for service in phone.readers[number].former.keys.sorted()
                where useFormer(phone, number, service) == .granted {
                    breaks("everything can be ended", "service \(service) takes what reader \(number) had before")
                }
            }
        }
    }

    /// A person signs in, with a code that he or she has not used before.
    private func signInAnew(_ phone: Phone, _ person: Int) {
        if cast.people[person].way == .codes, usedCodes.contains(cast.people[person].code(at: now)) {
            now = now + .seconds(30)
        }
        signIn(phone, person)
    }

    /// Hosts do once an hour what timers do.
    private func keepUp(since time: inout Timestamp) {
        guard now >= time + .seconds(3_600) else { return }
        time = now
        tickParties()
    }

    private func tickParties() {
        for process in eduID.processes.indices { tick(eduID, process: process) }
        for host in services { tick(host, process: 0) }
    }

    /// From every state an honest person gets to a working app.
    private func findWaysOn() {
        // What nobody confirmed may have been done as well.
        for id in cast.versionIDs { _ = administrate(.unblock(id)) }
        for person in cast.people.indices { unlock(person) }
        (blocked, locked) = ([], [])
        var lastUpkeep = now
        for number in 0..<phones.count {
            if number % Self.newsEvery == 0 { hear?(.phones(number, of: phones.count)) }
            keepUp(since: &lastUpkeep)
            findWayOn(for: phone(number))
            // What it kept can be read, and nobody looks at it again.
            phone(number).kill()
            phones.release(number)
        }
    }

    private func findWayOn(for phone: Phone) {
        // What administrators have rejected is for good.
        if maybeRejected.contains(phone.installation) { reinstall(phone) }
        let person = phone.person ?? phone.number % cast.people.count
        launch(phone)
        for attempt in 0..<Self.triesAtMost where !phone.session.isSignedIn {
            signInAnew(phone, person)
            // Somebody may be signed in of whom an app knows nothing any more that was restored from a backup.
            if attempt == 0, !phone.session.isSignedIn, phone.wasRestored, phone.isTakenByAnother { startOver(phone) }
        }
        if !phone.session.isSignedIn, phone.versionsInDoubt {
            // An update that was refused is taken back.
            phone.update(to: phone.version)
            signInAnew(phone, person)
        }
        if !phone.session.isSignedIn, let version = trustedVersion(for: phone) {
            // Whose version anybody could have made takes another one.
            phone.update(to: version)
            (phone.version, phone.versionsInDoubt) = (version, true)
            signInAnew(phone, person)
        }
        guard phone.session.isSignedIn else {
            return breaks("every state has a way on", "phone \(phone.number) cannot sign in")
        }
        // One service and one reader stand for all, chosen by the history; the next person's turn comes a little later.
        now = now + .seconds(1)
        let number = (stepCount + phone.number) % phone.readers.count
        let service = (stepCount / 2 + phone.number) % services.count
        if phone.session.hiddenServices.contains(cast.services[service].home) { hide(phone, service) }
        let works = (0..<Self.triesAtMost).contains { _ in
            let works =
                ask(phone, number, picking: .one(service), ofKind: cast.services[service].kind).contains(service)
                && use(phone, number, service) == .granted
            // Whom the app asks to sign in again, does; so does who belongs to an institution again.
            if !works, phone.isAskedAgain || cast.services[service].isForMembers { signInAnew(phone, person) }
            return works
        }
        if works, phone.wasAskedAgain, !phone.isAskedAgain {
            // What was given then is past, and has to be renewed.
            now = now + .seconds(7_200)
            launch(phone)
            if phone.isAskedAgain { breaks("who has signed in again is asked no more", "phone \(phone.number)") }
        }
        if !works {
            breaks(
                "every state has a way on",
                "reader \(number) on phone \(phone.number) gets nothing at service \(service)")
        }
    }
}
