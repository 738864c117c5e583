internal import Federation
internal import OAuth2Grants
internal import Wire

// How people sign in: with a password, with a one-time code behind it, or with a browser at a provider.

extension World.Phone {
    /// Somebody who has begun to sign in.
    struct Arrival {
        let person: Int
        let stage: Stage
        /// When it came to that.
        let time: Timestamp
        /// Whether everything of the person's has ended since.
        var isOver = false

        /// Whether the edu-ID service knows who comes, and wants a last act.
        var isKnown: Bool {
            switch stage {
            case .code, .link: true
            case .page: false
            }
        }

        /// What comes next.
        enum Stage {
            /// The code that the person's device shows.
            case code
            /// What the browser opens, with what it keeps.
            case page(WebURL, cookies: [String])
            /// The link with which it calls the app back.
            case link(String)
        }
    }
}

extension World {
    /// A person signs in.
    ///
    /// - Parameter acts: how many acts are made beside the first.
    func signIn(_ phone: Phone, _ person: Int, making acts: Int = World.actsAtMost) {
        let account = cast.people[person]
        welcome(person)
        defer { finishWelcoming() }
        phone.arriving = nil
        switch account.way {
        case .password:
            comeIn(person, at: phone) { phone.perform(.signIn(account.name, account.password), by: phone.app) }
        case .codes:
            let outcome = act(at: phone) { phone.perform(.signIn(account.name, account.password), by: phone.app) }
            if case .done = outcome { breaks("a sign-in takes all its steps", "person \(person) came without a code") }
            guard case .rejected(.stepWanted) = outcome else { return }
            phone.arriving = Phone.Arrival(person: person, stage: .code, time: now)
        case .provider:
            let begin = AuthorizingApp.Interaction.browserSignIn(callingBackAt: cast.callback)
            guard case .done(let place) = act(at: phone, { phone.perform(begin, by: phone.app) }) else { return }
            phone.arriving = Phone.Arrival(person: person, stage: .page(place, cookies: []), time: now)
        }
        for _ in 0..<acts where phone.arriving != nil { goOn(phone, wrongly: false) }
    }

    /// By way of a browser: to the edu-ID service, to the provider, to the edu-ID service again, to the app.
    static let actsAtMost = 4

    func mistype(_ phone: Phone, _ person: Int) {
        guard let wrong = try? Secret.Password(parsing: "wrong") else { return }
        welcome(person)
        defer { finishWelcoming() }
        phone.arriving = nil
        switch act(at: phone, { phone.perform(.signIn(cast.people[person].name, wrong), by: phone.app) }) {
        case .done, .rejected(.stepWanted): breaks("a wrong password signs nobody in", "person \(person)")
        case .rejected, .away: break
        }
    }

    /// The person goes on with a sign-in, or somebody else tries to.
    func goOn(_ phone: Phone, wrongly isWrong: Bool) {
        guard let arrival = phone.arriving else { return }
        let person = arrival.person
        welcome(person)
        defer { finishWelcoming() }
        switch arrival.stage {
        case .code:
            let text = isWrong ? "wrong" : cast.people[person].code(at: now)
            guard let code = try? Secret.OneTimeCode(parsing: text) else { return }
            let isIn = comeIn(person, at: phone) { phone.perform(.step(.oneTimeCode(code)), by: phone.app) }
            if isIn, isWrong { breaks("a wrong code signs nobody in", "person \(person)") }
            if isIn { checkBeginning(of: arrival) }
            if isIn, !usedCodes.insert(text).inserted { breaks("a one-time code passes once", text) }
            // A person who mistyped tries again.
            if !isWrong { phone.arriving = nil }
        case .page(let url, let cookies): open(url, with: cookies, of: phone, person, wrongly: isWrong)
        case .link(let link):
            if isWrong {
                if let last = seen.last(where: { $0.url.text.hasPrefix(Cast.issuer + "/callback/") }) {
                    repeatDelivery(of: last)
                }
                return steal(link, from: phone)
            }
            phone.arriving = nil
            if comeIn(person, at: phone, { phone.perform(.returning(with: link), by: phone.app) }) {
                checkBeginning(of: arrival)
            }
        }
    }

    private func checkBeginning(of arrival: Phone.Arrival) {
        guard arrival.isOver else { return }
        breaks("what was begun ends with everything", "person \(arrival.person) has begun at \(arrival.time)")
    }

    /// Notes that everything of a person's has ended, by a word that was given at a time: what he or she has begun by
    /// then is over as well.
    func endBegun(_ person: Int, at time: Timestamp) {
        for number in arriving {
            let phone = phone(number)
            if let arrival = phone.arriving, arrival.person == person, arrival.isKnown, arrival.time < time {
                phone.arriving?.isOver = true
            }
        }
    }

    /// A browser opens a page.
    ///
    /// - Parameter isWrong: whether it is another browser than before, or at the provider nobody.
    private func open(_ url: WebURL, with cookies: [String], of phone: Phone, _ person: Int, wrongly isWrong: Bool) {
        let isAtProvider = url.origin == cast.providerOrigin
        let name = isWrong ? "" : cast.people[person].name.text
        let choice = isAtProvider ? "&" + HTTP.Form([HTTP.Form.Pair("person", name)]).text : ""
        guard let place = try? WebURL(parsing: url.text + choice) else { return }
        var request = HTTP.Request(.get, .absolute(place))
        let isStrange = isWrong && !isAtProvider && !cookies.isEmpty
        let carried = isStrange ? strangersCookies(at: phone) : cookies
        if !isAtProvider, !carried.isEmpty, let field = try? HTTP.Field.Name(parsing: "Cookie") {
            try? request.fields.append(field, carried.joined(separator: "; "))
        }
        let former = sender
        sender = phone
        let answer = provide(person) { send(request) }
        sender = former
        guard let answer, answer.status == .found, case .once(let text) = answer.fields.value(of: .location) else {
            phone.arriving = nil
            return
        }
        if isStrange { breaks("an answer of the provider counts in one browser", text) }
        let kept = cookies + self.cookies(setBy: answer)
        let stage: Phone.Arrival.Stage =
            if let next = try? WebURL(parsing: text) { .page(next, cookies: kept) } else { .link(text) }
        phone.arriving = Phone.Arrival(person: person, stage: stage, time: now)
    }

    /// What somebody's browser has who has begun to sign in elsewhere.
    private func strangersCookies(at phone: Phone) -> [String] {
        guard phones.count > 1 else { return [] }
        let other = self.phone(phone.number == 0 ? 1 : 0)
        other.arriving = nil
        let begin = AuthorizingApp.Interaction.browserSignIn(callingBackAt: cast.callback)
        guard case .done(let place) = act(at: other, { other.perform(begin, by: other.app) }),
            let answer = send(HTTP.Request(.get, .absolute(place)))
        else { return [] }
        return cookies(setBy: answer)
    }

    private func cookies(setBy answer: HTTP.Response) -> [String] {
        let set = (try? HTTP.Field.Name(parsing: "Set-Cookie")).map { answer.fields.values(of: $0) } ?? []
        return set.map { String($0.prefix { $0 != ";" }) }
    }

    /// Somebody who has seen the link opens it on another phone.
    private func steal(_ link: String, from phone: Phone) {
        guard phones.count > 1 else { return }
        let other = self.phone(phone.number == 0 ? 1 : 0)
        let outcome = act(at: other) { other.perform(.returning(with: link), by: other.app) }
        if case .done = outcome { breaks("a link is good for one app", "phone \(other.number) took it") }
    }

    /// What there is anew when somebody comes in who was signed out: he or she is introduced to all services anew.
    private func kept(at installation: Int, of person: Int) -> [Ledger.Ground] {
        let memberships = outsiders[person] == nil ? services.indices.filter { cast.services[$0].isForMembers } : []
        return [.kept(installation, person: person)]
            + memberships.map { .link(installation, person: person, service: $0) }
    }

    /// The last act of a sign-in; whether the person is in.
    @discardableResult
    private func comeIn(_ person: Int, at phone: Phone, _ body: () -> Phone.Outcome<Void>) -> Bool {
        let wasLocked = locked.contains(person)
        let wasOut =
            !phone.versionsInDoubt && blocked.contains(phone.version) || rejected.contains(phone.installation)
        let (before, former, wasRegistered) = (mishaps, phone.person, phone.session.isRegistered)
        let (wasSignedIn, count) = (phone.session.isSignedIn, stepCount)
        let wasDiscredited = !phone.versionsInDoubt && isDiscredited(phone.version)
        let outcome = act(at: phone, body)
        if wasDiscredited, before == mishaps, !wasRegistered, phone.session.isRegistered {
            breaks("a withdrawn key signs for nobody", "phone \(phone.number) has registered")
        }
        if wasOut, before == mishaps, !wasRegistered, phone.session.isRegistered {
            breaks("who is shut out stays out", "phone \(phone.number) has registered")
        }
        guard case .done = outcome else { return false }
        tell("  person \(person) is signed in")
        if wasLocked && locked.contains(person) {
            breaks("who is locked out stays out", "person \(person) is signed in on phone \(phone.number)")
        }
        if wasOut, before == mishaps { breaks("who is shut out stays out", "phone \(phone.number)") }
        // A service may take the next introduction for the end of what was before (threat 61).
        ledger.visit(phone.installation, by: person)
        var news = Set([former ?? person, person]).map { Ledger.Ground.session(phone.installation, person: $0) }
        if !wasSignedIn { news += kept(at: phone.installation, of: person) }
        if !wasRegistered { news.append(.installation(phone.installation)) }
        for ground in news {
            ledger.renew(ground)
            // What others have ended meanwhile was before it, or is over with it.
            if stepCount != count { ledger.distrust(ground) }
        }
        begun.append(.session(phone.installation, person: person))
        if !wasRegistered { begun.append(.installation(phone.installation)) }
        (phone.person, phone.isAskedAgain) = (person, false)
        phone.presence = ledger.presence(at: phone.installation, of: person, at: now)
        return true
    }
}
