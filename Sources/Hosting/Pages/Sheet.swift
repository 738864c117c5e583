#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Federation
internal import Wire

/// What one page is written on: the language, the name of the service, who is signed in, and where everything lies.
struct Sheet: Sendable {
    let visit: Visit
    let settings: PageSettings
    /// The path of all pages.
    let root: String
    /// Who is signed in, and what opens the session.
    var session: (session: BrowserSession, secret: String)?
    /// What ties forms to the browser of somebody who is not signed in, where it was made for this page.
    var visitor: String?

    var words: Words { visit.language.words }

    /// The path of a page, with a query.
    func link(_ page: Page, _ pairs: [(String, String)] = []) -> String {
        let path = page.rawValue.isEmpty ? root : root + "/" + page.rawValue
        return pairs.isEmpty ? path : path + "?" + HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) }).text
    }

    /// A form that changes something; it bears what no other site can know.
    func form(
        to page: Page, _ fields: [(String, String)] = [], class name: String? = nil,
        @HTML.Builder _ content: () -> HTML
    ) -> HTML {
        HTML.element("form", ["method": "post", "action": link(page), "class": name]) {
            if let secret = session?.secret ?? visitor ?? visit.cookie(Visit.visitor) {
                HTML.hidden("token", FormToken(for: secret).text)
            }
            for (name, value) in fields { HTML.hidden(name, value) }
            content()
        }
    }

    /// A button of a form.
    func button(_ label: String, isGrave: Bool = false) -> HTML {
        .element("button", ["type": "submit", "class": isGrave ? "grave" : nil]) { label }
    }

    /// A link that looks like a button, and leads to where something is asked once more.
    ///
    /// - Parameter subject: what it is about, for those who do not see where it stands.
    func action(_ label: String, about subject: String, to page: Page, _ pairs: [(String, String)]) -> HTML {
        .element("a", ["class": "action", "href": link(page, pairs)]) {
            label
            HTML.element("span", ["class": "unseen"]) { ": " + subject }
        }
    }

    /// A link to a service, whose URL is one of the web.
    func service(_ url: String, _ name: String?) -> HTML {
        .element("a", ["href": url, "rel": "noreferrer"]) { HTML.name(name ?? url) }
    }

    /// A point in time.
    func time(_ time: Timestamp) -> HTML {
        .element("time", ["datetime": time.description]) { text(of: time) }
    }

    /// The point in time that a field says, such as 2027-01-31T12:00 in the machine's time zone; `nil` for none.
    static func time(in text: String) -> Timestamp? {
        let words = text.split(omittingEmptySubsequences: false) { "-T:".contains($0) }
        let numbers = words.compactMap { Int32($0) }
        let bounds: [ClosedRange<Int32>] = [1_970...9_999, 1...12, 1...31, 0...23, 0...59, 0...59]
        guard (5...6).contains(words.count), numbers.count == words.count,
            zip(numbers, bounds).allSatisfy({ $1.contains($0) })
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min) = (numbers[3], numbers[4])
        parts.tm_sec = numbers.count > 5 ? numbers[5] : 0
        // Whether that is summer time, the zone says.
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        return seconds < 0 ? nil : Timestamp(seconds: Int64(seconds))
    }

    /// A point in time in the machine's time zone, as people of the language write it.
    func text(of time: Timestamp) -> String {
        var (seconds, parts) = (time_t(time.seconds), tm())
        guard localtime_r(&seconds, &parts) != nil else { return time.description }
        func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return words.general.time(
            Int(parts.tm_mday), Int(parts.tm_mon) + 1, Int(parts.tm_year) + 1_900,
            "\(padded(parts.tm_hour)):\(padded(parts.tm_min))")
    }
}

// MARK: - The whole page

extension Sheet {
    /// A page with what is around it.
    ///
    /// - Parameter failure: what went wrong, said above everything else.
    func page(
        _ title: String, _ status: HTTP.Response.Status = .ok, failure: String? = nil,
        @HTML.Builder _ content: () -> HTML
    ) -> HTTP.Response {
        let root = HTML.element("html", ["lang": visit.language.rawValue]) {
            HTML.element("head") {
                HTML.void("meta", ["charset": "utf-8"])
                HTML.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                HTML.void("meta", ["name": "color-scheme", "content": "light dark"])
                HTML.element("title") { title + " – " + settings.name }
                HTML.void("link", ["rel": "stylesheet", "href": link(.styleSheet)])
            }
            HTML.element("body") {
                HTML.element("a", ["class": "skip", "href": "#main"]) { words.general.skip }
                header
                HTML.element("main", ["id": "main"]) {
                    HTML.element("h1") { title }
                    if let failure { HTML.element("p", ["class": "failure", "role": "alert"]) { failure } }
                    if let notice = visit.notice, failure == nil {
                        HTML.element("p", ["class": "notice", "role": "status"]) { notice.text(in: words) }
                    }
                    content()
                }
                footer
            }
        }
        return finished(HTTP.Response(status, body: HTML.page(root)), as: "text/html; charset=utf-8")
    }

    private var header: HTML {
        .element("header") {
            HTML.element("p", ["class": "brand"]) { HTML.element("a", ["href": link(.overview)]) { settings.name } }
            if let session = session?.session {
                HTML.element("nav", ["aria-label": words.general.sections]) {
                    HTML.element("ul") {
                        for page in Page.ofPeople { entry(page) }
                        if session.isAdministrators { entry(.people, words.administration.title) }
                    }
                    if visit.page.isForAdministrators, session.isAdministrators {
                        HTML.element("ul", ["class": "second"]) { for page in Page.ofAdministrators { entry(page) } }
                    }
                }
                form(to: .signOut, class: "person") {
                    HTML.element("span") {
                        HTML.element("span", ["class": "unseen"]) { words.general.signedInAs + " " }
                        HTML.name(session.userName.text)
                    }
                    button(words.general.signOut)
                }
            }
        }
    }

    private func entry(_ page: Page, _ title: String? = nil) -> HTML {
        let isHere = page == visit.page || title != nil && visit.page.isForAdministrators
        return HTML.element("li") {
            HTML.element("a", ["href": link(page), "aria-current": isHere ? "page" : nil]) {
                title ?? page.title(in: words)
            }
        }
    }

    private var footer: HTML {
        .element("footer") {
            HTML.element("nav", ["aria-label": words.general.languages]) {
                HTML.element("ul") {
                    for language in PageLanguage.allCases {
                        HTML.element("li") {
                            HTML.element(
                                "a",
                                [
                                    "href": here(in: language), "lang": language.rawValue,
                                    "hreflang": language.rawValue,
                                    "aria-current": language == visit.language ? "true" : nil,
                                ]
                            ) { language.ownName }
                        }
                    }
                }
            }
            if let help = settings.help {
                HTML.element("p") { HTML.element("a", ["href": help.text]) { words.general.help } }
            }
        }
    }

    /// The same page in a language.
    private func here(in language: PageLanguage) -> String {
        let asked = visit.request.method == .post ? [] : visit.form.pairs
        let kept = asked.filter { !["language", "said"].contains($0.name) }
        return link(
            visit.page.methods.contains(.get) ? visit.page : .overview,
            kept.map { ($0.name, $0.value) } + [("language", language.rawValue)])
    }

    // MARK: Answers

    /// An answer with what keeps browsers from doing anything with it but showing it to this person.
    func finished(_ response: HTTP.Response, as type: String) -> HTTP.Response {
        var response = response
        func append(_ name: String, _ value: String) {
            if let name = try? HTTP.Field.Name(parsing: name) { try? response.fields.append(name, value) }
        }
        append("Content-Type", type)
        append("Cache-Control", "no-store")
        append(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
        append("X-Content-Type-Options", "nosniff")
        append("X-Frame-Options", "DENY")
        append("Referrer-Policy", "same-origin")
        append("Cross-Origin-Opener-Policy", "same-origin")
        append("Cross-Origin-Resource-Policy", "same-origin")
        append("Vary", "Accept-Language, Cookie")
        if let chosen = visit["language"].flatMap(PageLanguage.init(rawValue:)), visit.request.method != .post {
            response.set(Visit.language, to: chosen.rawValue, for: .seconds(365 * 86_400))
        }
        return response
    }

    /// Sends the browser to another page, which it asks for with GET.
    ///
    /// - Parameter origin: of all pages; web servers in front take a path for something of their own (SCG-11).
    func redirect(to page: Page, _ pairs: [(String, String)] = [], at origin: String) -> HTTP.Response {
        var response = HTTP.Response(.seeOther)
        try? response.fields.append(.location, origin + link(page, pairs))
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }
}
