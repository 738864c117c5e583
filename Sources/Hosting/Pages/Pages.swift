public import Federation
internal import OAuth2Grants
internal import Synchronization
public import TokenTree
public import Wire

/// The pages of an edu-ID service at work, for people and for administrators (OPS-16).
///
/// People sign in with their password, see their devices, services and what these learn as a tree, end any part of it,
/// take their data away or have them erased. Administrators see versions, services, people and messages. The pages need
/// no script; they lie below `account` of the issuer identifier.
public final class Pages<Store: AsyncTokenStore>: Sendable {
    private let host: PartyHost<EduIDService, Store>
    private let origin: String
    private let root: String
    private let settings: Mutex<PageSettings>
    private let clock: @Sendable () -> Timestamp
    private let failed: @Sendable (Store.Failure) -> Void

    /// The pages of a party.
    ///
    /// - Parameter base: the issuer identifier, below which they lie.
    /// - Parameter failed: hears why the store failed.
    public init(
        _ host: PartyHost<EduIDService, Store>, at base: WebURL, _ settings: PageSettings,
        clock: @escaping @Sendable () -> Timestamp, failed: @escaping @Sendable (Store.Failure) -> Void = { _ in }
    ) {
        (self.host, self.clock, self.failed) = (host, clock, failed)
        self.settings = Mutex(settings)
        origin = base.origin.text
        let path = base.path.utf8.last == UInt8(ascii: "/") ? String(base.path.dropLast()) : base.path
        root = path + "/account"
    }

    /// What the service says of itself, which can be replaced while it works.
    public func change(_ settings: PageSettings) { self.settings.withLock { $0 = settings } }

    /// Answers a request for a page; `nil` for what lies elsewhere.
    public func response(to request: HTTP.Request, from client: HTTP.Client) async -> HTTP.Response? {
        let path = request.target.path
        let rest: Substring
        if path.spells(root) || path.spells(root + "/") {
            rest = ""
        } else if path.utf8.starts(with: (root + "/").utf8) {
            rest = path.dropFirst(root.count + 1)
        } else {
            return nil
        }
        let settings = settings.withLock { $0 }
        let page = Page(rawValue: String(rest))
        let visit = Visit(page ?? .overview, request, from: client, otherwise: settings.language)
        let sheet = Sheet(visit: visit, settings: settings, root: root)
        guard let page else {
            return sheet.page(sheet.words.failures.notFound, .notFound) {
                HTML.paragraph(sheet.words.failures.notFoundNote)
            }
        }
        guard page.methods.contains(request.method) else {
            var response = HTTP.Response(.methodNotAllowed)
            if let allow = try? HTTP.Field.Name(parsing: "Allow") {
                try? response.fields.append(allow, page.methods.map { $0.text }.joined(separator: ", "))
            }
            return sheet.finished(response, as: "text/plain; charset=utf-8")
        }
        do throws(Store.Failure) {
            return try await answer(sheet)
        } catch {
            failed(error)
            return sheet.unavailable
        }
    }

    private func answer(_ sheet: Sheet) async throws(Store.Failure) -> HTTP.Response {
        var (sheet, visit) = (sheet, sheet.visit)
        switch visit.page {
        case .styleSheet: return sheet.styleSheet
        case .signIn where visit.request.method == .post: return try await signIn(sheet)
        default: break
        }
        if let secret = visit.cookie(Visit.session), let found = try await session(openedBy: secret) {
            sheet.session = (found, secret)
        }
        guard let session = sheet.session?.session else { return notSignedIn(sheet) }
        if visit.page.isForAdministrators, !session.isAdministrators {
            return sheet.page(sheet.words.failures.notAllowed, .forbidden) {
                HTML.paragraph(sheet.words.failures.notAllowedNote)
            }
        }
        switch visit.page {
        case .styleSheet, .signIn: return sheet.redirect(to: .overview, at: origin)
        case .signOut: return try await signOut(sheet)
        case .overview, .services, .activity, .data, .download: return try await show(sheet, to: session)
        case .end: return try await end(sheet, as: session)
        case .people, .versions, .members: return try await list(sheet, as: session)
        case .messages: return try await messages(sheet)
        case .act: return try await act(sheet, as: session)
        }
    }

    // MARK: Sessions

    private func session(openedBy secret: String) async throws(Store.Failure) -> BrowserSession? {
        let result = try await host.carryOut(by: nil) { party, now, entropy in
            party.exchange(openingSession: secret, at: now, using: &entropy)
        }
        return try? result.get()
    }

    /// Whoever is not signed in is sent to where that is done, and from there to the page.
    private func notSignedIn(_ sheet: Sheet) -> HTTP.Response {
        let visit = sheet.visit
        guard visit.page == .signIn else {
            let next = visit.page.isDestination && visit.page != .overview ? [("next", visit.page.rawValue)] : []
            return sheet.redirect(to: .signIn, next, at: origin)
        }
        return sheet.asVisitor { $0.signInPage() }
    }

    private func signIn(_ sheet: Sheet) async throws(Store.Failure) -> HTTP.Response {
        let visit = sheet.visit
        guard visit.isFromPage(madeFor: visit.cookie(Visit.visitor)) else {
            return sheet.asVisitor { $0.signInPage(.forbidden, failure: $0.words.failures.stale) }
        }
        let name = visit["user"].flatMap { try? UserName(parsing: $0) }
        switch try await open(sheet, name, inPlaceOf: visit.cookie(Visit.session)) {
        case .opened(let opening):
            let next = visit["next"].flatMap(Page.init(rawValue:)).flatMap { $0.isDestination ? $0 : nil }
            var response = sheet.redirect(to: next ?? .overview, at: origin).keeping(opening)
            response.remove(Visit.visitor)
            return response
        case .refused(let status, let words): return sheet.signInPage(status, failure: words)
        }
    }

    private enum Opened {
        case opened(BrowserSession.Opening)
        case refused(HTTP.Response.Status, String)
    }

    /// Takes the password that a form bears.
    private func open(
        _ sheet: Sheet, _ name: UserName?, inPlaceOf former: String?
    ) async throws(Store.Failure) -> Opened {
        let (visit, failures) = (sheet.visit, sheet.words.failures)
        guard let name, let password = visit["password"].flatMap({ try? Secret.Password(parsing: $0) }) else {
            return .refused(.forbidden, failures.wrong)
        }
        // Codes are shown in groups, and copied with what stands between them.
        let code = visit["code"].map { $0.filter { !$0.isWhitespace } }.flatMap {
            try? Secret.OneTimeCode(parsing: $0)
        }
        let attempt = BrowserSession.Attempt(
            name, password, code: code, with: BrowserName.text(of: visit.request), from: visit.address,
            mark: visit.cookie(Visit.mark), inPlaceOf: former)
        let result = try await host.carryOut(by: nil) { party, now, entropy in
            party.exchange(signingIn: attempt, at: now, using: &entropy)
        }
        switch result {
        case .success(let opening): return .opened(opening)
        case .failure(let refusal):
            switch refusal.obstacle {
            case .tooManyAttempts: return .refused(.tooManyRequests, failures.tooMany)
            case .lockedOut: return .refused(.forbidden, failures.locked)
            case .otherPerson: return .refused(.conflict, failures.otherPerson)
            case .codeWanted: return .refused(.forbidden, failures.codeWanted)
            case .wrongCode: return .refused(.forbidden, failures.wrongCode)
            case .otherStepWanted: return .refused(.forbidden, failures.otherStep)
            case .wrongCredentials: return .refused(.forbidden, failures.wrong)
            case .unavailable: return .refused(.serviceUnavailable, failures.unavailable)
            }
        }
    }

    private func signOut(_ sheet: Sheet) async throws(Store.Failure) -> HTTP.Response {
        guard let secret = sheet.session?.secret, sheet.visit.isFromPage(madeFor: secret) else {
            return sheet.redirect(to: .overview, at: origin)
        }
        _ = try await host.carryOut(by: nil) { party, now, entropy in
            party.exchange(endingSession: secret, at: now, using: &entropy)
        }
        return leaving(sheet, saying: .signOut)
    }

    private func leaving(_ sheet: Sheet, saying notice: Notice) -> HTTP.Response {
        var response = sheet.redirect(to: .signIn, [("said", notice.rawValue)], at: origin)
        response.remove(Visit.session)
        return response
    }

    // MARK: What people see and end

    private func overview(for session: BrowserSession) async throws(Store.Failure) -> AccountOverview? {
        let result = try await host.carryOut(by: session.id) { party, now, entropy in
            party.exchange(overviewOf: session.user, at: now, using: &entropy)
        }
        return try? result.get()
    }

    private func show(_ sheet: Sheet, to session: BrowserSession) async throws(Store.Failure) -> HTTP.Response {
        guard let overview = try await overview(for: session) else { return sheet.unavailable }
        switch sheet.visit.page {
        case .services: return sheet.servicesPage(overview)
        case .activity: return sheet.activityPage(overview)
        case .data: return sheet.dataPage(overview)
        case .download:
            var response = HTTP.Response(.ok, body: overview.encoded(about: session.user, at: clock()))
            if let disposition = try? HTTP.Field.Name(parsing: "Content-Disposition") {
                try? response.fields.append(disposition, "attachment; filename=\"edu-id.json\"")
            }
            return sheet.finished(response, as: HTTP.MediaType.json.text)
        default: return sheet.overviewPage(overview)
        }
    }

    /// How often is asked for what comes in parts.
    private static var partLimit: Int { 64 }

    /// Asks until all is done, because of much a part is done at a time; answers how the last part fared.
    private func inParts(
        _ ask: () async throws(Store.Failure) -> HTTP.Response
    ) async throws(Store.Failure) -> HTTP.Response.Status {
        var status = HTTP.Response.Status.accepted
        for _ in 0..<Self.partLimit where status == .accepted { status = try await ask().status }
        return status
    }

    private func end(_ sheet: Sheet, as session: BrowserSession) async throws(Store.Failure) -> HTTP.Response {
        guard let ending = Ending(sheet.visit) else { return sheet.redirect(to: .overview, at: origin) }
        func ask(
            _ status: HTTP.Response.Status = .ok, _ failure: String? = nil
        ) async throws(Store.Failure) -> HTTP.Response {
            guard let overview = try await overview(for: session) else {
                return sheet.redirect(to: .overview, at: origin)
            }
            return sheet.endPage(ending, overview, status, failure: failure, at: clock())
        }
        guard sheet.visit.request.method == .post else { return try await ask() }
        switch try await confirm(sheet, as: session) {
        case .refused(let status, let words): return try await ask(status, words)
        case .confirmed(let present, let opening):
            // The browser in which it is asked for is known by a new name once the password was given.
            let own = ending == .device(session.client) ? Ending.device(present.client) : ending
            let status = try await inParts { () throws(Store.Failure) in
                try await host.carryOut(by: present.id) { party, now, entropy in
                    party.exchange(for: own.command, of: present.user, at: now, using: &entropy)
                }
            }
            guard status == .noContent || status == .notFound || status == .accepted else {
                return sheet.unavailable.keeping(opening)
            }
            let notice: Notice = status == .accepted ? .part : status == .notFound ? .nothing : .ended
            if status == .noContent {
                switch own {
                case .everything: return leaving(sheet, saying: .everything)
                case .erasure: return leaving(sheet, saying: .erasure)
                case .device(present.client): return leaving(sheet, saying: .signOut)
                default: break
                }
            }
            return sheet.redirect(to: .overview, [("said", notice.rawValue)], at: origin).keeping(opening)
        }
    }

    private enum Confirmed {
        /// The session that the person is in now, and what opens it where it is a new one.
        case confirmed(BrowserSession, BrowserSession.Opening?)
        case refused(HTTP.Response.Status, String)
    }

    /// Makes sure that it is the person who wants what was posted: it comes from a page of ours, and with the password
    /// where that was given too long ago.
    private func confirm(_ sheet: Sheet, as session: BrowserSession) async throws(Store.Failure) -> Confirmed {
        guard let secret = sheet.session?.secret, sheet.visit.isFromPage(madeFor: secret) else {
            return .refused(.forbidden, sheet.words.failures.stale)
        }
        if session.isFresh(at: clock()) { return .confirmed(session, nil) }
        switch try await open(sheet, session.userName, inPlaceOf: secret) {
        case .opened(let opening): return .confirmed(opening.session, opening)
        case .refused(let status, let words): return .refused(status, words)
        }
    }

    // MARK: What administrators see and do

    private func list(_ sheet: Sheet, as session: BrowserSession) async throws(Store.Failure) -> HTTP.Response {
        let visit = sheet.visit
        var query = [HTTP.Form.Pair("limit", "50")]
        if let last = visit["after"] { query.append(.init("after", last)) }
        if let words = visit["search"], !words.isEmpty { query.append(.init("name", words)) }
        if visit["locked"] != nil { query.append(.init("locked", "true")) }
        let path =
            switch visit.page {
            case .versions: "/versions"
            case .members: "/services"
            default: "/users"
            }
        guard var part = try await part(path, query, as: session) else {
            // The place where the list went on is gone, or nobody can have such a name.
            return sheet.redirect(to: visit.page, at: origin)
        }
        switch visit.page {
        case .versions: return sheet.versionsPage(part)
        case .members: return sheet.membersPage(part)
        default:
            for user in part.entries.compactMap({ $0["user"]?.string }) { part.names[user] = await fullName(of: user) }
            return sheet.peoplePage(part)
        }
    }

    /// What a person is called, as far as the host's directory knows.
    private func fullName(of user: String) async -> String? {
        guard let subject = try? Record.Subject(parsing: user) else { return nil }
        return await host.party.users.profile(subject)["name"]?.string
    }

    private func part(
        _ path: String, _ query: [HTTP.Form.Pair], as session: BrowserSession
    ) async throws(Store.Failure) -> Sheet.Part? {
        var query = query
        // Of many records, those that stand for nobody any more can fill parts that show nothing.
        for _ in 0..<Self.partLimit {
            let request = HTTP.Request(.get, .origin(path: path, query: HTTP.Form(query).text))
            let response = try await host.administer(request, by: session.id)
            guard response.status == .ok, let list = (try? JSON(parsing: response.body))?.array else { return nil }
            let part = Sheet.Part(entries: list.compactMap { $0.object }, next: response.nextPlace)
            guard part.entries.isEmpty, let next = part.next else { return part }
            query = query.filter { !$0.name.spells("after") } + [.init("after", next)]
        }
        return Sheet.Part(entries: [], next: query.last?.value)
    }

    private func messages(_ sheet: Sheet) async throws(Store.Failure) -> HTTP.Response {
        guard sheet.visit.request.method == .post else {
            return sheet.messagesPage(try await host.messages(atMost: 200), at: clock())
        }
        if sheet.visit.isFromPage(madeFor: sheet.session?.secret) {
            host.expedite(.delivery)
            try await host.tick()
        }
        return sheet.redirect(to: .messages, at: origin)
    }

    private func act(_ sheet: Sheet, as session: BrowserSession) async throws(Store.Failure) -> HTTP.Response {
        let visit = sheet.visit
        guard let act = visit["act"].flatMap(Act.init(rawValue:)), let name = visit["name"], !name.isEmpty else {
            return sheet.redirect(to: .people, at: origin)
        }
        func ask(
            _ status: HTTP.Response.Status = .ok, _ failure: String? = nil
        ) async throws(Store.Failure) -> HTTP.Response {
            let title = try await title(of: name, for: act, as: session)
            return sheet.actPage(act, on: name, titled: title, status, failure: failure, at: clock())
        }
        guard visit.request.method == .post else { return try await ask() }
        let time = visit["since"].flatMap { Sheet.time(in: $0) }
        guard let request = act.request(on: name, visit["reason"], since: time) else {
            return try await ask(.badRequest, sheet.words.administration.sinceWanted)
        }
        switch try await confirm(sheet, as: session) {
        case .refused(let status, let words): return try await ask(status, words)
        case .confirmed(let present, let opening):
            let status = try await inParts { () throws(Store.Failure) in
                try await host.administer(request, by: present.id)
            }
            guard status.code < 500 else { return sheet.unavailable.keeping(opening) }
            let notice: Notice =
                switch status {
                case .noContent: .done
                case .accepted: .part
                default: .unknown
                }
            return sheet.redirect(to: act.page, [("said", notice.rawValue)], at: origin).keeping(opening)
        }
    }

    /// What a name stands for: people and versions have names that say nothing to people.
    private func title(
        of name: String, for act: Act, as session: BrowserSession
    ) async throws(Store.Failure) -> String {
        guard act.page == .versions else { return await fullName(of: name) ?? name }
        let part = try await part("/versions", [HTTP.Form.Pair("limit", "1000")], as: session)
        let version = part?.entries.first { $0["kid"]?.string?.spells(name) == true }
        return version.map { "\($0["platform"]?.string ?? "") \($0["version"]?.string ?? "")" } ?? name
    }
}

extension Sheet {
    fileprivate var unavailable: HTTP.Response {
        page(words.failures.title, .serviceUnavailable) { HTML.paragraph(words.failures.unavailable) }
    }

    /// A page for somebody who is not signed in, whose browser keeps something that its form is tied to.
    fileprivate func asVisitor(_ page: (Sheet) -> HTTP.Response) -> HTTP.Response {
        if visit.cookie(Visit.visitor) != nil { return page(self) }
        var entropy = SystemRandomNumberGenerator()
        let secret = Base64URL.encode(entropy.bytes(18))
        var sheet = self
        sheet.visitor = secret
        var response = page(sheet)
        response.set(Visit.visitor, to: secret)
        return response
    }
}

extension HTTP.Response {
    /// Gives the browser what it keeps of a session: until it is closed, and the mark for half a year.
    fileprivate func keeping(_ opening: BrowserSession.Opening?) -> HTTP.Response {
        guard let opening else { return self }
        var response = self
        response.set(Visit.session, to: opening.secret)
        response.set(Visit.mark, to: opening.mark, for: BrowserSession.markLifetime)
        return response
    }
}
