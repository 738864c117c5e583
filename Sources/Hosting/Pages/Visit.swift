internal import Federation
internal import PureCrypto
internal import Wire

/// A page, by its path below the place of all pages.
enum Page: String, Sendable {
    case overview = ""
    case signIn = "sign-in"
    case signOut = "sign-out"
    case services
    case activity
    case data
    case download = "data/download"
    case end
    case people = "administration"
    case versions = "administration/versions"
    case members = "administration/services"
    case messages = "administration/messages"
    case act = "administration/act"
    case styleSheet = "style.css"

    /// What people find their way by.
    static let ofPeople: [Page] = [.overview, .services, .activity, .data]
    /// The same for administrators.
    static let ofAdministrators: [Page] = [.people, .versions, .members, .messages]

    /// Whether only administrators may see it.
    var isForAdministrators: Bool { self == .act || Page.ofAdministrators.contains(self) }

    /// Whether somebody can be sent there after signing in.
    var isDestination: Bool { Page.ofPeople.contains(self) || Page.ofAdministrators.contains(self) }

    /// How it can be asked for.
    var methods: [HTTP.Request.Method] {
        switch self {
        case .overview, .services, .activity, .data, .download, .people, .versions, .members, .styleSheet:
            [.get, .head]
        case .signIn, .end, .act, .messages: [.get, .head, .post]
        case .signOut: [.post]
        }
    }

    /// What it is called.
    func title(in words: Words) -> String {
        switch self {
        case .overview: words.overview.title
        case .signIn: words.signIn.title
        case .signOut: words.general.signOut
        case .services: words.services.title
        case .activity: words.activity.title
        case .data, .download: words.data.title
        case .end: words.overview.end
        case .people: words.administration.people
        case .versions: words.administration.versions
        case .members: words.administration.services
        case .messages: words.administration.messages
        case .act: words.administration.title
        case .styleSheet: ""
        }
    }
}

/// What a page says at its top, after something was done on another one.
enum Notice: String, Sendable {
    case ended, everything, erasure, signOut = "sign-out", nothing, done, part, unknown

    func text(in words: Words) -> String {
        switch self {
        case .ended: words.ending.done
        case .everything: words.ending.doneEverything
        case .erasure: words.ending.doneErasure
        case .signOut: words.ending.doneSignOut
        case .nothing: words.ending.nothing
        case .done: words.administration.done
        case .part: words.administration.part
        case .unknown: words.administration.unknown
        }
    }
}

/// A request for a page: what it asks for, and what the browser keeps.
struct Visit: Sendable {
    let page: Page
    let request: HTTP.Request
    /// Where it comes from, if that tells people apart: for limits, and nothing else (FWD-6).
    let address: String?
    let language: PageLanguage
    /// What the query says, or the body of what is posted; empty where that is no form.
    let form: HTTP.Form

    /// What opens the session.
    static let session = HTTP.Cookie("eduid-session")
    /// What ties the form of the sign-in page to this browser.
    static let visitor = HTTP.Cookie("eduid-visitor")
    /// What tells that the person has been signed in with this browser.
    static let mark = HTTP.Cookie("eduid-mark")
    /// The language that the person has chosen.
    static let language = HTTP.Cookie("eduid-language")

    init(_ page: Page, _ request: HTTP.Request, from client: HTTP.Client, otherwise language: PageLanguage) {
        (self.page, self.request) = (page, request)
        address = client.countedAddress
        let text = request.method == .post ? request.body : Array((request.target.query ?? "").utf8)
        let type = request.fields.value(of: .contentType).value.flatMap { try? HTTP.MediaType(parsing: $0) }
        let isForm = request.method != .post || type?.essence == HTTP.MediaType.form.essence
        form = isForm ? (try? HTTP.Form(parsing: text)) ?? HTTP.Form() : HTTP.Form()
        let accepted = HTTP.Field.Name.acceptLanguage.flatMap { request.fields.value(of: $0).value }
        self.language =
            form.value(of: "language").value.flatMap(PageLanguage.init(rawValue:))
            ?? request.value(of: Self.language).value.flatMap(PageLanguage.init(rawValue:))
            ?? accepted.flatMap(PageLanguage.init(accepting:)) ?? language
    }

    /// A field of the form that comes once.
    subscript(name: String) -> String? { form.value(of: name).value }

    func cookie(_ cookie: HTTP.Cookie) -> String? { request.value(of: cookie).value.flatMap { $0.isEmpty ? nil : $0 } }

    /// What is said at the top, where a page of ours led here and no other site.
    var notice: Notice? {
        guard comesFromHere else { return nil }
        return self["said"].flatMap(Notice.init(rawValue:))
    }

    /// Whether the browser does not say that another site led here; those that say so say it truly.
    private var comesFromHere: Bool {
        guard let name = HTTP.Field.Name.fetchSite, let site = request.fields.value(of: name).value else { return true }
        return site.spells("same-origin")
    }

    /// Whether what is posted comes from a page that was made for this browser.
    ///
    /// - Parameter secret: what the browser keeps, and no other site knows.
    func isFromPage(madeFor secret: String?) -> Bool {
        guard comesFromHere, let secret, let token = self["token"] else { return false }
        return FormToken(for: secret) == FormToken(text: token)
    }
}

/// What a form bears so that no other site can have a browser post it: it follows from what the browser keeps.
struct FormToken: Equatable {
    private let digest: [UInt8]

    init(for secret: String) { digest = [UInt8](SHA256.hash(data: Array(("form: " + secret).utf8))) }

    init?(text: String) {
        guard let bytes = try? Base64URL.decode(text) else { return nil }
        digest = bytes
    }

    var text: String { Base64URL.encode(digest) }

    /// In a time that does not depend on where they differ.
    static func == (one: FormToken, other: FormToken) -> Bool { constantTimeEquals(one.digest, other.digest) }
}

extension HTTP.Client {
    /// The address by which failures are counted; none for this machine, where everybody comes through the web server.
    fileprivate var countedAddress: String? {
        guard case .peer(let peer) = name, !peer.isLocal else { return nil }
        // Whoever has one address of version 6 has 2⁶⁴.
        if case .ipv6(let address) = peer { return String(address.bits >> 64, radix: 16) }
        return peer.description
    }
}

extension HTTP.Field.Name {
    fileprivate static let acceptLanguage = try? Self(parsing: "Accept-Language")
    fileprivate static let fetchSite = try? Self(parsing: "Sec-Fetch-Site")
}
