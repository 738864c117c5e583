internal import Federation
internal import TokenTree
internal import Wire

// What administrators see: what the endpoints below `admin` list (OPS-18).

extension Sheet {
    /// A part of a list, as the endpoint tells it.
    struct Part {
        let entries: [JSON.Object]
        /// Where the list goes on.
        let next: String?
        /// What people are called, by the names under which the service knows them.
        var names: [String: String] = [:]
    }

    func peoplePage(_ part: Part, failure: String? = nil) -> HTTP.Response {
        let words = words.administration
        return page(words.people, failure: failure) {
            HTML.element("form", ["method": "get", "action": link(.people), "class": "search", "role": "search"]) {
                HTML.field(
                    "search", words.search, type: "search", value: visit["search"], isRequired: false, limit: 256)
                button(words.searchButton)
                HTML.element("a", ["href": link(.people, [("locked", "true")])]) { words.locked }
            }
            list(
                part, words.people, [words.name, words.devices, words.lastUse, words.state, words.actions]
            ) { entry in
                let user = entry["user"]?.string ?? ""
                let isLocked = entry["locked"] != nil
                return [
                    who(user, part.names[user]), HTML(entry.text("instances")), entry.time("last_used", on: self),
                    HTML.joined([HTML(isLocked ? words.isLocked : words.open), reason(of: entry)]),
                    actions(isLocked ? [.unlock, .erase] : [.signOut, .lock, .erase], on: user),
                ]
            }
        }
    }

    func versionsPage(_ part: Part) -> HTTP.Response {
        let words = words.administration
        return page(words.versions) {
            list(part, words.versions, [words.platform, words.version, words.state, words.actions]) { entry in
                let isBlocked = entry["blocked"]?.bool == true
                let isWithdrawn = entry["withdrawn"] != nil
                let state = (isBlocked ? words.blocked : words.admitted) + (isWithdrawn ? ", " + words.withdrawn : "")
                return [
                    HTML.name(entry.text("platform")), HTML.name(entry.text("version")),
                    HTML.joined([HTML(state), reason(of: entry)]),
                    actions(
                        (isBlocked ? [.unblock] : [.block]) + (isWithdrawn ? [] : [.withdraw]), on: entry.text("kid")),
                ]
            }
            HTML.paragraph(words.versionsNote, class: "note")
        }
    }

    func membersPage(_ part: Part) -> HTTP.Response {
        let words = words.administration
        return page(words.services) {
            list(part, words.services, [words.service, words.introductions, words.users]) { entry in
                [
                    service(entry.text("service"), entry["name"]?.string), HTML(entry.text("assertions")),
                    HTML(entry.text("users")),
                ]
            }
            HTML.paragraph(words.servicesNote, class: "note")
        }
    }

    func messagesPage(_ messages: [OutgoingMessage], at now: Timestamp) -> HTTP.Response {
        let words = words.administration
        return page(words.messages) {
            if messages.isEmpty {
                HTML.paragraph(words.noMessages)
            } else {
                HTML.table(
                    words.messages, [words.destination, words.attempts, words.due, words.state],
                    messages.map { message in
                        [
                            HTML.name(message.destination.text), HTML("\(message.attempts)"), time(message.due),
                            HTML(message.isDeadLetter(at: now) ? words.waiting : ""),
                        ]
                    })
                form(to: .messages) { button(words.send) }
            }
        }
    }

    /// Asks whether something is to be done, and for the password where it was given too long ago.
    func actPage(
        _ act: Act, on name: String, titled subject: String, _ status: HTTP.Response.Status = .ok,
        failure: String? = nil, at now: Timestamp
    ) -> HTTP.Response {
        let (title, note) = act.question(in: words.administration)
        return page(title(subject), status, failure: failure) {
            HTML.paragraph(note, class: "lead")
            form(to: .act, act.pairs(on: name), class: "entry") {
                if act == .withdraw {
                    HTML.field("since", words.administration.since, type: "datetime-local", value: visit["since"])
                }
                if act.takesReason {
                    HTML.field("reason", words.ending.reason, completion: "off", isRequired: false, limit: 200)
                }
                passwordField(at: now)
                HTML.element("p", ["class": "choice"]) {
                    button(act.label(in: words.administration), isGrave: act.isGrave)
                    HTML.element("a", ["href": link(act.page)]) { words.general.cancel }
                }
            }
        }
    }

    private func list(
        _ part: Part, _ title: String, _ headings: [String], _ row: (JSON.Object) -> [HTML]
    ) -> HTML {
        HTML.joined([
            part.entries.isEmpty
                ? HTML.paragraph(words.general.none) : HTML.table(title, headings, part.entries.map(row)),
            part.next.map { next in
                let kept = visit.form.pairs.filter { ["search", "locked"].contains($0.name) }
                    .map { ($0.name, $0.value) }
                return HTML.element("p") {
                    HTML.element("a", ["href": link(visit.page, kept + [("after", next)])]) {
                        words.administration.more
                    }
                }
            } ?? .nothing,
        ])
    }

    private func who(_ user: String, _ name: String?) -> HTML {
        guard let name else { return HTML.name(user) }
        return .joined([
            .name(name), .void("br", [:]), .element("span", ["class": "details"]) { HTML.name(user) },
        ])
    }

    private func reason(of entry: JSON.Object) -> HTML {
        entry["reason"]?.string.map { reason in
            HTML.element("span", ["class": "details"]) { HTML.name(" (" + reason + ")") }
        } ?? .nothing
    }

    private func actions(_ acts: [Act], on name: String) -> HTML {
        .joined(acts.map { action($0.label(in: words.administration), about: name, to: .act, $0.pairs(on: name)) })
    }
}

/// What administrators do to a person or a version.
enum Act: String, Sendable {
    case lock, unlock, erase, block, unblock, withdraw
    case signOut = "sign-out"

    func pairs(on name: String) -> [(String, String)] { [("act", rawValue), ("name", name)] }

    /// Where it is asked for.
    var page: Page {
        switch self {
        case .block, .unblock, .withdraw: .versions
        case .lock, .unlock, .erase, .signOut: .people
        }
    }

    /// Whether it ends something.
    var isGrave: Bool { self != .unlock && self != .unblock }

    var takesReason: Bool { self == .lock || self == .block || self == .withdraw || self == .signOut }

    /// The request to the endpoint below `admin`; `nil` where it has to be said since when.
    func request(on name: String, _ reason: String?, since time: Timestamp?) -> HTTP.Request? {
        let word = PercentEncoding.encode(name)
        let (method, path): (HTTP.Request.Method, String) =
            switch self {
            case .lock, .unlock: (.post, "/users/\(word)/\(rawValue)")
            case .block, .unblock, .withdraw: (.post, "/versions/\(word)/\(rawValue)")
            case .signOut: (.delete, "/users/\(word)")
            case .erase: (.delete, "/users/\(word)/data")
            }
        var pairs: [HTTP.Form.Pair] = []
        if self == .withdraw {
            guard let time else { return nil }
            pairs.append(HTTP.Form.Pair("since", "\(time.seconds)"))
        }
        if let reason, !reason.isEmpty { pairs.append(HTTP.Form.Pair("reason", reason)) }
        let words = pairs.isEmpty ? nil : HTTP.Form(pairs)
        if method == .post {
            return HTTP.Request(method, .origin(path: path, query: nil), body: words?.encoded() ?? [])
        }
        return HTTP.Request(method, .origin(path: path, query: words?.text))
    }

    func label(in words: Words.Administration) -> String {
        switch self {
        case .lock: words.lock
        case .unlock: words.unlock
        case .erase: words.erase
        case .block: words.block
        case .unblock: words.unblock
        case .withdraw: words.withdraw
        case .signOut: words.signOut
        }
    }

    func question(in words: Words.Administration) -> (title: @Sendable (String) -> String, note: String) {
        switch self {
        case .lock: (words.lockTitle, words.lockNote)
        case .unlock: (words.unlockTitle, words.unlockNote)
        case .erase: (words.eraseTitle, words.eraseNote)
        case .block: (words.blockTitle, words.blockNote)
        case .unblock: (words.unblockTitle, words.unblockNote)
        case .withdraw: (words.withdrawTitle, words.withdrawNote)
        case .signOut: (words.signOutTitle, words.signOutNote)
        }
    }
}

extension JSON.Object {
    /// A member as text.
    fileprivate func text(_ name: JSON.Name) -> String { self[name].map { $0.string ?? $0.encodedString() } ?? "" }

    /// A member that is a number of seconds.
    fileprivate func time(_ name: JSON.Name, on sheet: Sheet) -> HTML {
        self[name]?.number?.integer(as: Int64.self).map { sheet.time(Timestamp(seconds: $0)) } ?? .nothing
    }
}
