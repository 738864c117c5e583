internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
internal import Wire

extension World {
    /// How many requests are remembered by those who see them.
    private static let seenAtMost = 64

    /// Sends a request as bytes, on a network that may lose, double and hold it; nothing comes back where nobody
    /// answered.
    ///
    /// - Parameters:
    ///   - impostor: who answers in the place of the edu-ID service, on a line that nobody else sees.
    ///   - renewed: what it renews without any proof.
    func send(
        _ request: HTTP.Request, deceivedBy impostor: Host<EduIDService>? = nil, renewing renewed: Ledger.Holding? = nil
    ) -> HTTP.Response? {
        guard case .absolute(let url) = request.target else { return nil }
        let sent = Sent(request, to: url, from: sender, renewing: renewed)
        if let impostor, url.origin == cast.eduIDOrigin { return deliver(sent, inPlaceOfEduID: impostor) }
        if seen.count == Self.seenAtMost { seen.removeFirst() }
        seen.append(sent)
        switch strike(.message) {
        case .lostRequest: return nil
        case .lostAnswer:
            _ = deliver(sent)
            return nil
        case .held:
            heldBack.append(sent)
            return nil
        case .doubled:
            let answer = deliver(sent)
            repeatDelivery(of: sent)
            return answer
        case .distorted: return distorted(deliver(sent), to: sent)
        default: return deliver(sent)
        }
    }

    /// What a service says in the place of an answer; what others say is theirs, and so is what readers come for.
    private func distorted(_ answer: HTTP.Response?, to sent: Sent) -> HTTP.Response? {
        guard let answer, let place = service(at: sent.url), !cast.services[place].endpoint.covers(sent.url) else {
            return answer
        }
        // Nobody but the liar is concerned.
        ledger.renew(.store(.service(place)))
        ledger.distrust(.store(.service(place)))
        liars.insert(place)
        var distortion = Distortion(seed: entropy.next())
        return distortion.distorted(answer)
    }

    /// A message that has come before comes again: where it was taken it may be refused, and it may be answered, but it
    /// changes nothing and gives nothing.
    func repeatDelivery(of sent: Sent) {
        guard sent.isTaken else { return deliverLate(sent) }
        if let place = service(at: sent.url), cast.services[place].givesPlainTokens {
            // Whoever bears a plain token may show it as often as he likes; if that was to renew it, and has been
            // answered long since, what it was for ends (threat 28).
            _ = deliver(sent)
            if let renewed = sent.renewed { ledger.doubt(aboutTokenOf: renewed) }
            return
        }
        let before = head(of: sent.url)
        guard let answer = deliver(sent), answer.isTaking, head(of: sent.url) != before else { return }
        breaks("a message that comes twice changes nothing", "\(sent.request.method) \(sent.url): \(answer.status)")
    }

    /// A message that was not taken so far comes when its sender has gone on without an answer, or with another one.
    func deliverLate(_ sent: Sent) {
        mishaps += 1
        doubtGains(since: sent)
        _ = deliver(sent)
        // Whoever has signed in meanwhile did so before it was taken.
        doubtGains(since: sent)
    }

    /// What was given to somebody after a message that is taken late may end by it (threat 61), and so may whatever is
    /// given on what the app keeps of that.
    private func doubtGains(since sent: Sent) {
        if let renewed = sent.renewed { ledger.doubt(aboutTokenOf: renewed) }
        // Of a word about a person nobody knows within a minute whether it is older than a sign-in.
        if sent.isWord, sent.url.origin == cast.eduIDOrigin {
            for ground in cast.people.indices.flatMap({ ledger.everywhere(of: $0) }) { ledger.doubt(ground) }
        }
        guard let (installation, person) = sent.sender else { return }
        ledger.doubt(.installation(installation))
        if let person { ledger.distrust(.kept(installation, person: person)) }
    }

    func head(of url: WebURL) -> Fingerprint? {
        if url.origin == cast.eduIDOrigin { return eduID.disk.tree.head }
        return service(at: url).map { services[$0].disk.tree.head }
    }

    /// Which service a URL belongs to.
    func service(at url: WebURL) -> Int? {
        cast.serviceNumbers[url.origin].flatMap { $0 < services.count ? $0 : nil }
    }

    /// Delivers a request to whoever has its origin, or who answers in the place of the edu-ID service.
    func deliver(_ sent: Sent, inPlaceOfEduID impostor: Host<EduIDService>? = nil) -> HTTP.Response? {
        guard let request = written(sent) else { return nil }
        let place = service(at: sent.url)
        var answer: HTTP.Response?
        if sent.url.origin == cast.eduIDOrigin {
            let host = impostor ?? eduID
            if !host.isDown { answer = answerOfEduID(request, at: host) }
        } else if sent.url.origin == cast.providerOrigin {
            answer = provider.answer(to: request, at: now, using: &entropy)
        } else if let place, !services[place].isDown {
            answer = self.answer(request, of: place, to: sent.url)
        }
        tell("  \(request.method) \(sent.url) -> \(answer.map { "\($0.status)" } ?? "nothing")")
        if answer?.isTaking == true { sent.isTaken = true }
        let error = place.map { services[$0].clockError } ?? eduID.clockError
        guard let answer, let response = read(answer, to: sent, at: now + error) else { return nil }
        note(sent, response, at: place)
        return response
    }

    /// The request as its receiver reads it from the wire.
    private func written(_ sent: Sent) -> HTTP.Request? {
        var bytes: [UInt8] = []
        HTTP1.append(sent.request, to: sent.url, to: &bytes)
        record(bytes)
        var (reader, rest) = (HTTP1.Reader(), bytes[...])
        while true {
            let (taken, event) = reader.take(rest.span)
            rest = rest.dropFirst(taken)
            switch event {
            case .head: continue
            case .request(let head, let body): return head.request(body: body)
            case .needsMore, .refusal:
                breaks("what is written can be read", "\(sent.request.method) \(sent.url): \(event)")
                return nil
            }
        }
    }

    /// The answer as its receiver reads it from the wire.
    private func read(_ answer: HTTP.Response, to sent: Sent, at time: Timestamp) -> HTTP.Response? {
        var bytes: [UInt8] = []
        HTTP1.append(answer, to: sent.request.method, date: try? time.httpDate(), isClosing: true, to: &bytes)
        record(bytes)
        var reader = HTTP1.AnswerReader(to: sent.request.method)
        var event = reader.take(bytes.span)
        if case .needsMore = event { event = reader.end() }
        if case .answer(let response) = event { return response }
        breaks(
            "what is written can be read",
            "\(answer.status) and \(answer.body.count) bytes to \(sent.request.method) \(sent.url): \(event)")
        return nil
    }

    private func record(_ bytes: [UInt8]) {
        digest = Array(SHA256.hash(data: digest + bytes))
    }

    /// What nobody may see who is not meant to.
    private func note(_ sent: Sent, _ response: HTTP.Response, at place: Int?) {
        guard place != nil, !sent.isForged else { return }
        let bytes = sent.request.body + Array(sent.url.text.utf8) + response.body
        // Without the beginning of such a word there is none of them.
        let texts = ([bytes] + bytes.partsInBase64URL).filter { $0.hasMark }
        guard !texts.isEmpty else { return }
        for person in cast.people {
            for word in person.privateWords where texts.contains(where: { $0.contains(word) }) {
                let text = String(decoding: word, as: UTF8.self)
                breaks("services learn what is released to them", "\(text) at \(sent.url)")
            }
        }
    }
}

// MARK: - Parties

extension World {
    /// What a process makes of a request: an answer, or nothing where it ended meanwhile.
    private func carryOut<Served: Party, Outcome>(
        at host: Host<Served>, process: Int,
        _ begin: (Served, Timestamp, inout SimulatedFederation.Entropy) -> Exchange<Outcome>,
        failing failed: Outcome?
    ) -> Outcome? {
        var connection = Connection(disk: host.disk, world: self)
        let time = now + host.clockError
        do throws(StoreFailure) {
            return try connection.carryOut(
                { begin(host.processes[process].served, time, &entropy) },
                lookUp: { lookup in self.lookUp(lookup, for: host, process: process) },
                hear: { record in self.hear(record, of: host, process: process) })
        } catch {
            guard error == .stopped else { return failed }
            restart(host, process)
            return nil
        }
    }

    func restart<Served: Party>(_ host: Host<Served>, _ process: Int) {
        tell("  a process starts anew")
        if let damage = host.restart(process, at: now) { breaks("what is written can be read", damage) }
    }

    private func hear<Served: Party>(_ record: AuditRecord, of host: Host<Served>, process: Int) {
        if !record.unfinished.isEmpty { host.withProcess(process) { $0.unfinished.append(record) } }
        if let refusal = record.refusal {
            coverage.count(refusal: refusal.clause)
            tell("  refused: \(refusal)")
            if refusal.clause.isEmpty { breaks("a refusal names its rule", "\(refusal)") }
        }
    }

    private func lookUp<Served: Party>(_ lookup: Lookup, for host: Host<Served>, process: Int) -> Lookup.Result {
        switch lookup {
        case .user(let attempt):
            guard isImpostor(host) else { return .user(cast.check(attempt)) }
            return .user(cast.personNumbers.byName[attempt.user].map { .user(subject(of: $0)) } ?? .nobody)
        case .step(let attempt): return .step(cast.check(attempt, at: now + host.clockError))
        case .profile(let subject):
            // Of whom the provider tells, the host knows nothing.
            let person = cast.personNumbers.bySubject[subject]
            guard let person, cast.people[person].way != .provider else { return .profile(JSON.Object()) }
            return .profile(cast.people[person].profile(as: affiliation(of: person)))
        case .answer(let question): return .answer(answer(to: question, of: host, process: process))
        case .keys(let question):
            var sets = host.processes[process].keys
            let result = sets.answer(question, at: now + host.clockError) { send($0) }
            host.withProcess(process) { $0.keys = sets }
            return result
        case .link(let account):
            guard strike(.directory) == nil else { return lookup.nothing }
            let person = (try? UserName(parsing: account.subject.text)).flatMap { cast.personNumbers.byName[$0] }
            let name = person.flatMap { cast.people[$0].otherSubject }
            return .linked(name.map { .user($0) } ?? .unknown)
        case .facts, .stepUp, .search, .signature: return lookup.nothing
        }
    }

    /// What others answer to a party; descriptions of providers are kept for a while.
    private func answer<Served: Party>(
        to question: HTTP.Request, of host: Host<Served>, process: Int
    ) -> HTTP.Response? {
        let time = now + host.clockError
        switch host.withProcess(process, { $0.descriptions.step(for: question, at: time) }) {
        case .pass: return send(question)
        case .serve(let response): return response
        case .send:
            let response = send(question)
            return host.withProcess(process) { $0.descriptions.take(response, for: question, at: time) }
        }
    }

    private func answerOfEduID(_ request: HTTP.Request, at host: Host<EduIDService>) -> HTTP.Response? {
        carryOut(
            at: host, process: host.next(),
            { service, now, entropy in service.exchange(for: request, at: now, using: &entropy) },
            failing: Self.unavailable)
    }

    private func answer(_ request: HTTP.Request, of place: Int, to url: WebURL) -> HTTP.Response? {
        let host = services[place]
        guard cast.services[place].endpoint.covers(url) else {
            return carryOut(
                at: host, process: 0,
                { service, now, entropy in service.exchange(for: request, at: now, using: &entropy) },
                failing: Self.unavailable)
        }
        var connection = Connection(disk: host.disk, world: self)
        do throws(StoreFailure) {
            let outcome = try host.processes[0].served.access(
                for: request, to: url, in: &connection, at: now + host.clockError
            ) { self.hear($0, of: host, process: 0) }
            switch outcome {
            case .refused(let response): return response
            case .granted(let access):
                let body = JSON.encodedObject { body in
                    body.member("subject", access.subject.text)
                    body.member("app", ifPresent: access.app?.text)
                    body.member("given_name", ifPresent: access.profile["given_name"]?.string)
                }
                return HTTP.Response(.ok, body: body)
            }
        } catch {
            guard error == .stopped else { return Self.unavailable }
            restart(host, 0)
            return nil
        }
    }

    private static let unavailable = HTTP1.answer(refusing: .serviceUnavailable)

    /// Has the edu-ID service carry out what an administrator wants; whether it did, or also that there was nothing.
    func administrate(_ command: Administration, orFindsNothing: Bool = false) -> Bool {
        let answer = carryOut(
            at: eduID, process: eduID.next(),
            { service, now, entropy in service.exchange(for: command, at: now, using: &entropy) },
            failing: Self.unavailable)
        tell("  \(answer.map { "\($0.status)" } ?? "nothing")")
        return answer.map { $0.status.isSuccess || orFindsNothing && $0.status == .notFound } ?? false
    }

    /// Has a party do what timers do.
    func tick<Served: Party>(_ host: Host<Served>, process: Int) {
        guard !host.isDown else { return }
        var upkeep = host.processes[process].upkeep
        for record in host.processes[process].unfinished { upkeep.takeUp(record) }
        host.withProcess(process) { $0.unfinished = [] }
        var connection = Connection(disk: host.disk, world: self)
        do throws(StoreFailure) {
            let served = host.processes[process].served
            var chance = SimulatedFederation.Entropy(seed: entropy.next())
            let report = try upkeep.tick(
                for: served, in: &connection, at: now + host.clockError, using: &chance, send: { send($0) })
            host.withProcess(process) { $0.upkeep = upkeep }
            coverage.confirmed += report.confirmed
            coverage.purged += report.purged
        } catch {
            if error == .stopped { restart(host, process) } else { host.withProcess(process) { $0.upkeep = upkeep } }
        }
    }
}

extension Cast {
    /// What the host of the edu-ID service finds out about a name and a password.
    fileprivate func check(_ attempt: SignInAttempt) -> SignInAttempt.Outcome {
        guard
            let person = personNumbers.byName[attempt.user].map({ people[$0] }), person.password == attempt.password,
            person.way != .provider
        else { return .nobody }
        return person.way == .codes
            ? .more(person.subject, [OfferedStep(SignInStep(.oneTimeCode))]) : .user(person.subject)
    }

    /// What it finds out about a code.
    fileprivate func check(_ attempt: StepAttempt, at now: Timestamp) -> StepAttempt.Outcome {
        guard let person = personNumbers.byName[attempt.user].map({ people[$0] }), person.way == .codes,
            let end = person.end(ofCode: attempt.answer.response.secret, at: now)
        else { return .failed }
        return .user(person.subject, spent: end)
    }
}

extension HTTP.Response {
    /// Whether a request was done with it, or a browser sent on.
    fileprivate var isTaking: Bool { status.isSuccess || status == .found }
}

extension [UInt8] {
    /// What stands in these bytes in Base64url, such as the parts of a JWT.
    fileprivate var partsInBase64URL: [[UInt8]] {
        let parts = split { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): false
            default: true
            }
        }
        // What is shorter has no room for a private word.
        return parts.compactMap { $0.count < 8 ? nil : try? Base64URL.decode(Array($0)) }
    }

    /// Whether what private words begin with stands somewhere in these bytes, before a number.
    fileprivate var hasMark: Bool {
        Cast.Person.marks.contains { mark in
            guard let first = mark.first, count > mark.count else { return false }
            for start in 0..<(count - mark.count) where self[start] == first {
                let end = start + mark.count
                if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[end]), self[start..<end].elementsEqual(mark) {
                    return true
                }
            }
            return false
        }
    }

    /// Whether a word stands somewhere in these bytes.
    fileprivate func contains(_ word: [UInt8]) -> Bool {
        guard let first = word.first, count >= word.count else { return false }
        for start in 0...(count - word.count) where self[start] == first {
            if self[start..<start + word.count].elementsEqual(word) { return true }
        }
        return false
    }
}
