internal import Federation
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// What people see of what is theirs.

extension Sheet {
    func signInPage(_ status: HTTP.Response.Status = .ok, failure: String? = nil) -> HTTP.Response {
        page(words.signIn.title, status, failure: failure) {
            HTML.paragraph(words.signIn.lead, class: "lead")
            form(to: .signIn, visit["next"].map { [("next", $0)] } ?? [], class: "entry") {
                HTML.field("user", words.signIn.userName, completion: "username", limit: 256)
                passwordFields()
                button(words.signIn.button)
            }
        }
    }

    /// The tree as a picture: devices, and below each what was opened from there.
    func overviewPage(_ overview: AccountOverview) -> HTTP.Response {
        page(words.overview.title) {
            HTML.paragraph(words.overview.lead, class: "lead")
            HTML.element("ul", ["class": "tree"]) { for device in overview.devices { node(device) } }
            HTML.paragraph(words.overview.apps, class: "note")
            HTML.element("p") {
                HTML.element("a", ["class": "action", "href": link(.end, Ending.everything.pairs)]) {
                    words.overview.endEverything
                }
            }
        }
    }

    /// The most services that are shown below a device.
    private static let shownIntroductions = 100

    private func node(_ device: AccountOverview.Device) -> HTML {
        let name = name(of: device)
        let isThis = device.id == session?.session.client
        return HTML.element("li") {
            HTML.element("div", ["class": "node"]) {
                HTML.element("div") {
                    HTML.element("h2") {
                        HTML.name(name)
                        if isThis { HTML.element("span", ["class": "tag"]) { words.overview.thisBrowser } }
                    }
                    details(of: device)
                }
                if isThis {
                    form(to: .signOut) { button(words.overview.signOutThis) }
                } else {
                    action(words.overview.end, about: name, to: .end, Ending.device(device.id).pairs)
                }
            }
            if device.introductions.isEmpty {
                if !device.isBrowser { HTML.paragraph(words.overview.noServices, class: "none") }
            } else {
                HTML.element("ul") {
                    for introduction in device.introductions.prefix(Self.shownIntroductions) {
                        node(introduction, on: name)
                    }
                    if device.introductions.count > Self.shownIntroductions {
                        HTML.element("li") { words.overview.more(device.introductions.count - Self.shownIntroductions) }
                    }
                }
            }
        }
    }

    private func details(of device: AccountOverview.Device) -> HTML {
        var parts = [
            device.isBrowser
                ? words.overview.browser : [device.platform, device.version].compactMap { $0 }.joined(separator: " ")
        ]
        parts.append(words.overview.since(text(of: device.registered)))
        if let last = device.lastUse { parts.append(words.overview.lastUse(text(of: last))) }
        return .paragraph(parts.filter { !$0.isEmpty }.joined(separator: " · "), class: "details")
    }

    private func node(_ introduction: AccountOverview.Introduction, on device: String) -> HTML {
        let name = introduction.serviceName ?? introduction.service
        return HTML.element("li") {
            HTML.element("div", ["class": "node"]) {
                HTML.element("div") {
                    HTML.element("h3") { service(introduction.service, introduction.serviceName) }
                    HTML.paragraph(words.overview.since(text(of: introduction.since)), class: "details")
                }
                action(
                    words.overview.end, about: name + ", " + device, to: .end,
                    Ending.introduction(introduction.id).pairs)
            }
        }
    }

    func name(of device: AccountOverview.Device) -> String { device.name ?? words.overview.device }

    func servicesPage(_ overview: AccountOverview) -> HTTP.Response {
        page(words.services.title) {
            HTML.paragraph(words.services.lead, class: "lead")
            if overview.services.isEmpty { HTML.paragraph(words.services.none) }
            for found in overview.services {
                HTML.element("section", ["class": "card"]) {
                    HTML.element("h2") { service(found.url, found.name) }
                    HTML.paragraph(
                        words.services.lastUse(text(of: found.lastUse)) + " · "
                            + (found.hasOwnName ? words.services.ownName : words.services.commonName),
                        class: "details")
                    if found.released.isEmpty {
                        HTML.paragraph(words.services.noAttributes)
                    } else {
                        attributes(found.released)
                    }
                    if found.isOpen {
                        action(
                            words.services.leave, about: found.name ?? found.url, to: .end,
                            [
                                ("what", "service"), ("name", found.url),
                            ])
                    } else {
                        HTML.paragraph(words.services.closed, class: "none")
                    }
                }
            }
        }
    }

    private func attributes(_ object: JSON.Object) -> HTML {
        HTML.element("dl") {
            for member in object {
                HTML.element("dt") { HTML.name(words.claims[member.name.text] ?? member.name.text) }
                HTML.element("dd") { HTML.name(member.value.string ?? member.value.encodedString()) }
            }
        }
    }

    func activityPage(_ overview: AccountOverview) -> HTTP.Response {
        page(words.activity.title) {
            HTML.paragraph(words.activity.lead, class: "lead")
            if overview.events.isEmpty {
                HTML.paragraph(words.activity.none)
            } else {
                HTML.table(
                    words.activity.title, [words.activity.time, words.activity.event, words.activity.reason],
                    shown(overview.events).map { event in
                        [
                            time(event.time), HTML.name(sentence(event)),
                            HTML(event.reason.map(words.activity.reasons) ?? ""),
                        ]
                    })
            }
        }
    }

    /// The newest 200 events of devices, and 100 of browsers: who signs in again and again hides nothing.
    private func shown(_ events: [AccountOverview.Event]) -> [AccountOverview.Event] {
        let parts = [events.filter { !$0.isBrowsers }.prefix(200), events.filter { $0.isBrowsers }.prefix(100)]
        return parts.flatMap { $0 }.sorted { $0.time > $1.time }
    }

    private func sentence(_ event: AccountOverview.Event) -> String {
        let device = event.device ?? words.activity.unnamed
        let service = event.serviceName ?? event.service ?? ""
        return switch event.kind {
        case .signedIn: words.activity.signedIn(device)
        case .signedOut: words.activity.signedOut(device)
        case .introduced: words.activity.introduced(service, device)
        case .ended: words.activity.ended(service, device)
        }
    }

    func dataPage(_ overview: AccountOverview) -> HTTP.Response {
        page(words.data.title) {
            HTML.element("section", ["class": "card"]) {
                HTML.element("h2") { words.data.profile }
                if overview.profile.isEmpty {
                    HTML.paragraph(words.data.noProfile)
                } else {
                    attributes(overview.profile)
                    HTML.paragraph(words.data.profileNote, class: "note")
                }
            }
            HTML.element("section", ["class": "card"]) {
                HTML.element("h2") { words.data.download }
                HTML.paragraph(words.data.downloadNote)
                HTML.element("a", ["class": "action", "href": link(.download), "download": "edu-id.json"]) {
                    words.data.downloadButton
                }
            }
            HTML.element("section", ["class": "card"]) {
                HTML.element("h2") { words.data.erase }
                erasureNotes
                HTML.element("a", ["class": "action", "href": link(.end, Ending.erasure.pairs)]) {
                    words.data.eraseButton
                }
            }
        }
    }

    private var erasureNotes: HTML {
        .joined([
            .paragraph(words.data.eraseNote), .paragraph(words.data.records),
            .paragraph(settings.backupDays.map(words.data.backups) ?? words.data.backupsUnsaid),
        ])
    }

    // MARK: Asking once more

    /// Asks whether something is to end, and for the password where it was given too long ago.
    func endPage(
        _ ending: Ending, _ overview: AccountOverview, _ status: HTTP.Response.Status = .ok, failure: String? = nil,
        at now: Timestamp
    ) -> HTTP.Response {
        let (title, note) = question(ending, overview)
        return page(title, status, failure: failure) {
            HTML.paragraph(note, class: "lead")
            if case .erasure = ending { erasureNotes }
            form(to: .end, ending.pairs, class: "entry") {
                passwordField(at: now)
                HTML.element("p", ["class": "choice"]) {
                    button(ending == .erasure ? words.ending.eraseButton : words.ending.button, isGrave: true)
                    HTML.element("a", ["href": link(.overview)]) { words.general.cancel }
                }
            }
        }
    }

    /// Asks for the password, unless it was given just now.
    @HTML.Builder
    func passwordField(at now: Timestamp) -> HTML {
        if session?.session.isFresh(at: now) != true {
            HTML.paragraph(words.ending.passwordNote)
            passwordFields()
        }
    }

    /// The password, and a code for whoever uses one: nobody else is told by the page that there is none.
    @HTML.Builder
    private func passwordFields() -> HTML {
        HTML.field("password", words.signIn.password, type: "password", completion: "current-password", limit: 1_024)
        HTML.field("code", words.signIn.code, completion: "one-time-code", isRequired: false, limit: 64)
    }

    private func question(_ ending: Ending, _ overview: AccountOverview) -> (title: String, note: String) {
        let words = words.ending
        switch ending {
        case .device(let id):
            let device = overview.devices.first { $0.id == id }
            return (words.device(device.map { name(of: $0) } ?? id.text), words.deviceNote)
        case .introduction(let id):
            for device in overview.devices {
                guard let found = device.introductions.first(where: { $0.id == id }) else { continue }
                return (
                    words.introduction(found.serviceName ?? found.service, name(of: device)), words.introductionNote
                )
            }
            return (self.words.overview.end, words.introductionNote)
        case .service(let url):
            let service = overview.services.first { $0.url.spells(url.identity) }
            return (words.service(service?.name ?? url.identity), words.serviceNote)
        case .everything: return (words.everything, words.everythingNote)
        case .erasure: return (words.erasure, words.erasureNote)
        }
    }
}

/// What a person wants to end.
enum Ending: Sendable, Equatable {
    case device(ClientID)
    case introduction(TokenID)
    case service(ServiceURL)
    case everything, erasure

    /// Reads what a form says.
    init?(_ visit: Visit) {
        let name = visit["name"] ?? ""
        switch visit["what"] {
        case "device":
            guard let id = try? ClientID(parsing: name) else { return nil }
            self = .device(id)
        case "introduction":
            guard let id = try? TokenID(parsing: name) else { return nil }
            self = .introduction(id)
        case "service":
            guard let url = try? ServiceURL(parsing: name) else { return nil }
            self = .service(url)
        case "everything": self = .everything
        case "erasure": self = .erasure
        default: return nil
        }
    }

    /// As a form says it.
    var pairs: [(String, String)] {
        switch self {
        case .device(let id): [("what", "device"), ("name", id.text)]
        case .introduction(let id): [("what", "introduction"), ("name", id.text)]
        case .service(let url): [("what", "service"), ("name", url.identity)]
        case .everything: [("what", "everything")]
        case .erasure: [("what", "erasure")]
        }
    }

    /// What is asked of the account.
    var command: EduIDService.AccountCommand {
        switch self {
        case .device(let id): .disconnect(id)
        case .introduction(let id): .takeBack(id)
        case .service(let url): .leave(url)
        case .everything: .disconnectAll
        case .erasure: .erase
        }
    }
}
