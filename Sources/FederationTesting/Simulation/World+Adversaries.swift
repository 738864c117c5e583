internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// What those try who are up to no good: they know what crossed the wire, and some of them belong to the federation.

extension World {
    /// Somebody who saw a message sends it to another party.
    func misdeliver(_ number: Int, to party: Int) {
        guard let sent = sighted(number), let url = address(like: sent.url, at: party), url.origin != sent.url.origin
        else { return }
        let request = sent.request
        tryInVain(HTTP.Request(request.method, .absolute(url), fields: request.fields, body: request.body), to: url)
    }

    /// Somebody who saw a message that was taken sends it again with changes, some of them senseless.
    func garble(_ number: Int, by kind: Int) {
        guard let sent = sighted(number), sent.isTaken,
            service(at: sent.url).map({ !cast.services[$0].givesPlainTokens }) ?? true
        else { return }
        var distortion = Distortion(seed: UInt64(kind) ^ entropy.next())
        for _ in 0..<Self.garbledAtOnce {
            var request = sent.request
            request.body = distortion.garbled(request.body)
            var url = sent.url
            if request.body.isEmpty, let query = url.query {
                let base = url.text.prefix { $0 != "?" }
                let text = base + "?" + String(decoding: distortion.garbled(Array(query.utf8)), as: UTF8.self)
                guard let other = try? WebURL(parsing: String(text)) else { continue }
                url = other
                request.target = .absolute(other)
            }
            tryInVain(request, to: url)
        }
    }

    private static let garbledAtOnce = 8

    /// A service of the federation makes use of its key where others are concerned.
    func forge(by service: Int, _ number: Int) {
        guard services.count > 1 else { return }
        let authority = services[service].processes[0].served.authority
        let other = (service + 1 + number % (services.count - 1)) % services.count
        let time = now + services[service].clockError
        func word(to issuer: Issuer) -> ClientCredential? {
            (try? authority.clientAssertions.assertion(to: issuer, at: time, using: &entropy)).map { .assertion($0) }
        }
        let (eduIDIssuer, otherIssuer) = (cast.eduID.authority.issuer, cast.services[other].service.authority.issuer)
        let (home, victim) = (cast.services[other].home.url.text, number % cast.people.count)
        do {
            switch number % 5 {
            case 0:
                guard let assertion = assertion(seenAt: other), let word = word(to: eduIDIssuer) else { return }
                let url = try WebURL(parsing: Cast.issuer + "/introspect")
                guard let answer = send(try IntrospectionRequest(assertion, credential: word).encoded(to: url)),
                    case .active? = try? IntrospectionRequest.Outcome(parsing: answer)
                else { return }
                breaks("services learn what is released to them", "service \(service) learns of another's assertion")
            case 1:
                guard let assertion = assertion(seenAt: other), let word = word(to: eduIDIssuer) else { return }
                let url = try WebURL(parsing: Cast.issuer + "/revoke")
                tryInVain(try revocation(of: assertion, by: word).encoded(to: url), to: url)
            case 2:
                guard let assertion = assertion(seenAt: other), let word = word(to: otherIssuer) else { return }
                let url = try WebURL(parsing: home + "/oauth/revoke")
                tryInVain(try revocation(of: assertion, by: word).encoded(to: url), to: url)
            case 3:
                let url = try WebURL(parsing: Cast.issuer + "/backchannel-logout")
                let request = try cast.forger.logout(
                    of: cast.people[victim].account(as: nil), named: "forged-\(entropy.next())", to: url, at: now)
                tryInVain(request, to: url)
            default:
                let isAtEduID = number % 2 == 0
                guard case .assertion(let word)? = word(to: isAtEduID ? eduIDIssuer : otherIssuer) else { return }
                let url = try WebURL(
                    parsing: (isAtEduID ? Cast.issuer : home + "/oauth") + "/global-token-revocation")
                let request = try GlobalRevocation(
                    of: Subject(parsing: subject(of: victim).text), by: eduIDIssuer, credential: word
                ).encoded(to: url)
                isAtEduID ? end(victim, by: request) : tryInVain(request, to: url)
            }
        } catch {
            breaks("what a forger makes can be written", "\(error)")
        }
    }

    /// A person's password is guessed very often, from one copy of the app after the other; where the person has been
    /// signed in before, he or she gets in all the same.
    func flood(_ phone: Phone, _ person: Int, at other: Phone) {
        let person = other.person ?? person
        guard phone !== other, depth == 1 else { return }
        for _ in 0..<3 {
            for _ in 0..<Self.guessesOfCopy { mistype(phone, person) }
            reinstall(phone)
        }
        let account = cast.people[person]
        guard account.way == .password, other.session.isSignedIn, other.person == person else { return }
        let presence = ledger.presence(at: other.installation, of: person, at: now)
        let (before, count, former) = (mishaps, stepCount, begun.count)
        guard ledger.doubt(about: presence) == nil, ledger.end(of: presence, by: .eduID) == nil, clocksAreRight,
            !eduID.wasClockWrong, !eduID.isDown
        else { return }
        signIn(other, person)
        if before == mishaps, count == stepCount, begun.count == former {
            breaks("whoever guesses keeps nobody out who has been there", "person \(person), phone \(other.number)")
        }
    }

    /// Beyond that a copy of the app may not guess any more.
    private static let guessesOfCopy = 10

    // MARK: What they make of it

    /// Where another party has what lies at a URL.
    private func address(like url: WebURL, at party: Int) -> WebURL? {
        let path = url.text.prefix { $0 != "?" }
        guard let last = path.split(separator: "/").last else { return nil }
        if party == 0 { return try? WebURL(parsing: Cast.issuer + "/" + last) }
        let member = cast.services[party - 1]
        return last == "reading" ? member.endpoint : try? WebURL(parsing: member.home.url.text + "/oauth/" + last)
    }

    /// The last assertion that came to a service.
    private func assertion(seenAt service: Int) -> Assertion? {
        for sent in seen.reversed() where self.service(at: sent.url) == service {
            guard let form = try? HTTP.Form(parsing: sent.request.body),
                case .once(let text) = form.value(of: "assertion")
            else { continue }
            return try? Assertion(parsing: text)
        }
        return nil
    }

    /// Sends what may change nothing where it comes, and give nothing.
    private func tryInVain(_ request: HTTP.Request, to url: WebURL) {
        let (before, count) = (head(of: url), stepCount)
        let answer = deliver(Sent(request, to: url, forged: true))
        // What others do meanwhile is their affair.
        guard count == stepCount else { return }
        let words = "\(request.method) \(url): \(answer.map { "\($0.status)" } ?? "nothing")"
        if head(of: url) != before { breaks("what nobody meant changes nothing", words) }
        guard let answer, answer.status.isSuccess, let body = try? JSON(parsing: answer.body).object else { return }
        if ["access_token", "refresh_token", "code", "active", "subject"].contains(where: { body[$0] != nil }) {
            breaks("what nobody meant gives nothing", words)
        }
    }

    private func revocation(of assertion: Assertion, by word: ClientCredential) throws -> RevocationRequest {
        RevocationRequest(try AccessToken(parsing: assertion.secret), hint: .assertion, credential: word)
    }

    /// Somebody whom the edu-ID service knows asks it for the end of a person's sign-ins, and may not.
    private func end(_ person: Int, by request: HTTP.Request) {
        let (before, count) = (signInsLiving(of: person), stepCount)
        _ = send(request)
        if count == stepCount, signInsLiving(of: person) < before {
            breaks("nobody ends what is another's", "the sign-ins of person \(person)")
        }
    }

    private func signInsLiving(of person: Int) -> Int {
        let time = now + eduID.clockError
        return records(.personal, of: person).count { $0.verdict(at: time).grantLives }
    }
}

extension Distortion {
    /// Bytes with a few changes, most of which could stand in a form.
    mutating func garbled(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(5) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(bytes[below(bytes.count)], at: place)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + below(40)))
            case 3: bytes += [UInt8(ascii: "&")] + bytes[place...]
            default: bytes[place] = Self.letters[below(Self.letters.count)]
            }
        }
        return bytes
    }

    private static let letters = Array("ABCXYZabcxyz019-._~=&+%".utf8)
}
